"""Pebblegate Dental: a practice with patients of the health service, private patients and a plan."""
from datetime import timedelta
from uk_days import later, on_or_after
from clerk import Clerk
from deals import Deal
from overheads import card_spend, charges, in_two, monthly_debit, paye, returned, trading_days, transfers, utilities, wages_monthly
import wording

ROWS_PER_YEAR = 1060
LONG = 1.42  # so much more is needed for ten years, as some customers come later

TREATMENTS = [("check-up", 4200), ("hygienist", 5800), ("hygienist", 6400), ("band 1", 2270), ("band 2", 6210), ("band 3", 26930), ("filling", 11500),
              ("white filling", 14500), ("crown", 59500), ("root canal", 42000), ("whitening", 29500), ("emergency", 6500), ("mouth guard", 8500), ("extraction", 9500)]


def run(w):
    r = w.rng
    health = w.names.fixed("NHSBSA Dental", "NHS")
    plan = w.names.fixed("Brightsmile Plans Ltd", "Brightsmile")
    finance = w.names.fixed("Denticredit Finance", "Denticredit")
    acquirer = w.names.fixed("Cardwise Merchant Svcs", "Cardwise")
    saving = w.names.fixed("Pebblegate Tax Saving", "Tax saving account")
    contract = "Q%06d" % r.randrange(10 ** 6)
    surgeries = [("R%d" % (k + 1), 51230000 + 1000 * k + r.randrange(1000)) for k in range(max(2, w.count(1.4)))]

    # the card machines, one to a desk; only the first nearly every other day
    for d in trading_days(w, (5, 6)):
        took = []
        for k, (desk, mid) in enumerate(surgeries):
            if r.random() < (.22 if k else .5):
                took.append((desk, mid, w.some(58 if k else 90, 520 if k else 950, 10 if r.random() < .5 else 1)))
        if len(took) > 1 and r.random() < .6:
            # one sum on the statement for all machines
            parts = [Deal("takings", "takings", d, a, acquirer, desk=desk) for desk, mid, a in took]
            w.add("takings", "both", d, sum(x[2] for x in took), acquirer, ref="%d %s" % (took[0][1], d.strftime("%d%m%y")), parts=parts, settle=r.choice((1, 1, 2)))
        else:
            for desk, mid, a in took:
                w.add("takings", "takings", d, a, acquirer, ref="%d %s" % (mid, d.strftime("%d%m%y")), desk=desk, settle=r.choice((1, 1, 1, 2)))
    # the health service and the plan
    for y, m in w.months():
        a = w.some(7800, 8600)
        d = w.day(y, m, 1)
        if r.random() < .5:
            parts = [Deal("bacs_in", "nhs", d, a + 62000, health, desk=contract), Deal("bacs_in", "nhs_less", d, -62000, health, desk=contract)]
            w.add("bacs_in", "nhs", d, a, health, ref="%s %02d%02d" % (contract, m, y % 100), parts=parts)
        else:
            w.add("bacs_in", "nhs", d, a, health, ref="%s %02d%02d" % (contract, m, y % 100))
        for half in (12, 26):
            gross = w.some(1300 * w.scale, 1900 * w.scale, 50)
            fee = round(gross * .062)
            d = w.day(y, m, half)
            parts = [Deal("bacs_in", "plan", d, gross, plan), Deal("bacs_in", "plan_fee", d, -fee, plan)]
            w.add("bacs_in", "plan", d, gross - fee, plan, ref="PEB%04d" % (plan.number % 10000), parts=parts)
    # patients who pay by transfer
    prices = list(TREATMENTS)
    patients = [w.names.person() for _ in range(w.count(420))]
    for p in patients:
        p.more["ref"] = r.choices(("number", "name", "what", "name what", ""), (34, 22, 14, 24, 6))[0]
        if r.random() < .16:
            p.payer = w.names.person(last=p.last if r.random() < .6 else None)
    year = None
    for d in w.days():
        if d.year != year:
            year = d.year
            prices = [(t, a if t.startswith("band") and r.random() < .3 else round(a * r.uniform(1.01, 1.05) / (10 if t.startswith("band") else 100)) * (10 if t.startswith("band") else 100)) for t, a in prices]
        for _ in range(w.poisson(.75 * w.scale)):
            p = r.choice(patients)
            what, a = r.choices(prices, (14, 15, 9, 9, 10, 6, 9, 6, 4, 3, 3, 5, 3, 4))[0]
            patient_pays(w, p, d, a, what)
    # treatment paid over months, by standing order
    for _ in range(w.count(8)):
        p = r.choice(patients)
        a, first = r.choice((7500, 8500, 9500, 10000, 12500, 15000)), r.randrange(0, max(1, (w.end - w.first).days))
        for k in range(r.choice((6, 10, 12, 18))):
            d = w.first + timedelta(days=first + round(k * 30.44))
            if d < w.end:
                w.add("so_in", "braces", d, a, p, ref="%s %d" % (p.last, p.number), what="braces")
    # a lender for several patients at once
    for d in w.weekday(2):
        if r.random() < .45:
            some = r.sample(patients, r.choice((1, 2, 2, 3, 4)))
            parts = [Deal("bacs_in", "lender", d, r.choice((59500, 84000, 125000, 180000, 249500)), p, doc="DC%d" % r.randrange(10000, 99999)) for p in some]
            if len(parts) == 1:
                w.add("bacs_in", "lender", d, parts[0].amount, some[0], ref=parts[0].doc, doc=parts[0].doc, payer=finance)
            else:
                w.add("bacs_in", "lender", d, sum(x.amount for x in parts), finance, ref="BATCH %d" % w.next("batch", 300), parts=parts)
    # notes and cheques, each Friday
    for d in w.weekday(4):
        if r.random() < .7:
            slip = "%06d" % w.next("slip", 300, (1,))
            parts = [Deal("slip", "cheque_in", d, r.choice(prices)[1], r.choice(patients)) for _ in range(r.choice((0, 0, 1, 2, 3)))]
            parts.append(Deal("slip", "cash", d, w.some(40, 380, 10), None, slip=slip))
            if len(parts) == 1:
                w.add("slip", "cash", d, parts[0].amount, None, slip=slip, branch="Whinfell")
            else:
                w.add("slip", "slip", d, sum(x.amount for x in parts), None, slip=slip, branch="Whinfell", parts=parts)
    # laboratories and suppliers
    makers = [w.names.firm(["Dental Ceramics", "Dental Laboratory", "Orthodontic Lab", "Dental Supplies", "Dental Studio", "Surgical"]) for _ in range(w.count(10))]
    for s in makers:
        s.more["by"] = r.choice(("single", "single", "several"))
        size = w.some(60, 600)
        number = r.randrange(1000, 60000)
        for y, m in w.months():
            d = later(w.day(y, m, r.choice((9, 10, 28))), 0)
            parts = []
            for _ in range(r.choice((1, 1, 2, 3))):
                number += r.randrange(2, 40)
                parts.append(Deal("fp_out", "payment", d, -round(size * r.uniform(.3, 1.7)), s, doc=str(number), what="lab"))
            if len(parts) == 1 or s.more["by"] == "single":
                for p in parts:
                    w.add("fp_out", "payment", later(d, r.choice((0, 0, 3, 6, 9))), p.amount, s, ref=p.doc if r.random() < .7 else "PEBBLEGATE", doc=p.doc, what="lab")
            else:
                w.add("fp_out", "several", d, sum(p.amount for p in parts), s, ref="PEBBLEGATE " + s.code, doc=parts[0].doc, parts=parts)
    # associates on a percentage, nurses on three scale points
    associates = w.members(3, w.names.staff, 2500)
    for mem in associates:
        mem.party.title = "Dr"
        for y, m in w.months():
            d = later(w.day(y, m, 12), 0)
            if mem.on(d):
                w.add("fp_out", "associate", d, -w.some(3200, 6400), mem.party, ref="PEBBLEGATE DENTAL", base="wages")
    wages_monthly(w, w.members(8, w.names.staff, 1300), 28, 1120, 1780, ref="WAGES", equal=.7)
    utilities(w, {"electric": (230, 420, 14), "water": (62, None, 4), "broadband": (58, None, 20), "phones": (66, None, 11), "insurance": (185, None, 2), "pension": (310, 390, 24), "bins": (72, 118, 19), "gas": (80, 260, 16)})
    for legal, short, what, a, day in (("Molar Practice Software", "Molar", "software", 219, 5), ("Wallbrook Estates", "Wallbrook Estates", "rent", 1850, 1), ("Dentists Mutual Indemnity", "Dentists Mutual", "indemnity", 342, 8), ("Cleanedge Clinical Waste", "Cleanedge", "clinical waste", 96, 15)):
        monthly_debit(w, w.names.fixed(legal, short), day, a, what=what)
    card_spend(w, ("stationery", "postage", "kitchen supplies", "printer ink", "online order", "train fare"), 5, ["Whinfell", "Stanmoor"])
    charges(w, 3, 22, 60)
    paye(w, 2100, 3100, 21)
    transfers(w, saving, 1, 800, 4000, 50000)
    returned(w, patients[:40], .2, 20, 200)
    for d in w.working_days():
        if r.random() < .03 * w.scale:
            p = r.choice(patients)
            w.add("fp_out", "refund", d, -r.choice(prices)[1], p, ref="REFUND %d" % p.number, base="refund")


def patient_pays(w, p, d, a, what):
    r = w.rng
    kind = p.more["ref"]
    if kind == "number":
        ref = str(p.number)
    elif kind == "name":
        ref = p.last + " " + p.first[0]
    elif kind == "what":
        ref = what
    elif kind == "name what":
        ref = p.last + " " + what
    else:
        ref = ""
    if p.payer and kind in ("what", ""):
        ref = p.last
    if a > 25000 and r.random() < .15:
        in_two(w, "fp_in", "patient", d, a, p, [ref, ref], 5000, what=what, payer=p.payer)
        return
    w.add("fp_in", "patient", d, a, p, ref=ref, what=what, payer=p.payer, doc_date=d if r.random() < .4 else on_or_after(d - timedelta(days=r.choice((0, 1, 2, 3, 5)))))


WORDS = {
    "patient": (["{number} {name} {what}", "{name} {what}", "{name} ({number})", "{number} {name}"], ["{what}", "patient BACS", "private fee"]),
    "braces": (["{number} {name} braces", "{name} ortho plan", "{name} braces {mon}"], ["ortho plan"]),
    "lender": (["Denticredit {doc} {name}", "{name} finance {doc}", "{name} Denticredit"], ["finance"]),
    "cheque_in": (["Chq {name} {number}", "{number} {name} chq"], ["chq"]),
    "cash": (["Cash {slip}", "Cash banked {dm}"], ["cash"]),
    "nhs": (["NHS {mon} {desk}", "NHSBSA contract {mon}", "NHS monthly"], ["NHS"]),
    "nhs_less": (["NHS superannuation {mon}", "NHS patient charges {mon}"], ["NHS deduction"]),
    "plan": (["Brightsmile {mon}", "Brightsmile plan payout {dm}"], ["plan"]),
    "plan_fee": (["Brightsmile fee {mon}", "plan admin fee"], ["fee"]),
    "takings": (["Cards {desk} {dm}", "{desk} cards {dm}", "{desk} day sheet {dm}", "card machine {desk} {dm}"], ["day sheet {dm}", "cards"]),
    "both": (["Cards all desks {dm}", "Cards {dm}"], ["cards"]),
    "associate": (["Dr {last} fees {mon}", "{name} associate {mon}", "Assoc {last}"], ["associate pay"]),
    "payment": (["{name} {doc}", "{name} lab bill {doc}", "Lab {short} {doc}", "{name}"], ["lab bill", "lab"]),
}


def clerk(rng):
    return Clerk(rng, WORDS, {
        "takings": [(9, "doc"), (2, "bank")], "fp_in": [(6, "bank"), (3, "doc"), (1, "next")], "slip": [(3, "doc"), (1, "bank")],
        "bacs_in": [(4, "bank"), (2, "doc"), (1, "visit")], "fp_out": [(4, "doc"), (4, "bank"), (1, "before")], "dd_out": [(5, "bank"), (2, "visit")],
        "card_out": [(3, "doc"), (2, "bank"), (2, "visit")], "fee": [(1, "bank"), (1, "visit")]},
        visits=(3,), forms=("{last}, {first}", "{last} {i}", "{title} {last}", "{first} {last}"), rates={"bare": .06, "digits": .03, "month_end": .006})


BANK = wording.Commas
