"""Checks of the generator: python3 check.py [SIZES]; SEED=n chooses the seed, V=1 prints the kinds."""
import collections
import datetime as D
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PY = [sys.executable, os.path.join(HERE, "statements.py")]


def make(company, seed, n, base, hashseed):
    subprocess.run(PY + ["--company", company, "--seed", str(seed), "--n", str(n), "--out", base], check=True,
                   env=dict(os.environ, PYTHONHASHSEED=hashseed))
    return [open(base + e, "rb").read() for e in (".json", ".truth.json")]


def pence(x):
    return round(x["amount"] * 100)


def words(rows):
    """Telling words of each row: names cut to six letters and numbers; words in more than 3 % of the rows tell nothing."""
    out, freq = [], collections.Counter()
    for x in rows:
        w = {t[:6] if t.isalpha() else t for t in re.findall(r"[A-Z]{4,}|\d{3,}", x["description"].upper())}
        out.append(w)
        freq.update(w)
    cap = max(6, 0.03 * len(rows))
    return [{t for t in w if freq[t] <= cap} for w in out]


def guesses(data, truth):
    """Pairs for which another assignment of equal amounts looks better than the true one, judged by texts and dates alone.
    Names that stand together in three or more other links count as known."""
    B, K = data["bank"], data["book"]
    wb, wk = words(B), words(K)
    db = [D.date.fromisoformat(x["date"]).toordinal() for x in B]
    dk = [D.date.fromisoformat(x["date"]).toordinal() for x in K]
    known = collections.Counter()
    for b, k, _ in truth["pairs"]:
        for s in wb[b]:
            for t in wk[k]:
                known[s, t] += 1

    def score(b, k, own):
        c = wb[b] & wk[k]
        s = 3 if any(t.isdigit() for t in c) else 2 if c else 0
        if not s and any(known[x, y] - own >= 2 for x in wb[b] for y in wk[k]):
            s = 2
        return s - 0.1 * min(45, abs(db[b] - dk[k]))
    by = collections.defaultdict(list)
    for p in truth["pairs"]:
        by[pence(B[p[0]])].append(p)
    bad = set()
    for ps in by.values():
        ps.sort(key=lambda p: db[p[0]])
        for i, (b, k, _) in enumerate(ps):
            for c, l, _ in ps[i + 1:]:
                if db[c] > db[b] + 21:
                    break
                if k < l and not wb[b] ^ wb[c] or k < l and not wk[k] ^ wk[l]:
                    continue                       # the same text: paired in order
                if score(b, l, 0) + score(c, k, 0) > score(b, k, 1) + score(c, l, 1) + 0.01:
                    bad |= {b, c}
    return len(bad)


def check(company, seed, n, tmp):
    t0 = time.time()
    a = make(company, seed, n, os.path.join(tmp, "a"), "1")
    sec = time.time() - t0
    assert a == make(company, seed, n, os.path.join(tmp, "b"), "2"), "not deterministic"
    data, truth = json.loads(a[0]), json.loads(a[1])
    B, K = data["bank"], data["book"]
    assert len(B) == truth["n_bank"] == len(truth["bank_kind"]) == n and len(K) == truth["n_book"] == len(truth["book_kind"])
    ub, uk = set(), set()

    def use(s, i, m):
        assert 0 <= i < m and i not in s, "row used twice"
        s.add(i)
    for b, k, _ in truth["pairs"]:
        use(ub, b, n)
        use(uk, k, len(K))
        assert pence(B[b]) == pence(K[k]), "amounts of a pair"
    grouped = 0
    for side, i, parts in truth["groups"]:
        one, many = (B, K) if side == "bank" else (K, B)
        u1, um = (ub, uk) if side == "bank" else (uk, ub)
        use(u1, i, len(one))
        for j in parts:
            use(um, j, len(many))
        assert 2 <= len(parts) <= 8 and pence(one[i]) == sum(pence(many[j]) for j in parts), "sum of a group"
        grouped += 1 if side == "bank" else len(parts)
    for rows in (B, K):
        assert all(rows[i]["date"] <= rows[i + 1]["date"] for i in range(len(rows) - 1)) and all(x["description"] for x in rows)
        assert all(abs(x["amount"] * 100 - pence(x)) < 1e-6 and pence(x) for x in rows)
    assert all(x for x in truth["bank_kind"] + truth["book_kind"]), "a row without kind"
    p, g = 100 * len(truth["pairs"]) / n, 100 * grouped / n
    days = (D.date.fromisoformat(B[-1]["date"]) - D.date.fromisoformat(B[0]["date"])).days
    far = sum(abs((D.date.fromisoformat(B[b]["date"]) - D.date.fromisoformat(K[k]["date"])).days) > 3 for b, k, _ in truth["pairs"])
    q = 100 * guesses(data, truth) / len(truth["pairs"])
    ok = 80 <= p <= 88 and 4 <= g <= 10 and sec < 10
    print(f"{'ok ' if ok else 'BAD'} {company:20} seed {seed} n {n:6} book {len(K):6} days {days:5} pairs {p:.1f} % groups {g:.1f} % ({len(truth['groups'])}) "
          f"beyond 3 days {100 * far / len(truth['pairs']):.1f} % seeming guesses {q:.2f} % {sec:.1f} s", flush=True)
    if os.environ.get("V"):
        print("   bank", dict(collections.Counter(truth["bank_kind"]).most_common()))
        print("   book", dict(collections.Counter(truth["book_kind"]).most_common()))
    return ok


if __name__ == "__main__":
    seed = int(os.environ.get("SEED", "71"))
    names = subprocess.run(PY + ["--list"], check=True, capture_output=True, text=True).stdout.split()
    with tempfile.TemporaryDirectory() as tmp:
        res = [check(c, seed, n, tmp) for n in ([int(x) for x in sys.argv[1:]] or [500, 5000]) for c in names]
    sys.exit(0 if all(res) else 1)
