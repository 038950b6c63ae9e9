"""Generates every organisation twice and looks whether the files are what the README says.

    python3 check.py [SIZES]        sizes 500 and 5000 unless given; SEED=n chooses the seed, V=1 prints the kinds
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from datetime import date

import statements
from assemble import alike

HERE = os.path.dirname(os.path.abspath(__file__))
# share: lowest and highest allowed
LIMITS = {"pairs": (.82, .88), "groups": (.03, .08), "far": (.05, .12), "arbitrary": (0, .01)}
LOOSE = {"pairs": (.80, .90), "groups": (.02, .10), "far": (.03, .15), "arbitrary": (0, .02)}      # below 500 rows


def tokens(text):
    return set(re.findall(r"[a-z]+|\d+", text.lower()))


def score(a, b):
    """How far two texts agree; a name or a long number counts for three."""
    return sum((3 if len(x) > 3 else 1) for x in a if any(alike(x, y) for y in b))


def arbitrary(bank, book, pairs, groups):
    """Rows for which an exchange with a row of the same amount would be exactly as good in words and dates; and those for which it
    would be better (a wrong date, a bare text). Returns two sets of bank rows."""
    mate_of_bank = {i: j for i, j, _ in pairs}
    mate_of_book = {j: i for i, j, _ in pairs}
    group_of = {}
    for g, (side, one, several) in enumerate(groups):
        other = "book" if side == "bank" else "bank"
        group_of[side, one] = g
        for x in several:
            group_of[other, x] = g
    at = {"bank": {}, "book": {}}
    words = {}
    for side, rows in (("bank", bank), ("book", book)):
        for i, r in enumerate(rows):
            at[side].setdefault(round(r["amount"] * 100), []).append(i)
            words[side, i] = tokens(r["description"])
    day = {(s, i): date.fromisoformat(r["date"]).toordinal() for s, rows in (("bank", bank), ("book", book)) for i, r in enumerate(rows)}
    seen = {}

    def fit(i, j):
        if (i, j) not in seen:
            seen[i, j] = score(words["bank", i], words["book", j]), abs(day["bank", i] - day["book", j])
        return seen[i, j]

    equal, better = set(), set()
    for i, j, _ in pairs:
        s, d = fit(i, j)
        cents = round(bank[i]["amount"] * 100)
        for j2 in at["book"][cents]:
            if j2 == j or abs(day["book", j2] - day["bank", i]) > 12:
                continue
            i2 = mate_of_book.get(j2)
            s2, d2 = fit(i, j2)
            if i2 is not None:
                a, b = fit(i2, j2)
                c, e = fit(i2, j)
                if e > 12:
                    continue
                old, new = (s + a, -d - b), (s2 + c, -d2 - e)
            else:
                old, new = (s, -d), (s2, -d2)
            if new == old:
                equal.add(i)
            elif new > old:
                better.add(i)
        for i2 in at["bank"][cents]:
            if i2 != i and i2 not in mate_of_bank and abs(day["bank", i2] - day["book", j]) <= 12:
                s2, d2 = fit(i2, j)
                if (s2, -d2) == (s, -d):
                    equal.add(i)
                elif (s2, -d2) > (s, -d):
                    better.add(i)
    # a part of a group with a row outside the group that is the same in everything
    for (side, x), g in group_of.items():
        rows = bank if side == "bank" else book
        for y in at[side][round(rows[x]["amount"] * 100)]:
            if y != x and group_of.get((side, y)) != g and rows[y]["date"] == rows[x]["date"] and rows[y]["description"] == rows[x]["description"]:
                equal.add(x if side == "bank" else groups[g][1] if groups[g][0] == "bank" else groups[g][2][0])
    return equal, better - equal


def check(name, seed, n):
    data, truth = statements.as_files(name, seed, n)
    wrong = []
    with tempfile.TemporaryDirectory() as place:
        base = os.path.join(place, "x")
        again = dict(os.environ, PYTHONHASHSEED=str(seed % 1000 + 7))
        subprocess.run([sys.executable, os.path.join(HERE, "statements.py"), "--company", name, "--seed", str(seed), "--n", str(n), "--out", base], check=True, env=again)
        for ending, text in ((".json", data), (".truth.json", truth)):
            with open(base + ending, encoding="utf-8") as f:
                if f.read() != text:
                    wrong.append("not the same bytes: " + ending)
    d, t = json.loads(data), json.loads(truth)
    bank, book, pairs, groups = d["bank"], d["book"], t["pairs"], t["groups"]
    if not (t["n_bank"] == len(bank) == len(t["bank_kind"]) == n and t["n_book"] == len(book) == len(t["book_kind"])):
        wrong.append("counts")
    for rows in (bank, book):
        if any(a["date"] > b["date"] for a, b in zip(rows, rows[1:])):
            wrong.append("not in order of date")
        if any(not r["description"].strip() or not r["amount"] or set(r) != {"date", "amount", "description"} for r in rows):
            wrong.append("empty text or amount")
    used = Counter()
    cents = {"bank": [round(r["amount"] * 100) for r in bank], "book": [round(r["amount"] * 100) for r in book]}
    far = 0
    for i, j, kind in pairs:
        if not (0 <= i < len(bank) and 0 <= j < len(book)):
            wrong.append("index")
            continue
        used["bank", i] += 1
        used["book", j] += 1
        if cents["bank"][i] != cents["book"][j]:
            wrong.append("pair %d %d: amounts differ" % (i, j))
        if t["bank_kind"][i] != kind or t["book_kind"][j] != kind:
            wrong.append("pair %d %d: kinds differ" % (i, j))
        far += abs((date.fromisoformat(bank[i]["date"]) - date.fromisoformat(book[j]["date"])).days) > 3
    in_groups = 0
    for side, one, several in groups:
        other = "book" if side == "bank" else "bank"
        if len(several) < 2 or cents[side][one] != sum(cents[other][x] for x in several):
            wrong.append("group %s %d: sum" % (side, one))
        used[side, one] += 1
        for x in several:
            used[other, x] += 1
        in_groups += 1 if side == "bank" else len(several)
    if any(v > 1 for v in used.values()):
        wrong.append("a row used twice")
    if any((side, i) not in used and k is None for side in ("bank", "book") for i, k in enumerate(t[side + "_kind"])):
        wrong.append("a row without a kind")
    equal, better = arbitrary(bank, book, pairs, groups)
    shares = {"pairs": len(pairs) / n, "groups": in_groups / n, "far": far / max(1, len(pairs)), "arbitrary": len(equal) / n}
    for what, (low, high) in (LIMITS if n >= 500 else LOOSE).items():
        if not low <= shares[what] <= high:
            wrong.append("%s %.3f" % (what, shares[what]))
    print("%-24s %6d  %s to %s  book %6d  pairs %.3f  groups %.3f  farther than 3 days %.3f  arbitrary %.4f  misleading %.4f  %s" % (
        name, n, bank[0]["date"], bank[-1]["date"], len(book), shares["pairs"], shares["groups"], shares["far"], shares["arbitrary"], len(better) / n, "; ".join(wrong[:4]) or "ok"))
    if os.environ.get("V") in ("1", "2"):
        print("   bank", dict(Counter(t["bank_kind"]).most_common()))
        print("   book", dict(Counter(t["book_kind"]).most_common()))
    if os.environ.get("V") == "2":
        for title, found in (("arbitrary", equal), ("misleading", better)):
            mate = {i: j for i, j, _ in pairs}
            for i in sorted(found)[:25]:
                print("     ", title, bank[i], book[mate[i]] if i in mate else "")
    return wrong


def main():
    seed = int(os.environ.get("SEED", "1"))
    bad = 0
    for name in statements.COMPANIES:
        for n in [int(x) for x in sys.argv[1:]] or [500, 5000]:
            bad += bool(check(name, seed, n))
    print("all is well" if not bad else "%d of the runs are not as they should be" % bad)
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
