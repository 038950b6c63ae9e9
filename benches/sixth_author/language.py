"""Ravelin Language School: students from abroad, agents, host families; a busy summer."""
from datetime import timedelta
from uk_days import later
from clerk import Clerk
from deals import Deal
from names import PLACE
from overheads import card_spend, charges, in_two, monthly_debit, paye, returned, transfers, utilities, wages_monthly
import wording

ROWS_PER_YEAR = 960
LONG = 1.17  # so much more is needed for ten years, as some customers come later
SEASON = {1: .9, 2: .7, 3: .8, 4: .9, 5: .9, 6: 1.3, 7: 2.2, 8: 1.8, 9: 1.1, 10: .9, 11: .7, 12: .4}


def run(w):
    r = w.rng
    gateway = w.names.fixed("Paylark UK", "Paylark")
    currency = w.names.fixed("Ravelin Euro Account", "Euro account")
    agents = []
    for _ in range(w.count(6)):
        a = w.names.firm(["Educacion", "Study Abroad", "Sprachreisen", "Idiomas", "Language Travel", "Eurostudy"], ("SL", "GmbH", "SA", "Ltd", "SRL", ""))
        a.more["rate"] = r.choice((.15, .2, .2, .25))
        a.more["gross"] = r.random() < .5
        agents.append(a)
    hosts = [w.names.staff() for _ in range(w.count(12))]
    for h in hosts:
        h.more["week"] = r.choice((16000, 17500, 17500, 19000, 19000, 21000))
        h.more["ref"] = r.choice(("guest", "week", "week", "host"))
    price, year = 22000, None
    stays = {}                                          # Friday -> [(host, student)]
    for d in w.days():
        if d.year != year:
            year = d.year
            price += r.choice((0, 500, 1000))
        rate = SEASON[d.month] * w.scale
        # students who book for themselves
        for _ in range(w.poisson(.34 * rate)):
            s = student(w)
            weeks = r.choice((1, 2, 2, 2, 3, 4, 4, 6, 8, 12))
            fee = weeks * price - (weeks // 4) * 2000
            doc = str(w.next("invoice", 24000))
            book_in(w, stays, hosts, s, d + timedelta(days=r.randrange(8, 40)), weeks)
            if r.random() < .45:
                w.add("fp_in" if r.random() < .5 else "foreign_in", "deposit", d, r.choice((20000, 20000, 25000)), s, ref=reference(w, s, doc), doc=doc, wire="TT%08d" % r.randrange(10 ** 8), payer=s.payer, what="deposit")
                d2 = d + timedelta(days=r.randrange(7, 25))
                fees_paid(w, s, d2, fee - 20000 if fee > 40000 else fee, doc)
            else:
                fees_paid(w, s, d, fee, doc)
            if r.random() < .035:
                w.add("fp_out", "refund", d + timedelta(days=r.randrange(20, 50)), -r.choice((15000, 20000, round(fee * .8))), s, ref="REFUND %s" % doc, doc=doc, base="refund")
            if r.random() < .16:
                w.add("fp_in", "exam", d + timedelta(days=r.randrange(10, 40)), r.choice((17500, 18200, 19800)), s, ref=r.choice((s.last + " exam", "exam fee", "EXAM %d" % s.number)), payer=s.payer, what="exam")
        # agents: several students at once, less commission
        if d.weekday() in (1, 3):
            for a in agents:
                if r.random() < .085 * SEASON[d.month]:
                    k = r.choices((1, 2, 3, 4, 6), (56, 18, 14, 8, 4))[0]
                    parts = []
                    for _ in range(k):
                        s = student(w)
                        weeks = r.choice((1, 2, 2, 3, 4))
                        doc = str(w.next("invoice", 24000))
                        net = weeks * price if a.more["gross"] else round(weeks * price * (1 - a.more["rate"]))
                        parts.append(Deal("foreign_in", "agent_student", d, net, a, doc=doc, student=s.first + " " + s.last, slast=s.last))
                        book_in(w, stays, hosts, s, d + timedelta(days=r.randrange(8, 40)), weeks)
                    if a.more["gross"]:
                        parts.append(Deal("foreign_in", "commission", d, -round(sum(p.amount for p in parts) * a.more["rate"]), a, doc=doc))
                    total = sum(p.amount for p in parts)
                    common = dict(wire="TT%08d" % r.randrange(10 ** 8), doc=doc)
                    if len(parts) == 1:
                        w.add("foreign_in", "agent_student", d, total, a, ref=r.choice((doc, parts[0].more["slast"])), student=parts[0].more["student"], slast=parts[0].more["slast"], **common)
                    else:
                        w.add("foreign_in", "agent", d, total, a, ref=r.choice((doc, "STUDENTS", "INV " + doc)), parts=parts, **common)
    # host families each Friday
    for friday in sorted(stays):
        if friday >= w.end:
            continue
        per_host = {}
        for h, s in stays[friday]:
            per_host.setdefault(id(h), (h, []))[1].append(s)
        for h, guests in per_host.values():
            week = h.more["week"] + r.choice((0, 0, 0, 0, 0, 700, 1000, -2000, 2500))       # packed lunches, a night less, a night more
            ref = {"guest": "RAVELIN %s" % guests[0].last.upper()[:9], "week": "RAVELIN WK%d" % friday.isocalendar()[1], "host": "RAVELIN HOST"}[h.more["ref"]]
            if len(guests) == 1 or r.random() < .55:
                w.add("fp_out", "host", friday, -week * len(guests), h, ref=ref, student=guests[0].first, slast=guests[0].last, base="host_family")
            else:
                parts = [Deal("fp_out", "host", friday, -week, h, student=s.first, slast=s.last) for s in guests]
                w.add("fp_out", "host", friday, -week * len(guests), h, ref=ref, parts=parts)
    # the payment page: several cards, less its fee
    for d in w.weekday(0):
        if r.random() < .8:
            gross = sum(r.choice((5000, 9500, 20000, 22000, 25000, 17500)) for _ in range(r.choice((1, 2, 3))))
            fee = round(gross * .019) + 20
            ref = "PL%06d" % r.randrange(10 ** 6)
            parts = [Deal("takings", "page", d, gross, gateway, payout=ref), Deal("takings", "charge", d, -fee, gateway, payout=ref)]
            if r.random() < .35:
                w.add("takings", "page", d, gross - fee, gateway, ref=ref, settle=2, parts=parts, payout=ref)
            else:
                w.add("takings", "page", d, gross - fee, gateway, ref=ref, settle=2, payout=ref)
    # teachers by the hour every second Friday, the office each month
    teachers = w.members(5, w.names.staff, 900)
    for d in w.weekday(4, 2):
        for mem in teachers:
            if mem.on(d):
                hours = r.choice((20, 24, 24, 30, 30, 36, 40))
                w.add("fp_out", "teacher", d, -(hours * 1780 - r.choice((0, 0, 2140, 4475))), mem.party, ref="RAVELIN PAY", what="%d hrs" % hours, base="wages")
    wages_monthly(w, w.members(3, w.names.staff, 1600), 28, 1450, 2200, ref="Salary", equal=.3)
    outings = [w.names.firm(["Coaches", "Castle Tours", "Theatre", "Ghost Walks", "Bowling"], ("Ltd", "")) for _ in range(w.count(5))]
    for d in w.working_days():
        if r.random() < .12 * SEASON[d.month] * w.scale:
            p = r.choice(outings)
            doc = str(r.randrange(100, 9900))
            if r.random() < .2:
                parts = [Deal("fp_out", "outing", d, -r.choice((24000, 28500, 31000, 36000, w.some(60, 300, 50))), p, doc=str(int(doc) + k), what="trip") for k in range(r.choice((2, 3)))]
                w.add("fp_out", "several", d, sum(x.amount for x in parts), p, ref="RAVELIN", parts=parts, doc=doc)
            else:
                w.add("fp_out", "outing", d, -w.some(45, 520, 50), p, ref="INV " + doc if r.random() < .7 else "RAVELIN SCHOOL", doc=doc, what="trip to " + r.choice(PLACE[:14]))
    for legal, short, what, a, day, step in (("Cranbeck House Estates", "Cranbeck Estates", "rent", 2400, 1, 5000), ("Lexiboard Learning", "Lexiboard", "e-learning", 145, 9, 100), ("Anglian Accreditation Board", "Accreditation Board", "accreditation", 118, 17, 1), ("Examwell Assessment", "Examwell", "exam entries", 320, 22, 100)):
        monthly_debit(w, w.names.fixed(legal, short), day, a, a * 2.2 if what == "exam entries" else None, what=what, step=step)
    utilities(w, {"electric": (160, 330, 13), "water": (41, None, 6), "broadband": (89, None, 18), "phones": (58, 96, 21), "insurance": (134, None, 2), "pension": (190, 250, 24), "gas": (60, 260, 15)})
    card_spend(w, ("stationery", "kitchen supplies", "refreshments", "train fare", "software", "printer ink", "online order", "postage"), 8, ["Cranbeck", "Harrowby", "Uplyme"])
    charges(w, 12, 24, 70, (2, 30))
    paye(w, 900, 1500)
    transfers(w, currency, 1.0, 2000, 9000, 50000, both=True)
    returned(w, hosts, .2, 160, 210)
    for d in w.weekday(2):
        if r.random() < .3:
            slip = "%06d" % w.next("slip", 400, (1,))
            w.add("slip", "cash", d, w.some(30, 400, 500), None, slip=slip, branch="Cranbeck")


def student(w):
    r = w.rng
    s = w.names.person(foreign=True)
    if r.random() < .42:                                # a parent pays
        s.payer = w.names.person(foreign=True, last=s.last if r.random() < .6 else None)
    s.more["same"] = bool(s.payer and s.payer.last == s.last)
    return s


def reference(w, s, doc):
    r = w.rng
    kinds = [s.first + " " + s.last, "INV " + doc, doc, s.last, "%d %s" % (s.number, s.last), "school fees", "English course"]
    if s.payer and not s.more["same"]:
        kinds = kinds[:5]
    return r.choice(kinds)


def fees_paid(w, s, d, amount, doc):
    r = w.rng
    wire = "TT%08d" % r.randrange(10 ** 8)
    ref = reference(w, s, doc)
    if amount > 60000 and r.random() < .08:
        in_two(w, "fp_in", "fees", d, amount, s, [ref, ref], 25000, doc=doc, payer=s.payer, what="fees")
        return
    if r.random() < .42:
        w.add("fp_in", "fees", d, amount, s, ref=ref, doc=doc, payer=s.payer, what="fees")
        return
    x = r.random()
    if x < .42:                                         # the banks on the way keep something
        lost = r.choice((600, 700, 800, 1000, 1200, 1250, 1500))
        parts = [Deal("foreign_in", "fees", d, amount, s, doc=doc, what="fees"), Deal("foreign_in", "wire_fee", d, -lost, s, doc=doc)]
        w.add("foreign_in", "fees", d, amount - lost, s, ref=ref, doc=doc, wire=wire, payer=s.payer, parts=parts)
    else:
        w.add("foreign_in", "fees", d, amount, s, ref=ref, doc=doc, wire=wire, payer=s.payer, what="fees")


def book_in(w, stays, hosts, s, arrives, weeks):
    r = w.rng
    if r.random() < .42:
        h = r.choice(hosts)
        d = arrives
        while d.weekday() != 4:
            d += timedelta(days=1)
        for k in range(min(weeks, 8)):
            stays.setdefault(d + timedelta(days=7 * k), []).append((h, s))


WORDS = {
    "fees": (["{name} inv {doc}", "{doc} {name}", "{name} course fees", "{name} ({number}) {doc}"], ["student fees", "course fees"]),
    "deposit": (["{name} deposit", "{doc} {name} dep", "Deposit {name} {number}"], ["deposit"]),
    "exam": (["{name} exam fee", "Exam {name} {number}"], ["exam fee"]),
    "agent_student": (["{short} - {student}", "{slast} via {short} {doc}", "{doc} {student}", "{short} {slast} {doc}"], ["agent"]),
    "agent": (["{short} students {mon}", "{name} group {doc}"], ["agent"]),
    "commission": (["{short} commission", "Less commission {short} {doc}"], ["commission"]),
    "wire_fee": (["Bank charge {name}", "Transfer charge {doc}", "charges on {doc}"], ["bank charge"]),
    "host": (["Host {name} {wk}", "{name} host {slast} {wk}", "{name} - {student} {wk}", "{name} host {slast}"], ["host family {wk}", "host"]),
    "page": (["Paylark {payout}", "Paylark payout {dm}", "Online payments {payout}"], ["Paylark", "online"]),
    "teacher": (["{name} {what}", "Teacher {name} {dm}", "{name} pay {dm}", "{name} {wk}"], ["teaching {what}", "teacher"]),
    "outing": (["{name} {what}", "{name} {doc}", "{what} - {name}"], ["{what}", "excursion"]),
    "cash": (["Cash paid in {slip}", "Cash {dm}", "Office cash {slip}"], ["cash"]),
}


def clerk(rng):
    return Clerk(rng, WORDS, {
        "fp_in": [(6, "bank"), (2, "next"), (1, "visit")], "foreign_in": [(4, "bank"), (3, "doc"), (2, "next")], "takings": [(3, "doc"), (4, "bank")],
        "fp_out": [(6, "doc"), (3, "bank"), (1, "before")], "dd_out": [(5, "bank"), (1, "visit")], "card_out": [(5, "doc"), (2, "bank"), (2, "visit")], "slip": [(3, "doc"), (1, "bank")]},
        visits=(0, 3), forms=("{last}, {first}", "{first} {last}", "{last} {first}", "{last} {i}"), rates={"typo": .045, "bare": .06, "late": .017, "wrong_name": .005})


BANK = wording.Described
