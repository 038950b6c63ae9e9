"""The five organisations: who pays them, whom they pay, and how their clerks write."""
import datetime as D
import banks
from ledger import Sim
from people import MON, TOWN, blank, company, coin, keyset, ledger_code, person


def named(r, name, code="", mand=None, habit="none"):
    p = company(r, ("x",), name=name, code=code)
    p.habit = habit
    if mand:
        p.mand = mand
    return p


def season(d, peak, depth):
    import math
    return 1 + depth * math.cos((D.date.fromordinal(d).timetuple().tm_yday - peak) / 365.25 * 2 * math.pi)


class Firm(Sim):
    """Things every office has."""
    def common(self, purchases, rent, extras=()):
        r, s = self.r, self.s
        self.payroll = named(r, "Wages")
        self.payroll.num = str(r.randrange(1000, 9999))
        own = named(r, "Reserve", mand=str(r.randrange(10 ** 7, 10 ** 8)))
        self.hmrc = named(r, "HMRC " + "Cumbernauld", mand=f"{r.randrange(100, 999)}PX00{r.randrange(100000, 999999)}")
        self.vat = named(r, "HMRC VAT", mand=str(r.randrange(10 ** 8, 10 ** 9)))
        self.bankp = named(r, "Bank")
        self.council = named(r, r.choice(TOWN) + " District Council", mand=str(r.randrange(10 ** 7, 10 ** 8)))
        f = self.fix
        f("rent", "so", company(r, ("Estates", "Properties", "Land Co")), -rent, 1)
        f("rates", "dd", self.council, -int(rent * r.uniform(.25, .4)), 15, (4, 5, 6, 7, 8, 9, 10, 11, 12, 1))
        f("phone", "dd", company(r, ("Telecom", "Communications", "Broadband")), -r.randrange(3800, 14000), 18, None, "", 0.05 if r.random() < .6 else 0)
        f("power", "dd", company(r, ("Energy", "Power", "Gas & Electric")), -r.randrange(9000, 48000), 9, None, "", 0.25)
        f("water", "dd", company(r, ("Water", "Water Business")), -r.randrange(2500, 9000), 22, (1, 4, 7, 10), "", 0.1)
        f("insurance", "dd", company(r, ("Insurance", "Mutual", "Underwriting")), -r.randrange(6000, 34000), 5)
        f("software", "dd", company(r, ("Cloud", "Accounts Online", "Software")), -r.choice((2400, 3000, 3600, 4200)), 12)
        f("software", "card", company(r, ("Online", "Apps")), -r.choice((999, 1199, 1499)), 20)
        f("charges", "chg", self.bankp, -r.randrange(500, 3900), 3, None, "", 0.5)
        f("interest", "int", self.bankp, r.randrange(40, 900), 28, (3, 6, 9, 12), "", 0.4)
        f("xfer", "xfer", own, -r.choice((100000, 200000, 250000, 500000)), 27)
        f("xfer", "xfer", own, r.choice((100000, 300000)), 16)
        f("pension", "dd", company(r, ("Pensions", "Workplace Pension")), -r.randrange(14000, 60000), 24, None, "", 0.12)
        f("paye", "fpo", self.hmrc, -r.randrange(60000, 240000), 19, None, "", 0.15)
        self.shops = [company(r, purchases) for _ in range(int(5 + 3 * s))]
        self.fuel = [company(r, ("Service Station", "Fuels")) for _ in range(1 + int(s / 2))]
        self.pools.append(self.shops)
        for p in self.shops:
            p.price = self.money(400, 16000)
        self.lastfixed = 0

    def shopping(self, d, rate):
        r = self.r
        for _ in range(self.poisson(rate)):
            if r.random() < 0.3:
                p, w = r.choice(self.fuel), "fuel"
                a = r.choice((2000, 3000, 4000, 5000)) if r.random() < .35 else r.randrange(2200, 8200)
            else:
                p, w = r.choice(self.shops), "shop"
                a = p.price if r.random() < .3 else self.money(250, 19000)
            b = self.cal.add(d, r.choice((0, 1, 1, 2, 3)))
            self.pair("card", w, p, -a, d, b)
            if r.random() < 0.02:
                self.pair("card", "refund", p, a, d + 4, self.cal.add(d + 4, 1))

    def loose(self, d, rate, pool, what="other"):
        """Entries that never met the bank, and receipts nobody could place."""
        r = self.r
        if r.random() < rate * 0.9:
            p = r.choice(pool)
            k = r.random()
            a = p.price or self.money(2000, 60000)
            if k < .4:
                self.book_only("never_paid", "fpi", what, p, a + r.choice((0, 0, 1000, 250)), d, self.docno(d, self.perday), "")
            elif k < .6:
                self.book_only("paid_in_cash", "fpi", what, p, a, d, self.docno(d, self.perday), "")
            elif k < .8:
                self.book_only("cheque_not_presented", "chq", "supplier", r.choice(self.suppliers), -self.money(3000, 60000), d, self.cheque(), "")
            else:
                self.book_only("other_account", "fpo", "shop", r.choice(self.shops), -self.money(500, 15000), d, "", "")
        if r.random() < rate * 0.5:
            p = person(r, 0, ("junk", "none"))
            self.bank_only("unknown_receipt", "fpi", "other", p, self.money(1000, 40000), d)
        if r.random() < rate * 0.22:
            p = r.choice(pool)
            a = p.price or self.money(5000, 50000)
            x = self.bank_only("bounced", "bgc", "other", p, a, d)
            if x:
                y = self.bank_only("returned", "ret", "other", p, -a, self.cal.add(d, 3), force=True)
                x.mate, y.mate = y, x

    def buy(self, d, rate, perday=2.0):
        """Suppliers by faster payment or cheque: one bill, or several in one sum."""
        r = self.r
        for _ in range(self.poisson(rate)):
            p = r.choice(self.suppliers)
            doc = d - r.choice((7, 14, 21, 28, 30, 33))
            if r.random() < 0.3 and self.want(1):
                n = r.choice((2, 2, 2, 3, 3, 4, 5))
                parts = []
                for i in range(n):
                    dd = doc - r.randrange(0, 20)
                    parts.append((-self.money(1500, 70000), p.extra + str(r.randrange(10 ** 3, 10 ** 5)), "supplier", None, dd))
                if n > 2 and r.random() < 0.2:
                    parts[-1] = (int(-parts[0][0] * 0.2), p.extra + "CR" + str(r.randrange(1000, 9999)), "supplier", None, doc)
                if sum(z[0] for z in parts) < 0 and len({z[0] for z in parts}) == n:
                    self.group_bank("fpo", "supplier", p, parts, doc, d)
                continue
            a = -(p.price if r.random() < .25 else self.money(1800, 120000))
            if r.random() < self.m.get("cheques", 0.05):
                self.pair("chq", "supplier", p, a, d, self.cal.add(d, r.choice((4, 5, 7, 9, 16))), self.cheque())
            elif r.random() < 0.04 and self.want(2):
                h = int(a * r.choice((.5, .5, .4, .25)) / 100) * 100
                ref = p.extra + str(r.randrange(10 ** 3, 10 ** 5))
                self.group_book("supplier", p, [("fpo", "supplier", p, h, d, ref, "", doc),
                                                ("fpo", "supplier", p, a - h, self.cal.add(d, r.choice((3, 5, 10, 20))), ref, "", doc)], doc, ref)
            else:
                self.pair("fpo", "supplier", p, a, doc, d, p.extra + str(r.randrange(10 ** 3, 10 ** 5)))

    def make_suppliers(self, n, trades):
        r = self.r
        self.suppliers = [company(r, trades, 0.08, ("ref", "ref", "code", "mixed"), "") for _ in range(n)]
        for p in self.suppliers:
            p.code = ledger_code(r, p.name, self.codes)
            keyset(p)
            p.price = self.money(3000, 50000)
            p.extra = r.choice(("", "", "INV", "SI", "S", "0", "A"))
        self.pools.append(self.suppliers)

    def make_staff(self, n, lo, hi):
        r = self.r
        st = [person(r, 0.03, ("none",)) for _ in range(n)]
        for i, p in enumerate(st):
            p.price = r.randrange(lo, hi)
            if i and r.random() < 0.3:
                p.price = st[i - 1].price
        self.pools.append(st)
        return st

    def renew(self, pool, share, make):
        """Some customers leave, others come."""
        if self.r.random() < share * len(pool):
            pool[self.r.randrange(len(pool))] = make()


OFFICE = {
    "rent": ["Rent {mon}", "{name} rent", "Rent - {sur}"], "rates": ["Rates", "{name} NNDR", "Business rates {mon}"],
    "phone": ["{name}", "Telephone {sur}", "{sur} d/d"], "power": ["{name}", "{sur} electricity", "Heat & light {sur}"],
    "water": ["{name}", "Water rates {sur}"], "insurance": ["{name}", "Insurance {sur} inst."], "software": ["{name}", "{sur} subscription", "Software {sur}"],
    "charges": ["Bank charges", "Bank charges {mon}"], "interest": ["Interest", "Bank interest rec'd"],
    "xfer": ["Transfer reserve a/c", "Trf deposit account", "Tfr"], "pension": ["{name} {mon}", "Pension {sur}"],
    "paye": ["PAYE/NI {mon}", "HMRC month", "HMRC PAYE"], "vat": ["VAT return", "HMRC VAT qtr", "VAT {mon}"],
    "shop": ["{name}", "{sur}", "{name} {d}", "{sur} - sundries"], "fuel": ["Fuel {sur}", "Fuel", "{name} diesel", "{sur} {d}"],
    "refund": ["Refund {name}", "{sur} refund", "Credit {sur}"], "other": ["{name}", "{sur} {ref}"],
}


class Plumbing(Firm):
    """A plumbing and heating merchant: trade accounts, a counter with a card machine, weekly wages. A ledger system."""
    bank = staticmethod(banks.marlbank)
    perday = 7.0
    K = (.86, .9, 1.1)
    clear = "SR {name} {id}"
    bare_in, bare_out = ("Sales receipt", "On account", "BACS receipt", "Receipt on a/c {d}"), ("Purchase payment", "Pay run", "Payment", "PP {d}")
    clerk = {"modes": {"*": [("same", 55), ("next", 35), ("doc", 3)], "dd": [("same", 60), ("mend", 6), ("next", 30)], "card": [("doc", 60), ("same", 40)],
                       "chq": [("doc", 85), ("same", 15)], "bgc": [("same", 60), ("doc", 15), ("next", 25)]},
             "weekday": 4, "late": .04, "early": .025, "bare": .05, "typo": .035, "swap": .015, "wrong": .012, "double": .012, "reverse": .007,
             "absence": 1.4, "stuck": 8, "wages": (.45, .35), "cheques": .12}
    book = dict(OFFICE, **{
        "sale": ["SR {code} {name} {ref}", "SR {code} {ref}", "SR {code} {name}", "SR {code} {sur}", "{code} {ref}", "SR {name} {ref}"],
        "till": ["Card till {note} {d}", "Counter cards {d}", "PDQ {note} {d}", "Card takings {d} {note}"],
        "tillfee": ["PDQ commission {d}", "Card fees {d}"], "amex": ["Amex till {d}", "PDQ credit cards {d}"],
        "bankings": ["Cash banked slip {ref}", "Counter cash {d}", "Banking {ref}"],
        "supplier": ["PP {code} {name} {ref}", "PP {code} {ref}", "PP {code} {name}", "PP {name}", "PP {code} chq {ref}"],
        "ddsup": ["PP {code} {name} {ref}", "{code} d/d {ref}", "PP {code} {sur} {ref} DD"],
        "wage": ["Wages {name}", "Wk {d} {sur}", "Wages {ini} {sur} wk {d}"], "wagerun": ["Net wages wk {d}", "Wages control {d}"],
        "lease": ["Van lease {sur}", "{name} HP", "{sur} van {note}"], "loan": ["Loan {sur}"]})

    def trader(self):
        r = self.r
        k = r.random()
        if k < .55:
            p = company(r, ("Plumbing", "Heating", "Plumbing & Heating", "Bathrooms", "Building Services", "Gas Services", "Maintenance"), .22,
                        ("ref", "ref", "code", "mixed", "name", "junk", "none"))
        elif k < .85:
            p = person(r, .12, ("ref", "name", "mixed", "junk", "none", "code"))
        else:
            p = company(r, ("Homes", "Housing Assoc", "Builders", "Developments", "Lettings"), .03, ("ref", "mixed", "code"))
        p.code = ledger_code(r, p.sur, self.codes)
        keyset(p)
        p.price = r.choice((5000, 10000, 15000, 20000, 25000)) if r.random() < .3 else self.money(2000, 60000)
        p.extra = r.choice(("fpi", "fpi", "fpi", "fpi", "bgc", "chq"))
        return p

    def setup(self):
        r, s = self.r, self.s
        self.common(("Tools", "Stationers", "Hardware", "Couriers", "Motor Factors", "Bakery"), 165000)
        self.trade = [self.trader() for _ in range(int(42 * s ** .85))]
        self.make_suppliers(int(14 + 6 * s), ("Boilers", "Brassware", "Radiators", "Copper Tube", "Valves", "Sanitaryware", "Fixings", "Pipe Systems"))
        self.pools.append(self.trade)
        self.ddsup = self.suppliers[:3 + int(s)]
        self.staff = self.make_staff(int(5 + 2.6 * s), 28000, 52000)
        self.acq = [named(r, "Paylane Merchant", mand=str(r.randrange(10 ** 7, 10 ** 8))) for _ in range(max(1, round(s)))]
        self.branch = r.sample(TOWN, len(self.acq)) if len(self.acq) > 1 else ["counter"]
        for i in range(2 + int(s)):
            self.fix("lease", "dd" if i % 2 else "so", named(r, coin(r) + " Vehicle Leasing"), -r.choice((28950, 31200, 28950, 24500)), 6 + i % 9, None, f"{i + 1}")
        self.fix("loan", "so", named(r, coin(r) + " Commercial Finance"), -84312, 11)
        self.fix("vat", "dd", self.vat, -r.randrange(300000, 1400000), 10, (2, 5, 8, 11), "", .3)

    def one_day(self, d):
        r, s, cal = self.r, self.s, self.cal
        self.do_fixed(d)
        if not cal.work(d):
            return
        wd = (d - 1) % 7
        t = D.date.fromordinal(d)
        f = season(d, 20, .2) * (1.5 if t.day >= 27 or t.day <= 3 else .93)
        for _ in range(self.poisson(1.12 * s * f)):
            self.receipt(d)
        for i, q in enumerate(self.acq):
            if r.random() < .8:
                b = cal.add(d, 1)
                g = self.money(9000, 160000, 1.4) * (2 if wd == 0 else 1)
                fee = int(g * .0142) + r.randrange(0, 40)
                k = r.random()
                br = self.branch[i]
                if k < .35 and self.want(1):
                    parts = [(g, "", "till", q, d), (-fee, "", "tillfee", q, d)]
                    if r.random() < .3:
                        parts.insert(1, (int(g * r.uniform(.1, .4)), "", "amex", q, d))
                    self.group_bank("bgc", "till", q, parts, d, b, br, "takings_less_fee")
                else:
                    self.pair("bgc", "till", q, g, d, b, note=br)
        if r.random() < .24 * min(s, 3):
            a = r.choice((20000, 25000, 30000, 50000)) if r.random() < .25 else r.randrange(6000, 70000)
            self.pair("cash", "bankings", self.payroll, a, d - r.choice((0, 1, 2)), d, self.slip(), self.branch[0])
        self.buy(d, .42 * s)
        self.shopping(d, .42 * s)
        if wd == 4:
            self.wages(d, self.staff, d, "WAGES")
        if t.day <= 7 and wd == 2 or t.day > 14 and t.day <= 21 and wd == 1:
            for p in self.ddsup:
                n = r.choice((1, 2, 3, 4, 5, 6))
                b = cal.add(d, r.choice((0, 1, 2)))
                if n > 1 and self.want(1):
                    am = {-self.money(4000, 160000) for _ in range(n)}
                    self.group_bank("dd", "ddsup", p, [(a, p.extra + str(r.randrange(10000, 99999)), "ddsup", None, d - r.randrange(5, 30)) for a in sorted(am)]
                                    if len(am) > 1 else [(-5000, "A1001", "ddsup", None, d), (-7000, "A1002", "ddsup", None, d)], d, b)
                else:
                    self.pair("dd", "ddsup", p, -self.money(20000, 400000), d - 20, b, p.extra + str(r.randrange(10000, 99999)))
        self.renew(self.trade, .0004, self.trader)
        self.loose(d, .055 * s, self.trade, "sale")

    def receipt(self, d):
        r, cal = self.r, self.cal
        p = r.choice(self.trade)
        doc = d - p.lag - r.choice((0, 7, 14, 28))
        inv = lambda dd: self.docno(dd, self.perday, "SI")
        typ = p.extra if p.extra != "chq" else "cash"
        if typ == "cash":
            k = cal.add(d, 1)
            self.pair("cash", "sale", p, self.money(3000, 90000), d, k, self.slip())
            return
        if r.random() < .34 and self.want(1):
            n = r.choice((2, 2, 2, 3, 3, 3, 4, 5, 6, 7, 8))
            am = [self.money(900, 52000) for _ in range(n)]
            parts = [(a, inv(doc - r.randrange(0, 25)), "sale", None, doc - r.randrange(0, 12)) for a in am]
            if n > 2 and r.random() < .22:
                parts[-1] = (-int(am[0] * .3), self.docno(doc, 7.0, "CN"), "sale", None, doc)
            if r.random() < .1:
                tot = sum(z[0] for z in parts)
                parts.append((-int(tot * .025), "", "sale", None, doc))
                parts = parts[-8:]
            if len({z[0] for z in parts}) == len(parts):
                self.group_bank(typ, "sale", p, parts, doc, d)
            return
        if r.random() < .08 and self.want(2):
            n = r.choice((2, 2, 3, 4))
            h = r.choice((5000, 10000, 20000, 25000))
            am = [h] * (n - 1) + [self.money(1200, 30000)]
            ref, day, rows = inv(doc), d, []
            for a in am:
                rows.append((typ, "sale", p, a, day, ref, "", doc))
                day = cal.add(day + r.choice((3, 6, 9, 13)), 1)
            self.group_book("sale", p, rows, doc, ref, "", None, "instalments")
            return
        a = p.price if r.random() < .3 else self.money(800, 90000)
        self.pair(typ, "sale", p, a, doc, d, inv(doc))


class Golf(Firm):
    """A golf club: subscriptions in equal categories, societies, visitors, a bar. A retired treasurer who comes on Thursdays."""
    bank = staticmethod(banks.old_wharf)
    perday = 1.5
    K = (.8, .87, 1.14)
    clear = "{name} ({id})"
    bare_in, bare_out = ("Subs", "Sundry receipt", "Banked", "Visitors"), ("Chq", "Sundries", "Bill paid", "Course")
    clerk = {"modes": {"*": [("same", 66), ("session", 30), ("next", 4)], "dd": [("same", 75), ("mend", 8), ("session", 10)], "card": [("doc", 80), ("same", 20)],
                       "chq": [("doc", 100)], "bgc": [("same", 75), ("doc", 25)], "soi": [("same", 82), ("doc", 18)]},
             "weekday": 3, "late": .035, "early": .02, "bare": .045, "typo": .03, "swap": .012, "wrong": .015, "double": .01, "reverse": .007,
             "absence": 2.2, "stuck": 5, "wages": (.2, .6), "cheques": .35}
    book = dict(OFFICE, **{
        "subs": ["Subs {sur} {ini}", "Subs {name} ({note})", "{sur} {first} {note}", "Sub {code} {sur}", "{name} subs {yr}"],
        "locker": ["Locker {sur}", "Trolley shed {sur} {ini}", "Locker {code}"], "comp": ["Comp entry {sur}", "{note} {sur} {ini}", "Comp fees {name}"],
        "society": ["Society {name}", "{sur} soc. {note}", "{name} {ref}", "Visitors {sur}"], "visitor": ["Green fee {sur}", "Visitor {name}", "Green fees {sur} {ini}"],
        "till": ["Bar cards {d}", "Bar {d}", "Bar takings {d}", "Pro shop & bar {d}"], "tillweek": ["Bar w/e {d}", "Bar cards week to {d}"],
        "tillfee": ["Card charges {d}", "Merchant fee"], "bankings": ["Bar cash {ref}", "Fruit machine", "Bar float banked {d}", "Honesty box"],
        "finance": ["Fairplan {sur} {mon}", "Fairplan {name}", "{code} {sur} m'thly"], "finfee": ["Fairplan commission"],
        "supplier": ["{name}", "{name} chq {ref}", "{sur} {ref}", "{sur}", "Chq {ref} {sur}"],
        "wage": ["{name} wages {mon}", "Greens: {sur}", "Salary {ini} {sur}"], "wagerun": ["Wages {mon}", "Staff wages {mon}"],
        "retainer": ["Professional's retainer", "Pro {sur} {mon}"], "machinery": ["{sur} mower lease", "Machinery {name}"], "levy": ["County levy {sur}", "{name} affiliation"]})
    CATS = (("7day", 96000, 40), ("5day", 74000, 18), ("Interm", 48000, 10), ("Country", 32000, 8), ("Social", 6500, 22), ("Junior", 9500, 10), ("Senior", 81000, 12))

    def member(self):
        r = self.r
        self.mno += 1
        p = person(r, .07, ("name", "note", "code", "mixed", "none", "name"), f"M{self.mno}")
        c = r.choices(self.CATS, [z[2] for z in self.CATS])[0]
        p.note, p.price = c[0], c[1]
        p.price2 = round(c[1] / 10 / 100) * 100 or 1000
        p.extra = r.choice(("year", "year", "year", "month", "finance", "half"))
        p.lag = r.randrange(1, 28)
        if self.last and r.random() < .2:                    # husband, wife or child of the member before; one account
            q = self.last
            p.sur, p.name, p.acct, p.alias = q.sur, p.first + " " + q.sur, q.acct, q.alias
            keyset(p)
            p.extra = "year"
            self.kin.setdefault(id(q), []).append(p)
            self.kin[id(p)] = [q]
        else:
            self.last = p
        self.keep.append(p)
        return p

    def setup(self):
        r, s = self.r, self.s
        self.last, self.kin, self.keep = None, {}, []
        self.mno = r.randrange(300, 1400)
        self.common(("Golf Supplies", "Cash & Carry", "Hardware", "Wines", "Nurseries", "Butchers"), 90000)
        self.make_suppliers(int(13 + 5 * s), ("Brewery", "Turf", "Irrigation", "Seeds", "Fertilisers", "Fencing", "Catering", "Laundry", "Trophies", "Electrical"))
        self.mem = [self.member() for _ in range(int(95 * s ** .9))]
        self.soc = [company(r, ("Golf Society", "Seniors", "Rotary", "Social Club", "Police GS", "Motors GS"), .35, ("name", "mixed", "note", "none")) for _ in range(int(16 * s))]
        self.pools += [self.mem, self.soc]
        self.staff = self.make_staff(int(5 + 1.5 * s), 95000, 190000)
        self.acq = named(r, "Ironwood Cards", mand=str(r.randrange(10 ** 7, 10 ** 8)))
        self.fin = named(r, "Fairplan Finance", mand="FP" + str(r.randrange(10 ** 5, 10 ** 6)))
        pro = person(r, 0, ("note",))
        self.fix("retainer", "so", pro, -125000, 28)
        for i in range(2 + int(s / 2)):
            self.fix("machinery", "dd", company(r, ("Turfcare Finance", "Asset Leasing")), -r.choice((41250, 38800, 62075)), 4 + 7 * (i % 3))
        self.fix("levy", "fpo", named(r, "Borderland County Golf Union"), -r.randrange(60000, 190000), 26, (5, 11))
        self.fix("vat", "dd", self.vat, -r.randrange(200000, 600000), 7, (1, 4, 7, 10), "", .3)
        self.due = 4

    def one_day(self, d):
        r, s, cal = self.r, self.s, self.cal
        self.do_fixed(d)
        t = D.date.fromordinal(d)
        wd = (d - 1) % 7
        if cal.work(d):
            x = cal.prev(d - 1) + 1
            days = {D.date.fromordinal(q).day for q in range(x, d + 1)}
            for p in self.mem:
                if p.extra == "month" and p.lag in days and t.month not in (2, 3) and r.random() < .985:
                    self.pair("soi", "subs", p, p.price2, d - r.choice((0, 0, 0, 1, 2)), d, p.code, p.note)
            if t.day <= 9 and 5 in days:
                self.collect(d)
            self.buy(d, .36 * s)
            if t.day >= 25 and cal.add(d, 1) and D.date.fromordinal(cal.add(d, 1)).month != t.month:
                self.wages(d, self.staff, d, "WAGES")
            if wd == 0:
                self.barweek(d)
        # subscriptions fall due on 1 April, some in October
        rate = {3: .5, 4: 1.7, 5: .7, 6: .2, 10: .6, 11: .25}.get(t.month, .06)
        for _ in range(self.poisson(rate * s * .95)):
            self.subscription(d)
        f = max(.12, season(d, 185, .95))
        for _ in range(self.poisson(.5 * s * f)):
            self.visitor(d)
        for _ in range(self.poisson(.2 * s * f)):
            p = r.choice(self.mem)
            self.pair("fpi", "comp", p, r.choice((500, 600, 1000, 1200, 1500, 2000)), d - r.randrange(0, 6), d, "", r.choice(("Medal", "Stableford", "4BBB", "Captains", "Am-Am")))
        if r.random() < .2 * min(s, 2.5) and cal.work(d):
            self.pair("cash", "bankings", self.payroll, r.choice((10000, 15000, 20000)) if r.random() < .35 else r.randrange(4000, 42000), d - r.choice((1, 2, 4)), d, self.slip())
        self.shopping(d, .27 * s)
        self.renew(self.mem, .0004, self.member)
        self.loose(d, .045 * s, self.mem, "subs")

    def collect(self, d):
        """The finance house collects ten instalments and pays them over together."""
        ps = [p for p in self.mem if p.extra == "finance"]
        r = self.r
        for i in range(0, len(ps), 7):
            q = ps[i:i + 7]
            b = self.cal.add(d, i // 7 * 2)
            parts = [(p.price2, "", "finance", p, d) for p in q]
            if len(q) > 1 and self.want(1):
                if len(q) < 8 and r.random() < .6:
                    parts.append((-(50 * len(q) + 25), "", "finfee", self.fin, d))
                self.group_bank("bgc", "finance", self.fin, parts, b - 1, b, "", "collection")
            else:
                self.pair("bgc", "finance", self.fin, sum(p.price2 for p in q) - 50 * len(q), b - 1, b)

    def subscription(self, d):
        r, cal = self.r, self.cal
        p = r.choice(self.mem)
        a = p.price if p.extra != "half" else p.price // 2
        k = r.random()
        typ = "fpi" if k < .8 else "cash"
        if (k < .1 or id(p) in self.kin and k < .6) and self.want(1):   # a couple, or a father and two juniors
            q = [p] + self.kin.get(id(p), [])[:3]
            if len(q) == 1 and r.random() < .25:             # one friend pays for another
                q.append(r.choice(self.mem))
            q = list(dict.fromkeys(q))
            if len(q) > 1:
                self.group_bank("fpi", "subs", p, [(z.price, z.code, "subs", z, d) for z in q], d - 3, d, p.note, "family")
            return
        if k < .16 and self.want(2):
            rows, day = [], d
            h = a // 3 // 100 * 100
            for x in (h, h, a - 2 * h):
                rows.append(("fpi", "subs", p, x, day, p.code, p.note, d))
                day += r.choice((7, 14, 21, 28))
            self.group_book("subs", p, rows, d, p.code, p.note, None, "instalments")
            return
        if typ == "cash":
            self.pair("cash", "subs", p, a, d - r.randrange(0, 6), cal.next(d), self.slip(), p.note)
        elif k < .24:
            self.pair("fpi", "locker", p, r.choice((2500, 3000, 4500)), d - 4, d, p.code, "locker")
        else:
            self.pair("fpi", "subs", p, a, d - r.randrange(0, 12), d, p.code, p.note)

    def visitor(self, d):
        r = self.r
        if r.random() < .42:
            p = r.choice(self.soc)
            n = r.choice((8, 10, 12, 12, 16, 20, 24))
            tot = n * r.choice((2800, 3200, 3500, 4200))
            ref = self.docno(d, self.perday, "", 4)
            if r.random() < .3 and self.want(2):
                dep = r.choice((5000, 10000, 20000))
                self.group_book("society", p, [("fpi", "society", p, dep, d, ref, "deposit", d), ("fpi", "society", p, tot - dep, d + r.choice((9, 15, 24, 31)), ref, "golf", d)],
                                d, ref, "golf day", None, "deposit_and_balance")
            else:
                self.pair("fpi", "society", p, tot if r.random() < .6 else r.choice((5000, 10000, 10000, 20000)), d - r.randrange(0, 10), d, ref, r.choice(("deposit", "golf day", "balance")))
        else:
            p = person(r, .08, ("name", "note", "none", "mixed"), "")
            self.pair("fpi", "visitor", p, r.choice((2800, 3500, 3500, 4200, 5600, 7000, 8400)), d - r.randrange(0, 4), d, "", r.choice(("green fee", "golf sat", "tee time")))

    def barweek(self, d):
        """Seven payouts of the card machine; the treasurer may enter the week as one."""
        r, s = self.r, self.s
        days = [x for x in range(d - 7, d) if r.random() < .86]
        am = [self.money(4000, 90000, 1.3) * (2 if (x - 1) % 7 in (5, 6) else 1) for x in days]
        b = [self.cal.add(x, 1) for x in days]
        if 2 <= len(days) <= 7 and r.random() < .3 and self.want(len(days)):
            self.group_book("tillweek", self.acq, [("bgc", "till", self.acq, a, y, "", "", x) for a, x, y in zip(am, days, b)], d - 1, "", "", "bgc", "week_of_takings")
            return
        for a, x, y in zip(am, days, b):
            if r.random() < .2 and self.want(1):
                self.group_bank("bgc", "till", self.acq, [(a, "", "till", self.acq, x), (-int(a * .0175) - 20, "", "tillfee", self.acq, x)], x, y, "", "takings_less_fee")
            else:
                self.pair("bgc", "till", self.acq, a, x, y)


class Nursery(Firm):
    """A children's day nursery: fees in bands from parents, grandparents and childcare accounts; council funding. The clerk thinks in children."""
    bank = staticmethod(banks.ferrymans)
    perday = 2.2
    K = (1.02, 1.09, 1.2)
    clear = "{name} ({child}) {id}"
    bare_in, bare_out = ("fees", "Fees {mon}", "parent payment", "childcare"), ("bill", "paid", "supplies", "online payment")
    clerk = {"modes": {"*": [("same", 70), ("next", 15), ("doc", 8), ("session", 7)], "dd": [("same", 90), ("mend", 10)], "card": [("doc", 50), ("same", 50)],
                       "chq": [("doc", 100)], "soi": [("same", 70), ("doc", 30)]},
             "weekday": 0, "late": .05, "early": .025, "bare": .04, "typo": .045, "swap": .01, "wrong": .02, "double": .013, "reverse": .009,
             "absence": 1.5, "stuck": 6, "wages": (.4, .4), "cheques": .04}
    book = dict(OFFICE, **{
        "fees": ["{child} {sur} fees {mon}", "{sur}, {child}", "{child} {sur}", "{child} {sur} {mon}", "Fees - {child} {sur} {ref}", "{sur} {child} inv {r}", "{child} {ini}. {sur} fees"],
        "tfc": ["TFC {child} {sur}", "{child} {sur} tax free childcare", "Govt top-up {sur}", "TFC {sur}"],
        "voucher": ["Vouchers {child} {sur}", "{sur} vouchers", "CV {child} {sur}"], "deposit": ["Deposit {child} {sur}", "Registration {sur}", "{child} {sur} deposit"],
        "funding": ["Funded hours {child} {sur}", "EEF {child} {sur}", "2yo funding {child} {sur}"], "fundrun": ["Council funding {mon}", "EEF payment"],
        "extras": ["{child} {sur} {note}", "{note} {sur}"], "supplier": ["{name} {ref}", "{name}", "{sur} inv {r}", "{short}"],
        "wage": ["{first} {sur} pay {mon}", "{name} salary", "{first} wages"], "wagerun": ["Staff pay {mon}", "Salaries {mon}"], "food": ["{sur} veg box", "{name}"]})

    def child_of(self):
        r = self.r
        self.kid += 1
        p = person(r, .16, ("child", "child", "name", "mixed", "ref", "note", "none"), f"TB{self.kid}")
        bands = (11250, 22500, 33750, 45000, 56250, 67500, 78000)
        p.price = r.choice(bands) if r.random() < .7 else r.randrange(20000, 98000)
        p.price2 = r.choice((10000, 20000, 16000, 25000))
        p.extra = r.choice(("fpi", "fpi", "soi", "soi", "tfc", "mix", "split", "voucher"))
        p.lag = r.choice((1, 1, 1, 2, 3, 4, 5, 7, 25, 26, 27, 28))
        p.mand = "".join(r.choice("ABCDEFGHJKMNPRSTVWXYZ") for _ in range(4)) + str(r.randrange(10000, 99999)) + "TFC"
        q = blank()                                       # the childcare account: the bank knows only its reference
        q.name, q.sur, q.first, q.child, q.acct = p.name, p.sur, p.first, p.child, "NS&I TFC"
        q.code, q.habit, q.mand, q.num = p.mand, "code", p.mand, p.num
        keyset(q)
        p.note = ""
        self.tfc[id(p)] = q
        self.keep.append(p)
        return p

    def setup(self):
        r, s = self.r, self.s
        self.kid, self.tfc, self.keep = r.randrange(10, 300), {}, []
        self.common(("Toys", "Stationers", "Supermarket", "Chemist", "Craft Supplies", "Bakers"), 240000)
        self.make_suppliers(int(8 + 4 * s), ("Agency Staff", "Play Equipment", "Cleaning", "Catering", "Nappies Direct", "Training", "Gardens", "Laundry"))
        self.kids = [self.child_of() for _ in range(int(30 * s))]
        self.vouchers = [company(r, ("Vouchers", "Childcare Vouchers", "Benefits"), 0, ("none", "code")) for _ in range(3)]
        self.pools.append(self.kids)
        self.staff = self.make_staff(int(7 + 3 * s), 98000, 175000)
        self.fix("food", "dd", company(r, ("Organic Veg", "Wholefoods")), -r.randrange(12000, 30000), 14, None, "", .15)
        self.fix("food", "dd", company(r, ("Dairy", "Milk")), -r.randrange(4000, 9000), 21, None, "", .1)

    def one_day(self, d):
        r, s, cal = self.r, self.s, self.cal
        self.do_fixed(d)
        t = D.date.fromordinal(d)
        m = MON[t.month - 1].lower()
        hit = (cal.work(d) and {D.date.fromordinal(q).day for q in range(cal.prev(d - 1) + 1, d + 1)}) or set()
        for p in self.kids:
            due = t.day if p.extra in ("fpi", "mix", "tfc", "split") else None
            if (due == p.lag) or (due is None and p.lag in hit):
                if r.random() < .97:
                    self.fee(d, p, m)
        for _ in range(self.poisson(.2 * s)):
            p = r.choice(self.kids)
            k = r.random()
            if k < .4:
                self.pair("fpi", "extras", p, r.choice((600, 850, 1200, 1500, 2250, 3000, 4500)), d - r.randrange(0, 9), d, "", r.choice(("extra session", "trip", "late fee", "photo", "lunches")))
            elif k < .7:
                self.pair("fpi", "fees", p, r.choice((5000, 10000, 10000, 15000, 20000)), d - 3, d, self.docno(d - 10, self.perday), m)
            else:
                self.pair("fpi", "deposit", p, r.choice((5000, 7500, 10000)), d - r.randrange(0, 10), d, "", "deposit")
        if cal.work(d):
            if (d - 1) % 7 == 2 and r.random() < .3 * min(3, s):
                self.funding(d)
            self.buy(d, .3 * s)
            if t.day >= 24 and D.date.fromordinal(cal.add(cal.add(d, 1), 1)).month != t.month and D.date.fromordinal(cal.add(cal.prev(d - 1), 2)).month == t.month:
                self.wages(d, self.staff, d, "PAY " + m.upper())
            if r.random() < .06 * s:
                p = r.choice(self.kids)
                self.pair("cash", "fees", p, p.price, d - r.randrange(1, 9), d, self.slip(), m)
            if r.random() < .03 * s:
                p = r.choice(self.kids)
                self.pair("fpo", "refund", p, -r.choice((5000, 7500, 10000, 22500)), d - 3, d, "", "refund")
        self.shopping(d, .4 * s)
        self.renew(self.kids, .0011, self.child_of)
        self.loose(d, .05 * s, self.kids, "fees")

    def funding(self, d):
        r = self.r
        rate = r.choice((51200, 61440, 40960, 30720))
        n = r.randrange(2, 8)
        ks = r.sample(self.kids, n)
        q = self.council
        parts = [(rate if r.random() < .6 else int(rate * r.choice((.5, .75, .8))), "", "funding", p, d - r.randrange(0, 4)) for p in ks]
        if self.want(1):
            self.group_bank("bgc", "funding", q, parts, d - 2, d, "", "funding")
        else:
            self.pair("bgc", "fundrun", q, sum(z[0] for z in parts), d - 2, d)

    def fee(self, d, p, m):
        r = self.r
        doc = d - r.choice((0, 1, 3, 6))
        ref = self.docno(doc, self.perday)
        q = self.tfc.get(id(p))
        a = p.price if r.random() < .75 else p.price + r.choice((1500, -2250, 850, 4500, 600, 3000))
        if p.extra in ("fpi", "soi"):
            if r.random() < .13 and self.want(1):              # brothers and sisters in one payment
                b = a if r.random() < .3 else r.choice((11250, 22500, 33750, 45000))
                c = blank()
                c.name, c.sur, c.first, c.child, c.code, c.num, c.mand = p.name, p.sur, p.first, r.choice(("Baby", "Pip", "Jem", "Sukie")), p.code, p.num, p.mand
                keyset(c)
                self.group_bank(p.extra, "fees", p, [(a, ref, "fees", p, doc), (b, self.docno(doc, self.perday), "fees", c, doc)], doc, d, m, "siblings")
            else:
                self.pair(p.extra, "fees", p, a, doc, d, ref if p.extra == "fpi" else "", m)
        elif p.extra == "tfc":
            self.pair("bgc", "tfc", q, a, doc, self.cal.add(d, 1), "", m)
        elif p.extra == "voucher":
            v = self.vouchers[r.randrange(3)]
            if self.want(1) and r.random() < .4:
                ks = list(dict.fromkeys([p] + r.sample(self.kids, r.choice((1, 2, 3)))))
                self.group_bank("bgc", "voucher", v, [(z.price2 + (0 if z is p else 100 * i), "", "voucher", z, doc) for i, z in enumerate(ks)], doc, self.cal.next(d), "", "vouchers")
            else:
                self.pair("bgc", "voucher", p, p.price2, doc, self.cal.next(d), "", m)
        else:
            h = p.price2 if p.price2 < a - 2000 else a // 2
            if self.want(2):                                   # part from the childcare account or the other parent, rest from home
                o = q if p.extra == "mix" else p
                self.group_book("fees", p, [("bgc" if o is q else "fpi", "tfc", o, h, self.cal.add(d, r.choice((0, 1, 2, 4))), "", m, doc),
                                            ("fpi", "fees", p, a - h, d + r.choice((0, 0, 1, 3, 8)), ref, m, doc)], doc, ref, m, "fpi", "two_sources")
            else:
                self.pair("fpi", "fees", p, a - h, doc, d, ref, m)
                self.pair("bgc", "tfc", q, h, doc, self.cal.add(d, r.choice((0, 1, 3))), "", m)


class Physio(Firm):
    """A physiotherapist practice: many equal sessions, insurers paying several patients, self-employed colleagues. Entries follow the diary."""
    bank = staticmethod(banks.kestrel)
    perday = 5.0
    K = (.88, 1.05, 1.22)
    clear = "{name} {id}"
    bare_in, bare_out = ("session", "BACS", "pt payment", "treatment"), ("exp", "payment", "practice cost", "inv pd")
    clerk = {"modes": {"*": [("same", 48), ("doc", 28), ("next", 24)], "dd": [("same", 85), ("doc", 15)], "card": [("doc", 45), ("same", 55)],
                       "chq": [("doc", 100)], "fpo": [("same", 85), ("next", 15)]},
             "weekday": 1, "late": .03, "early": .012, "bare": .03, "typo": .03, "swap": .02, "wrong": .012, "double": .01, "reverse": .006,
             "absence": 1.2, "stuck": 7, "wages": (.3, .3), "cheques": .02}
    book = dict(OFFICE, **{
        "session": ["{code} {sur}", "{code} {ini} {sur} {d}", "{name} appt {d}", "{sur} {first}", "{code} {name} bacs", "{sur} physio {d}", "{code}"],
        "course": ["{code} {sur} block of {note}", "{name} package", "{sur} course"], "claim": ["{code} {sur} claim {ref}", "Claim {ref} {sur}", "{code} {ref}", "{sur} claim", "{code} {sur} {ref}"],
        "claimrun": ["{name} remittance {ref}", "{sur} claims"], "till": ["Card machine {d}", "Cards {d}", "Terminal {d} {note}"], "tillfee": ["Terminal fee {d}", "Card %"],
        "online": ["Bookwell payout {d}", "Online bookings {d}"], "onfee": ["Bookwell fee"], "report": ["Report {sur} {ref}", "{sur} medico-legal {ref}"],
        "shorty": ["{sur}"], "colleague": ["{name} {mon} inv {r}", "{sur} s/e physio", "{name} {ref}", "Assoc. {sur} {mon}"],
        "room": ["Room hire {sur}", "{name} room {mon}"], "supplier": ["{name} {ref}", "{sur}", "{name}", "{sur} {ref}"],
        "wage": ["{name} pay", "{first} {mon} salary"], "wagerun": ["Reception salaries {mon}", "Payroll {mon}"]})

    def patient(self):
        r = self.r
        self.pno += 1
        p = person(r, .09, ("name", "code", "code", "mixed", "note", "none", "ref", "ref"), f"P{self.pno}")
        p.price = r.choices((4800, 5500, 4200, 6200, 3900, 5200, 4650), (30, 16, 12, 10, 8, 12, 8))[0]
        return p

    def setup(self):
        r, s = self.r, self.s
        self.pno = r.randrange(1100, 4000)
        self.common(("Stationers", "Supermarket", "Pharmacy", "Sports Supplies", "Laundry", "Parking"), 110000)
        self.make_suppliers(int(7 + 3 * s), ("Couches", "Medical Supplies", "Cleaning", "Orthotics", "Linen", "Printers", "Sports Tape"))
        self.pat = [self.patient() for _ in range(int(70 * s))]
        self.ins = [company(r, ("Health", "Health Insurance", "Medical Cover", "Healthcare"), 0, ("ref", "none", "mixed")) for _ in range(4 + int(s))]
        self.law = [company(r, ("Solicitors", "Law", "Claims Management"), 0, ("ref", "mixed")) for _ in range(5)]
        self.assoc = [person(r, .12, ("ref", "mixed", "none")) for _ in range(int(2 + 2 * s))]
        self.rooms = [company(r, ("Podiatry", "Acupuncture", "Pilates", "Counselling"), .4, ("note", "name", "none")) for _ in range(2 + int(s))]
        self.pools += [self.pat, self.ins, self.assoc]
        self.staff = self.make_staff(int(2 + 1.5 * s), 85000, 165000)
        self.acq = named(r, "Taptill Payments", mand="TT" + str(r.randrange(10 ** 6, 10 ** 7)))
        self.web = named(r, "Bookwell Online", mand="BW" + str(r.randrange(10 ** 6, 10 ** 7)))
        for i, p in enumerate(self.rooms):
            p.price = r.choice((12000, 18000, 18000, 24000))
            self.fix("room", "soi", p, p.price, 1 + i % 4, None, "room")

    def one_day(self, d):
        r, s, cal = self.r, self.s, self.cal
        self.do_fixed(d)
        t = D.date.fromordinal(d)
        wd = (d - 1) % 7
        w = 1.0 if cal.work(d) else .35
        for _ in range(self.poisson(1.05 * s * w)):
            p = r.choice(self.pat)
            doc = d - r.choice((0, 0, 0, 1, 1, 2, 3, 5, 8, 13))
            k = r.random()
            ref = self.docno(doc, self.perday)
            if k < .07 and self.want(2):
                n = r.choice((2, 2, 3, 4))
                rows, day = [], d
                for _ in range(n):
                    rows.append(("fpi", "session", p, p.price, day, p.code, "physio", doc))
                    day += r.choice((5, 7, 7, 9))
                self.group_book("course", p, rows, doc, p.code, str(n), None, "course_in_parts")
            elif k < .14 and self.want(1):
                n = r.choice((2, 2, 3, 4, 5))
                self.group_bank("fpi", "session", p, [(p.price, self.docno(doc - 7 * i, self.perday), "session", None, doc - 7 * i) for i in range(n)], doc, d, "physio", "several_sessions")
            elif k < .2:
                self.pair("fpi", "course", p, p.price * r.choice((4, 5, 6)), doc, d, ref, "5")
            else:
                self.pair("fpi", "session", p, p.price if r.random() < .9 else p.price + r.choice((700, 1500, -500)), doc, d, ref, r.choice(("physio", "session", "treatment")))
        if cal.work(d):
            for _ in range(self.poisson(.34 * s)):
                self.claim(d)
            if r.random() < .72:
                for i in range(max(1, round(s / 2))):
                    self.takings(d, self.acq, "till", "tillfee", i)
            if wd in (0, 3):
                self.takings(d, self.web, "online", "onfee", 0)
            if t.day in (5, 6, 7) and D.date.fromordinal(cal.prev(d - 1)).day < 5 or t.day == 20:
                for p in self.assoc:
                    a = r.choice((60000, 84000, 96000)) if r.random() < .25 else r.randrange(40000, 190000)
                    b = cal.add(d, r.choice((0, 0, 1, 2)))
                    ref = r.choice(("INV", "", "#")) + str(r.randrange(100, 999) + int(d - self.start) % 400)
                    if r.random() < .2 and self.want(1):
                        parts = [(-a, ref, "colleague", p, d - 4), (-r.choice((4500, 2600, 7250)), ref + "A", "colleague", p, d - 4)]
                        self.group_bank("fpo", "colleague", p, parts, d - 4, b)
                    else:
                        self.pair("fpo", "colleague", p, -a, d - 4, b, ref)
            self.buy(d, .2 * s)
            if t.day >= 24 and D.date.fromordinal(cal.add(d, 1)).month != t.month:
                self.wages(d, self.staff, d, "SALARY")
            if r.random() < .035 * s:
                p = r.choice(self.pat)
                self.pair("fpo", "refund", p, -p.price, d - 2, d, p.code, "refund")
            if r.random() < .08 * s:
                p = r.choice(self.law)
                self.pair("bgc", "report", p, r.choice((18000, 24000, 24000, 36000, 42000)), d - r.randrange(8, 40), d, self.docno(d - 30, self.perday, "ML"))
        self.shopping(d, .3 * s)
        self.renew(self.pat, .003, self.patient)
        self.loose(d, .05 * s, self.pat, "session")

    def claim(self, d):
        r = self.r
        q = r.choice(self.ins)
        fee = r.choice((4400, 4650, 5100))
        doc = d - r.choice((9, 14, 18, 25, 32))
        c = lambda: r.choice("ABHKW") + str(r.randrange(10 ** 5, 10 ** 6))
        if r.random() < .55 and self.want(1):
            n = r.choice((2, 2, 3, 3, 4, 5, 6, 8))
            parts = []
            for _ in range(n):
                p = r.choice(self.pat)
                parts.append((fee * r.choice((1, 1, 2, 3)) - r.choice((0, 0, 0, 2500 if fee > 4600 else 0)), c(), "claim", p, doc))
            self.group_bank("bgc", "claimrun", q, parts, doc, d, "", "insurer_several")
        else:
            p = r.choice(self.pat)
            b = self.pair("bgc", "claim", q, fee * r.choice((1, 2, 3, 4, 6)), doc, d, c())
            k = b.link.book[0] if b.link else None
            if k and not k.wrong and k.mode == "" and r.random() < .5:
                k.text = f"{p.code} {p.sur} " + (k.ref if r.random() < .7 else q.sur)

    def takings(self, d, q, what, feew, i):
        r, cal = self.r, self.cal
        n = r.randrange(2, 12)
        g = sum(r.choice((4800, 5500, 4200, 6200, 3900, 5200)) for _ in range(n))
        fee = int(g * (.0169 if what == "till" else .029)) + (0 if what == "till" else 20 * n)
        b = cal.add(d, r.choice((1, 2)) if what == "till" else 3)
        nt = "" if i == 0 else f"T{i + 1}"
        if r.random() < .35 and self.want(1):
            h = int(g * r.uniform(.3, .7) / 100) * 100
            parts = [(g, "", what, q, d), (-fee, "", feew, q, d)] if r.random() < .6 else [(h, "", what, q, d - 1), (g - h, "", what, q, d), (-fee, "", feew, q, d)]
            self.group_bank("bgc", "till", q, parts, d, b, nt, "takings_less_fee")
        else:
            self.pair("bgc", "till" if what == "till" else "online", q, g - fee, d, b, note=nt)


class Press(Firm):
    """A small publisher: distributor's statements less commission, bookshops, royalties, printers, a magazine by direct debit."""
    bank = staticmethod(banks.carron)
    perday = 3.5
    K = (.98, 1.0, 1.08)
    clear = "{name} {id}"
    bare_in, bare_out = ("sales", "rcpt", "trade cust", "books"), ("production", "pd", "author pmt", "supplier")
    clerk = {"modes": {"*": [("same", 74), ("doc", 5), ("fortnight", 7), ("next", 14)], "dd": [("same", 85), ("mend", 15)], "card": [("doc", 70), ("same", 30)],
                       "chq": [("doc", 100)], "fpo": [("same", 70), ("early", 0), ("next", 20), ("mend", 6)]},
             "weekday": 2, "late": .035, "early": .035, "bare": .05, "typo": .04, "swap": .02, "wrong": .012, "double": .012, "reverse": .006,
             "absence": 1.6, "stuck": 4, "wages": (.3, .3), "cheques": .1}
    book = dict(OFFICE, **{
        "trade": ["{lname} {r}", "{name} S/I {r}", "s/i {r}", "{sur} inv {r}", "{name} {ref}", "{code} {r}"],
        "dist": ["{sur} stmt {mon}", "{name} sales {mon}"], "distcom": ["{sur} commission {mon}"], "distret": ["{sur} returns {mon}"],
        "direct": ["web order {r} {sur}", "{lname} order {r}", "{sur} - {note}", "mail order {name}"], "till": ["fair takings {d}", "card reader {d}", "event sales {d} {note}"],
        "tillfee": ["card reader fee"], "mag": ["subs {name}", "magazine {sur} {code}", "{code} renewal"], "magrun": ["magazine d/d run {d}", "DD bureau {d}"], "magfee": ["bureau fee"],
        "royalty": ["royalties {name}", "{name} H{note} roy", "roy. {sur}"], "royrun": ["royalty run {mon}", "royalties paid {mon}"], "advance": ["advance {name}", "{sur} advance {note}"],
        "rights": ["rights {name} {note}", "{sur} licence {ref}"], "fxfee": ["foreign pmt charge"], "printer": ["{name} {ref}", "{sur} print {ref}", "{lname} {r}"],
        "freelance": ["{name} proofs", "{sur} - {note}", "{name} {r} {note}", "{lname}"], "supplier": ["{name} {ref}", "{lname}", "{sur} {r}", "{lname} {r}"],
        "wage": ["{name} salary {mon}", "net pay {sur}"], "wagerun": ["net pay {mon}", "salaries {mon}"], "grant": ["arts grant {note}"]})

    def shop(self):
        r = self.r
        p = company(r, ("Books", "Bookshop", "Booksellers", "Library Supply", "Gallery Shop", "Museum Trading", "Newsagents"), .14, ("ref", "ref", "ref", "mixed", "name", "none"))
        p.code = ledger_code(r, p.sur, self.codes)
        keyset(p)
        p.price = r.choice((2497, 3594, 4794, 5994, 8990, 11988))
        p.extra = r.choice(("fpi", "bgc", "bgc", "fpi", "fpi", "cash"))
        return p

    def reader(self):
        r = self.r
        self.sno += 1
        p = person(r, .08, ("name", "code", "note", "none", "mixed"), f"L{self.sno}")
        p.price = r.choice((899, 1099, 1499, 1699, 1999, 2450, 1098, 1299))
        p.price2 = r.choice((2400, 2400, 2800, 3600))
        return p

    def setup(self):
        r, s = self.r, self.s
        self.sno = r.randrange(1200, 5000)
        self.common(("Stationers", "Post Office", "Rail", "Hotel", "Packaging", "Coffee"), 72000)
        self.make_suppliers(int(8 + 4 * s), ("Design", "Warehouse", "Packaging", "Marketing", "Typesetting", "Couriers", "Paper", "Photography"))
        self.shops2 = [self.shop() for _ in range(int(38 * s ** .9))]
        self.readers = [self.reader() for _ in range(int(80 * s))]
        self.dist = [company(r, ("Book Distribution", "Wholesale Books", "Digital Books", "Audio"), 0, ("none", "ref")) for _ in range(2 + int(s))]
        self.abroad = [company(r, ("Verlag", "Editions", "Editora", "Forlag", "Books Inc"), 0, ("ref", "mixed")) for _ in range(6)]
        self.authors = [person(r, .2, ("note", "name", "none", "note")) for _ in range(int(20 * s))]
        self.prints = [company(r, ("Printers", "Press", "Litho", "Bookbinders"), 0, ("ref", "ref", "code")) for _ in range(3 + int(s / 2))]
        self.free = [person(r, .12, ("ref", "mixed", "none", "note")) for _ in range(int(6 + 3 * s))]
        self.pools += [self.shops2, self.readers, self.authors, self.free]
        self.staff = self.make_staff(int(3 + 1.5 * s), 115000, 210000)
        self.acq = named(r, "Pocketpay", mand="PKP" + str(r.randrange(10 ** 5, 10 ** 6)))
        self.bureau = named(r, "Quarterday Collections", mand="QD" + str(r.randrange(10 ** 5, 10 ** 6)))
        for p in self.free:
            p.price = r.choice((15000, 20000, 25000, 32000))
        self.fix("grant", "bgc", named(r, "Arts Fund North"), 450000, 13, (3, 9), "instalment")
        self.fix("vat", "dd", self.vat, -r.randrange(100000, 300000), 7, (3, 6, 9, 12), "", .3)

    def one_day(self, d):
        r, s, cal = self.r, self.s, self.cal
        self.do_fixed(d)
        t = D.date.fromordinal(d)
        f = season(d, 330, .35)
        for _ in range(self.poisson(.55 * s * f)):
            p = r.choice(self.readers)
            doc = d - r.choice((0, 0, 1, 2, 4))
            self.pair("fpi", "direct", p, p.price * r.choice((1, 1, 1, 1, 2, 3)) + r.choice((0, 0, 280)), doc, d, self.docno(doc, self.perday), r.choice(("book", "order", "gift copy")))
        for _ in range(self.poisson(.1 * s)):
            p = r.choice(self.readers)
            self.pair("soi" if r.random() < .5 else "fpi", "mag", p, p.price2, d - r.choice((0, 1, 6)), cal.next(d), p.code, "magazine")
        if not cal.work(d):
            return
        for _ in range(self.poisson(.8 * s * f)):
            self.trade(d)
        if t.day <= 8 and D.date.fromordinal(cal.prev(d - 1)).month != t.month:
            for p in self.dist:
                self.statement(cal.add(d, r.choice((3, 5, 8))), p)
        if r.random() < .2 * s:
            g = sum(r.choice((899, 1099, 1499, 1699, 1999)) for _ in range(r.randrange(2, 30)))
            fee = int(g * .0175)
            if r.random() < .4 and self.want(1):
                self.group_bank("bgc", "till", self.acq, [(g, "", "till", self.acq, d - 1), (-fee, "", "tillfee", self.acq, d - 1)], d - 1, cal.add(d, 1), "", "takings_less_fee")
            else:
                self.pair("bgc", "till", self.acq, g - fee, d - 1, cal.add(d, 1), note=r.choice(TOWN))
        if (d - 1) % 7 == 1 and r.random() < .5:
            for i in range(max(1, round(s / 1.6))):
                q = r.sample(self.readers, r.randrange(3, 8))
                parts = [(p.price2, p.code, "mag", p, d) for p in q]
                b = cal.add(d, 3 + i % 2)
                if self.want(1):
                    parts.append((-35 * len(q), "", "magfee", self.bureau, d))
                    self.group_bank("bgc", "magrun", self.bureau, parts, d, b, "", "collection")
                else:
                    self.pair("bgc", "magrun", self.bureau, sum(z[0] for z in parts) - 35 * len(q), d, b)
        if (t.month in (3, 9) and 20 <= t.day <= 30) or r.random() < .04:
            for _ in range(self.poisson(.9 * s)):
                self.royalties(d, "1" if t.month < 7 else "2")
        for _ in range(self.poisson(.12 * s)):
            self.printer(d)
        for _ in range(self.poisson(.28 * s)):
            p = r.choice(self.free)
            doc = d - r.choice((4, 10, 18, 28))
            nt = r.choice(("proofread", "copy edit", "index", "cover", "design"))
            ref = str(r.randrange(10, 999) + 1000)
            if r.random() < .14 and self.want(1):
                self.group_bank("fpo", "freelance", p, [(-p.price, ref, "freelance", p, doc), (-p.price - 4500, ref + "1", "freelance", p, doc)], doc, d, nt)
            else:
                self.pair("fpo", "freelance", p, -(p.price if r.random() < .5 else self.money(6000, 70000)), doc, d, ref, nt)
        if r.random() < .06 * s:
            p = r.choice(self.abroad)
            a = self.money(12000, 160000)
            ref = self.docno(d - 40, self.perday, "R")
            if r.random() < .5 and self.want(1):
                self.group_bank("bgc", "rights", p, [(a, ref, "rights", p, d - 3), (-r.choice((600, 700, 1500)), "", "fxfee", p, d - 3)], d - 3, d, "transl.", "less_charge")
            else:
                self.pair("bgc", "rights", p, a, d - 3, d, ref, "transl.")
        self.buy(d, .34 * s)
        self.shopping(d, .5 * s)
        if t.day >= 24 and D.date.fromordinal(cal.add(d, 1)).month != t.month:
            self.wages(d, self.staff, d, "SALARY")
        self.renew(self.shops2, .0004, self.shop)
        self.renew(self.readers, .0015, self.reader)
        self.loose(d, .06 * s, self.shops2, "trade")

    def trade(self, d):
        r, cal = self.r, self.cal
        p = r.choice(self.shops2)
        doc = d - p.lag - r.choice((10, 20, 30, 45))
        typ = p.extra
        inv = lambda x: self.docno(x, self.perday, "LP", 5)
        k = r.random()
        if k < .3 and typ != "cash" and self.want(1):
            n = r.choice((2, 2, 3, 3, 4, 5, 6))
            am = list(dict.fromkeys(self.money(1500, 26000) for _ in range(n)))
            parts = [(a, inv(doc - 3 * i), "trade", None, doc) for i, a in enumerate(am)]
            if n > 2 and r.random() < .25 and len(am) > 2:
                parts[-1] = (-int(am[0] * .4), self.docno(doc, 3.5, "CR"), "trade", None, doc)
            if len(parts) > 1:
                self.group_bank(typ, "trade", p, parts, doc, d)
        elif k < .35 and typ != "cash" and self.want(2):
            a = self.money(8000, 50000)
            h = a // 2 if r.random() < .6 else 5000
            ref = inv(doc)
            self.group_book("trade", p, [(typ, "trade", p, h, d, ref, "", doc), (typ, "trade", p, a - h, cal.add(d, r.choice((5, 10, 20))), ref, "", doc)], doc, ref, "", None, "instalments")
        else:
            a = p.price * r.choice((1, 1, 2)) if r.random() < .35 else self.money(1500, 48000)
            if typ == "cash":
                self.pair("cash", "trade", p, a, d - 1, cal.add(d, 2), self.slip())
            else:
                self.pair(typ, "trade", p, a, doc, d, inv(doc))

    def statement(self, d, p):
        r = self.r
        g = self.money(90000, 900000)
        com, ret = int(g * .185), int(g * r.uniform(.02, .2))
        doc = d - r.randrange(4, 9)
        if self.want(1):
            parts = [(g, "", "dist", p, doc), (-com, "", "distcom", p, doc)]
            if r.random() < .6:
                parts.append((-ret, "", "distret", p, doc))
            self.group_bank("bgc", "dist", p, parts, doc, d, "", "statement_less_commission")
        else:
            self.pair("bgc", "dist", p, g - com, doc, d)

    def royalties(self, d, half):
        r = self.r
        k = r.random()
        if k < .3 and self.want(1):
            q = r.sample(self.authors, r.randrange(2, 8))
            self.group_bank("bulk", "royrun", self.payroll, [(-self.money(800, 90000), "", "royalty", p, d) for p in q], d, d, "ROYALTIES", "bulk_royalties", half)
        elif k < .42 and self.want(4):
            q = r.sample(self.authors, r.randrange(2, 7))
            self.group_book("royrun", self.payroll, [("fpo", "royalty", p, -self.money(800, 90000), d, "", half, d) for p in q], d, "", half, "bulk", "royalty_journal")
        else:
            p = r.choice(self.authors)
            if r.random() < .2:
                self.pair("fpo", "advance", p, -r.choice((25000, 50000, 50000, 75000, 100000)), d - 3, d, "", "advance")
            else:
                self.pair("fpo", "royalty", p, -self.money(800, 90000), d - 2, d, "", half)

    def printer(self, d):
        r, cal = self.r, self.cal
        p = r.choice(self.prints)
        a = -r.randrange(60000, 480000)
        ref = str(r.randrange(20000, 99999))
        doc = d - r.choice((10, 20, 30))
        if r.random() < .4 and self.want(3):
            h = int(a / 3 / 1000) * 1000
            n = r.choice((2, 3))
            am = [h] * (n - 1) + [a - h * (n - 1)]
            day, rows = d, []
            for x in am:
                rows.append(("fpo", "printer", p, x, day, ref, "", doc))
                day = cal.add(day + r.choice((6, 13, 20)), 1)
            self.group_book("printer", p, rows, doc, ref, "", None, "stage_payments")
        else:
            self.pair("fpo", "printer", p, a, doc, d, ref)


COMPANIES = {"hartsmere_plumbing": Plumbing, "foxholt_golf_club": Golf, "tumbledown_nursery": Nursery, "bellweather_physio": Physio, "larkrise_press": Press}
