"""The four organisations: who pays whom, how the bank prints it, how the clerk writes it."""
from core import *


def digits(r, n):
    return "".join(str(r.randint(0 if i else 1, 9)) for i in range(n))


def money(r, lo, hi, whole=.1):
    p = int(lo * (hi / lo) ** r.random() * 100)
    return max(100, p // 100 * 100) if r.random() < whole else p


def person(r, titled=.3):
    f, s = r.choice(FORE), r.choice(SUR)
    return f, s


# =====================================================================================================================
class BellwetherLets(Org):
    """Letting agent, clients' account: equal rents, sharers, housing benefit in bulk, landlords paid net of fees and repairs."""
    window = 3
    weekend_fp = False
    start = D(2013, 2, 1)

    def setup(self):
        r = self.r
        slips = dict(missing=.03, typo=.05, digits=.01, wrong_customer=.018, bare=.045, double=.011, wrong_amount=.008, reversed=.007)
        self.clerks = [
            (self.start, Clerk("code", [("bank", 50), ("doc", 22), ("next", 20), ("late", 2), ("stale_date", 2), ("early", 1)], order="bank", **slips)),
            (D(2013, 11, 1), Clerk("name", [("bank", 56), ("next", 16), ("session", 18), ("late", 3), ("stale_date", 2)], (0, 2, 4), **slips)),
            (D(2016, 6, 1), Clerk("code", [("bank", 40), ("doc", 40), ("next", 10), ("late", 3), ("month_end", 2)], **slips))]
        self.temp = Clerk("poor", [("bank", 70), ("next", 20), ("late", 6), ("stale_date", 4)], **dict(slips, bare=.2, missing=.06, typo=.08))
        streets = r.sample("""Alma Bankfield Beech Birkby Canal Cobden Cross Croft Dale Elm Fern Fountain Gladstone Hawthorn Hope Industrial
Jubilee Lark Leymoor Mafeking Mount Nelson Oxley Park Percy Prospect Quarry Raglan Sandhurst Spring Tanyard Trafalgar Union Victoria
Wharf Woodbine York Zetland""".split(), 30)
        self.tenants, self.lords, self.props, self.trades = [], [], [], []
        kinds = ["Street", "Street", "Road", "Terrace", "Avenue", "Court", "Mews"]
        seen = set()
        nl = self.n_of(24)
        for _ in range(nl):
            f, s = person(r)
            co = self.chance(.15)
            nm = r.choice(SUR) + " " + r.choice(["Properties", "Estates", "Homes", "Property Investments"]) + " Ltd" if co else f + " " + s
            bn = nm.upper() if co else r.choice([f[0] + " " + s, f + " " + s, "MR AND MRS " + f[0] + " " + s, s + " " + f[0]]).upper()
            L = Party(nm, bn[:18], self.lords, code="L%03d" % (len(self.lords) + 1), short=s if not co else nm.split()[0], props=[],
                      day=r.choice([5, 5, 5, 10, 10, 15, 28]), fee=r.choice([8, 10, 10, 12, 12.5]), gross=self.chance(.36), repairs=[])
            for _ in range(pick(r, [(1, 9), (2, 4), (3, 2), (5, 1)])):
                while True:
                    st, no = r.choice(streets), r.randint(1, 140)
                    flat = "" if self.chance(.7) else r.choice(["A", "B", "C", "F1", "F2", "F3", "F4"])
                    if (st, no, flat) not in seen:
                        break
                seen.add((st, no, flat))
                rent = r.choice([45000, 47500, 49500, 52500, 55000, 55000, 57500, 59500, 59500, 62500, 65000, 65000, 69500, 75000, 79500, 85000, 95000])
                P = Party("%d %s %s" % (no, st, r.choice(kinds)), code="%03d%s%s" % (no, st[:3].upper(), flat), rent=rent, lord=L, flat=flat, tenant=None, st=st, no=no)
                L.props.append(P)
                self.props.append(P)
        for P in self.props:
            if self.chance(.94):
                self.move_in(P)
        self.council = Party("Calderbeck MBC HB", "CALDERBECK MBC", code="HB")
        self.scheme = Party("Deposit scheme", "THE DEPOSIT PROTECT", code="DPS")
        self.office = Party("Office a/c", "BELLWETHER LETS OFF", code="OFF")
        for s in r.sample(SUR, 16):
            w = r.choice(["Plumbing", "Electrical", "Gas Services", "Roofing", "Locksmiths", "Cleaning", "Decorators", "Joinery"])
            nm = s + " " + w
            Party(nm, (r.choice(FORE)[0] + " " + s if self.chance(.35) else nm).upper()[:18], self.trades, code="C%02d" % len(self.trades), short=s)

    def move_in(self, P):
        r = self.r
        f, s = person(r)
        t = Party(r.choice(["Mr ", "Miss ", "Mrs ", "Ms ", ""]) + f[0] + " " + s, pool=self.tenants, code=P.code, short=s, prop=P)
        x = r.random()
        if x < .12:
            t.bname, t.other = (r.choice(FORE)[0] + " " + r.choice(SUR)).upper(), True
        else:
            t.bname = r.choice([s + " " + f[0], f + " " + s, f[0] + " " + s, "%s %s+%s %s" % (f[0], s, r.choice(FORE)[0], r.choice(SUR))]).upper()[:18]
        t.mate = (r.choice(SUR) + " " + r.choice(FORE)[0]).upper() if self.chance(.09) else None
        t.mode = pick(r, [("so", 60), ("fp", 27), ("hb", 9), ("uc", 6), ("cash", 2)])
        t.due = pick(r, [(1, 9), (28, 2), (15, 2), (r.randint(2, 27), 6)])
        t.slow = self.chance(.2)
        t.payref = pick(r, [("RENT", 5), ("RENT " + P.code[:3].lstrip("0") + " " + P.st.upper(), 5), (P.st.upper() + " " + str(P.no), 3),
                            (s.upper(), 2), ("", 2), (r.choice(["HOUSE", "FLAT", "LANDLORD", "BILLS", "MONTHLY RENT"]), 2), (P.code, 2)])[:18]
        t.hbref = digits(r, 7)
        P.tenant = t
        return t

    def bank_text(self, ch, who, ref, d, p, what):
        r = self.r
        ref = (ref or "").upper()[:18]
        nm = who.bname.upper()
        if ch == "so":
            return nm + (" , " + ref if ref else "")
        if ch == "dd":
            return "%s , %s" % (nm, who.acct or ref)
        if ch == "bacs":
            return "%s , %s" % (nm, ref)
        if ch == "chq":
            return ref
        if ch == "slip":
            return "BRANCH CREDIT , %06d , AT HALLGATE" % r.randint(300, 2999)
        if ch == "chg":
            return "CHARGES %s , A/C 41%s" % (d.strftime("%d%b").upper(), "77031")
        if p < 0:
            return "%s , %s , FP %s 10 , %s" % (nm, ref, d.strftime("%d/%m/%y"), digits(r, 14) + "000N")
        return "%s , %s%s , FP %s %02d%02d , %s" % (nm, ref, "", d.strftime("%d/%m/%y"), r.randint(0, 23), r.randint(0, 59), digits(r, 18))

    def book_text(self, c, who, ref, what, ch, p):
        r = self.r
        if c.style == "code":
            return r.choice(["%s %s", "%s %s", "%s - %s"]) % (who.code, (what + (" " + who.short if self.chance(.45) else "")) or who.short) + \
                (" " + ref if ref and self.chance(.6) else "")
        if c.style == "name":
            return "%s %s %s" % (who.name, what, ref if self.chance(.5) else "")
        return r.choice(["%s", "%s rec'd" if p > 0 else "pd %s", "%s"]) % who.short

    def bare(self, c, ch, p):
        return self.r.choice(["Rent", "rent rec'd", "Tenant", "BACS", "receipt"]) if p > 0 else self.r.choice(["Payment", "o/line pmt", "contractor", "BACS", "landlord"])

    def month(self, y, m):
        r = self.r
        hb = []
        for P in self.props:
            if P.tenant is None:
                if self.chance(.45):
                    t = self.move_in(P)
                    dep = P.rent * 1 + r.choice([0, 0, 10000, 15000])
                    d0 = self.rday(y, m)
                    self.pay(d0, dep, "fp", t, what="deposit", payref="DEPOSIT " + P.st.upper())
                    self.pay(add_wd(d0, r.randint(1, 8)), -dep, "fp", self.scheme, ref=digits(r, 8), what="dep " + P.code)
                continue
            t = P.tenant
            if m == 4 and self.chance(.4):
                P.rent += r.choice([1000, 1500, 2000, 2500])
            if self.chance(.035):
                if self.chance(.5):
                    back = P.rent - r.choice([0, 0, 4500, 8500, 12000])
                    self.pay(self.rday(y, m), back, "fp", self.scheme, what="dep release " + P.code, payref=digits(r, 8))
                    self.pay(self.rday(y, m), -back, "fp", t, what="deposit return", payref="DEPOSIT")
                P.tenant = None
                continue
            due = day_in(y, m, t.due)
            d = due if t.mode == "so" or not t.slow else due + days(r.choice([0, 1, 2, 3, 5, 9, 14]))
            what = r.choice(["rent", "rent", "rent " + due.strftime("%b").lower()])
            if t.mode == "hb":
                share = P.rent if self.chance(.3) else int(P.rent * r.uniform(.5, .9)) // 4 * 4
                hb.append((t, share))
                if P.rent - share > 500:
                    self.pay(d, P.rent - share, "fp", t, what="top up", payref=t.payref)
            elif t.mode == "uc":
                self.pay(d, int(P.rent * r.uniform(.6, 1)), "bacs", Party(t.name, "DWP UC", None, code=t.code, short=t.short, other=True),
                         what="UC " + what, payref="%s %s" % (digits(r, 8), P.code if self.chance(.4) else ""))
            elif t.mode == "cash":
                self.pay(d, P.rent, "slip", t, what=what + " cash", kind="counter_credit")
            elif t.mate or (t.slow and self.chance(.12)):
                a = P.rent // 2 if t.mate else r.choice([10000, 20000, 30000, P.rent - 15000])
                d1 = self.bank_day(due, "so" if t.mate else "fp")
                d2 = on_or_after(d1 + days(r.choice([0, 0, 0, 1, 2, 3]) if t.mate else r.randint(2, 16)))
                mate = Party(t.name, t.mate or t.bname)
                c = self.clerk(d2)
                if self.chance(.45):
                    self.in_parts(d2 if c.dates[1][0] != "doc" or self.chance(.5) else due, self.words(c, t, "", what, "fp", 1),
                                  [(d1, a, self.bank_text("fp", t, t.payref, d1, a, "")), (d2, P.rent - a, self.bank_text("fp", mate, t.payref, d2, a, ""))],
                                  "sharers" if t.mate else "paid_in_parts")
                else:
                    self.pay(due, a, "fp", t, what=what + " pt", payref=t.payref, bd=d1)
                    self.pay(due, P.rent - a, "fp", Party(t.name, mate.bname, code=t.code, short=t.short, other=bool(t.mate)), what=what + " bal", payref=t.payref, bd=d2)
            else:
                bd = self.pay(d, P.rent, t.mode, t, what=what, payref=t.payref)
                if self.chance(.008):
                    self.only_bank(add_wd(bd, r.randint(0, 4)), P.rent, t.mode, t, t.payref, "paid_twice")
        # housing benefit, every four weeks on a Monday
        for x in range(1, month_len(y, m) + 1):
            d = D(y, m, x)
            if d.toordinal() % 28 == 8 and hb:
                self.settle(d, [(d, int(s * 12 / 13), t, t.hbref, "HB") for t, s in hb], "bacs", self.council, "HB SCHED " + digits(r, 6), "benefit_schedule", own=0, bd=on_or_after(d))
        # contractors, charged on to landlords
        for _ in range(self.some(9)):
            P, T = r.choice(self.props), r.choice(self.trades)
            p = r.choice([4500, 6000, 6000, 7500, 8500, 9500, 12000]) if self.chance(.5) else money(r, 40, 900)
            d = self.rday(y, m)
            inv = digits(r, r.choice([3, 4, 4, 5]))
            self.pay(d, -p, "fp", T, inv, r.choice(["repair", "inv", "works"]) + " " + P.code, payref=r.choice(["INV " + inv, inv, P.code]))
            P.lord.repairs.append((p, P))
        # landlords
        for L in self.lords:
            d = on_or_after(day_in(y, m, L.day))
            docs, net = [], 0
            for P in L.props:
                if P.tenant:
                    fee = int(P.rent * L.fee / 100 + .5)
                    docs += [(d, -P.rent, L, "", "rent " + P.code), (d, fee, L, "", "fee " + P.code)]
            for p, P in L.repairs[:4]:
                docs.append((d, p, L, "", "repair " + P.code))
            net = sum(x[1] for x in docs)
            if net < -2000:
                L.repairs = L.repairs[4:]
                ref = r.choice(["RENT " + d.strftime("%b %y").upper(), "BELLWETHER RENT", L.code + " STMT"])
                if L.gross and self.chance(.6):
                    self.settle(d, docs, "fp", L, ref, "landlord_statement", own=0)
                else:
                    self.pay(d, net, "fp", L, L.code if self.chance(.3) else "", "statement " + d.strftime("%b").lower(), payref=ref)
        fees = sum(int(P.rent * P.lord.fee / 100 + .5) for P in self.props if P.tenant)
        e = month_end(D(y, m, 1))
        for q in ([fees] if self.chance(.5) else [fees // 2, fees - fees // 2]):
            self.pay(on_or_before(e - days(r.randint(0, 3))), -q, "fp", self.office, "", "fees to office", payref="FEES " + e.strftime("%b").upper(), kind="transfer")
        d = on_or_after(D(y, m, 4))
        if self.chance(.5):
            self.pay(d, -money(r, 12, 40, 0), "chg", Party("Bank charges", code="CHG"), "", "charges", mode="late" if self.chance(.3) else None, kind="charges")
        else:
            self.only_bank(d, -money(r, 12, 40, 0), "chg", self.office, kind="charges_not_entered")
        for _ in range(self.some(1.2)):
            P = r.choice(self.props)
            self.only_bank(self.rday(y, m), r.choice([1000, 5000, 10000, P.rent]), "fp", Party("", (r.choice(SUR) + " " + r.choice(FORE)[0]).upper()), r.choice(["RENT", "", "REF", "MOVE IN"]), "unknown_receipt")
        for _ in range(self.some(4)):
            P = r.choice(self.props)
            t = P.tenant or r.choice(self.tenants)
            self.only_book(self.rday(y, m), r.choice([P.rent, P.rent, P.rent // 2, -P.rent]), self.words(self.clerk(D(y, m, 15)), t, "", r.choice(["rent", "rent due", "rent adj"]), "fp", 1), "never_received")


# =====================================================================================================================
class GarrickTimber(Org):
    """Builders' merchant: trade accounts paying several invoices less credits, card takings by day, cheques on slips, weekly wages."""
    window = 3
    pad = True
    start = D(2013, 9, 1)

    def setup(self):
        r = self.r
        slips = dict(missing=.02, typo=.045, digits=.05, wrong_customer=.016, bare=.03, double=.013, wrong_amount=.011, reversed=.006)
        self.clerks = [
            (self.start, Clerk("ref", [("bank", 62), ("next", 22), ("session", 8), ("late", 2), ("stale_date", 2), ("early", 2)], (4,), order="bank", **slips)),
            (D(2014, 10, 1), Clerk("abbr", [("bank", 46), ("session", 24), ("next", 20), ("late", 4), ("month_end", 3)], (1, 4), **slips))]
        self.temp = Clerk("plain", [("bank", 60), ("next", 30), ("stale_date", 8)], **dict(slips, bare=.12, wrong_customer=.04))
        self.customers, self.suppliers, self.staff, self.open = [], [], [], []
        self.inv, self.crn, self.slipno = r.randrange(20100, 60000), r.randrange(300, 900), r.randrange(450, 700)
        for _ in range(self.n_of(46)):
            f, s = person(r)
            nm = r.choice([s + " & Son Builders", f[0] + " " + s + " Building Contractors", s + " Construction Ltd", s + " Joinery", s + " Bros", f + " " + s,
                           r.choice(["Pennine", "Tops", "Valley", "Moorside", "Castle", "Bridge End", "Ridge", "Old Mill"]) + " " +
                           r.choice(["Roofing", "Extensions", "Loft Conversions", "Fencing", "Landscapes", "Homes Ltd", "Groundworks", "Developments Ltd"])])
            bn, other = nm.upper(), False
            x = r.random()
            if x < .14:
                bn, other = (f + " " + s).upper() if s not in nm else (r.choice(FORE)[0] + " " + r.choice(SUR) + " T/A").upper(), True
            elif x < .3:
                bn = bn.replace("BUILDING CONTRACTORS", "BLDG CONT").replace("CONSTRUCTION", "CONST").replace("&", "AND")
            c = Party(nm, bn, self.customers, other=other, code=(s if s in nm else nm.replace(" ", ""))[:4].upper() + "%02d" % r.randint(1, 30), short=nm.split()[0] if s not in nm else s,
                      habit=pick(r, [("stmt", 40), ("invs", 22), ("account", 24), ("parts", 8), ("disc", 6)]), ch=pick(r, [("bacs", 40), ("fp", 36), ("chq_in", 24)]),
                      per=pick(r, [(1, 5), (2, 4), (4, 3), (7, 1)]), owing=[], pref=pick(r, [("inv", 5), ("code", 3), ("us", 3), ("", 2), ("stale", 1)]), lag=r.randint(0, 12))
            c.stale = "SI%d" % (self.inv - r.randint(100, 3000))
        for nm in ["Norbrook Timber Importers", "Keld Aggregates", "Brickworks Direct", "Tolland Plasterboard", "Fixfast Wholesale", "Aireburn Cement", "Marram Insulation",
                   "Sleightholme Sawmills", "Dunnock Paints", "Ravensett Tools", "Halfpenny Skips", "Corrigan Haulage", "Sandal Packaging", "Topcliffe Forklifts"]:
            Party(nm, nm.upper(), self.suppliers, code=nm[:3].upper() + "01", short=nm.split()[0], ch=pick(r, [("bacs", 6), ("dd", 3), ("chq", 2)]), acct=digits(r, 8), per=r.randint(1, 5))
        for _ in range(max(3, self.n_of(3))):
            self.hire()
        P = lambda nm, bn, **k: Party(nm, bn, None, short=nm.split()[0], code=nm[:4].upper(), **k)
        self.card, self.amex = P("Card takings", "CARDSTREAM MERCHANT", acct="77410293"), P("Charge cards", "AXIS CHARGECARD", acct="9433010")
        self.fixed = [(P("Rates", "CALDERBECK MBC NNDR", acct=digits(r, 9)), 118400, 1), (P("Yard rent", "HUDSPETH ESTATES", acct="GARRICK YARD"), 240000, 25),
                      (P("Electricity", "NORTH GRID ENERGY", acct=digits(r, 8)), 0, 14), (P("Telephone", "BT GROUP PLC", acct=digits(r, 10)), 0, 9),
                      (P("Van lease 1", "TOPCLIFFE LEASING", acct="A118204"), 28945, 18), (P("Van lease 2", "TOPCLIFFE LEASING", acct="A118205"), 28945, 18),
                      (P("Van lease 3", "TOPCLIFFE LEASING", acct="A120377"), 28945, 18)]
        self.fuel, self.hmrc = P("Fuel cards", "FUELWISE CARDS", acct=digits(r, 7)), P("HMRC", "HMRC CUMBERNAULD")
        self.vat = P("VAT", "HMRC VAT")
        self.visitors = P("Counter", "")

    def hire(self):
        f, s = person(self.r)
        Party(f + " " + s, (s + " " + f[0]).upper(), self.staff, short=f, code=f[0] + s[0], net=self.r.choice([29640, 29640, 31215, 31215, 33890, 38250, 42105]))

    def bank_text(self, ch, who, ref, d, p, what):
        r = self.r
        nm = who.bname[:18].ljust(18)
        if ch == "chq":
            return ref
        if ch == "slip":
            return "CREDIT".ljust(18) + " %06d" % self.slipno
        code = {"so": "STO", "dd": "DDR", "bacs": "BGC", "fp": "FT" if p > 0 else "BBP", "chg": "COM", "card": "BCC", "cash": "CSH"}.get(ch, "FT")
        if ch == "dd":
            ref = who.acct or ref
        if ch == "card" and p < 0:
            return "CARD PURCHASE %s ON %s BDC" % (who.bname[:18], d.strftime("%d %b").upper())
        return "%s %s %s" % (nm, (ref or "").upper()[:18], code)

    def book_text(self, c, who, ref, what, ch, p):
        r = self.r
        if ch == "chq":
            ref = "chq " + ref
        if c.style == "ref":
            return r.choice(["{r} {n} {w}", "{r} {n} {w}", "{n} {r}", "{w} {n} {r}"]).format(r=ref, n=who.name, w=what)
        if c.style == "abbr":
            n = who.name.replace("Construction", "Constr").replace("Building Contractors", "BC").replace("Builders", "Bldrs").replace("Developments", "Devs")
            return r.choice(["{c} {r} {w}", "{n} {r}", "{n} {w}", "{s} {w} {r}"]).format(r=ref, n=n, w=what, c=who.code, s=who.short)
        return "%s %s" % (who.name, what)

    def bare(self, c, ch, p):
        return self.r.choice(["Sales ledger receipt", "SL rcpt", "on account", "Bacs in"]) if p > 0 else self.r.choice(["PL payment", "Purchase ledger pmt", "Bacs out", "wages"])

    def month(self, y, m):
        r = self.r
        first, last = D(y, m, 1), month_end(D(y, m, 1))
        # trade accounts: pay last month's invoices late in this month
        cheques = []
        for c in self.customers:
            due = c.owing
            c.owing = []
            for _ in range(max(0, c.per + r.choice((-2, -1, 0, 0, 1)))):
                self.inv += r.randint(1, 4)
                p = money(r, 18, 2200, .03)
                c.owing.append((self.rday(y, m), p, c, "SI%d" % self.inv, ""))
                if self.chance(.07) and p > 4000:
                    self.crn += 1
                    c.owing.append((self.rday(y, m), -int(p * r.uniform(.1, .6)), c, "CN%04d" % self.crn, "credit"))
            if not due or sum(x[1] for x in due) <= 0:
                c.owing = [x for x in due if x[1] < 0] + c.owing
                continue
            if self.chance(.08):
                c.owing = due + c.owing
                continue
            d = on_or_after(last - days(1 + c.lag) if self.chance(.7) else self.rday(y, m))
            newest = [x[3] for x in due if x[1] > 0][-1]
            ref = {"inv": newest, "code": c.code, "us": r.choice(["GARRICK", "GARRICK TIMBER", "MATERIALS", "TIMBER"]), "stale": c.stale}.get(c.pref, "")
            tot = sum(x[1] for x in due)
            hab = c.habit
            if c.ch == "chq_in":
                cheques.append((d, tot, c, due[-1][3] if len(due) == 1 else "", r.choice(["cheque", "chq", ""])))
            elif hab == "stmt" and self.chance(.55):
                self.pay(d, tot, c.ch, c, due[-1][3] if len(due) == 1 else "", r.choice(["stmt", "statement " + first.strftime("%b"), "a/c"]), payref=ref)
            elif hab == "parts" and tot > 40000:
                k = r.randint(2, 3)
                cuts = [tot // k // 1000 * 1000] * (k - 1)
                cuts.append(tot - sum(cuts))
                d = on_or_after(first + days(r.randint(3, 12)))
                if self.chance(.6):
                    ds = [add_wd(d, 4 * i + r.randint(0, 2)) for i in range(k)]
                    cl = self.clerk(ds[-1])
                    self.in_parts(r.choice([ds[-1], ds[0]]), self.words(cl, c, due[-1][3], "", c.ch, 1), [(a, b, self.bank_text(c.ch, c, ref, a, b, "")) for a, b in zip(ds, cuts)])
                else:
                    for i, q in enumerate(cuts):
                        self.pay(add_wd(d, 4 * i), q, c.ch, c, due[-1][3], "part", payref=ref)
            elif hab == "account":
                q = max(10000, round(tot / 10000) * 10000)
                self.pay(d, q, c.ch, c, "", "on a/c", payref=ref)
            elif hab == "invs":
                for x in due:
                    if x[1] > 0:
                        self.pay(on_or_after(d + days(r.choice((0, 0, 0, 1, 7)))), x[1], c.ch, c, x[3], "", payref=x[3] if self.chance(.75) else swap_digits(r, x[3]) if self.chance(.5) else ref)
            elif hab == "disc":
                disc = -int(tot * .025)
                self.settle(d, due + [(d, disc, c, "", "settlement disc")], c.ch, c, ref, "less_discount")
            else:
                bd = self.settle(d, due, c.ch, c, ref)
                if self.chance(.012):
                    self.only_bank(add_wd(bd, 2), tot, c.ch, c, ref, "paid_twice")
        # cheques received, two or three on a slip
        cheques.sort(key=lambda x: x[0])
        while cheques:
            k = r.choice((1, 1, 1, 2, 3))
            lot, cheques = cheques[:k], cheques[k:]
            d = lot[-1][0]
            self.slipno += 1
            bd = self.settle(d, lot, "slip", self.visitors, "", "cheques_on_slip", own=.2) if len(lot) > 1 else \
                self.pay(d, lot[0][1], "slip", lot[0][2], lot[0][3], lot[0][4], kind="counter_credit")
            if self.chance(.02):
                bd = add_wd(bd, 4)
                c = lot[0][2]
                if self.chance(.5):
                    self.pay(bd, -lot[0][1], "fp", Party(c.name, "UNPAID CHEQUE", None, code=c.code, short=c.short), "", "chq returned", bd=bd, kind="returned")
                else:
                    self.only_bank(bd, -lot[0][1], "fp", Party("", "UNPAID CHEQUE"), "", "returned_not_entered")
        # takings
        d, wait = first, []
        while d <= last:
            if d.weekday() < 6 and d not in holidays(d.year):
                p = money(r, 350, 2600, 0) if d.weekday() < 5 else money(r, 250, 1300, 0)
                wait.append((d, p, self.card, "", r.choice(["takings", "PDQ", "PDQ " + d.strftime("%d/%m"), "cards " + d.strftime("%a").lower()])))
                nxt = add_wd(d + ONE, 0)
                if d.weekday() != 4 or self.chance(.2):
                    if len(wait) == 1 and self.chance(.12):
                        x = wait[0]          # two terminals, the clerk enters the Z-total
                        a = int(x[1] * r.uniform(.3, .7))
                        self.in_parts(d, "PDQ Z total " + d.strftime("%d/%m"), [(nxt, a, self.bank_text("bacs", self.card, "T1" + digits(r, 6), nxt, a, "")),
                                      (nxt, x[1] - a, self.bank_text("bacs", self.card, "T2" + digits(r, 6), nxt, a, ""))], "two_terminals")
                    else:
                        self.settle(d, wait, "bacs", self.card, self.card.acct, "weekend_takings", own=.85, bd=nxt)
                    wait = []
            d += ONE
        if wait:
            self.settle(wait[-1][0], wait, "bacs", self.card, self.card.acct, "weekend_takings", own=.85, bd=add_wd(last + ONE, 0))
        for _ in range(self.some(2)):
            d, g = self.rday(y, m), money(r, 150, 1400)
            self.settle(d, [(d, g, self.amex, "", "takings"), (d, -int(g * .0195), self.amex, "", "commission")], "bacs", self.amex, digits(r, 8), "net_of_fee", bd=add_wd(d, 3))
        for w in range(4):
            d = on_or_after(first + days(7 * w + (0 - first.weekday()) % 7))
            self.slipno += 1
            self.pay(d, r.randint(20, 160) * 500 + r.choice((0, 0, 0, 37, 60, 85)), "slip", Party("Cash takings", "", None, short="Cash", code="CASH"), "", "banked", kind="counter_credit")
        # suppliers
        for s in self.suppliers:
            for rep in range(max(1, round(self.size / 2))):
                inv = [(self.rday(y, m), -money(r, 90, 3800, .05), s, digits(r, r.choice((5, 6))), "") for _ in range(max(1, s.per + r.choice((-1, 0, 1))))]
                d = on_or_before(last - days(r.randint(0, 4))) if rep == 0 else self.rday(y, m)
                if self.chance(.62):
                    self.pay(d, sum(x[1] for x in inv), s.ch, s, inv[0][3] if len(inv) == 1 and s.ch != "chq" else "", r.choice(["stmt", "", "PL"]), payref="GARR01" if s.ch != "chq" else None)
                else:
                    n = str(self.chq)
                    self.chq += s.ch == "chq"
                    self.settle(d, inv, s.ch, s, n if s.ch == "chq" else "GARR01")
        # wages each Friday, equal sums
        if self.chance(.08):
            self.hire()
            if len(self.staff) > self.n_of(4):
                self.staff.pop(r.randrange(len(self.staff)))
        d = first + days((4 - first.weekday()) % 7)
        while d <= last:
            bd = on_or_before(d)
            c = self.clerk(bd)
            pays = [(s, -(s.net + r.choice((0, 0, 0, 0, 2460, 4920)))) for s in self.staff]
            if self.chance(.06) and len(pays) > 1:
                self.in_parts(bd, r.choice(["Wages wk %d" % bd.isocalendar()[1], "wages"]), [(bd, p, self.bank_text("fp", s, "WAGES", bd, p, "")) for s, p in pays], "wages_total")
            else:
                for s, p in pays:
                    self.pay(bd, p, "fp", s, "", r.choice(["wages", "wages wk %d" % bd.isocalendar()[1]]), payref="WAGES", kind="wages")
            self.pay(bd - ONE, -money(r, 180, 420, 0), "dd", self.fuel, "", r.choice(["diesel", "fuel"]), kind="direct_debit")
            d += days(7)
        for q, p, day in self.fixed:
            self.pay(day_in(y, m, day), -(p or money(r, 120, 480, 0)), "so" if "rent" in q.name else "dd", q, q.acct if "rent" in q.name else "", "", kind="direct_debit")
        self.pay(on_or_before(D(y, m, 21)), -money(r, 1400, 2600, 0), "fp", self.hmrc, "", "PAYE", payref="475PZ00314872")
        if m % 3 == 2:
            self.pay(on_or_before(D(y, m, 7)), -money(r, 4000, 14000, 0), "dd", self.vat, "", "qtr to " + first.strftime("%b"))
        for _ in range(self.some(5)):
            q = Party(*r.choice([("Stationery", "OFFICE DEPOT WEB"), ("Screwfix bits", "SCREWFIX DIRECT"), ("Cafe", "THE COPPER KETTLE"), ("Parking", "RINGGO"), ("Postage", "POST OFFICE COUNTER"), ("Tyres", "KWIK GRIP TYRES")]))
            self.pay(self.rday(y, m), -money(r, 4, 140), "card", q, "", "", kind="card")
        self.only_bank(on_or_after(first + days(3)), -money(r, 60, 240, 0), "chg", Party("", "COMMISSION CHARGES"), "", "charges_not_entered") if self.chance(.5) else \
            self.pay(first + days(3), -money(r, 60, 240, 0), "chg", Party("Bank charges", "COMMISSION CHARGES"), kind="charges", bd=on_or_after(first + days(3)))
        for _ in range(self.some(2)):
            self.only_bank(self.rday(y, m), money(r, 15, 300), "fp", Party("", r.choice(self.customers).bname), r.choice(["GARRICK", "TIMBER", "SI%d" % r.randint(20000, 60000)]), "unknown_receipt")
        for _ in range(self.some(3)):
            c = r.choice(self.customers)
            self.only_book(self.rday(y, m), money(r, 20, 900) * r.choice((1, 1, -1)), "%s %s" % (c.name, r.choice(["cash", "contra", "w/off", "cheque not presented", "SI%d" % self.inv])), "never_at_bank")


# =====================================================================================================================
class FerrymeadRufc(Org):
    """Rugby club run by volunteers: many equal subscriptions, parents' names, bar cash, payouts net of fees, cheques to referees."""
    window = 7
    weekend_fp = True
    start = D(2016, 5, 1)

    def setup(self):
        r = self.r
        a = dict(missing=.035, typo=.045, digits=.005, wrong_customer=.022, bare=.05, double=.012, wrong_amount=.01, reversed=.004)
        b = dict(a, bare=.03, missing=.02, typo=.07)
        self.clerks = [
            (self.start, Clerk("full", [("session", 62), ("bank", 26), ("month_end", 4), ("late", 4), ("stale_date", 3)], (6,), **a)),
            (D(2017, 6, 10), Clerk("initial", [("bank", 74), ("doc", 10), ("session", 6), ("late", 3), ("month_end", 5)], (1,), order="bank", **b)),
            (D(2020, 6, 8), Clerk("surname", [("session", 50), ("bank", 36), ("late", 5), ("early", 3)], (2, 6), **a))]
        self.temp = Clerk("surname", [("bank", 80), ("late", 15)], **dict(a, bare=.15))
        self.members, self.others, self.sponsors = [], [], []
        for _ in range(self.n_of(56)):
            self.join()
        P = lambda nm, bn, **k: Party(nm, bn, self.others, short=nm.split()[0], **k)
        self.brew, self.gas = P("Brewery", "WHARFSIDE BREWERY LTD"), P("Gas", "NORTH GRID ENERGY")
        self.water, self.rent, self.till = P("Water", "YORKSHIRE WATER"), P("Pitch rent", "Ferrymead Town Council"), P("Bar cards", "TILLPAD PAYMENTS")
        self.web, self.rfu, self.bar = P("Online subs", "CLUBCOLLECT"), P("RFU", "RUGBY FOOTBALL UNION"), P("Bar", "")
        self.mow, self.ins, self.kit = P("Groundsman", "D Tranter"), P("Insurance", "BROADWALL INSURANCE"), P("Kit", "Stitch & Print Ltd")
        self.clean, self.lawn = P("Cleaner", "Mrs J Oxtoby"), P("Pitch supplies", "TURFCARE DIRECT")
        for s in r.sample(SUR, 14):
            Party(s + " " + r.choice(["Motors", "Solicitors", "Scaffolding", "Dental", "Estate Agents", "Butchers", "Physio"]), None, self.sponsors, short=s)

    def join(self):
        r = self.r
        f, s = person(r)
        kind = pick(r, [("junior", 48), ("senior", 30), ("social", 14), ("family", 8)])
        fee = {"junior": 1250, "senior": 2200, "social": 600, "family": 3000}[kind]
        q = Party(f + " " + s, None, self.members, kind=kind, short=s, code=f[0] + s[0], fee=fee, draw=self.chance(.22), day=pick(r, [(1, 10), (15, 4), (28, 2), (r.randint(2, 27), 5)]), since=0)
        x = r.random()
        pf = r.choice(FORE)
        if kind == "junior":
            if x < .3:
                q.bname, q.other = r.choice(["MR ", "MRS ", "", ""]) + pf[0] + " " + r.choice(SUR), True
            else:
                q.bname = r.choice(["%s %s" % (pf[0], s), "MR & MRS " + s, "MRS %s %s" % (pf[0], s)])
        else:
            q.bname = r.choice([f[0] + " " + s, s + " " + f[0], f + " " + s, f[0] + r.choice("ABJM") + " " + s])
        q.bname = q.bname.upper()
        q.payref = pick(r, [(f + " subs", 5), ("Subs", 5), (f + " " + s, 5), ("RUGBY", 3), (s + " " + r.choice(["U9", "U11", "U13", "U15", "1ST XV"]), 2), ("", 2), ("FERRYMEAD", 2)])
        q.mode = pick(r, [("so", 78), ("fp", 22)])
        return q

    def bank_text(self, ch, who, ref, d, p, what):
        ref, bn = (ref or "")[:18], who.bname[:24]
        if ch == "so":
            return "Standing Order from %s %s" % (bn, ref.upper())
        if ch == "dd":
            return "Direct Debit (%s)" % bn[:18]
        if ch == "bacs":
            return "Credit %s %s" % (bn, ref)
        if ch == "chq":
            return "Cheque " + ref
        if ch == "slip":
            return self.r.choice(["Paid in at Post Office", "Cash deposit", "Paid in at Post Office"]) + " %s" % digits(self.r, 4)
        if ch == "chg":
            return "Service Charge" if p < 0 else "Credit Interest"
        return ("B/P to: %s %s" if p < 0 else "Faster Payment %s/%s") % (bn, ref.upper() if p > 0 else ref)

    def book_text(self, c, who, ref, what, ch, p):
        r = self.r
        if ch == "chq":
            ref = r.choice(["chq %s", "ch.%s", "%s"]) % ref[-6:]
        if c.style == "full":
            return r.choice(["%s - %s %s", "%s %s %s"]) % (who.name, what, ref)
        if c.style == "initial":
            n = who.name.split()
            n = n[0][0] + " " + n[-1] if who in self.members else who.name
            return r.choice(["%s %s %s", "%s (%s) %s"]) % ((what, n, ref) if self.chance(.5) else (n, what, ref))
        return "%s %s %s" % (who.short, what if self.chance(.7) else "", ref)

    def bare(self, c, ch, p):
        return self.r.choice(["Subs", "subs", "Subscription", "SO", "member"]) if p > 0 else self.r.choice(["expenses", "online payment", "cheque", "misc"])

    def month(self, y, m):
        r = self.r
        first, last = D(y, m, 1), month_end(D(y, m, 1))
        season = m in (9, 10, 11, 12, 1, 2, 3, 4)
        if m == 9:
            for q in list(self.members):
                if self.chance(.12):
                    self.members.remove(q)
            for _ in range(self.n_of(56) - len(self.members) + r.randint(0, 3)):
                self.join()
            if y % 2:
                for q in self.members:
                    q.fee += 100 if q.fee > 1000 else 0
        web = []
        for q in self.members:
            d = day_in(y, m, q.day)
            if self.chance(.02):
                continue
            w = r.choice(["subs", "subs", "sub " + first.strftime("%b"), "membership"])
            bd = self.pay(d if q.mode == "so" else d + days(r.choice((0, 0, 1, 2, 6))), q.fee, q.mode, q, "", w, payref=q.payref)
            if q.draw and q.day < 27:
                self.pay(d, 500, "so", q, "", "100 club", payref="100 CLUB" if self.chance(.6) else q.payref)
            if self.chance(.003):
                self.only_bank(bd + ONE, q.fee, q.mode, q, q.payref, "paid_twice")
        # new season's fees paid for in one sum or bit by bit
        for _ in range(self.some(1.6 if m in (8, 9, 10) else .5)):
            q = r.choice(self.members)
            d = self.rday(y, m, False)
            if self.chance(.5):
                fam = [(d, x, q, "", w) for x, w in r.sample([(q.fee, "subs"), (3500, "kit"), (4500, "tour dep"), (1500, "match fees"), (1200, "presentation tkts"), (1250, "subs (sibling)")], r.randint(2, 4))]
                self.settle(d, fam, "fp", q, q.payref, "several_documents", own=0)
            else:
                k = r.randint(2, 4)
                ds = [d + days(7 * i + r.randint(0, 3)) for i in range(k)]
                self.in_parts(r.choice((ds[-1], ds[0])), "%s tour in full" % q.name, [(a, 4500, self.bank_text("fp", q, r.choice(["TOUR", q.payref]), a, 1, "")) for a in ds])
        # online shop: payout every week, net of fees
        for w in range(4):
            d = on_or_after(first + days(7 * w + 2))
            lots = [(d - days(r.randint(2, 8)), r.choice((1250, 1500, 2200, 3500, 600)), x, "", r.choice(["online", "web subs", "web"])) for x in r.sample(self.members, r.randint(2, 5))]
            g = sum(x[1] for x in lots)
            fee = -(int(g * .019) + 20 * len(lots))
            if self.chance(.5):
                self.pay(d, g + fee, "bacs", self.web, "", "payout", payref="CC-" + digits(r, 6))
            else:
                self.settle(d, lots + [(d, fee, self.web, "", "fees")], "bacs", self.web, "CC-" + digits(r, 6), "payout", own=.3, bd=d)
        # bar: cash on Monday, cards daily
        d = first
        while d <= last:
            if d.weekday() in (2, 4, 5, 6) and (season or d.weekday() > 3):
                g = money(r, 60, 900, 0)
                bd = add_wd(d + ONE, 0)
                if self.chance(.2):
                    self.settle(d, [(d, g, self.till, "", "bar"), (d, -int(g * .0169 + .5), self.till, "", "card fee")], "bacs", self.till, "P" + digits(r, 7), "net_of_fee", bd=bd)
                else:
                    self.pay(d, g - int(g * .0169 + .5), "bacs", self.till, "", r.choice(["bar " + d.strftime("%d/%m"), "bar"]), payref="P" + digits(r, 7), bd=bd)
            if d.weekday() == 0 and (season or self.chance(.6)):
                p = r.randint(12, 150) * 1000 + r.choice((0, 500, 0, 0))
                x = r.random()
                if x < .2 and p > 40000:
                    a = p // 2000 * 1000
                    self.in_parts(d - days(2), "Bar cash w/e " + (d - ONE).strftime("%d/%m"), [(on_or_after(d), a, self.bank_text("slip", self.bar, "", d, a, "")),
                                  (add_wd(d, r.randint(0, 3)), p - a, self.bank_text("slip", self.bar, "", d, a, ""))], "cash_in_two_bags")
                elif x < .4:
                    g2 = r.randint(20, 140) * 100
                    self.settle(d, [(d - days(2), p, self.bar, "", "cash sat"), (d - days(2), g2, self.bar, "", r.choice(["gate", "raffle", "teas"]))], "slip", self.bar, "", "cash_several", own=.6)
                else:
                    self.pay(d - days(2), p, "slip", self.bar, "", "cash " + (d - days(2)).strftime("%d/%m"), kind="counter_credit", bd=add_wd(d, r.choice((0, 0, 1, 3))))
            if season and d.weekday() == 5:
                for _ in range(r.choice((1, 2))):
                    f, s = person(r)
                    q = Party("Ref " + s, f[0] + " " + s, short=s)
                    self.pay(d, -r.choice((3500, 4000, 4000, 4500, 5000)), "chq" if self.chance(.55) else "fp", q, "", r.choice(["referee", "ref exp"]))
            d += ONE
        for d, p, ch, q, w in [(first + days(4), -31500, "dd", self.gas, "gas"), (first + days(12), -4825, "dd", self.water, "water"), (first, -20833, "so", self.rent, "pitch"),
                               (first + days(19), -money(r, 26, 29, 0), "dd", self.ins, "insurance")]:
            self.pay(d, p, ch, q, "", w, kind="direct_debit" if ch == "dd" else None)
        for w in range(4):
            d = first + days(7 * w + 3)
            self.pay(d, -9600, "fp", self.clean, "", "cleaning", payref="cleaning")
            self.pay(d + ONE, -r.choice((12000, 12000, 15000)), "fp", self.mow, "", "grass" if not season else "pitches", payref="groundwork")
            self.pay(d, -money(r, 300, 2200, 0), "dd", self.brew, "", r.choice(["beer", "inv " + digits(r, 5)]), kind="direct_debit")
        for _ in range(self.some(4)):
            q = r.choice(self.members)
            items = [(self.rday(y, m, False), -money(r, 6, 90), q, "", w) for w in r.sample(["balls", "first aid", "stamps", "teas", "petrol", "line paint", "trophies"], r.choice((1, 1, 1, 2, 3)))]
            d = max(x[0] for x in items)
            me = Party(q.name, (q.name if not q.other else q.bname), None, short=q.short)
            self.settle(d, [(a, b, me, e, f) for a, b, c, e, f in items], "fp", me, "expenses")
        for _ in range(self.some(1.5)):
            s = r.choice(self.sponsors)
            self.pay(self.rday(y, m), r.choice((25000, 25000, 50000, 10000, 75000, 6000)), r.choice(("fp", "bacs", "slip")), s, "", r.choice(["sponsor", "board", "match ball"]), payref=r.choice(["FERRYMEAD RUFC", "SPONSORSHIP", digits(r, 5)]))
            self.pay(self.rday(y, m), -money(r, 40, 800), r.choice(("fp", "chq")), r.choice((self.kit, self.lawn)), "", "inv " + digits(r, 4))
            f, s = person(r)
            self.pay(self.rday(y, m, False), r.choice((8000, 12000, 15000, 15000, 20000)), "fp", Party(f + " " + s, (f[0] + " " + s).upper(), short=s, other=self.chance(.2)), "", r.choice(["room hire", "hire 21st", "party"]), payref=r.choice(["PARTY", "ROOM", s, "HIRE"]))
        if m in (2, 10):
            self.pay(self.rday(y, m), 150000, "bacs", self.rfu, "", "grant", payref="GRANT " + digits(r, 5))
        if m % 3 == 0:
            for p in (-1800, r.randint(40, 900)):
                if self.chance(.5):
                    self.only_bank(on_or_before(last), p, "chg", self.rfu, kind="charges_not_entered")
                else:
                    self.pay(last, p, "chg", Party("Bank", "", None), "", "charges" if p < 0 else "interest", bd=on_or_before(last), kind="charges")
        for _ in range(self.some(1.6)):
            self.only_bank(self.rday(y, m, False), r.choice((1250, 2200, 500, 600, 2000)), "fp", Party("", (r.choice(FORE)[0] + " " + r.choice(SUR)).upper()), r.choice(["SUBS", "", "RUGBY", "THANKS"]), "unknown_receipt")
        for _ in range(self.some(2.2)):
            q = r.choice(self.members)
            self.only_book(self.rday(y, m, False), r.choice((q.fee, q.fee, 500, -4000)), "%s %s" % (q.name, r.choice(["subs", "subs due", "cash", "cheque cancelled"])), "never_at_bank")


# =====================================================================================================================
class LarkriseCare(Org):
    """Care home: fees by relatives, council and NHS in bulk schedules, wages one by one in near-equal sums, agency and food bills."""
    window = 5
    start = D(2012, 6, 1)

    def setup(self):
        r = self.r
        a = dict(missing=.022, typo=.05, digits=.025, wrong_customer=.02, bare=.04, double=.01, wrong_amount=.01, reversed=.008)
        self.clerks = [
            (self.start, Clerk("room", [("session", 58), ("bank", 32), ("late", 3), ("stale_date", 3), ("month_end", 2)], (1, 3), **a)),
            (D(2013, 4, 1), Clerk("surname", [("bank", 70), ("next", 14), ("late", 3), ("early", 4), ("doc", 8)], order="bank", **a)),
            (D(2016, 1, 2), Clerk("room", [("bank", 40), ("session", 40), ("doc", 8), ("late", 4), ("month_end", 3)], (0, 3), **a))]
        self.temp = Clerk("poor", [("bank", 65), ("next", 25), ("stale_date", 8)], **dict(a, bare=.15, missing=.05))
        self.res, self.staff, self.sup = [], [], []
        self.agyinv = r.randrange(4100, 8800)
        self.room = 0
        for _ in range(self.n_of(22)):
            self.admit()
        for _ in range(self.n_of(20)):
            self.hire()
        S = lambda nm, bn, **k: Party(nm, bn, self.sup, short=nm.split()[0], acct=digits(r, 8), code=nm[:3].upper(), **k)
        self.food = [S("Brackendale Foodservice", "BRACKENDALE FOODS", ch="dd"), S("Hollins Butchers", "HOLLINS BUTCHERS", ch="fp"), S("Millrace Dairy", "MILLRACE DAIRY LTD", ch="dd"), S("Greengate Fruit & Veg", "J GREENGATE", ch="chq")]
        self.agency = [S("Swiftcare Nursing Agency", "SWIFTCARE INVOICE F", ch="fp"), S("Nightlight Staffing", "ALDWYCH FACTORS", ch="fp", other=True), S("Havenbridge Locums", "HAVENBRIDGE LTD", ch="fp")]
        self.gen = [S("Softpads Medical", "SOFTPADS MEDICAL", ch="fp"), S("Laundry Hire", "WHITELINE LAUNDRY", ch="dd"), S("Lift maintenance", "ASCENT LIFTS", ch="fp"), S("Clinical waste", "GREENBIN CLINICAL", ch="dd"),
                    S("Fire alarms", "PENTAGON FIRE SEC", ch="chq"), S("Maintenance - Ken", "K BARSTOW", ch="fp"), S("Uniforms", "WORKWEAR DIRECT", ch="fp")]
        self.dds = [(S("Gas", "NORTH GRID ENERGY"), 0, 8), (S("Electric", "NORTH GRID ENERGY"), 0, 8), (S("Water", "YORKSHIRE WATER"), 36250, 12), (S("Council tax", "CALDERBECK MBC CT"), 41200, 1),
                    (S("CQC", "CARE QUALITY COMM"), 32117, 20), (S("Mortgage", "LOAN REPAYMENT"), 412066, 15), (S("Pension", "NEST"), 0, 22), (S("TV licence", "TV LICENCE MBP"), 750, 17)]
        self.mbc, self.icb = S("Calderbeck MBC", "CALDERBECK MBC"), S("NHS FNC", "NHS CALDER VALE")
        self.cc2, self.hmrc = S("North Moors CC", "NORTH MOORS CC"), S("HMRC", "HMRC CUMBERNAULD")
        self.vis = [S("Hairdresser", "Lynne Jowett"), S("Chiropodist", "FOOTSTEPS CHIROPODY"), S("Entertainer", "R Wynn"), S("Activities", "Chair Fit")]

    def admit(self):
        r = self.r
        f, s = person(r)
        self.room += 1
        t = r.choice(["Mrs ", "Mrs ", "Mr ", "Miss "])
        q = Party(t + f[0] + " " + s, None, self.res, short=s, code="%s%s" % (f[0], s[0]), rm=(self.room - 1) % (self.n_of(22) + 4) + 1,
                  kind=pick(r, [("private", 44), ("mbc", 42), ("cc", 9), ("mixed", 5)]), fnc=self.chance(.35), rate=r.choice([74500, 79500, 79500, 82500, 85000, 92000]), ref="")
        x = r.random()
        kin = r.choice(FORE)
        if x < .35:
            q.bname, q.other = (kin + " " + r.choice(SUR)).upper(), True
        elif x < .6:
            q.bname = ("%s %s" % (kin[0], s)).upper()
        elif x < .7:
            q.bname, q.other = r.choice(["WRIGLEY COURT SOLS", "PENNINE TRUST CORP", "COUNTY DEPUTY A/C"]), True
        else:
            q.bname = r.choice(["%s %s" % (f, s), t + f[0] + " " + s, f[0] + " " + s]).upper()
        q.payref = pick(r, [("FEES", 4), (r.choice(["MUM", "DAD", "AUNTIE", "NAN"]), 2), ((f + " " + s).upper(), 5), ("LARKRISE", 3), (f.upper() + " FEES", 4), ("ROOM %d" % q.rm, 1), ("", 1)])
        q.mode = pick(r, [("so", 5), ("fp", 4), ("chq_in", 1)])
        q.sis = Party(q.name, (r.choice(FORE)[0] + " " + (s if self.chance(.7) else r.choice(SUR))).upper(), None, short=s, code=q.code, rm=q.rm)
        q.topup = r.choice([0, 0, 2500, 3500, 5000]) if q.kind == "mbc" else 0
        q.contrib = r.choice([14235, 15120, 16405, 18790, 21035])
        return q

    def hire(self):
        r = self.r
        f, s = person(r)
        g = pick(r, [(118450, 8), (126320, 6), (97615, 4), (142880, 2), (196540, 2)])
        Party(f + " " + s, (r.choice([f[0] + " " + s, f + " " + s]) if self.chance(.92) else r.choice(FORE)[0] + " " + r.choice(SUR)).upper(), self.staff, short=f, code=f[0] + s[0], net=g, rm=0)

    def bank_text(self, ch, who, ref, d, p, what):
        r = self.r
        nm, ref = who.bname[:18].upper(), (ref or "").upper()[:18]
        if ch == "chq":
            return "CHQ " + ref
        if ch == "dd":
            return "DD %s %s" % (nm, who.acct)
        if ch == "so":
            return "%s %s %s" % ("SO" if p < 0 else "BGC", nm, ref)
        if ch == "bacs":
            return "BGC %s %s" % (nm, ref)
        if ch == "slip":
            return "DEP 3098%s" % digits(r, 2)
        if ch == "chg":
            return "PAY SERVICE CHARGES REF : 2%s" % digits(r, 8)
        if ch == "card":
            return "DEB %s CD %s" % (nm, "8813")
        n = digits(r, 16)
        return "%s %s %s %s %s" % ("FPI" if p > 0 else "FPO", nm, n if p > 0 else "400000" + n[:12], ref, "" if p < 0 else "%s 10 %s %02d:%02d" % (digits(r, 6), d.strftime("%d%b%y").upper(), r.randint(6, 23), r.randint(0, 59)))

    def book_text(self, c, who, ref, what, ch, p):
        r = self.r
        if ch == "chq" and ref:
            ref = "chq" + ref
        if c.style == "room" and who in self.res:
            return r.choice(["Rm %d %s %s %s" % (who.rm, who.code, what, ref), "Rm%d %s %s %s" % (who.rm, who.short, what, ref), "%s %s %s" % (who.name, what, ref)])
        if c.style == "surname":
            return "%s %s %s" % (who.short if who in self.res or self.chance(.3) else who.name, what, ref)
        if c.style == "poor":
            return "%s %s" % (who.short, what if self.chance(.5) else "")
        return r.choice(["%s %s %s", "%s, %s %s"]) % (who.name, what, ref)

    def bare(self, c, ch, p):
        return self.r.choice(["Fees", "BGC", "SO", "fees rec", "relative"]) if p > 0 else self.r.choice(["Wages", "supplier", "FPO", "o/l banking", "pmt"])

    def month(self, y, m):
        r = self.r
        first, last = D(y, m, 1), month_end(D(y, m, 1))
        if m == 4:
            for q in self.res:
                q.rate += r.choice((1500, 2000, 2500))
            for s in self.staff:
                s.net = int(s.net * 1.03)
        weeks4 = first + days((26 - first.toordinal()) % 28)      # a Friday of the four-week round
        for q in list(self.res):
            w = r.choice(["fees", "fees " + first.strftime("%b"), "care fees"])
            d = first + days(r.choice((0, 0, 0, 1, 4)) if q.mode != "fp" else r.randint(0, 10))
            full = q.rate * month_len(y, m) // 7 if q.kind == "private" and q.room_daily else q.rate * 4 if q.kind == "private" else q.contrib * 4
            ch = "slip" if q.mode == "chq_in" else q.mode
            if q.kind == "mixed":
                a = q.rate * 2
                sis = q.sis
                d2 = d + days(r.randint(0, 9))
                if self.chance(.6):
                    b1, b2 = on_or_after(d), on_or_after(d2)
                    c = self.clerk(b2)
                    self.in_parts(r.choice((b1, b2)), self.words(c, q, "", w, "fp", 1), [(b1, a, self.bank_text("fp", q, q.payref, b1, a, "")), (b2, a, self.bank_text("fp", sis, q.payref, b2, a, ""))])
                else:
                    self.pay(d, a, "fp", q, "", w + " 1/2", payref=q.payref)
                    self.pay(d2, a, "fp", q, "", w + " 2/2", payref=q.payref)
            elif self.chance(.05):
                extras = [(d, full, q, "", w)] + [(d, x, q, "", y2) for x, y2 in r.sample([(1400, "hair"), (2800, "chiropody"), (2000, "pocket money"), (1250, "papers")], r.randint(1, 3))]
                self.settle(d, extras, "fp", q, q.payref, own=.2)
            else:
                bd = self.pay(d, full, ch, q, "LR%04d" % r.randint(1000, 9999) if self.chance(.2) else "", w, payref=q.payref)
                if self.chance(.006):
                    self.only_bank(add_wd(bd, 1), full, "fp", q, q.payref, "paid_twice")
            if q.topup and self.chance(.97):
                self.pay(weeks4, q.topup * 4, "fp", q.sis, "", "top up", payref="TOP UP" if self.chance(.5) else q.payref)
            for _ in range(self.chance(.3)):
                self.pay(self.rday(y, m), r.choice((1400, 1400, 2800, 2000, 2000, 3000)), r.choice(("fp", "fp", "slip")), q, "", r.choice(["hair", "chiropody", "extras", "pocket money"]), payref=r.choice(["HAIR", "EXTRAS", q.payref]))
            if self.chance(.025):
                self.res.remove(q)
                if q.kind == "private":
                    self.pay(last, -q.rate * r.choice((1, 2)), "chq" if self.chance(.5) else "fp", Party(q.name, "EXORS " + q.short.upper(), None, short=q.short, code=q.code, rm=q.rm), "", "refund", payref=None)
        while len(self.res) < self.n_of(22) and self.chance(.7):
            self.admit()
        # schedules
        if weeks4.month == m:
            for kind, body, ref in (("mbc", self.mbc, "SS PAYRUN "), ("cc", self.cc2, "ADULT CARE ")):
                part = [(weeks4, (q.rate - q.contrib) * 4, q, "", "council") for q in self.res if q.kind == kind]
                if part and self.chance(.2):
                    part.append((weeks4, -r.choice(part)[2].rate * r.choice((1, 2)) // 7, part[0][2], "", "clawback"))
                if part and sum(x[1] for x in part) > 0:
                    if self.chance(.35):
                        self.pay(weeks4, sum(x[1] for x in part), "bacs", body, "", "4 wks to " + weeks4.strftime("%d/%m"), payref=ref + digits(r, 6))
                    else:
                        self.settle(weeks4, part, "bacs", body, ref + digits(r, 6), "council_schedule", own=.1)
            fnc = [(weeks4, 62768, q, "", "FNC") for q in self.res if q.fnc]
            if fnc:
                self.settle(weeks4 + days(4), fnc, "bacs", self.icb, "FNC " + digits(r, 5), "nhs_schedule", own=.1)
        # wages
        if self.chance(.35):
            self.hire()
            if len(self.staff) > self.n_of(20):
                s = self.staff.pop(r.randrange(len(self.staff)))
        d = on_or_before(day_in(y, m, 28))
        if self.chance(.07):
            self.in_parts(d, "Net wages " + d.strftime("%B"), [(d, -s.net, self.bank_text("fp", s, "WAGES", d, -1, "")) for s in self.staff], "wages_total")
        else:
            for s in self.staff:
                self.pay(d, -(s.net if self.chance(.6) else s.net + r.randint(-90, 210) * 100 + r.randint(0, 99)), "fp", s, "", r.choice(["wages", "wages", "net pay", "salary"]), payref="WAGES " + d.strftime("%b").upper(), kind="wages")
        for _ in range(self.some(2)):
            s = r.choice(self.staff)
            self.pay(self.rday(y, m), -r.choice((5000, 10000, 10000, 15000, 4400)), "fp", s, "", r.choice(["sub", "advance", "DBS refund"]), payref="ADVANCE")
        # suppliers
        for s in self.food:
            for w in range(4):
                d = first + days(7 * w + 3)
                p = -money(r, 90, 900, .05)
                inv = digits(r, 6)
                if s.ch == "chq" and w % 2:
                    x = [(d - days(7 * i), -money(r, 40, 160), s, digits(r, 4), "") for i in range(2)]
                    self.settle(d, x, "chq", s, str(self.chq))
                    self.chq += 1
                elif s.ch != "chq":
                    self.pay(d, p, s.ch, s, inv if self.chance(.6) else "", r.choice(["food", "inv", "provisions"]), payref="LARKRISE", kind="direct_debit" if s.ch == "dd" else None)
        for s in self.agency:
            inv = []
            for w in range(r.randint(1, 5)):
                self.agyinv += r.randint(1, 9)
                inv.append((first + days(5 * w), -r.choice((14400, 19200, 21600, 28800, 43200, 57600, 33120)), s, "%s%d" % (s.code[0], self.agyinv), "agency"))
            if self.chance(.45):
                self.settle(last - days(4), inv, "fp", s, "LARKRISE " + inv[-1][3], own=.5)
            else:
                for x in inv:
                    self.pay(x[0] + days(r.choice((14, 14, 15, 21))), x[1], "fp", s, x[3], "agency", payref=x[3] if self.chance(.7) else "LARKRISE")
        for s in self.gen:
            for _ in range(r.choice((0, 1, 1, 2)) * max(1, round(self.size / 2))):
                self.pay(self.rday(y, m), -money(r, 35, 700), s.ch, s, "" if s.ch == "chq" else digits(r, 5), r.choice(["", "inv", ""]), payref=None if s.ch == "chq" else r.choice(["LARKRISE", "LARKRISE CARE", "INV"]), kind="direct_debit" if s.ch == "dd" else None)
        for s in self.vis:
            for w in range(r.randint(1, 3)):
                self.pay(first + days(7 * w + 5), -r.choice((6000, 7500, 7500, 8400, 11200)), "fp", s, "", r.choice(["visit", "", "session"]), payref="LARKRISE")
        for s, p, day in self.dds:
            self.pay(day_in(y, m, day), -(p or money(r, 700, 1900, 0)), "dd", s, "", "", kind="direct_debit")
        self.pay(on_or_before(D(y, m, 21)), -money(r, 3800, 6200, 0), "fp", self.hmrc, "", "PAYE/NI", payref="073PK00118265")
        for _ in range(self.some(6)):
            q = Party(*r.choice([("Petty cash", "LNK HALLGATE"), ("Supermarket", "MARLOWS SUPERMARKET"), ("Chemist", "PARKER PHARMACY"), ("Amazon", "AMZNMKTPLACE"), ("Garden ctre", "TULIP TREE GDN CTR"), ("Petty cash", "LNK HALLGATE")]))
            self.pay(self.rday(y, m, False), -(r.choice((10000, 20000, 20000)) if "Petty" in q.name else money(r, 5, 120)), "card", q, "", "", kind="card")
        for d in (first + days(9),):
            p = -money(r, 20, 75, 0)
            d = on_or_after(d)
            if self.chance(.5):
                self.only_bank(d, p, "chg", self.hmrc, kind="charges_not_entered")
            else:
                self.pay(d, p, "chg", Party("Bank charges"), "", "", bd=d, kind="charges")
        for _ in range(self.some(1.2)):
            self.only_bank(self.rday(y, m), r.choice((1400, 2000, 5000, 10000, money(r, 10, 400))), "fp", Party("", r.choice(FORE).upper() + " " + r.choice(SUR).upper()), r.choice(["DONATION", "", "THANK YOU", "FEES"]), "unknown_receipt")
        for _ in range(self.some(2)):
            q = r.choice(self.res)
            self.only_book(self.rday(y, m), r.choice((q.rate * 4, q.contrib * 4, 1400, 2000, -q.rate)), "%s %s" % (q.name, r.choice(["fees", "fees due", "adj", "refund cancelled"])), "never_at_bank")


Party.room_daily = False
ALL = {"bellwether_lets": BellwetherLets, "garrick_timber": GarrickTimber, "ferrymead_rufc": FerrymeadRufc, "larkrise_care": LarkriseCare}
