"""Machinery: calendar, names, deals, rows, faults, telling apart, writing."""
import re, random, datetime as dt
from bisect import bisect_right

O = dt.date.fromordinal

def easter(y):
    a, b, c = y % 19, y // 100, y % 100
    d, e = divmod(b, 4); f = (b + 8) // 25; g = (b - f + 1) // 3
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4); l = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * l) // 451
    mo, da = divmod(h + l - 7 * m + 114, 31)
    return dt.date(y, mo, da + 1).toordinal()

_hol = {}
def holidays(y):
    if y not in _hol:
        s = set()
        def sub(d):
            while O(d).weekday() > 4 or d in s: d += 1
            s.add(d)
        sub(dt.date(y, 1, 1).toordinal())
        e = easter(y); s.update((e - 2, e + 1))
        for m, first in ((5, True), (5, False), (8, False)):
            ds = [dt.date(y, m, k).toordinal() for k in range(1, 32)]
            ms = [d for d in ds if O(d).weekday() == 0]
            s.add(ms[0] if first else ms[-1])
        sub(dt.date(y, 12, 25).toordinal()); sub(dt.date(y, 12, 26).toordinal())
        _hol[y] = s
    return _hol[y]

_wd = {}
def working(d):
    r = _wd.get(d)
    if r is None:
        r = _wd[d] = O(d).weekday() < 5 and d not in holidays(O(d).year)
    return r
def on(d):
    while not working(d): d += 1
    return d
def plus(d, k):
    d = on(d)
    for _ in range(k): d = on(d + 1)
    return d
def month_end(d):
    x = O(d); y, m = (x.year + 1, 1) if x.month == 12 else (x.year, x.month + 1)
    return dt.date(y, m, 1).toordinal() - 1

MALE = "David John Peter Alan Graham Neil Simon Stephen Ian Robert Keith Martin Callum Owen Rhys Tariq Imran Jacob Liam Gareth Stuart Colin Trevor Nigel Barry Marcus Declan Ewan Piotr Samuel".split()
FEMALE = "Susan Margaret Helen Janet Carol Linda Alison Fiona Rachel Emma Hannah Sian Bethan Aisha Farah Zoe Lucy Gillian Pauline Heather Wendy Sheila Deborah Nicola Kirsty Agnieszka Priya Ruth Eleanor Maureen".split()
SUR = """Ackroyd Alderson Ambler Appleyard Arkwright Ashworth Bairstow Bannister Barraclough Battersby Beaumont Bickerdike Birtwistle Blenkinsop
Bracewell Braithwaite Broadbent Brocklebank Butterworth Calvert Capstick Cartledge Clegg Clough Cockcroft Copley Crabtree Crossley Dewhirst Duckworth
Earnshaw Eastwood Entwistle Fairclough Farrar Fawcett Featherstone Fothergill Gaukroger Gawthorpe Gledhill Greenhalgh Greenwood Grimshaw Haigh Halliwell
Hanson Hardcastle Hargreaves Hartley Haworth Hebblethwaite Hepworth Hindle Hinchliffe Hoyle Illingworth Ingham Jagger Jowett Kershaw Lumb Lockwood Longbottom
Marsden Metcalfe Micklethwaite Midgley Murgatroyd Naylor Nuttall Oddy Oldroyd Ormerod Pickles Pilling Priestley Quarmby Ramsden Rawnsley Redfearn
Riley Robertshaw Rushworth Schofield Shackleton Sharples Shaw Smith Jones Taylor Patel Khan Hussain Singh Ahmed Evans Davies Williams Sowerby Standeven Stansfield
Sugden Sutcliffe Swithenbank Sykes Tattersall Tempest Thackray Thistlethwaite Tordoff Turnbull Uttley Varley Waddington Wadsworth Walmsley Weatherill
Whitaker Wigglesworth Womersley Woodhead Wormald Wrigley Yeadon Kowalski Nowak Okafor Mensah OBrien Murphy Gallagher Fenwick Charlton Robson Dodds Heslop""".split()
FW = """Aldergate Amberley Ashdene Beaconhill Birchover Blackwell Brackenfold Bridgeholme Bronte Calderside Castlegarth Chantry Cleveden Coppergate Crossgill
Danesmoor Deepdale Dovecote Eastmoor Ellerbeck Fairhurst Fellgate Fernhill Gatekirk Glebe Goldcrest Greystone Halcyon Harrowgate Hawkstone Hazelwood Highcliffe
Holmfield Ironbridge Juniper Keldholme Kestrel Kingsway Langstroth Larchwood Limestone Linden Lowmoor Merlin Millbank Moorcroft Netherby Northgate Oakenshaw
Orchard Otterburn Paragon Pennine Pinnacle Quarryside Ravensworth Redstart Ridgeway Rosedale Rowan Sandbeck Severn Silverdale Skelton Springwell Stonebeck
Summit Swaledale Tanfield Thornfield Trident Upperby Valley Vanguard Viaduct Wensley Westbrook Wharncliffe Whinfell Whitestone Willowgarth Winterburn Wychwood Yewtree Zenith""".split()
PLACE = "Skelby Otterton Harrowby Lindwick Marsham Brackley Fosdyke Kelbrook Ludworth Norwood Penhill Ripley Scalby Thornley Wexcombe Ashby Coldbeck Dunmere Easby Fulby".split()
ABBR = {"services": "SERVS", "company": "CO", "association": "ASSOC", "society": "SOC", "limited": "LTD", "and": "&", "international": "INTL",
        "management": "MGT", "council": "CNCL", "brothers": "BROS", "solicitors": "SOLRS", "property": "PROP", "properties": "PROPS", "developments": "DEVTS"}
MON = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split()

class Party:
    __slots__ = "name first sur person title alt code mandate bank short book kin".split()

class Row:
    __slots__ = "side day amt text kind deal dup tok partners idx fee".split()
    def __init__(s, side, day, amt, text, kind, deal):
        s.side, s.day, s.amt, s.text, s.kind, s.deal = side, day, amt, text, kind, deal
        s.dup = False; s.tok = None; s.partners = (); s.idx = -1; s.fee = False

class Deal:
    __slots__ = "bank book link fixed".split()
    def __init__(s, fixed=False):
        s.bank, s.book, s.link, s.fixed = [], [], None, fixed

OPT = re.compile(r"\[([^\[\]]*)\]")
HOLE = re.compile(r"\{(\w)")

class Company:
    cut = 18
    other_payer = .05
    ref_forms = ("{p}{d}", "{d}", "INV {d}", "inv{d}", "{c}", "{c} {d}", "")
    ref_w = (30, 22, 14, 5, 8, 4, 17)
    prefix = "INV"
    modes = {}
    session_days = (4,)
    absences_per_year = 1
    absence_len = 13
    open_days = (0, 1, 2, 3, 4)
    fault_u = .068
    group_share = .088
    bare_rate = .04
    err = dict(swap=.006, left=.012, year=.05, typo=.045, digits=.02, name=.008)

    def __init__(self, seed, n):
        self.rng = R = random.Random(f"{type(self).__name__}/{seed}/{n}")
        self.n = n
        pts = [(100, 40.), (500, 183.), (5000, 1095.), (50000, 3652.), (500000, 7300.)]
        import math
        x = math.log(max(n, 20)); self.days = 183
        for (a, da), (b, db) in zip(pts, pts[1:]):
            if a <= max(n, 20) <= b or (n < 100 and a == 100):
                t = (x - math.log(a)) / (math.log(b) - math.log(a))
                self.days = int(math.exp(math.log(da) + t * (math.log(db) - math.log(da)))); break
        self.f = max(.6, n / self.days / 4.57)
        last = 2024 - self.days // 365 - 1
        self.start = dt.date(R.randint(min(2012, last), last), R.choice((1, 2, 4, 6, 7, 9, 10, 11)), 1).toordinal() + R.randint(0, 20)
        self.end = self.start + self.days
        self.deals, self.nbank, self.ngroup = [], 0, 0
        self.used_names, self.used_refs = set(), set()
        self.chq = R.randint(1012, 8400) if R.random() < .4 else R.randint(100120, 103900)
        self.slip = R.randint(120, 900)
        self.absent = []
        for y in range(self.days // 365 + 1):
            for _ in range(self.absences_per_year):
                if R.random() < .85:
                    a = self.start + 365 * y + R.randint(20, 340)
                    self.absent.append((a, a + R.randint(7, self.absence_len)))
        self.setup()

    # ---------- names
    def person(self):
        R = self.rng; p = Party(); p.kin = True
        for _ in range(40):
            fem = R.random() < .5
            p.first, p.sur = R.choice(FEMALE if fem else MALE), R.choice(SUR)
            if (p.first, p.sur) not in self.used_names: break
        self.used_names.add((p.first, p.sur))
        p.name = p.first + " " + p.sur; p.person = True
        p.title = R.choice(("Mrs", "Ms", "Miss", "Dr")) if fem else R.choice(("Mr", "Mr", "Mr", "Dr"))
        i = p.first[0]; second = R.choice("ABCDEGHJKLMPRST")
        p.bank = R.choice((f"{i} {p.sur}", f"{p.title} {i} {p.sur}", f"{p.sur} {i}", f"{p.first} {p.sur}", f"{i} {second} {p.sur}",
                           f"{i} & {second} {p.sur}", f"{p.sur} {i}{second}")).upper()
        p.book = self.person_style(p)
        p.short = p.sur
        q = R.choice(FEMALE + MALE)
        p.alt = R.choice((f"{q} {R.choice(SUR)}", f"{q[0]} {R.choice(SUR)}", f"{R.choice(FW)} {R.choice(('Ltd','Trading','Consulting'))}")).upper()
        self.finish(p); return p
    def person_style(self, p): return p.name
    def firm(self, kinds, alt=None, word=None, suffix=True):
        R = self.rng; p = Party(); p.kin = True
        for _ in range(60):
            w = word or (R.choice(FW) if R.random() < .62 else R.choice(SUR) if R.random() < .6 else R.choice(SUR) + " & " + R.choice(("Sons", "Son", "Co", R.choice(SUR))))
            name = (w + " " + R.choice(kinds)).strip()
            if name not in self.used_names: break
        self.used_names.add(name)
        p.short = name
        p.name = name + (R.choice((" Ltd", " Ltd", " Limited", "", " LLP")) if suffix else "")
        p.person = False; p.first = p.title = ""; p.sur = w
        b = p.name.upper().replace("'", "")
        if R.random() < .4: b = " ".join(ABBR.get(x.lower(), x) for x in b.split())
        p.bank = b; p.book = self.firm_style(p)
        p.alt = (alt or f"{R.choice(FW)} {R.choice(('Group', 'Holdings', 'Shared Services', 'Treasury'))}").upper()
        self.finish(p); return p
    def firm_style(self, p): return p.short
    def body(self, name, bank=None, book=None):
        p = Party(); p.kin = True; p.name = p.short = name; p.person = False; p.first = p.title = ""; p.sur = name
        p.bank = (bank or name).upper(); p.book = book or name; p.alt = p.bank
        self.finish(p); return p
    def finish(self, p):
        R = self.rng
        p.code = re.sub("[^A-Z]", "", p.sur.upper())[:3] + f"{R.randint(1, 399):03d}"
        p.mandate = R.choice((f"{R.randint(10**7, 10**8 - 1)}", f"{p.code}{R.randint(1000, 9999)}", f"{R.randint(10**5, 10**6 - 1)}DD"))
    def persons(self, k): return [self.person() for _ in range(max(2, int(k)))]
    def firms(self, k, kinds, **kw): return [self.firm(kinds, **kw) for _ in range(max(1, int(k)))]

    # ---------- money (pence)
    def money(self, lo, hi, style="p"):
        R = self.rng
        v = lo * (hi / lo) ** R.random()
        if style == "p": return int(v * 100)
        if style == "r": return int(v) * 100
        if style == "t": return max(10, int(v / 10) * 10) * 100
        if style == "v": return round(int(v / 1.2 * 2) / 2 * 120)
        if style == "h": return int(v) * 100 + R.choice((0, 50, 99, 95, 25))
        raise ValueError(style)
    def ref(self, day, rate=1.6, base=4000):
        x = base + int((day - self.start + 15) * max(rate, 2.8) * self.f) + self.rng.randint(0, 9)
        while (base, x) in self.used_refs: x += 1
        self.used_refs.add((base, x)); return x

    # ---------- calendar
    def pick_day(self, season=None):
        R = self.rng
        while True:
            d = self.start + R.randint(0, self.days - 1)
            if season and R.random() > season[O(d).month - 1]: continue
            if O(d).weekday() in self.open_days and d not in holidays(O(d).year): return d
            if R.random() < .08: return d
    def months(self, dom, every=1, phase=0):
        x = O(self.start); y, m = x.year, x.month
        while True:
            d = dt.date(y, m, 1).toordinal()
            d = min(d + dom - 1, month_end(d))
            if d > self.end: return
            if d >= self.start and (m - phase) % every == 0: yield d
            m += 1
            if m == 13: y, m = y + 1, 1
    def weeks(self, wd, every=1):
        d = self.start + (wd - O(self.start).weekday()) % 7
        while d <= self.end:
            yield d; d += 7 * every
    def bank_day(self, ch, doc):
        R = self.rng
        if ch in ("fps_in", "fps_out", "tfr"): return on(doc) if R.random() < .9 else plus(doc, 1)
        if ch in ("bacs_in",): return plus(doc, R.choice((0, 1, 1, 2, 2, 3)))
        if ch in ("chq_in", "slip"): return plus(doc, R.choice((0, 0, 1, 1, 2)))
        if ch == "chq_out": return plus(doc, R.choice((2, 2, 3, 3, 4, 5, 6, 8, 11, 16)))
        if ch == "card_out": return plus(doc, R.choice((0, 1, 1, 2, 2, 3)))
        if ch in ("card_in", "payout"): return plus(doc, R.choice((1, 1, 2, 2, 3)))
        if ch in ("bacs_out", "bulk"): return plus(doc, R.choice((0, 1, 2, 2)))
        return on(doc)        # dd, so, fee, int
    def session(self, d):
        return min(d + (s - O(d).weekday()) % 7 for s in self.session_days)
    def book_day(self, ch, doc, bank, out):
        """(day, kind or None)"""
        R = self.rng
        m = self.modes.get(ch) or self.modes["out" if out else "in"]
        mode = R.choices(("bank", "doc", "sess", "mend", "early"), m)[0]
        kind = None
        if mode == "bank": d = bank if R.random() < .93 else plus(bank, 1)
        elif mode == "doc": d = doc
        elif mode == "sess":
            d = self.session(doc if out else bank)
            if d != bank: kind = "session"
        elif mode == "mend": d, kind = month_end(bank), "month_end"
        else: d, kind = doc - R.randint(1, 6), "early"
        for a, b in self.absent:
            if a <= d < b and R.random() < .55: d, kind = on(b), "absence"; break
        e = self.err; x = O(d)
        if R.random() < e["swap"] and x.day <= 12 and x.day != x.month:
            y = x.replace(month=x.day, day=x.month).toordinal()
            return self.within(y), "day_month_exchanged"
        if R.random() < e["left"]: return d + R.choice((-9, -7, -6, -5, -4, -3, -2, -1, 1, 2, 4, 6)), "date_left"
        if x.month == 1 and x.day < 15 and R.random() < e["year"]:
            try: return self.within(x.replace(year=x.year - 1).toordinal()), "last_year"
            except ValueError: pass
        return d, kind
    def within(self, d): return max(self.start - self.rng.randint(2, 9), min(self.end + self.rng.randint(1, 9), d))

    # ---------- wording
    def fill(self, t, ctx):
        def opt(m):
            for h in HOLE.findall(m.group(1)):
                if not ctx.get(h): return ""
            return m.group(1)
        t = OPT.sub(opt, t)
        return re.sub(r"  +", " ", t.format(**ctx)).strip(" ,-/:")
    def typed(self, party, ref, what, outgoing):
        """reference as the payer typed it -> (text, kind)"""
        R = self.rng; d = str(ref) if ref else ""; k = None
        if outgoing:
            if not d: return (what.upper() if R.random() < .5 else ""), None
            return (self.own_ref(d, party)), None
        if not d: return ((what if R.random() < .7 else R.choice(("", "", "PAYMENT"))).upper()), None
        u = R.random()
        if u < .03 and len(d) > 2:
            i = R.randrange(len(d) - 1); e = d[:i] + d[i + 1] + d[i] + d[i + 2:]
            if e == d: e = d[:-1] + str((int(d[-1]) + 1) % 10)
            d, k = e, "payer_mistyped"
        elif u < .045: d, k = d[:-1], "payer_mistyped"
        if what and R.random() < self.what_rate: return what.upper(), k if k is None else "payer_ref_other"
        f = R.choices(self.ref_forms, self.ref_w)[0]
        t = f.format(p=self.prefix, d=d, c=party.code)
        if not t:
            if R.random() < .3: t = R.choice(("THANK YOU", "PAYMENT", "BILL", "INVOICE", "AS AGREED", self.own_name))
            return t, "no_ref"
        if R.random() < .4: t = t.upper()
        return t, k
    what_rate = .25
    own_name = "US"
    def own_ref(self, d, party):
        return self.rng.choice((d, d, f"{self.own_name} {d}", self.own_name, party.code))
    def bank_text(self, ch, party, ref, what, amt, doc, day, c="", s="", payer=None, plain_ref=None):
        R = self.rng; k = None
        T = self.bank_t
        ts = T.get(ch) or T["fps_out" if amt < 0 else "fps_in"]
        nm = party.bank
        if payer: nm, k = payer, "other_payer"
        elif amt > 0 and ch in ("fps_in", "bacs_in", "chq_in") and R.random() < self.other_payer: nm, k = party.alt, "other_payer"
        elif party.person and R.random() < .06: nm = f"{party.first[0]} {party.sur}".upper()
        if plain_ref is not None: r = plain_ref
        else:
            r, k2 = self.typed(party, ref, what, amt < 0)
            k = k or k2
        x = O(doc); b = O(day)
        ctx = dict(n=self.case(nm[:self.cut].strip()), r=self.case(r[:18]), m=party.mandate, x=R.randint(10**5, 10**9), c=c, s=s,
                   d=f"{x.day:02d}{MON[x.month-1]}", e=f"{x.day:02d}/{x.month:02d}/{x.year%100:02d}", y=x.year % 100,
                   M=MON[b.month - 1], t=R.choice(PLACE).upper()[:10], w=self.case(what), D=f"{x.day:02d} {MON[x.month-1].title()}")
        tpl = R.choice(ts) if isinstance(ts, tuple) else ts
        if "{n}" not in tpl and k == "other_payer" or "{r}" not in tpl: k = None
        return self.fill(tpl, ctx), k
    def case(self, s): return s.upper()
    def book_text(self, ch, party, ref, what, amt, day, c="", s="", faults=True, cat=None):
        R = self.rng; k = None
        T = self.book_t
        cat = cat or ch
        ts = T.get(cat) or T["out" if amt < 0 else "in"]
        e = self.err
        if faults and R.random() < self.bare_rate and cat not in ("fee", "int"):
            bare = self.bare["out" if amt < 0 else "in"]
            return R.choice(bare), "bare_text"
        nm, d = party.book, str(ref) if ref else ""
        if R.random() < .12: nm = party.name
        elif R.random() < .1: nm = party.short
        if faults:
            u = R.random()
            if u < e["name"] and self.anyone:
                nm, k = R.choice(self.anyone).book, "wrong_name"
            elif u < e["name"] + e["digits"] and len(d) > 3:
                i = R.randrange(1, len(d) - 1); e2 = d[:i] + d[i + 1] + d[i] + d[i + 2:]
                if e2 != d: d, k = e2, "ref_digits"
            elif u < e["name"] + e["digits"] + e["typo"] and len(nm) > 5:
                i = R.randrange(1, len(nm) - 2)
                nm2 = R.choice((nm[:i] + nm[i + 1] + nm[i] + nm[i + 2:], nm[:i] + nm[i + 1:], nm[:i] + nm[i] + nm[i:],
                                nm[:i] + R.choice("aeiosrtn") + nm[i + 1:]))
                if nm2 != nm: nm, k = nm2, "typo"
        x = O(day)
        ctx = dict(n=nm, r=d, w=what, c=c, s=s, a=party.code, p=self.prefix, M=MON[x.month - 1].title(), y=f"{x.year%100:02d}",
                   d=f"{x.day}/{x.month}", i=(party.first or party.name)[0], N=party.name)
        return self.fill(R.choice(ts) if isinstance(ts, tuple) else ts, ctx), k
    CHK = dict(dd="direct_debit", so="standing_order", card_out="card", chq_out="cheque", chq_in="cheque", slip="paying_in", tfr="transfer",
               card_in="card_takings", payout="payout", fee="bank_charge", int="interest", bacs_out="bacs")
    def numbers(self, ch, day):
        """cheque and slip numbers rise with the days"""
        c = s = ""
        if ch == "chq_out": c = f"{self.serial('c', self.chq, day):06d}"
        if ch in ("slip", "chq_in"): s = f"{self.serial('s', self.slip, day):06d}"
        return c, s
    def serial(self, book, base, day):
        x = base + int((day - self.start + 30) * .8 * self.f)
        while (book, x) in self.used_refs: x += 1
        self.used_refs.add((book, x)); return x
    def wrong(self, a):
        R = self.rng; s = str(abs(a)); g = 1 if a > 0 else -1
        for _ in range(20):
            u = R.random()
            if u < .55 and len(s) > 2:
                i = R.randrange(len(s) - 1); t = s[:i] + s[i + 1] + s[i] + s[i + 2:]
            elif u < .75: t = str(abs(a) // 100 * 100)
            elif u < .9: t = str(abs(a) + R.choice((9, 90, 100, 1000, 27)))
            else: t = str(int(abs(a) / 1.2))
            if int(t) > 0 and int(t) != abs(a): return g * int(t)
        return a + g * 100

    # ---------- deals
    def add(self, deal, group=False):
        self.deals.append(deal); self.nbank += len(deal.bank)
        if group: self.ngroup += len(deal.bank)
    def single(self, doc, amt, party, ch, ref=None, what="", fixed=False, cat=None, never_missing=False, plain_ref=None):
        R = self.rng; D = Deal(fixed)
        c, s = self.numbers(ch, doc); bday = self.bank_day(ch, doc)
        bt, bk = self.bank_text(ch, party, ref, what, amt, doc, bday, c, s, plain_ref=plain_ref)
        kday, dk = self.book_day(ch, doc, bday, amt < 0)
        tt, tk = self.book_text(ch, party, ref, what, amt, doc, c, s, cat=cat)
        kind = dk or tk or bk or self.CHK.get(ch, "plain")
        b = Row("bank", bday, amt, bt, kind, D); k = Row("book", kday, amt, tt, kind, D)
        D.bank.append(b)
        u = 1 if never_missing else R.random(); F = self.fault_u
        if u < F * .72: b.kind = "not_entered"
        elif u < F:
            k.amt = self.wrong(amt); b.kind = k.kind = "wrong_amount"; D.book.append(k)
        elif u < F + .006:
            w = self.wrong(amt); k.amt = w; k.kind = b.kind = "correction"
            later = max(kday, bday) + R.choice((0, 0, 1, 2, 3, 7, 12))
            k2 = Row("book", later, amt - w, R.choice(("Correction {t}", "{t} - diff", "Adj {t}")).format(t=tt), "correction", D)
            D.book += [k, k2]; D.link = ("group", b, [k, k2])
        else:
            D.book.append(k); D.link = ("pair", b, k)
            if u < F + .012:
                w = self.wrong(amt); d0 = kday - R.randint(0, 4)
                D.book += [Row("book", d0, w, tt, "reversed", D), Row("book", kday, -w, R.choice(("Reverse ", "Reversal of ", "Contra ")) + tt, "reversal", D)]
            elif u < F + .026 and abs(kday - bday) < 4:
                t2 = tt if R.random() < .5 else self.book_text(ch, party, ref, what, amt, doc, c, s, cat=cat)[0]
                g = max(kday, bday) + R.randint(5, 24)
                r = Row("book", g, amt, t2, "double", D); r.dup = True; D.book.append(r)
        self.add(D, D.link is not None and D.link[0] == "group")
    def many_docs(self, doc, ch, party, parts, kind, bank_ref="", what="", payer=None):
        """one bank row, several book rows; parts: (amount, party, ref, what, cat, fee)"""
        R = self.rng; D = Deal(); total = sum(p[0] for p in parts)
        c, s = self.numbers(ch, doc); bday = self.bank_day(ch, doc)
        bt, _ = self.bank_text(ch, party, None, what, total, doc, bday, c, s, plain_ref=bank_ref, payer=payer)
        b = Row("bank", bday, total, bt, kind, D); D.bank.append(b)
        base, _ = self.book_day(ch, doc, bday, total < 0)
        if abs(base - bday) > 3 and R.random() < .6: base = bday
        for a, p, ref, w, cat, fee in parts:
            day = base
            u = R.random()
            if u < .07: day = bday + R.choice((-12, -9, -8, -7, -6, -5, -4, 4, 5, 6, 8, 10))
            elif u < .2: day = bday + R.choice((-2, -1, 1, 1, 2))
            t, _ = self.book_text(ch, p, ref, w, a, doc, c, s, cat=cat)
            k = Row("book", day, a, t, kind, D); k.fee = fee; D.book.append(k)
        D.link = ("group", b, list(D.book)); self.add(D, True)
    def many_payments(self, doc, ch, party, amounts, gaps, kind, ref=None, what="", where="end", cat=None):
        """one book row, several bank rows"""
        R = self.rng; D = Deal(); total = sum(amounts); d = doc
        for a, g in zip(amounts, gaps):
            d += g; bday = self.bank_day(ch, d); c, s = self.numbers(ch, d)
            bt, _ = self.bank_text(ch, party, ref, what, a, d, bday, c, s)
            D.bank.append(Row("bank", bday, a, bt, kind, D))
        at = D.bank[{"end": -1, "start": 0}[where]].day
        kd, _ = self.book_day(ch, at, at, total < 0)
        if abs(kd - at) > 3 and R.random() < .6: kd = at
        t, _ = self.book_text(ch, party, ref, what, total, kd, "", "", cat=cat)
        D.book.append(Row("book", kd, total, t, kind, D))
        D.link = ("group", D.book[0], list(D.bank)); self.add(D, True)
    def split(self, total, k, style="p"):
        """total in k parts, unequal"""
        R = self.rng
        if style == "r":
            step = 5000 if total > 60000 else 1000
            cuts = [max(step, int(total / k * R.uniform(.6, 1.3) / step) * step) for _ in range(k - 1)]
        else: cuts = [max(100, int(total / k * R.uniform(.5, 1.4))) for _ in range(k - 1)]
        rest = total - sum(cuts)
        return cuts + [rest] if rest > 0 else self.split(total, k)
    def book_only(self, day, amt, party, ch, kind, ref=None, what="", cat=None):
        D = Deal(); c, s = self.numbers(ch, day)
        if kind == "double": kind = "not_banked"
        t, _ = self.book_text(ch, party, ref, what, amt, day, c, s, cat=cat)
        D.book.append(Row("book", day, amt, t, kind, D)); self.add(D)

    # ---------- the run
    def run(self):
        R = self.rng
        self.recurring()
        goal = int(self.n * self.group_share)
        gs, ss, ns = self.group_streams(), self.single_streams(), self.never_streams()
        def draw(st):
            w = R.choices(st, [x[0] for x in st])[0]
            w[1](self.pick_day(w[2] if len(w) > 2 else None))
        while self.ngroup < goal and self.nbank < self.n - 8: draw(gs)
        cum = []; t = 0
        for x in ss: t += x[0]; cum.append(t)
        while self.nbank < self.n:
            x = ss[bisect_right(cum, R.random() * t)]
            x[1](self.pick_day(x[2] if len(x) > 2 else None))
        if self.nbank > self.n:     # too many recurring rows: leave out some pairs
            xs = [d for d in self.deals if len(d.bank) == 1 and not (d.link and d.link[0] == "group")]
            R.shuffle(xs); drop = set(map(id, xs[:self.nbank - self.n]))
            self.deals = [d for d in self.deals if id(d) not in drop]
        for _ in range(int(self.n * self.never_rate)): draw(ns)
        for d in self.deals:
            for r in d.book: r.day = max(self.start - 12, min(self.end + 25, r.day))
            if d.link:
                _, a, b = d.link
                if isinstance(b, Row): a.partners, b.partners = (b,), (a,)
                else:
                    a.partners = tuple(b)
                    for r in b: r.partners = (a,)
        self.tell_apart()
        return self.output()
    never_rate = .035

    # ---------- telling apart
    def evidence(self, a, b):
        x, y = toks(a), toks(b); s = 0.
        if len(x) > len(y): x, y = y, x
        for w in x:
            if w in y: s += (5 if w.isdigit() else 3) if len(w) > 3 else 2 if len(w) > 2 else .5
            elif len(w) > 2:
                m = 0
                for v in y:
                    if w.isdigit():
                        if v.isdigit() and len(v) > 3 and len(w) > 3 and (sorted(v) == sorted(w) or v in w or w in v): m = max(m, 2.5)
                    elif len(v) > 2 and not v.isdigit():
                        l = min(len(v), len(w))
                        if v[:l] == w[:l]: m = max(m, 2 if l > 3 else 1)
                        elif l > 4 and (sorted(v) == sorted(w) or near(v, w)): m = max(m, 2)
                s += m
        return s - .5 * min(40, abs(a.day - b.day))
    def ev(self, r, P):
        if not P: return 0.
        return max(self.evidence(r, p) for p in P)
    def clash(self, r, q):
        if r.dup or q.dup: return self.clash_(r, q)
        key = (id(r), id(q)) if id(r) < id(q) else (id(q), id(r))      # amounts play no part, so it holds for all turns
        v = self.known.get(key)
        if v is None: v = self.known[key] = self.clash_(r, q)
        return v
    def clash_(self, r, q):
        if r.partners == q.partners and r.partners: return False
        if not r.partners and not q.partners: return False
        if abs(q.day - r.day) > 14 and r.partners and q.partners and all(abs(p.day - x.day) < 5 for x in (r, q) for p in x.partners): return False
        st = self.ev(r, r.partners) + self.ev(q, q.partners)
        sw = self.ev(q, r.partners) + self.ev(r, q.partners)
        return st - sw < 2
    def tell_apart(self):
        R = self.rng
        dirty = None; left = 0; self.known = {}
        for turn in range(60):
            by = {}
            for d in self.deals:
                for r in d.bank: by.setdefault(r.amt, ([], []))[0].append(r)
                for r in d.book: by.setdefault(r.amt, ([], []))[1].append(r)
            todo = {}
            for amt, sides in by.items():
                if dirty is not None and amt not in dirty: continue
                if len(sides[0]) < 2 and len(sides[1]) < 2 and not (sides[0] and sides[1]): continue
                for rs in sides:
                    rs.sort(key=lambda r: r.day)
                    for i, r in enumerate(rs):
                        for q in rs[i + 1:]:
                            if q.day - r.day > 40: break
                            if self.clash(r, q): self.note(todo, r, q)
                # rows with no partner, or group singles, that look like a pair with a row of the other side
                free = lambda r: len(r.partners) != 1 or r.partners[0].amt != r.amt
                fb, fk = [r for r in sides[0] if free(r)], [r for r in sides[1] if free(r)]
                for r in fb:
                    for q in fk:
                        if abs(q.day - r.day) <= 40 and q.deal is not r.deal: self.note(todo, r, q)
            left = len(todo)
            if not todo: break
            dirty = set()
            for d, row in todo.values(): self.alter(d, row, dirty)
        self.unsettled = left
    def note(self, todo, r, q):
        R = self.rng
        if r.deal is q.deal:
            z = q if q.dup else r
        else:
            z = R.choice((r, q))
            if r.deal.fixed != q.deal.fixed: z = q if r.deal.fixed else r
            if id(r.deal) in todo or id(q.deal) in todo: return
        todo[id(z.deal)] = (z.deal, z if r.deal is not q.deal else (z,))
    def alter(self, d, row, dirty):
        R = self.rng
        if isinstance(row, tuple):
            z = row[0]; z.dup and setattr(z, "day", z.day + R.randint(5, 9)); dirty.add(z.amt)
            if z.day > self.end + 25 or not z.dup: d.book = [k for k in d.book if k is not z]
            return
        rows = d.bank + d.book
        for r in rows: dirty.add(r.amt)
        if d.link and d.link[0] == "group" and row.partners:
            single, parts = d.link[1], d.link[2]
            p = row if row is not single else R.choice([x for x in parts if not x.fee] or parts)
            delta = self.shift(p.amt)
            if single.amt + delta and (single.amt + delta > 0) == (single.amt > 0): p.amt += delta; single.amt += delta
        else:
            delta = self.shift(row.amt)
            for r in rows:
                if r.kind in ("reversed", "reversal") and row.kind not in ("reversed", "reversal"): continue
                if row.kind in ("reversed", "reversal") and r.kind not in ("reversed", "reversal"): continue
                r.amt += delta if (r.amt > 0) == (row.amt > 0) else -delta
        for r in rows: dirty.add(r.amt)
    def shift(self, a):
        R = self.rng; m = abs(a)
        if m % 100 == 0 and m > 20000: v = 100 * R.randint(1, max(3, m // 1500))
        elif m > 5000: v = R.randint(1, 60) * R.choice((5, 25, 50, 12))
        else: v = R.randint(1, max(9, m // 4))
        return v if a > 0 else -v

    # ---------- writing
    def output(self):
        R = self.rng
        bank = [r for d in self.deals for r in d.bank]; book = [r for d in self.deals for r in d.book]
        R.shuffle(bank); R.shuffle(book)
        bank.sort(key=lambda r: r.day); book.sort(key=lambda r: r.day)
        for rs in (bank, book):
            for i, r in enumerate(rs): r.idx = i
        pairs, groups = [], []
        for d in self.deals:
            if not d.link: continue
            t, a, b = d.link
            if t == "pair": pairs.append([a.idx, b.idx, a.kind])
            else: groups.append([a.side, a.idx, sorted(r.idx for r in b)])
        pairs.sort(); groups.sort()
        row = lambda r: {"date": O(r.day).isoformat(), "amount": r.amt / 100, "description": r.text}
        data = {"bank": [row(r) for r in bank], "book": [row(r) for r in book],
                "options": {"allowedDateDifferenceInDays": 3, "includeMatched": True}}
        truth = {"n_bank": len(bank), "n_book": len(book), "pairs": pairs, "groups": groups,
                 "bank_kind": [r.kind for r in bank], "book_kind": [r.kind for r in book]}
        return data, truth

WORD = re.compile(r"[a-z0-9]+"); SUB = re.compile(r"[a-z]{3,}|\d{3,}")
def toks(r):
    if r.tok is None:
        t = r.text.lower(); s = set(WORD.findall(t)); s.update(SUB.findall(t))
        r.tok = {w[0] and w.lstrip("0") or w for w in s}
    return r.tok
def near(v, w):
    """one letter dropped, added or changed"""
    if abs(len(v) - len(w)) > 1: return False
    i = 0
    while i < min(len(v), len(w)) and v[i] == w[i]: i += 1
    return v[i + 1:] == w[i + 1:] or v[i:] == w[i + 1:] or v[i + 1:] == w[i:]
