"""Redshank Haulage: lorries, forwarders who pay late, a factor; the books are kept at the kitchen table on Saturdays."""
from datetime import timedelta
from uk_days import later
from clerk import Clerk
from deals import Deal, typed_reference
from names import PLACE
from overheads import card_spend, charges, in_two, monthly_debit, paye, returned, transfers, utilities, vat
import wording

ROWS_PER_YEAR = 1280
LONG = 1.06  # so much more is needed for ten years, as some customers come later
OWN = "Redshank"
NICK = {"Gareth": "Gaz", "Gary": "Gaz", "David": "Dave", "Robert": "Bob", "William": "Bill", "Thomas": "Tom", "Anthony": "Tony", "Christopher": "Chris", "Michael": "Mick",
        "Stuart": "Stu", "Kenneth": "Ken", "Edward": "Ted", "Andrew": "Andy", "Daniel": "Dan", "Benjamin": "Ben", "Matthew": "Matt", "Joseph": "Joe", "Philip": "Phil"}


def run(w):
    r = w.rng
    traders = ["Freight", "Forwarding", "Logistics", "Shipping", "Distribution", "Produce", "Steel", "Packaging", "Quarries", "Timber", "Foods", "Transport"]
    factor = w.names.fixed("Kestrel Invoice Finance", "Kestrel")
    fuel = w.names.fixed("Roadfuel Card Services", "Roadfuel")
    ferry = w.names.fixed("Narrowsea Ferries", "Narrowsea")
    tolls = w.names.fixed("Tollpass Europe", "Tollpass")
    pot = w.names.fixed("VAT pot", "VAT pot")
    dvla = w.names.fixed("DVLA", "DVLA")

    def plate():
        return "%s%02d %s" % (r.choice(("BX", "FJ", "KU", "YK", "MV", "PN")), r.choice((9, 10, 60, 11, 61, 12, 62, 13, 63)), "".join(r.choice("ABCDEFGHJKLMNPRSTUVWXYZ") for _ in range(3)))

    def customer():
        c = w.names.firm(traders)
        c.more["style"] = r.choices(("single", "several", "factor"), (42, 42, 16))[0]
        c.more["days"] = r.choice((30, 30, 45, 60, 60, 75))
        c.more["jobs"] = r.choice((1, 1, 2, 2, 3, 5))
        c.more["price"] = w.some(180, 850, 500)
        c.more["fixed"] = r.random() < .35               # a round at an agreed price
        c.more["method"] = r.choice(("fp_in", "fp_in", "bacs_in"))
        if c.more["fixed"] and c.more["style"] == "single":
            c.habit = "doc"                              # who owes the same sum each time must say for which invoice
        if r.random() < .06:
            c.payer = w.names.firm(traders)
        return c

    for mem in w.members(16, customer, 1300):
        c = mem.party
        waiting = []
        for friday in w.weekday(4):
            if not mem.on(friday):
                continue
            for _ in range(w.poisson(c.more["jobs"] / 3.2)):
                net = c.more["price"] if c.more["fixed"] and r.random() < .8 else max(6000, round(c.more["price"] * r.uniform(.5, 1.7) / 500) * 500)
                a = round(net * 1.2) + (0 if r.random() < .6 else w.some(4, 60))
                doc = "R" + str(w.next("invoice", 8100, (1, 1, 1, 2)))
                if c.more["style"] == "single":
                    receive(w, c, friday + timedelta(days=c.more["days"] + r.randrange(-5, 12)), a, doc)
                else:
                    waiting.append((a, doc))
            if c.more["style"] == "factor" and waiting:
                a = sum(x[0] for x in waiting)
                early = round(a * .85)
                fee = round(a * .013)
                schedule = str(w.next("schedule", 300, (1,)))
                d = later(friday, 1)
                parts = [Deal("bacs_in", "factored", d, early, factor, doc=schedule, customer=c.short), Deal("bacs_in", "charge", d, -fee, factor)]
                more = dict(doc=schedule, customer=c.short)
                if r.random() < .3:
                    w.add("bacs_in", "factored", d, early - fee, factor, ref="SCHED " + schedule, parts=parts, **more)
                else:
                    w.add("bacs_in", "factored", d, early - fee, factor, ref="SCHED " + schedule, **more)
                w.add("bacs_in", "balance", d + timedelta(days=r.randrange(35, 75)), a - early, factor, ref="BAL SCHED " + schedule, **more)
                waiting = []
            elif c.more["style"] == "several" and len(waiting) >= max(2, c.more["jobs"]):
                d = friday + timedelta(days=c.more["days"] - 10 + r.randrange(0, 9))
                parts = [Deal("fp_in", "receipt", d, a, c, doc=doc) for a, doc in waiting]
                total = sum(a for a, _ in waiting)
                if len(parts) == 1:
                    receive(w, c, d, total, waiting[0][1])
                elif len(parts) <= 8 and r.random() < .62:
                    w.add(c.more["method"], "several", d, total, c, ref=typed_reference(r, c, parts[-1].doc, OWN, "haulage"), doc=parts[0].doc, parts=parts, payer=c.payer)
                else:
                    receive(w, c, d, total, waiting[0][1], "several")
                waiting = []
    # drivers each Friday: basic week, nights out as a payment of its own
    def driver():
        p = w.names.staff()
        p.more["nick"] = NICK.get(p.first, p.first)
        p.more["basic"] = r.choice((48650, 51220, 51220, 53875))
        return p

    drivers = w.members(5, driver, 1100)
    for d in w.weekday(4):
        for mem in drivers:
            if mem.on(d):
                p = mem.party
                a = p.more["basic"] if r.random() < .45 else p.more["basic"] + w.some(10, 160)
                w.add("fp_out", "driver", d, -a, p, ref="WAGES WK%d" % d.isocalendar()[1] if r.random() < .6 else "WAGES", nick=p.more["nick"], base="wages")
                if r.random() < .3:
                    n = r.choice((1, 2, 2, 3, 4))
                    w.add("fp_out", "nights", d + timedelta(days=r.choice((0, 3, 4))), -n * 2620, p, ref="NIGHTS OUT", what="%d nights" % n, nick=p.more["nick"])
    for mem in w.members(2, w.names.staff, 2400):
        a = w.some(1500, 2400)
        for y, m in w.months():
            d = w.day(y, m, 28)
            if mem.on(d):
                w.add("fp_out", "wage", d, -a, mem.party, ref="SALARY", base="wages")
    # subcontractors, paid for several trips at once or one by one
    others = [w.names.firm(["Haulage", "Transport", "Traction"], ("Ltd", "& Son", "")) if r.random() < .7 else w.names.person() for _ in range(w.count(6))]
    for s in others:
        number = r.randrange(20, 3000)
        by = r.choice(("single", "several"))
        for d in w.weekday(3, 2):
            trips = []
            for _ in range(r.choice((0, 0, 1, 1, 2, 3))):
                number += r.randrange(1, 9)
                trips.append(Deal("fp_out", "sub", d, -w.some(150, 780, 500 if r.random() < .7 else 1), s, doc=str(number), place=r.choice(PLACE)))
            if len(trips) > 1 and by == "several":
                w.add("fp_out", "sub_several", d, sum(t.amount for t in trips), s, ref="REDSHANK", parts=trips, doc=trips[0].doc)
            else:
                for t in trips:
                    w.add("fp_out", "sub", d, t.amount, s, ref=t.doc if r.random() < .7 else "REDSHANK", doc=t.doc, place=t.more["place"])
    # diesel each week, entered from the invoice of some days before; tolls; ferries
    for d in w.weekday(0):
        w.add("dd_out", "fuel", d, -w.some(900 * w.scale, 2300 * w.scale), fuel, ref="RF%07d" % w.next("fuel", 2200000, (17, 29, 31)), doc_date=d - timedelta(days=r.choice((2, 3, 3, 3, 4))))
    for y, m in w.months():
        w.add("dd_out", "dd", w.day(y, m, 16), -w.some(60 * w.scale, 260 * w.scale), tolls, ref="%08d" % tolls.number, what="tolls")
    for d in w.working_days():
        if r.random() < .1 * w.scale:
            w.add("fp_out", "payment", d, -w.some(190, 520, 100), ferry, ref="NS%06d" % r.randrange(10 ** 6), doc="", what="ferry", place=r.choice(PLACE))
    # each lorry: finance, tax by instalments, insurance; equal sums told apart by agreement and plate
    lorries = [plate() for _ in range(w.count(4))]
    hire = w.names.fixed("Marlpit Asset Finance", "Marlpit")
    for k, p in enumerate(lorries):
        a = r.choice((118500, 118500, 134000, 142750))
        agreement = "MA%06d" % r.randrange(10 ** 6)
        for y, m in w.months():
            w.add("dd_out", "lorry", w.day(y, m, 7 + k % 3 * 5), -a, hire, ref=agreement, plate=p, agreement=agreement)
            w.add("dd_out", "tax", w.day(y, m, 1), -r.choice((5775,)), dvla, ref=p.replace(" ", ""), plate=p)
    garages = [w.names.firm(["Tyres", "Commercials", "Truck Repairs", "Tachographs", "Trailers", "Bodyworks"]) for _ in range(w.count(6))]
    for d in w.working_days():
        if r.random() < .16 * w.scale:
            g = r.choice(garages)
            doc = str(r.randrange(1000, 60000))
            if r.random() < .35:
                parts = [Deal("fp_out", "garage", d, -w.some(60, 700), g, doc=str(int(doc) + 7 * k), plate=r.choice(lorries)) for k in range(r.choice((2, 2, 3)))]
                w.add("fp_out", "sub_several", d, sum(x.amount for x in parts), g, ref="REDSHANK", parts=parts, doc=doc)
            else:
                w.add("fp_out", "garage", d, -w.some(40, 900), g, ref="INV " + doc if r.random() < .7 else "REDSHANK", doc=doc, plate=r.choice(lorries))
        if r.random() < .02 * w.scale:
            g = r.choice(garages)
            w.add("cheque", "cheque", d, -w.some(40, 300), g, chq="%06d" % w.next("cheque", 100, (1,)), what="repairs")
    utilities(w, {"electric": (70, 160, 12), "phones": (92, 150, 21), "broadband": (42, None, 18), "insurance": (690, None, 3), "pension": (230, 300, 24), "bins": (38, 70, 27)})
    for legal, short, what, a, day in (("Ravensby Yard Estates", "Ravensby Estates", "yard rent", 780, 1), ("Tachowatch Compliance", "Tachowatch", "tacho software", 64, 9), ("Hauliers Guild", "Hauliers Guild", "membership", 49, 11)):
        monthly_debit(w, w.names.fixed(legal, short), day, a, what=what, step=100)
    card_spend(w, ("fuel", "parking", "refreshments", "sundries", "stationery", "postage", "van"), 9, ["Ravensby", "Broadmere", "Highmoor", "Felbridge", "Sandholme"])
    charges(w, 2, 9, 38)
    paye(w, 1300, 2300, 22)
    vat(w, 2500, 6800)
    transfers(w, pot, 1.6, 300, 3000, 10000, both=True)
    returned(w, others, .15, 100, 500)


def receive(w, c, d, a, doc, cat="receipt"):
    if w.rng.random() < .03 and a > 40000:
        in_two(w, c.more["method"], cat, d, a, c, [typed_reference(w.rng, c, doc, OWN, "haulage"), doc + " bal"], doc=doc, payer=c.payer)
        return
    w.add(c.more["method"], cat, d, a, c, ref=typed_reference(w.rng, c, doc, OWN, "haulage"), doc=doc, payer=c.payer)


WORDS = {
    "receipt": (["{name} {doc}", "{doc} {name}", "{name}", "{name} pd {doc}"], ["paid", "customer", "receipt"]),
    "several": (["{name} {doc} etc", "{name} {mon} invoices", "{name} several"], ["customer"]),
    "factored": (["Kestrel sched {doc}", "Kestrel {customer} {doc}", "{customer} thru Kestrel"], ["Kestrel advance", "factoring"]),
    "balance": (["Kestrel balance {doc}", "Kestrel bal {customer} {doc}"], ["Kestrel", "factoring"]),
    "driver": (["{nick} wages {wk}", "{nick} {last} {wk}", "wages {nick} {last}", "{nick} {last}"], ["wages {wk}", "drivers"]),
    "nights": (["{nick} {last} nights out", "nights {nick} {last} {what}", "{last} {what}"], ["nights out"]),
    "sub": (["{name} {doc}", "{name} subby {place}", "{place} run {name}", "{name}"], ["subby", "traction"]),
    "sub_several": (["{name} {doc} etc", "{name} {mon}"], ["subby"]),
    "fuel": (["Roadfuel {wk}", "diesel Roadfuel {dm}", "Roadfuel {ref}"], ["diesel", "derv {wk}"]),
    "lorry": (["{plate} finance", "Marlpit {plate} {agreement}", "HP {agreement} {plate}", "Marlpit {agreement}"], ["lorry finance"]),
    "tax": (["DVLA {plate}", "road tax {plate}", "{plate} tax {mon}"], ["road tax"]),
    "garage": (["{name} {plate} {doc}", "{name} {doc}", "{plate} {name}"], ["repairs {plate}", "tyres"]),
    "payment": (["{name} {ref}", "{name} {what}", "ferry {name} {ref}"], ["ferry"]),
}


def clerk(rng):
    return Clerk(rng, WORDS, {
        "fp_in": [(6, "bank"), (2, "before"), (1, "visit"), (1, "next")], "bacs_in": [(6, "bank"), (2, "before"), (1, "next")], "fp_out": [(5, "doc"), (3, "bank"), (1, "visit")],
        "dd_out": [(4, "doc"), (4, "bank"), (1, "visit")], "card_out": [(3, "doc"), (3, "bank"), (1, "visit")], "cheque": [(1, "doc")]},
        visits=(5,), case="lower", forms=("{first} {last}", "{last}", "{i} {last}"), rates={"typo": .05, "bare": .09, "digits": .03, "stuck": .010, "late": .013, "early": .008})


BANK = wording.Telephone
