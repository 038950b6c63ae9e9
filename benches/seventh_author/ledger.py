"""The deals of one organisation: rows at the bank, rows in the book, what goes wrong, and the tidying of rows nobody could tell apart."""
import bisect
import datetime as D
import math
import random
import banks
from people import MON, Calendar, slip_digits, slip_letters, keyset

BASE = {"fpi": "plain", "bgc": "plain", "soi": "standing_order", "fpo": "plain", "so": "standing_order", "dd": "direct_debit",
        "card": "card", "chq": "cheque", "cash": "paying_in", "bulk": "wages", "ret": "returned", "xfer": "transfer", "chg": "fee",
        "int": "interest"}
BYWHAT = {"till": "card_takings", "wage": "wages", "refund": "refund", "wagerun": "wages"}
DATEKINDS = ("late", "early", "session", "month_end", "stuck_date", "after_absence", "document_date", "day_month", "last_year")


class Row:
    __slots__ = ("side", "date", "amt", "text", "kind", "typ", "what", "party", "ref", "doc", "note", "link", "dead", "key", "vk", "refd",
                 "wrong", "single", "idx", "mode", "mate")


class Link:
    __slots__ = ("bank", "book", "kind")

    def __init__(self, bank, book, kind):
        self.bank, self.book, self.kind = bank, book, kind
        for x in bank:
            x.link = self
        for x in book:
            x.link = self


def digits(s):
    return "".join(c for c in s if c.isdigit())


class Sim:
    """Subclasses give: bank (renderer), book (templates), bare texts, clerk (weights), setup() and one_day(d)."""
    bank = None
    book = {}
    bare_in, bare_out = ("receipt",), ("payment",)
    clear = "{name} {id}"
    clerk = {}
    K = (1.0, 1.0, 1.0)

    def __init__(self, name, seed, n):
        self.r = r = random.Random(f"seventh/{name}/{seed}/{n}")
        self.n = n
        l = math.log(max(n, 60))
        a, b, c = math.log(500), math.log(5000), math.log(50000)
        days = math.exp(math.log(183) + (l - a) / (b - a) * math.log(1096 / 183)) if l < b else \
            math.exp(math.log(1096) + (l - b) / (c - b) * math.log(3652 / 1096))
        k = self.K
        t = (l - a) / (b - a)
        k = k[0] + (k[1] - k[0]) * t if l < b else k[1] + (k[2] - k[1]) * (t - 1)
        self.s = n / days / 2.73 * max(.4, k)                              # 1 at 500, 1.67 at 5,000, 5 at 50,000
        self.start = D.date(r.randrange(2009, 2014), r.randrange(1, 13), r.randrange(1, 29)).toordinal()
        y = D.date.fromordinal(self.start).year
        self.cal = Calendar(y - 1, y + 24)
        self.banks, self.books = [], []
        self.nb = self.ng = self.nu = 0
        self.gt, self.ut = r.uniform(0.058, 0.082), r.uniform(0.082, 0.1)
        self.refs, self.codes = set(), {}
        self.sl = int(r.uniform(200, 80000))
        self.chqno, self.slipno = r.randrange(100200, 109000), r.randrange(300, 900)
        self.absent, self.stuck = (0, 0), (0, 0, 0)
        self.upgrades = self.dropped = self.residual = 0
        self.m = self.clerk
        self.modes = {}
        for t, w in self.m["modes"].items():
            self.modes[t] = ([x for x, _ in w], [y for _, y in w])

    # ------------------------------------------------------------ helpers for the organisations
    def poisson(self, lam):
        r, k = self.r.random, 0
        l, p = math.exp(-lam), r()
        while p > l:
            k += 1
            p *= r()
        return k

    def docno(self, doc, perday, pre="", width=5):
        n = self.sl + int((doc - self.start + 400) * perday * self.s * 1.3) + self.r.randrange(0, 4)
        while n in self.refs:
            n += 1
        self.refs.add(n)
        return pre + str(n).zfill(width)

    def cheque(self):
        self.chqno += 1
        return str(self.chqno)

    def slip(self):
        self.slipno += 1
        return f"{self.slipno:06d}"

    def want(self, k=1):
        """May a group using k bank rows be made now? Keeps the share near the chosen one."""
        d = self.gt * (self.nb + 25) - self.ng
        return self.r.random() < (0.95 if d >= k else 0.35 if d > k - 2 else 0.0)

    def money(self, lo, hi, p=2.0):
        """Skewed towards small sums, in pence."""
        return int(lo + (hi - lo) * self.r.random() ** p)

    def fix(self, what, typ, party, amt, dom, months=None, note="", vary=0.0):
        self.fixed.setdefault(dom, []).append([what, typ, party, amt, months, note, vary])

    def do_fixed(self, d):
        cal = self.cal
        if not cal.work(d):
            return
        x = cal.prev(d - 1) + 1
        for q in range(x, d + 1):
            t = D.date.fromordinal(q)
            for f in self.fixed.get(t.day, ()):
                what, typ, party, amt, months, note, vary = f
                if months and t.month not in months:
                    continue
                if t.month == 4 and amt and abs(amt) > 1500 and what != "loan" and self.r.random() < 0.7:
                    f[3] = int(amt * self.r.uniform(1.0, 1.06) / 5) * 5
                a = int(f[3] * (1 + self.r.uniform(-vary, vary)))
                if typ == "xfer" and self.r.random() < 0.3:
                    continue
                self.pair(typ, what, party, a, q if typ != "card" else d, d, note=note)

    def wages(self, d, staff, doc, note, chunk=8):
        """Net pay: one by one, as a bulk payment, or as one journal in the book."""
        r = self.r
        for i in range(0, len(staff), chunk):
            ps = staff[i:i + chunk]
            am = []
            for p in ps:
                a = p.price if r.random() < 0.45 else int(p.price * r.uniform(0.8, 1.12))
                am.append(-a)
            n = len(ps)
            how = self.m["wages"]
            k = r.random()
            if n > 1 and (k < how[0]) and self.want(1):
                self.group_bank("bulk", "wage", self.payroll, [(a, "", "wage", p, doc) for a, p in zip(am, ps)], doc, d, note, "bulk_wages")
            elif n > 1 and k < how[0] + how[1] and self.want(n):
                self.group_book("wagerun", self.payroll, [("fpo", "wage", p, a, d if r.random() < .93 else self.cal.add(d, 1), "", note, doc)
                                                          for a, p in zip(am, ps)], doc, "", note, "bulk", "wages_journal")
            elif k < 0.75 and n > 1:
                self.pair("bulk", "wagerun", self.payroll, sum(am), doc, d, note=note)
            else:
                for a, p in zip(am, ps):
                    self.pair("fpo", "wage", p, a, doc, d, note=note)

    # ------------------------------------------------------------ rows
    def row(self, side, date, amt, typ, what, party, ref, doc, note):
        x = Row()
        x.side, x.date, x.amt, x.typ, x.what, x.party, x.ref, x.doc, x.note = side, date, amt, typ, what, party, ref, doc, note
        x.link, x.dead, x.key, x.wrong, x.single, x.kind, x.mode, x.mate = None, False, self.r.random(), None, False, "", "", None
        return x

    def brow(self, date, amt, typ, what, party, ref, doc, note):
        x = self.row("bank", date, amt, typ, what, party, ref, doc, note)
        x.text, bad = self.bank(self.r, x)
        if bad:
            x.mode = "mistyped_reference"
        elif typ in ("fpi", "bgc", "soi") and party.alias:
            x.mode = "other_payer"
        self.banks.append(x)
        self.nb += 1
        return x

    def say(self, x, tpl, party=None):
        p = party or x.party
        d = D.date.fromordinal(x.doc)
        t = tpl.format(name=p.name, sur=p.sur, first=p.first, ini=p.first[:1], title=p.title, code=p.code, ref=x.ref, r=digits(x.ref),
                       mon=MON[d.month - 1], yr=d.year % 100, d=f"{d.day}/{d.month}", child=p.child, note=x.note, num=p.num,
                       id=banks.clean(x), lname=p.name.lower(), short=p.name[:14].strip())
        return " ".join(t.split())

    def krow(self, date, amt, typ, what, party, ref, doc, note, special=True):
        r = self.r
        x = self.row("book", date, amt, typ, what, party, ref, doc, note)
        x.text = self.say(x, r.choice(self.book.get(what) or self.book["other"]))
        if special:
            k, m = r.random(), self.m
            if k < m["bare"]:
                x.text, x.mode = self.say(x, r.choice(self.bare_in if amt > 0 else self.bare_out)), "bare_text"
            elif k < m["bare"] + m["typo"]:
                t = slip_letters(r, x.text)
                if t != x.text:
                    x.text, x.mode = t, "typo"
            elif k < m["bare"] + m["typo"] + m["swap"]:
                t = slip_digits(r, x.text)
                if t != x.text and digits(ref):
                    x.text, x.mode = t, "swapped_reference"
            elif k < m["bare"] + m["typo"] + m["swap"] + m["wrong"]:
                q = self.other_party(party)
                if q is not None:
                    x.wrong, x.mode = q, "wrong_name"
                    x.text = self.say(x, r.choice(self.book.get(what) or self.book["other"]), q)
        self.books.append(x)
        return x

    def other_party(self, p):
        for pool in self.pools:
            if p in pool and len(pool) > 3:
                q = self.r.choice(pool)
                return q if q is not p and q.sur[:8] != p.sur[:8] else None
        return None

    # ------------------------------------------------------------ the clerk's date
    def bookdate(self, bday, doc, typ):
        r, cal, m = self.r, self.cal, self.m
        ms, ws = self.modes.get(typ) or self.modes["*"]
        mode = r.choices(ms, ws)[0]
        d, kind = bday, ""
        if mode == "next":
            d = cal.add(bday, 1)
        elif mode == "doc":
            d, kind = max(doc, bday - 40), "document_date"
        elif mode == "session":
            w = m["weekday"]
            d, kind = bday + (w - (bday - 1) % 7) % 7, "session"
            if not cal.work(d):
                d += 7 if r.random() < 0.5 else -1
        elif mode == "fortnight":
            x = D.date.fromordinal(bday)
            d = bday + (15 - x.day if x.day <= 15 else (32 - x.day))
            x = D.date.fromordinal(d)
            if x.day < 10:
                d -= x.day - 1
            kind = "session"
        elif mode == "mend":
            x = D.date.fromordinal(bday)
            d = D.date(x.year + x.month // 12, x.month % 12 + 1, 1).toordinal() - 1
            kind = "month_end"
        k = r.random()
        if k < m["late"]:
            d, kind = bday + int(4 + 24 * r.random() ** 1.6), "late"
        elif k < m["late"] + m["early"]:
            d, kind = bday - int(2 + 9 * r.random() ** 1.5), "early"
        elif k < m["late"] + m["early"] + 0.004:
            x = D.date.fromordinal(bday)
            if x.day <= 12 and x.day != x.month and abs(x.day - x.month) <= 2:
                d, kind = D.date(x.year, x.day, x.month).toordinal(), "day_month"
        elif D.date.fromordinal(d).timetuple().tm_yday < 12 and r.random() < 0.05:
            x = D.date.fromordinal(d)
            d, kind = D.date(x.year - 1, x.month, x.day).toordinal(), "last_year"
        a0, a1 = self.absent
        if kind not in ("late", "early", "day_month", "last_year"):
            if a0 <= d < a1:
                d, kind = a1 + r.randrange(0, 2), "after_absence"
            s0, s1, sd = self.stuck
            if s0 <= d <= s1:
                d, kind = sd, "stuck_date"
        if abs(d - bday) <= 3 and kind not in ("stuck_date", "early"):
            kind = ""
        return d, kind

    def mishaps(self, d):
        r = self.r
        if d >= self.absent[1] + 60 and r.random() < self.m["absence"] / 365:
            self.absent = (d + 3, d + 3 + r.choice((7, 7, 10, 14)))
        if d > self.stuck[1] and r.random() < self.m["stuck"] / 365:
            self.stuck = (d, d + r.choice((0, 0, 1)), d - r.randrange(2, 8))

    # ------------------------------------------------------------ deals
    def kindof(self, typ, what):
        return BYWHAT.get(what) or BASE[typ]

    def pair(self, typ, what, party, amt, doc, bday, ref="", note="", bankref=None):
        r = self.r
        b = self.brow(bday, amt, typ, what, party, ref, doc, note)
        u = self.ut * (self.nb + 25) - self.nu
        p = self.ut * 0.8 if u < 1.5 else min(0.5, self.ut * (1 + u * 0.5))
        if u < -1.5:
            p = 0.0
        if typ in ("chg", "int"):
            p *= 2
        if r.random() < p:
            self.nu += 1
            if r.random() < 0.16 and abs(amt) > 300:
                b.kind = "wrong_amount_in_book"
                s = str(abs(amt))
                for _ in range(5):
                    i = r.randrange(len(s) - 1)
                    t = s[:i] + s[i + 1] + s[i] + s[i + 2:]
                    if t != s and t[0] != "0":
                        break
                v = int(t) * (1 if amt > 0 else -1)
                if v == amt:
                    v = amt + (100 if amt > 0 else -100)
                d, _ = self.bookdate(bday, doc, typ)
                b.mate = self.krow(d, v, typ, what, party, ref, doc, note, False)
                b.mate.kind = "wrong_amount"
            elif r.random() < 0.04:
                b.kind = "wrong_sign_in_book"
                b.mate = self.krow(bday, -amt, typ, what, party, ref, doc, note, False)
                b.mate.kind = "wrong_sign"
            else:
                b.kind = "missing_in_book"
            return b
        d, dk = self.bookdate(bday, doc, typ)
        k = self.krow(d, amt, typ, what, party, ref, doc, note)
        k.kind = dk
        kind = dk or k.mode or b.mode or self.kindof(typ, what)
        L = Link([b], [k], kind)
        q = r.random()
        if q < self.m["double"]:
            e = self.krow(max(d, bday) + r.randrange(3, 15), amt, typ, what, party, ref, doc, note)
            e.kind = "double_entry"
        elif q < self.m["double"] + self.m["reverse"]:
            e0 = min(d, bday) - r.randrange(0, 3)
            w = self.other_party(party)
            if w is not None and not k.wrong:
                x = self.krow(e0, amt, typ, what, w, ref, doc, note, False)
                y = self.krow(max(e0, d - r.randrange(0, 2)), -amt, typ, what, w, ref, doc, note, False)
            else:
                v = amt + r.choice((900, -900, 1000, 2700, 90)) if abs(amt) > 3000 else amt * 2
                x = self.krow(e0, v, typ, what, party, ref, doc, note, False)
                y = self.krow(d, -v, typ, what, party, ref, doc, note, False)
            y.text = r.choice(("reverse ", "REV ", "contra ", "corr. ")) + x.text
            x.kind, y.kind = "reversed", "reversal"
            x.mate, y.mate = y, x
            if L.kind == self.kindof(typ, what):
                L.kind = "entered_again"
        return b

    def group_bank(self, typ, what, party, parts, doc, bday, note="", kind="one_for_several", pnote=None):
        """One bank row for several book rows. parts: (amount, ref, what, party or None, doc)."""
        r = self.r
        tot = sum(p[0] for p in parts)
        b = self.brow(bday, tot, typ, what, party, parts[0][1], doc, note)
        b.single = True
        d0, _ = self.bookdate(bday, doc, typ)
        spread = r.random() < 0.2
        ks = []
        for a, ref, w, q, dd in parts:
            d = d0 if not spread else d0 + r.choice((0, 0, 0, 1, 2, -1))
            if spread and r.random() < 0.15:
                d = max(dd, d0 - 20)
            k = self.krow(d, a, typ, w, q or party, ref, dd, note if pnote is None else pnote, r.random() < 0.5)
            k.kind = "part"
            ks.append(k)
        b.mode = ""
        Link([b], ks, kind)
        self.ng += 1
        return b

    def group_book(self, what, party, rows, doc, ref="", note="", typ=None, kind="several_for_one"):
        """One book row for several bank rows. rows: (typ, what, party, amount, bank day, ref, note, doc)."""
        bs = []
        for t, w, q, a, bd, rf, nt, dd in rows:
            b = self.brow(bd, a, t, w, q or party, rf, dd, nt)
            b.mode = ""
            bs.append(b)
        first = min(b.date for b in bs)
        d, _ = self.bookdate(first, doc, typ or rows[0][0])
        k = self.krow(d, sum(b.amt for b in bs), typ or rows[0][0], what, party, ref, doc, note, self.r.random() < 0.5)
        k.kind, k.single = "total", True
        Link(bs, [k], kind)
        self.ng += len(bs)
        return k

    def book_only(self, kind, typ, what, party, amt, d, ref="", note="", text=None):
        k = self.krow(d, amt, typ, what, party, ref, d, note, False)
        if text:
            k.text = text
        k.kind = kind

    def bank_only(self, kind, typ, what, party, amt, d, ref="", note="", force=False):
        if not force and self.ut * (self.nb + 25) - self.nu < 0:
            return None
        b = self.brow(d, amt, typ, what, party, ref, d, note)
        b.kind = kind
        self.nu += 1
        return b

    # ------------------------------------------------------------ rows that nobody could tell apart
    def note_keys(self, x):
        p = x.wrong or x.party
        t = x.text.upper()
        x.vk = tuple(k for k in p.keys if k in t)
        g = digits(x.ref)
        x.refd = g if len(g) >= 3 and not x.single and g in t else ""

    @staticmethod
    def tscore(b, k):
        s = 0.0
        if b.refd and k.refd:
            s = 3.0 if b.refd == k.refd else -3.0
        if b.vk and k.vk:
            c = sum(1 for z in b.vk if z in k.vk)
            if c:
                s += 1.5 + 0.5 * c
            elif b.party is k.party and not k.wrong:
                s += 2.0 if b.party.learned else 0.0
            else:
                p, q = b.party, k.wrong or k.party       # two names clash; an unknown number or a strange name does not
                if (b.vk[0] == p.keys[0] and k.vk[0] == q.keys[0]) or p.learned or q.learned:
                    s -= 2.0
        return s

    @classmethod
    def score(cls, b, k):
        g = abs(b.date - k.date)
        return cls.tscore(b, k) - 0.1 * (g if g < 45 else 45)

    def upgrade(self, x):
        """Write the row plainly: the name and a number that tells it from others."""
        self.upgrades += x.mode != "clear"
        idn = banks.clean(x)
        if len(idn) >= 4 and idn not in x.party.keys and idn != x.ref:
            x.party.keys += (idn.upper(),)
        if x.side == "bank":
            x.text, _ = self.bank(self.r, x, True)
        else:
            x.text, x.wrong = self.say(x, self.clear).replace("() ", ""), None
        x.mode = "clear"
        L = x.link
        if L and L.kind in ("bare_text", "typo", "swapped_reference", "wrong_name", "mistyped_reference", "other_payer"):
            L.kind = self.kindof(x.typ, x.what)
        self.note_keys(x)

    def elements(self):
        out = {}
        for x in self.banks:
            if x.dead or x.link is None:
                continue
            if len(x.link.book) > 1:
                for k in x.link.book:
                    out.setdefault(k.amt, []).append((x, k))
            else:
                out.setdefault(x.amt, []).append((x, x.link.book[0]))
        for v in out.values():
            v.sort(key=lambda e: (e[0].date, e[0].key, e[1].date, e[1].key))
        return out

    def repair(self):
        W = 45
        for x in self.banks:
            self.note_keys(x)
        for x in self.books:
            self.note_keys(x)
        self.learn()
        E = self.elements()
        ub = {}
        for x in self.banks:
            if x.link is None:
                ub.setdefault(x.amt, []).append(x)
        score = self.score
        # unmatched book rows that would fit as well
        for k in self.books:
            if k.link is not None:
                continue
            bad = any(abs(b.date - k.date) <= W and self.tscore(b, k) >= 0 for b in ub.get(k.amt, ()))
            if not bad:
                es = E.get(k.amt, ())
                i = bisect.bisect_left(es, k.date - W, key=lambda e: e[0].date) if es else 0
                while i < len(es) and es[i][0].date <= k.date + W:
                    b, k0 = es[i]
                    if score(b, k) > score(b, k0) - 0.25:
                        bad = True
                        break
                    i += 1
            k.dead = bad
        # unmatched bank rows that would fit as well: let the clerk enter them
        for a, bs in ub.items():
            for b in bs:
                es = E.get(a, ())
                i = bisect.bisect_left(es, b.date - W, key=lambda e: e[0].date) if es else 0
                bad = False
                while i < len(es) and es[i][0].date <= b.date + W:
                    b0, k = es[i]
                    if score(b, k) > score(b0, k) - 0.25:
                        bad = True
                        break
                    i += 1
                if bad:
                    if b.kind in ("missing_in_book", "wrong_amount_in_book", "wrong_sign_in_book"):
                        k = self.krow(b.date, b.amt, b.typ, b.what, b.party, b.ref, b.doc, b.note, False)
                        self.note_keys(k)
                        Link([b], [k], b.mode.replace("clear", "") or self.kindof(b.typ, b.what))
                        b.kind = ""
                        if b.mate:
                            b.mate.dead = True
                        bisect.insort(E[a], (b, k), key=lambda e: (e[0].date, e[0].key))
                    else:
                        b.dead = True
        for x in self.banks + self.books:
            if x.dead and x.mate and x.mate.link is None:
                x.mate.dead = True
        E = self.elements()
        for rnd in range(3):
            if not self.settle(E, fix=True, last=rnd == 2):
                break

    def learn(self):
        """A payer's other name is known once it has been seen with the right customer."""
        for x in self.banks:
            L = x.link
            if L and len(L.book) == 1 and x.vk and L.book[0].vk and not L.book[0].wrong:
                if not any(z in L.book[0].vk for z in x.vk):
                    x.party.learned.add(1 if 1 not in x.party.learned else 2)
        for p in {id(x.party): x.party for x in self.banks}.values():
            if 2 not in p.learned:
                p.learned.clear()

    def settle(self, E, fix, last=False):
        """Look at every two links of the same amount: would the exchange look as good?"""
        count = 0
        W = 45
        for a, es in E.items():
            if len(es) < 2:
                continue
            unclear, buckets = [], {}
            for e in es:
                b, k = e
                if b.dead:
                    continue
                if self.tscore(b, k) < 2:
                    unclear.append(e)
                for z in dict.fromkeys(b.vk + k.vk):
                    buckets.setdefault(z, []).append(e)
            seen = set()
            for lst in [unclear] + [buckets[z] for z in sorted(buckets)]:
                m = len(lst)
                for i in range(m):
                    e = lst[i]
                    d = e[0].date
                    for j in range(i + 1, m):
                        f = lst[j]
                        if f[0].date > d + W:
                            break
                        if e[0] is f[0] or e[1] is f[1] or e[0].dead or f[0].dead:
                            continue
                        if self.worse(e, f):
                            continue
                        q = (id(e[1]), id(f[1]))
                        if q in seen:
                            continue
                        seen.add(q)
                        if self.twins(e, f):
                            continue
                        count += 1
                        if fix:
                            self.separate(e, f, last)
        return count

    def worse(self, e, f):
        s = self.score
        return s(e[0], f[1]) + s(f[0], e[1]) <= s(e[0], e[1]) + s(f[0], f[1]) - 0.25

    def twins(self, e, f):
        """Two deals of one party without numbers, in order of date on both sides: the natural assignment."""
        (b, k), (c, l) = e, f
        if b.party is not c.party or b.refd or c.refd or k.refd or l.refd or k.wrong or l.wrong:
            return False
        return (b.date, b.key) <= (c.date, c.key) and (k.date, k.key) <= (l.date, l.key) and k.party is l.party

    def separate(self, e, f, last):
        (b, k), (c, l) = e, f
        big = [x.link for x in (b, c) if len(x.link.bank) + len(x.link.book) > 2]
        if last:
            for L in sorted((b.link, c.link), key=lambda L: len(L.bank) + len(L.book))[:1]:
                for x in L.bank + L.book:
                    x.dead = True
                self.dropped += len(L.bank)
            return
        for L in big:                               # the clerk enters a group on the bank's own day
            if len(L.bank) == 1:
                for x in L.book:
                    x.date = L.bank[0].date
        if b.party is c.party and not (len(digits(b.ref)) >= 3 and len(digits(c.ref)) >= 3 and not b.single and not c.single):
            for x, y in ((b, k), (c, l)):
                if not x.single and not y.single:
                    y.date = x.date
                    if x.link.kind in DATEKINDS:
                        x.link.kind = self.kindof(x.typ, x.what)
                if y.wrong or (not y.vk and x.vk):
                    self.upgrade(y)
            if (b.date, b.key) > (c.date, c.key) or (b.date == c.date and k.key > l.key):
                k.key, l.key = min(k.key, l.key), max(k.key, l.key)
            return
        for x in (l, k) if not k.vk or k.wrong else (l,):
            self.upgrade(x)
        if not self.worse(e, f):
            for x in (c, k, b):
                self.upgrade(x)
                if self.worse(e, f):
                    break

    # ------------------------------------------------------------ the whole
    def run(self):
        self.fixed, self.pools = {}, []
        self.setup()
        d = self.start - 40
        goal = int(self.n * 1.03) + 25
        inside = 0
        at = 0
        while inside < goal:
            self.mishaps(d)
            self.one_day(d)
            d += 1
            for x in self.banks[at:]:
                inside += x.date >= self.start
            at = len(self.banks)
        self.repair()
        s = self.start
        bank = sorted((x for x in self.banks if not x.dead and x.date >= s), key=lambda x: (x.date, x.key))[:self.n]
        end = bank[-1].date
        s = bank[0].date
        ib = {id(x) for x in bank}
        book = []
        for k in self.books:
            if k.dead:
                continue
            L = k.link
            if L is None:
                if s <= k.date <= end:
                    book.append(k)
            elif any(id(b) in ib for b in L.bank):
                if s - 15 <= k.date <= end + 10:
                    book.append(k)
            elif s <= k.date <= end:
                k.kind = "bank_outside"
                book.append(k)
        book.sort(key=lambda x: (x.date, x.key))
        for i, x in enumerate(bank):
            x.idx = i
        for i, x in enumerate(book):
            x.idx = i
        kb = {id(x) for x in book}
        pairs, groups = [], []
        done = set()
        for b in bank:
            L = b.link
            if L is None or id(L) in done:
                continue
            done.add(id(L))
            if not all(id(x) in ib for x in L.bank) or not all(id(x) in kb for x in L.book):
                for x in L.bank:
                    x.kind = "book_outside" if len(L.bank) + len(L.book) == 2 else "group_cut"
                for x in L.book:
                    x.kind = "bank_outside" if len(L.bank) + len(L.book) == 2 else "group_cut"
                continue
            if len(L.bank) == 1 and len(L.book) == 1:
                b.kind = L.book[0].kind = L.kind
                pairs.append([b.idx, L.book[0].idx, L.kind])
            elif len(L.bank) == 1:
                b.kind = L.kind
                groups.append(["bank", b.idx, sorted(k.idx for k in L.book)])
            else:
                for x in L.bank:
                    x.kind = "part"
                L.book[0].kind = L.kind
                groups.append(["book", L.book[0].idx, sorted(x.idx for x in L.bank)])
        iso = {}

        def out(x):
            t = iso.get(x.date)
            if t is None:
                t = iso[x.date] = D.date.fromordinal(x.date).isoformat()
            return {"date": t, "amount": x.amt / 100, "description": x.text}
        data = {"bank": [out(x) for x in bank], "book": [out(x) for x in book],
                "options": {"allowedDateDifferenceInDays": 3, "includeMatched": True}}
        truth = {"n_bank": len(bank), "n_book": len(book), "pairs": pairs, "groups": groups,
                 "bank_kind": [x.kind for x in bank], "book_kind": [x.kind for x in book]}
        return data, truth
