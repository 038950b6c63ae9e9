#!/usr/bin/env python3
"""python3 check.py [SIZES]; SEED=n chooses the seed, V=1 prints the kinds."""
import os, sys, json, time, re, datetime as dt
from collections import Counter
import statements as S
import engine as E

def check(name, seed, n):
    t0 = time.time(); d, t, c = S.generate(name, seed, n); el = time.time() - t0
    if n <= 5000: assert json.dumps(S.generate(name, seed, n)[:2]) == json.dumps((d, t)), "not the same twice"
    bank, book = d["bank"], d["book"]
    assert len(bank) == t["n_bank"] == len(t["bank_kind"]) == n and len(book) == t["n_book"] == len(t["book_kind"])
    assert set(d) == {"bank", "book", "options"} and set(t) == {"n_bank", "n_book", "pairs", "groups", "bank_kind", "book_kind"}
    for rows in (bank, book):
        for r in rows:
            assert set(r) == {"date", "amount", "description"}
            dt.date.fromisoformat(r["date"]); assert r["amount"] != 0 and round(r["amount"], 2) == r["amount"]
            assert r["description"] and r["description"] == r["description"].strip() and "  " not in r["description"] and not re.search(r"[{}\[\]]", r["description"]), r
        assert all(a["date"] <= b["date"] for a, b in zip(rows, rows[1:]))
    p = lambda r: round(r["amount"] * 100)
    ub, uk = set(), set()
    def use(s, i):
        assert type(i) is int and i >= 0 and i not in s; s.add(i)
    gap = lambda i, j: abs((dt.date.fromisoformat(bank[i]["date"]) - dt.date.fromisoformat(book[j]["date"])).days)
    for i, j, k in t["pairs"]:
        use(ub, i); use(uk, j); assert p(bank[i]) == p(book[j]); assert t["bank_kind"][i] == k
    npair = len(ub); far = tot = 0
    for side, i, js in t["groups"]:
        one, other, uo, ut = (bank, book, ub, uk) if side == "bank" else (book, bank, uk, ub)
        assert side in ("bank", "book") and len(js) >= 2
        use(uo, i)
        for j in js:
            use(ut, j); tot += 1; far += (gap(i, j) if side == "bank" else gap(j, i)) > 3
        assert p(one[i]) == sum(p(other[j]) for j in js), (side, i, js)
    off = sum(gap(i, j) > 3 for i, j, _ in t["pairs"]) / len(t["pairs"])
    # equal amounts in both files near each other that are nobody's pair and both unused
    free = Counter(p(bank[i]) for i in range(n) if i not in ub)
    stray = sum(1 for i in range(n) if i not in ub for j in range(len(book)) if j not in uk and p(book[j]) == p(bank[i]) and gap(i, j) <= 40) if n <= 5000 else -1
    P, G = npair / n, (len(ub) - npair) / n
    print(f"{name:22s} n={n:5d} book={len(book):5d} pairs {P:.1%} groups {G:.1%} ({len(t['groups'])}) far pairs {off:.1%} far parts {far/max(1,tot):.1%} open book {1-len(uk)/len(book):.1%} unsettled {c.unsettled} stray {stray} {el:.1f}s")
    bad = []
    if not .79 <= P <= .885: bad.append("pair share")
    if not .05 <= G <= .125: bad.append("group share")
    if not .08 <= off <= .22: bad.append("far pairs")
    if not .03 <= far / max(1, tot) <= .35: bad.append("far parts")
    if c.unsettled or stray > 0: bad.append("not told apart")
    if os.environ.get("V"): print("  ", dict(Counter(t["bank_kind"]).most_common())); print("  ", dict(Counter(t["book_kind"]).most_common()))
    return [f"{name} {n}: {x}" for x in bad]

if __name__ == "__main__":
    bad = []
    for n in [int(x) for x in sys.argv[1:]] or [500, 5000]:
        for name in S.COMPANIES: bad += check(name, int(os.environ.get("SEED", 71)), n)
    print("all well" if not bad else "OUT OF RANGE: " + "; ".join(bad)); sys.exit(bool(bad))
