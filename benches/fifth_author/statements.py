#!/usr/bin/env python3
"""Bank statements with the cash books that belong to them: six invented UK organisations.

    python3 statements.py --list
    python3 statements.py --company NAME --seed N --n ROWS --out BASE

Writes BASE.json (bank, book, options) and BASE.truth.json (pairs, groups, kinds). Standard library only, deterministic.

How it works: every movement of money is a "deal" with a document date. The bank turns it into one or more statement rows
(own calendar, own wording); the clerk turns it into one or more cash-book rows (own dates, own wording, own mistakes).
All amounts are whole pence until they are written.
"""
import argparse
import bisect
import datetime as dt
import json
import random
import sys

DAY = dt.timedelta(days=1)

FIRST = """Aaron Abigail Alan Alison Amir Amy Andrew Angela Anita Anthony Barbara Ben Beth Brenda Brian Callum Carol Catherine
Charlotte Chloe Chris Claire Colin Connor Craig Daisy Daniel David Dawn Deborah Derek Diane Dominic Dorothy Duncan Edward
Eleanor Elizabeth Ellie Emily Emma Ewan Fatima Fiona Frances Gareth Gary Geoffrey George Gillian Gordon Grace Graham Hannah
Harpreet Harry Heather Helen Holly Howard Ian Imran Irene Isla Jack Jacqueline James Jamie Janet Jason Jean Jenny Joan Joanne
Jordan Josh Joyce Judith Julie Karen Kate Keith Kelly Kevin Kieran Kirsty Laura Lauren Leanne Lee Lesley Lewis Liam Linda Lisa
Louise Lucy Luke Lynn Maciej Malcolm Margaret Maria Marion Mark Martin Mary Matthew Maureen Megan Michael Michelle Mohammed
Moira Nadia Natalie Neil Nicola Nigel Olivia Owen Pamela Patricia Paul Pauline Peter Philip Priya Rachel Raymond Rebecca
Rhys Richard Robert Roger Ros Rowan Ruth Ryan Sally Sam Sandra Sarah Scott Sean Sharon Sheila Simon Sophie Stella Stephen
Steve Stuart Sue Suresh Susan Tanya Teresa Thomas Tina Tony Tracey Trevor Valerie Vera Victoria Wendy William Yasmin Yvonne Zoe""".split()
LAST = """Abbott Adeyemi Ahmed Aldridge Allsop Amos Appleby Archer Ashworth Atkins Bagshaw Bailey Banerjee Barker Barraclough Bassett
Beddoes Bellamy Bennett Berry Blackwell Bolton Bostock Bowyer Bradshaw Brennan Broadhurst Brookes Buckley Bull Burgess Butcher
Cartwright Chadwick Chaudhry Clegg Clough Cole Cooper Corrigan Cowley Crabtree Crowther Cullen Dangerfield Davies Dawber Dewhurst
Dhillon Dixon Dobson Donnelly Drury Duffy Dunn Eccles Edge Ellis Entwistle Evans Fairclough Farrell Fenwick Firth Fletcher Foster
Frost Gallagher Garside Gill Goddard Gorman Greenhalgh Griffiths Gupta Haigh Hall Hargreaves Harrop Haworth Hayes Heaton Hibbert
Higginbottom Hinchliffe Hobson Holroyd Hope Horrocks Howarth Hughes Hussain Iqbal Ingham Jackson Jagger James Jarvis Jenkins Jones
Kaur Kaye Kelly Kendrick Kershaw Khan Kirkham Knowles Kowalski Lamb Lancaster Leadbetter Leigh Lister Lloyd Lomax Longbottom Lumb
Macdonald Makin Marsden Marsh Mason Mather McBride McKenna McLeod Mellor Metcalfe Milner Mistry Moran Morgan Murgatroyd Nash Naylor
Newsome Nowak Nuttall O'Brien O'Hara Ogden Okafor Oldroyd Ormerod Owens Palmer Parkinson Patel Pearce Pickles Pilling Platt Pollard
Poole Popescu Powell Preston Quinn Raistrick Ramsden Rao Redfern Reid Rhodes Ridley Riley Roberts Rothwell Rushton Ryder Sagar
Saunders Schofield Scott Shackleton Sharma Shaw Sheard Shepherd Siddall Singh Slater Smith Smith-Jones Stansfield Stead Stott
Sugden Sutcliffe Swindells Sykes Tattersall Taylor Tetlow Thackray Thewlis Thompson Thorpe Tordoff Townend Turnbull Turner Unsworth
Varley Vickers Wadsworth Walker Walmsley Ward Waterhouse Watts Webster Whitaker Whittle Wilkinson Williams Wood Woodhead Wozniak Yates""".split()
PLACE = """Aldermoor Ambergate Ashcombe Barrowby Beckside Birchover Blackmere Bramhope Brindley Broadclough Burnfold Calderbrook Carrfield
Castlebar Chantry Cheviot Cinderhill Claywood Cleeve Coldharbour Copperas Cragside Crossgate Danebank Deepcar Dovecote Dunmere
Eastwold Edgeley Elmbridge Fairholme Farside Fennimore Fernhill Foxdale Gatehouse Glenbrook Grangefield Greenfold Hallfield
Harecastle Hartwith Hawkshaw Hazelmere Heathcote Highgrove Hollins Inglewood Ivybridge Kestrel Kingsmead Kirkstone Ladywell
Larkfield Leaside Linden Littleborough Longsight Lowther Maltby Marshgate Mereside Millbank Moorcroft Netherby Northgate Oakenshaw
Orchard Overdale Parkgate Pennine Pinfold Priory Quarrybank Ravensworth Redmire Ribbleside Ridgeway Rookwood Rosemount Sandygate
Selworthy Severnside Shawclough Silverdale Southfield Springhead Staithe Stonecross Summerley Swanmoor Tanfield Thistledown
Towngate Trentside Underhill Valley Vixen Wardle Waterside Wavertree Westbrook Whinmoor Whitestone Windermoor Woodlea Wyndham Yewtree""".split()
PUB_A = "Red White Black Golden Old Blue Jolly Royal Green Three Flying Kings Queens Railway Merry".split()
PUB_B = "Lion Hart Bull Fleece Bell Swan Fox Oak Ploughman Anchor Tuns Horseshoes Talbot Arms Wheatsheaf Dragon Tavern Shepherd".split()
PETS = """Bella Rex Poppy Alfie Luna Max Tilly Milo Daisy Oscar Molly Charlie Ruby Teddy Coco Buddy Rosie Toby Lola Jasper Honey Smudge
Ginger Misty Felix Barney Willow Monty Biscuit Pepper Sooty Tigger Nala Dexter Pickle Bruno Fudge Simba Cleo Archie""".split()
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


# ---------------------------------------------------------------- calendar

def easter(y):
    a, b, c = y % 19, y // 100, y % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    l = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 19 * l) // 433
    month = (h + l - 7 * m + 90) // 25
    return dt.date(y, month, (h + l - 7 * m + 33 * month + 19) % 32)


def bank_holidays(y):
    s = {easter(y) - 2 * DAY, easter(y) + DAY}

    def monday(m, last):
        ds = [dt.date(y, m, x) for x in range(1, 32) if dt.date(y, m, x).weekday() == 0]
        return ds[-1] if last else ds[0]
    s |= {monday(5, False), monday(5, True), monday(8, True)}
    for m, x in ((1, 1), (12, 25), (12, 26)):
        d = dt.date(y, m, x)
        while d.weekday() > 4 or d in s:
            d += DAY
        s.add(d)
    return s


HOL = set()
for _y in range(2009, 2028):
    HOL |= bank_holidays(_y)


def is_work(d):
    return d.weekday() < 5 and d not in HOL


def on_work(d):
    while not is_work(d):
        d += DAY
    return d


def add_work(d, k):
    d = on_work(d)
    while k > 0:
        d = on_work(d + DAY)
        k -= 1
    return d


def month_end(d):
    return (d.replace(day=28) + 4 * DAY).replace(day=1) - DAY


# ---------------------------------------------------------------- wording

ABBR = {"LIMITED": "LTD", "SERVICES": "SVCS", "SERVICE": "SVC", "COMPANY": "CO", "ASSOCIATES": "ASSOC", "INTERNATIONAL": "INTL",
        "ENGINEERING": "ENG", "MANAGEMENT": "MGMT", "INSURANCE": "INS", "VETERINARY": "VET", "SUPPLIES": "SUPP", "BROTHERS": "BROS",
        "SOLUTIONS": "SOLN", "GROUP": "GRP", "DISTRIBUTION": "DISTRIB", "BUSINESS": "BUS", "HOLDINGS": "HLDGS", "PARTNERSHIP": "PTNRS"}


def tidy(s):
    return " ".join(s.split()).strip(" -,/:")


def swap_digits(rng, s):
    """Two neighbouring digits exchanged."""
    c = [i for i in range(len(s) - 1) if s[i].isdigit() and s[i + 1].isdigit() and s[i] != s[i + 1]]
    if not c:
        return s
    i = rng.choice(c)
    return s[:i] + s[i + 1] + s[i] + s[i + 2:]


def typo(rng, s):
    c = [i for i in range(1, len(s) - 1) if s[i].isalpha() and s[i + 1].isalpha()]
    if not c:
        return s
    i = rng.choice(c)
    k = rng.random()
    if k < .4:
        return s[:i] + s[i + 1] + s[i] + s[i + 2:]
    if k < .7:
        return s[:i] + s[i + 1:]
    if k < .88:
        return s[:i] + s[i] + s[i:]
    near = {"a": "s", "e": "r", "i": "o", "o": "p", "n": "m", "t": "y", "s": "d", "r": "t", "l": "k"}
    return s[:i] + near.get(s[i].lower(), "e") + s[i + 1:]


class Party:
    __slots__ = ("legal", "bank", "bank2", "clerk", "clerk2", "code", "mandate", "habit", "x")

    def __init__(self, legal, bank, bank2, clerk, clerk2, code, mandate, habit, x=None):
        self.legal, self.bank, self.bank2, self.clerk, self.clerk2 = legal, bank, bank2, clerk, clerk2
        self.code, self.mandate, self.habit, self.x = code, mandate, habit, x or {}


# ---------------------------------------------------------------- the ledger machine

IN = {"fp_in", "so_in", "bacs_in", "chq_in", "cash_in", "payout", "interest", "tfr_in", "hmrc_in"}

BASE = dict(cut=18, style="A", sessions=(1, 4), p_sess=.10, p_bank=.45, p_early=.03, p_miss=.055, p_double=.016, p_typo=.05,
            p_swap=.04, p_wrong=.012, p_rev=.004, p_bare=.04, p_other=.010, p_dm=.004, p_monthend=.012, spell=125, p_split=.85,
            p_weeklate=.012, p_ghost=.035, weekend=True, start=(2014, 4, 1))


class Ledger:
    def __init__(self, company, seed, n, **prof):
        self.company, self.n = company, n
        self.rng = random.Random(f"fifth/{company}/{seed}/{n}")
        self.p = dict(BASE)
        self.p.update(prof)
        self.days = max(45, min(3640, int(175 * (n / 500) ** .78)))
        self.scale = (n / 500) / (self.days / 175)              # 1 at 500 rows, about 1.66 at 5,000, 4.8 at 50,000
        y, m, d = self.p["start"]
        self.start = dt.date(y, m, d) + dt.timedelta(days=self.rng.randrange(0, 300))
        self.end = self.start + dt.timedelta(days=self.days - 1)
        self.brows, self.krows = [], []                          # (date, pence, text, kind)
        self.pairs, self.groups = [], []
        self.inv = self.rng.randrange(10200, 38000)
        self.pinv = self.rng.randrange(1000, 90000)
        self.chq = self.rng.randrange(100100, 104000)
        self.pis = self.rng.randrange(300, 990)
        self.streams, self.weights = [], []
        self.season = lambda d: 1.0
        self.weekday_w = (1.1, 1, 1, 1, 1.15, .6, .35)
        self.card4 = "%04d" % self.rng.randrange(1000, 9999)
        # spells in which the clerk was away: [first day, last day]
        self.spells = []
        d = self.start + dt.timedelta(days=self.rng.randrange(20, self.p["spell"]))
        while d < self.end:
            self.spells.append((d, d + dt.timedelta(days=self.rng.randrange(4, 10))))
            d += dt.timedelta(days=self.rng.randrange(self.p["spell"] // 2, self.p["spell"] * 3 // 2))
        # sessions for which the clerk left the date of another day in the screen
        self.stuck = {}
        for i in range(self.days):
            if self.rng.random() < self.p["p_weeklate"]:
                self.stuck[self.start + i * DAY] = self.rng.choice((-7, -5, -4, 4, 5, 6, 7, 10, -30, 30))

    # ------------------------------------------------ money

    def ln(self, med, sig=.5, step=1):
        v = max(100, int(round(self.rng.lognormvariate(0, sig) * med * 100)))
        return max(step, v // step * step)

    def near(self, pence, pct):
        return max(1, int(pence * (1 + self.rng.uniform(-pct, pct))))

    def pick(self, pounds):
        return int(round(self.rng.choice(pounds) * 100))

    # ------------------------------------------------ names

    def person(self, **x):
        r = self.rng
        f, l = r.choice(FIRST), r.choice(LAST)
        mid = r.choice("ABCDEGHJKLMPRSTW") if r.random() < .45 else ""
        f2 = r.choice(FIRST)
        t = r.choice(("MR", "MRS", "MISS", "MS", "DR"))
        L, F = l.upper(), f.upper()
        forms = [f"{F} {L}", f"{F[0]} {L}", f"{t} {F[0]}{mid} {L}", f"{L} {F[0]}{mid}", f"{F[0]}{mid} {L}", f"{F} {mid} {L}",
                 f"{L} {F[0]}&{f2[0].upper()}", f"{t} {F} {L}", f"{F[0]} & {f2[0].upper()} {L}"]
        k = r.random()
        if k < .82:
            bank = r.choice(forms)
        elif k < .94:
            bank = r.choice((f"{f2.upper()} {L}", f"{f2[0].upper()} {L}", f"MRS {f2[0].upper()} {L}"))     # wife, mother
        else:
            bank = f"{f2.upper()} {r.choice(LAST).upper()}"                                              # somebody else pays
        clerk = r.choice((f"{f} {l}", f"{l} {f}", f"{l}, {f[0]}", f"{f[0]} {l}", f"{t.title()} {l}", l))
        code = l.upper().replace("'", "")[:r.choice((3, 4))] + "%03d" % r.randrange(1, 120)
        return Party(f"{f} {l}", tidy(bank), r.choice(forms), clerk, r.choice((f"{f} {l}", l, f"{t.title()} {f[0]} {l}")), code,
                     "%08d" % r.randrange(10 ** 7, 10 ** 8), r.random(), dict(x, first=f, last=l))

    def firm(self, legal, trade=None, bank=None, clerk=None):
        r = self.rng
        trade = trade or legal.replace(" Limited", "").replace(" Ltd", "").replace(" plc", "")
        U = legal.upper().replace("&", "AND" if r.random() < .4 else "&")
        ab = " ".join(ABBR.get(w, w) for w in U.split())
        ini = "".join(w[0] for w in U.replace("&", "").split() if w not in ("LIMITED", "LTD", "PLC")) + " LTD"
        if bank is None:
            k = r.random()
            bank = U if k < .42 else ab if k < .70 else trade.upper() if k < .85 else ini if k < .92 else \
                f"{r.choice(LAST).upper()} {r.choice(('HOLDINGS', 'GROUP', '& SON', 'TRADING'))}"
        w = trade.split()
        clerk = clerk or r.choice((trade, trade, legal, " ".join(w[:2]), w[0] if w[0] != "The" else " ".join(w[:2])))
        code = "".join(c for c in trade.upper() if c.isalpha())[:3] + "%03d" % r.randrange(1, 60)
        return Party(legal, bank, r.choice((U, ab, trade.upper())), clerk, r.choice((trade, clerk, legal)), code,
                     r.choice(("%08d", "%010d")) % r.randrange(10 ** 7, 10 ** 8), r.random())

    def firms(self, kinds, count):
        out, seen = [], set()
        while len(out) < count:
            pl = self.rng.choice(PLACE) if self.rng.random() < .65 else self.rng.choice(LAST)
            name = f"{pl} {self.rng.choice(kinds)}"
            if name in seen and len(seen) < len(PLACE) * len(kinds):
                continue
            seen.add(name)
            out.append(self.firm(name + self.rng.choice((" Ltd", " Limited", "", " Ltd"))))
        return out

    def some(self, pool):
        """A party: a few regulars often, the rest seldom."""
        return pool[min(len(pool) - 1, int(len(pool) * self.rng.random() ** 1.6))]

    def count(self, base, grow=.75):
        return max(2, int(base * (self.n / 500) ** grow))

    # ------------------------------------------------ what the bank prints

    def bank_date(self, ch, doc):
        r = self.rng
        if ch in ("fp_in", "fp_out", "tfr_in", "tfr_out"):
            return doc if self.p["weekend"] else on_work(doc)
        if ch in ("dd", "so_in", "so_out", "bacs_in", "bacs_out", "hmrc_in", "fee", "interest"):
            return on_work(doc)
        if ch == "card":
            return add_work(doc, r.choice((0, 1, 1, 1, 2, 2, 3)))
        if ch == "payout":
            return add_work(doc + DAY, r.choice((0, 0, 0, 1)))
        if ch == "chq_out":
            return add_work(doc, r.choice((1, 2, 2, 3, 3, 4, 5, 6, 8, 12, 19)))
        if ch in ("chq_in", "cash_in"):
            return add_work(doc, r.choice((0, 0, 1, 1, 2, 2, 3, 5)))
        raise ValueError(ch)

    def payer_ref(self, party, ref, what):
        """What the paying person typed as reference."""
        r = self.rng
        k = r.random()
        num = "".join(c for c in (ref or "") if c.isdigit())
        if num:
            if k < .24:
                return "INV" + num
            if k < .42:
                return num
            if k < .52:
                return ref.upper()
            if k < .58:
                return "INVOICE " + num
            if k < .63:
                return swap_digits(r, num)
            if k < .74:
                return party.code
            if k < .84:
                return (what or "").upper()
            if k < .88:
                return r.choice(("PAYMENT", "THANKS", "BACS", "SALES", "ACCOUNT"))
            return ""
        if k < .5:
            return (what or "").upper()
        return party.code if k < .68 else party.x.get("last", "").upper() if k < .8 else ""

    def bank_text(self, ch, party, ref, what, bdate, doc, own=None):
        r, cut, st = self.rng, self.p["cut"], self.p["style"]
        name = party.bank if r.random() < .95 else party.bank2
        nm = name[:cut].strip()
        if ch in ("fp_in", "so_in", "bacs_in"):
            rf = own if own is not None else self.payer_ref(party, ref, what)
        elif ch in ("dd", "hmrc_in"):
            rf = party.mandate
        elif ch == "payout":
            rf = own if own is not None else party.mandate
        elif own is not None:
            rf = own
        else:
            num = "".join(c for c in (ref or "") if c.isdigit())
            rf = r.choice((ref or "", num, "INV " + num if num else "", self.p.get("own", "").upper(), party.code))
        rf = rf[:18].strip()
        d1, d2 = bdate, doc
        if ch == "chq_out":
            q = ref or ""
            return tidy({"A": f"CHEQUE {q}", "B": f"CHQ {q}", "C": f"{q} CHQ", "D": f"Cheque {q}", "E": f"{q} CHQ", "F": f"CHEQUE PAID SERIAL NO {q}"}[st])
        if ch in ("chq_in", "cash_in"):
            q = ref or ""
            return tidy({"A": f"CREDIT {q} BGC", "B": f"PIB {q} COUNTER CR", "C": f"DEPOSIT {q}", "D": f"Post Office deposit {q}",
                         "E": f"{q} DEP", "F": f"CASH/CHEQUES PAID IN {q}"}[st])
        if ch == "fee":
            return tidy({"A": f"{what.upper()} {d1:%d%b}".upper(), "B": f"DR {what.upper()}", "C": f"CHARGES , {what.upper()} , {d1:%d%b} A/C 4471".upper(),
                         "D": what, "E": f"{what.upper()} PAY", "F": f"{what.upper()} FOR PERIOD TO {d1:%d/%m/%Y}"}[st])
        if ch == "interest":
            return tidy({"A": "GROSS INTEREST", "B": "CR GROSS INTEREST", "D": "Interest earned", "F": "INTEREST PAID AFTER TAX"}.get(st, "INTEREST (GROSS)"))
        if ch in ("tfr_in", "tfr_out"):
            a = party.mandate
            w = "FROM" if ch == "tfr_in" else "TO"
            return tidy({"A": f"TRANSFER {w} {a} TFR", "B": f"TFR {a} {nm}", "C": f"{w} A/C {a} , MOBILE/ONLINE TRANSACTION", "D": f"Transfer {w.lower()} Savings pot",
                         "E": f"{nm} {a} TFR", "F": f"TRANSFER {w} {nm} {a}"}[st])
        if st == "A":        # name and reference at 18 signs, code behind
            code = {"fp_in": "FPI", "so_in": "STO", "bacs_in": "BGC", "fp_out": "FPO", "bacs_out": "BBP", "so_out": "STO", "dd": "DDR", "card": "POS", "payout": "BGC", "hmrc_in": "BGC"}[ch]
            if ch == "card":
                return tidy(f"{nm} ON {d2:%d %b} {code}".upper())
            return tidy(f"{nm} {rf} {code}")
        if st == "B":        # code in front
            code = {"fp_in": "CR", "so_in": "CR", "bacs_in": "CR", "fp_out": "BP", "bacs_out": "BP", "so_out": "SO", "dd": "DD", "card": "VIS", "payout": "CR", "hmrc_in": "CR"}[ch]
            if ch == "card":
                return tidy(f"{r.choice(('VIS', ')))'))} {nm} {self.p.get('town', '')}")
            return tidy(f"{code} {nm} {rf}")
        if st == "C":        # fields with commas
            if ch == "card":
                return tidy(f"{self.card4} {d2:%d%b%y} , {name[:22]} , {self.p.get('town', '')} GB".upper())
            if ch in ("fp_in", "fp_out"):
                w = "FP" if ch == "fp_in" else "VIA ONLINE - PYMT , FP"
                return tidy(f"{nm} , {rf} , {w} {d1:%d/%m/%y} {r.choice(('10', '20', '40'))} , {r.randrange(10 ** 9, 10 ** 10)}{'' if ch == 'fp_in' else 'N'}")
            tail = {"so_in": "STANDING ORDER", "so_out": "STANDING ORDER", "dd": "DIRECT DEBIT"}.get(ch, "AUTOMATED CREDIT" if ch in IN else "BACS PAYMENT")
            return tidy(f"{nm} , {rf} , {tail}" if rf else f"{nm} , {tail}")
        if st == "D":        # telephone bank, mixed letters
            t = name.title() if r.random() < .85 else name
            if ch == "card":
                return tidy(t[:24])
            return tidy(f"{t[:24]} {rf.capitalize() if r.random() < .6 else rf.lower()}" if rf else t[:24])
        if st == "E":        # 18 signs, long numbers, code
            code = {"fp_in": "FPI", "so_in": "SO", "bacs_in": "BGC", "fp_out": "FPO", "bacs_out": "BP", "so_out": "SO", "dd": "DD", "card": "DEB", "payout": "BGC", "hmrc_in": "BGC"}[ch]
            if ch == "card":
                return tidy(f"{nm} CD {self.card4} {d2:%d%b%y} {code}".upper())
            if ch in ("fp_in", "fp_out") and r.random() < .6:
                return tidy(f"{nm} {r.randrange(10 ** 14, 10 ** 15)} {rf} {d1:%d%b%y} {r.randrange(7, 22):02d}:{r.randrange(60):02d} {code}".upper())
            return tidy(f"{nm} {rf} {code}")
        # F: whole sentences
        nm = name[:self.p["cut"]].strip()
        if ch == "card":
            return tidy(f"CARD PAYMENT TO {nm} ON {d2:%d-%m-%Y}")
        if ch == "fp_in":
            return tidy(f"FASTER PAYMENTS RECEIPT {'REF.' + rf if rf else ''} FROM {nm}")
        if ch == "fp_out":
            return tidy(f"BILL PAYMENT VIA FASTER PAYMENT TO {nm} {'REFERENCE ' + rf if rf else ''}")
        if ch == "dd":
            return tidy(f"DIRECT DEBIT PAYMENT TO {nm} REF {rf}")
        if ch in ("so_in", "so_out"):
            return tidy(f"STANDING ORDER {'FROM' if ch == 'so_in' else 'TO'} {nm} {rf}")
        return tidy(f"{'BANK GIRO CREDIT REF' if ch in IN else 'BULK PAYMENT'} {nm}, {rf}")

    # ------------------------------------------------ what the clerk writes

    TEXT = {
        "in": ("{name} {ref}", "{name}", "{ref} {name}", "{name} - {what}", "{what} {name}", "Rec'd {name}", "{name} {code}"),
        "out": ("{name}", "{name} {ref}", "{name} - {what}", "Pd {name}", "{what}", "{name} inv {ref}"),
        "card": ("{name}", "{what}", "{name} - {what}", "Card {name}", "{what} ({name})"),
        "dd": ("{name}", "DD {name}", "{name} {what}", "{what}", "{name} d/d", "{name} {mon}"),
        "chq_out": ("{name} chq {ref}", "{ref} {name}", "Chq {ref}", "{name} - {what} {ref}", "{name}"),
        "chq_in": ("{name} chq", "{what} {name}", "Paying in {ref} {name}", "{name}", "{what} p/in {ref}"),
        "cash_in": ("{what}", "Cash banked {ref}", "{what} paying-in {ref}", "Banking {day}"),
        "payout": ("Card takings {day}", "{name} {day}", "Takings {day} {name}", "PDQ {day}", "{what} {day}"),
        "fee": ("{what}", "Bank charges", "Bank fees {mon}", "Charges"),
        "interest": ("Bank interest", "Interest received"),
        "tfr": ("Transfer {what}", "{what}", "Tfr to/from deposit a/c", "Inter-account transfer"),
    }

    def clerk_text(self, ch, party, ref, what, doc):
        r = self.rng
        key = ch if ch in self.TEXT else "dd" if ch in ("so_out",) else "tfr" if ch.startswith("tfr") else "in" if ch in IN else "out"
        tl = self.p.get("text", {}).get(key) or self.TEXT[key]
        t = tl[int(party.habit * len(tl))] if r.random() < .7 else r.choice(tl)
        if not ref:
            t = t.replace(" inv {ref}", "").replace(" chq {ref}", " chq").replace(" p/in {ref}", "")
        name = party.clerk if r.random() < .85 else party.clerk2
        err = ""
        if r.random() < self.p["p_other"] and self.pool:
            name, err = self.some(self.pool).clerk, "wrong_name"
        if r.random() < self.p["p_typo"]:
            name, err = typo(r, name), err or "typo"
        rf = ref or ""
        if rf and r.random() < self.p["p_swap"]:
            q = swap_digits(r, rf)
            if q != rf and "{ref}" in t:
                rf, err = q, err or "swapped_reference"
        s = tidy(t.format(name=name, ref=rf, what=what or "", code=party.code, mon=MONTHS[doc.month - 1], day=self.daytext(doc)))
        if r.random() < self.p["p_bare"]:
            s = r.choice({"in": ("BACS receipt", "Receipt", "Customer payment", "Online receipt"), "card": ("Card", "Misc purchase", "Sundry"),
                          "dd": ("DD", "Direct debit"), "payout": ("Takings", "Card receipts")}.get(key, ("Payment", "BACS", "Supplier payment", "Sundry")))
            err = err or "bare_text"
        return s or name or "Payment", err

    def daytext(self, d):
        return (f"{d.day}/{d.month}", f"{d:%a} {d.day}", f"{d:%d%m}", f"{d.day} {MONTHS[d.month - 1]}")[int(self.p.get("dayform", 0))]

    def session(self, d):
        while d.weekday() not in self.p["sessions"]:
            d += DAY
        return d

    def away(self, d):
        i = bisect.bisect(self.spells, (d, dt.date.max)) - 1
        return self.spells[i][1] if i >= 0 and self.spells[i][0] <= d <= self.spells[i][1] else None

    def book_date(self, ch, doc, bd):
        """Date in the cash book and, where the habit is worth a name, that name."""
        r, p = self.rng, self.p
        a = self.away(bd)
        if a and r.random() < .5:
            return a + DAY * r.randrange(1, 3), "after_absence"
        if bd in self.stuck and r.random() < .7:
            return bd + DAY * self.stuck[bd], "stuck_date"
        k = r.random()
        if k < p["p_dm"] and bd.day <= 12 and bd.day != bd.month:
            return dt.date(bd.year, bd.day, bd.month), "day_month"
        if bd.month == 1 and k < p["p_dm"] + .012:
            return bd - 365 * DAY if bd.day == 29 else bd.replace(year=bd.year - 1), "last_year"
        k = r.random()
        if k < p["p_monthend"]:
            return month_end(bd), "month_end"
        k -= p["p_monthend"]
        if k < p["p_sess"]:
            return self.session(bd), "session"
        k -= p["p_sess"]
        if k < p["p_early"]:
            return doc - DAY * r.choice((1, 1, 2, 2, 3, 5)), "early"
        k -= p["p_early"]
        if k < .02:
            return bd + DAY * r.choice((4, 5, 6, 8, 9, 14, 21)), "late"
        if ch in ("chq_out", "chq_in", "cash_in", "card", "payout"):
            return (doc, "") if r.random() < .85 else (bd, "")
        return (bd, "") if r.random() < p["p_bank"] / .8 else (doc + DAY * r.choice((0, 0, 0, 1, 1, -1, 2)), "")

    # ------------------------------------------------ deals

    def inside(self, d):
        return self.start <= d <= self.end

    def put_book(self, d, amt, text, kind):
        """Index of the new row, or None where the date lies before these books began or after they were closed."""
        if d < self.start - 40 * DAY and kind != "last_year" or d > self.end + 12 * DAY:
            d = min(max(d, self.start), self.end)
        self.krows.append((d, amt, text, kind))
        return len(self.krows) - 1

    def put_bank(self, d, amt, text, kind):
        self.brows.append((d, amt, text, kind))
        return len(self.brows) - 1

    def room(self):
        return self.n - len(self.brows)

    def deal(self, ch, party, amt, doc, ref=None, what="", parts=None, miss=None, own=None, tag=None, split=None):
        """One bank row. parts: [(pence, reference, what, document date, party or None)] add up to amt."""
        r, p = self.rng, self.p
        sign = 1 if ch in IN else -1
        if amt == 0:
            return
        amt = sign * abs(amt)
        bd = self.bank_date(ch, doc)
        if self.room() < 1 or bd < self.start:
            return
        if parts and r.random() >= (p["p_split"] if split is None else split):
            parts = None                                    # entered in one sum
        if bd > self.end:                                   # not yet through when the statement was drawn
            if doc <= self.end and not parts:
                t, _ = self.clerk_text(ch, party, ref, what, doc)
                self.put_book(doc, amt, t, "outstanding")
            return
        btext = self.bank_text(ch, party, ref, what, bd, doc, own)
        if parts:
            b = self.put_bank(bd, amt, btext, "one_for_several")
            gone = r.random() < .03
            wrong = r.random() < .03
            base, why = self.book_date(ch, doc, bd)
            rows = []
            for i, (a, rf, wh, d0, who) in enumerate(parts):
                if gone and i == len(parts) - 1:
                    continue
                t, _ = self.clerk_text(ch, who or party, rf, wh, d0 or doc)
                d = (d0 if d0 and r.random() < .9 else base)
                s = sign * a
                if wrong and i == 0:
                    s = self.miskey(s)
                rows.append(self.put_book(d, s, t, "part_of_broken_group" if gone or wrong else "part"))
            if not (gone or wrong):
                self.groups.append(("bank", b, rows))
            else:
                self.brows[b] = self.brows[b][:3] + ("broken_group",)
            return
        a = self.away(bd)
        m = p["p_miss"] if miss is None else miss
        if r.random() < m or (a and r.random() < .22):
            self.put_bank(bd, amt, btext, "missing_in_book")
            return
        t, err = self.clerk_text(ch, party, ref, what, doc)
        kd, why = self.book_date(ch, doc, bd)
        if r.random() < p["p_wrong"]:
            w = self.miskey(amt)
            if w != amt:
                self.put_bank(bd, amt, btext, "wrong_amount_in_book")
                self.put_book(kd, w, t, "wrong_amount")
                return
        kind = tag or ""
        if why:
            kind = why
        elif err:
            kind = err
        elif not kind:
            kind = {"card": "card", "payout": "card_takings", "chq_out": "cheque", "chq_in": "paying_in", "cash_in": "paying_in", "dd": "direct_debit",
                    "so_in": "standing_order", "so_out": "standing_order", "fee": "fee"}.get(ch, "plain")
        b = self.put_bank(bd, amt, btext, kind)
        k = self.put_book(kd, amt, t, kind)
        self.pairs.append((b, k, kind))
        q = r.random()
        if q < p["p_double"]:
            t2, _ = self.clerk_text(ch, party, ref, what, doc)
            self.put_book(kd + DAY * r.choice((0, 0, 0, 1, 2, 3, 7, 12, 28)), amt, t if r.random() < .5 else t2, "double_entry")
        elif q < p["p_double"] + p["p_rev"]:
            d = kd + DAY * r.choice((0, 1, 3))
            self.put_book(d, -amt, "Reverse " + t, "reversal")
            self.put_book(d, amt, t, "entered_again")

    def miskey(self, amt):
        r = self.rng
        s, a = (1 if amt > 0 else -1), abs(amt)
        k = r.random()
        if k < .45:
            q = int(swap_digits(r, str(a)))
        elif k < .65:
            q = a // 100 * 100
        elif k < .8:
            q = int(round(a / 1.2))
        elif k < .9:
            q = a + r.choice((-1000, -100, -1, 1, 10, 100, 1000))
        else:
            q = a * 10 if a < 50000 else a // 10
        q = q if q > 0 and q != a else a + 1
        return s * q

    def several(self, ch, rows, doc, party, ref, what, kind="instalment"):
        """Several bank rows [(pence, date, party, own reference)] for one entry in the book."""
        r = self.rng
        sign = 1 if ch in IN else -1
        bd = [self.bank_date(ch, d) for _, d, _, _ in rows]
        if len(rows) > self.room() or not all(self.inside(d) for d in bd):
            return
        total = sign * sum(a for a, *_ in rows)
        t, _ = self.clerk_text(ch, party, ref, what, doc)
        idx = [self.put_bank(d, sign * a, self.bank_text(ch, who or party, ref, what, d, d0, own), kind)
               for d, (a, d0, who, own) in zip(bd, rows)]
        if r.random() < .06:
            for i in idx:
                self.brows[i] = self.brows[i][:3] + ("missing_in_book",)
            return
        k = self.put_book(min(max(doc, self.start), self.end), total, t, "one_for_several")
        self.groups.append(("book", k, idx))

    def ghost(self, ch, party, amt, doc, ref, what, kind="never_at_bank"):
        t, _ = self.clerk_text(ch, party, ref, what, doc)
        self.put_book(min(doc, self.end), (1 if ch in IN else -1) * abs(amt), t, kind)

    def si(self):
        self.inv += 1
        return self.inv

    def cq(self):
        self.chq += 1
        return "%06d" % self.chq

    def slip(self):
        self.pis += 1
        return "%06d" % self.pis

    # ------------------------------------------------ diaries

    def months(self, dom, every=1, first=None):
        d = self.start.replace(day=1)
        i = 0 if first is None else None
        while d <= self.end:
            take = (i % every == 0) if first is None else ((d.month - first) % every == 0)
            if take:
                x = d.replace(day=min(dom, month_end(d).day))
                if self.inside(x):
                    yield x
            d = month_end(d) + DAY
            i = None if i is None else i + 1

    def monthly(self, ch, party, amount, dom, what, every=1, first=None, vary=0.0, rise=.03, tag=None, ref=None, miss=None, own=None):
        base = amount
        for x in self.months(dom, every, first):
            yrs = (x - self.start).days // 365
            a = int(round(base * (1 + rise) ** yrs / 5)) * 5 if rise else base
            if vary:
                a = self.near(a, vary)
            elif rise == 0:
                a = base
            self.deal(ch, party, a, x, ref, what, tag=tag, miss=miss, own=own)

    def payroll(self, staff, dom, mode, what="wages"):
        """mode: each (one bank row a head, one book row a head), bulk (one bank row), journal (one book row), mixed (each, some months journal)."""
        people = [(self.person(), self.ln(1650, .25)) for _ in range(staff)]
        bulk = self.firm("Bulk salaries file", bank="SALARIES BULK FILE", clerk="Net wages")
        for x in self.months(dom):
            while not is_work(x):
                x -= DAY
            for i, (q, a) in enumerate(people):                 # people leave and come
                if self.rng.random() < .01:
                    people[i] = (self.person(), a)
            pay = [(q, a if self.rng.random() < .6 else self.near(a, .04)) for q, a in people]
            w = f"{what} {MONTHS[x.month - 1]}"
            if mode == "each" or mode == "mixed" and self.rng.random() < .75:
                for q, a in pay:
                    self.deal("fp_out", q, a, x, None, w, own=self.rng.choice(("WAGES", "SALARY", "WAGES " + MONTHS[x.month - 1].upper())), tag="wages", miss=.015)
            else:
                for j in range(0, len(pay), 9):
                    part = pay[j:j + 9]
                    if mode == "bulk":
                        self.deal("bacs_out", bulk, sum(a for _, a in part), x, None, w, own=f"{len(part)} ITEMS", tag="wages",
                                  parts=[(a, None, w, x, q) for q, a in part], split=.9)
                    else:
                        self.several("fp_out", [(a, x, q, "WAGES") for q, a in part], x, bulk, None, w, "wages_in_journal")

    def tax(self, vat=True, staff=4):
        hm = self.firm("HMRC Cumbernauld", bank="HMRC CUMBERNAULD", clerk="HMRC PAYE")
        hm.mandate = f"{self.rng.randrange(100, 999)}PX00{self.rng.randrange(10 ** 5, 10 ** 6)}"
        self.monthly("fp_out", hm, self.ln(380, .1) * staff, 21, "PAYE/NIC", vary=.04, own=hm.mandate)
        pen = self.firm("Evergrow Workplace Pensions", bank="EVERGROW PENSIONS", clerk="Pension")
        self.monthly("dd", pen, self.ln(85, .1) * staff, 26, "pension contributions", vary=.02)
        if vat:
            hv = self.firm("HMRC VAT", bank="HMRC NDDS VAT", clerk="VAT")
            self.monthly("dd", hv, self.ln(4200, .3), 10, "VAT quarter", every=3, first=self.rng.choice((1, 2, 3)), vary=.25)

    def fixed(self, items):
        """(legal, bank, clerk, pounds, what, vary, every)"""
        for legal, bank, clerk, pounds, what, vary, every in items:
            q = self.firm(legal, bank=bank, clerk=clerk)
            self.monthly("dd", q, int(round(pounds * 100)), self.rng.randrange(1, 29), what, every=every, vary=vary, rise=.04)

    def bankfees(self, pounds, what="Monthly account fee", miss=.25, vary=.12):
        bank = self.firm("The bank", bank="CHARGES", clerk="Bank")
        self.monthly("fee", bank, int(pounds * 100), 4, what, vary=vary, rise=0, miss=miss)

    def savings(self, w, amounts):
        me = self.firm(self.p["own"], bank=self.p["own"].upper(), clerk="Deposit account")
        self.stream(w, lambda d: self.deal(self.rng.choice(("tfr_out", "tfr_out", "tfr_in")), me, self.pick(amounts), d, None, "deposit account", tag="transfer"))

    def takings(self, proc, per_day, med, sig, days=(0, 1, 2, 3, 4, 5), gross=.1, weekend=.3, what="card takings", shut=()):
        """Card terminals: one payout a day and terminal; at times gross and fee in the book, at times Friday to Sunday in one payout."""
        r = self.rng
        terms = max(1, int(round(self.scale * per_day)))
        for ti in range(terms):
            q = self.firm(proc, bank=proc.upper(), clerk=proc.split()[0] + (f" T{ti + 1}" if terms > 1 else ""))
            q.mandate = str(r.randrange(10 ** 7, 10 ** 8))
            p_day = min(1.0, self.scale * per_day / terms)
            pend = []
            for i in range(self.days):
                d = self.start + i * DAY
                if d.weekday() not in days or d.month in shut or (d.month, d.day) in ((12, 25), (1, 1)) or r.random() > p_day:
                    continue
                a = self.ln(med * self.season(d), sig)
                own = r.choice((q.mandate, f"{q.mandate} {d:%d%m}", f"{q.mandate} {d:%d%m}"))
                if d.weekday() >= 4 and r.random() < weekend:
                    pend.append((a, None, what, d, None))
                    if len(pend) < 2:
                        continue
                if len(pend) >= 2:
                    self.deal("payout", q, sum(x[0] for x in pend), d, None, what, parts=pend, own=own)
                    pend = []
                    continue
                if r.random() < gross:
                    fee = max(1, a * r.choice((125, 149, 175)) // 10000)
                    self.deal("payout", q, a - fee, d, None, what, own=own, split=.95,
                              parts=[(a, None, what, d, None), (-fee, None, "card fees", d, None)])
                else:
                    self.deal("payout", q, a, d, None, what, own=own)

    # ------------------------------------------------ filling up to n rows

    def stream(self, weight, fn):
        self.streams.append(fn)
        self.weights.append(weight)

    def purchase(self, shops):
        """Card purchases: [(legal, bank text, clerk, what, amount function)]"""
        ps = [(self.firm(a, bank=b, clerk=c), w, f) for a, b, c, w, f in shops]

        def go(d):
            q, w, f = ps[int(len(ps) * self.rng.random() ** 1.3)]
            a = f()
            self.deal("card", q, a, d, None, w)
            if self.rng.random() < .06:
                self.deal("card", q, a, d + DAY * self.rng.choice((0, 1, 2)), None, w)
        return go

    def suppliers(self, pool, med, sig, what, cheque=.0, group=.18):
        """Payment of purchase invoices: most single, some a statement of several, some by cheque, a few paid twice."""
        r = self.rng

        def ref():
            self.pinv += r.randrange(1, 40)
            return r.choice(("", "SIN", "INV-", "")) + str(self.pinv)

        def go(d):
            q, w = self.some(pool), r.choice(what)
            if r.random() < group:
                n = r.choice((2, 2, 2, 3, 3, 4, 5, 7))
                parts = [(self.ln(med, sig), ref(), w, d if r.random() < .8 else d - DAY * r.randrange(1, 3), None) for _ in range(n)]
                self.deal("fp_out", q, sum(x[0] for x in parts), d, parts[0][1], w, parts=parts, own=r.choice((self.p["own"].upper(), q.code, parts[0][1])))
            elif r.random() < cheque:
                self.deal("chq_out", q, self.ln(med, sig), d, self.cq(), w)
            else:
                a, rf = self.ln(med, sig), ref()
                self.deal("fp_out", q, a, d, rf, w)
                if r.random() < .012:
                    self.deal("fp_out", q, a, d + DAY * r.randrange(1, 9), rf, w, miss=.9)       # paid twice,
                    self.deal("fp_in", q, a, d + DAY * r.randrange(12, 30), rf, "refund", tag="refund")   # and given back
        return go

    def customers(self, pool, amount, what, pre="SI", group=.1, part=.03, cheque=.05, equal=.04, ch="fp_in", lag=None):
        r = self.rng

        def go(d):
            q = self.some(pool)
            w = what(q, d)
            k = r.random()
            if k < group:
                n = r.choice((2, 2, 2, 3, 3, 4, 6))
                parts = [(amount(q, d), f"{pre}{self.si()}", what(q, d), d, None) for _ in range(n)]
                own = r.choice((parts[0][1], parts[-1][1], f"{parts[0][1]}/{parts[-1][1][-2:]}", q.code, ""))
                self.deal(ch, q, sum(x[0] for x in parts), d, parts[0][1], w, parts=parts, own=own)
                return
            a, rf = amount(q, d), f"{pre}{self.si()}"
            if k < group + part and a > 4000:
                n = r.choice((2, 2, 3))
                cut = [a // n // 500 * 500 or a // n] * (n - 1)
                rows = [(c, d + DAY * i * r.choice((0, 1, 2, 7)), None, None) for i, c in enumerate(cut + [a - sum(cut)])]
                self.several(ch, rows, d, q, rf, w)
            elif k < group + part + cheque:
                self.deal("chq_in", q, a, d, self.slip(), w)
            else:
                self.deal(ch, q, a, d, rf, w)
                if r.random() < equal:
                    self.deal(ch, q, a, d + DAY * r.choice((0, 1, 1, 2, 3, 4, 7)), f"{pre}{self.si()}", w)
        return go

    def banking(self, pool, med, what, cash=.5):
        """A visit to the counter: several cheques (and cash) on one paying-in slip."""
        r = self.rng

        def go(d):
            s = self.slip()
            q0 = self.some(pool)
            if r.random() < cash:
                self.deal("cash_in", q0, self.ln(med, .5, 5), d, s, what)
                return
            n = r.choice((2, 2, 3, 3, 4, 5))
            ps = [(self.ln(med / 2, .6, 50), s, what, d, self.some(pool)) for _ in range(n)]
            self.deal("chq_in", q0, sum(x[0] for x in ps), d, s, what, parts=ps)
        return go

    def fill(self):
        r = self.rng
        if len(self.brows) > .9 * self.n:                       # only for odd, very small n
            self.shrink(int(.9 * self.n))
        days = [self.start + (i - 8) * DAY for i in range(self.days + 8)]
        cum, t = [], 0.0
        for d in days:
            t += self.weekday_w[d.weekday()] * self.season(d)
            cum.append(t)
        guard = 0
        want = self.room()
        ds = sorted(r.choices(days, cum_weights=cum, k=want))   # invoice numbers grow with time
        i = 0
        while self.room() > 0 and guard < 60 * self.n:
            guard += 1
            d = ds[i] if i < len(ds) and self.room() > 0 else r.choices(days, cum_weights=cum)[0]
            # streams give a little more than one row a call: walk over the diary in even steps
            i += 1 if r.random() < .9 else 2
            fn = r.choices(self.streams, self.weights)[0]
            fn(d)
        # rows that never reached the bank
        for _ in range(int(self.p["p_ghost"] * self.n)):
            b = r.choice(self.brows)
            fn = self.ghosts
            fn(r.choices(days, cum_weights=cum)[0], b)

    def shrink(self, keep):
        bad = set(self.rng.sample(range(len(self.brows)), len(self.brows) - keep))
        gb = [g for g in self.groups if (g[0] == "bank" and g[1] in bad) or (g[0] == "book" and bad & set(g[2]))]
        kb = {k for b, k, _ in self.pairs if b in bad}
        for g in gb:
            kb |= set(g[2]) if g[0] == "bank" else {g[1]}
        self.groups = [g for g in self.groups if g not in gb]
        bm = {o: i for i, o in enumerate(j for j in range(len(self.brows)) if j not in bad)}
        km = {o: i for i, o in enumerate(j for j in range(len(self.krows)) if j not in kb)}
        self.brows = [x for j, x in enumerate(self.brows) if j not in bad]
        self.krows = [x for j, x in enumerate(self.krows) if j not in kb]
        self.pairs = [(bm[b], km[k], t) for b, k, t in self.pairs if b not in bad]
        self.groups = [(s, bm[a], [km[x] for x in l]) if s == "bank" else (s, km[a], [bm[x] for x in l]) for s, a, l in self.groups]

    def ghosts(self, d, b):
        """Rows only in the book: cheques nobody cashed, money promised, paid from another account or in cash, of a like amount at times."""
        r = self.rng
        a = abs(b[1]) if r.random() < .35 else self.ln(85, 1.0)
        d = max(d, self.start)
        q = self.some(self.pool)
        k = r.random()
        if k < .3:
            self.ghost("chq_out", q, a, d, self.cq(), "refund", "cheque_not_cashed")
        elif k < .6:
            self.ghost("fp_in", q, a, d, f"SI{self.inv - r.randrange(200)}", "promised", "never_paid")
        elif k < .8:
            self.ghost("card", self.some(self.spool), a, d, None, "petty cash", "paid_in_cash")
        else:
            self.ghost("fp_out", self.some(self.spool), a, d, str(self.pinv), "other account", "other_account")

    # ------------------------------------------------ out

    def result(self):
        r = self.rng
        bo = list(range(len(self.brows)))
        ko = list(range(len(self.krows)))
        r.shuffle(bo)
        r.shuffle(ko)
        bo.sort(key=lambda i: self.brows[i][0])
        ko.sort(key=lambda i: self.krows[i][0])
        bm = {o: i for i, o in enumerate(bo)}
        km = {o: i for i, o in enumerate(ko)}

        def row(x):
            return {"date": x[0].isoformat(), "amount": x[1] / 100, "description": x[2]}
        data = {"bank": [row(self.brows[i]) for i in bo], "book": [row(self.krows[i]) for i in ko],
                "options": {"allowedDateDifferenceInDays": 3, "includeMatched": True}}
        groups = [[s, bm[a], sorted(km[x] for x in l)] if s == "bank" else [s, km[a], sorted(bm[x] for x in l)] for s, a, l in self.groups]
        truth = {"n_bank": len(bo), "n_book": len(ko), "pairs": sorted([bm[b], km[k], t] for b, k, t in self.pairs),
                 "groups": sorted(groups), "bank_kind": [self.brows[i][3] for i in bo], "book_kind": [self.krows[i][3] for i in ko]}
        return data, truth


# ---------------------------------------------------------------- the six organisations

def vet(seed, n):
    g = Ledger("thornbank_vets", seed, n, style="A", own="Thornbank Vets", town="LEEK", sessions=(1, 4), dayform=0, p_miss=.065, start=(2013, 5, 1),
               text={"in": ("{name} {ref}", "{what} {name}", "{name} ({what})", "{name}", "{ref}", "{name} - {what}")})
    r = g.rng
    g.pool = [g.person(pet=r.choice(PETS)) for _ in range(g.count(90))]
    g.spool = g.firms(["Veterinary Supplies", "Animal Health", "Diagnostics", "Surgical", "Pet Foods", "Clinical Waste Services", "Cremations"], g.count(12, .3))
    ins = [g.firm(f"{x} Pet Insurance Services Ltd", trade=f"{x} Pet") for x in ("Pawsure", "Hearthound", "Kindly", "Four Corners", "Bluebell")]
    g.fixed([("Moorland Water Business", "MOORLAND WATER BUS", "Water", 64.2, "water", 0, 1),
             ("Fairvolt Energy Limited", "FAIRVOLT ENERGY LI", "Fairvolt", 412, "electricity", .18, 1),
             ("Staffordshire Moorlands DC", "STAFFS MOORLANDS D", "Business rates", 538, "rates", 0, 1),
             ("Lex Leasing plc", "LEX LEASING PLC", "X-ray lease", 289.5, "lease", 0, 1),
             ("Medisafe Waste Ltd", "MEDISAFE WASTE", "Medisafe", 96, "clinical waste", 0, 1),
             ("Telwyn Communications", "TELWYN COMMS", "Phones", 71.4, "phones", .05, 1),
             ("Veterinary Defence Mutual", "VET DEFENCE MUTUAL", "VDM", 310, "indemnity", 0, 3),
             ("Vetdesk Software Limited", "VETDESK SOFTWARE L", "Vetdesk", 189, "practice software", 0, 1)])
    land = g.firm("Cheddleton Estates", bank="CHEDDLETON ESTATES", clerk="Rent")
    g.monthly("so_out", land, 185000, 1, "rent", rise=.02)
    staff = int(5 * g.scale)
    g.payroll(staff, 28, "each")
    g.tax(True, staff)
    g.bankfees(18.5, "Commission charges")
    g.takings("Tillwave Merchant", .72, 640, .45, gross=.07, weekend=.12)
    plan = [12.5, 14.0, 14.0, 18.5, 21.0]
    for q in g.pool[:int(7 * g.scale)]:                             # health plans by standing order
        g.monthly("so_in", q, g.pick(plan), r.choice((1, 1, 1, 5, 15, 28)), "health plan", rise=0, own=r.choice((q.x["pet"].upper() + " PLAN", q.x["pet"].upper(), q.code)))
    price = [38.5, 42, 42, 55, 61.2, 18.95, 24.6, 96, 128.4]
    g.stream(34, g.customers(g.pool, lambda q, d: g.pick(price) if r.random() < .4 else g.ln(95, .8), lambda q, d: q.x["pet"], group=.05, cheque=.05))
    g.stream(9, g.customers(ins, lambda q, d: g.ln(260, .7), lambda q, d: f"claim {r.choice(PETS)} {r.choice(g.pool).x['last']}", pre="CL", group=.4, cheque=0, ch="bacs_in"))
    g.stream(15, g.suppliers(g.spool, 240, .8, ["drugs", "consumables", "food", "lab fees", "cremation"], cheque=.05, group=.2))
    locum = [g.person() for _ in range(4)]
    g.stream(5, lambda d: g.deal("fp_out", g.some(locum), g.pick([280, 300, 300, 320, 600]), d, f"LOC{g.si()}", "locum"))
    g.stream(14, g.purchase([("Parkway Fuels", "PARKWAY FUELS LEEK", "Fuel", "fuel visit car", lambda: g.ln(58, .2)),
                             ("Amberly Stores", "AMBERLY STORES 1187", "Amberly", "staff room", lambda: g.ln(14, .5)),
                             ("Post Office Counters", "POST OFFICE COUNTER", "Post Office", "postage samples", lambda: g.pick([3.35, 4.45, 8.1, 12.9])),
                             ("Bigriver Marketplace", "BIGRIVER MKTPLACE*" + "2K4", "Bigriver", "sundries", lambda: g.ln(23, .7)),
                             ("RCVS", "RCVS LONDON", "RCVS", "registration", lambda: g.pick([364, 40]))]))
    g.stream(6, g.banking(g.pool, 180, "client cheques"))
    g.stream(2, lambda d: g.deal("fp_out", g.some(g.pool), g.pick(price), d, None, "refund", tag="refund"))
    g.savings(2, [1000, 2000, 2500, 5000])
    return g


def church(seed, n):
    g = Ledger("st_wilfrid_pcc", seed, n, style="B", own="St Wilfrids PCC", town="HALTBY", sessions=(0,), p_sess=.08, p_bank=.5, p_miss=.08, p_typo=.04,
               weekend=False, dayform=3, p_bare=.06, p_monthend=.02, start=(2012, 1, 1), spell=150,
               text={"in": ("{name} {what}", "{what} {name}", "{name}", "{what}", "{what} - {name}"), "payout": ("Card reader {day}", "Contactless plate {day}", "{what} {day}", "Donation point")})
    r = g.rng
    g.weekday_w = (1.3, 1, 1, 1, 1, .5, 1.2)
    g.season = lambda d: 1.5 if d.month in (4, 12) else 1.0
    g.pool = [g.person(env=i + 1) for i in range(g.count(80, .7))]
    g.spool = g.firms(["Church Furnishers", "Candles", "Organ Builders", "Grounds Maintenance", "Electrical Services", "Stationers", "Conservation Masons"], g.count(10, .25))
    fd = [g.firm(f"{r.choice(LAST)} {k}", bank=None) for k in ("& Sons Funeral Directors", "Funeral Service Ltd", "Family Funerals", "& Daughter Funeral Services Limited") for _ in (0, 1)]
    gifts = [10, 10, 20, 20, 20, 25, 30, 30, 40, 50, 50, 60, 100, 15, 5]
    for q in g.pool[:int(15 * g.scale)]:                            # regular giving
        own = r.choice(("GIVING", f"ENV {q.x['env']}", f"{q.x['env']:03d}", "ST WILFRIDS", "PLANNED GIVING", ""))
        g.monthly("so_in", q, g.pick(gifts), r.choice((1, 1, 1, 2, 5, 15, 20, 28)), r.choice(("planned giving", f"env {q.x['env']}", "giving")), rise=0, own=own)
    dio = g.firm("Diocese of Haltby Board of Finance", bank="HALTBY DBF", clerk="Parish share")
    g.monthly("dd", dio, 215000, 15, "parish share", rise=.02)
    g.fixed([("Fairvolt Energy Limited", "FAIRVOLT ENERGY", "Church electric", 148, "electricity church", .2, 1),
             ("Norgas Supply Ltd", "NORGAS SUPPLY", "Church gas", 365, "gas", .35, 1),
             ("Norgas Supply Ltd", "NORGAS SUPPLY", "Hall gas", 122, "gas hall", .35, 1),
             ("Eccleguard Insurance Office", "ECCLEGUARD INS", "Eccleguard", 276.4, "insurance", 0, 1),
             ("Rivers Water", "RIVERS WATER", "Water hall", 31.5, "water", 0, 1),
             ("Copyprint Rental", "COPYPRINT RENTAL", "Photocopier", 58.8, "copier", 0, 1),
             ("Christian Songs Licensing", "CHR SONGS LIC", "Music licence", 43, "licence", 0, 3)])
    g.payroll(max(2, int(2.2 * g.scale)), 25, "each", "salary")
    org = g.person()
    for i in range(0, g.days, 7):                                  # the organist is paid each week
        g.deal("fp_out", org, 6500, g.start + i * DAY, None, "organist", own="ORGANIST", tag="weekly_equal")
    g.monthly("hmrc_in", g.firm("HMRC Charities", bank="HMRC GIFT AID", clerk="Gift Aid"), 118000, 18, "Gift Aid claim", every=3, first=2, vary=.3)
    g.bankfees(5, "Account maintenance fee", miss=.3, vary=0)
    g.takings("Collectplate", .42, 62, .6, days=(6, 2), gross=.12, weekend=.1, what="contactless giving")
    halls = g.firms(["Ballet School", "Playgroup", "Art Group", "Slimming Club", "U3A", "Brownies", "Karate Club", "Choir", "Yoga"], g.count(11, .4))
    hire = [24, 24, 36, 36, 48, 60, 18, 72]
    g.stream(20, g.customers(halls, lambda q, d: g.pick(hire), lambda q, d: r.choice(("hall hire", f"hall {MONTHS[d.month - 1]}", "hire of hall")), pre="H", group=.1, cheque=.1, equal=.12))
    fees = [199, 218, 218, 507, 33, 531, 75, 90]
    g.stream(11, g.customers(fd, lambda q, d: g.pick(fees), lambda q, d: f"funeral {r.choice(LAST)}", pre="F", group=.18, part=0, cheque=.2))
    g.stream(18, lambda d: g.deal("fp_in", g.some(g.pool), g.pick([10, 20, 20, 25, 50, 100, 30, 250]), d, None, r.choice(("donation", "gift day", "roof appeal", "Christmas gift", "flowers"))))
    g.stream(15, g.banking(g.pool, 210, "Sunday collection", cash=.72))
    g.stream(14, g.suppliers(g.spool, 130, .8, ["candles", "grass cutting", "organ tuning", "repairs", "service sheets", "wine and wafers"], cheque=.45, group=.12))
    g.stream(4, lambda d: g.deal("chq_out", g.some(g.pool), g.ln(28, .7), d, g.cq(), r.choice(("expenses", "flowers", "coffee refund", "Sunday school"))))
    g.stream(9, g.purchase([("Amberly Stores", "AMBERLY STORES 118", "Amberly", "coffee and milk", lambda: g.ln(12, .4)),
                            ("Bigriver Marketplace", "BIGRIVER MKTPLACE", "Bigriver", "Sunday school materials", lambda: g.ln(19, .6)),
                            ("Wicksome and Wells", "WICKSOME & WELLS", "DIY", "repairs hall", lambda: g.ln(31, .7)),
                            ("Zoomcall", "ZOOMCALL.COM", "Zoomcall", "meetings", lambda: 1439)]))
    g.stream(4, lambda d: g.deal("fp_out", g.some(fd[:1] + g.spool), g.pick([40, 55, 60, 60, 75]), d, None, r.choice(("verger fee", "bell ringers", "visiting organist"))))
    g.savings(2, [500, 1000, 2000, 3000])
    return g


def brewery(seed, n):
    g = Ledger("cinderpath_brewing", seed, n, style="C", own="Cinderpath Brewing", town="HEBDEN", sessions=(1, 3), p_bank=.4, dayform=1, p_swap=.05, start=(2014, 2, 1),
               p_wrong=.014, spell=110)
    r = g.rng
    g.season = lambda d: 1.35 if d.month in (6, 7, 8, 12) else .7 if d.month in (1, 2) else 1.0
    pubs, seen = [], set()
    while len(pubs) < g.count(46):
        t = f"The {r.choice(PUB_A)} {r.choice(PUB_B)}" + ("" if len(pubs) < 60 else f" {r.choice(PLACE)}")
        if t in seen and len(seen) < 200:
            continue
        seen.add(t)
        k = r.random()
        legal = t if k < .3 else f"{r.choice(PLACE)} {r.choice(('Inns', 'Taverns', 'Pub Company', 'Leisure', 'Hospitality'))} {r.choice(('Ltd', 'Limited'))}"
        pubs.append(g.firm(legal, trade=t, clerk=r.choice((t, t[4:], t[4:], f"{t[4:]} ({r.choice(LAST)})"))))
    shops = g.firms(["Bottle Shop", "Wines", "Beer Merchants", "Delicatessen", "Farm Stores"], g.count(14, .6))
    g.pool = pubs + shops
    g.spool = g.firms(["Maltings", "Hop Merchants", "Casks", "Labels", "Brewing Supplies", "Gas", "Engineering", "Pallets", "Chillers", "Yeast Laboratory"], g.count(14, .3))
    g.fixed([("Calder Water plc", "CALDER WATER PLC", "Water/effluent", 388, "water and effluent", .12, 1),
             ("Northgrid Energy Ltd", "NORTHGRID ENERGY", "Electric", 1430, "electricity", .15, 1),
             ("Calderdale MBC", "CALDERDALE MBC NDR", "Rates", 611, "business rates", 0, 1),
             ("Close Asset Leasing", "CLOSE ASSET LEAS", "Canning line HP", 874.31, "hp", 0, 1),
             ("Close Asset Leasing", "CLOSE ASSET LEAS", "Fermenters HP", 874.31, "hp", 0, 1),
             ("Vanfleet Hire", "VANFLEET HIRE LTD", "Van lease", 342, "van", 0, 1),
             ("Keystone Insurance", "KEYSTONE INS PREM", "Insurance", 296.18, "insurance", 0, 1),
             ("Caskwise Ltd", "CASKWISE", "Caskwise", 128.5, "cask rental", .1, 1)])
    duty = g.firm("HMRC Beer Duty", bank="HMRC SHIPLEY", clerk="Beer duty")
    g.monthly("dd", duty, 382000, 25, "beer duty", vary=.2)
    g.monthly("so_out", g.firm("Mytholm Mill Estates", bank="MYTHOLM MILL EST", clerk="Rent"), 220000, 1, "rent", rise=.02)
    staff = int(5 * g.scale)
    g.payroll(staff, 27, "bulk")
    g.tax(True, staff)
    g.bankfees(34, "Transaction charges")
    g.takings("Dropay Acquiring", .35, 410, .6, days=(2, 3, 4, 5, 6), gross=.06, weekend=.22, what="taproom")
    g.takings("Stripeline Payments", .30, 165, .6, days=(0, 1, 2, 3, 4), gross=.22, weekend=0, what="web shop")
    cask, keg = [78, 82, 84, 86, 89], [98, 104, 112]
    def order(q, d):
        k = r.random()
        if k < .3:
            return g.pick(cask) * r.choice((1, 2, 2, 3, 4)) * 12 // 10
        if k < .5:
            return g.pick(keg) * r.choice((1, 2, 3)) * 12 // 10
        return g.ln(290, .6)
    g.stream(46, g.customers(g.pool, order, lambda q, d: r.choice(("beer", "casks", "keg", "cans", "order")), pre="CB", group=.1, cheque=.04, part=.025))
    g.stream(17, g.suppliers(g.spool, 520, .9, ["malt", "hops", "casks", "labels", "CO2", "cleaning chemicals", "repairs"], cheque=.03, group=.16))
    g.stream(15, g.purchase([("Parkway Fuels", "PARKWAY FUELS", "Diesel", "diesel van", lambda: g.ln(72, .2)),
                             ("Wicksome and Wells", "WICKSOME AND WELLS", "Wicksome", "fittings", lambda: g.ln(27, .7)),
                             ("Bigriver Marketplace", "BIGRIVER MKTPLACE", "Bigriver", "sundries", lambda: g.ln(24, .7)),
                             ("Tollpoint M6", "TOLLPOINT M6", "Toll", "toll", lambda: g.pick([8.9, 8.9, 9.7, 16])),
                             ("Metaads", "METAADS *7HQ2", "Advertising", "adverts", lambda: g.pick([20, 25, 25, 40, 50]))]))
    fest = g.firms(["Beer Festival", "Round Table", "Cricket Club", "Rugby Club", "Working Mens Club"], g.count(10, .4))
    g.stream(7, g.customers(fest, lambda q, d: g.pick(cask) * r.choice((2, 3, 4, 6, 8)), lambda q, d: "festival beer", pre="CB", cheque=.35, group=.05))
    g.stream(4, lambda d: g.deal("fp_in", g.some(shops), g.pick([30, 60, 60, 90]), d, None, "cask deposit", tag="equal_deposit"))
    g.savings(2, [2000, 3000, 5000, 8000])
    return g


def driving(seed, n):
    g = Ledger("clutchpoint_driving", seed, n, style="D", own="Clutchpoint", town="", sessions=(4,), p_sess=.10, p_bank=.5, p_typo=.07, p_bare=.06, p_miss=.08, dayform=3, cut=24,
               p_double=.02, spell=100, start=(2015, 1, 1), text={"in": ("{name}", "{name} {what}", "{what} - {name}", "{name} ({code})", "Lessons {name}")})
    r = g.rng
    g.pool = [g.person(inst=r.choice(FIRST)) for _ in range(g.count(60, .85))]
    g.spool = g.firms(["Tyres", "Autocentre", "Bodyworks", "Dual Controls", "Signs", "Print"], g.count(8, .3))
    cars = int(5 * g.scale)
    q = g.firm("Motorlease Contracts Ltd", bank="MOTORLEASE CONTRAC", clerk="Motorlease")
    for i in range(cars):                                           # one lease a car, all equal
        g.monthly("dd", q, 24899 if i % 3 else 26150, r.choice((3, 3, 12)), f"car lease {r.choice('ABCDEFGH')}{r.randrange(10, 99)}", rise=0)
    g.fixed([("Pupilsure Insurance", "PUPILSURE INS", "Pupilsure", 412.66, "fleet insurance", 0, 1),
             ("DVLA Vehicle Tax", "DVLA-VEHICLE TAX", "DVLA", 16.62, "road tax", 0, 1),
             ("DVLA Vehicle Tax", "DVLA-VEHICLE TAX", "DVLA", 16.62, "road tax", 0, 1),
             ("Fuelpass Cards Ltd", "FUELPASS CARDS", "Fuel cards", 690, "fuel cards", .2, 1),
             ("Mobiline", "MOBILINE", "Phones", 84, "mobiles", .04, 1),
             ("Diarybook Pro", "DIARYBOOK PRO", "Diarybook", 49, "booking software", 0, 1),
             ("Townhall Offices", "TOWNHALL OFFICES", "Office", 275, "office rent", 0, 1)])
    inst = [(g.person(), r.choice((520, 560, 610, 480))) for _ in range(int(4 * g.scale))]
    for i in range(0, g.days, 7):                                   # instructors each Friday
        d = g.start + i * DAY
        d += DAY * ((4 - d.weekday()) % 7)
        if r.random() < .07 and len(inst) < 12:
            g.several("fp_out", [(int(a * 100 * r.choice((8, 9, 10, 10, 11)) / 10), d, p, "WEEK") for p, a in inst], d, g.firm("Instructors", clerk="Instructors pay"), None, "week", "instructors_in_one")
            continue
        for p, a in inst:
            g.deal("fp_out", p, int(a * 100 * r.choice((8, 9, 10, 10, 10, 11)) / 10), d, None, "week " + g.daytext(d), own=r.choice(("Week", "Lessons", f"{d:%d%m}")), tag="instructor", miss=.03)
    g.tax(False, 2)
    g.bankfees(6, "Plan fee", vary=0, miss=.2)
    g.takings("Zettlepay", .33, 118, .5, days=(0, 1, 2, 3, 4, 5), gross=.14, weekend=.12, what="lessons by card")
    les = [38, 38, 38, 38, 76, 76, 57, 190, 370, 370, 35, 40, 114]
    g.stream(62, g.customers(g.pool, lambda q, d: g.pick(les), lambda q, d: r.choice(("lesson", "lessons", f"lesson {g.daytext(d)}", f"with {q.x['inst']}", "block", q.x["first"] + " driving")), pre="L", group=.045, part=.03, cheque=.01, equal=.2))
    tests = g.purchase([("DVSA Practical Test", "DVSA PRACTICAL TEST", "DVSA", "practical test", lambda: g.pick([62, 62, 62, 75])),
                        ("DVSA Theory", "DVSA THEORY TEST", "DVSA theory", "theory test", lambda: 2300),
                        ("Sudswell Car Wash", "SUDSWELL", "Car wash", "car wash", lambda: g.pick([8, 8, 10, 12])),
                        ("Parkway Fuels", "PARKWAY FUELS", "Parkway", "petrol", lambda: g.ln(44, .25)),
                        ("Metaads", "METAADS", "Adverts", "advertising", lambda: g.pick([15, 20, 20, 30])),
                        ("Ringpark", "RINGPARK PARKING", "Parking", "parking", lambda: g.pick([1.2, 2.4, 2.4, 3.6]))])
    g.stream(22, tests)
    g.stream(8, g.suppliers(g.spool, 140, .6, ["tyres", "service", "MOT", "roof box", "leaflets"], cheque=.02, group=.18))
    g.stream(4, lambda d: g.deal("fp_out", g.some(g.pool), g.pick([38, 76, 62, 114]), d, None, "refund lesson", own="Refund", tag="refund"))
    g.stream(3, g.banking(g.pool, 150, "lesson cash", cash=.85))
    sch = g.firms(["Sixth Form College", "Care Group", "Ambulance Training", "Academy"], 5)
    g.stream(3, g.customers(sch, lambda q, d: g.pick([370, 740, 570]), lambda q, d: "intensive course", pre="L", group=.25, ch="bacs_in"))
    g.savings(2, [200, 500, 1000])
    return g


def caravan(seed, n):
    g = Ledger("saltmarsh_holiday_park", seed, n, style="E", own="Saltmarsh Park", town="SKEGBY", sessions=(0, 3), p_sess=.11, p_bank=.42, dayform=2, p_typo=.05,
               p_miss=.06, start=(2013, 1, 1), spell=140,
               text={"in": ("{name} {what}", "{what} {name}", "{name}", "{ref} {name}", "{what}", "{code} {name}")})
    r = g.rng
    g.season = lambda d: (.35, .5, .9, 1.2, 1.3, 1.4, 1.6, 1.6, 1.1, .8, .4, .4)[d.month - 1]
    g.weekday_w = (1.2, .9, .9, 1, 1.3, 1.0, .8)
    g.pool = [g.person(pitch=f"{r.choice('ABCDEF')}{r.randrange(1, 60)}") for _ in range(g.count(75))]
    tour = [g.person() for _ in range(g.count(90, .85))]
    g.spool = g.firms(["Gas Bottles", "Leisure Homes", "Laundry Services", "Plumbing", "Electrical", "Grounds", "Skips", "Pest Control", "Signs"], g.count(12, .3))
    g.fixed([("Coastal Power Business", "COASTAL POWER BUSI", "Coastal Power", 2150, "electricity", .3, 1),
             ("Fenland Water plc", "FENLAND WATER PLC", "Fenland Water", 640, "water", .2, 1),
             ("East Lindsby DC", "EAST LINDSBY DC", "Rates", 874, "business rates", 0, 1),
             ("TV Licensing Hotel", "TV LICENSING", "TV licence", 53, "tv licence", 0, 3),
             ("Parksure Underwriting", "PARKSURE UW", "Insurance", 498.75, "insurance", 0, 1),
             ("Wastewise Ltd", "WASTEWISE LTD", "Wastewise", 386.4, "bins", .08, 1),
             ("Bookapitch Systems", "BOOKAPITCH SYS", "Bookapitch", 120, "booking system", 0, 1),
             ("Tractor Finance", "AGCOM FINANCE", "Tractor HP", 318.2, "hp", 0, 1)])
    staff = int(4 * g.scale)
    g.payroll(staff, 30, "each")
    g.tax(True, staff)
    g.bankfees(22, "Service charges", miss=.15)
    g.takings("Worldtill UK", .5, 330, .6, days=(0, 1, 2, 3, 4, 5, 6), gross=.05, weekend=.15, what="reception", shut=(1, 2))
    for q in g.pool[:int(12 * g.scale)]:                            # site fees by instalments, three bands
        g.monthly("so_in", q, g.pick([265, 265, 298, 298, 340]), r.choice((1, 1, 1, 15, 28)), f"pitch {q.x['pitch']}", rise=0, own=r.choice((q.x["pitch"], "PITCH " + q.x["pitch"], "SITE FEES", q.code)))
    g.stream(18, g.customers(g.pool, lambda q, d: g.pick([62, 62, 74.5, 79, 34, 34]) if r.random() < .5 else g.ln(68, .5), lambda q, d: r.choice((f"pitch {q.x['pitch']}", "gas bottle", f"electric {q.x['pitch']}", "site fees")), pre="SP", group=.1, part=.04, cheque=.12))
    dep = [50, 50, 50, 100, 25]
    g.stream(24, g.customers(tour, lambda q, d: g.pick(dep) if r.random() < .5 else g.pick([28, 32, 32, 36, 41]) * r.choice((2, 3, 3, 4, 7)), lambda q, d: r.choice(("deposit", "balance", "touring pitch", "booking")), pre="BK", group=.03, cheque=.03, equal=.06))
    agents = [g.firm("Hollowshore Coastal Breaks Ltd", trade="Coastal Breaks"), g.firm("Pitchfinder Online BV", trade="Pitchfinder"), g.firm("Campsite Club Limited", trade="Campsite Club")]
    g.stream(9, g.customers(agents, lambda q, d: g.ln(190, .5), lambda q, d: f"bookings {MONTHS[d.month - 1]}", pre="BK", group=.38, cheque=0, part=0, ch="bacs_in"))
    g.stream(17, g.suppliers(g.spool, 230, .9, ["gas", "repairs", "laundry", "gravel", "skip", "drains"], cheque=.12, group=.16))
    g.stream(13, g.purchase([("Amberly Stores", "AMBERLY STORES 118", "Amberly", "shop stock", lambda: g.ln(36, .6)),
                             ("Wicksome and Wells", "WICKSOME & WELLS 204", "Wicksome", "maintenance", lambda: g.ln(38, .7)),
                             ("Parkway Fuels", "PARKWAY FUELS SKEG", "Red diesel", "fuel", lambda: g.ln(66, .3)),
                             ("Bigriver Marketplace", "BIGRIVER MKTPLACE", "Bigriver", "sundries", lambda: g.ln(22, .7)),
                             ("Post Office Counters", "POST OFFICE SKEGBY", "Stamps", "stamps", lambda: g.pick([6.8, 13.6, 13.6]))]))
    g.stream(5, lambda d: g.deal("fp_out", g.some(tour), g.pick(dep), d, None, r.choice(("deposit returned", "cancelled booking")), tag="refund"))
    g.stream(6, g.banking(g.pool, 340, "site takings", cash=.6))
    g.stream(2, lambda d: g.deal("chq_out", g.some(g.spool), g.ln(320, .7), d, g.cq(), "works"))
    g.savings(2, [2000, 5000, 5000, 10000])
    return g


def reseller(seed, n):
    g = Ledger("northlight_software", seed, n, style="F", own="Northlight", cut=20, town="", sessions=(2, 4), p_sess=.10, p_bank=.5, p_swap=.06, p_typo=.03, p_miss=.045,
               weekend=True, dayform=0, start=(2014, 6, 1), spell=130,
               text={"in": ("{name} {ref}", "{ref} {name}", "{ref}", "{code} {ref}", "{name}", "{name} - {what}"), "payout": ("GoCollect {day}", "{name} payout {day}", "{what} {day}")})
    r = g.rng
    g.weekday_w = (1.2, 1.1, 1, 1.1, 1.3, .06, .04)
    g.pool = g.firms(["Engineering", "Associates", "Solicitors", "Logistics Group", "Architects", "Primary School", "Housing Association", "Recruitment", "Packaging",
                      "Surveyors", "Accountants", "Design Partnership", "Medical Services", "Steel Company", "Foods International"], g.count(55))
    g.spool = g.firms(["Distribution", "Cloud Solutions", "Licensing", "Networks", "Hardware Supplies", "Contractors", "Couriers"], g.count(12, .3))
    g.fixed([("Cloudvault Hosting", "CLOUDVAULT HOSTING LTD", "Cloudvault", 218, "hosting", .1, 1),
             ("Officeworks Rental", "OFFICEWORKS RENTAL", "Office rent", 1150, "rent", 0, 1),
             ("Telwyn Communications", "TELWYN COMMUNICATIONS", "Telwyn", 146.2, "phones", .05, 1),
             ("Ledgerly Limited", "LEDGERLY LTD", "Ledgerly", 33.6, "accounts software", 0, 1),
             ("Ledgerly Limited", "LEDGERLY LTD", "Ledgerly payroll", 33.6, "payroll software", 0, 1),
             ("Shield Professional Indemnity", "SHIELD PROF INDEMNITY", "PI cover", 88.75, "insurance", 0, 1),
             ("City Rates", "CITY COUNCIL NNDR", "Rates", 284, "rates", 0, 1),
             ("Carplan Leasing", "CARPLAN LEASING", "Carplan", 366, "car", 0, 1)])
    dist = [g.firm("Tekpoint Distribution plc", bank="TEKPOINT DISTRIBUTION PLC", clerk="Tekpoint"), g.firm("Licencehub Europe Limited", bank="LICENCEHUB EUROPE", clerk="Licencehub")]
    for q, dom in zip(dist, (14, 22)):                              # distributors collect a month's invoices in one direct debit
        for x in g.months(dom):
            k = r.choice((2, 3, 4, 5, 6))
            parts = [(g.ln(780, .7), f"{r.choice('TL')}{r.randrange(300000, 900000)}", "licences", x, None) for _ in range(k)]
            g.deal("dd", q, sum(p[0] for p in parts), x, None, "licences", parts=parts)
    staff = int(5 * g.scale)
    g.payroll(staff, 28, "mixed", "salary")
    g.tax(True, staff)
    g.bankfees(12.5, "Account charge", vary=.1, miss=.2)
    g.takings("Gocollect Ltd", .38, 520, .6, days=(0, 1, 2, 3, 4), gross=.16, weekend=0, what="subscriptions")
    seat = [7.9, 9.4, 10.3, 11.7, 16.6, 18.1]
    for q in g.pool[:int(12 * g.scale)]:                            # seats by standing order, equal each month
        s = int(round(r.choice(seat) * 100)) * r.choice((5, 5, 10, 10, 12, 20, 25)) * 12 // 10
        g.monthly("so_in", q, s, r.choice((1, 1, 5, 20, 28)), r.choice(("subscription", "licences", "seats")), rise=0, own=r.choice((q.code, "NORTHLIGHT", "365 SEATS", "")))
    def sale(q, d):
        if r.random() < .45:
            return int(round(r.choice(seat) * 100)) * r.choice((1, 2, 5, 5, 10, 10, 15, 20, 50)) * 12 // 10
        return g.ln(620, .8)
    g.stream(50, g.customers(g.pool, sale, lambda q, d: r.choice(("licences", "support", "renewal", "antivirus", "laptops", "365 seats")), pre="NL-", group=.11, cheque=.02, part=.02, equal=.05))
    g.stream(16, g.suppliers(g.spool, 480, .9, ["licences", "hardware", "contractor", "courier", "cabling"], cheque=0, group=.2))
    shops = [("Hostwidget Inc", "HOSTWIDGET.COM", "Hostwidget", "domain names", lambda: g.pick([9.99, 9.99, 11.88, 23.98])),
             ("Adgrove Ireland", "ADGROVE IRELAND", "Adgrove", "advertising", lambda: g.pick([50, 50, 100, 200])),
             ("Railtickets", "RAILTICKETS.CO", "Trains", "train", lambda: g.ln(48, .6)),
             ("Bigriver Marketplace", "BIGRIVER MKTPLACE", "Bigriver", "cables", lambda: g.ln(26, .7)),
             ("Beanstop", "BEANSTOP 0412", "Coffee", "client meeting", lambda: g.ln(9, .4))]
    g.stream(13, g.purchase(shops))
    us = [g.firm(a + " Inc", bank=b, clerk=a) for a, b in (("Codehive", "CODEHIVE SAN FRANCISC"), ("Mailspring", "MAILSPRING USD"), ("Pagewatch", "PAGEWATCH AUSTIN"))]

    def foreign(d):                                                # card purchase in dollars, the bank takes its fee in a row of its own
        q = r.choice(us)
        a = g.near(g.pick([12, 29, 49, 99]) * 79 // 100, .04)
        fee = max(1, a * 295 // 10000)
        if r.random() < .3 and g.room() >= 2:
            bd = add_work(d, 1)
            g.several("card", [(a, d, q, None), (fee, d, g.firm("fee", bank="NON-STERLING FEE", clerk="fee"), None)], d, q, None, "subscription USD", "foreign_with_fee")
        else:
            g.deal("card", q, a, d, None, "subscription USD")
            g.deal("fee", g.firm("fee", bank="NON-STERLING FEE", clerk="Bank"), fee, add_work(d, 1), None, "Non-sterling transaction fee", miss=.45)
    g.stream(4, foreign)
    g.stream(3, lambda d: g.deal("fp_out", g.some(g.pool), sale(None, d), d, f"NC-{g.si()}", "credit note", tag="refund"))
    dirs = [g.person(), g.person()]
    g.stream(4, lambda d: g.deal("fp_out", r.choice(dirs), g.pick([250, 500, 1000, 42.3, 67.5]), d, None, r.choice(("expenses", "dividend", "director loan"))))
    g.savings(2, [5000, 10000, 2500])
    return g


COMPANIES = {"thornbank_vets": vet, "st_wilfrid_pcc": church, "cinderpath_brewing": brewery, "clutchpoint_driving": driving,
             "saltmarsh_holiday_park": caravan, "northlight_software": reseller}


def make(company, seed, n):
    g = COMPANIES[company](seed, n)
    g.fill()
    return g.result()


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("--list", action="store_true")
    ap.add_argument("--company", choices=sorted(COMPANIES))
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--n", type=int, default=500)
    ap.add_argument("--out")
    a = ap.parse_args()
    if a.list:
        print("\n".join(COMPANIES))
        return 0
    if not a.company or not a.out or a.n < 1:
        ap.error("--company and --out are needed, --n at least 1")
    data, truth = make(a.company, a.seed, a.n)
    for path, x in ((a.out + ".json", data), (a.out + ".truth.json", truth)):
        with open(path, "w", encoding="utf-8") as f:
            json.dump(x, f, ensure_ascii=False)
            f.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
