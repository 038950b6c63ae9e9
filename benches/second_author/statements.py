#!/usr/bin/env python3
"""Bank statements and the books that belong to them, for eight kinds of UK business.

    python3 statements.py --seed 1 --rows 5000 --company cafe --out /tmp/cafe
    python3 statements.py --seed 1 --rows 5000 --company all --check

Writes PATH.json (both lists and the options) and PATH.truth.json (the true pairs).
Standard library only. The same seed, rows, company and window give the same files.
All amounts are whole pence until they are written.
"""
import argparse
import bisect
import datetime as dt
import json
import math
import random
import re
import sys
from collections import Counter

# ---------------------------------------------------------------------------
# Calendar
# ---------------------------------------------------------------------------

MON = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
MONTH = ["January", "February", "March", "April", "May", "June", "July", "August",
         "September", "October", "November", "December"]


def easter(y):
    a, b, c = y % 19, y // 100, y % 100
    d, e = b // 4, b % 4
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = c // 4, c % 4
    l = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * l) // 451
    return dt.date(y, (h + l - 7 * m + 114) // 31, (h + l - 7 * m + 114) % 31 + 1)


def bank_holidays():
    out = set()
    for y in range(2010, 2032):
        e = easter(y).toordinal()
        out |= {e - 2, e + 1}
        first_may = dt.date(y, 5, 1).toordinal()
        out.add(first_may + (-(first_may - 1) % 7))
        for last in (dt.date(y, 5, 31), dt.date(y, 8, 31)):
            out.add(last.toordinal() - last.weekday())
        ny = dt.date(y, 1, 1).toordinal()
        while (ny - 1) % 7 >= 5:
            ny += 1
        out.add(ny)
        xmas = dt.date(y, 12, 25).toordinal()
        need = 2
        while need:
            if (xmas - 1) % 7 < 5:
                out.add(xmas)
                need -= 1
            xmas += 1
    return out


HOLS = bank_holidays()


def wd(o):
    return (o - 1) % 7


def is_bd(o):
    return (o - 1) % 7 < 5 and o not in HOLS


def roll(o):
    while not is_bd(o):
        o += 1
    return o


def rollback(o):
    while not is_bd(o):
        o -= 1
    return o


def plus_bd(o, n):
    o = roll(o) if n == 0 else o
    while n > 0:
        o += 1
        if is_bd(o):
            n -= 1
    return o


_dcache = {}


def D(o):
    d = _dcache.get(o)
    if d is None:
        d = _dcache[o] = dt.date.fromordinal(o)
    return d


def dim(y, m):
    return (dt.date(y + m // 12, m % 12 + 1, 1) - dt.date(y, m, 1)).days


# Schedules: (expected events a month, generator(rng, start, end))

def monthly(dom, skip=0.0, jit=0):
    def g(r, s, e):
        d = D(s)
        y, m = d.year, d.month
        while True:
            o = dt.date(y, m, min(dom, dim(y, m))).toordinal()
            if o > e:
                return
            if o >= s and r.random() >= skip:
                yield o + (r.randint(-jit, jit) if jit else 0)
            m += 1
            if m > 12:
                y, m = y + 1, 1
    return (1 - skip, g)


def weekly(day, skip=0.0, n=1, phase=0):
    def g(r, s, e):
        o = s + (day - wd(s)) % 7 + 7 * phase
        while o <= e:
            if r.random() >= skip:
                yield o
            o += 7 * n
    return (4.345 * (1 - skip) / n, g)


def every(n, offset=0):
    def g(r, s, e):
        o = s + offset % n
        while o <= e:
            yield o
            o += n
    return (30.4 / n, g)


def days(open_days, p=1.0):
    def g(r, s, e):
        for o in range(s, e + 1):
            if wd(o) in open_days and not (D(o).month == 12 and D(o).day in (25, 26)):
                if p >= 1 or r.random() < p:
                    yield o
    return (4.345 * len(open_days) * p, g)


def rand(per_month, open_days=(0, 1, 2, 3, 4)):
    def g(r, s, e):
        t = float(s)
        while True:
            t += r.expovariate(per_month / 30.4)
            if t > e:
                return
            o = int(t)
            while wd(o) not in open_days:
                o += 1
            yield o
    return (per_month, g)


def quarterly(first_month, dom):
    def g(r, s, e):
        for o in monthly(dom)[1](r, s, e):
            if (D(o).month - first_month) % 3 == 0:
                yield o
    return (1 / 3, g)


def yearly(month, dom):
    def g(r, s, e):
        for o in monthly(dom)[1](r, s, e):
            if D(o).month == month:
                yield o
    return (1 / 12, g)


# ---------------------------------------------------------------------------
# Amounts (pence)
# ---------------------------------------------------------------------------

def P(x):
    return int(round(x * 100))


def fixed(x, rise=0.0, to=0.01, month=4):
    """The same each time; goes up once a year."""
    base = P(x)
    step = P(to)

    def f(r, o):
        if not rise:
            return base
        d = D(o)
        yrs = d.year - 2019 - (1 if d.month < month else 0)
        return max(step, int(round(base * (1 + rise) ** yrs / step)) * step)
    return f


def pick(*xs):
    ps = [P(x) for x in xs]
    return lambda r, o: r.choice(ps)


def logn(median, sigma=0.5, to=0.01):
    mu, step = math.log(median), P(to)
    return lambda r, o: max(step, int(round(P(math.exp(r.gauss(mu, sigma))) / step)) * step)


def mix(p, a, b):
    return lambda r, o: (a if r.random() < p else b)(r, o)


def times(unit, ns):
    u = P(unit)
    return lambda r, o: u * r.choice(ns)


def seasonal(median, sigma, weekend=1.3):
    mu = math.log(median)

    def f(r, o):
        k = weekend if wd(o) >= 4 else 1.0
        k *= 1 + 0.15 * math.sin((D(o).month - 4) / 12 * 2 * math.pi)
        # card takings end in 0 or 5 pence more often than not
        v = P(math.exp(r.gauss(mu, sigma)) * k)
        return max(100, v - v % 5 if r.random() < .75 else v)
    return f


# ---------------------------------------------------------------------------
# Names
# ---------------------------------------------------------------------------

FIRST = """David Michael Robert Katherine Elizabeth Andrew Stephen Patricia Margaret Mohammed Christopher
Samantha Thomas Joanne Rebecca Daniel Matthew Anthony Nicholas Deborah Susan Jacqueline Ian Kevin Gareth
Siobhan Priya Anil Sunita Harpreet Gurdeep Fatima Yusuf Ahmed Aisha Agnieszka Piotr Krzysztof Magdalena
Andrei Ioana Chidi Ngozi Kwame Li Mei Wayne Tracey Sharon Darren Lee Callum Ewan Fiona Rhys Bronwen Owen
Charlotte Oliver Jack Amelia Harry Jessica Leanne Kirsty Gemma Stuart Graham Trevor Maureen Doreen""".split()
NICK = {"David": "Dave", "Michael": "Mick", "Robert": "Bob", "Katherine": "Kath", "Elizabeth": "Liz",
        "Andrew": "Andy", "Stephen": "Steve", "Patricia": "Pat", "Margaret": "Maggie", "Mohammed": "Mo",
        "Christopher": "Chris", "Samantha": "Sam", "Thomas": "Tom", "Joanne": "Jo", "Rebecca": "Becky",
        "Daniel": "Danny", "Matthew": "Matt", "Anthony": "Tony", "Nicholas": "Nick", "Deborah": "Debs",
        "Susan": "Sue", "Jacqueline": "Jackie", "Kevin": "Kev", "Harpreet": "Harps", "Gurdeep": "Gurdy",
        "Agnieszka": "Aga", "Krzysztof": "Chris P", "Magdalena": "Magda", "Tracey": "Trace",
        "Darren": "Daz", "Charlotte": "Lottie", "Oliver": "Ollie", "Jessica": "Jess", "Stuart": "Stu",
        "Trevor": "Trev", "Maureen": "Mo (office)", "Callum": "Cal", "Gareth": "Gaz"}
SUR = """Smith Jones Taylor Brown Williams Wilson Johnson Davies Patel Robinson Wright Thompson Evans Walker
White Roberts Green Hall Wood Jackson Clarke Singh Khan Hussain Begum Ali Kaur Shah Mistry Chauhan O'Neill
Murphy Kelly Doyle Gallagher Kowalski Nowak Wojcik Popescu Ionescu Okafor Adeyemi Mensah Chen Wong Nguyen
MacDonald Campbell Stewart Fraser McKenzie Price Morgan Rees Llewellyn Hughes Griffiths Cooper Ward Turner
Parker Cook Bailey Marshall Ellis Harrison Mason Palmer Barker Holmes Chapman Webb Gibson Hunt Fox Reid
Dixon Burton Cartwright Pickering Ashworth Hargreaves Butterworth Featherstone Braithwaite""".split()
TOWNS = """Leicester Nottingham Derby Coventry Oadby Wigston Hinckley Rugby Corby Kettering Lincoln Newark
Mansfield Burton Tamworth Nuneaton Stamford Grantham Boston Melton Worksop Ilkeston""".split()
STREETS = ["Welford Rd", "Narborough Rd", "London Rd", "Queens Rd", "Evington Rd", "Clarendon Park Rd", "Station St",
           "Church Lane", "High St", "Mill Lane", "Victoria Ave", "Albert St", "Park View", "The Green", "Castle St",
           "Hinckley Rd", "Uppingham Rd", "Belgrave Gate", "Saffron Lane", "Fosse Rd", "Aylestone Rd", "Kings Ct",
           "Wharf St", "Granby St", "Tudor Rd", "Beaumont Leys", "Stoneygate Ct", "Knighton Dr", "Glenfield Rd"]
TRADE1 = """Star Crown Swan Premier Midland Trent Soar Charnwood Regal Phoenix Apex Summit Castle Abbey Forest
Bridge Orchard Bluebell Highfield Riverside Central Union Kingfisher Falcon Beacon Oak Ivy Windmill Granite
Copper Silver Northgate Westleigh Eastfield""".split()
TRADE2 = """News Stores Bakery Interiors Motors Catering Foods Engineering Plastics Textiles Joinery Print
Garden Centre|Fashions Electrical Plumbing Logistics Packaging Furniture Flooring Estates Pharmacy Opticians
Hotel Gym Lettings Drinks Wholesale Fixings Roofing Glass Signs Labels Pet Supplies""".replace("\n", " ").split()
TRADE2 = [t.split("|")[0] for t in TRADE2]


class Person:
    __slots__ = ("first", "sur", "bank", "nick", "initials")

    def __init__(self, r):
        self.first, self.sur = r.choice(FIRST), r.choice(SUR)
        f, s = self.first, self.sur
        forms = [f"{s} {f[0]}", f"{f[0]} {s}", f"MR {f[0]} {s}", f"{f} {s}", f"{s} {f[0]}{r.choice('AJLMP')}",
                 f"MISS {f[0]} {s}", f"{f[0]}.{s}", f"{s} {f}"]
        self.bank = [r.choice(forms)]
        if r.random() < .15:                      # moved to another bank, or a partner pays
            self.bank.append(r.choice(forms) if r.random() < .6 else
                             f"{r.choice(FIRST)[0]} {r.choice(SUR)}")
        self.nick = NICK.get(f, f)
        self.initials = f[0] + s[0]


class Firm:
    """A business with a trading name the books use and a legal name the bank prints."""
    __slots__ = ("trade", "bank", "code", "short", "owner")

    def __init__(self, r, trades=None):
        a, b = r.choice(TRADE1), r.choice(trades or TRADE2)
        self.trade = f"{a} {b}"
        o = self.owner = Person(r)
        x = r.random()
        if x < .42:
            legal = f"{a} {b} LTD"
        elif x < .58:
            legal = f"{o.sur} & {r.choice(['SONS', 'CO', 'DAUGHTER', r.choice(SUR)])} LTD"
        elif x < .70:
            legal = f"{''.join(r.choice('ABCDEFGHJKLMNPRSTW') for _ in range(r.choice((2, 3, 3))))} " \
                    f"{r.choice(['HOLDINGS', 'TRADING', 'GROUP', 'MIDLANDS LTD', 'UK LTD', '(LEICESTER) LTD'])}"
        elif x < .84:
            legal = o.bank[0]
        else:
            legal = f"{a[:4]}{b[:4]} {r.choice(['LTD', 'LIMITED', 'UK', 'LLP'])}"
        self.bank = [legal]
        if r.random() < .2:
            self.bank.append(legal.replace(" LTD", " LIMITED").replace("&", "AND"))
        self.code = (a[:3] + b[:1]).upper() + f"{r.randint(1, 29):03d}" if r.random() < .5 \
            else a[:4].upper() + f"{r.randint(1, 9):02d}"
        self.short = r.choice([a, b, a + " " + b[:4], "".join(w[0] for w in self.trade.split()) + "L"])

    def books(self, r, kind):
        if kind == "in":
            t = [f"{self.trade} {{inv}}", f"{self.short} inv {{inv}}", f"{self.code}", f"SR {self.code} {{inv}}",
                 f"{self.trade}", f"{self.owner.nick} @ {self.short}", f"{self.code} on a/c", "Sales receipt {inv}",
                 f"{self.short} pd {{inv}}"]
        else:
            t = [f"{self.trade}", f"{self.short} stmt {{m}}", f"{self.code}", f"PP {self.code}", f"{self.short} {{inv}}",
                 f"{self.owner.nick} - {self.short}", f"{self.trade} {{m}} a/c", f"PL pymt {self.code}"]
        return r.sample(t, r.randint(3, 5))


# ---------------------------------------------------------------------------
# Banks: how each prints a line
# ---------------------------------------------------------------------------

LEGACY = {"barclays", "lloyds", "natwest", "hsbc", "santander"}
BANKS = ["barclays", "lloyds", "natwest", "hsbc", "santander", "starling", "monzo", "tide", "revolut"]


def cut(s, n):
    return s[:n].rstrip()


def bank_line(bk, ch, payee, ref, o, r, town, card4):
    """o is the day the thing happened; the printed date, where there is one, is that day."""
    d = D(o)
    up = payee.upper()
    ref_u = ref.upper()
    dm = f"{d.day:02d} {MON[d.month - 1].upper()}"
    if ch == "chq":
        return {"barclays": f"CHEQUE {ref}", "lloyds": f"{ref} CHQ", "natwest": f"CHQ {ref}", "hsbc": f"CHQ {ref}",
                "santander": f"CHEQUE {ref}"}.get(bk, f"Cheque {ref}")
    if ch == "chqin":
        n = r.randint(100, 999)
        return {"barclays": f"Counter Credit {ref_u} {town.upper()}"[:34], "lloyds": f"{up} DEP {n}",
                "natwest": f"{ref} CHQ IN AT {town.upper()}", "hsbc": f"CR CREDIT {ref}",
                "santander": f"CHEQUE PAID IN AT {town.upper()} {ref}"}.get(bk, "Cheque deposit " + ref)
    if ch == "cashin":
        return {"barclays": f"{town.upper()} {ref} CASH DEPOSIT", "lloyds": f"{cut(town.upper(), 12)} {ref} DEP",
                "natwest": f"{ref} , CASH/DEP MACHINE , {town.upper()}", "hsbc": f"CR PAID IN AT {town.upper()}",
                "santander": f"CASH PAID IN AT {town.upper()} POST OFFICE"}.get(
                    bk, f"Post Office Deposit {town}" if r.random() < .7 else f"PAYPOINT {town.upper()}")
    if ch == "atm":
        return {"barclays": f"ASDA {town.upper()} ON {dm} CSH", "lloyds": f"LNK {town.upper()} CD {card4} {d:%d%b%y}".upper(),
                "natwest": f"{card4} {d:%d%b} CASH {town}".upper(), "hsbc": f"ATM CASH {town.upper()} {d:%b%d}".upper(),
                "santander": f"CASH WITHDRAWAL AT {town.upper()} ON {d:%d-%m-%Y}"}.get(bk, f"ATM {town}")
    if ch == "fee":
        p = D(o)
        return {"barclays": f"COMMISSION CHARGES FOR PERIOD {p:%d %b}".upper(), "lloyds": "SERVICE CHARGES REF : " + str(r.randint(10**8, 10**9)),
                "natwest": f"CHARGES {p:%d%b} A/C {card4}4421".upper(), "hsbc": f"DR TOTAL CHARGES TO {p:%d%b%Y}".upper(),
                "santander": "MONTHLY ACCOUNT FEE"}.get(bk, f"{bk.title()} subscription fee")
    if ch == "int":
        return {"barclays": "INTEREST PAID GROSS", "hsbc": "CR GROSS INTEREST", "natwest": f"INT {d:%d%b}".upper()}.get(bk, "Interest earned")
    if ch == "trf":
        return {"barclays": f"{card4}8812 {ref_u} TFR", "lloyds": f"{up} TFR {card4}1", "natwest": f"TO A/C {card4}0019 , {ref_u}",
                "hsbc": f"TRF {card4}5531 INTERNET TRANSFER", "santander": f"TRANSFER TO {up}"}.get(bk, f"Transfer {payee} {ref}".strip())
    if ch == "bulk":
        return {"barclays": f"BULK PAYMENT {ref_u} BBP", "lloyds": f"{cut(ref_u, 18)} BULK FPO", "natwest": f"BACS MULTI {ref_u} , BULK PMT",
                "hsbc": f"BP {cut(ref_u, 18)} HSBCNET BATCH", "santander": f"BULK PAYMENT REF {ref_u}"}.get(bk, f"Bulk payment {ref}")
    if bk == "barclays":
        p = cut(up, 18)
        if ch == "card":
            return f"{p} ON {dm} {'BCC' if r.random() < .5 else 'CPM'}" if r.random() < .85 else f"Card Payment to {payee} On {d.day} {MON[d.month - 1]}"
        suf = {"dd": "DDR", "so": "STO", "fpo": "BBP", "fpi": "FT" if r.random() < .6 else "BGC", "bgc": "BGC"}[ch]
        return f"{p}  {cut(ref_u, 18)} {suf}".replace("   ", "  ")
    if bk == "lloyds":
        p = cut(up, 18)
        if ch == "card":
            return f"{p} CD {card4}" + (f" {d:%d%b%y}".upper() if r.random() < .6 else "")
        if ch == "fpi":
            return f"{p} {cut(ref_u, 18)} FP {d:%d/%m/%y} {r.randint(7, 21):02d}{r.randint(0, 59):02d}"
        if ch == "fpo":
            return f"{p} {r.randint(10**11, 10**12 - 1)} {cut(ref_u, 18)} {d:%d%b%y}".upper()
        return f"{p} {cut(ref_u, 18)}" + {"dd": "", "so": " SO", "bgc": " BGC"}[ch]
    if bk == "natwest":
        if ch == "card":
            c = "C" if r.random() < .4 else "CD"
            return f"{card4} {d:%d%b%y} {c} , {cut(up, 22)} , {town.upper()} GB".replace(d.strftime("%b"), d.strftime("%b").upper())
        if ch in ("fpi", "fpo"):
            return f"{cut(up, 22)} , {cut(ref_u, 18)} , FP {d:%d/%m/%y} {r.randint(10, 60)} , {r.randint(10**10, 10**11)}"
        return f"{cut(up, 18)} {cut(ref_u, 18)}"
    if bk == "hsbc":
        p = cut(up, 18)
        tag = {"card": ")))" if r.random() < .45 else "VIS", "dd": "DD", "so": "SO", "fpo": "BP", "fpi": "CR", "bgc": "CR"}[ch]
        if ch == "card":
            return f"{tag} {p} {town.upper()}"
        return f"{tag} {p} {cut(ref_u, 18)}"
    if bk == "santander":
        if ch == "card":
            return f"CARD PAYMENT TO {up} ON {d:%d-%m-%Y}"
        if ch == "dd":
            return f"DIRECT DEBIT PAYMENT TO {up} REF {ref_u or r.randint(10**6, 10**7)}, MANDATE NO {r.randint(1, 60):04d}"
        if ch == "so":
            return f"STANDING ORDER {'VIA FASTER PAYMENT ' if r.random() < .5 else ''}{up} REFERENCE {ref_u}"
        if ch == "fpo":
            return f"BILL PAYMENT VIA FASTER PAYMENT TO {up} REFERENCE {ref_u or 'PAYMENT'} , MANDATE NO {r.randint(1, 300)}"
        if ch == "fpi":
            return f"FASTER PAYMENTS RECEIPT REF.{ref_u} FROM {up}"
        return f"BANK GIRO CREDIT REF {up}, {ref_u}"
    if bk == "starling":
        t = payee if ch != "card" or r.random() < .5 else payee.upper()
        return f"{t} {ref}" if ch != "card" else t
    if bk == "monzo":
        if ch == "card":
            return f"{cut(up, 22):<22} {cut(town.upper(), 12)} GBR"
        return f"{payee}" + (f" | {ref}" if ref else "")
    if bk == "tide":
        if ch == "card":
            return f"{cut(up, 22)} {town.upper()} card {card4}"
        if ch in ("fpi", "bgc"):
            return f"{payee} ref: {ref_u}"
        return f"{payee}" + (f" ref: {ref}" if ref else "")
    # revolut
    if ch == "card":
        return payee
    if ch in ("fpi", "bgc"):
        return (f"Money added from {up}" if r.random() < .3 else f"Payment from {payee}") + (f" - {ref}" if ref and r.random() < .6 else "")
    return f"To {payee}" + (f" - {ref}" if ref and r.random() < .7 else "")


# ---------------------------------------------------------------------------
# Bookkeepers
# ---------------------------------------------------------------------------

ABBR = [("payment", "pymt"), ("invoice", "inv"), ("insurance", "ins"), ("account", "a/c"), ("subscription", "subs"),
        ("materials", "mats"), ("wages", "wgs"), ("takings", "tkgs"), ("rent", "rnt"), ("donation", "don"),
        ("maintenance", "maint"), ("deposit", "dep"), ("equipment", "equip"), ("received", "recd"),
        ("electricity", "elec"), ("supplies", "supps"), ("management", "mgmt"), ("expenses", "exps")]
PREFIXES = {"out": [["BP "], ["Payment: "], ["Spend Money - "], ["PP ", "BP "], ["Exp: "], ["Supplier Payment - "]],
            "in": [["BR "], ["Receipt: "], ["Receive Money - "], ["SA ", "BR "], ["Inc: "], ["Customer Receipt - "]]}
HABITS = {  # chances of dating a row: from statement, on the event, before, after, next Friday, month end
    "card": (.42, .44, 0, .08, .05, .01), "dd": (.76, .20, 0, .01, .01, .02), "so": (.8, .17, 0, .02, .01, 0),
    "fpo": (.48, .10, .30, .05, .06, .01), "fpi": (.58, .08, 0, .26, .08, 0), "bgc": (.5, .12, 0, .28, .09, .01),
    "settle": (.24, .70, 0, .04, .02, 0), "settle_after": (.25, .03, 0, .68, .04, 0), "chq": (.02, .97, 0, .01, 0, 0),
    "chqin": (.12, .84, 0, .04, 0, 0), "cashin": (.3, .64, 0, .04, .02, 0), "fee": (.8, 0, 0, .05, .05, .1),
    "bulk": (.45, .12, .38, .02, .03, 0), "atm": (.5, .4, 0, .05, .05, 0), "trf": (.8, .1, .05, .05, 0, 0),
    "int": (.7, 0, 0, .1, .0, .2)}
HNAME = ("stmt", "event", "before", "after", "friday", "monthend")


def payee_as_read(bank):
    """What is left of a printed payee once somebody has typed it again."""
    t = re.sub(r"\{.\}|\*|\b(LTD|LIMITED|PLC|UK|MR|MISS|LLP)\b", " ", bank, flags=re.I)
    w = t.replace(".", " ").split()[:3]
    return " ".join(w).title() or bank


class Keeper:
    def __init__(self, r, role, n):
        self.n = n
        self.role = role
        self.case = r.choices(["keep", "lower", "upper", "title"], [4, 3, 2, 1])[0]
        if role == "owner":
            self.case = r.choice(["lower", "keep"])
        self.abbr = r.choice([0, 0, .3, .8])
        self.typo = r.choice([.003, .01, .02, .05]) * (1.5 if role == "owner" else 1)
        i = r.randrange(6)
        self.prefix = (PREFIXES["out"][i], PREFIXES["in"][i]) if r.random() < (.0 if role == "owner" else .35) else None
        self.max = r.choice([500, 500, 60, 30, 22])
        self.sticky = r.choice([.97, .9, .8, .65]) if role != "owner" else r.choice([.8, .6])
        self.m = r.choice(["{Mon}", "{Month}", "{Mon} {yy}", "{mm}/{yy}", "P{per}", "{Mon}{yy}", "{Month} {yyyy}"])
        self.w = r.choice(["wk {iso}", "w/e {we}", "Wk{iso}", "week {iso}", "w/c {wc}", "wk ending {we}", "{we}"])
        self.inv = r.choice(["{0}", "INV-{0}", "inv{0}", "#{0}", "SI{0}", "{1}", "INV {0}", "00{0}"])
        self.sloppy = {"owner": 2.2, "temp": 1.6}.get(role, 1.0) * r.uniform(.6, 1.5)
        self.prefix_p = r.choice([1, .7, .4])
        if self.prefix and self.max <= 30:        # a narrow field leaves no room for the long ones
            self.prefix = (["BP "], ["BR "])
        self.copy = r.choice([0, .05, .15, .4])   # copies the payee off the statement
        self.phrase, self.habit, self.gross = {}, {}, {}

    def word(self, r, st, o, inv):
        opts = st.book
        i = self.phrase.get(st.id)
        if i is None:
            i = self.phrase[st.id] = -1 if st.bank[0] and r.random() < self.copy else r.randrange(len(opts))
        if r.random() > self.sticky:
            i = r.randrange(len(opts))
        t = opts[i] if i >= 0 else payee_as_read(st.bank[0])
        if "{" in t:
            t = self.fill(t, o, inv, st)
        if self.abbr and r.random() < self.abbr:
            low = t.lower()
            for a, b in ABBR:
                if a in low:
                    t = re.sub(a, b, t, flags=re.I)
                    break
        c = self.case
        if c == "lower":
            t = t.lower()
        elif c == "upper":
            t = t.upper()
        elif c == "title":
            t = t.title()
        if self.prefix and r.random() < self.prefix_p:
            t = r.choice(self.prefix[0 if st.sign < 0 else 1]) + t
        if r.random() < self.typo and len(t) > 5:
            k = r.randrange(1, len(t) - 2)
            x = r.random()
            if x < .4:
                t = t[:k] + t[k + 1] + t[k] + t[k + 2:]
            elif x < .7:
                t = t[:k] + t[k + 1:]
            else:
                t = t[:k] + t[k] + t[k:]
        if r.random() < .012:
            t += r.choice([" ?", " - query", " (no receipt)", " tbc", " see email", " - chk", " part", " final"])
        t = " ".join(t[:self.max].split())
        return t or "sundry"

    def fill(self, t, o, inv, st):
        d = D(o)
        if "{m}" in t:
            # a payment at the start of a month is usually for the month before
            t = t.replace("{m}", self.m.replace("{Mon}", MON[d.month - 1]).replace("{Month}", MONTH[d.month - 1])
                          .replace("{mm}", f"{d.month:02d}").replace("{yyyy}", str(d.year))
                          .replace("{yy}", f"{d.year % 100:02d}").replace("{per}", str((d.month - 4) % 12 + 1)))
        if "{w}" in t:
            we = D(o - wd(o) + 6)
            wc = D(o - wd(o))
            t = t.replace("{w}", self.w.replace("{iso}", str(d.isocalendar()[1]))
                          .replace("{we}", f"{we.day}/{we.month}").replace("{wc}", f"{wc.day}.{wc.month:02d}"))
        if "{d}" in t:
            t = t.replace("{d}", f"{d.day}/{d.month}" if self.n % 2 else f"{d.day} {MON[d.month - 1]}")
        if "{day}" in t:
            t = t.replace("{day}", ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][wd(o)])
        if "{inv}" in t:
            s = str(inv)
            t = t.replace("{inv}", self.inv.format(s, s[-4:]))
        return t

    def date(self, r, st, ev, bank):
        h = self.habit.get(st.id)
        w = HABITS[st.hab]
        if h is None:
            h = self.habit[st.id] = r.choices(HNAME, w)[0]
        if r.random() > .85:
            h = r.choices(HNAME, w)[0]
        if h == "stmt":
            return bank if r.random() < .93 else bank + r.choice((-1, 1, 1, 2))
        if h == "event":
            return ev
        if h == "before":
            return ev - r.choice((0, 0, 1, 1, 2, 3))
        if h == "after":
            return bank + r.choice((0, 1, 1, 1, 2, 2, 3, 4))
        if h == "friday":
            return bank + (4 - wd(bank)) % 7
        d = D(bank)
        return dt.date(d.year, d.month, dim(d.year, d.month)).toordinal()


# ---------------------------------------------------------------------------
# Streams and the company builder
# ---------------------------------------------------------------------------

class Stream:
    __slots__ = ("id", "bank", "ch", "book", "amt", "sign", "sched", "ref", "hab", "lag", "site", "town", "fee",
                 "bank_only", "book_only", "from_", "to_", "who")


class Company:
    def __init__(self, seed, scale, start, end):
        self.r = random.Random(seed)
        self.scale, self.start, self.end = scale, start, end
        self.streams = []
        self.town = self.r.choice(TOWNS)
        self.inv_base = self.r.choice([120, 1040, 2300, 10442, 30071])
        self.inv_rate = self.r.uniform(.3, 3)

    def n(self, base, least=1):
        x = base * self.scale
        k = int(x) + (self.r.random() < x - int(x))
        return max(least, k)

    def add(self, bank, ch, book, amt, sched, sign=-1, ref="", hab=None, lag=None, site=0, town=None, fee=0.0,
            bank_only=0.0, book_only=0.0, life=None, who=None):
        s = Stream()
        s.id = len(self.streams)
        s.bank = [bank] if isinstance(bank, str) else list(bank)
        s.ch, s.amt, s.sched, s.sign, s.ref = ch, amt, sched, sign, ref
        s.book = [book] if isinstance(book, str) else list(book)
        s.hab = hab or ch
        s.lag, s.site, s.town, s.fee = lag, site, town or self.town, fee
        s.bank_only, s.book_only, s.who = bank_only, book_only, who
        s.from_, s.to_ = life or (self.start, self.end)
        self.streams.append(s)
        return s

    def churn(self, p, typical_days):
        """With chance p the party is there only for part of the time."""
        if self.r.random() >= p:
            return (self.start, self.end)
        a = self.r.randint(self.start - typical_days, self.end - 20)
        b = a + int(self.r.expovariate(1 / typical_days)) + 45
        return (max(self.start, a), max(self.start + 30, min(self.end, b)))

    def some(self, xs, k):
        return self.r.sample(xs, min(k, len(xs)))

    def expected(self):
        return sum(s.sched[0] * (1 - s.book_only) * max(0, s.to_ - s.from_ + 1) / 30.4 for s in self.streams)


def acct(r, n=8):
    return str(r.randint(10 ** (n - 1), 10 ** n - 1))


def overheads(c, vehicles=False, office=True):
    """What every small firm pays."""
    r, t = c.r, c.town
    O = [
        ("BRITISH GAS BUSINES", "dd", ["Electricity", "Light & heat", "Elec {m}", "utilities"], logn(240, .35), monthly(r.randint(3, 24))),
        ("TOTALENERGIES G&P", "dd", ["Gas", "Heating {m}", "utilities"], logn(160, .5), monthly(r.randint(3, 24))),
        (["EE LIMITED", "EE & T-MOBILE"], "dd", ["Mobiles", "Phones", "mobile contract {m}"], fixed(r.choice([54, 86.4, 132.6]), .05, .01), monthly(r.randint(2, 27))),
        ("BT GROUP PLC", "dd", ["Broadband", "Telephone", "Landline + internet"], fixed(r.choice([41.94, 59.88]), .07), monthly(r.randint(2, 27))),
        (["HMRC NDDS", "HMRC CUMBERNAULD", "HMRC PAYE/NIC CUMB"], "fpo", ["PAYE/NIC {m}", "Tax & NI", "Inland Rev {m}", "P32 {m}"], logn(1900, .25), monthly(22, jit=1)),
        ("HMRC VAT", "dd", ["VAT qtr {m}", "VAT return", "C&E"], logn(6200, .4), quarterly(r.choice([1, 2, 3]), 10)),
        (["NEST", "NEST PENSIONS"], "dd", ["Pension conts", "AE pension {m}", "Staff pensions"], logn(420, .2), monthly(r.randint(14, 23))),
        (f"{t.upper()} CITY COUNCIL", "dd", ["Business rates", "Rates {m}", "NNDR inst"], fixed(r.choice([312, 418, 655]), .03, 1), monthly(1, skip=.17)),
        (["WATER PLUS", "EVERFLOW LTD"], "dd", ["Water", "Water rates", "utilities"], logn(64, .3), monthly(r.randint(5, 28))),
        (["BIFFA WASTE SERV", "BIFFA"], "dd", ["Bins", "Refuse collection", "Trade waste {m}"], logn(118, .2), monthly(r.randint(5, 28))),
        (["AXA INSURANCE", "PREMIUM CREDIT LTD"], "dd", ["Insurance", "PL/EL cover {m}", "Combined policy inst"], fixed(r.choice([88.12, 141.77]), .06), monthly(r.randint(2, 27))),
        (["XERO UK LTD", "SAGE SOFTWARE LTD", "INTUIT QUICKBOOKS"][r.randrange(3)], r.choice(["dd", "card"]), ["Accounts software", "Bookkeeping subs", "software"], fixed(r.choice([28.8, 36, 42]), .08, .6), monthly(r.randint(2, 27))),
        (["MSFT * E0400", "MICROSOFT*365", "MICROSOFT 365 BUS"], "card", ["Office 365", "Email licences", "software"], fixed(r.choice([11.28, 22.56, 56.4]), .04), monthly(r.randint(2, 27))),
        (["GOOGLE*GSUITE", "GOOGLE CLOUD"], "card", ["Emails", "Web/email", "software"], fixed(r.choice([13.8, 27.6]), .05, .6), monthly(r.randint(1, 5))),
        (["AMZNMKTPLACE", "AMZN MKTP UK*{x}", "AMAZON.CO.UK*{x}", "AMAZON* {x}"], "card", ["Sundries", "stationery", "Office bits", "small equipment", "cleaning stuff"], mix(.3, pick(9.99, 12.99, 14.99, 19.99, 24.99), logn(22, .8)), rand(4 + 3 * c.scale, (0, 1, 2, 3, 4, 5, 6))),
        (["POST OFFICE COUNTER", f"POST OFFICE {t.upper()}"], "card", ["Postage", "stamps", "special delivery"], pick(3.35, 6.7, 7.95, 8.5, 12.85, 16.4), rand(2.5)),
        (["PRINCES LEGAL LLP", "HOWES PERCIVAL"], "fpo", ["Solicitor", "Legal fees"], logn(900, .6, 1), rand(.15)),
        (["MAGMA AUDIT LLP", "NEWBY CASTLEMAN"], "so", ["Accountant", "Accountancy {m}", "year end fee inst"], fixed(r.choice([150, 180, 240]), .0), monthly(r.choice([1, 5, 15, 28]))),
        (["SCREWFIX DIRECT", f"SCREWFIX {t.upper()}", "TOOLSTATION LTD"], "card", ["Repairs", "R&M", "tools/fixings"], logn(28, .7), rand(1.5, (0, 1, 2, 3, 4, 5))),
        (["TV LICENCE MBP", "PPL PRS LTD"], "dd", ["Licences", "Music licence"], fixed(r.choice([14.12, 21.6])), monthly(r.randint(2, 27))),
        (["ICO", "ICO.ORG.UK"], "dd", ["Data protection", "licence"], fixed(35), yearly(r.randint(1, 12), 12)),
        (["CANON UK LTD", "GRENKE LEASING", "BNP PARIBAS LEASING"][r.randrange(3)], "dd", ["Copier lease", "Printer", "HP/lease {m}"], fixed(r.choice([96, 138, 174])), quarterly(r.choice([1, 2, 3]), r.randint(1, 28))),
        (["LYRECO UK", "VIKING DIRECT"], "card", ["Stationery", "paper & toner"], logn(58, .5), rand(1)),
        (["INDEED UK", "REED.CO.UK"], "card", ["Recruitment", "job ad"], pick(150, 89, 120), rand(.4)),
        (["FACEBK *{x}", "FACEBK ADS {x}", "META ADS"], "card", ["Advertising", "socials", "FB ads {m}"], mix(.6, pick(25, 35, 50, 75, 100), logn(40, .5)), rand(2.5, (0, 1, 2, 3, 4, 5, 6))),
    ]
    for bank, ch, book, amt, sc in c.some(O, min(len(O), 13 + int(5 * c.scale))):
        c.add(bank, ch, book, amt, sc, ref=acct(r) if ch == "dd" else ("{inv}" if ch in ("fpo", "so") else ""),
              book_only=.0, bank_only=.01)
    c.add("", "fee", ["Bank charges", "Bank chgs {m}", "charges"], mix(.5, fixed(8.5), logn(24, .4)), monthly(r.randint(1, 28)), bank_only=.25)
    c.add("", "int", ["Interest", "Bank int recd"], logn(3, .8), monthly(9), sign=1, bank_only=.3)
    o = c.owner = Person(r)
    c.add(o.bank, "so" if r.random() < .5 else "fpo", ["Drawings", "Directors loan", f"{o.nick} - dividend", "DLA"],
          mix(.8, pick(500, 1000, 1500, 2000), logn(700, .5, 10)), rand(1.5), ref=r.choice(["", "DRAWINGS", "TRANSFER", "DIV"]))
    c.add("Reserve" if r.random() < .5 else "TAX POT", "trf", ["Transfer to deposit", "VAT pot", "savings", "contra"],
          pick(500, 1000, 2000, 2500, 5000), rand(1.2), ref="SAVINGS")
    c.add("Reserve", "trf", ["Trf from deposit", "savings back", "contra"], pick(500, 1000, 2000, 5000), rand(.6), sign=1, ref="SAVINGS")
    # book rows the bank never sees
    c.add("-", "atm", ["Petty cash", "cash - milk", "p/c voucher", "depn jnl", "accrual reversal"], mix(.5, pick(5, 10, 20), logn(14, .7)),
          rand(1.2 + .8 * c.scale), book_only=1.0)


def travel(c, rate):
    r, t = c.r, c.town
    for _ in range(max(1, int(2 * c.scale))):
        st = r.choice(STREETS)
        who = r.choice(["van 1", "van 2", "van 3", Person(r).nick, "boss car"])
        c.add(r.choice([f"ESSO {st}", f"SHELL {st}", f"BP {st} SF", f"TESCO PFS {r.randint(2000, 6999)}", f"MFG {st}", f"SAINSBURYS PETROL {t}",
                        f"ASDA PETROL {r.randint(4000, 4999)}", f"TEXACO {st}"]), "card",
              ["Petrol", f"fuel {who}", "Diesel", "Motor exps", f"Fuel - {who}", "m/v running"],
              mix(.4, pick(20, 30, 40, 50, 60, 70, 80), logn(62, .3)), rand(rate / max(1, int(2 * c.scale)) * c.scale, (0, 1, 2, 3, 4, 5)))
    c.add(["TRAINLINE", "WWW.THETRAINLINE.COM", "EMR {x}", "LNER {x}"], "card", ["Train", "Travel London", "fares"],
          mix(.6, pick(24.5, 46.9, 61.5, 88), logn(50, .5)), rand(1.2))
    c.add(["RINGGO PARKING", "PAYBYPHONE PARKING", "NCP {x}", "APCOA PARKING"], "card", ["Parking", "Car park", "travel"],
          pick(2.2, 2.4, 3.6, 4.2, 5, 7.5, 8), rand(2.5 * max(.5, c.scale), (0, 1, 2, 3, 4, 5)))


def staff(c, n, amt_choices, how, sched, words=None):
    """n people paid one by one; contract pay repeats, many are equal."""
    r = c.r
    if n >= 3 and r.random() < .3:                 # one bulk line at the bank, one journal in the books
        c.add("BULK", "bulk", [f"Wages {{w}}", "Net wages", "Staff pay {m}", "W&S", "payroll"], logn(n * sum(amt_choices) / len(amt_choices), .05), sched,
              ref=r.choice(["WAGES WK", "PAYROLL", "SALARIES {MON}"]))
        n = r.randint(0, 1)                        # the odd one paid by hand
    for _ in range(n):
        p = Person(r)
        base = r.choice(amt_choices)
        amt = fixed(base, .03, .01) if r.random() < .55 else mix(.5, fixed(base), logn(base, .12))
        c.add(p.bank, how, words and [w.replace("{who}", p.nick).replace("{in}", p.initials) for w in words] or
              r.sample([f"Wages {{w}}", f"Net pay {p.nick}", f"{p.nick} wages", f"Wages {p.initials} {{w}}", f"W&S {p.sur}", f"Salary {{m}} {p.nick}", "net wages"], 4),
              amt, sched, ref=r.choice(["WAGES", "SALARY", "PAY", f"WAGES {c.owner.sur[:5]}"]), life=c.churn(.6, 260))


def sites_of(c, k):
    r = c.r
    out = []
    for i in range(k):
        st = r.choice(STREETS)
        a = r.choice([st, st.split()[0], "".join(w[0] for w in st.split()).upper(), f"shop {i + 1}", f"S{i + 1}"]) if k > 1 else ""
        out.append((i, st, a))
    return out


def card_channels(c, k, site, abbr, median, tills=("Card takings", "Till cards", "PDQ", "Z read cards", "Cards"), open_days=(0, 1, 2, 3, 4, 5, 6)):
    r = c.r
    main = r.choice([("WORLDPAY", 2, 0), ("DOJO PAYMENTS", 1, 0), ("BARCLAYCARD", 2, 0), ("FDMS", 2, 0), ("ELAVON FIN SERV", 2, 0),
                     ("SUMUP PAYMENTS", 1, .0169), ("ZETTLE BY PAYPAL", 1, .0175), ("SQUARE", 1, .0175), ("TAKEPAYMENTS LTD", 2, 0)])
    mid = acct(r)
    c.add(main[0] + (f" {site.upper()}" if r.random() < .2 else ""), "bgc", [f"{t} {{d}} {abbr}".strip() for t in r.sample(tills, 2)] +
          [f"{tills[0]} {{day}} {abbr}", f"{abbr} sales {{d}}", f"Sales {abbr}"],
          seasonal(median, .25), days(open_days, .985), sign=1, ref=mid, hab="settle", lag=("bd", main[1]), site=k, fee=main[2])
    if r.random() < .6:
        c.add(["AMERICAN EXPRESS", "AMEX PAYMENT SVCS"], "bgc", [f"Amex {{d}} {abbr}", f"amex takings {abbr}", f"Cards other {abbr}"],
              logn(median * .07, .6), days((1, 3, 5), .7), sign=1, ref=acct(r, 10), hab=r.choice(["bgc", "bgc", "settle"]), lag=("bd", r.choice([3, 4])), site=k, fee=.017)


# ----------------------------------------------------------------- companies

def cafe(c):
    r = c.r
    overheads(c)
    k = max(1, int(c.scale * 1.1 + .3))
    for i, st, ab in sites_of(c, k):
        card_channels(c, i, st, ab, r.uniform(380, 900))
        for bank, book, med, day in c.some([
                (["ROOFOODS LTD", "DELIVEROO"], ["Deliveroo {w}", "Delivery apps", "roo"], 340, 2),
                (["JUST EAT.CO.UK LTD", "JUST EAT HOLDING"], ["JE {w}", "Takeaway sales", "Delivery apps"], 290, 1),
                (["UBER EATS UK", "PORTIER UK LTD"], ["Uber {w}", "Delivery apps", "UE payout"], 260, 0)], r.randint(1, 3)):
            c.add(bank, "bgc", [f"{b} {ab}".strip() for b in book], logn(med, .3), weekly(day), sign=1, ref=acct(r, 7),
                  hab=r.choice(["settle", "settle_after"]), lag=("bd", 3), site=i)
        c.add("CASH", "cashin", [f"Cash banked {ab}", f"Banking {{d}} {ab}", f"takings cash {ab}"], mix(.75, times(10, range(12, 70)), logn(320, .4, 5)),
              days((0, 3), .9), sign=1, ref=acct(r, 6), lag=("days", 0, 4), site=i, town=st)
        c.add(f"{Person(r).sur.upper()} PROPERTIES", "so", [f"Rent {ab} {{m}}", f"Landlord {ab}", "Shop rent"], fixed(r.choice([1000, 1250, 1450, 1800])),
              monthly(r.choice([1, 25])), ref="UNIT RENT", site=i)
        staff(c, r.randint(4, 7), [212.4, 260, 286.5, 318.2, 340], "fpo", weekly(4, .08))
        sup = [(["BOOKER LTD", "BOOKER {t}"], ["C&C", "Stock - dry", "cash n carry"], logn(140, .5), "card", 5),
               (["BRAKES", "SYSCO GB"], ["Frozen", "Food stock", "Brakes del {d}"], logn(210, .4), "dd", 4.3),
               (["BIDFOOD", "BFS GROUP LTD"], ["Food purchases", "Kitchen order", "bid {inv}"], logn(260, .4), "dd", 4.3),
               (["MILK & MORE", "FREEMANS DAIRY"], ["Milk", "Dairy {w}", "milkman"], pick(38.4, 42.6, 45.2, 51.8), "fpo", 4.3),
               ([f"{Person(r).sur} BAKERS LTD"], ["Bread", "Bread & rolls {w}", "bakery"], logn(88, .25), "fpo", 4.3),
               (["UNION HAND ROASTED", "CARAVAN COFFEE"], ["Coffee beans", "beans", "Coffee {inv}"], pick(148.5, 198, 247.5, 297), "fpo", 3),
               (["MAKRO {t}", "COSTCO WHOLESALE"], ["Stock", "C&C", "drinks/crisps"], logn(120, .5), "card", 2),
               (["TESCO STORES {x}", "SAINSBURYS S/MKTS", "ALDI STORES {t}", "CO-OP GROUP {x}"], ["Top up shop", "Milk etc", "sundry food", "ran out"], mix(.3, pick(4.5, 6, 7.2, 10), logn(13, .7)), "card", 12),
               ([f"{Person(r).sur} BUTCHERS", "AUBREY ALLEN"], ["Meat", "bacon + sausage", "Butcher {w}"], logn(130, .3), "fpo", 4.3),
               (["NISBETS PLC", "NISBETS.CO.UK"], ["Crockery", "Kitchen equipment", "smalls"], logn(46, .6), "card", 1.2),
               (["JOHNSONS WORKWEAR", "ELIS UK LTD"], ["Laundry", "tea towels/aprons"], fixed(24.6, .04), "dd", 4.3),
               (["RATIONAL KITCHEN", "LA MARZOCCO UK"], ["Coffee machine", "machine lease"], fixed(96), "dd", 1)]
        for bank, book, amt, ch, rate in c.some(sup, 9):
            sc = weekly(r.randint(0, 4), .06) if rate == 4.3 else monthly(r.randint(1, 28)) if rate == 1 else rand(rate, (0, 1, 2, 3, 4, 5, 6))
            c.add([b.replace("{t}", c.town.upper()) for b in bank], ch, [f"{b} {ab}".strip() if r.random() < .4 else b for b in book], amt, sc,
                  ref="{inv}" if ch != "card" else "", site=i)
        c.add(["MR COFFEE SUBS GC", "GOCARDLESS LTD"], "bgc", ["Office coffee customers", "trade sales", "Wholesale cust"], pick(48, 60, 96, 120), rand(1.5), sign=1, ref="GC{x}", hab="settle_after")


def lettings(c):
    r = c.r
    overheads(c)
    travel(c, 3)
    n = c.n(46, 8)
    landlords = [Person(r) for _ in range(max(3, n // 4))]
    rents = [495, 525, 550, 575, 595, 600, 625, 650, 650, 675, 695, 700, 725, 750, 750, 795, 800, 850, 895, 950, 1100, 1250]
    for i in range(n):
        prop_st = r.choice(STREETS)
        no = r.randint(1, 240)
        prop = r.choice([f"{no} {prop_st}", f"Flat {r.randint(1, 14)} {prop_st}", f"{no}a {prop_st}", f"Rm {r.randint(1, 6)}, {no} {prop_st}"])
        short = r.choice([f"{no}{prop_st[:3].upper()}", f"{no} {prop_st.split()[0]}", f"{prop_st.split()[0][:4]}{no}", f"P{r.randint(100, 399)}"])
        ll = r.choice(landlords)
        rent = r.choice(rents)
        dom = r.choices([1, r.randint(2, 27), 28], [55, 35, 10])[0]
        # several tenancies one after another; each tenant has a new name at the bank, same words in the books
        o = c.start - r.randint(0, 300)
        while o < c.end:
            till = o + r.choice([182, 365, 365, 540, 730, 1100])
            t = Person(r)
            fee = r.choice([.08, .1, .1, .12])
            rent_now = rent + r.choice([0, 0, 0, 25, 50]) * ((o - c.start) // 365 if o > c.start else 0)
            if till > c.start + 20:
                life = (max(o, c.start), min(till, c.end))
                opts = [f"Rent {prop}", f"{short}", f"{prop} rent {{m}}", f"{short} {{m}}", f"Tenant rent {short}", f"TR {short}", f"{t.sur} rent"]
                part = r.random()
                if part < .1:    # housing benefit direct
                    c.add(["DWP MANAGED PMTS", f"{c.town.upper()} CC HB"], "bgc", r.sample(opts[:6], 3) + [f"HB {short}"],
                          fixed(rent_now - r.choice([0, 40, 112.5])), every(28, r.randrange(28)), sign=1, ref=acct(r, 9), life=life)
                elif part < .2:  # two sharers, half each
                    for q in (t, Person(r)):
                        c.add(q.bank, "fpi", r.sample(opts, 4), fixed(rent_now / 2), monthly(dom, .02, 1), sign=1,
                              ref=r.choice(["RENT", q.sur, prop[:16]]), life=life)
                else:
                    c.add(t.bank, r.choice(["fpi", "fpi", "bgc"]), r.sample(opts, 4), fixed(rent_now), monthly(dom, .03, 1 if r.random() < .3 else 0), sign=1,
                          ref=r.choice(["RENT", "rent", "", t.sur, prop[:18], "RENT " + short, "FLAT", "HOUSE RENT", "{MON} RENT"]), life=life)
                net = rent_now * (1 - fee) if r.random() < .75 else rent_now * (1 - fee * 1.2)
                c.add(ll.bank, "fpo", [f"LL {ll.sur} {short}", f"Landlord {prop}", f"L/lord pymt {short} {{m}}", f"Owner payout {ll.initials}", f"{short} net"],
                      mix(.88, fixed(net), logn(net * .9, .1)), monthly(min(28, dom + r.choice([3, 5, 7])), .03), ref=r.choice([prop[:18], f"{prop_st[:10].upper()} RENT", "RENT {MON}", "LETTINGS"]), life=life)
                if life[0] > c.start:
                    dep = fixed(round(rent_now * 12 / 52 * 5, 0))
                    when = (1.0, lambda rr, s, e, x=life[0]: iter([x]) if s <= x <= e else iter(()))
                    c.add(t.bank, "fpi", [f"Deposit {short}", f"Dep {prop}", "Tenancy deposit"], dep, when, sign=1, ref=r.choice(["DEPOSIT", "DEP", prop[:18]]), life=(life[0], life[0] + 30))
                    c.add(["THE DPS", "DEPOSIT PROTECTION", "TDS LTD"], "fpo", [f"Dep to scheme {short}", f"DPS {short}", "deposits paid over"], dep, when, ref=acct(r, 7), life=(life[0] + 6, life[0] + 36)) if r.random() < .8 else None
            o = till + r.randint(3, 40)
    trades = ["Gas cert", "Plumber", "Sparky", "EICR", "Cleaner", "Locksmith", "Gardener", "Handyman", "Inventory clerk"]
    for _ in range(c.n(7, 3)):
        f, tr = Person(r), r.choice(trades)
        c.add(f.bank if r.random() < .6 else Firm(r).bank, "fpo", [f"{tr} {r.choice(STREETS).split()[0]}", f"{tr} - {f.nick}", "Contractor", f"R&M {f.nick}", f"{f.nick} {{inv}}"],
              mix(.7, pick(45, 60, 65, 72, 80, 84, 90, 120, 150), logn(110, .6)), rand(3.2), ref="{inv}")
    c.add(["RIGHTMOVE GROUP", "ZOOPLA LTD"], "dd", ["Portal fees", "Advertising portal"], fixed(860, .05, 1), monthly(15))
    c.add(["GOODLORD", "HOMELET", "OPENRENT"], "card", ["Referencing", "tenant checks", "credit checks"], pick(15, 20, 25, 30, 40), rand(3 * max(.5, c.scale)))
    staff(c, c.n(2.2), [1480, 1625.4, 1712.1, 1890], "fpo", monthly(28))


def builder(c):
    r = c.r
    overheads(c)
    travel(c, 18)
    merchants = [(["TRAVIS PERKINS {t}", "TRAVIS PERKINS TRAD"], ["Materials", "TP a/c", "timber"]), (["JEWSON LTD {x}", "JEWSON {t}"], ["Materials", "Jewsons", "sand/cement"]),
                 (["SCREWFIX DIR LTD", "SCREWFIX {t}"], ["Fixings", "Tools", "mats"]), (["TOOLSTATION {t}", "TOOLSTATION LTD"], ["Bits", "Materials", "mats {job}"]),
                 (["HOWDENS JOINERY", "HOWDEN KITCHENS {t}"], ["Kitchen units", "Kitchen {job}", "units + worktop"]), (["SELCO BUILDERS WHS", "SELCO {t}"], ["Materials", "plaster + board", "mats {job}"]),
                 (["B & Q {x}", "WICKES {t}"], ["Paint", "Bits and bobs", "materials"]), (["CITY PLUMBING {t}", "PLUMB CENTER"], ["Plumbing mats", "boiler", "pipe/fittings {job}"]),
                 (["EDMUNDSON ELEC", "CEF {t}"], ["Electrics", "cable etc", "Elec mats"]), (["SPEEDY HIRE", "HSS HIRE {t}", "BRANDON HIRE"], ["Plant hire", "Digger hire", "Scaffold/plant"])]
    jobs = [r.choice(["Mill Ln", "extn", "loft", "No 14", "Patel job", "school", "barn", "kitchen", "Kings Ct", "garage conv"]) for _ in range(30)]
    for bank, book in merchants:
        for _ in range(max(1, int(c.scale * .8))):
            ch = r.choice(["card", "card", "fpo", "dd"])
            sc = rand(7 if ch == "card" else 3) if ch != "dd" else monthly(r.choice([28, 30]))
            c.add([b.replace("{t}", r.choice([c.town, r.choice(TOWNS)]).upper()) for b in bank], ch,
                  [b.replace("{job}", r.choice(jobs)) for b in book] + [f"mats {r.choice(jobs)}"],
                  logn(64, .9) if ch == "card" else logn(620, .6), sc, ref="{inv}" if ch == "fpo" else acct(r, 6))
    # subcontractors: day rate x days less 20% CIS, every Friday
    for _ in range(c.n(7, 2)):
        p = Person(r)
        rate = r.choice([120, 130, 140, 150, 160, 180, 200, 220])
        cis = r.choices([.8, .7, 1.0], [80, 10, 10])[0]
        tr = r.choice(["brickie", "chippy", "groundworks", "plasterer", "roofer", "labourer", "spark", "decorator", "tiler"])
        c.add(p.bank, "fpo", r.sample([f"{p.nick} {tr} {{w}}", f"Subbie {p.nick}", f"CIS {p.initials} net", f"Subcontract {p.sur} less CIS", f"{tr} {{w}}", f"labour {p.nick}", "Subcon net of tax"], 4),
              times(rate * cis, [2, 3, 4, 5, 5, 5, 5, 5, 6]), weekly(4, .12), ref=r.choice(["", "WAGES", "SITE WORK", "INV {inv}", "LABOUR", jobs[0].upper()]), life=c.churn(.6, 300))
    c.add(["HMRC PAYE/NIC CUMB", "HMRC CUMBERNAULD"], "fpo", ["CIS300 {m}", "CIS tax", "CIS/PAYE"], logn(1300, .35), monthly(19, jit=2), ref=acct(r, 10))
    for _ in range(c.n(7, 3)):
        client = Person(r)
        j = r.choice(jobs)
        c.add(client.bank, "fpi", [f"{client.sur} {j}", f"Stage pymt {j}", f"{j} stage", "Job income {inv}", f"Mr {client.sur} deposit", f"Inv {{inv}}"],
              mix(.75, pick(500, 1000, 1500, 2000, 2500, 3000, 5000, 7500, 10000), logn(2600, .7)), rand(1.6), sign=1, ref=r.choice(["", "BUILDER", "EXTENSION", "{inv}", "THANK YOU", client.sur]), life=c.churn(.9, 120))
    for _ in range(c.n(3)):
        f = Firm(r, ["Homes", "Developments", "Construction", "Estates"])
        c.add(f.bank, "bgc", f.books(r, "in") + ["Applic {m} less CIS", "Main contractor cert"], logn(6800, .5), monthly(r.randint(1, 28), .2), sign=1, ref="{inv}", hab="settle_after")
    for _ in range(max(1, int(c.scale))):
        c.add("", "chq", ["Skip chq", "Tipping fees", "cheque - planning", "Building control"], pick(120, 180, 206, 240, 270, 300), rand(2), ref="CHQ", lag=("chq",))
        c.add("", "chqin", ["Cheque from customer", "chq banked", "Job paid by chq"], mix(.7, pick(150, 250, 400, 850, 1200), logn(600, .7)), rand(1.6), sign=1, ref="SLIP", lag=("days", 1, 5))
    c.add("CASH", "atm", ["Cash for lads", "cash wages", "Petty cash"], pick(50, 100, 200, 250, 300), rand(3 * max(.6, c.scale)), bank_only=.08)
    c.add(["GREGGS {x}", "MCDONALDS {x}", "SUBWAY {t}"], "card", ["Subsistence", "breakfast", "lads lunch"], pick(4.2, 6.85, 7.99, 9.4, 12.6), rand(8 * max(.6, c.scale), (0, 1, 2, 3, 4, 5)))


def wholesaler(c):
    r = c.r
    overheads(c)
    travel(c, 6)
    for _ in range(c.n(60, 8)):
        f = Firm(r)
        how = r.choices(["fpi", "bgc", "chqin", "gc"], [52, 28, 8, 12])[0]
        size = math.exp(r.gauss(math.log(330), .8))
        amt = mix(.25, pick(*[round(size * k, -1) or 10 for k in (.5, 1, 1, 2)]), logn(size, .5)) if r.random() < .5 else times(r.choice([4.8, 11.4, 18, 23.5, 36]), range(4, 40))
        life = c.churn(.5, 400)
        if how == "gc":
            c.add(["GOCARDLESS", "GC RE MIDLAND WHSL"], "bgc", f.books(r, "in"), amt, rand(r.uniform(1, 4)), sign=1, ref=f"{f.code}-{{x}}" if r.random() < .3 else "{x}", hab="settle", lag=("bd", 3), life=life)
        elif how == "chqin":
            c.add("", "chqin", f.books(r, "in"), amt, rand(r.uniform(.6, 2)), sign=1, ref="SLIP", lag=("days", 1, 5), life=life)
        else:
            c.add(f.bank, how, f.books(r, "in"), amt, rand(r.uniform(.8, 4)), sign=1,
                  ref=r.choice(["{inv}", "INV {inv}", "PO{x}", "", f.code, "ACC " + f.code, "{MON} STMT", "{inv}/{x}", "PAYMENT", "SUPPLIER PAYMENT"]), hab=how, life=life, bank_only=.012)
    thu = r.randint(2, 4)
    for _ in range(c.n(20, 4)):   # fortnightly payment runs, some paid weekly
        f = Firm(r, ["Foods", "Packaging", "Imports", "Drinks", "Plastics", "Paper", "Textiles"])
        c.add(f.bank, r.choice(["fpo", "fpo", "bulk"]), f.books(r, "out") + ["Payment run {d}"], logn(math.exp(r.gauss(math.log(1400), .7)), .4), weekly(thu, .45, r.choice([1, 2, 2])),
              ref=r.choice(["{inv}", f"A/C {acct(r, 5)}", "MIDLAND WHSL", "PAYRUN {d}"]), life=c.churn(.3, 500), lag=("bd", r.choice([0, 0, 1, 2])))
    for b, bk, a, rt in [(["DPD LOCAL UK", "DPDGROUP UK LTD"], ["Carriage", "Couriers {w}", "parcels"], logn(420, .25), weekly(2)), (["PALLETWAYS", "PALLETLINE"], ["Pallets", "Haulage out", "carriage {w}"], logn(310, .3), weekly(4)),
                         (["HMRC C18 DUTY", "HMRC CDS"], ["Import duty", "Customs"], logn(900, .6), rand(2)), (["LINDE MATERIAL HAND", "JUNGHEINRICH"], ["Forklift", "FLT hire"], fixed(312), monthly(14)),
                         (["PAYPAL PTE LTD", "PAYPAL PAYMENT"], ["Web orders", "ebay shop", "online"], logn(160, .6), None)]:
        if rt:
            c.add(b, "dd", bk, a, rt, ref=acct(r))
        else:
            c.add(b, "bgc", bk, mix(.4, pick(100, 150, 200, 250, 300, 500), a), rand(6), sign=1, ref="{x}", hab="settle_after")
    c.add("STRIPE PAYMENTS UK", "bgc", ["Web sales {d}", "Online shop", "Card takings {w}", "trade counter web"], logn(240, .4), days((0, 1, 2, 3, 4), .9), sign=1, ref="STRIPE", hab="settle", lag=("bd", 3), fee=.015)
    c.add("BULK", "bulk", ["Wages {w}", "Warehouse wages", "Net wages"], logn(4100, .06), weekly(4), ref="WAGES WK")
    staff(c, c.n(2), [1820.2, 1990.15, 2240], "fpo", monthly(27))


def dental(c):
    r = c.r
    overheads(c)
    k = max(1, int(c.scale + .2))
    bands = [(2019, (22.7, 62.1, 269.3)), (2020, (23.8, 65.2, 282.8)), (2023, (25.8, 70.7, 306.8)), (2024, (26.8, 73.5, 319.1)), (2025, (27.4, 75.3, 326.7))]

    def band(rr, o):
        y = D(o).year - (1 if D(o).month < 4 else 0)
        p = [b for b in bands if b[0] <= y] or bands[:1]
        return P(rr.choices(p[-1][1], [5, 4, 1])[0])
    private = pick(45, 48, 55, 58, 60, 65, 75, 95, 120, 150, 185, 220, 350, 495, 650)
    for i, st, ab in sites_of(c, k):
        card_channels(c, i, st, ab, r.uniform(700, 1500), ("PDQ", "Patient cards", "Front desk cards", "Card takings", "Reception takings"), (0, 1, 2, 3, 4))
        c.add(["NHSBSA DENTAL", "NHS BSA DPD"], "bgc", [f"NHS contract {{m}} {ab}", f"UDA schedule {ab}", f"GDS pay {{m}}"], logn(21000, .08), monthly(1), sign=1, ref=f"{acct(r, 6)}", site=i)
        c.add(["DENPLAN LTD", "PRACTICE PLAN LTD", "SIMPLYHEALTH"][r.randrange(3)], "bgc", [f"Plan income {{m}} {ab}", "Membership pts", "DP {m}"], logn(6100, .06), monthly(10), sign=1, ref=acct(r, 6), hab="settle_after", site=i)
        # patients paying by transfer: each stream is a pool, so names do not repeat
        for _ in range(14):
            p = Person(r)
            pt = r.randint(1000, 19999)
            c.add(p.bank, "fpi", r.sample([f"pt {pt}", f"Pt {pt} tx", f"{p.initials} {pt}", f"Patient {p.sur}", "Patient fees", f"Tx plan {pt}", "private pt"], 4),
                  mix(.55, band, private), rand(.9), sign=1, ref=r.choice(["DENTIST", str(pt), "TEETH", "INV {inv}", "CHECK UP", p.sur, ""]), site=i, life=c.churn(.9, 200))
        for nm in ("Finance", "Fin co"):
            c.add(["TABEO", "CHRYSALIS FINANCE", "V12 RETAIL FINANCE"][r.randrange(3)], "bgc", [f"{nm} ortho", "Invisalign finance", "pt finance"], pick(1950, 2450, 2950, 3200), rand(1.3), sign=1, ref="{x}", hab="settle_after", lag=("bd", 2), site=i)
        for _ in range(3):   # associates, paid monthly, and hygienists
            p = Person(r)
            c.add(p.bank if r.random() < .6 else f"{p.sur} DENTAL LTD", "fpo", [f"Associate {p.initials} {{m}}", f"Dr {p.nick}", f"Assoc pay {{m}}", f"{p.nick} UDA split"], logn(4600, .15), monthly(r.choice([7, 14])), ref="ASSOC PAY", site=i, life=c.churn(.3, 500))
        p = Person(r)
        c.add(p.bank, "fpo", [f"Hygienist {{w}}", f"Hyg {p.nick}", "hygiene sessions"], times(140, [2, 3, 4, 5]), weekly(4, .1), ref="HYGIENE", site=i)
        staff(c, 5, [1412.2, 1498.6, 1498.6, 1577, 1640.3, 1880], "fpo", monthly(28), ["Nurse {who}", "Wages {m} {in}", "Salary {who}", "DN net pay"])
        for _ in range(5):
            lab = Person(r)
            c.add(r.choice([f"{lab.sur} DENTAL LAB", f"{r.choice(TRADE1)} CERAMICS LTD", f"{lab.sur} DENTAL TECH"]), "fpo", ["Lab bill {m}", f"Lab work {lab.nick}", "Crowns", f"Lab {{inv}}", "dentures"], mix(.4, times(38.5, range(1, 12)), logn(360, .5)), rand(3.4), ref="{inv}", site=i)
        for b, bk, a, rt in [(["HENRY SCHEIN DENTAL", "H SCHEIN UK HLDG"], ["Materials {inv}", "Surgery consumables", "composite/gloves"], logn(210, .6), 6), (["DENTAL DIRECTORY", "DD GROUP"], ["Consumables", "gloves", "Materials"], logn(150, .6), 4),
                             (["WRIGHT COTTRELL", "KENT EXPRESS"], ["Sundries surgery", "Materials"], logn(90, .5), 3), (["INITIAL MEDICAL", "SRCL LTD"], ["Clinical waste", "sharps"], fixed(64.2, .03), 1),
                             (["SEPTODONT", "STRAUMANN LTD", "NOBEL BIOCARE UK"], ["Implants", "implant parts {inv}"], pick(186, 212, 398, 424), 2.2), (["DENTALLY", "SOFTWARE OF EXCELL"], ["Practice software", "PMS subs"], fixed(198), 1)]:
            c.add(b, "dd" if rt == 1 else "fpo", bk, a, rand(rt) if rt > 1 else monthly(r.randint(2, 27)), ref="{inv}", site=i)
    c.add(["GDC", "GENERAL DENTAL COUN"], "card", ["GDC reg", "Prof fees"], pick(96, 114, 621, 690), rand(.5))
    c.add(["DENTAL PROTECTION", "MDDUS", "DDU"], "dd", ["Indemnity", "Prof ins"], fixed(r.choice([312.5, 411.2])), monthly(r.randint(1, 28)))


def agency(c):
    r = c.r
    overheads(c)
    travel(c, 3)
    for _ in range(c.n(22, 4)):
        f = Firm(r)
        ret = r.choice([350, 500, 500, 600, 750, 750, 900, 1000, 1200, 1500, 1500, 2000, 2500]) * (1.2 if r.random() < .8 else 1)
        life = c.churn(.7, 420)
        c.add(f.bank, r.choice(["fpi", "fpi", "bgc", "so"]), f.books(r, "in") + [f"{f.short} retainer", "Retainer {m}"], fixed(ret), monthly(r.choice([1, 7, 14, 28, 30]), .05, 2), sign=1,
              ref=r.choice(["{inv}", "INV-{inv}", "RETAINER", "DESIGN", "{MON}", "PO {x}", "MARKETING"]), life=life)
        c.add(f.bank, "fpi", f.books(r, "in") + [f"{f.short} website", f"{f.short} print job", f"{f.owner.nick} logo"], mix(.6, times(r.choice([54, 66, 78]) * 8, [1, 2, 3, 5, 8]), logn(1100, .7)), rand(.7), sign=1,
              ref=r.choice(["{inv}", "{inv}", "PROJECT", "WEB"]), life=life)
    subs = [("ADOBE *CREATIVE CLD", ["Adobe", "Creative suite", "design software"], [56.98, 65.49, 25.28]), ("ADOBE SYSTEMS SOFTW", ["Adobe", "design software"], [56.98, 65.49]), ("FIGMA", ["Design tool", "software subs"], [12, 36, 45]),
            ("DROPBOX*{x}", ["File storage", "cloud"], [12, 15.99]), ("SLACK T{x}", ["Chat subs", "team software"], [7.25, 36.25]), ("NOTION LABS, INC.", ["Wiki", "software subs"], [8, 40]),
            ("SHUTTERSTOCK", ["Stock images", "images"], [29, 49]), ("ISTOCK GETTY", ["Stock images", "photos"], [29, 33]), ("MAILCHIMP *MISC", ["Newsletter tool", "email mktg"], [10.61, 14.4, 29.2]), ("WPENGINE", ["Hosting", "client hosting"], [24, 77]),
            ("20I LTD", ["Hosting", "Domains"], [9.99, 14.99]), ("GODADDY.COM {x}", ["Domains", "domain renewal"], [11.99, 14.99, 19.99]), ("ZOOM.US 888-799", ["Video calls", "software subs"], [11.99, 15.59]), ("LINKEDIN PRE {x}", ["Networking", "recruitment"], [29.99, 49.99]),
            ("CANVA* I0{x}", ["Design tool", "software subs"], [10.99, 12.99]), ("OPENAI *CHATGPT", ["AI subs", "software subs"], [16.2, 19.2]), ("GITHUB, INC.", ["Code hosting", "dev tools"], [3.24, 16.9]), ("ATLASSIAN", ["Tickets", "dev tools"], [7.5, 35]),
            ("HARVEST TIME TRCK", ["Timesheets", "software subs"], [10.8, 43.2]), ("SPOTIFY P{x}", ["Office music", "sundry"], [9.99, 10.99]), ("LINODE AKAMAI", ["Server", "client hosting"], [5, 10, 20])]
    for b, bk, ps in subs:
        for _ in range(max(1, int(c.scale * .9))):
            c.add(b, "card", bk, fixed(r.choice(ps)), monthly(r.randint(1, 28)), life=c.churn(.4, 400), bank_only=.03, lag=("fx",) if r.random() < .2 else None)
    for _ in range(c.n(7, 2)):
        p = Person(r)
        rate = r.choice([160, 180, 200, 220, 250, 250, 280, 300, 350])
        c.add(p.bank if r.random() < .75 else f"{p.sur} {r.choice(['CREATIVE', 'STUDIO', 'MEDIA', 'DIGITAL'])} LTD", "fpo", r.sample([f"Freelance {p.nick}", f"{p.nick} {{inv}}", "Freelancer {m}", f"Illustrator {p.initials}", f"{p.nick} dev days", "Copywriter", "contract dev"], 4),
              times(rate, [1, 2, 3, 4, 5, 5, 8, 10]), rand(1.8), ref=r.choice(["{inv}", "INV{inv}", "FREELANCE", ""]), life=c.churn(.7, 250))
    for b, bk, a, rt in [(["SAXOPRINT LTD", "INSTANTPRINT", "MOO PRINT LTD"], ["Printing", "client print", "flyers {inv}"], logn(95, .7), 5), (["PRET A MANGER", "COSTA {t}", "STARBUCKS {x}", "BIRDS BAKERY"], ["Client coffee", "Meeting", "ents"], pick(3.25, 3.65, 4.1, 6.9, 7.3, 8.2), 9),
                         (["UBER *TRIP", "UBER* TRIP HELP.UBE"], ["Taxi", "travel client"], logn(11, .5), 4), (["DELIVEROO.CO.UK", "DOMINOS PIZZA {t}"], ["Team lunch", "staff ents"], logn(38, .4), 1.5), (["APPLE.COM/BILL", "APPLE STORE R{x}", "SCAN COMPUTERS"], ["Computer equip", "Kit", "macs"], mix(.6, pick(2.49, 8.99, 0.99), logn(700, .8)), 2)]:
        c.add([x.replace("{t}", c.town.upper()) for x in b], "card", bk, a, rand(rt * max(.6, c.scale), (0, 1, 2, 3, 4, 5)))
    c.add(["GOOGLE ADS{x}", "GOOGLE*ADS{x}"], "card", ["PPC client", "Adwords", "ads recharge"], mix(.7, pick(50, 100, 200, 350, 500), logn(180, .5)), rand(6 * max(.6, c.scale), (0, 1, 2, 3, 4, 5, 6)))
    c.add(["STRIPE PAYMENTS UK", "STRIPE"], "bgc", ["Hosting customers", "Card receipts", "care plans"], pick(29, 30, 58, 60, 87, 120, 174), rand(10 * max(.6, c.scale)), sign=1, ref="STRIPE", hab="settle", lag=("bd", 3), fee=.015)
    c.add(["GOCARDLESS", "GOCARDLESS LTD"], "bgc", ["DD hosting {m}", "Hosting DDs"], times(36, range(2, 14)), weekly(1), sign=1, ref="{x}", hab="settle_after")
    staff(c, c.n(4), [1842.1, 1985.6, 2110.4, 2315, 2540.7], "fpo", monthly(26))
    c.add(["WEWORK", "LCB DEPOT", "PHOENIX SQUARE"][r.randrange(3)], "dd", ["Studio rent", "Office {m}", "desks"], fixed(r.choice([720, 960, 1140])), monthly(1))


def charity(c):
    r = c.r
    overheads(c)
    gifts = [3, 5, 5, 5, 10, 10, 10, 10, 15, 20, 20, 25, 30, 50, 100]
    for _ in range(c.n(95, 14)):
        p = Person(r)
        dn = r.randint(100, 2999)
        c.add(p.bank, r.choice(["so", "so", "fpi", "bgc"]) if r.random() < .97 else "fpi", r.sample([f"Donor {dn}", f"Reg giving {p.sur}", f"SO {p.initials}", f"D{dn:04d}", "Friends scheme", f"Donation {p.nick} {p.sur[0]}", "Regular gift (GA)", f"GA {dn}", "friends m'ship"], 4),
              fixed(r.choice(gifts)), monthly(r.choices([1, 2, 5, 10, 15, 20, 25, 28, 30], [40, 4, 8, 6, 14, 4, 8, 12, 4])[0], .015), sign=1, ref=r.choice(["DONATION", "GIFT", "", "FRIENDS", str(dn), "CHARITY", "MONTHLY GIFT"]), life=c.churn(.55, 600))
    for b, bk, a, rt, lag, fee in [(["JUSTGIVING", "JUST GIVING CHARITY"], ["Online fundraising", "JG {w}", "sponsorship"], logn(180, .7), weekly(2), 3, 0), (["CAF DONATE", "CHARITIES AID FDN"], ["Vouchers", "CAF {m}", "payroll giving"], logn(230, .5), rand(3), 2, 0),
                                  (["PAYPAL GIVING FUND", "PAYPAL CHARITY FUND"], ["ebay for charity", "Online donations"], logn(40, .6), rand(2), 2, 0), (["STRIPE PAYMENTS UK"], ["Website donations", "Event tickets", "online"], pick(19.5, 24.4, 29.3, 48.9, 58.5, 97.7), rand(9 * max(.5, c.scale)), 3, .015),
                                  (["ENTHUSE", "EVENTBRITE"], ["Event tickets", "fun run entries"], times(12, range(1, 22)), rand(2.5), 4, 0), (["EASYFUNDRAISING", "AMAZON SMILE"], ["Affiliate", "other income"], logn(35, .5), quarterly(1, 14), 2, 0)]:
        c.add(b, "bgc", bk, a, rt, sign=1, ref="{x}", hab=r.choice(["settle", "settle_after"]), lag=("bd", lag), fee=fee)
    c.add(["HMRC CHARITIES", "HMRC GIFT AID"], "bgc", ["Gift Aid claim", "GA reclaim {m}"], logn(1400, .5), quarterly(2, 18), sign=1, ref="XR{x}")
    for _ in range(c.n(3)):
        c.add(r.choice([f"{r.choice(SUR)} FOUNDATION", "NAT LOTTERY CF", f"{r.choice(TOWNS)} BC GRANTS", "GARFIELD WESTON", "ESMEE FAIRBAIRN", f"{r.choice(SUR)} CHAR TRUST"]), "bgc", ["Grant rec'd", "Restricted fund A", "Project grant {m}", "Core funding", "Youth proj"],
              pick(1000, 2000, 2500, 5000, 7500, 10000, 12500), rand(.45), sign=1, ref="GRANT {x}", life=c.churn(.6, 400))
    for i, st, ab in sites_of(c, max(1, int(c.scale * 1.2))):
        c.add(["SUMUP PAYMENTS", "ZETTLE BY PAYPAL"], "bgc", [f"Shop cards {ab}", f"Shop {ab} {{d}}", "Charity shop takings"], seasonal(118, .35), days((0, 1, 2, 3, 4, 5), .95), sign=1, ref=acct(r, 7), hab="settle", lag=("bd", 1), fee=.0169, site=i)
        c.add("CASH", "cashin", [f"Shop cash {ab}", f"Shop banking {{w}} {ab}", "Collection tins", "bucket collection"], mix(.5, times(5, range(8, 80)), logn(140, .5)), weekly(r.choice([0, 4]), .1), sign=1, ref=acct(r, 6), lag=("days", 0, 5), site=i)
    c.add("", "chqin", ["Chq donation", "Legacy", "Church collection", "Rotary", "In memory"], mix(.75, pick(20, 25, 50, 100, 100, 200, 250, 500), logn(160, .9)), rand(6 * max(.5, c.scale)), sign=1, ref="SLIP", lag=("days", 1, 9))
    c.add("", "chq", ["Volunteer exps", "Hall hire chq", "Beneficiary grant", "cheque - sundry"], mix(.6, pick(20, 30, 45, 50, 75, 100), logn(60, .6)), rand(5 * max(.5, c.scale)), ref="CHQ", lag=("chq",))
    for _ in range(c.n(9, 2)):
        p = Person(r)
        c.add(p.bank, "fpo", r.sample([f"Vol exps {p.nick}", "Volunteer mileage", f"{p.initials} travel", "Sessional worker", "Expenses claim", f"tutor {p.nick}"], 3), mix(.5, times(.45, range(10, 200)), times(25, [1, 2, 3, 4])), rand(1.2), ref=r.choice(["EXPENSES", "EXPS {MON}", "VOLUNTEER", "CLAIM"]), life=c.churn(.5, 300))
    for _ in range(c.n(6, 1)):
        p = Person(r)
        c.add(p.bank, "fpo", [f"Hardship grant {r.randint(100, 900)}", "Welfare fund", f"Beneficiary {p.initials}", "client grant"], pick(50, 50, 75, 100, 100, 150, 200), rand(.7), ref=r.choice(["GRANT", "SUPPORT", "HELP"]), life=c.churn(.8, 120))
    staff(c, c.n(4), [1310.5, 1455.2, 1622.9, 1790], "fpo", monthly(25))
    c.add(["ST MARKS PCC", "METHODIST CHURCH HQ"], "fpo", ["Hall hire", "room hire {m}"], times(22, [2, 4, 4, 5, 8]), monthly(20), ref="HALL {MON}")
    c.add(["FARESHARE", "BOOKER LTD", "TESCO STORES {x}", "LIDL GB {t}"], "card", ["Food bank stock", "Lunch club", "project food"], logn(44, .6), rand(7 * max(.5, c.scale)))


def haulage(c):
    r = c.r
    overheads(c)
    trucks = []
    for i in range(c.n(9, 3)):
        reg = f"{r.choice('FYBD')}{r.choice('XJNK')}{r.randint(17, 24)}{''.join(r.choice('ABCDEHJKLMNOPRSTUVWXYZ') for _ in range(3))}"
        trucks.append((reg, r.choice([reg[-3:], f"unit {i + 1}", f"T{i + 1}", reg])))
    for reg, nm in trucks:
        drv = Person(r)
        life = c.churn(.3, 600)
        for b, bk, a, rt in [(["DART CHARGE", "DARTFORD CROSSING"], ["Dartford", f"Toll {nm}", "tolls"], pick(6, 6, 6, 12), 3), (["M6 TOLL", "MIDLAND EXPRESSWAY"], ["Toll", f"M6T {nm}", "tolls"], pick(12.7, 13.2, 16.2), 2.6),
                             (["TFL LEZ CHARGE", "TFL C CHARGE"], ["LEZ", f"London {nm}", "Cong charge"], pick(15, 100, 15), .9), (["MOTO {x}", "WELCOME BREAK {x}", "ROADCHEF {x}", "EXTRA MSA {x}"], ["Truck stop", f"Parking {nm}", f"Night out {drv.nick}"], pick(25, 27, 30, 32.5, 35), 4),
                             (["SNAP ACCOUNT", "SNAP PARKING"], ["Night parking", "truck stops"], pick(22, 25, 28), 1.5)]:
            c.add(b, "card", bk, a, rand(rt, (0, 1, 2, 3, 4, 5)), life=life, bank_only=.02)
        c.add(drv.bank, "fpo", [f"{drv.nick} wages {{w}}", f"Driver {drv.initials}", f"Wages {nm}", "drivers {w}"], mix(.5, pick(560, 585, 610, 640), logn(600, .08)), weekly(4, .05), ref=r.choice(["WAGES", "WK PAY", ""]), life=life)
        c.add(drv.bank, "fpo", [f"Nights out {drv.nick}", f"{drv.initials} nights", "Subsistence drivers"], times(26.2, [1, 2, 3, 4, 5]), weekly(4, .45), ref=r.choice(["NIGHTS", "EXPENSES", "N/O"]), life=life)
        c.add(["SCANIA FINANCE", "DAF TRUCKS FINANCE", "LOMBARD NORTH CENT", "CLOSE BROTHERS LTD"][r.randrange(4)], "dd", [f"HP {nm}", f"Truck finance {nm}", "HP unit {m}"], fixed(r.choice([1180.5, 1342.16, 1342.16, 1515, 1690.4])), monthly(r.randint(1, 28)), ref=acct(r, 9), life=life)
        c.add(["DVLA VEHICLE TAX", "DVLA-" + reg], "dd", [f"Road tax {nm}", "RFL", f"VED {reg}"], pick(52.5, 63, 105), monthly(1), ref=reg, life=life)
    for b, bk, med in c.some([(["KEYFUELS", "ALLSTAR BUS SOLNS"], ["Fuel cards {w}", "Derv", "Diesel {w}"], 2400), (["UK FUELS LTD", "FUELGENIE"], ["Derv", "fuel acc"], 1900), (["SHELL UK CARDS", "EUROSHELL"], ["Fuel cards", "Derv top up"], 900)], 2):
        c.add(b, "dd", bk, logn(med * max(.5, c.scale), .18), weekly(r.randint(0, 4)), ref=acct(r))
    for b, bk, a, rt in [(["ADBLUE SUPPLIES", "CERTAS ENERGY UK"], ["Adblue", "Bulk diesel"], logn(700, .6), 2), (["BANDVULC TYRES", "ATS EUROMASTER", "TRUCK TYRES {t}"], ["Tyres", "tyre callout", "Tyres {inv}"], logn(380, .5), 4),
                         (["FTA SERVICES", "LOGISTICS UK"], ["Tacho analysis", "Compliance"], fixed(84), 1), (["DVSA", "DVSA ATF FEES"], ["MOT trucks", "test fee"], pick(91, 113, 137), 1.2), (["RYDER LTD", "TIP TRAILERS"], ["Trailer hire", "trailers"], pick(360, 390, 420, 780), 3), (["TRUCKPARTS {t}", "DIGRAPH TRANSPORT", "MOTUS COMMERCIALS"], ["Parts", "Workshop", "spares {inv}"], logn(130, .8), 6)]:
        c.add([x.replace("{t}", c.town.upper()) for x in b], "fpo" if rt > 1.5 else "dd", bk, a, rand(rt * max(.6, c.scale)) if rt > 1 else monthly(12), ref="{inv}")
    lanes = ["Felixstowe", "Southampton", "Daventry", "Magna Pk", "Tilbury", "Immingham", "Trafford Pk", "Hams Hall"]
    for _ in range(c.n(14, 3)):
        f = Firm(r, ["Logistics", "Freight", "Packaging", "Foods", "Plastics", "Engineering"])
        lane = r.choice(lanes)
        rate = r.choice([280, 320, 360, 395, 450, 520, 640])
        c.add(f.bank, r.choice(["fpi", "bgc", "bgc"]), f.books(r, "in") + [f"{lane} runs", f"Loads {{w}} {f.short}"], mix(.8, times(rate * 1.2, [1, 1, 2, 3, 4, 5, 8]), logn(rate * 4, .5)), rand(2.4), sign=1,
              ref=r.choice(["{inv}", "INV{inv}", "SELF BILL {x}", "SB{x}", "HAULAGE", "{MON} STMT", ""]), hab="bgc", life=c.churn(.4, 450))
    for _ in range(c.n(4)):
        f = Firm(r, ["Haulage", "Transport"])
        c.add(f.bank, "fpo", f.books(r, "out") + ["Subbie haulier", "sub-contract load"], times(r.choice([250, 300, 340]) * 1.2, [1, 1, 2, 3, 5]), rand(2.5), ref="{inv}", life=c.churn(.4, 300))
    c.add(["BIBBY FACTORS", "LLOYDS INV FIN"], "bgc", ["Factoring drawdown", "Inv finance"], pick(2000, 3000, 5000, 7500, 10000), rand(3), sign=1, ref="DRAWDOWN")
    staff(c, c.n(2), [1690.2, 1812.4, 2044], "fpo", monthly(27), ["Office wages {m}", "Transport office {who}", "TM salary", "Admin {in}"])


COMPANIES = {"cafe": cafe, "lettings": lettings, "builder": builder, "wholesaler": wholesaler,
             "dental": dental, "agency": agency, "charity": charity, "haulage": haulage}
ALIASES = {"letting": "lettings", "letting-agent": "lettings", "builder-cis": "builder", "wholesale": "wholesaler",
           "dentist": "dental", "design": "agency", "design-agency": "agency", "haulier": "haulage"}


# ---------------------------------------------------------------------------
# From streams to rows
# ---------------------------------------------------------------------------

def transpose(r, a):
    s = str(a)
    ks = [k for k in range(len(s) - 1) if s[k] != s[k + 1] and not (k == 0 and s[1] == "0")]
    if not ks:
        return a + 9
    k = r.choice(ks)
    return int(s[:k] + s[k + 1] + s[k] + s[k + 2:])


def build(company, seed, rows, window):
    key = f"{company}/{seed}/{rows}"
    r = random.Random(key)
    span = int(520 * (rows / 5000) ** .52)
    span = max(35, min(span, 3650))
    last_year = 2025 - r.randint(0, 1)
    end = dt.date(last_year, r.randint(1, 12), 28).toordinal()
    start = end - span
    lead = 40
    # find the size of business that fills the rows
    lo, hi = .05, 4.0
    while rate_of(company, key, hi, start - lead, end) * span / (span + lead) < rows * 1.1 and hi < 5000:
        hi *= 2
    for _ in range(9):
        mid = (lo + hi) / 2
        if rate_of(company, key, mid, start - lead, end) * span / (span + lead) < rows * 1.1:
            lo = mid
        else:
            hi = mid
    while True:
        # a very small firm cannot be thinned for ever: lengthen or shorten the span by cutting at `rows`
        c = Company(key, hi, start - lead, end + 10)
        COMPANIES[company](c)
        bank, book = simulate(c, r, start, span)
        if len([1 for b in bank if b[0] >= start]) >= rows:
            break
        hi *= 1.12
    return finish(bank, book, rows, start, window, r)


def rate_of(company, key, scale, start, end):
    c = Company(key, scale, start, end)
    COMPANIES[company](c)
    return c.expected()


def simulate(c, r, start, span):
    names = [r.choice(BANKS)]
    switch = None
    if span > 400 and r.random() < .3:
        names.append(r.choice([b for b in BANKS if b != names[0]]))
        switch = start + r.randint(span // 4, 3 * span // 4)
    # who keeps the books, when
    n_sites = 1 + max(s.site for s in c.streams)
    desks = []                                     # one main chair per group of sites
    k = 0
    for _ in range(1 + min(4, n_sites // 4)):
        line, o = [], c.start
        while o <= c.end:
            till = o + r.randint(220, 800)
            line.append((o, till, Keeper(r, r.choices(["main", "temp"], [5, 1])[0], k)))
            k += 1
            o = till
        desks.append(line)
    owner, accountant = Keeper(r, "owner", k), Keeper(r, "accountant", k + 1)
    second = Keeper(r, "main", k + 2)
    # weeks when nobody keyed; all of it is keyed on one day after
    gaps = []
    o = c.start + r.randint(20, 200)
    while o < c.end:
        ln = r.randint(9, 19)
        gaps.append((o, o + ln, roll(o + ln + r.randint(1, 3))))
        o += r.randint(170, 420)
    gap_starts = [g[0] for g in gaps]
    cards = [acct(r, 4) for _ in range(3)]
    cheque = r.randint(100100, 200900)
    slip = r.randint(500010, 500900)
    bank, book = [], []          # bank: (date, amount, text, link) ; book: (date, amount, text, link, kind)
    link = 0
    rnd = r.random
    evs = []
    for st in c.streams:
        for ev in st.sched[1](r, st.from_, st.to_):
            evs.append((ev, st))
    evs.sort(key=lambda e: (e[0], e[1].id))
    alpha = "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789"
    for ev, st in evs:
        bk_name = names[0] if switch is None or ev < switch else names[1]
        legacy = bk_name in LEGACY
        amt = st.amt(r, ev)
        if amt <= 0:
            continue
        ch = st.ch
        # ---- bank date
        lag = st.lag
        if lag and lag[0] == "bd":
            bd = plus_bd(ev, lag[1])
            if rnd() < .05:
                bd = plus_bd(bd, 1)
        elif lag and lag[0] == "days":
            bd = ev + r.randint(lag[1], lag[2])
            bd = roll(bd) if legacy or ch == "chqin" else bd
        elif lag and lag[0] == "chq":
            bd = roll(ev + 3 + int(r.expovariate(1 / 6.5)))
        elif ch == "card":
            bd = plus_bd(ev, r.choice((0, 1, 1, 1, 2))) if legacy else ev + (1 if rnd() < .1 else 0)
        elif ch in ("dd", "so", "fee", "bulk", "int"):
            bd = roll(ev)
        elif ch == "fpi":
            bd = roll(ev) if legacy else ev
            if rnd() < .06:
                bd += r.choice((1, 1, 2, 3))
                bd = roll(bd) if legacy else bd
        elif ch == "fpo":
            e2 = rollback(ev) if st.sign < 0 and wd(ev) >= 5 and rnd() < .6 else ev
            bd = roll(e2) if legacy else e2
        else:
            bd = roll(ev) if legacy else ev
        inv = int(c.inv_base + (ev - c.start) * c.inv_rate * max(.3, c.scale)) - r.randint(0, 30)
        inv = inv if inv > 20 else 20 + abs(inv)
        # ---- bank text
        ref = st.ref
        if ch == "chq":
            ref = str(cheque)
            cheque += 1
        elif ch == "chqin":
            ref = str(slip)
            slip += 1
        elif "{" in ref:
            d = D(ev)
            ref = (ref.replace("{inv}", str(inv)).replace("{MON}", MON[d.month - 1].upper())
                   .replace("{x}", "".join(r.choices(alpha, k=5))).replace("{d}", d.strftime("%d%m%y")))
        elif ref == "WAGES WK":
            ref = f"WAGES WK{D(ev).isocalendar()[1]}"
        payee = st.bank[0] if len(st.bank) == 1 or rnd() < .72 else r.choice(st.bank)
        if "{" in payee:
            payee = payee.replace("{x}", "".join(r.choices(alpha, k=r.choice((4, 5, 6))))).replace("{t}", st.town.upper())
        only_book = rnd() < st.book_only
        # a weekend payment is dated Monday but prints its own day; a delayed one prints the day it went
        shown = bd if ch in ("fpi", "fpo") and (lag or bd - ev > 3 or bd < ev) else ev
        sgn = st.sign
        text = None if only_book else " ".join(
            bank_line(bk_name, ch, payee, ref, shown, r, st.town, cards[st.id % 3]).split())[:500] if bk_name != "monzo" or ch != "card" else \
            bank_line(bk_name, ch, payee, ref, shown, r, st.town, cards[st.id % 3]).strip()[:500]   # columns kept
        fee = int(round(amt * st.fee))
        link += 1
        if text is not None:
            bank.append((bd, sgn * (amt - fee), text or "PAYMENT", link))
        # ---- who keys it
        x = rnd()
        desk = desks[st.site % len(desks)]
        kp = desk[-1][2]
        for a, b, q in desk:
            if a <= ev < b:
                kp = q
                break
        if x < .05 or (ch == "card" and x < .16):
            kp = owner
        elif x > .93:
            kp = second
        elif x > .92 or (ch in ("fee", "int") and x > .6):
            kp = accountant
        # ---- missing on one side
        sl = kp.sloppy
        if not only_book and rnd() < st.bank_only + .012 * sl:
            continue
        y = rnd()
        if y < .006 and ch in ("dd", "so", "fpo", "fpi", "chqin"):   # bounced or recalled, then paid again
            b2 = plus_bd(bd, r.choice((2, 3)))
            if not only_book:
                bank.append((b2, -sgn * (amt - fee), f"{'UNPAID' if ch == 'dd' else 'RETURNED'} {text[:30]}".strip(), 0))
                bank.append((plus_bd(b2, r.choice((3, 5, 10))), sgn * (amt - fee), text, 0))
        # ---- book side
        desc = kp.word(r, st, ev, inv)
        if ch == "chq" and rnd() < .6:
            desc = r.choice([f"{desc} chq {str(cheque - 1)[-3:]}", f"{cheque - 1} {desc}", f"Chq {cheque - 1}"])
        elif ch == "chqin" and rnd() < .3:
            desc = f"{desc} slip {str(slip - 1)[-3:]}"
        bdate = kp.date(r, st, ev, bd)
        bamt = sgn * (amt - fee)
        kind = None
        if fee and kp.gross.setdefault(st.id, r.random() < .10):
            bamt, kind = sgn * amt, "gross_for_net"
        if gaps:
            i = bisect.bisect_right(gap_starts, bdate) - 1
            if i >= 0 and bdate <= gaps[i][1] and rnd() < .45 and st.hab not in ("dd", "so"):
                bdate = gaps[i][2]
                kind = kind or "late_batch"
        e = rnd() / sl
        if e < .0055:
            v = transpose(r, abs(bamt))
            if v != abs(bamt):
                bamt, kind = (v if bamt > 0 else -v), "transposed" if sorted(str(v)) == sorted(str(abs(bamt))) else "miskeyed"
        elif e < .0080:
            bamt, kind = -bamt, "sign"
        elif e < .0105:
            v = abs(bamt)
            v2 = r.choice([v - v % 100 or v, v * 10, v + r.choice((1, -1, 10, -10, 100)), int(round(v / 1.2)), round(v, -2)])
            if v2 > 0 and v2 != v:
                bamt, kind = (v2 if bamt > 0 else -v2), "miskeyed"
        elif e < .0145:
            d = D(bdate)
            m = d.month % 12 + 1 if rnd() < .5 else (d.month - 2) % 12 + 1
            yv = d.year + (1 if m == 1 and d.month == 12 else -1 if m == 12 and d.month == 1 else 0)
            bdate, kind = dt.date(yv, m, min(d.day, 28)).toordinal(), "wrong_month"
        elif e < .0165:
            d = D(bdate)
            if d.day <= 12 and d.day != d.month:
                bdate, kind = dt.date(d.year, d.day, d.month).toordinal(), "day_month_swapped"
        elif e < .0172:
            d = D(bdate)
            bdate, kind = dt.date(d.year - 1, d.month, min(d.day, 28)).toordinal(), "wrong_year"
        elif e < .0290 and kind is None:
            bdate, kind = bdate + r.randint(4, 24), "late"
        elif e < .0360 and kind is None:
            other = c.streams[r.randrange(len(c.streams))]
            if other.sign == sgn and other.ch != "atm":
                desc, kind = kp.word(r, other, ev, inv), "misposted"
        if only_book:
            book.append((bdate, bamt, desc, 0, ""))
            continue
        book.append((bdate, bamt, desc, link, kind or ("cheque" if ch == "chq" else "")))
        z = rnd() / sl
        if z < .008:                               # keyed twice
            who = r.choice([kp, kp, owner, second])
            book.append((bdate + r.choice((0, 0, 0, 1, 2, 5, 7)), bamt, desc if who is kp and rnd() < .6 else who.word(r, st, ev, inv), 0, ""))
        elif z < .0105:                            # keyed, reversed, keyed again
            book.append((bdate + r.choice((0, 1)), bamt, desc, 0, ""))
            book.append((bdate + r.choice((0, 1, 3)), -bamt, r.choice([f"Reverse {desc}", f"corr {desc}", f"Jnl - {desc}", desc]), 0, ""))
        elif z < .016:                             # on the books only: cash, director's card, other account
            book.append((bdate + r.randint(-5, 5), sgn * st.amt(r, ev), kp.word(r, st, ev, inv + 3), 0, ""))
        elif z < .019:                             # one bank line, several book lines: neither has a partner
            o_b = book.pop()
            part = r.randint(max(1, abs(bamt) // 5), max(2, abs(bamt) // 2))
            part = part if bamt > 0 else -part
            book.append((bdate, part, desc, 0, ""))
            if bamt - part:
                book.append((o_b[0], bamt - part, kp.word(r, st, ev, inv), 0, ""))
        if rnd() < .0015:                          # the bank takes it twice and gives it back
            bank.append((bd, sgn * (amt - fee), text, 0))
            bank.append((plus_bd(bd, r.randint(1, 6)), -sgn * (amt - fee), ("REFUND " + text[:40]).strip(), 0))
    return bank, book


def finish(bank, book, rows, start, window, r):
    bank = [b for b in bank if b[0] >= start]
    bank.sort(key=lambda b: b[0])
    bank = bank[:rows]                             # stop when the statement has enough lines
    last = bank[-1][0]
    wrong = ("wrong_year", "wrong_month", "day_month_swapped")
    book = [b for b in book if start <= b[0] <= last or b[4] in wrong and start - 380 <= b[0] <= last + 200]
    # order of keying differs from order of clearing; each side shuffled within its day
    bank = sorted(((b[0], r.random(), b) for b in bank), key=lambda t: t[:2])
    book = sorted(((b[0], r.random(), b) for b in book), key=lambda t: t[:2])
    bank, book = [t[2] for t in bank], [t[2] for t in book]
    at = {b[3]: i for i, b in enumerate(bank) if b[3]}
    # a link whose bank row fell after the cut may still look like a wrong-date row: drop those outside the span
    keep = []
    for b in book:
        if (b[0] < start or b[0] > last) and b[3] not in at:
            continue
        keep.append(b)
    book = keep
    pairs = []
    for j, b in enumerate(book):
        i = at.get(b[3]) if b[3] else None
        if i is None:
            continue
        lag = b[0] - bank[i][0]
        kind = b[4]
        if kind in ("", "late_batch", "late"):
            kind = "same_day" if lag == 0 else "near" if abs(lag) <= window else (kind or "slow")
        elif kind == "cheque":
            kind = "cheque" if abs(lag) <= window else "cheque_slow"
        pairs.append([i, j, kind])
    pairs.sort()
    side = lambda xs: [{"date": D(x[0]).isoformat(), "amount": x[1] / 100, "description": x[2]} for x in xs]
    data = {"bank": side(bank), "book": side(book),
            "options": {"allowedDateDifferenceInDays": window, "includeMatched": True}}
    truth = {"n_bank": len(bank), "n_book": len(book), "pairs": pairs}
    return data, truth


# ---------------------------------------------------------------------------
# Output and self-check
# ---------------------------------------------------------------------------

def write(path, data, truth):
    """Amounts with two decimals, one row a line."""
    def row(x):
        return '{"date":"%s","amount":%.2f,"description":%s}' % (x["date"], x["amount"], json.dumps(x["description"]))
    with open(path + ".json", "w", encoding="utf-8") as f:
        f.write('{"bank":[\n' + ",\n".join(map(row, data["bank"])) + '\n],"book":[\n' + ",\n".join(map(row, data["book"])) +
                '\n],"options":' + json.dumps(data["options"], separators=(",", ":")) + "}\n")
    with open(path + ".truth.json", "w", encoding="utf-8") as f:
        json.dump(truth, f, separators=(",", ":"))
        f.write("\n")


def check(name, data, truth, window):
    bank, book, pairs = data["bank"], data["book"], truth["pairs"]
    words = lambda s: set(re.findall(r"[a-z]{3,}", s.lower()))
    digits = lambda s: set(re.findall(r"\d{3,}", s))
    pence = lambda x: int(round(x["amount"] * 100))
    day = lambda x: dt.date.fromisoformat(x["date"]).toordinal()
    for x in bank + book:
        assert 1 <= len(x["description"]) <= 500 and x["description"] == x["description"].strip(), x
        assert pence(x) != 0, x
    assert len({p[0] for p in pairs}) == len({p[1] for p in pairs}) == len(pairs)
    shared = num = reach = 0
    lags = Counter()
    for i, j, _ in pairs:
        a, b = bank[i], book[j]
        shared += bool(words(a["description"]) & words(b["description"]))
        num += bool(digits(a["description"]) & digits(b["description"]))
        lag = day(b) - day(a)
        reach += pence(a) == pence(b) and abs(lag) <= window
        lags[max(-11, min(11, lag))] += 1
    ca, cb = Counter(map(pence, bank)), Counter(map(pence, book))
    same_a = sum(ca[pence(x)] > 1 for x in bank) / len(bank)
    same_b = sum(cb[pence(x)] > 1 for x in book) / len(book)
    # choice: for each reachable pair, book rows of the same amount within the window
    by = {}
    for x in book:
        by.setdefault(pence(x), []).append(day(x))
    for v in by.values():
        v.sort()
    rivals = 0
    for i, j, _ in pairs:
        a = bank[i]
        if pence(a) == pence(book[j]) and abs(day(a) - day(book[j])) <= window:
            v, d = by[pence(a)], day(a)
            rivals += bisect.bisect_right(v, d + window) - bisect.bisect_left(v, d - window) > 1
    n = len(pairs)
    print(f"{name}: bank {len(bank)}  book {len(book)}  pairs {n}  reachable {reach} ({reach / n:.1%})  "
          f"{bank[0]['date']}..{bank[-1]['date']}")
    print(f"  bank rows without partner {len(bank) - n}  book rows without partner {len(book) - n}")
    print(f"  pairs sharing a word of 3+ letters {shared / n:.1%}   sharing a number of 3+ digits {num / n:.1%}")
    print(f"  rows sharing their amount: bank {same_a:.1%}  book {same_b:.1%}   reachable pairs with a rival {rivals / max(1, reach):.1%}")
    print(f"  different texts: bank {len({x['description'] for x in bank})}  book {len({x['description'] for x in book})}")
    print("  kinds: " + "  ".join(f"{k} {v}" for k, v in Counter(p[2] for p in pairs).most_common()))
    print("  book day minus bank day: " + "  ".join(
        f"{'<=' if k == -11 else '>=' if k == 11 else ''}{k:+d}:{v / n:.1%}" for k, v in sorted(lags.items())))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--rows", type=int, default=5000, help="bank rows; the books come out close to it")
    ap.add_argument("--company", required=True, help=", ".join(COMPANIES) + "; or all (adds .NAME to the path)")
    ap.add_argument("--out", help="writes OUT.json and OUT.truth.json")
    ap.add_argument("--window", type=int, default=3)
    ap.add_argument("--check", action="store_true", help="print counts")
    a = ap.parse_args()
    want = list(COMPANIES) if a.company == "all" else [ALIASES.get(a.company, a.company)]
    if want[0] not in COMPANIES:
        ap.error("unknown company; one of " + ", ".join(COMPANIES))
    if a.rows < 20 or a.window < 0:
        ap.error("--rows must be 20 or more and --window 0 or more")
    if not a.out and not a.check:
        ap.error("give --out, --check or both")
    for name in want:
        data, truth = build(name, a.seed, a.rows, a.window)
        if a.out:
            write(a.out + ("." + name if a.company == "all" else ""), data, truth)
        if a.check:
            check(name, data, truth, a.window)


if __name__ == "__main__":
    sys.exit(main())
