"""What every organisation has: direct debits, card purchases, bank charges, taxes, payments that come back."""
from datetime import timedelta
from deals import Deal
from uk_days import MONTHS, later

UTILITIES = [("Eastgrid Power Supply Ltd", "Eastgrid", "electric"), ("Northmere Water plc", "Northmere Water", "water"),
             ("Telvane Broadband", "Telvane", "broadband"), ("Copperline Telecom Ltd", "Copperline", "phones"),
             ("Castlegate Insurance", "Castlegate", "insurance"), ("Pennant Workplace Pensions", "Pennant Pensions", "pension"),
             ("Hobbs Lane Gas & Heat", "Hobbs Lane Gas", "gas"), ("Wheelie Waste Services", "Wheelie Waste", "bins")]

SHOPS = [("Brightway Stores", "Brightway", "kitchen supplies", 3, 60, 5), ("Harlow & Finch Stationers", "Harlow & Finch", "stationery", 4, 120, 1),
         ("Toolbarn", "Toolbarn", "sundries", 5, 150, 1), ("Petrofield Fuels", "Petrofield", "fuel", 25, 95, 1),
         ("Crumb & Kettle Cafe", "Crumb & Kettle", "refreshments", 4, 45, 5), ("Parcelpoint", "Parcelpoint", "postage", 3, 40, 5),
         ("Ledgerbook Software", "Ledgerbook", "software", 20, 90, 100), ("Inkwell Cartridges", "Inkwell", "printer ink", 18, 140, 1),
         ("Marsh Lane Garage", "Marsh Lane Garage", "van", 30, 400, 1), ("Northern Parking", "Northern Parking", "parking", 2, 14, 10),
         ("Tracksure Rail", "Tracksure", "train fare", 9, 120, 5), ("Webwide Market", "Webwide", "online order", 6, 220, 1)]


def monthly_debit(w, party, day, low, high=None, what="", ref=None, cat="dd", step=1, show_ref=False, method="dd_out", chance=1.0, book_more=None):
    """A direct debit each month; with one price it changes once a year, with two each bill differs."""
    r = w.rng
    ref = ref or "%08d" % r.randrange(10 ** 8)
    price = w.some(low, high or low * 1.4, step)
    for y, m in w.months():
        if m == 4:
            price = int(round(price * r.uniform(1.01, 1.06) / step)) * step
        if r.random() > chance:
            continue
        amount = w.some(low, high, step) if high else price
        w.add(method, cat, w.day(y, m, day), -amount, party, ref=ref, what=what, show_ref=show_ref, acct=ref[-4:], **(book_more or {}))


def utilities(w, kinds):
    """kinds: {what: (low, high or None, day)}"""
    for legal, short, what in UTILITIES:
        if what in kinds:
            low, high, day = kinds[what]
            monthly_debit(w, w.names.fixed(legal, short), day, low, high, what)


def card_spend(w, kinds, per_month, towns):
    """Purchases by card: `kinds` of shop, so many a month at the first size."""
    r = w.rng
    shops = []
    for legal, short, what, low, high, step in SHOPS:
        if what in kinds:
            for _ in range(w.count(1)):
                p = w.names.fixed(legal + (" %d" % r.randrange(100, 999) if r.random() < .5 else ""), short)
                shops.append((p, what, low, high, step, r.choice(towns)))
    rate = per_month * w.scale / 30.4
    for d in w.days():
        for _ in range(w.poisson(rate)):
            p, what, low, high, step, town = r.choice(shops)
            w.add("card_out", "card", d, -w.some(low, high, step), p, what=what, town=town)


def charges(w, day, low, high, interest=None):
    r = w.rng
    for y, m in w.months():
        d = w.day(y, m, day)
        w.add("fee", "fee", d, -w.some(low, high), None, ref="%s %02d" % (MONTHS[m - 1], y % 100), doc_date=d - timedelta(days=r.randrange(1, 4)))
        if interest and m % 3 == 0:
            w.add("interest", "interest", w.day(y, m, 30), w.some(*interest), None)


def paye(w, low, high, day=20):
    hmrc = w.names.fixed("HMRC Cumbernauld", "HMRC", 12001039)
    ref = "%03dPX00%06d" % (w.rng.randrange(100, 999), w.rng.randrange(10 ** 6))
    for y, m in w.months():
        w.add("fp_out", "paye", later(w.day(y, m, day - w.rng.randrange(3)), 0), -w.some(low * w.scale, high * w.scale), hmrc, ref=ref, what="PAYE")


def vat(w, low, high):
    hmrc = w.names.fixed("HMRC VAT", "HMRC VAT")
    for y, m in w.months():
        if m % 3 == 2:
            w.add("dd_out", "vat", w.day(y, m, 10), -w.some(low * w.scale, high * w.scale), hmrc, ref="%09d" % (hmrc.number * 7 % 10 ** 9), show_ref=True)


def transfers(w, party, per_month, low, high, step=10000, both=False):
    r = w.rng
    for d in w.working_days():
        if r.random() < per_month / 21:
            sign = -1 if not both or r.random() < .6 else 1
            w.add("transfer", "transfer", d, sign * w.some(low, high, step), party)


def returned(w, parties, per_month, low, high):
    """A payment out that comes back, or one in that is taken back: the clerk knows of neither row."""
    r = w.rng
    for d in w.working_days():
        if r.random() < per_month * w.scale / 21:
            p = r.choice(parties)
            a = w.some(low, high)
            w.add("fp_out", "payment", d, -a, p, ref="WRONG AC", no_book="returned_payment")
            w.add("fp_in", "receipt", later(d + timedelta(days=r.randrange(1, 4)), 0), a, p, ref="RETURNED UNPAID", no_book="returned_payment")


def wages_monthly(w, members, day, low, high, spread=.03, ref="SALARY", cat="wage", equal=0.0):
    """Each employee's net pay; a share of them on the same scale gets the same sum."""
    r = w.rng
    scale_points = [w.some(low, high) for _ in range(3)]
    for mem in members:
        mem.party.amount = r.choice(scale_points) if r.random() < equal else w.some(low, high)
        mem.party.more["fixed"] = r.random() < max(equal, .25)
    for y, m in w.months():
        d = w.day(y, m, day)
        while d.weekday() > 4:
            d -= timedelta(days=1)
        for mem in members:
            if mem.on(d):
                a = mem.party.amount if mem.party.more["fixed"] and r.random() < .85 else round(mem.party.amount * r.uniform(1 - spread, 1 + spread))
                w.add("fp_out", cat, d, -a, mem.party, ref=ref, base="wages")


def trading_days(w, closed=(6,)):
    return [d for d in w.days() if d.weekday() not in closed and not (d.month == 12 and d.day in (25, 26)) and not (d.month == 1 and d.day == 1)]


def in_two(w, method, cat, d, amount, party, refs, step=10000, **more):
    """The payer sends a round sum first and the rest a day or a few later; the clerk enters it once."""
    r = w.rng
    first = amount // 2 // step * step
    if first <= 0 or first == amount:
        first = amount // 2
    second = d + timedelta(days=r.choice((0, 1, 1, 1, 2, 3)))
    rows = [Deal(method, cat, d, first, party, ref=refs[0], **more), Deal(method, cat, second, amount - first, party, ref=refs[1], **more)]
    return w.add(method, cat, second, amount, party, ref=refs[0], rows=rows, **more)
