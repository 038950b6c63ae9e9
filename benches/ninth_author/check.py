#!/usr/bin/env python3
"""Generate every company at the sizes given (default 500 5000), twice, and test the promises. SEED=n, V=1 prints kinds."""
import collections
import datetime
import filecmp
import json
import os
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
sizes = [int(x) for x in sys.argv[1:]] or [500, 5000]
seed = os.environ.get("SEED", "71")
tool = [sys.executable, os.path.join(here, "statements.py")]
names = subprocess.check_output(tool + ["--list"], text=True).split()
assert len(names) == 4
pence = lambda x: round(x["amount"] * 100)
date = lambda x: datetime.date.fromisoformat(x["date"])
for name in names:
    for n in sizes:
        with tempfile.TemporaryDirectory(dir=here) as tmp:
            t0 = time.time()
            for hs, b in (("1", "a"), ("2", "b")):
                subprocess.check_call(tool + ["--company", name, "--seed", seed, "--n", str(n), "--out", os.path.join(tmp, b)], env=dict(os.environ, PYTHONHASHSEED=hs))
            took = (time.time() - t0) / 2
            for e in (".json", ".truth.json"):
                assert filecmp.cmp(os.path.join(tmp, "a" + e), os.path.join(tmp, "b" + e), False), "not deterministic"
            d = json.load(open(os.path.join(tmp, "a.json"), encoding="utf-8"))
            t = json.load(open(os.path.join(tmp, "a.truth.json"), encoding="utf-8"))
        bank, book = d["bank"], d["book"]
        assert list(d) == ["bank", "book", "options"] and len(bank) == n == t["n_bank"] == len(t["bank_kind"])
        assert len(book) == t["n_book"] == len(t["book_kind"])
        for rows in (bank, book):
            ds = [date(x) for x in rows]
            assert ds == sorted(ds)
            for x in rows:
                assert list(x) == ["date", "amount", "description"] and x["amount"] and x["description"].strip() and abs(x["amount"] * 100 - pence(x)) < 1e-5
                assert "\n" not in x["description"] and "None" not in x["description"] and "{" not in x["description"]
        ub, uk = set(), set()

        def use(s, i, m):
            assert 0 <= i < m and i not in s, "row twice"
            s.add(i)
        far = 0
        for i, j, kind in t["pairs"]:
            use(ub, i, n)
            use(uk, j, len(book))
            assert pence(bank[i]) == pence(book[j])
            assert kind == t["bank_kind"][i] == t["book_kind"][j], (kind, t["bank_kind"][i], t["book_kind"][j])
            far += abs((date(bank[i]) - date(book[j])).days) > d["options"]["allowedDateDifferenceInDays"]
        np = len(ub)
        gb = gk = 0
        for side, s, parts in t["groups"]:
            one, many, u1, u2 = (bank, book, ub, uk) if side == "bank" else (book, bank, uk, ub)
            assert len(parts) > 1
            use(u1, s, len(one))
            for q in parts:
                use(u2, q, len(many))
            assert pence(one[s]) == sum(pence(many[q]) for q in parts)
            gb, gk = gb + (side == "bank"), gk + (side == "book")
        for i, j in t["wrong_amounts"]:
            assert i not in ub and j not in uk and pence(bank[i]) != pence(book[j])
        for side, s, parts in t["broken_groups"]:
            assert s not in ub and not set(parts) & uk
        eq = collections.Counter(pence(x) for x in bank)
        print("%-16s %6d rows %5.1fs book %6d  %s..%s  bank: pairs %.1f%% in groups %.1f%% alone %.1f%%  book alone %.1f%%  groups %d/%d  pairs out of window %.1f%%  plain %.0f%%  amount recurs %.0f%%" % (
            name, n, took, len(book), bank[0]["date"], bank[-1]["date"], 100 * np / n, 100 * (len(ub) - np) / n, 100 - 100 * len(ub) / n,
            100 - 100 * len(uk) / len(book), gb, gk, 100 * far / max(1, np), 100 * sum(k == "plain" for *_, k in t["pairs"]) / max(1, np),
            100 * sum(c for c in eq.values() if c > 1) / n))
        if os.environ.get("V"):
            print("   bank", dict(collections.Counter(t["bank_kind"]).most_common()))
            print("   book", dict(collections.Counter(t["book_kind"]).most_common()))
print("all good")
