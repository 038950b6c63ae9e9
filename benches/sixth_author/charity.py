"""Lantern Trust Shops: a charity with second-hand shops, donors and a volunteer treasurer."""
from datetime import timedelta
from uk_days import later
from clerk import Clerk
from deals import Deal
from overheads import card_spend, charges, monthly_debit, paye, returned, transfers, utilities, wages_monthly
import wording

ROWS_PER_YEAR = 1250
LONG = 1.06  # so much more is needed for ten years, as some customers come later
TOWNS = ["Haxford", "Redmire", "Saltby", "Wraxby", "Kelstone", "Ravensby", "Thornley", "Uplyme", "Tarnside", "Marlpit", "Lindholme", "Garthorne", "Selwick", "Eastleach", "Pendle", "Ashcombe"]


def run(w):
    r = w.rng
    shops = []
    for k in range(min(len(TOWNS), w.count(3))):
        shops.append({"town": TOWNS[k], "tcode": TOWNS[k][:3].upper(), "mid": "7%06d" % r.randrange(10 ** 6), "size": r.uniform(.6, 1.6)})
    acquirer = w.names.fixed("Shopcard Payments", "Shopcard")
    rags = w.names.firm(["Textile Recycling", "Rag Merchants"])
    market = w.names.fixed("Bidmarket Europe", "Bidmarket")
    giving = w.names.fixed("Kindly Giving Platform", "Kindly")
    reserve = w.names.fixed("Lantern Trust Deposit", "Deposit account")
    hmrc = w.names.fixed("HMRC Charities", "HMRC Gift Aid")

    # tills: cash by paying-in slip twice a week; cards settled for a few days together, sometimes for all shops in one
    for d in w.days():
        if d.weekday() in (0, 3):
            for s in shops:
                if r.random() < .82:
                    slip = "%06d" % w.next("slip", 100200, (1,))
                    day = d if d.weekday() < 4 else d
                    a = w.some(90 * s["size"], 420 * s["size"], 500 if r.random() < .55 else 1)
                    if r.random() < .2:
                        extra = r.choice((1000, 1500, 2000, 2500, 3000))
                        parts = [Deal("slip", "till", day, a, None, slip=slip, **fields(s)), Deal("slip", "tin", day, w.some(6, 60), None, slip=slip, **fields(s))]
                        if r.random() < .3:
                            parts.append(Deal("slip", "gift", day, extra, donor(w), slip=slip))
                        w.add("slip", "till", day, sum(p.amount for p in parts), None, slip=slip, branch=s["town"], parts=parts, **fields(s))
                    else:
                        w.add("slip", "till", day, a, None, slip=slip, branch=s["town"] if r.random() < .7 else "", **fields(s))
        if d.weekday() in (1, 5):
            sums = [(s, w.some(140 * s["size"], 700 * s["size"])) for s in shops]
            if r.random() < .13 and len(sums) > 1:
                for i in range(0, len(sums), 4):
                    some = sums[i:i + 4]
                    if len(some) > 1:
                        parts = [Deal("takings", "cards", d, a, acquirer, **fields(s)) for s, a in some]
                        w.add("takings", "cards", d, sum(a for _, a in some), acquirer, ref="GROUP %s" % d.strftime("%d%m"), parts=parts, settle=2, town="all", tcode="ALL")
            else:
                for s, a in sums:
                    w.add("takings", "cards", d, a, acquirer, ref="%s %s" % (s["mid"], s["town"][:8] if r.random() < .6 else d.strftime("%d%m")), settle=r.choice((1, 1, 2)), mid=s["mid"][-4:], **fields(s))
    # regular gifts, many of the same sum on the same day
    for mem in w.members(15, lambda: donor(w), 1500):
        p = mem.party
        a = r.choice((500, 500, 800, 1000, 1000, 1000, 1500, 2000, 2000, 2500, 3000, 5000))
        day = r.choice((1, 1, 1, 1, 5, 10, 15, 15, 20, 25, 28))
        p.more["ref"] = r.choice((p.last, "LANTERN " + p.last[:9], "donation", "Lantern Trust", p.code, p.code))
        for y, m in w.months():
            d = w.day(y, m, day)
            if mem.on(d):
                p.more.setdefault("gifts", {})[(y, m)] = (d, a)
                w.add("so_in", "gift", d, a, p, ref=p.more["ref"])
    # on some days the treasurer enters a few gifts as one sum
    gifts = {}
    for deal in w.deals:
        if deal.cat == "gift" and deal.method == "so_in":
            gifts.setdefault(deal.date, []).append(deal)
    gone = set()
    for d in sorted(gifts):
        some = gifts[d]
        if len(some) >= 2 and r.random() < .16:
            some = some[:r.choice((2, 2, 3, 4))]
            gone.update(id(x) for x in some)
            w.add("so_in", "gifts", d, sum(x.amount for x in some), None, rows=some, names=" ".join(x.party.last for x in some[:3]))
    w.deals = [x for x in w.deals if id(x) not in gone]
    # single gifts, legacies, the giving platform less its fee, Gift Aid
    givers = [donor(w) for _ in range(w.count(60))]
    for d in w.days():
        for _ in range(w.poisson(.16 * w.scale)):
            p = r.choice(givers)
            w.add("fp_in", "gift", d, r.choice((1000, 1500, 2000, 2500, 5000, 10000, 10000, 25000)), p, ref=r.choice(("donation", p.last, "in memory of " + r.choice(("Joan", "Ted", "Mum", "Arthur")), "Lantern", "")))
        if r.random() < .006 * w.scale:
            firm = w.names.firm(["Solicitors", "Law", "Legal"])
            w.add("bacs_in", "legacy", d, w.some(800, 9000, 1), firm, ref="EST %s" % w.names.person().last.upper(), what="legacy")
    for y, m in w.months():
        gross = w.some(90 * w.scale, 420 * w.scale)
        fee = max(100, round(gross * .045))
        d = w.day(y, m, 8)
        w.add("bacs_in", "giving", d, gross - fee, giving, ref="KG%05d" % r.randrange(10 ** 5), parts=[Deal("bacs_in", "giving", d, gross, giving), Deal("bacs_in", "charge", d, -fee, giving)])
        if m % 3 == 1:
            w.add("bacs_in", "giftaid", w.day(y, m, 22), w.some(350 * w.scale, 1300 * w.scale), hmrc, ref="CH%05d" % (hmrc.number % 10 ** 5))
    for d in w.weekday(4):
        gross = w.some(80 * w.scale, 360 * w.scale)
        fee = round(gross * .11)
        if r.random() < .5:
            w.add("bacs_in", "market", d, gross - fee, market, ref="PAYOUT %d" % r.randrange(10 ** 5, 10 ** 6), parts=[Deal("bacs_in", "market", d, gross, market), Deal("bacs_in", "charge", d, -fee, market)])
        else:
            w.add("bacs_in", "market", d, gross - fee, market, ref="PAYOUT %d" % r.randrange(10 ** 5, 10 ** 6))
        for s in shops:
            if r.random() < .24:
                kilos = r.randrange(90, 480)
                w.add("bacs_in", "rags", d + timedelta(days=r.choice((3, 4, 5))), kilos * r.choice((38, 42, 45)), rags, ref="%s %dKG" % (s["tcode"], kilos), what="%d kg" % kilos, doc_date=d, **fields(s))
    # each shop's rent, power and helpers
    landlords = [w.names.firm(["Estates", "Property", "Investments"], ("Ltd", "LLP", "")) for _ in shops]
    power = w.names.fixed("Eastgrid Power Supply Ltd", "Eastgrid")
    water = w.names.fixed("Northmere Water plc", "Northmere Water")
    for s, own in zip(shops, landlords):
        monthly_debit(w, own, 1, r.choice((650, 700, 750, 825)), what="rent " + s["town"], cat="shoprent", method="so_out", step=500, ref="LANTERN " + s["town"].upper(), book_more=fields(s))
        monthly_debit(w, power, 12, r.choice((85, 85, 95, 110)), what="electric", cat="power", show_ref=True, book_more=fields(s), step=100)
        monthly_debit(w, water, r.choice((6, 7)), r.choice((24, 24, 31)), what="water", cat="power", show_ref=True, book_more=fields(s), step=100)
    manager = w.members(4, w.names.staff, 1500)
    wages_monthly(w, manager, 26, 1250, 1690, equal=.5)
    helpers = [w.names.staff() for _ in range(w.count(14))]
    for d in w.working_days():
        for _ in range(w.poisson(.36 * w.scale)):
            p = r.choice(helpers)
            s = r.choice(shops)
            n = r.randrange(2, 9)
            bus = r.random() < .6
            w.add("fp_out", "helper", d, -(n * r.choice((430, 460, 480)) if bus else w.some(5, 70)), p, ref="EXPENSES" if r.random() < .6 else p.last.upper() + " EXP", what="bus fares" if bus else "expenses",
                  doc_date=later(d - timedelta(days=r.choice((0, 0, 1, 2))), 0), **fields(s))
    cheque_no = 200100
    suppliers = [w.names.firm(["Shopfitting", "Signs", "Window Cleaning", "Alarms", "Electrical", "Printers"]) for _ in range(w.count(8))]
    for d in w.working_days():
        if r.random() < .11 * w.scale:
            p = r.choice(suppliers)
            s = r.choice(shops)
            doc = str(r.randrange(100, 9000))
            if r.random() < .25:
                parts = [Deal("fp_out", "payment", d, -w.some(20, 260, 10), p, doc=str(int(doc) + k), what="repairs", **fields(r.choice(shops))) for k in range(r.choice((2, 2, 3)))]
                w.add("fp_out", "several", d, sum(x.amount for x in parts), p, ref="LANTERN TRUST", parts=parts)
            else:
                w.add("fp_out", "payment", d, -w.some(20, 420, 100 if r.random() < .4 else 1), p, ref="INV " + doc if r.random() < .7 else "LANTERN TRUST", doc=doc, what="repairs", **fields(s))
        if r.random() < .06 * w.scale:
            cheque_no += 1
            s = r.choice(shops)
            who = r.choice(helpers + suppliers)
            w.add("cheque", "cheque", d, -(5000 if r.random() < .25 else w.some(8, 180)), who, chq=str(cheque_no), what="petty cash" if r.random() < .4 else "expenses", **fields(s))
    utilities(w, {"phones": (78, 140, 21), "broadband": (39, None, 16), "insurance": (164, None, 3), "pension": (120, 150, 25), "bins": (64, 120, 27)})
    card_spend(w, ("stationery", "kitchen supplies", "postage", "van", "fuel", "printer ink"), 5, [s["town"] for s in shops])
    charges(w, 6, 14, 48, (2, 25))
    paye(w, 380, 720, 19)
    transfers(w, reserve, .7, 1000, 5000, 50000, both=True)
    returned(w, helpers, .15, 8, 60)


def fields(s):
    return {"town": s["town"], "tcode": s["tcode"]}


def donor(w):
    p = w.names.person()
    if w.rng.random() < .06:
        p.legal = "Mr & Mrs " + p.last
    return p


WORDS = {
    "till": (["{town} till {slip}", "{tcode} cash {slip}", "Banking {town} {slip}", "{town} cash {wk}", "{tcode} {slip}"], ["shop cash", "till {slip}"]),
    "tin": (["{town} collecting tin", "tin {tcode} {slip}"], ["tin"]),
    "cards": (["{town} cards {dm}", "{tcode} Shopcard {mid}", "Shopcard {town}", "cards {tcode} {wk}"], ["shop cards", "cards {dm}"]),
    "gift": (["Donation {name}", "{name}", "Gift - {name}", "{code} {name}"], ["donation", "regular gift"]),
    "gifts": (["Regular gifts {dm} {names}", "Gifts {names}"], ["regular gifts {dm}"]),
    "giving": (["Kindly {mon}", "Kindly platform"], ["online giving"]),
    "giftaid": (["Gift Aid claim {mon}", "HMRC Gift Aid"], ["gift aid"]),
    "market": (["Bidmarket sales {dm}", "Bidmarket {wk}"], ["online sales"]),
    "rags": (["Rags {town} {what}", "{short} rags {tcode}", "rag {tcode} {what}"], ["rags", "rags {what}"]),
    "legacy": (["Legacy {ref}", "Legacy via {name}"], ["legacy"]),
    "shoprent": (["{town} rent {mon}", "{name} {town}", "Rent {tcode}"], ["shop rent"]),
    "power": (["{name} {town} {acct}", "{town} {what} a/c {acct}", "{tcode} {what} {acct}"], ["{what}"]),
    "helper": (["{name} {what}", "{name} {tcode} {what}", "Vol exp {name}", "exp {last} {town}"], ["volunteer expenses", "{what}"]),
    "payment": (["{name} {town} {doc}", "{name} {doc}", "{tcode} {name}"], ["repairs", "{town} repairs"]),
}


def clerk(rng):
    return Clerk(rng, WORDS, {
        "slip": [(5, "doc"), (2, "bank"), (1, "next")], "takings": [(4, "bank"), (3, "doc"), (2, "before")], "so_in": [(7, "bank"), (2, "doc"), (1, "visit")],
        "fp_in": [(5, "bank"), (2, "visit"), (1, "next")], "bacs_in": [(4, "bank"), (1, "visit"), (2, "next")], "fp_out": [(5, "doc"), (3, "bank")],
        "so_out": [(2, "doc"), (3, "bank")], "dd_out": [(4, "bank"), (1, "visit")], "cheque": [(1, "doc")], "card_out": [(4, "doc"), (3, "visit"), (2, "bank")],
        "fee": [(2, "bank"), (1, "visit")]},
        visits=(2, 4), forms=("{title} {last}", "{title} {i} {last}", "{first} {last}", "{i} {last}"), rates={"bare": .07, "typo": .035, "late": .013})


BANK = wording.Plainspoken
