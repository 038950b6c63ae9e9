"""Oakhanger Merchants: a builders' merchant with trade accounts, a counter and a yard."""
from datetime import timedelta
from uk_days import later
from clerk import Clerk
from deals import Deal, typed_reference
from overheads import card_spend, charges, in_two, monthly_debit, paye, returned, trading_days, transfers, utilities, vat
import wording

ROWS_PER_YEAR = 1060
LONG = 1.08  # so much more is needed for ten years, as some customers come later
OWN = "OAKHANGER"


def run(w):
    r = w.rng
    builders = ["Builders", "Building Contractors", "Joinery", "Construction", "Property Services", "Roofing", "Plastering", "Landscapes", "Kitchens", "Carpentry", "Groundworks"]
    makers = ["Timber Products", "Aggregates", "Cement", "Insulation", "Fixings", "Paints", "Drainage", "Bricks", "Plasterboard", "Ironmongery", "Tools"]
    deposit = w.names.fixed("Oakhanger Reserve", "Reserve account")
    till = w.names.fixed("Tillpoint Services", "Tillpoint", 40417733)

    def customer():
        c = w.names.firm(builders) if r.random() < .8 else w.names.person()
        c.more["pays"] = r.choices(("statement", "single", "round"), (45, 45, 10))[0]
        c.more["method"] = r.choices(("fp_in", "bacs_in", "cheque_in"), (58, 27, 15))[0]
        c.more["size"] = w.some(90, 900)
        c.more["days"] = r.choice((20, 30, 30, 35, 45, 60))
        if not c.person and r.random() < .07:
            c.payer = w.names.person()                  # the owner pays from his own account
        return c

    cheques = []                                        # waiting to be paid in
    for mem in w.members(31, customer, 1400):
        c = mem.party
        for y, m in w.months():
            if not mem.on(w.day(y, m, 15)) or r.random() < .12:
                continue
            invoices = []
            for _ in range(r.choice((1, 1, 2, 2, 3, 4)) if c.more["pays"] == "statement" else r.choice((1, 1, 2))):
                day = w.day(y, m, r.randrange(1, 29))
                a = max(800, round(c.more["size"] * r.uniform(.2, 2)))
                invoices.append((day, a if r.random() < .8 else round(a / 120) * 120 or 1200, str(w.next("invoice", 61000))))
            invoices.sort()
            month_end = w.day(y, m, 31)
            if c.more["pays"] == "single":
                for day, a, doc in invoices:
                    pay(w, c, day + timedelta(days=c.more["days"] + r.randrange(-4, 9)), a, doc, cheques)
            elif c.more["pays"] == "round":
                a = max(1, round(sum(x[1] for x in invoices) / 10000)) * 10000
                pay(w, c, month_end + timedelta(days=r.randrange(8, 28)), a, "", cheques, cat="on_account")
            else:
                d = month_end + timedelta(days=max(3, c.more["days"] - 15 + r.randrange(-3, 7)))
                parts = [Deal("fp_in", "receipt", d, a, c, doc=doc) for _, a, doc in invoices]
                if len(parts) > 1 and r.random() < .12:
                    parts.append(Deal("fp_in", "credit", d, -w.some(12, 80), c, doc="C" + str(w.next("credit", 7000))))
                total = sum(p.amount for p in parts)
                if len(parts) == 1 or total <= 0 or r.random() < .42:
                    pay(w, c, d, total if total > 0 else parts[0].amount, parts[0].doc, cheques, cat="receipt" if len(parts) == 1 else "statement")
                elif c.more["method"] == "cheque_in":
                    pay(w, c, d, total, parts[0].doc, cheques, cat="statement")
                else:
                    w.add(c.more["method"], "statement", d, total, c, ref=typed_reference(r, c, parts[-1].doc, OWN, "account"), doc=parts[0].doc, parts=parts, payer=c.payer)
    # the counter: cards each day, cash and cheques once or twice a week
    machines = [(k + 1, till.number + 37 * k) for k in range(w.count(1))]
    for d in trading_days(w):
        for k, number in machines:
            if r.random() < (.31 if d.weekday() == 5 else .62):
                w.add("takings", "takings", d, w.some(140, 1300), till, ref="%d %s" % (number, d.strftime("%d%m")), settle=r.choice((1, 1, 1, 2)), till=k if len(machines) > 1 else "")
    cheques.sort(key=lambda x: x[0])
    at = 0
    for d in w.working_days():
        if d.weekday() not in (1, 4):
            continue
        slip = "%06d" % w.next("slip", 1200, (1,))
        parts = []
        while at < len(cheques) and cheques[at][0] <= d:
            day, c, a, doc, cat = cheques[at]
            parts.append(Deal("slip", cat, d, a, c, doc=doc, doc_date=day))
            at += 1
        if r.random() < .4:
            parts.append(Deal("slip", "cash", d, w.some(60, 700, 500 if r.random() < .5 else 1), None, slip=slip))
        if parts:
            for i in range(0, len(parts), 6):
                some = parts[i:i + 6]
                total = sum(p.amount for p in some)
                if len(some) == 1:
                    w.add("slip", some[0].cat, d, total, some[0].party, doc=some[0].doc, slip=slip)
                else:
                    w.add("slip", "slip", d, total, None, slip=slip, parts=some)
                slip = "%06d" % w.next("slip", 1200, (1,))
    # makers of what is sold
    for _ in range(w.count(13)):
        s = w.names.firm(makers)
        prefix = r.choice(("", "", "SI", "INV", "A"))
        by_debit = r.random() < .3
        ref = s.code if r.random() < .5 else "OAK%03d" % r.randrange(999)
        first = r.randrange(1000, 90000)
        size = w.some(120, 2200)
        for y, m in w.months():
            d = w.day(y, m, r.choice((24, 25, 26, 28, 30)))
            parts = []
            for _ in range(r.choice((0, 1, 1, 2, 2, 3, 4))):
                first += r.randrange(3, 80)
                parts.append(Deal("fp_out", "payment", d, -max(900, round(size * r.uniform(.3, 1.8))), s, doc=prefix + str(first), what="goods"))
            if len(parts) > 1 and r.random() < .15:
                parts.append(Deal("fp_out", "credit", d, w.some(10, 90), s, doc="CN%d" % r.randrange(100, 9999)))
            if not parts:
                continue
            total = sum(p.amount for p in parts)
            method = "dd_out" if by_debit else "fp_out"
            if len(parts) == 1:
                w.add(method, "payment", d, total, s, ref=parts[0].doc if r.random() < .3 else ref, doc=parts[0].doc, what="goods", show_ref=True)
            elif r.random() < .45:
                for p in parts:
                    p.method, p.ref = method, p.doc
                    if p.amount < 0:
                        w.deals.append(p)
            else:
                w.add(method, "several", d, total, s, ref=ref, doc=parts[0].doc, parts=parts, show_ref=True)
    # the yard men weekly, the office monthly
    men = w.members(3, w.names.staff, 1500)
    for mem in men:
        mem.party.amount = r.choice((36240, 38810, 41055, 43120))
    for d in w.weekday(3):
        due = [mem.party for mem in men if mem.on(d)]
        for p in due:
            a = p.amount if r.random() < .55 else p.amount + w.some(8, 95)
            w.add("fp_out", "weekly", d, -a, p, ref="OAKHANGER WAGES", base="wages")
    for mem in w.members(3, w.names.staff, 2000):
        pass_on = w.some(1450, 2600)
        for y, m in w.months():
            d = later(w.day(y, m, 27), 0)
            if mem.on(d):
                w.add("fp_out", "wage", d, -(pass_on if r.random() < .7 else round(pass_on * r.uniform(.97, 1.05))), mem.party, ref="SALARY", base="wages")
    cheque_no = 2100
    for d in w.working_days():
        if r.random() < .07 * w.scale:
            cheque_no += 1
            p = w.names.firm(["Skips", "Signs", "Printers", "Forklifts", "Pallets", "Motors"])
            w.add("cheque", "cheque", d, -w.some(35, 420), p, chq="%06d" % cheque_no, what=r.choice(("repairs", "pallets", "skip", "signs")))
        if r.random() < .03 * w.scale:
            c = w.names.person()
            w.add("fp_out", "refund", d, -w.some(12, 160), c, ref="REFUND", base="refund", doc=str(w.next("credit", 7000)))
    utilities(w, {"electric": (260, 480, 12), "water": (48, None, 7), "broadband": (54, None, 18), "phones": (70, 130, 22), "insurance": (310, None, 1), "pension": (240, 330, 23), "bins": (88, 140, 26)})
    for k in range(2):
        monthly_debit(w, w.names.fixed("Haldane Vehicle Finance", "Haldane Finance"), 9 + 6 * k, 385, what="lorry %d HP" % (k + 1), cat="hp", show_ref=True)
    monthly_debit(w, w.names.fixed("Selwick District Council", "Selwick DC"), 1, 640, what="rates")
    card_spend(w, ("stationery", "fuel", "refreshments", "postage", "van", "online order", "sundries"), 6, ["Selwick", "Wraxby", "Harrowby"])
    charges(w, 14, 28, 95)
    paye(w, 900, 1600)
    vat(w, 4000, 9000)
    transfers(w, deposit, 1.2, 1500, 9000, 50000, both=True)
    returned(w, [w.names.firm(makers)], .15, 100, 600)


def pay(w, c, d, amount, doc, cheques, cat="receipt"):
    r = w.rng
    if c.more["method"] == "cheque_in":
        cheques.append((later(d, 0), c, amount, doc, cat))
        return
    ref = typed_reference(r, c, doc, OWN, "account")
    if r.random() < .03 and amount > 50000:
        in_two(w, c.more["method"], cat, d, amount, c, [ref, r.choice((ref, "balance", "part 2"))], doc=doc)
        return
    w.add(c.more["method"], cat, d, amount, c, ref=ref, doc=doc, payer=c.payer if r.random() < .85 else None)


WORDS = {
    "receipt": (["{code} {name} {doc}", "{name} inv {doc}", "S/L rec {code} {doc}", "{name} {doc}", "{doc} {name}"], ["S/L receipt", "receipt {doc}", "BACS"]),
    "statement": (["{code} {name} statement", "{name} account {mon}", "S/L rec {code}", "{name} {doc} + others"], ["S/L receipt"]),
    "on_account": (["{code} {name} on a/c", "{name} on account", "S/L rec {code} unallocated"], ["on account"]),
    "credit": (["{name} credit {doc}", "{code} CN {doc}"], ["credit note"]),
    "cash": (["Counter cash {slip}", "Cash sales {dm}", "Cash paid in {dm}"], ["Cash"]),
    "payment": (["P/L {name} {doc}", "{name} {doc}", "P/L pmt {short}", "{code} {doc}"], ["P/L payment"]),
    "several": (["P/L {name} statement", "P/L {name} {mon}", "{name} {doc} etc"], ["P/L payment"]),
    "weekly": (["Wages {name} {wk}", "{name} {wk}", "Yard wages {name} {dm}"], ["wages {wk}"]),
    "hp": (["Haldane {what} {acct}", "Haldane Finance {acct}", "HP {acct} {mon}"], ["lorry HP"]),
    "takings": (["Tillpoint {till} {dm}", "Tillpoint {dm}", "Counter cards {dm}", "PDQ total {dm}", "Till {till} cards {dm}"], ["counter cards"]),
}


def clerk(rng):
    return Clerk(rng, WORDS, {
        "fp_in": [(5, "bank"), (2, "next"), (2, "doc"), (1, "before")], "bacs_in": [(4, "bank"), (3, "before"), (2, "doc"), (1, "next")],
        "takings": [(8, "doc"), (2, "bank")], "slip": [(6, "doc"), (2, "bank")], "cheque": [(1, "doc")],
        "fp_out": [(6, "doc"), (3, "bank")], "dd_out": [(4, "bank"), (2, "doc"), (1, "visit")], "fee": [(1, "bank"), (1, "visit")],
        "card_out": [(6, "doc"), (3, "bank"), (1, "visit")]},
        visits=(0, 2, 4), case="upper", forms=("{last}", "{i} {last}", "{title} {last}"), short={"ACCOUNT": "A/C", "Builders": "Bldrs", "Construction": "Constr", "statement": "stmt"},
        rates={"bare": .07, "typo": .035})


BANK = wording.Coded
