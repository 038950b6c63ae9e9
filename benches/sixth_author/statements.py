"""Bank statements and cash books of six invented organisations, with the truth of what belongs to what.

    python3 statements.py --list
    python3 statements.py --company NAME --seed N --n ROWS --out BASE
"""
import argparse
import importlib
import json
import math
import random
from datetime import date, timedelta

from assemble import Short, assemble
from deals import World

COMPANIES = {
    "quay_marlow_lettings": "lettings",
    "oakhanger_merchants": "merchants",
    "pebblegate_dental": "dental",
    "lantern_trust_shops": "charity",
    "ravelin_language_school": "language",
    "redshank_haulage": "haulage",
}


def years_for(n):
    """500 rows: half a year; 5,000: three years; 50,000: ten years; between them by the logarithm."""
    if n <= 500:
        return max(.08, n / 1000)
    points = [(500, .5), (5000, 3.0), (50000, 10.0)]
    for (a, x), (b, y) in zip(points, points[1:]):
        if n <= b:
            break
    t = math.log(n / a) / math.log(b / a)
    return math.exp(math.log(x) + t * (math.log(y) - math.log(x)))


def generate(name, seed, n):
    module = importlib.import_module(COMPANIES[name])
    years = years_for(n)
    scale = n / years / module.ROWS_PER_YEAR
    if n > 5000:
        scale *= module.LONG ** min(1.0, math.log10(n / 5000))
    for attempt in range(12):
        rng = random.Random("sixth|%s|%d|%d" % (name, seed, n))
        last = 2024 - math.ceil(years)
        start = date(rng.randrange(min(2010, last - 1), last + 1), rng.randrange(1, 13), 1) + timedelta(days=rng.randrange(0, 28))
        end = start + timedelta(days=int(years * 365 * (1.12 + .2 * attempt)) + 25)
        world = World(rng, start, end, scale)
        module.run(world)
        try:
            return assemble(world.deals, module.BANK(rng), module.clerk(rng), start, n, rng)
        except Short:
            pass
    raise SystemExit("too few deals for %d rows" % n)


def as_files(name, seed, n):
    bank, book, pairs, groups = generate(name, seed, n)

    def rows(side):
        return [{"date": r.date.isoformat(), "amount": r.amount / 100, "description": r.text} for r in side]

    data = {"bank": rows(bank), "book": rows(book), "options": {"allowedDateDifferenceInDays": 3, "includeMatched": True}}
    truth = {"n_bank": len(bank), "n_book": len(book),
             "pairs": sorted([b.index, k.index, k.kind] for b, k in pairs),
             "groups": sorted([side, one.index, sorted(x.index for x in several)] for side, one, several in groups),
             "bank_kind": [r.kind for r in bank], "book_kind": [r.kind for r in book]}
    return json.dumps(data), json.dumps(truth)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--list", action="store_true", help="print the names of the organisations")
    p.add_argument("--company", choices=sorted(COMPANIES))
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--n", type=int, default=500, help="number of bank rows")
    p.add_argument("--out", help="writes OUT.json and OUT.truth.json")
    a = p.parse_args()
    if a.list:
        print("\n".join(COMPANIES))
        return
    if not a.company or not a.out:
        p.error("--company and --out are needed")
    data, truth = as_files(a.company, a.seed, a.n)
    with open(a.out + ".json", "w", encoding="utf-8") as f:
        f.write(data)
    with open(a.out + ".truth.json", "w", encoding="utf-8") as f:
        f.write(truth)


if __name__ == "__main__":
    main()
