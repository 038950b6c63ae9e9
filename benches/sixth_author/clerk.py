"""A clerk: when he dates an entry, what he writes, and his mistakes."""
from bisect import bisect_left
from datetime import date, timedelta
from functools import lru_cache
from string import Formatter
from uk_days import ONE, MONTHS, later, on_or_before, days_in
from deals import exchange_digits

KEYS = {"a": "sq", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj", "i": "uo", "j": "hk", "k": "jl", "l": "k",
        "m": "n", "n": "bm", "o": "ip", "p": "o", "q": "w", "r": "et", "s": "ad", "t": "ry", "u": "yi", "v": "cb", "w": "qe", "x": "zc",
        "y": "tu", "z": "x"}

# Words for what every office has. In each: texts that name the deal, then bare ones.
COMMON = {
    "receipt": (["{name} {doc}", "{doc} {name}", "{name}", "{name} inv {doc}", "{code} {name}"], ["BACS receipt", "receipt", "customer receipt"]),
    "payment": (["{name} {doc}", "{name}", "{name} inv {doc}", "{name} - {what}"], ["{what}", "supplier payment", "BACS payment"]),
    "several": (["{name} various invoices", "{name} {doc} etc", "{name} statement {mon}"], ["various", "BACS various"]),
    "dd": (["{name} {mon}", "{name}", "DD {name}", "{name} {what}"], ["{what}", "direct debit"]),
    "card": (["{name}", "{name} {what}", "{what} - {name}", "card: {name}"], ["{what}", "debit card", "{what} {dm}"]),
    "fee": (["Bank charges {mon}", "Bank charges", "bank fees {mon}"], ["charges"]),
    "interest": (["Bank interest {mon}", "Interest received"], ["interest"]),
    "transfer": (["Transfer {name}", "Trf {name} {dm}", "{name}"], ["transfer", "contra"]),
    "cheque": (["Chq {chq} {name}", "{name} {chq}", "{chq} {name} {what}"], ["Chq {chq}"]),
    "wage": (["{name} wages {mon}", "Wages {name}", "{name} salary {mon}", "{name} net pay"], ["net pay", "wages"]),
    "paye": (["HMRC PAYE {mon}", "PAYE/NI {mon}", "HMRC PAYE"], ["tax & NI"]),
    "vat": (["HMRC VAT", "VAT quarter to {mon}", "VAT return {mon}"], ["VAT"]),
    "slip": (["Banking {slip}", "Paid in {slip} {dm}", "Paying-in {slip}"], ["Banking", "Banking {dm}"]),
    "takings": (["Card takings {dm}", "Cards {dm}", "card machine {dm}"], ["takings", "card takings"]),
    "charge": (["{name} charges", "less fee {name}", "Fees {name}"], ["fee"]),
    "refund": (["Refund {name}", "{name} refund {doc}", "refund to {name}"], ["refund"]),
}


@lru_cache(None)
def needs(form):
    return tuple(name for _, name, _, _ in Formatter().parse(form) if name)


class Fields(dict):
    def __missing__(self, key):
        return ""


class Clerk:
    """`dates`: for each method [(weight, 'bank' | 'doc' | 'next' | 'before' | 'visit')]; `visits`: weekdays on which he comes."""

    def __init__(self, rng, words, dates, visits=(1, 4), case="as", forms=None, rates=None, most=60, short=None, year_to=None):
        self.rng, self.visits, self.case, self.most = rng, visits, case, most
        self.words = dict(COMMON)
        self.words.update(words)
        self.dates = {"": [(6, "bank"), (2, "doc"), (1, "next"), (1, "before")]}
        self.dates.update(dates)
        self.forms = forms or ("{last}", "{first} {last}", "{last} {i}", "{title} {last}")
        self.rates = {"late": .016, "early": .010, "stuck": .012, "month_end": .010, "absence": .5, "day_month": .004, "last_year": .05,
                      "typo": .03, "digits": .025, "wrong_name": .004, "bare": .08}
        self.rates.update(rates or {})
        self.short = short or {}
        self.absences = []

    def plan(self, start, end):
        """Holidays and illnesses of the clerk, about two a year; entries of those days may get the day of return."""
        d = start + timedelta(days=self.rng.randrange(30, 160))
        while d < end:
            self.absences.append((d, d + timedelta(days=self.rng.choice((6, 7, 7, 9, 12)))))
            d += timedelta(days=self.rng.randrange(110, 260))
        self.starts = [a for a, _ in self.absences]

    # ---- dates

    def next_visit(self, d):
        while d.weekday() not in self.visits:
            d += ONE
        return d

    def usual_date(self, deal, bank_date):
        choices = self.dates.get(deal.method) or self.dates[""]
        mode = self.rng.choices([m for _, m in choices], [w for w, _ in choices])[0]
        if mode == "doc":
            return deal.doc_date, None
        if mode == "next":
            return later(bank_date, 1), None
        if mode == "before":
            return on_or_before(bank_date - ONE), None
        if mode == "visit":
            d = self.next_visit(bank_date)
            return d, "session" if d != bank_date else None
        return bank_date, None

    def date(self, deal, bank_date):
        r, rates = self.rng, self.rates
        d, kind = self.usual_date(deal, bank_date)
        i = bisect_left(self.starts, d) - 1
        if i >= 0 and self.absences[i][0] <= d < self.absences[i][1] and r.random() < rates["absence"]:
            back = self.absences[i][1]
            if back != d:
                return back, "after_absence"
        x = r.random()
        for name in ("late", "early", "stuck", "month_end", "day_month"):
            x -= rates[name]
            if x < 0:
                break
        else:
            if d.month == 1 and d.day < 20 and r.random() < rates["last_year"]:
                return d.replace(year=d.year - 1), "last_year"
            return d, kind
        if name == "late":
            return later(d, r.choice((2, 3, 4, 4, 5, 6, 8, 10))), "late"
        if name == "early":
            return on_or_before(d - timedelta(days=r.choice((3, 4, 4, 5, 5, 6, 7, 9)))), "early"
        if name == "stuck":
            return d - timedelta(days=r.choice((2, 4, 5, 6, 7, 7))), "stuck_date"
        if name == "month_end":
            if d.day > 12:
                return d.replace(day=days_in(d.year, d.month)), "month_end"
            if d.day < 6:
                return d.replace(day=1) - ONE, "month_end"
            return d, kind
        if d.day <= 12 and d.day != d.month:
            return date(d.year, d.day, d.month), "day_month"
        return d, kind

    # ---- words

    def name(self, p):
        if p is None:
            return ""
        if not p.person:
            return p.short
        r = self.rng
        if p.book is None:
            p.book = r.choice(self.forms)
        form = p.book if r.random() < .85 else r.choice(self.forms)
        if p.more.get("namesake") and "{first}" not in form and "{i}" not in form:
            p.book = form = "{first} {last}"
        return form.format(last=p.last, first=p.first, i=p.first[0], title=p.title, legal=p.legal)

    def fields(self, deal):
        d = deal.date
        f = Fields()
        p = deal.party
        f.update(doc=deal.doc, what=deal.what, ref=deal.ref, mon=MONTHS[deal.doc_date.month - 1], dm="%d/%d" % (d.day, d.month),
                 dmy=d.strftime("%d.%m.%y"), wk="wk %d" % d.isocalendar()[1], name=self.name(p), code=p.code if p else "",
                 number=p.number if p else "")
        if p:
            f.update(last=p.last, short=p.short, legal=p.legal, i=p.first[0] if p.first else "", first=p.first or "")
        f.update(deal.more)
        return f

    def text(self, deal, close=False):
        """The words for an entry, and 'bare_text' if they do not say whose it is."""
        full, bare = self.words.get(deal.cat) or self.words["payment"]
        kind = None
        r = self.rng
        fields = self.fields(deal)
        if bare and not close and r.random() < self.rates["bare"]:
            form, kind = r.choice(bare), "bare_text"
        else:
            # only wordings for which there is something to say; the first ones are the usual ones
            fit = [f for f in full if all(fields[n] != "" for n in needs(f))] or full[:1]
            form = fit[min(int(r.expovariate(.75)), len(fit) - 1)] if r.random() < .8 else r.choice(fit)
        said = form.format_map(fields).split()
        text = " ".join(w for i, w in enumerate(said) if not i or w.lower() != said[i - 1].lower())
        if self.short and r.random() < .7:
            text = " ".join(self.short.get(w, w) for w in text.split())
        if self.case == "lower" and r.random() < .8:
            text = text.lower()
        elif self.case == "upper" and r.random() < .9:
            text = text.upper()
        text = text[:self.most].rstrip()
        return text, kind

    def typo(self, text):
        r = self.rng
        at = [i for i in range(1, len(text) - 1) if text[i].isalpha() and text[i + 1].isalpha()]
        if not at:
            return text
        i = r.choice(at)
        k = r.random()
        if k < .35:
            a, b = text[i + 1], text[i]
            if text[i].isupper() and not text[i + 1].isupper():
                a, b = a.upper(), b.lower()
            return text[:i] + a + b + text[i + 2:]
        if k < .6:
            return text[:i] + text[i + 1:]
        if k < .8:
            return text[:i] + text[i] + text[i:]
        near = r.choice(KEYS[text[i].lower()]) if text[i].lower() in KEYS else text[i]
        return text[:i] + (near.upper() if text[i].isupper() else near) + text[i + 1:]

    def mistakes(self, text, deal, close, others):
        """Typing errors; `others` gives another party's name now and then. Returns text and kind."""
        r, rates = self.rng, self.rates
        x = r.random()
        if x < rates["typo"]:
            new = self.typo(text)
            return new, "typo" if new != text else None
        x -= rates["typo"]
        if x < rates["digits"]:
            new = exchange_digits(r, text)
            return new, "swapped_digits" if new != text else None
        x -= rates["digits"]
        if x < rates["wrong_name"] and not close and deal.party and others:
            other = r.choice(others)
            mine = self.name(deal.party)
            if other is not deal.party and other.person == deal.party.person and deal.party.last in text:
                return text.replace(mine, self.name(other)) if mine in text else text.replace(deal.party.last, other.last), "wrong_name"
        return text, None

    def wrong_amount(self, amount):
        """What the clerk types instead: exchanged digits, a digit wrong, pence left out, a nought too many, tax left out."""
        r = self.rng
        sign, a = (1, amount) if amount > 0 else (-1, -amount)
        for _ in range(12):
            k = r.random()
            s = str(a)
            if k < .45:
                b = int(exchange_digits(r, s))
            elif k < .65:
                i = r.randrange(len(s))
                b = int(s[:i] + str((int(s[i]) + r.choice((1, 1, 9, 3))) % 10) + s[i + 1:])
            elif k < .8:
                b = a // 100 * 100
            elif k < .87:
                b = a * 10
            else:
                b = round(a / 1.2)
            if b != a and b > 0:
                return sign * b
        return sign * (a + 100)
