#!/usr/bin/env python3
"""Bank statements and cash books with the truth of what belongs together. See README.md."""
import argparse
import core
import orgs


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--list", action="store_true")
    ap.add_argument("--company")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--n", type=int, default=500)
    ap.add_argument("--out")
    a = ap.parse_args()
    if a.list:
        for name in orgs.ALL:
            print(name)
        return
    if a.company not in orgs.ALL or not a.out or a.n < 1:
        ap.error("need --company (one of %s), --out BASE and --n above 0" % ", ".join(orgs.ALL))
    core.write(a.out, *orgs.ALL[a.company](a.seed, a.n).run())


if __name__ == "__main__":
    main()
