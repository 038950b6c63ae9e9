"""Quay Marlow Lettings: a letting agent's client money account."""
from datetime import timedelta
from uk_days import MONTHS, later, on_or_before
from names import STREET
from clerk import Clerk
from deals import Deal
from overheads import card_spend, charges, monthly_debit, returned
import wording

ROWS_PER_YEAR = 800
LONG = 1.07  # so much more is needed for ten years, as some customers come later
OWN = "QUAY MARLOW"


def run(w):
    r = w.rng
    trades = ["Property Maintenance", "Plumbing & Heating", "Electrical", "Cleaning", "Roofing", "Decorators", "Locksmiths", "Gas Services", "Gardens"]
    office = w.names.fixed("Quay Marlow Office", "Office account")
    deposits = w.names.fixed("Safehold Deposit Protection", "Safehold")
    council = w.names.fixed("Tarnside Borough Council", "Tarnside BC")
    contractors = [w.names.firm(trades) for _ in range(w.count(7))]
    for c in contractors:
        c.more["what"] = r.choice(("boiler service", "leak", "gas safety", "clean", "repairs", "locks", "EICR", "gutters"))
    # landlords with their properties
    landlords, properties, used = [], [], set()
    for _ in range(w.count(15)):
        own = w.names.person() if r.random() < .8 else w.names.firm(["Estates", "Properties", "Homes"], ("Ltd", "Ltd", "LLP"))
        mine = []
        for _ in range(r.choice((1, 1, 1, 1, 2, 2, 3, 4))):
            while True:
                prop = "%d %s" % (r.randrange(1, 99), r.choice(STREET))
                if prop not in used:
                    break
            used.add(prop)
            mine.append({"prop": prop, "rent": r.choice((525, 550, 575, 595, 600, 625, 650, 650, 675, 695, 700, 725, 750, 775, 795, 800, 850, 895, 950, 1100)) * 100, "landlord": own,
                         "pcode": "".join(x for x in prop.upper() if x.isalpha())[:3] + prop.split()[0]})
        landlords.append((own, mine, r.choice((8, 10, 12, 15)), r.choice((.08, .1, .1, .12))))
        properties += mine
    for own, _, _, _ in landlords:
        own.more["ref"] = r.choice(("RENT", "%s RENT" % OWN, "MONTHLY STATEMENT"))
    received = {}                                       # (property, year, month) -> rent received

    def deposit(prop, tenant, d, rent):
        a = rent * 5 * 12 // 52 // 500 * 500
        w.add("fp_in", "deposit", d, a, tenant, ref=r.choice((prop["prop"][:18], "DEPOSIT", tenant.last + " deposit")), what="deposit", **prop_fields(prop))
        to_protect.append((later(d, r.choice((3, 5, 8, 10))), a, tenant, prop))

    def prop_fields(p):
        return {"prop": p["prop"], "pcode": p["pcode"]}

    to_protect = []
    for p in properties:
        def tenancy():
            t = w.names.person()
            t.more["share"] = None
            x = r.random()
            if x < .09:
                t.more["share"] = [t, w.names.person()] + ([w.names.person()] if r.random() < .3 else [])
            elif x < .2:
                t.payer = w.names.person(last=None if r.random() < .6 else t.last)
            t.more["benefit"] = x > .9
            t.more["method"] = "so_in" if r.random() < .75 else "fp_in"
            t.more["day"] = r.choice((1, 1, 1, 1, 1, 2, 5, 7, 14, 15, 20, 25, 28, 28))
            t.more["refs"] = r.choice((p["prop"][:18], p["prop"].split(" ", 1)[1][:18], t.last + " rent", "RENT " + p["pcode"], p["pcode"], "RENT", ""))
            if t.payer and t.more["refs"] in ("RENT", ""):
                t.more["refs"] = t.last + " rent"
            return t
        base = w.scale
        w.scale = 1
        stays = w.members(1, tenancy, 620, 35)
        w.scale = base
        for mem in stays:
            t = mem.party
            if mem.since > w.first and mem.since < w.end:
                deposit(p, t, mem.since - timedelta(days=r.randrange(0, 6)), p["rent"])
                if r.random() < .5:
                    w.add("fp_in", "holding", mem.since - timedelta(days=r.randrange(12, 30)), p["rent"] * 12 // 52 // 100 * 100, t, ref="holding deposit", **prop_fields(p))
            rent = p["rent"]
            for y, m in w.months():
                d = w.day(y, m, t.more["day"])
                if not mem.on(d):
                    continue
                if m == 6 and r.random() < .3:
                    rent += r.choice((1000, 1500, 2500))
                if t.more["benefit"]:
                    received.setdefault((y, m), []).append((p, rent, t))
                    continue
                x = r.random()
                if x < .02:
                    continue
                if x > .955 and d.day < 20 and t.more["method"] == "fp_in":
                    d += timedelta(days=r.randrange(2, 8))
                common = dict(doc_date=w.day(y, m, t.more["day"]), **prop_fields(p))
                if t.more["share"]:
                    k = len(t.more["share"])
                    portion = rent // k // 100 * 100
                    rows = []
                    for i, s in enumerate(t.more["share"]):
                        a = portion if i else rent - portion * (k - 1)
                        s.more.setdefault("ref", r.choice((s.last + " share", p["pcode"], p["prop"][:18])))
                        rows.append(share(w, d + timedelta(days=r.choice((0, 0, 0, 1, 2))), a, s, common))
                    w.add("fp_in", "rent", d, rent, t, rows=rows, **common)
                elif .02 < x < .045:
                    a = rent // 2 // 1000 * 1000 if r.random() < .5 else w.some(100, 400, 1000)
                    w.add("fp_in", "rent", d + timedelta(days=r.randrange(0, 5)), a, t, ref=t.more["refs"], base="instalment", payer=t.payer, **common)
                    w.add("fp_in", "rent", d + timedelta(days=r.randrange(8, 16)), rent - a, t, ref=t.more["refs"], base="instalment", payer=t.payer, **common)
                else:
                    w.add(t.more["method"], "rent", d, rent, t, ref=t.more["refs"], payer=t.payer, **common)
                received.setdefault((y, m), []).append((p, rent, None))
    # tenants paid for by the council: one payment for several
    for y, m in w.months():
        due = [(p, rent, t) for p, rent, t in received.get((y, m), []) if t]
        for i in range(0, len(due), 5):
            some = due[i:i + 5]
            d = w.day(y, m, 17 + i // 5 % 8)
            parts = [part(w, "rent", d, round(rent * .9) // 100 * 100, t, "HB", p) for p, rent, t in some]
            if len(parts) == 1:
                w.add("bacs_in", "rent", d, parts[0].amount, some[0][2], ref="HB %s" % parts[0].party.last.upper(), payer=council, prop=some[0][0]["prop"], pcode=some[0][0]["pcode"])
            else:
                w.add("bacs_in", "council", d, sum(x.amount for x in parts), council, ref="HB SCHED %d" % w.next("hb", 4000), parts=parts)
    # landlords are paid what came in less the fee, one payment for all their properties
    for y, m in w.months():
        for own, mine, day, rate in landlords:
            got = [(p, rent) for p, rent, _ in received.get((y, m), []) if p["landlord"] is own]
            if not got:
                continue
            d = on_or_before(w.day(y, m, day + (16 if any(True for _ in got) and r.random() < .1 else 0)))
            parts = []
            for p, rent in got:
                net = rent - round(rent * rate * 1.2)
                if r.random() < .15:
                    net -= w.some(45, 180, 500)
                parts.append(part(w, "landlord", d, -net, own, "", p))
            if len(parts) == 1 or r.random() < .45:
                for x in parts:
                    x.method, x.ref = "fp_out", x.more["prop"][:18] if len(parts) > 1 else own.more["ref"]
                    w.deals.append(x)
            else:
                w.add("fp_out", "landlord", d, sum(x.amount for x in parts), own, ref=own.more["ref"], parts=parts)
    # fees to the office account, deposits to the scheme, contractors
    for d in w.weekday(4):
        got = r.randrange(2, 6)
        w.add("transfer", "office", d, -sum(w.some(60, 130) for _ in range(got)), office, ref="")
    to_protect.sort(key=lambda x: x[0])
    for k, (d, a, t, p) in enumerate(to_protect):
        ref = "SH%07d" % r.randrange(10 ** 7)
        w.add("fp_out", "protect", d, -a, deposits, ref=ref if r.random() < .5 else t.last.upper() + " " + ref[-4:], last=t.last, prop=p["prop"], pcode=p["pcode"], cert=ref)
        if r.random() < .75:
            out = d + timedelta(days=r.randrange(200, 700))
            if out < w.end:
                w.add("fp_in", "release", out, a - r.choice((0, 0, 4500, 12000)), deposits, ref=t.last.upper() + " " + ref[-4:], last=t.last, prop=p["prop"], pcode=p["pcode"])
    for d in w.working_days():
        for _ in range(w.poisson(.28 * w.scale)):
            c, p = r.choice(contractors), r.choice(properties)
            doc = str(w.next("c%d" % c.number, 200))
            pay = later(d + timedelta(days=r.choice((7, 14, 14, 30))), 0)
            if r.random() < .16:
                parts = [part(w, "contractor", pay, -w.some(45, 420, 100), c, "", r.choice(properties), doc=str(w.next("c%d" % c.number, 200)), what=c.more["what"], doc_date=d) for _ in range(r.choice((2, 2, 3, 4)))]
                w.add("fp_out", "several", pay, sum(x.amount for x in parts), c, ref=OWN, parts=parts, doc=doc)
            else:
                w.add("fp_out", "contractor", pay, -w.some(40, 650, 100 if r.random() < .6 else 1), c, ref=r.choice((doc, "INV " + doc, p["prop"][:18])), doc=doc,
                      what=c.more["what"], doc_date=later(pay, 0) if r.random() < .7 else pay - timedelta(days=2), **prop_fields(p))
    monthly_debit(w, w.names.fixed("Rightful Referencing", "Rightful"), 6, 60, 220, "referencing")
    for k in range(w.count(2)):
        p = r.choice(properties)
        monthly_debit(w, w.names.fixed("Eastgrid Power Supply Ltd", "Eastgrid"), 3 + 5 * k % 25, 20, 75, "electric void", chance=.5, book_more=prop_fields(p))
    charges(w, 4, 12, 40, (1, 30))
    returned(w, contractors, .2, 60, 300)
    cheque_no = 100300
    for d in w.working_days():
        if r.random() < .02 * w.scale:
            cheque_no += 1
            own = r.choice(landlords)[0]
            w.add("cheque", "cheque", d, -w.some(150, 900), own, chq=str(cheque_no), what="rent")
        if r.random() < .035 * w.scale:
            p = r.choice(properties)
            w.add("slip", "slip", d, w.some(80, 600, 500), None, slip="%06d" % w.next("slip", 500, (1,)), branch="Tarnside", **prop_fields(p))


def share(w, d, a, s, common):
    return Deal("so_in", "share", d, a, s, ref=s.more["ref"], **common)


def part(w, cat, d, a, party, ref, p, **k):
    return Deal("fp_in", cat, d, a, party, ref=ref, prop=p["prop"], pcode=p["pcode"], **k)


WORDS = {
    "rent": (["{prop} - rent {name}", "Rent {prop} {last}", "{pcode} {last} rent", "{last} rent {mon}", "{prop} {mon}"], ["rent", "rent received"]),
    "share": (["{prop} rent {last}", "{last} share {pcode}"], ["rent share"]),
    "council": (["Tarnside BC HB schedule", "HB Tarnside {mon}"], ["HB"]),
    "landlord": (["{name} - {prop}", "Landlord {name} {mon}", "Pay {last} {pcode}", "{name} {mon} statement"], ["landlord payment", "LL pmt {mon}"]),
    "deposit": (["{prop} deposit {last}", "Deposit {last}", "{last} {pcode} dep"], ["deposit"]),
    "holding": (["{prop} holding dep {last}", "Holding deposit {last}"], ["holding deposit"]),
    "protect": (["Safehold {last} {pcode}", "Deposit to scheme {last}", "Safehold {cert}"], ["deposit to scheme"]),
    "release": (["Safehold release {last}", "Deposit back {last} {prop}"], ["deposit release"]),
    "contractor": (["{name} {prop}", "{name} inv {doc}", "{pcode} {what} {name}", "{name} {what}"], ["{what}", "repairs", "{what} {pcode}"]),
    "office": (["Fees to office account {dm}", "Fees {wk}", "Transfer to office fees"], ["fees"]),
    "slip": (["Cash rent {prop} {slip}", "Paid in {slip} {pcode}", "{prop} cash"], ["cash rent"]),
}


def clerk(rng):
    return Clerk(rng, WORDS, {
        "so_in": [(6, "bank"), (2, "doc"), (1, "before"), (2, "next")], "fp_in": [(6, "bank"), (3, "next"), (1, "doc"), (1, "visit")], "fp_out": [(4, "bank"), (4, "doc"), (2, "before"), (1, "visit")],
        "cheque": [(1, "doc")], "slip": [(3, "doc"), (1, "bank")], "dd_out": [(5, "bank"), (1, "visit")], "fee": [(2, "bank"), (1, "visit")]},
        visits=(1, 4), short={"Road": "Rd", "Street": "St", "Terrace": "Tce", "Lane": "Ln", "Avenue": "Ave", "Close": "Cl"},
        rates={"late": .020, "early": .013, "stuck": .014, "month_end": .014})


BANK = wording.Longform
