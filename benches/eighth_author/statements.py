#!/usr/bin/env python3
"""Bank statements and cash books of five invented UK organisations. See README.md."""
import argparse, json, sys
from engine import Company, O, on, plus, month_end, MON, FW, SUR, PLACE, MALE, FEMALE

def M(d): return MON[O(d).month - 1].title()

class Base(Company):
    anyone = ()
    def monthly(self, dom, party, ch, amt, what="", ref=None, cat=None, every=1, phase=0, vary=0., fixed=True, start=None):
        """the same bill each month, raised each April"""
        R = self.rng; y0 = None; a = amt
        for d in self.months(dom, every, phase):
            y = O(d).year + (O(d).month >= 4)
            if y0 is not None and y != y0: a = int(a * R.uniform(1.01, 1.05) / 10) * 10
            y0 = y
            v = a if not vary else int(a * R.uniform(1 - vary, 1 + vary))
            self.single(d, v, party, ch, ref(d) if ref else None, what.format(m=M(d)), fixed, cat)
    def payroll(self, staff, dom, ch="bulk", salaried=False, text="PAYROLL", cat="wages", kind="bulk_wages", weekly=None):
        """one bank row for all"""
        R = self.rng
        for d in (self.weeks(weekly) if weekly is not None else self.months(dom)):
            d2 = on(d) if O(d).weekday() < 5 else plus(d - 2, 0)
            here = [x for x in staff if x[1] <= d < x[2]]
            if len(here) < 2: continue
            self.many_docs(d2, ch, self.bulk, [(-(x[3] if salaried and R.random() < .8 else int(x[3] * R.uniform(.75, 1.2))), x[0], None, M(d2), cat, False)
                                               for x in here], kind, bank_ref=f"{text} {M(d2)}")
    def staff(self, k, lo, hi):
        R = self.rng; out = []
        for _ in range(max(2, round(k))):
            d = self.start - 5
            while d < self.end:
                e = d + R.randint(200, 1900)
                out.append((self.person(), d, e, int(R.uniform(lo, hi) * 100) + R.randint(0, 99)))
                d = e + R.randint(0, 40)
        return out
    def pay_single(self, staff, ch, dom=None, weekly=None, what="wages", vary=.12, cat="wages"):
        R = self.rng
        for d in (self.weeks(weekly) if weekly is not None else self.months(dom)):
            for x in staff:
                if x[1] <= d < x[2]:
                    self.single(d, -int(x[3] * R.uniform(1 - vary, 1 + vary)), x[0], ch, None, what, cat=cat)
    def sell(self, pool, chs, amount, what="", rate=1.6, base=4000, noref=0., cat=None, sign=1):
        """a stream of single deals"""
        R = self.rng
        names, w = list(chs), list(chs.values())
        def f(day):
            p = R.choice(pool()) if callable(pool) else R.choice(pool)
            ch = R.choices(names, w)[0]
            a = amount() if callable(amount) else amount
            wh = what(p, day) if callable(what) else what
            r = None if R.random() < noref else self.ref(day, rate, base)
            self.single(day, sign * a, p, ch, r, wh, cat=cat)
        return f
    def several(self, pool, ch, amount, lo, hi, kind, what="", rate=1.6, base=4000, cat=None, sign=1, bank_ref=None):
        """one payment for several documents of one party"""
        R = self.rng
        def f(day):
            p = R.choice(pool); k = R.choices(range(lo, hi + 1), [1 / (i - lo + 1.3) for i in range(lo, hi + 1)])[0]
            parts = []
            for i in range(k):
                r = self.ref(day - 12 + 3 * i, rate, base)
                parts.append((sign * amount(), p, r, what(p, day) if callable(what) else what, cat or ("out" if ch == "dd" else ch), False))
            br = bank_ref(p, parts) if bank_ref else R.choice((str(parts[-1][2]), p.code, f"{parts[0][2]} {parts[-1][2]}", f"{k} INVS", "", self.own_name))
            self.many_docs(day, ch, p, parts, kind, bank_ref=br)
        return f
    def slips(self, pool, amount, kind="paying_in_slip", what="", lo=2, hi=6, cat="slip"):
        R = self.rng
        def f(day):
            ps = R.sample(pool, min(len(pool), R.randint(lo, hi)))
            self.many_docs(day, "slip", ps[0], [(amount(), p, self.ref(day) if R.random() < .6 else None, what, cat, False) for p in ps], kind)
        return f
    def parts_paid(self, pool, amount, ch="fps_in", what="", kinds=("two_payments", "instalments"), sign=1, rate=1.6, base=4000, cat=None):
        R = self.rng
        def f(day):
            p = R.choice(pool); t = amount(); r = self.ref(day, rate, base)
            w = what(p, day) if callable(what) else what
            if R.random() < .68:
                self.many_payments(day, ch, p, [sign * x for x in self.split(t, 2, R.choice("rp"))], (0, R.choice((0, 1, 1, 2, 3))), kinds[0], r, w, cat=cat)
            else:
                k = R.choice((2, 3, 3, 4)); g = R.choice((5, 7, 7, 14))
                self.many_payments(day, ch, p, [sign * x for x in self.split(t, k, "r")], (0,) + (g,) * (k - 1), kinds[1], r, w,
                                   where=R.choice(("end", "end", "start")), cat=cat)
        return f
    def takings(self, party, ch, tills, fee, ref=None, kind="takings_less_fee", what=lambda d: ""):
        R = self.rng
        def f(day):
            parts = [(self.money(lo, hi), party, None, f"{name} {what(day)}".strip(), "till", False) for name, lo, hi in tills if R.random() < .93 or name == tills[0][0]]
            g = sum(x[0] for x in parts)
            parts.append((-max(35, int(g * fee)), party, None, "", "commission", True))
            self.many_docs(day, ch, party, parts, kind, bank_ref=ref(day) if ref else "")
        return f
    def never(self, kind, pool, ch, amount, sign=1, what="", cat=None):
        R = self.rng
        def f(day):
            p = R.choice(pool)
            self.book_only(day, sign * amount(), p, ch, kind, self.ref(day), what(p, day) if callable(what) else what, cat)
        return f


class Theatre(Base):
    """A small producing theatre; commas in the bank's lines; a bookkeeper on Tuesdays and Fridays."""
    cut = 18; prefix = "HT-"; own_name = "HERONMERE"; session_days = (1, 4)
    modes = dict(**{"in": (52, 14, 24, 6, 4), "out": (28, 38, 26, 6, 2)}, dd=(78, 8, 8, 6, 0), so=(78, 8, 6, 8, 0), card_out=(30, 46, 16, 8, 0),
                 card_in=(50, 38, 8, 4, 0), payout=(70, 8, 20, 2, 0), fee=(85, 0, 0, 15, 0), bulk=(40, 50, 8, 2, 0), chq_out=(10, 85, 5, 0, 0))
    open_days = (0, 1, 2, 3, 4, 5)
    bank_t = dict(fps_in=("{n}[, {r}], VIA ONLINE - PYMT, FP {e}, {x}", "{n}[, {r}], VIA MOBILE - PYMT, FP {e}, {x}"), bacs_in="{n}[, {r}], BAC",
                  fps_out=("{n}[, {r}], FP {e}, 10, {x}", "{n}[, {r}], OTT"), card_out="4417 {d}{y}, {n}, {t} GB, POS", dd="{n}, {m}, D/D", so="{n}[, {r}], S/O",
                  chq_out="{c}, CHQ", slip="{s}, PAID IN AT, {t}, C/L", chq_in="{s}, PAID IN, C/L", fee="{d} A/C, {m}, CHG", card_in="{n}, {m} {d}, BAC",
                  payout="{n}[, {r}], BAC", bulk="[{r}], HERONMERE WAGES, BULK, BAC", tfr="TO A/C 31{m}, [{r}], TFR", int="{d} GRS {m}, INT")
    book_t = dict(out=("{n}[ inv {r}]", "{n} - [{w} ][{r}]", "[{r} ]{n}"), **{"in": ("{n}[ - {w}][ HT-{r}]", "[HT-{r} ]{n}", "[{w}: ]{n}[ {r}]")},
                  dd=("{n} DD", "D/D {n}[ {w}]"), so=("{n} subscription", "SO {n}[ {w}]"), card_out=("{n} - props", "Debit card {n}[ {w}]", "{n}"),
                  chq_out=("chq {c} {n}", "{c} {n}[ {w}]"), slip=("{n}[ {w}] slip {s}", "Banking {s} {n}"), chq_in=("{n} chq, slip {s}",), fee=("Bank charges {M}",),
                  card_in=("Bar till {d}", "{n} bar {d}"), till=("{w}", "Box office: {w}"), commission=("{n} commission", "Booking fee {n}"),
                  wages=("Wages {n} {M}", "{n} FOH {M}"), salary=("Salary {n} {M}", "{n} salary"), patron=("Patron {n}", "{n} patrons' circle"), int=("Interest",), tfr=("Transfer reserve a/c",))
    bare = {"in": ("BACS receipt", "Receipt", "Sundry income", "Hire"), "out": ("Bacs payment", "Supplier", "Online pmt", "Invoice paid")}
    def person_style(self, p): return self.rng.choice((p.name, p.name, f"{p.title} {p.sur}", f"{p.first[0]} {p.sur}"))
    def setup(self):
        R, f = self.rng, self.f
        self.groups_ = self.firms(14 * f, ("Players", "Dance School", "Choral Society", "Operatic Society", "Brass Band", "Film Club", "U3A", "Stage School"), suffix=False)
        self.members = self.persons(60 * f); self.parents = self.persons(45 * f)
        self.creatives = self.persons(22 * f)
        self.cos = self.firms(14 * f, ("Theatre Company", "Touring", "Productions", "Puppets", "Opera"))
        self.sup = self.firms(16 * f, ("Scenic", "Lighting Hire", "Print", "Timber", "Costume Hire", "Electrical", "Cleaning Services", "Fabrics", "Sound Services"))
        self.shops = self.firms(14 * f, ("Hardware", "Stores", "Fabrics", "Antiques", "Bakery", "Cafe", "Paints"), suffix=False)
        self.brew = self.firms(2 + f, ("Brewery", "Wines", "Drinks", "Ice Cream"))
        self.shows = ["The Lamplighter", "Salt Road", "Wuthering Heights", "Dick Whittington", "Under Milk Wood", "Hobsons Choice", "Blue Hour", "Kes", "Iron Men", "Aladdin", "Moon Jar", "Educating Rita"]
        self.bo = self.body("Ticketwren Ltd"); self.term = self.body("Paybrook Merchant", "PAYBROOK MERCHANT SV")
        self.bulk = self.body("Wages"); self.coll = self.body("Givewell Collections", "GIVEWELL COLLECT"); self.bk = self.body("Bank")
        self.anyone = self.groups_ + self.members
        R.shuffle(self.members); self.subs = self.members[:int(14 * f)]; self.patrons = self.members[int(14 * f):int(26 * f)]
        self.foh = self.staff(6 + f * 2, 90, 520)
    def recurring(self):
        R, f = self.rng, self.f
        show = lambda d: self.shows[(d // 17) % len(self.shows)]
        for d in self.weeks(0):
            if O(d).month == 8 and R.random() < .7: continue
            g = self.money(700, 5200); s = show(d); parts = [(g, self.bo, None, s, "till", False)]
            if R.random() < .5: parts.append((self.money(60, 500), self.bo, None, s + " programmes", "till", False))
            parts.append((-int(sum(p[0] for p in parts) * .036), self.bo, None, "", "commission", True))
            self.many_docs(d, "payout", self.bo, parts, "takings_less_fee", bank_ref=f"WK{d % 97:02d} {s[:8]}")
        for d in self.months(6):
            if len(self.patrons) > 3:
                ps = R.sample(self.patrons, R.randint(3, min(len(self.patrons), 11)))
                parts = [(R.choice((500, 1000, 1000, 1500, 2500)), p, None, "patron", "patron", False) for p in ps]
                parts.append((-(20 * len(parts) + R.randint(0, 30)), self.coll, None, "", "commission", True))
                self.many_docs(d, "payout", self.coll, parts, "dd_collection", bank_ref=f"GW{R.randint(10000, 99999)}")
        self.payroll(self.foh, 25)
        self.pay_single(self.staff(3 + f, 1500, 2300), "bacs_out", dom=26, what="salary", vary=.01, cat="salary")
        for p in self.subs: self.monthly(R.randint(1, 28), p, "so", R.choice((300, 500, 500, 750, 1000)), "friends")
        for nm, a, dom in (("Northmoor Energy", 61000, 14), ("Calder Water Business", 8800, 20), ("Stagecover Insurance", 24150, 3), ("Farstream Telecom", 7440, 9), ("Skelby District Council", 31200, 1)):
            self.monthly(dom, self.body(nm), "dd", -a, "", vary=.2 if "Energy" in nm else 0.)
        self.monthly(19, self.body("HMRC", "HMRC SHIPLEY", "HMRC PAYE"), "fps_out", -182000, "PAYE {m}", vary=.15)
        self.monthly(28, self.bk, "fee", -2140, vary=.4, fixed=False)
        self.monthly(15, self.body("Arts Council England", "ARTS COUNCIL ENG"), "bacs_in", 1250000, "grant", every=3, phase=1)
        self.monthly(4, self.body("PRS for Music", "PRS FOR MUSIC"), "dd", -21500, vary=.5, every=3, phase=2)
    def group_streams(self):
        R = self.rng
        return [(3, self.several(self.brew, "dd", lambda: self.money(45, 420), 2, 5, "dd_several", "bar stock", sign=-1, bank_ref=lambda p, x: "")),
                (4, self.several(self.groups_, "bacs_in", lambda: self.money(60, 800, "h"), 2, 4, "several_invoices", "hire")),
                (3, self.slips(self.parents, lambda: self.money(20, 95, "h"), what="youth theatre")),
                (4, self.parts_paid(self.groups_, lambda: self.money(300, 2400, "v"), what="hire deposit+bal")),
                (2, self.parts_paid(self.cos, lambda: self.money(900, 5000), ch="fps_out", what="settlement", sign=-1))]
    def single_streams(self):
        R = self.rng; term = (.9, .5, .5, .9, .5, .3, .3, .15, 1, .6, .4, .3)
        return [(24, lambda d: self.single(d, self.money(95, 1400), self.term, "card_in"), (.7, .8, .9, .8, .8, .7, .5, .2, .7, 1, 1, 1)),
                (13, self.sell(self.groups_, dict(fps_in=6, bacs_in=3, chq_in=1), lambda: self.money(45, 900, "h"), "hire")),
                (12, self.sell(self.parents, dict(fps_in=9, bacs_in=1), lambda: R.choice((7200, 7200, 6480, 14400, 3600, self.money(20, 90, "h"))), "youth theatre", noref=.7), term),
                (7, self.sell(self.members, dict(fps_in=7, bacs_in=1, chq_in=2), lambda: R.choice((3500, 5500, 9000, 2000, 15000)), lambda p, d: R.choice(("membership", "seat plaque", "donation")), noref=.8)),
                (10, self.sell(self.creatives, dict(fps_out=1), lambda: self.money(120, 1300), lambda p, d: self.shows[(d // 17) % 12], base=100, rate=.3, noref=.3, sign=-1)),
                (12, self.sell(self.sup, dict(fps_out=8, bacs_out=3, chq_out=1), lambda: self.money(40, 1600), "", base=21000, rate=7, sign=-1)),
                (14, self.sell(self.shops, dict(card_out=1), lambda: self.money(4, 140), "", noref=1, sign=-1)),
                (4, self.sell(self.cos, dict(fps_out=1), lambda: self.money(500, 4500), "settlement", sign=-1)),
                (1, lambda d: self.single(d, self.money(2000, 9000, "t") * R.choice((1, -1)), self.bk, "tfr", None, "RESERVE"))]
    def never_streams(self):
        return [(3, self.never("cheque_not_cashed", self.creatives, "chq_out", lambda: self.money(40, 400), -1)),
                (3, self.never("cash", self.shops, "card_out", lambda: self.money(4, 60), -1, cat="out")),
                (3, self.never("not_received", self.groups_, "fps_in", lambda: self.money(60, 700, "h"), what="hire"))]


class Garage(Base):
    """A village repair garage and MOT station; a terse bank; the owner's wife on Saturdays with last week's pile."""
    cut = 18; prefix = "BR"; own_name = "BLACKROW"; session_days = (5,); other_payer = .08; what_rate = .5
    modes = dict(**{"in": (66, 8, 22, 2, 2), "out": (40, 38, 16, 6, 0)}, dd=(82, 6, 4, 8, 0), so=(86, 8, 0, 6, 0), card_out=(36, 42, 14, 8, 0),
                 card_in=(34, 58, 8, 0, 0), payout=(30, 60, 10, 0, 0), fee=(90, 0, 0, 10, 0), bulk=(30, 60, 10, 0, 0), wk=(40, 50, 10, 0, 0), chq_out=(10, 85, 5, 0, 0), slip=(30, 60, 10, 0, 0))
    open_days = (0, 1, 2, 3, 4, 5)
    bank_t = dict(fps_in=("FPI {n} [{r}]", "FPI {n} [{r} ]{x}"), bacs_in="BGC {n} [{r}]", fps_out=("FPO {n} [{r} ]{x}", "FPO {n} [{r}]"), card_out=("DEB {n} CD 7719 {d}{y}", "DEB {n} CD 7719"),
                  dd="DD {n} {m}", so="SO {n} [{r}]", chq_out="CHQ {c}", slip="DEP {s}", chq_in="DEP {s}", fee="PAY SERVICE CHARGES REF {x}", card_in="BGC {n} {m} {d}",
                  payout="BGC {n} [{r}]", bulk="FPO BATCH [{r}]", tfr="TFR [{r}] {x}")
    book_t = dict(out=("{N}[ {r}]", "{n} {r}", "{n}[ - {w}]"), **{"in": ("{n}[ {w}]", "[{w} ]{n}[ BR{r}]", "BR{r} {n}", "{n} {r} [{w}]")},
                  dd=("{n} d/debit", "{n}"), so=("{n} s/o",), card_out=("{n} parts", "{n} on card", "card {n}"), chq_out=("{c} {n}",), slip=("Cash banked {d} {s}", "Banked {s}[ {w}]"),
                  slipc=("{n} chq[ {w}]", "{n}[ {r}] - {s}"), chq_in=("{n} chq [{w}]",), fee=("bank chgs", "chgs {M}"), card_in=("PDQ {d}", "Card machine {d}"),
                  till=("PDQ {w}",), commission=("PDQ charge", "{n} fee"), wages=("{n} wk", "Wages {n}", "{n} wages"))
    bare = {"in": ("repair", "MOT + service", "customer", "FP in"), "out": ("parts", "bank transfer", "inv paid")}
    def person_style(self, p): return self.rng.choice((p.sur, f"{p.title} {p.sur}", p.name, f"{p.sur}, {p.first}"))
    def plate(self, day):
        R = self.rng; y = O(day).year - R.randint(1, 11); L = "ABCDEFGHJKLMNOPRSTUVWXY"
        return "".join((R.choice("YNPMKFWS"), R.choice(L), f"{(y % 100 + 50 * R.randint(0, 1)) % 100:02d}")) + "".join(R.choice(L) for _ in range(3))
    def car(self, p, d):
        x = self.cars.setdefault(id(p), self.plate(d)); return x if self.rng.random() < .9 else x[:4] + " " + x[4:]
    def setup(self):
        R, f = self.rng, self.f; self.cars = {}
        self.cust = self.persons(150 * f)
        self.trade = self.firms(16 * f, ("Taxis", "Motors", "Car Sales", "Vans", "Couriers", "Electrical", "Roofing", "Landscapes", "Farms", "Dairies"))
        self.factors = self.firms(7 + 2 * f, ("Motor Factors", "Autoparts", "Exhausts", "Tyres", "Batteries", "Bodyshop Supplies", "Paint Supplies", "Clutch Centre"))
        self.dealers = self.firms(9 * f, ("Ford", "Toyota", "Vauxhall", "Autocentre", "Breakers", "Auto Electrics", "Recovery", "Windscreens"), suffix=False)
        self.web = self.firms(9 * f, ("Car Spares", "Parts Direct", "Tool Store", "Fuels", "Workwear", "Cafe", "Stationers"), suffix=False)
        self.pdq = self.body("Cardstream Pay", "CARDSTREAM PAY 118"); self.pdq2 = self.body("Tapwell", "TAPWELL PAYOUTS"); self.bk = self.body("Bank"); self.bulk = self.body("Wages")
        self.fin = self.body("Motorsplit Finance", "MOTORSPLIT FIN LTD")
        self.anyone = self.cust + self.trade
    def recurring(self):
        R, f = self.rng, self.f
        self.pay_single(self.staff(min(3 * f, 8), 340, 560), "fps_out", weekly=4, what="wages", vary=.08)
        self.payroll(self.staff(2 + f, 180, 420), 28, text="APPRENTICES")
        for nm, a, dom, v in (("Northmoor Energy", 31000, 12, .25), ("Skelby District Council", 42300, 1, 0), ("Grip Tool Finance", 11850, 5, 0), ("Rampcare Leasing", 21640, 16, 0),
                              ("Tradeguard Insurance", 18812, 3, 0), ("Farstream Telecom", 5388, 22, .1), ("Autodata Online", 6600, 8, 0), ("Calder Water Business", 4120, 19, .1)):
            self.monthly(dom, self.body(nm), "dd", -a, vary=v)
        self.monthly(1, self.body("H Oddy & Daughters", "H ODDY & DAUGHTERS"), "so", -95000, "rent")
        self.monthly(20, self.body("HMRC", "HMRC CUMBERNAULD", "HMRC PAYE"), "fps_out", -91000, "PAYE", vary=.2)
        self.monthly(7, self.body("HMRC VAT", "HMRC VAT DDI"), "dd", -610000, vary=.3, every=3, phase=2)
        self.monthly(27, self.bk, "fee", -1650, vary=.5, fixed=False)
    def group_streams(self):
        R = self.rng
        two = self.takings(self.pdq2, "payout", (("workshop", 90, 900), ("MOT bay", 54, 420)), .0169, ref=lambda d: f"TW{R.randint(10000, 99999)}", what=lambda d: f"{O(d).day}/{O(d).month}")
        return [(4, two), (3, self.several(self.factors, "dd", lambda: self.money(18, 380), 3, 8, "dd_several", "parts", base=70000, rate=30, sign=-1, bank_ref=lambda p, x: "")),
                (4, self.several(self.trade, "fps_in", lambda: self.money(60, 800), 2, 5, "several_invoices")),
                (3, self.several(self.factors, "fps_out", lambda: self.money(18, 380), 2, 6, "several_invoices", base=70000, rate=30, sign=-1)),
                (5, self.parts_paid(self.cust, lambda: self.money(300, 2200), what=self.car)),
                (2, self.several([self.fin], "bacs_in", lambda: self.money(200, 1400), 2, 4, "finance_payout", what=lambda p, d: self.car(R.choice(self.cust), d))),
                (1, self.slips(self.cust, lambda: self.money(40, 500), cat="slipc"))]
    def single_streams(self):
        R = self.rng
        price = lambda: R.choices((5485, 5000, 4500, 18900, 14900, 0), (7, 2, 2, 3, 3, 83))[0] or self.money(48, 900)
        return [(20, lambda d: self.single(d, self.money(150, 2600), self.pdq, "card_in")),
                (27, self.sell(self.cust, dict(fps_in=12, bacs_in=1, chq_in=1), price, self.car)),
                (12, self.sell(self.trade, dict(fps_in=5, bacs_in=4, chq_in=1), lambda: R.choice((4000, 3500, 8000)) if R.random() < .3 else self.money(60, 1100), lambda p, d: self.plate(d))),
                (13, self.sell(self.factors, dict(fps_out=9, chq_out=1), lambda: self.money(12, 600), base=70000, rate=30, sign=-1)),
                (8, self.sell(self.dealers, dict(fps_out=5, card_out=5), lambda: self.money(15, 700), base=3000, rate=3, sign=-1)),
                (12, self.sell(self.web, dict(card_out=1), lambda: self.money(5, 190), noref=1, sign=-1)),
                (3, lambda d: self.single(d, self.money(80, 900, "t") if R.random() < .4 else self.money(80, 900, "h"), self.bk, "slip", None, "cash")),
                (2, lambda d: self.single(d, -R.choice((20500, 41000, 102500)), self.dvsa, "dd", None, "MOT slots"))]
    @property
    def dvsa(self):
        if not hasattr(self, "_dvsa"): self._dvsa = self.body("DVSA", "DVSA MOT SLOTS", "DVSA slots")
        return self._dvsa
    def never_streams(self):
        return [(4, self.never("cash", self.web, "card_out", lambda: self.money(4, 60), -1, cat="out")),
                (3, self.never("not_received", self.cust, "fps_in", lambda: self.money(50, 600), what=self.car)),
                (2, self.never("cheque_not_cashed", self.dealers, "chq_out", lambda: self.money(40, 400), -1))]


class Farm(Base):
    """A dairy and beef farm with a camping field; mixed-case lines; the farmer's daughter at the month's end, mostly from the statement."""
    cut = 22; prefix = "TF"; own_name = "TOLLERBY"; session_days = (6,); absences_per_year = 1
    modes = dict(**{"in": (72, 10, 6, 9, 3), "out": (42, 44, 5, 9, 0)}, dd=(86, 4, 0, 10, 0), so=(86, 6, 0, 8, 0), card_out=(56, 32, 0, 12, 0),
                 card_in=(60, 30, 4, 6, 0), payout=(76, 18, 0, 6, 0), fee=(70, 0, 0, 30, 0), bulk=(50, 40, 0, 10, 0), chq_out=(16, 80, 0, 4, 0), slip=(40, 48, 6, 6, 0))
    open_days = (0, 1, 2, 3, 4, 5)
    def case(self, s): return s if any(ch.isdigit() for ch in s) and " " not in s else s.upper()
    bank_t = dict(fps_in=("Direct Credit From {n}[ Ref: {r}]", "Received From {n}[ Ref: {r}]"), bacs_in="Direct Credit From {n}[ Ref: {r}]", fps_out=("Bill Payment to {n}[ Ref: {r}]", "Bill Payment to {n}[ Ref: {r}] BBP"),
                  card_out="Card Payment to {n} On {D}", dd="Direct Debit to {n} Ref: {m}", so="Standing Order to {n}[ Ref: {r}]", chq_out="Cheque Issued Ref: {c}", slip="Counter Credit {s} {t}",
                  chq_in="Counter Credit {s}", fee="Commission Charges For the Period", card_in="Direct Credit From {n} Ref: {m}", payout="Direct Credit From {n}[ Ref: {r}]", bulk="Bulk Payment [{r}]",
                  tfr="Funds Transfer to 20-{m}[ {r}]")
    book_t = dict(out=("{n}[ {w}][ {r}]", "{n}[ inv {r}]", "{n}[ - {w}]"), **{"in": ("{n}[ - {w}]", "{n}[ {w}][ {r}]", "[{w} - ]{n}")}, dd=("{n} DD", "{n}"), so=("{n} SO[ {w}]",), card_out=("{n}[ {w}]", "{n} (card)"),
                  chq_out=("{c} {n}[ {w}]", "Chq {c} - {n}"), slip=("Eggs & milk vending cash {s}", "Cash {s}[ {w}]"), slipc=("{n} chq[ {w}]", "{n} {s}[ {w}]"), chq_in=("{n} cheque[ {w}]",), fee=("Bank commission",),
                  till=("{n} {w}", "{w} - {n}"), commission=("{n} commission", "{n} deductions", "Less haulage & levy {n}"), wages=("{n} milking", "Wages {n}", "{n}"), rent=("Grazing {n}", "{n} grass keep"))
    bare = {"in": ("Stock sale", "Direct credit", "Camping", "Sundries"), "out": ("Feed", "Repairs", "Bill payment", "Sundries")}
    def person_style(self, p): return self.rng.choice((f"{p.first[0]} {p.sur}", f"{p.first[0]} {p.sur}", p.name, p.sur))
    def setup(self):
        R, f = self.rng, self.f
        self.buyer = self.firm(("Dairies", "Creamery", "Milk Co-operative")); self.buyer2 = self.firm(("Cheese Makers", "Ice Cream"))
        self.marts = self.firms(2 + f, ("Auction Mart", "Farmers Mart", "Livestock Centre"), suffix=False)
        self.nb = self.persons(14 * f) + self.firms(16 * f, ("Farms", "Farm Partnership", "Livery", "Stables", "Estate"), suffix=False)
        self.camp = self.persons(120 * f)
        self.feed = self.firms(3 + f, ("Feeds", "Farm Supplies", "Mills", "Seeds", "Fertilisers"))
        self.sup = self.firms(22 * f, ("Farm Vets", "Genetics", "Agri Engineers", "Tractors", "Contractors", "Fuels", "Fencing", "Dairy Services", "Hoof Care", "Agronomy", "Drainage", "Silage Contractors"))
        self.people = self.persons(16 * f)
        self.shops = self.firms(18 * f, ("Country Stores", "Hardware", "Filling Station", "Tyres", "Saddlery", "Butchers", "Bolt Supplies", "Bearings"), suffix=False)
        self.site = self.body("Fieldstay Camping", "FIELDSTAY CAMPING LTD"); self.vend = self.body("Pennywise Card", "PENNYWISE CARD SERVICES"); self.bk = self.body("Bank"); self.bulk = self.body("Wages")
        self.anyone = self.sup + self.nb
    def recurring(self):
        R, f = self.rng, self.f
        for d in self.months(15):
            g = self.money(14000, 31000); parts = [(g, self.buyer, None, "milk " + M(d - 20), "till", False)]
            if R.random() < .4: parts.append((self.money(200, 1400), self.buyer, None, "constituent bonus", "till", False))
            parts.append((-int(g * R.uniform(.018, .03)), self.buyer, None, "", "commission", True))
            self.many_docs(d, "payout", self.buyer, parts, "milk_less_deductions", bank_ref=f"0{R.randint(10000, 99999)}")
        self.monthly(24, self.buyer2, "bacs_in", 190000, "milk {m}", vary=.3)
        self.pay_single(self.staff(min(2.4 * f, 7), 180, 520), "fps_out", weekly=4, what="milking", vary=.2)
        self.payroll(self.staff(2 + f, 900, 2100), 28, salaried=True, text="WAGES")
        for nm, a, dom, v in (("Northmoor Energy", 142000, 11, .3), ("Calder Water Business", 38000, 17, .2), ("Furrow Finance", 118400, 2, 0), ("Greenrod Asset Finance", 64350, 20, 0), ("Farmers Shield Mutual", 71230, 5, 0),
                              ("Farstream Telecom", 6190, 9, .1), ("Herdcheck Recording", 18800, 26, .15), ("Parlourtec Lease", 22760, 14, 0)):
            self.monthly(dom, self.body(nm), "dd", -a, vary=v)
        self.monthly(21, self.body("HMRC", "HMRC NDDS", "HMRC PAYE"), "fps_out", -64000, "PAYE", vary=.2)
        self.monthly(1, self.body("Skelby Estate Trustees"), "so", -420000, "rent", every=6, phase=3)
        self.monthly(8, self.body("Rural Payments Agency", "RURAL PAYMENTS AGENCY", "RPA"), "bacs_in", 910000, "scheme payment", every=3, phase=0, vary=.2)
        self.monthly(30, self.bk, "fee", -2410, vary=.5, fixed=False)
        self.monthly(12, self.body("HMRC VAT", "HMRC VAT", "VAT repayment"), "bacs_in", 420000, vary=.5, fixed=False)
    def group_streams(self):
        R = self.rng
        def mart(day):
            m = R.choice(self.marts); lots = R.randint(1, 4)
            parts = [(self.money(180, 1900), m, None, f"lot {R.randint(10, 420)} {R.choice(('store cattle', 'cull cow', 'calf', 'bullock', 'heifer'))}", "till", False) for _ in range(lots)]
            parts.append((-int(sum(p[0] for p in parts) * R.uniform(.025, .045)), m, None, "", "commission", True))
            self.many_docs(day, "payout", m, parts, "mart_less_commission", bank_ref=f"A/C {m.code}")
        def site(day):
            ps = R.sample(self.camp, R.randint(2, 6)); parts = [(self.money(36, 240, "r"), p, None, "camping", "till", False) for p in ps]
            parts.append((-int(sum(p[0] for p in parts) * .15), self.site, None, "", "commission", True))
            self.many_docs(day, "payout", self.site, parts, "bookings_less_fee", bank_ref=f"FS{R.randint(1000, 9999)}")
        return [(5, mart), (2, site, (0, 0, .1, .5, .8, .9, 1, 1, .6, .2, 0, 0)),
                (4, self.several(self.feed, "dd", lambda: self.money(140, 2900), 2, 5, "dd_several", "feed", base=88000, rate=20, sign=-1, bank_ref=lambda p, x: "")),
                (3, self.several(self.sup, "fps_out", lambda: self.money(40, 900), 2, 4, "several_invoices", base=15000, rate=8, sign=-1)),
                (4, self.parts_paid(self.nb, lambda: self.money(300, 3600, "r"), what=lambda p, d: R.choice(("straw", "hay", "bullocks", "big bales")))),
                (2, self.parts_paid(self.feed, lambda: self.money(1800, 9000), ch="fps_out", what="fertiliser", sign=-1)),
                (1, self.slips(self.nb, lambda: self.money(40, 900, "r"), cat="slipc", what="straw"))]
    def single_streams(self):
        R = self.rng; camp = (0, 0, .1, .5, .8, .9, 1, 1, .6, .2, 0, 0)
        goods = lambda p, d: R.choice(("straw", "hay", "grazing", "slurry", "calf", "contracting", "bales"))
        kind = lambda p, d: R.choice(("", "", "vet", "repairs", "service", "diesel", "AI", "parts"))
        return [(15, self.sell(self.nb, dict(fps_in=7, bacs_in=1, chq_in=3), lambda: self.money(30, 2600, "r"), goods, noref=.6)),
                (16, self.sell(self.camp, dict(fps_in=1), lambda: R.choice((1800, 2400, 3600, 5400)) if R.random() < .4 else self.money(30, 210, "h"), lambda p, d: R.choice(("camping", "pitch", "tent")), noref=.8), camp),
                (7, lambda d: self.single(d, self.money(40, 600), self.vend, "card_in", None, "egg shed", cat="in")),
                (6, lambda d: self.single(d, self.money(60, 420, "h"), self.bk, "slip")),
                (28, self.sell(self.sup, dict(fps_out=14, bacs_out=3, chq_out=2), lambda: self.money(28, 3200), kind, base=15000, rate=8, sign=-1)),
                (6, self.sell(self.feed, dict(fps_out=3, bacs_out=2), lambda: self.money(140, 4900), "feed", base=88000, rate=20, sign=-1)),
                (5, self.sell(self.people, dict(fps_out=2, chq_out=1), lambda: self.money(50, 700, "h"), lambda p, d: R.choice(("walling", "fencing", "lambing", "clipping")), noref=.8, sign=-1)),
                (22, self.sell(self.shops, dict(card_out=1), lambda: self.money(5, 260), noref=1, sign=-1))]
    def never_streams(self):
        R = self.rng
        return [(3, self.never("cash", self.shops, "card_out", lambda: self.money(4, 60), -1, cat="out")),
                (3, self.never("not_received", self.nb, "fps_in", lambda: self.money(50, 900, "r"), what="straw")),
                (4, self.never("cheque_not_cashed", self.people, "chq_out", lambda: self.money(40, 600), -1)),
                (2, self.never("contra", self.feed, "fps_out", lambda: self.money(90, 900), -1, what="contra"))]


class Architects(Base):
    """An architects' practice; short lines with codes; a practice manager who enters daily by document and is away in summer."""
    cut = 18; prefix = "QP/"; own_name = "QUILLPATH"; session_days = (2,); absences_per_year = 2; absence_len = 17; what_rate = .3
    modes = dict(**{"in": (54, 22, 16, 4, 4), "out": (26, 56, 14, 4, 0)}, dd=(76, 10, 6, 8, 0), so=(80, 12, 0, 8, 0), card_out=(26, 50, 14, 10, 0), payout=(80, 10, 10, 0, 0),
                 fee=(80, 0, 0, 20, 0), bulk=(20, 76, 4, 0, 0), chq_out=(10, 85, 5, 0, 0))
    bank_t = dict(fps_in=("CR {n} [{r}]", "CR {n} [{r} ]"), bacs_in="CR {n} [{r}] BACS", fps_out=("BP {n} [{r}]",), bacs_out="BP {n} [{r}] BACS", card_out=("VIS {n} {t}", "VIS {n} {t} {d}", ")))  {n} {t}"), dd=("DD {n} {m}", "DD {n}"),
                  so="SO {n} [{r}]", chq_out="CHQ {c}", slip="CR PAID IN {s} {t}", chq_in="CR PAID IN {s}", fee="DR TOTAL CHARGES TO {d}", payout="CR {n} [{r}]", bulk="BP BULK [{r}] QUILLPATH LLP", tfr="TFR {m} [{r}]", int="CR GROSS INTEREST TO {d}")
    book_t = dict(out=("{n}[ - {r}]", "{N}[ {w}][ {r}]", "[{r} ]{n}"), **{"in": ("QP/{r} {n}", "{n}[ QP/{r}][ {w}]", "{N} - fee[ {w}][ {r}]", "[{w} - ]{n}[ {r}]")}, dd=("{n} DD", "{n} {M}"), so=("{n} SO",),
                  card_out=("{n} - co. card", "{n}[ {w}]"), chq_out=("{c} {n}",), slip=("{n} chq[ {r}]",), chq_in=("{n}[ {r}] cheque",), fee=("Bank charges {M}",), till=("{n}",), commission=("fee {n}",),
                  wages=("Salary {n} {M}", "{n} net pay {M}"), exp=("Expenses {n} {M}", "{n} exps[ {w}]"), int=("Bank interest",), tfr=("Tax reserve",))
    bare = {"in": ("Fee receipt", "Client payment", "BACS in"), "out": ("Consultant", "Supplier pmt", "Online payment", "Card purchase")}
    def person_style(self, p): return self.rng.choice((f"{p.title} {p.first[0]} {p.sur}", p.name, f"{p.sur} {p.first[0]}"))
    def setup(self):
        R, f = self.rng, self.f
        self.private = self.persons(70 * f)
        self.clients = self.firms(34 * f, ("Developments", "Homes", "Property", "Estates", "Housing Association", "Academy Trust", "Parish Council", "Brewery", "Hotels", "Construction", "Health Trust", "Diocese"))
        self.cons = self.firms(18 * f, ("Structural Engineers", "Surveyors", "Ecology", "Landscape Design", "Building Control", "Acoustics", "Geotechnical", "Visuals", "Planning Consultants", "Arboriculture"))
        self.sup = self.firms(12 * f, ("Reprographics", "Office Supplies", "IT Services", "Cleaning Services", "Model Makers", "Couriers", "Software", "Recruitment"))
        self.shops = self.firms(22 * f, ("Rail", "Parking", "Coffee", "Books", "Art Supplies", "Hotel", "Taxis", "Print", "Sandwiches"), suffix=False) + [self.body("Planning Portal", "PLANNING PORTAL"), self.body("HM Land Registry", "HM LAND REGISTRY")]
        self.team = self.staff(6 + 2 * f, 1650, 3600); self.bk = self.body("Bank"); self.bulk = self.body("Salaries")
        self.sites = [f"{R.choice(FW)} {R.choice(('House', 'Barn', 'Mill', 'Lodge', 'Cottage', 'Chapel', 'Yard'))}" for _ in range(60)]
        self.anyone = self.clients + self.private
    def site(self, p, d):
        return self.sites[(sum(map(ord, p.code + p.name)) + d // 200) % 60]
    def recurring(self):
        R, f = self.rng, self.f
        self.payroll(self.team, 27, salaried=True, text="SALARIES")
        for d in self.months(10):
            for x in self.team:
                if x[1] <= d < x[2] and R.random() < .6: self.single(d, -self.money(9, 240), x[0], "fps_out", None, R.choice(("mileage", "travel", "expenses")), cat="exp")
        for nm, a, dom, v in (("Northmoor Energy", 28800, 13, .2), ("Skelby District Council", 66100, 1, 0), ("Draftwell Software", 54240, 4, 0), ("Farstream Telecom", 11988, 21, .1), ("Designcover PI", 84160, 15, 0), ("Kelbrook Pensions", 148000, 22, .08),
                              ("Copyline Leasing", 19320, 8, 0), ("Waterworth Coolers", 3348, 18, 0), ("Officeclean North", 31200, 28, 0)):
            self.monthly(dom, self.body(nm), "dd", -a, vary=v)
        self.monthly(24, self.body("Sandbeck Mill Estates", "SANDBECK MILL ESTATES"), "so", -575000, "rent", every=3, phase=0)
        self.monthly(19, self.body("HMRC", "HMRC PAYE/NIC CUMB", "HMRC PAYE"), "fps_out", -612000, "475PX{m}", vary=.1)
        self.monthly(7, self.body("HMRC VAT", "HMRC VAT"), "dd", -1180000, vary=.3, every=3, phase=1)
        self.monthly(26, self.bk, "fee", -1235, vary=.5, fixed=False)
        self.monthly(2, self.bk, "int", 410, vary=.6, fixed=False)
    def group_streams(self):
        R = self.rng
        return [(5, self.several(self.clients, "bacs_in", lambda: self.money(300, 7000, "v"), 2, 4, "several_invoices", self.site)),
                (7, self.parts_paid(self.private, lambda: self.money(700, 9000, "v"), what=self.site)),
                (4, self.several(self.cons, "fps_out", lambda: self.money(180, 2600, "v"), 2, 4, "several_invoices", base=600, rate=1, sign=-1)),
                (2, self.several(self.sup, "dd", lambda: self.money(15, 260), 2, 5, "dd_several", base=33000, rate=6, sign=-1, bank_ref=lambda p, x: "")),
                (2, self.parts_paid(self.cons, lambda: self.money(900, 6000, "v"), ch="fps_out", sign=-1, base=600)),
                (1, self.slips(self.private, lambda: self.money(200, 2000, "v"), what="fee"))]
    def single_streams(self):
        R = self.rng
        return [(20, self.sell(self.private, dict(fps_in=10, bacs_in=2, chq_in=1), lambda: self.money(180, 5200, "v"), self.site)),
                (21, self.sell(self.clients, dict(fps_in=4, bacs_in=9), lambda: self.money(350, 14000, "v"), self.site)),
                (3, self.sell(self.clients, dict(bacs_in=1), lambda: self.money(20, 600), "disbursements")),
                (14, self.sell(self.cons, dict(fps_out=5, bacs_out=3), lambda: self.money(150, 4200, "v"), self.site, base=600, rate=1, sign=-1)),
                (12, self.sell(self.sup, dict(fps_out=9, chq_out=1), lambda: self.money(12, 900), base=33000, rate=6, sign=-1)),
                (34, self.sell(self.shops, dict(card_out=1), lambda: R.choice((350, 480, 20600, 23400, 700)) if R.random() < .18 else self.money(3, 210), noref=1, sign=-1)),
                (1, lambda d: self.single(d, -self.money(2000, 15000, "t"), self.bk, "tfr", None, "TAX"))]
    def never_streams(self):
        return [(3, self.never("credit_card", self.shops, "card_out", lambda: self.money(4, 160), -1)),
                (3, self.never("not_received", self.private, "fps_in", lambda: self.money(180, 2500, "v"), what=self.site)),
                (2, self.never("entered_early_cancelled", self.cons, "fps_out", lambda: self.money(150, 1900, "v"), -1))]


class Funerals(Base):
    """Funeral directors; payers other than the family named; a clerk with a paying-in book who closes each month late."""
    cut = 22; prefix = "F"; own_name = "HARBOTTLE"; session_days = (3,); other_payer = .22; what_rate = .45
    modes = dict(**{"in": (64, 12, 16, 6, 2), "out": (28, 46, 18, 8, 0)}, dd=(80, 6, 2, 12, 0), so=(88, 0, 0, 12, 0), card_out=(30, 40, 20, 10, 0), card_in=(50, 42, 8, 0, 0), payout=(80, 10, 10, 0, 0), fee=(70, 0, 0, 30, 0),
                 bulk=(30, 66, 4, 0, 0), chq_out=(12, 82, 6, 0, 0), slip=(26, 64, 10, 0, 0), chq_in=(26, 64, 10, 0, 0))
    bank_t = dict(fps_in=("INWARD CREDIT {n}[ {r}]", "FASTER PAYMENT {n}[ {r}]"), bacs_in="BACS CREDIT {n}[ {r}]", fps_out="ONLINE PAYMENT {n}[ {r}]", bacs_out="ONLINE PAYMENT {n}[ {r}]", card_out="PURCHASE {d} {n} {t}", dd="DIRECT DEBIT {n} {m}",
                  so="STANDING ORDER {n}[ {r}]", chq_out="CHEQUE {c}", slip="CREDIT {s} {t}", chq_in="CREDIT {s} {t}", fee="SERVICE CHARGE TO {d}", card_in="BACS CREDIT {n} {m}", payout="BACS CREDIT {n}[ {r}]", bulk="ONLINE BULK LIST[ {r}]")
    book_t = dict(out=("{n}[ - {w} dec'd]", "{n}[ {r}][ ({w})]", "[{w}: ]{n}", "{n}[ {r}]"), **{"in": ("{w} F{r} - {n}", "F{r} {w} dec'd", "{n} re {w}[ F{r}]", "{w} decd")}, dd=("DD {n}", "{n} d/d {M}"), so=("SO {n}",), card_out=("{n}", "Card - {n}[ {w}]"),
                  chq_out=("{c} {n}[ {w}]", "Cheque {c} {n}"), slip=("{n} re {w} slip {s}", "{w} F{r} chq {s}"), chq_in=("{w} F{r} chq slip {s}", "{n} re {w}, {s}"), don=("Donations {w} slip {s}", "{s} donations in memory {w}"), fee=("Bank service charge",),
                  card_in=("Card terminal {d}", "{n} {d}"), till=("{w} plan",), plan=("{w} plan[ F{r}]", "F{r} {w} - {n}"), commission=("{n} admin",), wages=("{n} bearer", "Bearer {n} {M}"), crem=("{w} cremation fee", "{n} {w}"), gen=("{n}[ {r}]", "[{r} ]{n}"))
    bare = {"in": ("Funeral a/c", "Receipt from estate", "Credit"), "out": ("Disbursement", "Payment", "Minister", "Online payment")}
    def person_style(self, p): return self.rng.choice((f"{p.title} {p.sur}", f"{p.title} {p.first[0]} {p.sur}", p.name))
    def dead(self, p=None, d=None):
        R = self.rng
        if p is not None and p.person and p.kin and R.random() < .6: return p.sur
        return R.choice(SUR)
    def setup(self):
        R, f = self.rng, self.f
        self.fam = self.persons(170 * f)
        self.sols = self.firms(12 * f, ("Solicitors", "Law", "Probate", "Legal"))
        self.plans = self.firms(3 + f, ("Funeral Plans", "Pre-Need Trust", "Life Plans"))
        self.crem = [self.body(f"{p} Crematorium", f"{p} CREMATORIUM") for p in R.sample(PLACE, min(8, int(3 + f)))]
        self.min = [self.titled() for _ in range(int(14 * f) or 2)]
        self.docs = self.firms(10 * f, ("Medical Centre", "Surgery", "Health Centre"), suffix=False)
        self.sup = self.firms(16 * f, ("Coffins", "Florists", "Memorials", "Limousines", "Stonemasons", "Printers", "Gazette", "Catering", "Embalming Supplies", "Carriage Masters", "Courier"))
        self.grave = self.persons(5 * f); self.shops = self.firms(14 * f, ("Filling Station", "Car Wash", "Stationers", "Dry Cleaners", "Hardware", "Cafe", "Parking"), suffix=False)
        self.councils = [self.body(f"{p} Town Council", f"{p} TOWN COUNCIL") for p in R.sample(PLACE, 4)]
        self.term = self.body("Solace Card Services", "SOLACE CARD SERVICES"); self.bk = self.body("Bank"); self.bulk = self.body("Bearers")
        self.anyone = self.fam
        for p in self.min + self.grave: p.kin = False
    def titled(self):
        p = self.person(); t = self.rng.choice(("Rev", "Rev", "Canon", "Fr", "Celebrant"))
        p.book = f"{t} {p.sur}" if self.rng.random() < .6 else f"{t} {p.first[0]} {p.sur}"; return p
    def recurring(self):
        R, f = self.rng, self.f
        self.payroll(self.staff(5 + 2 * f, 60, 380), 26, text="BEARERS")
        self.pay_single(self.staff(4 + min(6, 2 * f), 1250, 2300), "bacs_out", dom=25, what="", vary=.01, cat="gen")
        for d in self.months(16):
            for c in self.crem:
                parts = [(-R.choice((82000, 84500, 79000, 51000, 86000)) - 100 * R.randint(0, 9), c, None, self.dead(), "crem", False) for _ in range(R.randint(1, 5))]
                if len(parts) > 1 and R.random() < .75: self.many_docs(d + R.randint(-1, 3), "dd", c, parts, "crematorium_collection")
                else: self.single(d, parts[0][0], c, "dd", None, parts[0][3], cat="crem")
        for nm, a, dom, v in (("Northmoor Energy", 33000, 12, .25), ("Skelby District Council", 38800, 1, 0), ("Blackfleet Leasing", 128850, 6, 0), ("Farstream Telecom", 8814, 19, .1), ("Chapelguard Insurance", 26310, 3, 0), ("Fuelwise Cards", 41000, 23, .3), ("Calder Water Business", 3950, 15, .1)):
            self.monthly(dom, self.body(nm), "dd", -a, vary=v)
        self.monthly(1, self.body("E Harbottle Pension Fund", "E HARBOTTLE PENSION FD"), "so", -140000, "rent")
        self.monthly(20, self.body("HMRC", "HMRC ACCOUNTS OFFICE", "HMRC PAYE"), "fps_out", -154000, vary=.12, cat="gen")
        self.monthly(29, self.bk, "fee", -3120, vary=.5, fixed=False)
    def group_streams(self):
        R = self.rng
        def plans(day):
            p = R.choice(self.plans)
            parts = [(self.money(1700, 3400), p, self.ref(day, .5, 2000), self.dead(), "plan", False) for _ in range(R.randint(2, 4))]
            self.many_docs(day, "bacs_in", p, parts, "plan_provider", bank_ref=R.choice((p.code, f"{len(parts)} CLAIMS", f"{parts[0][3]} {parts[1][3]}".upper())))
        def slip(day):
            ps = R.sample(self.fam + self.sols, R.randint(2, 5))
            self.many_docs(day, "slip", ps[0], [(self.money(250, 3900), p, self.ref(day, .5, 2000), self.dead(p), "slip", False) for p in ps], "paying_in_slip")
        def flor(day):
            p = R.choice(self.sup)
            self.many_docs(day, "fps_out", p, [(-self.money(45, 620), p, self.ref(day, 2, 9000), self.dead() if R.random() < .5 else "", "out", False) for _ in range(R.randint(2, 6))], "several_invoices", bank_ref=R.choice((p.code, "HARBOTTLE", "STATEMENT")))
        def mins(day):
            ms = R.choice(self.min)
            self.many_docs(day, "fps_out", ms, [(-R.choice((21100, 20000, 22500, 9500)) - 100 * R.randint(0, 7), ms, None, self.dead(), "out", False) for _ in range(R.randint(2, 3))], "several_fees", bank_ref="FEES HARBOTTLE")
        return [(4, plans), (4, slip), (4, flor), (2, mins), (7, self.parts_paid(self.fam, lambda: self.money(1500, 4800), what=self.dead, kinds=("deposit_balance", "instalments"), rate=.5, base=2000))]
    def single_streams(self):
        R = self.rng
        return [(27, self.sell(self.fam, dict(fps_in=9, bacs_in=2, chq_in=3), lambda: self.money(150, 4600), self.dead, rate=.5, base=2000)),
                (10, self.sell(self.sols, dict(bacs_in=4, chq_in=2, fps_in=3), lambda: self.money(1400, 5200), self.dead, rate=.5, base=2000)),
                (4, self.sell(self.plans, dict(bacs_in=1), lambda: self.money(1700, 3400), self.dead, rate=.5, base=2000)),
                (6, lambda d: self.single(d, self.money(90, 2400), self.term, "card_in")),
                (4, lambda d: self.single(d, self.money(40, 600), self.bk, "slip", None, self.dead(), cat="don")),
                (12, self.sell(self.min, dict(fps_out=7, chq_out=2), lambda: R.choice((21100, 20000, 22500, 19500, 18000)), self.dead, noref=1, sign=-1)),
                (6, self.sell(self.docs, dict(fps_out=3, chq_out=1), lambda: R.choice((8200, 16400)) if R.random() < .6 else self.money(60, 200), self.dead, noref=.6, base=300, sign=-1)),
                (16, self.sell(self.sup, dict(fps_out=9, chq_out=1), lambda: self.money(45, 1500), lambda p, d: self.dead() if R.random() < .5 else "", base=9000, rate=2, sign=-1)),
                (4, self.sell(self.grave, dict(chq_out=1, fps_out=2), lambda: R.choice((28000, 32000, 22000, 35000)), self.dead, noref=1, sign=-1)),
                (4, self.sell(self.councils, dict(fps_out=4, chq_out=1), lambda: self.money(300, 1400, "r"), self.dead, noref=.5, base=700, sign=-1)),
                (11, self.sell(self.shops, dict(card_out=1), lambda: self.money(4, 130), noref=1, sign=-1))]
    def never_streams(self):
        return [(3, self.never("cheque_not_cashed", self.min, "chq_out", lambda: self.money(40, 300), -1, what=self.dead)),
                (3, self.never("not_received", self.fam, "fps_in", lambda: self.money(150, 3000), what=self.dead)),
                (2, self.never("cash", self.shops, "card_out", lambda: self.money(4, 60), -1))]


class heronmere_theatre(Theatre): pass
class blackrow_garage(Garage): pass
class tollerby_farm(Farm): pass
class quillpath_architects(Architects): pass
class harbottle_funerals(Funerals): pass
COMPANIES = {c.__name__: c for c in (heronmere_theatre, blackrow_garage, tollerby_farm, quillpath_architects, harbottle_funerals)}

def generate(company, seed, n):
    c = COMPANIES[company](seed, n)
    data, truth = c.run()
    return data, truth, c

def main():
    a = argparse.ArgumentParser(description=__doc__)
    a.add_argument("--list", action="store_true"); a.add_argument("--company"); a.add_argument("--seed", type=int, default=1)
    a.add_argument("--n", type=int, default=500); a.add_argument("--out")
    o = a.parse_args()
    if o.list:
        print("\n".join(COMPANIES)); return
    if o.company not in COMPANIES or not o.out: a.error("--company (one of --list) and --out are needed")
    data, truth, _ = generate(o.company, o.seed, o.n)
    for x, s in ((data, ".json"), (truth, ".truth.json")):
        with open(o.out + s, "w") as fh: json.dump(x, fh, indent=1)

if __name__ == "__main__": main()
