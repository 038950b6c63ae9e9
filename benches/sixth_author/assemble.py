"""From deals to the two lists of rows and the truth between them."""
from bisect import bisect_left, bisect_right
from datetime import timedelta
from uk_days import ONE, on_or_after, on_or_before, later, working
import re


class Row:
    """A row of the bank statement or of the cash book."""
    __slots__ = ("date", "amount", "text", "kind", "deal", "order", "index", "mate")

    def __init__(self, date, amount, kind, deal, order):
        self.date, self.amount, self.kind, self.deal, self.order = date, amount, kind, deal, order
        self.text = ""
        self.mate = None


LIKELY_MISSING = {"card_out": 2.2, "fee": 2.5, "interest": 2.5, "dd_out": 1.2, "cheque": .6, "takings": .8, "slip": .6, "fp_out": .7, "so_in": 1.0}
GENERIC = set("""ltd limited the and for ref from payment payments receipt faster bank giro credit direct debit card bill via mandate
standing order paid rent wages salary inv invoice cheque chq transfer bacs online pymt out with net pay mon fee fees charges gbp rate
jan feb mar apr may jun jul aug sep oct nov dec various statement refund deposit mr mrs miss dr ms service services in""".split())


def words(text):
    """The words and numbers in a text by which a human would know it again; '59 Sycamore' counts as one more."""
    text = text.lower()
    found = [w for w in re.findall(r"[a-z]+\d+|[a-z]{3,}|\d{3,}", text) if w not in GENERIC]
    return found + [a + b for a, b in re.findall(r"\b(\d{1,3}) ([a-z]{3})", text) if b not in GENERIC]


def alike(x, y):
    """The same word, a shortened one or one with a typing error."""
    if x == y:
        return True
    if len(x) < 4 or len(y) < 4:
        return False
    if x.startswith(y) or y.startswith(x):
        return True
    if len(x) < 5 or not x.isalpha() or abs(len(x) - len(y)) > 1:
        return False
    i = 0
    while i < min(len(x), len(y)) and x[i] == y[i]:
        i += 1
    return x[i + 1:] == y[i:] or x[i:] == y[i + 1:] or x[i + 1:] == y[i + 1:] or x[i + 2:] == y[i + 2:] and x[i:i + 2] == y[i:i + 2][::-1]


def shared(a, b):
    """How many words of two texts agree."""
    return sum(any(alike(x, y) for y in b) for x in set(a))


def bank_day(bank, deal, rng):
    d, m = deal.date, deal.method
    if deal.bank_date:
        return on_or_after(deal.bank_date)
    if m in ("fp_in", "fp_out"):
        return d if bank.weekends else on_or_after(d)
    if m == "card_out":
        n = rng.choice(bank.card_days)
        return (d if bank.weekends and n == 0 else later(d, n))
    if m == "cheque":
        return later(d, rng.choice(bank.cheque_days))
    if m == "slip":
        return later(d, rng.choice((0, 0, 0, 1)))
    if m == "takings":
        return later(d, deal.more.get("settle", 1))
    if m == "foreign_in":
        return later(d, rng.choice((0, 1, 1, 2, 3)))
    return on_or_after(d)


class Short(Exception):
    pass


def assemble(deals, bank, clerk, start, n, rng):
    draw = rng.random
    # ---- the bank's rows: the first n from the start on
    entries = []
    for k, deal in enumerate(deals):
        if deal.rows:
            for part in deal.rows:
                part.bank_date = bank_day(bank, part, rng)
                entries.append((part.bank_date, draw(), part, deal))
            deal.bank_date = max(p.bank_date for p in deal.rows)
            continue
        if not deal.parts and not deal.no_book and not deal.no_bank:
            chance = {"cheque": .05, "fp_in": .013, "fp_out": .009, "card_out": .008, "slip": .004}.get(deal.method, 0)
            if draw() < chance:
                deal.no_bank = {"cheque": "cheque_not_cashed", "slip": "other_account", "card_out": "other_account"}.get(deal.method, "never_paid")
        deal.bank_date = bank_day(bank, deal, rng)
        if not deal.no_bank:
            entries.append((deal.bank_date, draw(), deal, None))
    entries = [e for e in entries if e[0] >= start]
    if len(entries) < n + 20:
        raise Short()
    entries.sort(key=lambda e: (e[0], e[1]))
    entries = entries[:n]
    end = entries[-1][0]
    bank_rows = []
    for d, order, deal, _ in entries:
        row = Row(d, deal.amount, None, deal, order)
        deal.bank_row = row
        bank_rows.append(row)
    clerk.plan(start - timedelta(days=40), end + timedelta(days=40))

    # ---- what becomes of each deal
    book, pairs, groups = [], [], []

    def dated(deal, near):
        for _ in range(5):                              # mistaken dates outside the books' time would be seen at once
            d, k = clerk.date(deal, near)
            if start - timedelta(days=6) <= d <= end + timedelta(days=6):
                break
        return d, k

    def enter(deal, near, kind=None, amount=None, date=None):
        if date is None:
            date, k = dated(deal, near)
            kind = kind or k
        if date < start:
            date = start
        if date > end + timedelta(days=6):
            date = end + timedelta(days=(date - end).days % 6)
        row = Row(date, deal.amount if amount is None else amount, kind, deal, draw())
        book.append(row)
        return row

    def pair(bank_row, book_row):
        bank_row.mate, book_row.mate = book_row, bank_row
        pairs.append((bank_row, book_row))

    def enter_parts(deal, parts):
        """The parts of one payment: mostly on one day, sometimes each on its own."""
        first, _ = dated(deal, deal.bank_date)
        own = draw() < .2
        found = []
        for part in parts:
            d = first
            if own and draw() < .5:
                d = on_or_after(first - ONE * rng.choice((1, 2))) if draw() < .5 else later(first, 1)
            found.append(enter(part, deal.bank_date, "part", date=d))
        return found

    target_pairs = round(n * rng.uniform(.838, .866))
    target_groups = n * rng.uniform(.043, .067)
    single, grouped = [], []
    for deal in deals:
        if deal.rows:
            there = [p for p in deal.rows if p.bank_row]
            if len(there) == len(deal.rows):
                grouped.append(deal)
            else:
                for p in there:
                    p.bank_row.kind = "part_cut_off"
            continue
        row = deal.bank_row
        if deal.parts:
            if row:
                grouped.append(deal)
        elif row:
            if deal.no_book:
                row.kind = deal.no_book
            else:
                single.append(deal)
        elif start <= deal.bank_date <= end + timedelta(days=3) and not deal.no_book:
            d, _ = clerk.date(deal, deal.bank_date)
            if start <= d <= end:
                enter(deal, None, deal.no_bank or "outstanding", date=d)
        elif deal.bank_date < start and not deal.no_book and not deal.no_bank:
            d, _ = clerk.date(deal, deal.bank_date)
            if start <= d:
                enter(deal, None, "paid_before_start", date=d)

    rng.shuffle(grouped)
    in_groups = 0
    for deal in grouped:
        weight = len(deal.rows) if deal.rows else 1
        if in_groups + weight <= target_groups and draw() > .04:
            in_groups += weight
            if deal.rows:
                one = enter(deal, deal.bank_date, "one_for_several")
                for p in deal.rows:
                    p.bank_row.kind = "part"
                groups.append(("book", one, [p.bank_row for p in deal.rows]))
            else:
                deal.bank_row.kind = "one_for_several"
                groups.append(("bank", deal.bank_row, enter_parts(deal, deal.parts)))
            continue
        if deal.rows:                                   # entered one by one after all
            for p in deal.rows:
                single.append(p)
        elif draw() < .72:                              # entered as one sum
            single.append(deal)
            deal.odd = "entered_as_one"
        else:                                           # a part missing or wrong
            deal.bank_row.kind = "broken_group"
            parts = list(deal.parts)
            if draw() < .6 and len(parts) > 1:
                parts.pop(rng.randrange(len(parts)))
                wrong = None
            else:
                wrong = rng.choice(parts)
            for row in enter_parts(deal, parts):
                row.kind = "part_of_broken_group"
                if row.deal is wrong:
                    row.amount = clerk.wrong_amount(row.amount)

    spare = max(0, len(single) - target_pairs)
    order = sorted(single, key=lambda d: draw() ** (1 / LIKELY_MISSING.get(d.method, 1.0)), reverse=True)
    for deal in order[:spare]:
        if draw() < .2 and abs(deal.amount) > 999:
            deal.bank_row.kind = "wrong_amount_in_book"
            enter(deal, deal.bank_date, "wrong_amount", amount=clerk.wrong_amount(deal.amount))
        else:
            deal.bank_row.kind = "missing_in_book"
    for deal in order[spare:]:
        pair(deal.bank_row, enter(deal, deal.bank_date))

    # ---- double entries, entries reversed and made again, rows of other accounts
    parties = list(dict.fromkeys(d.party for d in deals if d.party))[:4000]
    # the chance of a double entry is small; the one that agrees better with the bank's date stays the true one
    for i in rng.sample(range(len(pairs)), round(n * .009)):
        b, k = pairs[i]
        again = k.date + timedelta(days=rng.choice((0, 1, 1, 2, 3, 4, 5, 7, 9, 14)))
        if not working(again):
            again = on_or_after(again)
        again = min(again, end)
        second = enter(k.deal, None, "double_entry", date=again)
        if abs((second.date - b.date).days) < abs((k.date - b.date).days):
            k.kind, second.kind = "double_entry", None
            k.mate = None
            second.mate, b.mate = b, second
            pairs[i] = (b, second)
    for i in rng.sample(range(len(pairs)), round(n * .005)):
        b, k = pairs[i]
        if k.kind is None and k.mate is b:
            wrong = clerk.wrong_amount(k.amount)
            d = min(end, k.date + timedelta(days=rng.choice((0, 0, 1, 2, 3))))
            first = max(start, k.date - timedelta(days=rng.choice((0, 0, 1))))
            enter(k.deal, None, "entered_wrongly", amount=wrong, date=first)
            enter(k.deal, None, "reversal", amount=-wrong, date=d)
            k.kind = "entered_again"
    for _ in range(round(n * .011)):
        b, k = rng.choice(pairs)
        deal = k.deal
        if deal.method in ("fee", "interest", "transfer") or deal.parts:
            continue
        f = rng.choice((.35, .5, .8, 1.15, 1.4, 2.1)) * rng.uniform(.97, 1.03)
        kind = "paid_in_cash" if draw() < .6 and abs(deal.amount) < 30000 and deal.method in ("fp_in", "fp_out", "bacs_in") else "other_account"
        enter(deal, None, kind, amount=round(deal.amount * f) or 100, date=min(end, max(start, k.date + timedelta(days=rng.randrange(-4, 5)))))

    # ---- a good clerk and a bad one differ, but not without end: the share of far dates is kept between two bounds
    def days(b, k):
        return abs((k.date - b.date).days)

    far = [p for p in pairs if days(*p) > 3]
    rng.shuffle(far)
    for b, k in far[:max(0, len(far) - int(len(pairs) * .113))]:
        k.date = max(start, on_or_before(b.date - ONE * rng.choice((0, 0, 1)))) if draw() < .4 else later(b.date, rng.choice((0, 0, 1)))
        if days(b, k) > 3:
            k.date = b.date
        k.kind = "entered_again" if k.kind == "entered_again" else None
    lack = int(len(pairs) * .057) - len(far)
    if lack > 0:
        doubled = set(r.deal for r in book if r.kind in ("double_entry", "reversal"))
        still = [p for p in pairs if days(*p) <= 3 and p[1].kind is None and p[1].deal not in doubled and p[1].date < end - ONE * 16]
        for b, k in rng.sample(still, min(lack, len(still))):
            k.date, k.kind = later(b.date, rng.choice((4, 4, 5, 6, 8))), "late"

    # ---- the texts
    bank_at, book_at = {}, {}
    for r in bank_rows:
        bank_at.setdefault(r.amount, []).append(r.date)
    for r in book:
        book_at.setdefault(r.amount, []).append(r.date)
    for table in (bank_at, book_at):
        for v in table.values():
            v.sort()
    near = timedelta(days=12)
    rows_at = {}
    for r in sorted(bank_rows, key=lambda r: (r.date, r.order)):
        rows_at.setdefault(r.amount, []).append(r)

    def bank_like(row):
        """The bank's rows of this sum within twelve days."""
        v = bank_at.get(row.amount, ())
        return rows_at.get(row.amount, [])[bisect_left(v, row.date - near):bisect_right(v, row.date + near)]

    def crowd(row):
        """How many rows of either list have this sum within twelve days."""
        most = 0
        for table in (bank_at, book_at):
            v = table.get(row.amount, ())
            most = max(most, bisect_right(v, row.date + near) - bisect_left(v, row.date - near))
        return most

    for r in bank_rows:
        if r.deal.method == "fp_in" and not r.deal.ref and crowd(r) > 2 and r.deal.party and draw() < .5:
            r.deal.ref = r.deal.party.code
        r.text = bank.text(r.deal)
    for r in book:
        deal = r.deal
        close = crowd(r) > 1
        text, kind = clerk.text(deal, close)
        said = r.mate.text if r.mate else None
        if said is None and r.kind == "double_entry" and deal.bank_row:
            said = deal.bank_row.text
        if r.kind == "reversal":
            text = rng.choice(("", "", "Rev ", "Correction ", "reverse ")) + text
        new, wrong = clerk.mistakes(text, deal, close, parties)
        kind = wrong or kind
        if close and said and draw() < .985:
            more = from_statement(r, new, said, bank_like(r), bank)
            if more:                                    # two equal sums: he adds what the statement says
                new, kind = text + " (" + more + ")", None
        r.text = new[:70].strip() or "?"
        if r.kind is None:
            r.kind = kind or deal.odd or deal.base
    for b, k in pairs:
        b.kind = k.kind
    finish(bank_rows, book)
    return bank_rows, book, pairs, groups


def from_statement(row, text, said, rivals, bank):
    """What a clerk adds to an entry so that it can be told from others of the same sum; nothing where it can be."""
    mine, theirs = words(text), words(said)
    good = shared(mine, theirs)
    mate = row.mate or row.deal.bank_row
    distance = abs((mate.date - row.date).days)
    as_good = [v for v in rivals if v is not mate and abs((v.date - row.date).days) <= distance + 3 and shared(mine, words(v.text)) >= good]
    if good and not as_good:
        return None
    taken = set(w for v in as_good for w in words(v.text))
    new = [w for w in theirs if w not in taken and w not in mine]
    if as_good and not new:
        return None
    new = new or theirs
    deal = row.deal
    p = deal.payer or deal.party
    name = bank.name(p) if p else ""
    ref = (deal.ref or "").strip()
    if any(w in words(name) for w in new):
        return ("pd by " if deal.payer else "") + name.title()
    if ref and any(w in words(ref) for w in new):
        return ref[:18]
    return new[-1].upper() if new else None


def finish(bank_rows, book):
    bank_rows.sort(key=lambda r: (r.date, r.order))
    book.sort(key=lambda r: (r.date, r.order))
    for rows in (bank_rows, book):
        for i, r in enumerate(rows):
            r.index = i
