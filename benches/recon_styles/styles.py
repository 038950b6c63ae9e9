#!/usr/bin/env python3
"""Bank statements and the books that belong to them, in ten styles, with the true pairs and the true groups.

    python3 styles.py --seed 1 --rows 500 --style retainers --out /tmp/retainers [--window 3]

Writes PATH.json (bank, book, options) and PATH.truth.json (`pairs` of bank and book index, `groups` of
`{"dataset", "row", "other_rows"}`: one row of the dataset is the sum of the other side's rows). Standard library only; the
same arguments give the same files. All names are made of syllables; the shares are the author's judgement.
"""
import argparse
import datetime as dt
import json
import random

ONSET = "b br c ch cl d dr f fl g gr h j k l m n p pr r s sh st t tr v w".split()
VOWEL = "a e i o u ai ea oo ou".split()
CODA = "n r l m ck nd rt st ll th x ng sh p t d".split()
FIRST = "Anna Ben Cara Dev Ellie Frank Gita Hugo Ines Jack Kit Lena Mo Nora Omar Pia Quinn Rosa Sam Tess Uma Vic".split()
FORMS = ["Ltd", "Ltd", "Limited", "LLP", "plc", "& Sons", "Group", "", ""]
TRADES = """Building Supplies|Joinery|Care|Catering|Coaches|Consulting|Couriers|Dairy|Design|Electrical|Engineering|Fencing
Foods|Garden Services|Glass|Heating|Holdings|Print|Properties|Roofing|School|Signs|Software|Solutions|Storage|Stores|Training
Transport|Trust|Windows""".replace("\n", "|").split("|")
TOWNS = ["Ashby", "Barnford", "Coldwell", "Dunsea", "Eastmoor", "Fenwick", "Gorton", "Hexby", "Inverdale", "Kelby"]
NATURE = ["Materials", "Travel", "Stationery", "Repairs", "Office costs", "Subsistence", "Postage", "Sundries", "Equipment",
          "Refreshments", "Cleaning", "Advertising", "Software", "Phone", "Training"]
VAGUE = ["Payment", "Receipt", "Sundry", "Misc", "To be checked", "Bank transfer", "Expenses", "Card purchase"]


class Payee:
    def __init__(self, r, person=False):
        self.r = r
        word = lambda n: "".join(r.choice(ONSET) + r.choice(VOWEL) for _ in range(n)) + r.choice(CODA)
        self.person = person
        if person:
            self.first, self.last = r.choice(FIRST), word(r.choice([1, 1, 2])).title()
            self.name = f"{self.first} {self.last}"
        else:
            self.last = word(r.choice([1, 1, 2])).title()
            second = word(1).title() + " " if r.random() < .35 else ""
            self.name = f"{self.last} {second}{r.choice(TRADES)} {r.choice(FORMS)}".strip()
        self.nature = r.choice(NATURE)
        # A bookkeeper keeps to one wording for one payee, mostly.
        self.wording = r.random()
        self.account = r.randrange(1000, 99999)

    def at_bank(self, cut):
        if self.person:
            name = self.r.choice([f"{self.first} {self.last}", f"{self.last} {self.first[0]}", f"{self.first[0]} {self.last}",
                                  f"MR {self.first[0]} {self.last}"])
        else:
            name = self.name.replace("Limited", "Ltd") if self.r.random() < .5 else self.name
        return name.upper()[:cut].strip()

    def in_books(self, share):
        """The payee's wording: its name, a part of it, or what it was for."""
        if self.wording > share:
            return self.nature
        if self.wording < share * .6:
            return self.name
        return self.name.split()[0] if not self.person else self.last


class Style:
    """One business: what kinds of rows it has, and how both sides word them."""

    def __init__(self, seed, rows, style, window):
        self.r = random.Random(f"{style}/{seed}/{rows}")
        self.window, self.rows, self.style = window, rows, style
        self.p = STYLES[style]
        self.days = max(60, min(1460, int(rows / self.p["per_day"])))
        self.start = dt.date(2024, 2, 5).toordinal()
        self.bank, self.book, self.pairs, self.groups = [], [], [], []
        r, p = self.r, self.p
        many = max(p["payees"][0], int(rows * p["payees"][1]))
        self.payees = [Payee(r, r.random() < p["people"]) for _ in range(many)]
        self.weights = [1 / (i + 1) ** p["skew"] for i in range(many)]
        self.prices = [r.choice([500, 750, 1000, 1200, 1995, 2500, 3000, 4500, 4999, 6000, 12000, 15000, 25000, 45000, 60000])
                       for _ in range(p["prices"])]

    def amount(self):
        r, p = self.r, self.p
        if r.random() < p["fixed"]:
            return r.choice(self.prices)
        pence = int(r.lognormvariate(p["mu"], p["sigma"]) * 100)
        kind = r.random()
        if kind < p["round"]:
            pence = max(500, pence // 500 * 500)
        elif kind < p["round"] + .1:
            pence = pence // 100 * 100 + 99
        return max(pence, 50)

    def lag(self):
        r, lags = self.r, self.p["lags"]
        return r.choices(list(lags), list(lags.values()))[0]

    def day(self):
        return self.start + self.r.randrange(self.days)

    def bank_text(self, payee, number):
        r, p = self.r, self.p
        text = payee.at_bank(p["cut"])
        form = r.random()
        if form < p["bank_number"]:
            text += r.choice([f" {number}", f" INV{number}", f" REF {number}"])
        elif form < p["bank_number"] + p["noise"]:
            text += r.choice([f" {r.choice(TOWNS).upper()}", f" {r.randrange(10**5):05}", " GB", f" {payee.account}"])
        if r.random() < p["prefix"]:
            text = r.choice(["CARD PAYMENT TO ", "FPI ", "BACS ", "DD ", "FASTER PAYMENT "]) + text
        return text

    def book_text(self, payee, number):
        r, p = self.r, self.p
        if r.random() < p["vague"]:
            return r.choice(VAGUE)
        text = payee.in_books(p["share"])
        if r.random() < p["book_number"]:
            text += r.choice([f" inv {number}", f" {number}", f" #{number}"])
        elif r.random() < .15:
            text += r.choice([" - " + payee.nature.lower(), " paid", " " + r.choice(TOWNS)])
        if r.random() < .02 and len(text) > 6:
            at = r.randrange(1, len(text) - 2)
            text = text[:at] + text[at + 1] + text[at] + text[at + 2:]
        return text

    def one(self, payee, sign):
        r, p = self.r, self.p
        pence, day, number = sign * self.amount(), self.day(), r.randrange(1000, 99999)
        if r.random() < p["miss"]:
            self.bank.append((day + self.lag(), pence, self.bank_text(payee, number)))
            return
        if r.random() < p["extra"]:
            self.book.append((day, pence, self.book_text(payee, number)))
            return
        booked = pence
        if r.random() < .01:
            booked = r.choice([-pence, pence * 10, pence + 100, pence - 1])
        self.bank.append((day + self.lag(), pence, self.bank_text(payee, number)))
        self.book.append((day, booked, self.book_text(payee, number)))
        self.pairs.append((len(self.bank) - 1, len(self.book) - 1))

    def several(self, payee, sign):
        """One row of one side for two to a dozen rows of the other."""
        r = self.r
        count = 2 + min(int(r.expovariate(.6)), 12)
        day, number = self.day(), r.randrange(1000, 99999)
        whole_in_bank = r.random() < self.p["whole_in_bank"]
        same_day = r.random() < .7
        parts = [sign * self.amount() for _ in range(count)]
        if count > 2 and r.random() < .08:
            parts[0] = -abs(parts[0]) // 4 * sign      # A credit note in the run.
        days = [day if same_day else day + r.randrange(0, 2) for _ in parts]
        if sum(parts) == 0:
            return
        if whole_in_bank:
            self.bank.append((day + self.lag(), sum(parts), self.bank_text(payee, number)))
            first = len(self.book)
            for at, pence in zip(days, parts):
                self.book.append((at, pence, self.book_text(payee, r.randrange(1000, 99999))))
            group = ("bank", len(self.bank) - 1, list(range(first, len(self.book))))
        else:
            self.book.append((day, sum(parts), self.book_text(payee, number)))
            first = len(self.bank)
            for at, pence in zip(days, parts):
                self.bank.append((at + min(self.lag(), 2), pence, self.bank_text(payee, r.randrange(1000, 99999))))
            group = ("book", len(self.book) - 1, list(range(first, len(self.bank))))
        self.groups.append(group)

    def make(self):
        r, p = self.r, self.p
        while len(self.bank) < self.rows:
            payee = r.choices(self.payees, self.weights)[0]
            sign = 1 if r.random() < p["income"] else -1
            if r.random() < p["groups"]:
                self.several(payee, sign)
            else:
                self.one(payee, sign)
        sides = []
        for rows in (self.bank, self.book):
            order = sorted(range(len(rows)), key=lambda at: (rows[at][0], r.random()))
            sides.append((order, {old: new for new, old in enumerate(order)}))
        (bank_order, bank_at), (book_order, book_at) = sides
        self.bank, self.book = [self.bank[at] for at in bank_order], [self.book[at] for at in book_order]
        self.pairs = [[bank_at[i], book_at[j], "true"] for i, j in self.pairs]
        self.groups = [{"dataset": side, "row": (bank_at if side == "bank" else book_at)[row],
                        "other_rows": sorted((book_at if side == "bank" else bank_at)[other] for other in others)}
                       for side, row, others in self.groups]
        return self

    def write(self, path):
        rows = lambda side: [{"date": dt.date.fromordinal(day).isoformat(), "amount": pence / 100, "description": text}
                             for day, pence, text in side]
        with open(path + ".json", "w") as out:
            json.dump({"bank": rows(self.bank), "book": rows(self.book),
                       "options": {"allowedDateDifferenceInDays": self.window, "includeMatched": True}}, out)
        with open(path + ".truth.json", "w") as out:
            json.dump({"n_bank": len(self.bank), "n_book": len(self.book), "pairs": self.pairs, "groups": self.groups}, out)


def style(**changes):
    usual = dict(per_day=4, payees=(12, .05), people=.2, skew=.7, prices=8, fixed=.3, mu=4.5, sigma=1.2, round=.2,
                 lags={0: 5, 1: 3, 2: 2, 3: 1}, cut=18, bank_number=.3, noise=.3, prefix=.2, vague=.08, share=.8,
                 book_number=.4, miss=.04, extra=.03, income=.3, groups=0, whole_in_bank=.9)
    return {**usual, **changes}


STYLES = {
    "counter": style(per_day=8, payees=(20, .02), people=.05, fixed=.15, mu=2.8, sigma=.8, share=.5, book_number=.05,
                     bank_number=.05, noise=.6, prefix=.5, income=.05),
    "retainers": style(per_day=3, fixed=.75, prices=6, mu=6.5, round=.5, share=.85, income=.7, skew=.3),
    "orders": style(per_day=10, payees=(40, .4), people=.9, skew=.1, fixed=.85, prices=7, bank_number=.6, book_number=.7, income=.95),
    "trade": style(per_day=6, fixed=.05, mu=5.5, round=.05, share=.97, vague=.01, bank_number=.6, book_number=.8, income=.5, groups=.06),
    "rents": style(per_day=2, payees=(25, .04), people=.85, fixed=.8, prices=9, mu=6.2, round=.8, share=.7, book_number=.1,
                   bank_number=.1, income=.8, skew=.1, lags={-2: 1, -1: 2, 0: 6, 1: 4, 2: 2, 3: 1}),
    "gifts": style(per_day=3, payees=(40, .25), people=.9, fixed=.9, prices=4, share=.75, vague=.25, book_number=.02, bank_number=.1, income=.9),
    "runs": style(per_day=12, payees=(40, .15), people=.03, fixed=.05, mu=6, sigma=1.6, round=.25, share=1.01, vague=0, cut=22,
                  bank_number=.1, noise=.2, prefix=.1, book_number=.9, income=.02, miss=.05, extra=.05, groups=.21, skew=.8,
                  lags={0: 6, 1: 3, 2: 1, 3: 1}),
    "settlements": style(per_day=5, payees=(15, .03), people=.1, fixed=.2, mu=3.5, share=.9, groups=.15, whole_in_bank=.5, income=.6),
    "codes": style(per_day=4, fixed=.3, share=.05, vague=.05, book_number=.02, bank_number=.05),
    "careless": style(per_day=4, vague=.3, share=.6, miss=.08, extra=.08, book_number=.15, lags={0: 3, 1: 3, 2: 3, 3: 3, 5: 1, -1: 1}),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--window", type=int, default=3)
    parser.add_argument("--style", choices=sorted(STYLES), required=True)
    parser.add_argument("--out", required=True)
    asked = parser.parse_args()
    Style(asked.seed, asked.rows, asked.style, asked.window).make().write(asked.out)


if __name__ == "__main__":
    main()
