"""Generator of bank statements and cash books: see README.md."""
import argparse
import json
import sys
from firms import COMPANIES


def build(company, seed, n):
    return COMPANIES[company](company, seed, n).run()


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--list", action="store_true")
    a.add_argument("--company", choices=sorted(COMPANIES))
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--n", type=int, default=500)
    a.add_argument("--out")
    o = a.parse_args()
    if o.list:
        print("\n".join(COMPANIES))
        return
    if not o.company or not o.out:
        a.error("--company and --out are needed")
    if o.n < 1:
        a.error("--n must be at least 1")
    data, truth = build(o.company, o.seed, o.n)
    for name, x in ((".json", data), (".truth.json", truth)):
        with open(o.out + name, "w", encoding="utf-8") as f:
            f.write(json.dumps(x))


if __name__ == "__main__":
    sys.exit(main())
