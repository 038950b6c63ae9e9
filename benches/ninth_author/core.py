"""Calendar, slips of the pen, and the ledger that knows what happened. Money is whole pence throughout."""
import datetime as dt
import json
import random

D = dt.date
ONE = dt.timedelta(1)


def days(n):
    return dt.timedelta(n)


_hol = {}


def holidays(y):
    """Bank holidays of England and Wales (by rule; one-off days left out)."""
    if y in _hol:
        return _hol[y]
    a, b, c = y % 19, y // 100, y % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    l = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    m = (a + 11 * h + 22 * l) // 451
    mo, da = divmod(h + l - 7 * m + 114, 31)
    easter = D(y, mo, da + 1)
    s = {easter - days(2), easter + ONE}
    d = D(y, 5, 1)
    s.add(d + days(-d.weekday() % 7))
    for mm in (5, 8):
        d = D(y, mm, 31)
        s.add(d - days(d.weekday()))
    for d in (D(y, 1, 1), D(y, 12, 25), D(y, 12, 26)):
        while d.weekday() > 4 or d in s:
            d += ONE
        s.add(d)
    _hol[y] = s
    return s


def working(d):
    return d.weekday() < 5 and d not in holidays(d.year)


def on_or_after(d):
    while not working(d):
        d += ONE
    return d


def on_or_before(d):
    while not working(d):
        d -= ONE
    return d


def add_wd(d, n):
    d = on_or_after(d)
    for _ in range(n):
        d = on_or_after(d + ONE)
    return d


def month_len(y, m):
    return (D(y + m // 12, m % 12 + 1, 1) - D(y, m, 1)).days


def day_in(y, m, d):
    return D(y, m, min(d, month_len(y, m)))


def month_end(d):
    return day_in(d.year, d.month, 31)


KEYS = {a: b for a, b in zip("qwertyuiopasdfghjklzxcvbnm", "wqretuyoipsadgfhkjlxzvcbmn")}


def typo(r, s):
    """One slip in a word of letters: exchanged, dropped, doubled or neighbouring key."""
    at = [i for i in range(1, len(s) - 1) if s[i].isalpha() and s[i - 1].isalpha() and s[i + 1].isalpha()]
    if not at:
        return s
    for _ in range(6):
        i, k = r.choice(at), r.random()
        if k < .35:
            t = s[:i] + s[i + 1] + s[i] + s[i + 2:]
        elif k < .6:
            t = s[:i] + s[i + 1:]
        elif k < .75:
            t = s[:i] + s[i] + s[i:]
        else:
            c = KEYS.get(s[i].lower(), "e")
            t = s[:i] + (c.upper() if s[i].isupper() else c) + s[i + 1:]
        if t != s:
            return t
    return s


def swap_digits(r, s):
    """Two neighbouring digits exchanged, or (if none differ) one digit wrong."""
    at = [i for i in range(len(s) - 1) if s[i].isdigit() and s[i + 1].isdigit() and s[i] != s[i + 1]]
    if at and r.random() < .8:
        i = r.choice(at)
        return s[:i] + s[i + 1] + s[i] + s[i + 2:]
    at = [i for i in range(len(s)) if s[i].isdigit()]
    if not at:
        return s
    i = r.choice(at)
    return s[:i] + str((int(s[i]) + r.choice((1, 3, 9))) % 10) + s[i + 1:]


def wrong_amount(r, p):
    sign, q = (1 if p > 0 else -1), abs(p)
    for _ in range(8):
        k = r.random()
        if k < .55:
            t = int(swap_digits(r, str(q)))
        elif k < .75:
            t = q + r.choice((-1000, -100, -10, 10, 100, 1000))
        elif k < .9:
            t = q * 10 if q < 20000 else q // 10
        else:
            t = round(q / 1.2)
        if t > 0 and t != q:
            return sign * t
    return sign * (q + 100)


def pick(r, table):
    x = r.random() * sum(w for _, w in table)
    for v, w in table:
        x -= w
        if x < 0:
            return v
    return table[-1][0]


class Party:
    """Somebody money moves to or from. `bname` is what the bank knows, `name` what the clerk writes."""

    def __init__(self, name, bname=None, pool=None, **kw):
        self.name, self.bname, self.pool, self.other, self.code = name, bname or name.upper(), pool, False, ""
        self.short, self.habit, self.acct = name, "good", ""
        self.__dict__.update(kw)
        if pool is not None:
            pool.append(self)


class Clerk:
    """dates: table of habits of date; err: table of slips (shares of one)."""

    def __init__(self, style, dates, sessions=(), order="random", **err):
        self.style, self.dates, self.sessions, self.order, self.err = style, dates, sessions, order, err


class Org:
    start = D(2017, 4, 1)
    window = 3

    def __init__(self, seed, n):
        self.r = random.Random("%s/%d" % (type(self).__name__, seed))
        self.size = max(.8, (n / 500) ** .37)
        self.n = n
        self.bank, self.book, self.pairs, self.groups, self.wrong, self.broken = [], [], [], [], [], []
        self.away = []
        self.chq = self.r.randrange(100200, 100900)
        self.setup()

    # ---- rows
    def b(self, d, p, text, kind):
        assert p
        self.bank.append([d, self.r.random(), p, " ".join(text.split()) if not self.pad else text.strip(), kind])
        return len(self.bank) - 1

    pad = False

    def k(self, d, p, text, kind, like=None):
        assert p
        key = self.r.random()
        if like is not None:
            key = self.bank[like][1] + self.r.random() * .05
        self.book.append([d, key, p, " ".join(text.split()), kind])
        return len(self.book) - 1

    # ---- when
    def n_of(self, x):
        """a number of things near x times the size"""
        return max(1, round(x * self.size))

    def chance(self, x):
        return self.r.random() < x

    def some(self, per_month):
        """a count of happenings in a month, scaled by size"""
        m = per_month * self.size
        k = int(m)
        k += self.chance(m - k)
        if m > 2:
            k = max(0, k + self.r.choice((-1, 0, 0, 1)))
        return k

    def rday(self, y, m, working_only=True):
        d = D(y, m, self.r.randint(1, month_len(y, m)))
        return on_or_after(d) if working_only else d

    def bank_day(self, doc, ch):
        r = self.r
        if ch in ("so", "dd", "bacs"):
            return on_or_after(doc)
        if ch == "chq":
            return add_wd(doc, pick(r, [(2, 2), (4, 4), (6, 3), (9, 2), (16, 1), (28, .4)]))
        if ch == "slip":
            return add_wd(doc, pick(r, [(0, 4), (1, 3), (2, 1)]))
        if ch == "card":
            return add_wd(doc, pick(r, [(1, 5), (2, 3), (3, 1)]))
        return doc if self.weekend_fp else on_or_after(doc)

    weekend_fp = False

    def clerk(self, d):
        for a, z, temp in self.away:
            if a <= d <= z and temp:
                return temp
        cur = self.clerks[0][1]
        for s, c in self.clerks:
            if s <= d:
                cur = c
        return cur

    def book_day(self, c, doc, bd, mode=None):
        r = self.r
        m = mode or pick(r, c.dates)
        if m == "bank":
            d = bd
        elif m == "doc":
            d = doc
        elif m == "next":
            d = add_wd(bd + ONE, r.choice((0, 0, 1)))
        elif m == "session":
            d = bd
            while d.weekday() not in c.sessions:
                d += ONE
        elif m == "month_end":
            d = month_end(bd)
        elif m == "early":
            d = bd - days(r.randint(1, 6))
        elif m == "stale_date":
            d = bd - days(r.randint(1, 5))
        else:
            d = bd + days(r.randint(5, 45))
        if m in ("next", "session", "late"):
            for a, z, temp in self.away:
                if a <= d <= z and not temp:
                    d, m = on_or_after(z + ONE), "after_absence"
        if m in ("bank", "next", "doc", "session") and abs((d - bd).days) <= 1:
            m = "plain"
        return d, {"doc": "document_date", "next": "plain", "late": "late_entry", "early": "early_entry"}.get(m, m)

    def words(self, c, who, ref, what, ch, p):
        return " ".join(self.book_text(c, who, ref, what, ch, p).split()).strip(" ,-").replace("()", "").strip() or who.name

    # ---- a single movement
    def like(self, who):
        """a wrong party of the same pool, rather one that stands near"""
        pool = who.pool
        if not pool or len(pool) < 2:
            return None
        i = pool.index(who)
        if self.chance(.5):
            same = [q for q in pool[max(0, i - 40):i + 40] if q is not who and q.name[:1] == who.name[:1]]
            if same:
                return self.r.choice(same)
        return pool[i - 1] if i and self.chance(.6) else self.r.choice([q for q in pool if q is not who])

    def pay(self, doc, p, ch, who, ref="", what="", payref=None, kind=None, mode=None, bd=None, slips=True):
        """one movement: a bank row, and whatever the clerk makes of it"""
        r = self.r
        bd = bd or self.bank_day(doc, ch)
        c = self.clerk(bd)
        if ch == "chq" and not ref:
            ref = str(self.chq)
            self.chq += 1
        bt = self.bank_text(ch, who, ref if payref is None else payref, bd, p, what)
        kd, dk = self.book_day(c, doc, bd, mode or ("doc" if ch == "chq" else None))
        err = ""
        if slips:
            x = r.random()
            for e, w in c.err.items():
                x -= w
                if x < 0:
                    err = e
                    break
        if kd.month == 1 and kd.day < 22 and self.chance(.03):
            kd, dk = D(kd.year - 1, kd.month, kd.day), "wrong_year"
        elif kd.day <= 12 and kd.day != kd.month and self.chance(.006):
            kd, dk = D(kd.year, kd.day, kd.month), "day_month"
        base = kind or ("cheque" if ch == "chq" else "other_payer" if who.other else None)
        label = dk if dk != "plain" and (base is None or abs((kd - bd).days) > self.window and ch != "chq") else base or "plain"
        if err == "missing":
            self.b(bd, p, bt, "not_entered")
            return bd
        w2, r2 = who, ref
        if err == "wrong_customer":
            q = self.like(who)
            if q:
                w2, label = q, "wrong_customer"
        if err == "digits":
            r2 = swap_digits(r, ref)
            if r2 != ref:
                label = "digits_exchanged"
        kt = self.words(c, w2, r2, what, ch, p)
        if err == "bare":
            kt, label = self.bare(c, ch, p), "bare_text"
        if err == "typo":
            t = typo(r, kt)
            if t != kt:
                kt, label = t, "typing_error"
        if err == "digits" and r2 != ref and r2 not in kt:
            label = base or "plain"          # the clerk did not write the reference
        if err == "wrong_amount":
            i = self.b(bd, p, bt, "wrong_amount")
            q = wrong_amount(r, p)
            j = self.k(kd, q, kt, "wrong_amount")
            self.wrong.append((i, j))
            if self.chance(.4):              # put right later by the difference
                self.k(add_wd(kd, r.randint(3, 30)), p - q, "correction " + kt, "correction")
            return bd
        i = self.b(bd, p, bt, label)
        like = i if c.order == "bank" else None
        if err == "reversed":
            self.k(kd, p, kt, "reversed", like)
            d2 = add_wd(kd, r.choice((0, 0, 1, 4)))
            self.k(d2, -p, r.choice(("reverse ", "REV ", "posted in error ")) + kt, "reversal")
            kd, label = d2, "entered_again"
            self.bank[i][4] = label
        j = self.k(kd, p, kt, label, like)
        if err == "double":
            self.k(add_wd(kd, r.choice((0, 0, 1, 3, 7, 30))), p, kt if self.chance(.6) else self.words(c, who, ref, what, ch, p), "double_entry")
        self.pairs.append((i, j, label))
        return bd

    # ---- one bank row, several documents
    def settle(self, doc, docs, ch, who, payref="", kind="several_documents", own=.4, what="", bd=None, lines=None):
        """docs: [(date, pence, party, ref, what)]"""
        r = self.r
        total = sum(x[1] for x in docs)
        if total == 0:
            return
        if len(docs) == 1:
            d, p, w, ref, wh = docs[0]
            return self.pay(doc, p, ch, w if w.bname == who.bname else who, ref, wh, payref=payref or None, bd=bd)
        bd = bd or self.bank_day(doc, ch)
        c = self.clerk(bd)
        i = self.b(bd, total, self.bank_text(ch, who, payref, bd, total, what), kind)
        together, _ = self.book_day(c, doc, bd)
        own = self.chance(own)
        js, spoilt, label = [], None, kind
        for d, p, w, ref, wh in docs:
            day = d if own else together
            if self.chance(.04):
                ref = swap_digits(r, ref)
            t = self.words(c, w, ref, wh, "doc" if ch == "chq" else ch, p)
            if self.chance(.04):
                t = typo(r, t)
            if self.chance(.006) and spoilt is None:
                spoilt = r.choice(("missing", "amount"))
                if spoilt == "missing":
                    continue
                p = wrong_amount(r, p)
            js.append(self.k(day, p, t, label, i if c.order == "bank" and not own else None))
        if spoilt:
            self.bank[i][4] = "group_with_error"
            for j in js:
                self.book[j][4] = "group_with_error"
            self.broken.append(("bank", i, js))
        else:
            self.groups.append(("bank", i, js))
        return bd

    # ---- several bank rows, one document
    def in_parts(self, book_day, text, parts, kind="paid_in_parts"):
        """parts: [(bank day, pence, bank text)]"""
        j = self.k(book_day, sum(p for _, p, _ in parts), text, kind)
        self.groups.append(("book", j, [self.b(d, p, t, kind) for d, p, t in parts]))

    def only_bank(self, d, p, ch, who, ref="", kind="not_entered", what=""):
        self.b(d, p, self.bank_text(ch, who, ref, d, p, what), kind)

    def only_book(self, d, p, text, kind):
        self.k(d, p, text, kind)

    def absences(self, y, temp):
        r = self.r
        for m in r.sample(range(1, 13), 2) + ([8] if self.chance(.5) else []):
            a = D(y, m, r.randint(1, 25))
            self.away.append((a, a + days(r.randint(6, 15)), temp if self.chance(.5) else None))

    # ---- the whole
    def run(self):
        y, m = self.start.year, self.start.month
        first = D(y + m // 12, m % 12 + 1, 1)       # one month of lead, cut off
        spare, k = 0, 0
        while spare < 3:
            if k == 0 or m == 1:
                self.away = [a for a in self.away if a[1].year >= y - 1]
                self.absences(y, self.temp)
            self.month(y, m)
            k += 1
            m += 1
            if m == 13:
                y, m = y + 1, 1
            if spare or len(self.bank) > self.n and sum(1 for x in self.bank if first <= x[0] < D(y, m, 1)) > self.n:
                spare += 1
        return self.cut(first)

    def cut(self, first):
        bank, book = self.bank, self.book
        ib = sorted((i for i, x in enumerate(bank) if x[0] >= first), key=lambda i: (bank[i][0], bank[i][1], i))[:self.n]
        last = bank[ib[-1]][0]
        nb = {i: a for a, i in enumerate(ib)}
        ik = sorted((j for j, x in enumerate(book) if first <= x[0] <= last), key=lambda j: (book[j][0], book[j][1], j))
        nk = {j: a for a, j in enumerate(ik)}
        pairs, groups, wrong, broken = [], [], [], []
        for i, j, kind in self.pairs:
            if i in nb and j in nk:
                pairs.append([nb[i], nk[j], kind])
            elif i in nb:
                bank[i][4] = "book_outside_period"
            elif j in nk:
                book[j][4] = "bank_outside_period"
        for src, dst in ((self.groups, groups), (self.broken, broken)):
            for side, s, parts in src:
                one, many, rows1, rows2 = (nb, nk, bank, book) if side == "bank" else (nk, nb, book, bank)
                if s in one and all(q in many for q in parts):
                    dst.append([side, one[s], sorted(many[q] for q in parts)])
                else:
                    rows1[s][4] = "group_cut"
                    for q in parts:
                        rows2[q][4] = "group_cut"
        for i, j in self.wrong:
            if i in nb and j in nk:
                wrong.append([nb[i], nk[j]])
        pairs.sort()
        groups.sort(key=lambda g: (g[0], g[1]))
        out = lambda x: {"date": x[0].isoformat(), "amount": x[2] / 100, "description": x[3]}
        data = {"bank": [out(bank[i]) for i in ib], "book": [out(book[j]) for j in ik],
                "options": {"allowedDateDifferenceInDays": self.window, "includeMatched": True}}
        truth = {"n_bank": len(ib), "n_book": len(ik), "pairs": pairs, "groups": groups,
                 "bank_kind": [bank[i][4] for i in ib], "book_kind": [book[j][4] for j in ik],
                 "wrong_amounts": sorted(wrong), "broken_groups": broken}
        return data, truth


def write(base, data, truth):
    for name, x in ((base + ".json", data), (base + ".truth.json", truth)):
        with open(name, "w", encoding="utf-8") as f:
            json.dump(x, f, indent=1, ensure_ascii=False)
            f.write("\n")


FORE = """Alan Alison Amara Andrew Anil Barbara Beth Brian Callum Carol Cerys Chloe Colin Craig Daljit Darren Dawn Debra Derek Donna Dylan
Edna Eileen Ellie Emeka Ewan Fatima Fiona Frank Gareth Gemma Gillian Glenys Gordon Harry Hazel Heather Ian Imran Irene Jack Jade Janet Jean
Joan Joyce Julie Karen Kasia Keith Kelly Kerry Kofi Lee Leanne Lesley Liam Linda Lorna Lynne Malcolm Marek Maria Mavis Mohammed Moira
Naomi Neil Nigel Norma Olive Owen Paula Pauline Philip Priya Rachel Raymond Rhys Rita Robert Rosemary Roy Ruth Sandra Sanjay Shirley
Simon Stacey Stuart Susan Tariq Terry Tina Tomasz Tracey Trevor Vera Wayne Wendy Winifred Yusuf Zara""".split()
SUR = """Abbott Acheampong Adams Ahmed Allsop Appleyard Armitage Ashdown Atkins Bagshaw Banerjee Barraclough Bates Beaumont Begum Bennett
Birtles Booth Bradley Brearley Broadbent Brook Burgess Butt Calvert Carrick Chadwick Chaudhry Clegg Coates Cooper Crabtree Crossley
Dacre Davies Dhillon Dobson Drury Dyson Earnshaw Eccles Ellis Evans Farrow Fenton Firth Foster Gill Gledhill Goddard Grabowski Greaves
Greenwood Haigh Hallas Hanson Hardcastle Harris Hepworth Hirst Hobson Holroyd Hopkinson Horsfall Hughes Hussain Ibbotson Iqbal Jackson
Jagger James Jessop Johnson Jones Jowett Kaur Kaye Kendall Khan Kowalski Lawton Lees Lister Lockwood Lumb Malik Marsden Mellor Mensah
Metcalfe Mitchell Moorhouse Morgan Murgatroyd Naylor Newsome Noble Nowak Nuttall Oakes Okonkwo Oldroyd Osei Parkin Patel Pearson Peel
Pickles Pogson Price Quarmby Rahman Ramsden Rawson Redfern Roberts Rowbotham Rushworth Saville Schofield Senior Shaw Sheard Sidhu Singh
Smith Stead Stott Sugden Sutcliffe Swallow Sykes Tattersall Taylor Thewlis Thornton Turner Uttley Varley Wadsworth Walker Walton Webb
Whiteley Whitwam Wilkinson Williams Wood Woodhead Wright Wynn Yates""".split()
