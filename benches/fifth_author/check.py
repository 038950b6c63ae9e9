#!/usr/bin/env python3
"""Own check: pairs one to one, equal amounts, groups add up, dates sorted, same seed same files."""
import collections, datetime as dt, hashlib, json, os, subprocess, sys, tempfile
here = os.path.dirname(os.path.abspath(__file__))
S = os.path.join(here, "statements.py")
sizes = [int(x) for x in sys.argv[1:]] or [500, 5000]
SEED = os.environ.get("SEED", "71")
names = subprocess.run([sys.executable, S, "--list"], capture_output=True, text=True, check=True).stdout.split()
p = lambda x: round(x["amount"] * 100)
bad = 0
for n in sizes:
    for c in names:
        with tempfile.TemporaryDirectory() as t:
            h = []
            for i, hs in enumerate(("1", "2")):
                b = f"{t}/{i}"
                subprocess.run([sys.executable, S, "--company", c, "--seed", SEED, "--n", str(n), "--out", b], check=True, env=dict(os.environ, PYTHONHASHSEED=hs))
                h.append([hashlib.sha256(open(b + e, "rb").read()).hexdigest() for e in (".json", ".truth.json")])
            D, T = json.load(open(f"{t}/0.json")), json.load(open(f"{t}/0.truth.json"))
        B, K = D["bank"], D["book"]
        err = []
        def need(ok, what):
            if not ok: err.append(what)
        need(h[0] == h[1], "not deterministic")
        need(len(B) == n == T["n_bank"] == len(T["bank_kind"]), f"bank rows {len(B)}")
        need(len(K) == T["n_book"] == len(T["book_kind"]), "book rows")
        ub, uk = [x[0] for x in T["pairs"]], [x[1] for x in T["pairs"]]
        for s, a, l in T["groups"]:
            one, many = (B, K) if s == "bank" else (K, B)
            need(s in ("bank", "book") and len(l) >= 2, "group form")
            need(p(one[a]) == sum(p(many[x]) for x in l), f"group sum {s} {a}")
            (ub if s == "bank" else uk).append(a)
            (uk if s == "bank" else ub).extend(l)
        need(len(set(ub)) == len(ub) and len(set(uk)) == len(uk), "row used twice")
        need(all(p(B[b]) == p(K[k]) for b, k, _ in T["pairs"]), "pair amounts")
        for X in (B, K):
            need([x["date"] for x in X] == sorted(x["date"] for x in X), "dates not sorted")
            need(all(set(x) == {"date", "amount", "description"} and x["amount"] and x["description"].strip() and dt.date.fromisoformat(x["date"]) for x in X), "row form")
            need(all(abs(x["amount"] * 100 - round(x["amount"] * 100)) < 1e-6 for x in X), "pence")
        gap = [abs((dt.date.fromisoformat(B[b]["date"]) - dt.date.fromisoformat(K[k]["date"])).days) for b, k, _ in T["pairs"]]
        sh = len(T["pairs"]) / n
        need(.75 <= sh <= .88, f"share {sh:.3f}")
        gs = collections.Counter(g[0] for g in T["groups"])
        print(f"{c:24} n={n} book={len(K)} pairs={len(gap)} ({sh:.1%}) beyond3={sum(x > 3 for x in gap)} ({sum(x > 3 for x in gap) / len(gap):.1%}) groups bank={gs['bank']} book={gs['book']} "
              f"{B[0]['date']}..{B[-1]['date']} {'OK' if not err else 'BAD ' + '; '.join(sorted(set(err))[:5])}")
        if os.environ.get("V"):
            print("   ", dict(collections.Counter(T["bank_kind"])), "\n   ", dict(collections.Counter(T["book_kind"])))
        bad += bool(err)
sys.exit(bad > 0)
