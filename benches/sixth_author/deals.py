"""A deal: one movement of money with its document; and the world in which a company makes its deals."""
import math
from datetime import timedelta
from uk_days import ONE, months, on_day, working
from names import Names


class Deal:
    """`method` says how the bank carries it, `cat` which words the clerk has for it, `base` its kind when nothing is peculiar.
    `parts`: the clerk enters these several deals, the bank prints this one. `rows`: the bank prints these, the clerk enters this one."""
    __slots__ = ("method", "cat", "base", "date", "doc_date", "amount", "party", "ref", "doc", "what", "more", "parts", "rows",
                 "bank_date", "book_date", "no_book", "no_bank", "odd", "payer", "close", "bank_row")

    def __init__(self, method, cat, date, amount, party=None, ref="", doc="", what="", base=None, doc_date=None, parts=None,
                 rows=None, no_book=None, no_bank=None, payer=None, **more):
        self.method, self.cat, self.date, self.amount, self.party = method, cat, date, amount, party
        self.ref, self.doc, self.what, self.more = ref, doc, what, more
        self.base = base or BASE.get(method, "plain")
        self.doc_date = doc_date or date
        self.parts, self.rows = parts, rows
        self.no_book, self.no_bank = no_book, no_bank
        self.payer = payer
        self.bank_date = self.book_date = self.odd = self.bank_row = None
        self.close = False


BASE = {"so_in": "standing_order", "so_out": "standing_order", "dd_out": "direct_debit", "card_out": "card", "takings": "card_takings",
        "slip": "paying_in", "cheque": "cheque", "transfer": "transfer", "fee": "fee", "interest": "interest", "foreign_in": "from_abroad"}


class Member:
    """A customer, tenant, driver ... with the days between which he is one."""
    __slots__ = ("party", "since", "until")

    def __init__(self, party, since, until):
        self.party, self.since, self.until = party, since, until

    def on(self, d):
        return self.since <= d < self.until


class World:
    def __init__(self, rng, start, end, scale):
        self.rng, self.start, self.end, self.scale = rng, start, end, scale
        self.first = start - timedelta(days=150)
        self.names = Names(rng)
        self.deals = []
        self.counters = {}

    def add(self, *a, **k):
        d = Deal(*a, **k)
        self.deals.append(d)
        return d

    def count(self, base, least=1):
        return max(least, round(base * self.scale))

    def next(self, name, first, steps=(1, 1, 1, 2, 3)):
        """The next number of a numbered document."""
        v = self.counters.get(name)
        if v is None:
            v = first + self.rng.randrange(900)
        v += self.rng.choice(steps)
        self.counters[name] = v
        return v

    def days(self):
        d = self.first
        while d < self.end:
            yield d
            d += ONE

    def months(self):
        return months(self.first, self.end)

    def working_days(self):
        return (d for d in self.days() if working(d))

    def weekday(self, n, every=1):
        """Every n-th day of the week (0 = Monday)."""
        d = self.first
        while d.weekday() != n:
            d += ONE
        while d < self.end:
            yield d
            d += timedelta(days=7 * every)

    def day(self, y, m, day):
        return on_day(y, m, day)

    def members(self, base, make, stay_days, gap_days=20, least=1):
        """Places, each taken by one after another; in long runs some places open only later (the company grows)."""
        r, found = self.rng, []
        span = (self.end - self.first).days
        k = self.count(base, least)
        for i in range(k):
            opens = 0
            if span > 800 and i > k * .7:
                opens = r.randrange(0, int(span * .8))
            t = opens if opens else -r.randrange(0, max(1, int(stay_days * .6)))
            while t < span:
                stay = max(40, int(r.expovariate(1 / stay_days))) if stay_days < 9000 else 99999
                if t + stay > 0:
                    found.append(Member(make(), self.first + timedelta(days=t), self.first + timedelta(days=min(t + stay, span + 400))))
                t += stay + r.randrange(1, gap_days + 1)
        return found

    def poisson(self, mean):
        """A Poisson number, for how many things happen in a day."""
        if mean > 30:
            return max(0, round(self.rng.gauss(mean, mean ** .5)))
        limit, k, p = math.exp(-mean), 0, self.rng.random()
        while p > limit:
            k += 1
            p *= self.rng.random()
        return k

    def some(self, low, high, step=1):
        """A sum in pence between two sums in pounds, more often a low one."""
        r = self.rng
        v = math.exp(r.uniform(math.log(low * 100), math.log(high * 100)))
        return max(step, int(round(v / step)) * step)


def exchange_digits(rng, text):
    """Exchange two neighbouring digits that differ; the text unchanged where there are none."""
    at = [i for i in range(len(text) - 1) if text[i].isdigit() and text[i + 1].isdigit() and text[i] != text[i + 1]]
    if not at:
        return text
    i = rng.choice(at)
    return text[:i] + text[i + 1] + text[i] + text[i + 2:]


def typed_reference(rng, party, doc, own, what=""):
    """The reference a payer types; each payer keeps one habit."""
    if party.habit is None:
        party.habit = rng.choices(("doc", "code", "own", "blank", "name", "what", "odd"), (46, 17, 5, 5, 8, 12, 7))[0]
    h = party.habit
    if rng.random() < .06:
        h = rng.choice(("doc", "code", "blank", "what"))
    if h == "doc" and doc:
        text = rng.choice(("%s", "%s", "INV %s", "INV%s", "Invoice %s", "inv no %s")) % doc
        if rng.random() < .03:
            text = exchange_digits(rng, text)
        return text
    if h == "code":
        return party.code if rng.random() < .95 else party.code[:-1]
    if h == "own":
        return own
    if h == "name":
        return party.last
    if h == "what":
        return (what or "payment") + ("" if rng.random() < .6 or not doc else " " + doc)
    if h == "odd":
        return rng.choice(("thank you", "as agreed", "payment", "a/c", "sent from phone", "thanks"))
    return ""
