#!/usr/bin/env python3
"""Fourth author: app banks, clearing banks and building-society texts against books kept in sessions.

  statements.py --list
  statements.py --company NAME --seed S --n ROWS --out BASE    (ROWS = bank rows; writes BASE.json/.truth.json/.tsv)

A diary (priority queue) of obligations, each of which fires deals: the bank's lines and the books' lines of one event.
The clerk works in sessions, so what goes wrong comes in clumps: a neglected week, a feed imported twice, a day keyed to the wrong
date, VAT left off, a minus sign forgotten, pence dropped. groups: [dataset of the single row, row, [rows of the other side]].
"""
import argparse, datetime as dt, heapq, json, math, os, random, sys
day = dt.timedelta(1)
def L(t): return [x.strip() for x in t.replace("\n", ",").split(",") if x.strip()]
GIVEN = L("""Aisha,Alistair,Amara,Andrzej,Angharad,Anneliese,Babatunde,Bartholomew,Bernadette,Blessing,Brigid,Catriona,Chandra,Ciaran,Clementine,Colm,Damilola,Declan,Deirdre,Dmitri,Ebony,
Eilidh,Ekaterina,Eleri,Emeka,Farah,Feyisola,Finlay,Florin,Gaynor,Geraint,Gurpreet,Harjit,Heledd,Ifeoma,Iolo,Ismail,Jacinta,Jaswinder,Joost,Kamran,Katarzyna,Kofi,Lakshmi,Leonie,Liesel,Llinos,
Lubna,Malachy,Margaret,Marisol,Mehmet,Mihaela,Mohammed,Morag,Nadezhda,Nasreen,Nkechi,Oluwaseun,Padraig,Parveen,Prakash,Rajesh,Robert,Roisin,Ruaridh,Sanjay,Shabnam,Sinead,Sorcha,Stanislaw,Sukhdeep,
Svetlana,Tariq,Tomasz,Torquil,Ursula,Vikram,Wanjiku,William,Elizabeth,Richard,Dorothy,Edward,Patricia,Christopher,Zainab,Zbigniew""")
PET = dict(Katarzyna="Kasia", Robert="Bob", Mohammed="Mo", Elizabeth="Liz", Margaret="Peggy", William="Bill", Richard="Dick", Dorothy="Dot", Edward="Ted", Patricia="Trish", Christopher="Kit", Ekaterina="Katya", Bernadette="Bernie",
           Bartholomew="Bart", Oluwaseun="Seun", Stanislaw="Staszek", Zbigniew="Zbyszek", Jaswinder="Jas", Alistair="Ali", Damilola="Dami")
FAMILY = L("""Achterberg,Afolabi,Agarwal,Ainscough,Akhtar,Anstruther,Arbuthnot,Asante,Auchterlonie,Baptiste,Bhatt,Bielski,Boateng,Borthwick,Buchan,Cairncross,Carruthers,Chatterjee,Colquhoun,Coombes,Corrigan,Cracknell,
Dabrowski,Darragh,Desai,Devereux,Dhaliwal,Donoghue,Drummond,Dubois,Ekwueme,Erskine,Farquharson,Fennimore,Fitzgerald,Forsyth,Gallacher,Garrity,Ghosh,Gillespie,Goldsworthy,Grzelak,Gurung,Haddow,Haldane,Hanrahan,Harbottle,
Hashemi,Hennessy,Hosseini,Igwe,Ilves,Inglis,Jamieson,Jaworski,Joshi,Kaczmarek,Kapoor,Kavanagh,Keohane,Khatun,Kilbride,Kipling,Kirkpatrick,Krishnan,Lachlan,Lanigan,Laskey,Leckie,Lindqvist,Lockhart,Lomax,Mackellar,Mahmood,
Malhotra,Markiewicz,Mathieson,Mbatha,McAllister,McCorquodale,McGillivray,McKechnie,Mehta,Menzies,Milligan,Moncrieff,Mukherjee,Mulcahy,Naidoo,Nandakumar,Newbigging,Nowicki,Obi,Odonnell,Ogunleye,Okeke,Olszewski,Osei,Ostrowski,
Pagett,Patwary,Pawlak,Petrescu,Pirie,Popescu,Pritchard,Purcell,Rafferty,Ramanathan,Rasool,Reardon,Rennie,Rutherglen,Sandhu,Sankey,Saravanan,Savary,Schofield,Seabrook,Shaughnessy,Sikorski,Singh,Skene,Sokolov,Stavely,Stobart-Lee,
Strachan,Sutherland,Swaminathan,Szymanski,Tait,Tennant,Tierney,Tolhurst,Traquair,Turnbull,Ucheagwu,Urquhart,Vaidya,Van Rossem,Vasquez,Venkatesh,Villiers,Wadsworth,Warburton,Wemyss,Whelan,Wierzbicki,Wishart,Wolstencroft,Yadav,Zaman""")
PLACE = L("""Arbroath,Ballater,Bargoed,Bexhill,Bideford,Bodmin,Bognor,Brechin,Bude,Budleigh,Caerphilly,Canvey,Cowdenbeath,Crieff,Deal,Dolgellau,Dunbar,Dunoon,Falmouth,Felixstowe,Forfar,Fowey,Frinton,Galashiels,Hawick,Hayle,Helston,Hythe,Irvine,
Kelso,Kenmay,Kilmarnock,Lampeter,Lanark,Leiston,Liskeard,Looe,Lydney,Machynlleth,Maldon,Margate,Minehead,Moffat,Mumbles,Nairn,Neath,Newquay,Oban,Peebles,Penarth,Penryn,Porthcawl,Portishead,Redruth,Romsey,Rye,Saltash,Seaford,Shaldon,
Sidmouth,St Ives,Stonehaven,Stranraer,Swanage,Teignmouth,Tenby,Thurso,Tiverton,Totnes,Troon,Truro,Wadebridge,Walmer,Whitstable,Wick,Wivenhoe""")
_a, _b = L("Bri,Cor,Dal,El,Fen,Gal,Hal,Iv,Jor,Kel,Lum,Mer,Nor,Or,Pel,Quor,Ros,Sel,Tal,Ulv,Ver,Wex,Yar,Zen,Ax,Bol,Cyn,Dex,Ever,Fyn"), L("adyne,anta,avia,ecto,elis,enta,era,ian,idia,ilo,ingo,ita,ivo,omar,onix,ora,oria,osa,umen,uno,ura,ux,ylon,yte,well,stock,ford,mark,line,grid")
SECT = dict(lab="Dental Lab,Ceramics Studio,Orthodontics,Dental Supplies,Implants,Sterilisation,Clinical Waste,Uniforms,Instruments,X-Ray Services".split(","),
 freight="Foods,Timber,Aggregates,Paper,Drinks,Logistics,Freight,Forwarding,Packaging,Steel,Chemicals,Cold Storage,Pallet Network,Tiles,Feeds".split(","),
 truck="Tyres,Truck Parts,Commercials,Recovery,Trailers,Tachographs,Lubricants,Truckwash,Windscreens,Hydraulics".split(","),
 office="Stationery,Water Coolers,Telecoms,Software,Insurance Brokers,Energy,Waste,Hygiene,Leasing,Broadband,Payroll Bureau,Security,Accountants,Print".split(","),
 farm="Feeds,Seeds,Agri Supplies,Vets,Contractors,Tractors,Fencing,Fertilisers,AI Services,Haulage,Sawmill,Sheep Dips,Grain,Machinery,Crop Care".split(","),
 block="Lifts,Window Cleaning,Gardeners,Electricians,Fire Safety,Roofers,Door Entry,Pest Services,Drainage,Surveyors,Cleaners,Boiler Care,Aerials,Scaffolding,Locksmith".split(","),
 ware="Packaging,Textiles,Homeware Imports,Candles,Stoneware,Labels,Cartons,Enamelware,Tea Merchants,Weavers,Photography".split(","),
 give="Foundation,Rotary Club,Parish Council,Primary School,Community Fund,Solicitors,Bakery,Amateur Dramatics,Walking Club,Masonic Lodge,WI,Scout Group".split(","),
 shop="Stores,Petrol,Cafe,Post Office,DIY,Supermarket,Parking,Pharmacy,Pub,Hotel,Rail,Garden Centre,Bakers,Cash & Carry".split(","))

def up(s): return "".join(c for c in s.upper() if c.isalnum() or c in " &/-*.")
class Human:
    def __init__(h, r, family=None):
        h.g, h.f = r.choice(GIVEN), family or r.choice(FAMILY); h.maiden = r.choice(FAMILY) if r.random() < .07 else h.f
        m = r.choice(["", "", " " + r.choice("ABCEFJKLMPRST")]); h.bank = r.choice([f"{h.g} {h.maiden}", f"{h.g}{m} {h.maiden}", f"{h.g[0]}{m.strip()} {h.maiden}", f"{h.maiden} {h.g[0]}{m}", f"{h.g[0]} {h.maiden} & {r.choice('ABDGJKLMST')} {h.maiden}"]); h.id = r.randrange(1000, 9999); h.v = None
    def book(h, r): return r.choice([f"{h.g} {h.f}", f"{PET.get(h.g, h.g)} {h.f}", f"{h.f} {h.g[0]}", f"{h.g[0]}. {h.f}", f"{h.f}", f"{h.f}, {h.g}"])
    @property
    def ini(h): return h.g[0] + h.f[0]
class Trader:
    def __init__(t, r, sect):
        t.what = r.choice(SECT[sect]); x = r.random()
        base = (r.choice(_a) + r.choice(_b)) if x < .36 else r.choice(FAMILY) if x < .6 else r.choice(PLACE) if x < .74 else f"{r.choice(FAMILY)} {r.choice(['and', '&', '+'])} {r.choice(FAMILY)}" if x < .84 else f"{r.choice(['The', 'Old', 'New', 'Royal', 'Little', 'First'])} {r.choice(PLACE)}" if x < .94 else f"{r.choice(PLACE)} {r.choice(_a)}{r.choice(_b)}"
        t.base, t.full = base, f"{base} {t.what}" + r.choice(["", " Ltd", " Ltd", " Limited", " Co", " plc", " LLP"]); y = r.random()
        t.bank = t.full if y < .72 else base + " " + t.what if y < .84 else r.choice([f"{r.choice(_a)}{r.choice(_b)} Group Ltd", f"{Human(r).bank} t/a {base}", f"{base[:4]} Nominees"])
        t.short = r.choice([base, f"{base} {t.what}", f"{base.split()[-1]}", "".join(w[0] for w in (base + " " + t.what).split()).upper(), f"{base[:4].strip()}. {t.what.split()[0]}", t.what + " - " + base]); t.acc = r.randrange(10**4, 10**6); t.usual = None

class Clerk:
    """a firm = diary + statement texts + clerk; subclasses set up obligations"""
    voice = "app"; card = "2208"; forget = .055; neglect = (.16, .32); ghosts = .05; key = .011; vatless = .006; sign = .002; pence = .006; feedtwice = .006; oddpair = .006
    def __init__(c, name, seed, n):
        c.rng = r = random.Random(f"author4:{name}:{seed}:{n}"); c.n, c.scale = n, max(.4, (n / 500) ** .5); c.diary = []; c.tick = 0; c.made = 0; c.deals = []
        c.start = dt.date(2023 if n < 20000 else 2017, 4, 6) + day * r.randrange(0, 300); c.weeks = {}; c.twice = {}; c.anon = 0; c.serial = r.randrange(2000, 30000); c.chq = r.randrange(100200, 104000); c.open()
    # ---- diary
    def at(c, d, fn, *a): c.tick += 1; heapq.heappush(c.diary, (d, c.tick, fn, a))
    def monthly(c, dom, fn, *a, step=1):
        def go(d):
            fn(d, *a); y, m = d.year + (d.month - 1 + step) // 12, (d.month - 1 + step) % 12 + 1; c.at(dt.date(y, m, dom), go)
        m0 = (c.start.replace(day=1) + dt.timedelta(31 * c.rng.randrange(0, step) if step > 1 else 0)); d = dt.date(m0.year, m0.month, dom)
        if d < c.start: d2 = d.replace(day=1) + dt.timedelta(32); d = dt.date(d2.year, d2.month, dom)
        c.at(d, go)
    def often(c, gap, fn, *a):                       # a random obligation about every gap days
        def go(d, t):
            fn(d, *a); t += c.rng.expovariate(1 / gap); c.at(c.start + day * int(t), go, t)
        t0 = c.rng.random() * gap; c.at(c.start + day * int(t0), go, t0)
    def weekly(c, wd, fn, *a, every=1):
        def go(d): fn(d, *a); c.at(d + 7 * every * day, go)
        d = c.start + day * c.rng.randrange(0, 7 * every); c.at(d + day * ((wd - d.weekday()) % 7), go)
    def daily(c, fn, *a, wds=range(7)):
        def go(d):
            if d.weekday() in wds: fn(d, *a)
            c.at(d + day, go)
        c.at(c.start, go)
    @staticmethod
    def biz(d):
        while d.weekday() > 4 or (d.month, d.day) in ((12, 25), (12, 26), (1, 1)): d += day
        return d
    def soon(c, d, *ws):                             # d plus 0,1,2.. days by weights
        return d + day * c.rng.choices(range(len(ws)), ws)[0]
    # ---- amounts (pence)
    def bill(c, typ, wide=.6): return max(120, int(typ * 100 * math.exp(c.rng.gauss(0, wide)))) if c.rng.random() < .6 else max(240, int(typ * math.exp(c.rng.gauss(0, wide))) * 120)
    def price(c, *opts): return int(c.rng.choice(opts) * 100)
    def no(c): c.serial += c.rng.randrange(1, 4); return c.serial
    # ---- the statement's way of speaking
    def say(c, how, who, ref="", d=None):
        r = c.rng; n18, r18 = up(who)[:18].strip(), up(str(ref))[:18].strip()
        if c.voice == "app":
            if how == "card": return f"{r.choice(['', '', 'ZPY*', 'TAPN *'])}{who[:22].strip()}"
            return f"{who}" + (f" - {ref}" if ref else "")
        if c.voice == "long":
            if how == "card": return f"CARD PAYMENT TO {up(who)[:24].strip()}{r.choice([',', ' '])}{r.choice(['', 'ON ' + (d or c.start).strftime('%d-%m-%Y')])}".strip()
            return {"in": f"FASTER PAYMENTS RECEIPT REF.{r18 or 'NOT PROVIDED'} FROM {up(who)[:30]}", "out": f"BILL PAYMENT VIA FASTER PAYMENT TO {up(who)[:30]} REFERENCE {r18}, MANDATE NO {r.randrange(1, 400)}", "dd": f"DIRECT DEBIT PAYMENT TO {up(who)[:26]} REF {r18}", "so": f"STANDING ORDER VIA FASTER PAYMENT TO {n18} REFERENCE {r18}", "bacs": f"BANK GIRO CREDIT REF {up(who)[:24]}, {r18}", "soin": f"STANDING ORDER FROM {n18} {r18}", "tfr": f"TRANSFER {'TO' if r.random() < .5 else 'FROM'} {n18}", "fee": f"{r18}"}.get(how, f"{n18} {r18}").strip()
        if c.voice == "cut":                         # two 18 character columns and a type
            if how == "card": return f"DEB {n18} CD {c.card}"
            return f"{dict(out='FPO', dd='DD', so='SO', bacs='BGC', soin='SO', tfr='TFR', fee='PAY').get(how, 'FPI')} {n18} {r18}".strip()
        if how == "card": return f"{n18[:13].strip()} {c.card}/{(d or c.start):%d%b}"        # old style
        return f"{dict(out='B/P', dd='D/D', so='S/O', bacs='BACS', soin='S/O', tfr='TFR', fee='CHG').get(how, 'CR')} {(r18 + ' ' + n18) if r.random() < .35 else n18 + ' ' + r18}".strip()
    def cheque(c): c.chq += c.rng.choice([1, 1, 1, 1, 2]); return c.chq
    # ---- the clerk
    def mood(c, d):
        w = d.toordinal() // 7
        if w not in c.weeks: c.weeks[w] = c.neglect[1] if c.rng.random() < c.neglect[0] else c.forget
        return c.weeks[w]
    def badkey(c, p):
        r = c.rng; s = str(abs(p)).zfill(3); near = {"1": "24", "2": "135", "3": "26", "4": "157", "5": "2468", "6": "359", "7": "48", "8": "579", "9": "68", "0": "1"}
        for _ in range(30):
            i = r.randrange(len(s)); x = r.random(); t = s[:i] + r.choice(near[s[i]]) + s[i+1:] if x < .6 else s[:i] + s[i+1:i+2] + s[i:i+1] + s[i+2:] if x < .85 else s[:i] + s[i] + s[i:]
            if int(t or 0) and int(t) != abs(p): return int(t) * (1 if p > 0 else -1)
        return p + 100
    def deal(c, bank, book, kind, key=None, forget=1.0):
        """bank, book: lists of (date, pence, text). One to one makes a pair, one to several a group."""
        r = c.rng; c.anon += 1; key = key or f"@{c.anon}"; tag = lambda rows, k, q=key: [(d, p, t, k, q) for d, p, t in rows]
        if len(bank) == 1 == len(book):
            (bd, bp, btx), (kd, kp, ktx) = bank[0], book[0]; assert bp == kp
            if not bp: return
            if r.random() < c.mood(kd) * forget: return c.put(tag(bank, "not_entered"), [])
            if r.random() < c.ghosts: return c.put([], tag(book, r.choice(["not_cleared", "paid_elsewhere", "entered_in_error"])))
            if r.random() < c.key: return c.put(tag(bank, "miskeyed", key + "!"), [(kd, c.badkey(bp), ktx, "miskeyed", key + "!")])
            if r.random() < c.pence:
                q = round(bp, -2) if bp % 100 else bp + r.choice([1, -1, 2])
                if q and q != bp: return c.put(tag(bank, "pence_off", key + "!"), [(kd, q, ktx, "pence_off", key + "!")])
            if bp < 0 and r.random() < c.vatless: return c.put(tag(bank, "vat_left_off", key + "!"), [(kd, round(bp / 1.2), ktx, "vat_left_off", key + "!")])
            if r.random() < c.sign: return c.put(tag(bank, "wrong_sign", key + "!"), [(kd, -bp, ktx, "wrong_sign", key + "!")])
            if r.random() < c.oddpair: kd, kind = bd + day * r.choice([-6, -5, 4, 5, 6, 8, 10, 14]), "out_of_window"
            k = [(kd, kp, ktx, kind, key)]
            if kd not in c.twice: c.twice[kd] = r.random() < c.feedtwice
            if (c.twice[kd] and r.random() < .8) or r.random() < .003: k.append((kd, kp, ktx, "imported_twice", key))
            return c.put(tag(bank, kind), k, [(0, 0, kind)])
        if not bank or not book: return c.put(tag(bank, kind), tag(book, kind))
        assert sum(x[1] for x in bank) == sum(x[1] for x in book) and 1 in (len(bank), len(book))
        c.put(tag(bank, kind), tag(book, kind), (), [("bank", 0, list(range(len(book))))] if len(bank) == 1 else [("book", 0, list(range(len(bank))))])
    def put(c, B, K, P=(), G=()): c.deals.append((min(x[0] for x in B or K), len(c.deals), B, K, P, G)); c.made += len(B)
    def one(c, bd, p, btx, kd, ktx, kind, key=None, forget=1.0): c.deal([(bd, p, btx)], [(kd, p, ktx)], kind, key, forget)
    # ---- things every firm has
    def standing(c, sect, count, typ, text, fixed=.55):
        r = c.rng
        for _ in range(count):
            t = Trader(r, sect); a = c.bill(typ, .7); f = r.random() < fixed; ref = f"{t.acc}{r.choice(['', '-01', 'DD'])}"
            def pay(d, t=t, a=a, f=f, ref=ref): bd = c.biz(d); c.one(bd, -(a if f else max(100, int(a * math.exp(r.gauss(0, .2))))), c.say("dd", t.bank, ref), c.keyed(bd), text(t), "direct_debit", t.full)
            c.monthly(r.randrange(1, 29), pay)
    def keyed(c, d): return c.soon(d, 6, 2, 1)
    def crown(c, words):
        r = c.rng
        c.monthly(19, lambda d: c.one(c.biz(d), -c.bill(700 * c.scale, .15), c.say("out", "HMRC Cumbernauld", f"{r.randrange(100, 999)}P{r.choice('ABCDEFGH')}00{r.randrange(10**6, 10**7)}"), c.keyed(c.biz(d)), words[0], "paye"))
        c.monthly(10, lambda d: c.one(c.biz(d), -c.bill(3000 * c.scale, .2), c.say("dd", "HMRC VAT DDI" if r.random() < .7 else "HM REVENUE & CUSTOMS", f"{r.randrange(10**8, 10**9)}"), c.keyed(c.biz(d)), words[1], "vat"), step=3)
        c.monthly(28, lambda d: c.one(c.biz(d), -c.bill(14, .4), c.say("fee", "Business account" if c.voice == "app" else "SERVICE CHARGE", "MONTHLY FEE"), c.keyed(c.biz(d)), words[2], "bank_fee", "fee", 2.2))
    def run(c):
        while c.made < c.n + 40: d, _, fn, a = heapq.heappop(c.diary); fn(d, *a)
        return settle(c)

# =============================================================== the firms
class Dental(Clerk):
    """bramley_dental: nominal codes and clinician initials; card terminals settle next working day net of fees; plan and scheme lump sums; runs to associates"""
    voice = "long"; card = "9034"
    def open(c):
        r, k = c.rng, c.scale; c.docs = [Human(r) for _ in range(int(3 * k) + 1)]; c.labs = [Trader(r, "lab") for _ in range(int(6 * k) + 3)]; c.nurses = [Human(r) for _ in range(int(4 * k) + 1)]
        c.sites = r.sample(PLACE, max(1, int(.8 * k)))
        for s in c.sites: c.daily(c.terminal, s, wds=range(6))
        c.often(1.05 / k, c.patient); c.often(1.6 / k, c.lab); c.often(2.2 / k, c.sundry); c.often(9 / k, c.refund)
        c.monthly(28, c.payday); c.monthly(15, c.plan); c.monthly(1, c.scheme); c.standing("office", int(7 * k ** .7) + 2, 110, lambda t: f"{7500 + len(t.what)} {r.choice([t.what, t.short])}"); c.crown(("2210 PAYE/NI", "2200 VAT", "7900 bank charges"))
        c.monthly(3, lambda d: [c.one(c.biz(d), -215000, c.say("so", "Bramley Properties", s), c.biz(d), f"7100 rent {s}", "rent") for s in c.sites])
    def terminal(c, d, s):
        r = c.rng
        for v in ("VM", "AX") if r.random() < .18 else ("VM",):
            g = c.bill(620 if v == "VM" else 90, .35); fee = int(g * (.0125 if v == "VM" else .021)) + 30; bd = c.biz(d + day); kd = max(d, bd - 3 * day); t = c.say("bacs", f"CLEARTAP {s}", f"{v}{r.randrange(10, 99)}{d:%d%m%y}")
            if r.random() < .1: c.deal([(bd, g - fee, t)], [(kd, g, f"4000 takings {s} {d:%d/%m}"), (kd, -fee, f"7905 terminal fee {s}")], "terminal_gross")
            else: c.one(bd, g - fee, t, kd, r.choice([f"4000 cards {s} {d:%d/%m}", f"4000 takings {s[:4]}", f"4000 card machine {s}"]), "terminal", f"term {s}{v}")
    def patient(c, d):
        r = c.rng; h = Human(r); doc = r.choice(c.docs); a = c.price(26.8, 73.5, 73.5, 319.1, 45, 62, 95, 120, 350, 480, 650, 55) if r.random() < .7 else c.bill(210, .7)
        c.one(d, a, c.say("in", h.bank, r.choice([h.f, f"PT{h.id}", "DENTIST", "TREATMENT", f"{h.id}", "", "HYGIENIST"])), c.soon(d, 5, 3, 1), r.choice([f"4000 {doc.ini} {h.book(r)}", f"4001 {doc.ini} {h.book(r)}", f"4000 {h.f} pt {h.id}", f"4000 {doc.ini} PT{h.id}"]), "patient")
    def lab(c, d):
        r = c.rng; t = r.choice(c.labs); n = r.randrange(100, 9999); bd = c.biz(d); x = r.random(); doc = r.choice(c.docs)
        if x < .1:
            q = [-c.bill(75, .5) for _ in range(r.randrange(2, 5))]; c.deal([(bd, sum(q), c.say("out", t.bank, "STATEMENT"))], [(bd, v, f"5000 {t.short} {n + i * 7}") for i, v in enumerate(q)], "lab_statement")
        else: c.one(bd, -c.bill(95, .7), c.say("out", t.bank, r.choice([f"INV {n}", n, "BRAMLEY DENTAL", f"AC{t.acc}"])), c.soon(bd, 6, 2, 1), r.choice([f"5000 {t.short} {n}", f"5000 {t.short}", f"5000 lab {doc.ini}", f"5001 materials {t.short}"]), "lab")
    def sundry(c, d): r = c.rng; t = Trader(r, "shop"); p = c.biz(c.soon(d, 2, 3, 1)); c.one(p, -c.bill(16, .8), c.say("card", t.bank, d=d), max(d, p - 3 * day), r.choice([f"7504 {t.short}", "7504 surgery sundries", "8200 refreshments", f"7400 {t.what.lower()}"]), "card")
    def refund(c, d): r = c.rng; h = Human(r); c.one(d, -c.price(25, 45, 73.5, 120, 60), c.say("out", h.bank, "REFUND"), c.soon(d, 4, 2, 1), f"4000 refund {h.book(r)}", "refund")
    def payday(c, d):
        r = c.rng; bd = c.biz(d)
        for h in c.docs: c.one(bd, -c.bill(4200, .25), c.say("out", h.bank, f"ASSOC {d:%b}"), c.soon(bd, 5, 1, 1), f"5100 {h.ini} associate", "associate")
        rows = [(bd, -c.bill(1480, .12), c.say("out", h.bank, "WAGES"), h) for h in c.nurses]
        if len(rows) > 3 and r.random() < .3: c.deal([x[:3] for x in rows[:3]], [(bd, sum(x[1] for x in rows[:3]), "7000 net wages part")], "wages_total"); rows = rows[3:]
        for x in rows: c.one(x[0], x[1], x[2], c.soon(bd, 5, 1), f"7000 wages {x[3].ini}" if r.random() < .5 else f"7000 {x[3].book(r)}", "wages")
    def plan(c, d):
        r = c.rng; bd = c.biz(d)
        for i in range(max(1, int(c.scale))):
            parts = [(bd, c.bill(900, .2), f"4100 plan members {h.ini}") for h in c.docs[i * 3:i * 3 + 3]]
            if len(parts) > 1 and r.random() < .5: c.deal([(bd, sum(x[1] for x in parts), c.say("bacs", "SMILEWELL PLANS", f"P{r.randrange(10**5, 10**6)}"))], parts, "plan_split")
            elif parts: q = sum(x[1] for x in parts); c.one(bd, q, c.say("bacs", "SMILEWELL PLANS", f"P{r.randrange(10**5, 10**6)}"), c.soon(bd, 4, 2, 1), "4100 plan income", "plan")
    def scheme(c, d): bd = c.biz(d); [c.one(bd, c.bill(11000, .06), c.say("bacs", "NHSBSA DENTAL", f"{c.rng.randrange(10**5, 10**6)}"), c.soon(bd, 4, 2, 1), f"4200 contract {s}", "contract") for s in c.sites]
class Haulage(Clerk):
    """tollgate_haulage: registrations and job numbers; customers pay self-billed remittances; weekly equal wages; fuel cards, tolls, penalties; factor advances"""
    voice = "cut"; card = "4456"; key = .014
    def open(c):
        r, k = c.rng, c.scale; c.cu = [Trader(r, "freight") for _ in range(int(14 * k) + 4)]; c.su = [Trader(r, "truck") for _ in range(int(8 * k) + 3)]; c.dr = [Human(r) for _ in range(int(3.5 * k) + 2)]
        for h in c.dr: h.v = c.price(612, 640, 640, 655, 700)
        c.plates = [r.choice("BCDFKLMNPRSVWY") + r.choice("ABDEFGJKXY") + str(r.choice([17, 18, 67, 19, 69, 70, 71, 22, 72, 23])) + "".join(r.choice("ABCDEFGHJKLMNOPRSTUVWXYZ") for _ in range(3)) for _ in range(int(4 * k) + 2)]
        c.job = r.randrange(20000, 60000); c.fuel = r.choice(["DERVLINK FUEL CARDS", "TRUNKROAD FUELS"]); c.often(.78 / k, c.receipt); c.often(1.5 / k, c.repair); c.often(1.3 / k, c.road)
        c.weekly(4, c.wages); c.weekly(1, c.fuelday); c.weekly(3, c.factor); c.standing("office", int(6 * k ** .7) + 2, 130, lambda t: r.choice([t.short, t.what]))
        for p in c.plates:
            a = c.price(780, 780, 845, 912.5); c.monthly(r.choice([4, 4, 15]), lambda d, p=p, a=a: c.one(c.biz(d), -a, c.say("dd", "WHEELBASE ASSET FIN", f"{900000 + sum(map(ord, p)) * 7}"), c.soon(c.biz(d), 5, 1, 1), f"HP {p}", "hire_purchase", f"hp{p}"))
        c.crown(("PAYE", "VAT Q", "Bank chg"))
    def receipt(c, d):
        r = c.rng; t = r.choice(c.cu); c.job += r.randrange(1, 5); m = r.choice([1] * 9 + [2, 2, 3, 4]); js = [c.job - r.randrange(0, 200) for _ in range(m)]; am = [c.bill(430, .5) if r.random() < .6 else c.price(360, 420, 540, 660) for _ in js]; bd = c.biz(d); kd = c.soon(bd, 5, 2, 1)
        tx = c.say("in", t.bank, r.choice([js[0], f"J{js[0]}", f"SB{r.randrange(10**5, 10**6)}", "TOLLGATE HAUL", f"SELFBILL {bd:%d%m}", f"{js[0]} {js[-1] % 1000}"])); bk = lambda j: r.choice([f"Job {j} {t.short}", f"J{j}", f"{j} {t.short}", f"Inv {j}"])
        if m > 1 and r.random() < .32: c.deal([(bd, sum(am), tx)], [(kd, a, bk(j)) for a, j in zip(am, js)], "remittance")
        else: c.one(bd, sum(am), tx, kd, bk(js[0]) if m == 1 else f"{t.short} s/bill {m} jobs", "customer")
        if r.random() < .02: c.one(bd + 9 * day, -am[0], c.say("out", t.bank, f"J{js[0]} CLAIM"), c.soon(bd + 9 * day, 3, 1), f"Damage claim J{js[0]}", "refund")
    def repair(c, d):
        r = c.rng; t = r.choice(c.su); p = r.choice(c.plates); bd = c.biz(d); n = r.randrange(1000, 99999); c.one(bd, -c.bill(240, .8), c.say("out", t.bank, r.choice([n, p, f"INV{n}", t.acc])), c.soon(bd, 4, 2, 1), r.choice([f"{t.short} {p}", f"{p} {t.what.lower()}", f"{t.short} {n}", t.short]), "repair")
    def road(c, d):
        r = c.rng; p = r.choice(c.plates); x = r.random(); bd = c.biz(c.soon(d, 3, 2, 1))
        if x < .5: c.one(bd, -c.price(6, 6, 7.2, 12, 12.5, 30), c.say("card", r.choice(["ESTUARY CROSSING", "NORTH PIKE TOLL", "RIVERLINK TOLL", "CITY CLEAN AIR ZONE"]), d=d), max(d, bd - 2 * day), r.choice(["Tolls", f"Toll {p}", "Tolls & zones"]), "toll", "?toll")
        elif x < .85: t = Trader(r, "shop"); c.one(bd, -c.bill(22, .6), c.say("card", t.bank, d=d), max(d, bd - 2 * day), r.choice([f"{p} parking", "Driver subsistence", t.short, "Overnight"]), "card")
        else: c.one(bd, -c.price(35, 60, 65, 80, 130), c.say("card", r.choice(PLACE) + " COUNCIL PCN", d=d), max(d, bd - 2 * day), r.choice([f"PCN {p}", "Fines not allowable"]), "penalty")
    def wages(c, d):
        r = c.rng; bd = c.biz(d); rows = [(bd, -(h.v if r.random() < .7 else h.v + c.price(40, 55, 80, 110)), c.say("out", h.bank, "WAGES"), h) for h in c.dr]
        if len(rows) > 4 and r.random() < .25: c.deal([x[:3] for x in rows[:4]], [(bd, sum(x[1] for x in rows[:4]), f"Wages wk {bd.isocalendar()[1]} agency gang")], "wages_total"); rows = rows[4:]
        for x in rows: c.one(x[0], x[1], x[2], c.soon(bd, 6, 1), r.choice([f"Wages {x[3].book(r)}", f"{PET.get(x[3].g, x[3].g)} wk{bd.isocalendar()[1]}"]), "wages", x[3].bank)
    def fuelday(c, d):
        r = c.rng; bd = c.biz(d); ps = c.plates[:]
        while ps:
            m = min(len(ps), r.choice([1, 1, 1, 3])); g, ps = ps[:m], ps[m:]; am = [-c.bill(560, .25) for _ in g]; tx = c.say("dd", c.fuel, f"{r.randrange(10**7, 10**8)}")
            if m > 1 and r.random() < .25: c.deal([(bd, sum(am), tx)], [(bd, a, f"Derv {p}") for a, p in zip(am, g)], "fuel_split")
            else: c.one(bd, sum(am), tx, c.soon(bd, 4, 1, 1), r.choice([f"Derv {g[0]}", "Derv", f"Fuel cards {g[0][:4]}"]), "fuel", "?derv")
    def factor(c, d):
        if c.rng.random() < .45: bd = c.biz(d); a = c.rng.randrange(20, 200) * 10000; c.one(bd, a, c.say("bacs", "KEYSTONE INV FINANCE", f"DRAW {bd:%d%m}"), c.soon(bd, 4, 1), "Factor drawdown", "factor"); c.one(bd, -max(1500, a // 400), c.say("fee", "KEYSTONE INV FINANCE", "DISCOUNT CHG"), bd, r"Factor chgs", "factor_fee", None, 3)
class Trust(Clerk):
    """lanternhill_trust: charity; hundreds of equal small gifts by standing order, entered by donor number or surname, some weeks only as a total; platform payouts net; plate money"""
    voice = "old"; card = "6620"; forget = .05; ghosts = .075
    def open(c):
        r, k = c.rng, c.scale; c.donors = []; n = int(52 * k) + 8; fam = [r.choice(FAMILY) for _ in range(n)]
        for i in range(n):
            h = Human(r, fam[i - 1] if r.random() < .08 else None); h.v = (c.price(5, 5, 10, 10, 10, 10, 15, 20, 20, 25, 50), r.choice([1, 1, 1, 1, 5, 10, 15, 20, 28]), r.choice(["LANTERNHILL", "GIFT", "", f"D{h.id}", "DONATION", f"{h.id}", "LT GIFT"]), r.choice([0, 0, 1, 2])); c.donors.append(h)
        for dom in (1, 5, 10, 15, 20, 28): c.monthly(dom, c.gifts, dom)
        c.often(1.3 / k, c.oneoff); c.weekly(0, c.plate); c.weekly(2, c.platform); c.often(2.1 / k, c.spend); c.often(3 / k, c.volunteer); c.often(16 / k, c.grant); c.staff = [Human(r) for _ in range(int(1.5 * k) + 1)]; c.monthly(25, c.pay)
        c.standing("office", int(5 * k ** .6) + 2, 70, lambda t: r.choice([t.short, f"{t.what} (overheads)"])); c.monthly(8, lambda d: c.one(c.biz(d), c.bill(480 * k, .2), c.say("bacs", "HMRC CHARITIES", f"GA{r.randrange(1000, 9999)}"), c.soon(c.biz(d), 3, 1, 1), "Gift Aid reclaim", "gift_aid")); c.plates = r.sample(PLACE, max(1, int(.6 * k)))
        c.shops = r.sample(PLACE, max(1, int(.5 * k)))
    def gifts(c, d, dom):
        r = c.rng; bd = c.biz(d); batch = []
        for i, h in enumerate(c.donors):
            if h.v[1] != dom: continue
            if r.random() < .012: c.donors[i] = q = Human(r); q.v = h.v; h = q
            a, _, ref, st = h.v; tx = c.say("soin", h.bank, ref); bk = [f"{h.book(r)} gift", f"D{h.id} {h.f}", f"Donor {h.id}"][st]; x = r.random()
            if x < .05 and len(batch) < 7: batch.append((bd, a, tx))
            else: c.one(bd, a, tx, c.soon(bd, 5, 2, 1), bk, "regular_gift", h.bank + str(h.id))
        if len(batch) > 1: c.deal(batch, [(c.soon(bd, 3, 1), sum(x[1] for x in batch), f"Regular giving {bd:%d %b} various")], "gift_total")
        elif batch: c.one(*batch[0], bd, "Regular giving", "regular_gift")
    def oneoff(c, d):
        r = c.rng; h = Human(r); a = c.price(10, 20, 25, 30, 50, 100, 100, 250, 12.5)
        if r.random() < .25: t = Trader(r, "give"); c.one(d, a * 2, c.say("in", t.bank, r.choice(["DONATION", "COLLECTION", "RAFFLE"])), c.soon(d, 4, 2, 1), r.choice([t.short, f"{t.full} donation"]), "gift")
        else: c.one(d, a, c.say("in", h.bank, r.choice(["DONATION", "IN MEMORY", "SPONSOR", "", f"RUN {h.f}", "SUMMER FAIR"])), c.soon(d, 4, 2, 1), r.choice([f"{h.book(r)}", f"Donation {h.book(r)}", f"Sponsor {h.f}", f"In mem {h.f}"]), "gift")
    def plate(c, d):
        r = c.rng
        for p in c.plates:
            a = r.randrange(900, 26000) // 5 * 5; bd = c.biz(d); parts = [a // 3 // 5 * 5, a - a // 3 // 5 * 5]; tx = f"CREDIT {r.randrange(300, 999):06d} {up(p)[:10]}"
            if r.random() < .2: c.deal([(bd, a, tx)], [(bd - day, parts[0], f"Tins {p}"), (bd - day, parts[1], f"Plate {p}")], "plate_split")
            else: c.one(bd, a, tx, bd - day * r.choice([0, 1, 1, 2]), r.choice([f"Collections {p}", f"Plate & tins {p}"]), "plate")
        for p in c.shops:
            for j in range(2): a = c.bill(340, .3); f = int(a * .016); bd = c.biz(d + day * (1 + 2 * j)); c.one(bd, a - f, c.say("bacs", "CLEARTAP CHARITY", f"{up(p)[:5]}{bd:%d%m}"), bd - day * r.choice([0, 1, 2]), f"Shop {p} cards", "settlement")
    def platform(c, d):
        r = c.rng
        for nm in ("GIVEBEE", "SPONSORHIVE")[:1 + (r.random() < .4)]:
            g = c.bill(150 * c.scale ** .5, .6); f = int(g * .029) + 25; bd = c.biz(c.soon(d, 1, 2, 1)); tx = c.say("bacs", nm + " FOUNDATION", f"{r.randrange(10**5, 10**6)}")
            if r.random() < .25: c.deal([(bd, g - f, tx)], [(bd - day, g, f"{nm.title()} gifts"), (bd - day, -f, f"{nm.title()} fees")], "platform_gross")
            else: c.one(bd, g - f, tx, bd - day * r.choice([0, 1, 2]), r.choice([f"{nm.title()}", "Online giving"]), "platform")
    def spend(c, d):
        r = c.rng; x = r.random()
        if x < .35: t = Trader(r, "office"); n = c.cheque(); a = -c.bill(120, .8); bd = c.biz(c.soon(d, 0, 1, 2, 2)); c.one(bd, a, f"CHQ {n:06d}", d, r.choice([f"{t.short} chq {n}", f"{t.short} {str(n)[-3:]}", t.short]), "cheque")
        elif x < .7: t = Trader(r, "shop"); p = c.biz(c.soon(d, 1, 2, 1)); c.one(p, -c.bill(24, .7), c.say("card", t.bank, d=d), max(d, p - 3 * day), r.choice([t.short, "Charitable activities", f"Hall {t.what.lower()}"]), "card")
        else: t = Trader(r, "office"); bd = c.biz(d); c.one(bd, -c.bill(190, .6), c.say("out", t.bank, f"INV{r.randrange(100, 9999)}"), c.soon(bd, 4, 2, 1), r.choice([t.short, t.full]), "supplier")
    def volunteer(c, d): r = c.rng; h = Human(r); bd = c.biz(d); c.one(bd, -c.bill(14, .6), c.say("out", h.bank, r.choice(["EXPENSES", "MILEAGE"])), c.soon(bd, 4, 2, 1), r.choice([f"Vol exps {h.book(r)}", f"{h.ini} mileage"]), "expenses")
    def grant(c, d): r = c.rng; t = Trader(r, "give"); bd = c.biz(d); c.one(bd, c.price(500, 1000, 2500, 5000), c.say("bacs", t.bank, f"GRANT {r.randrange(100, 999)}"), c.soon(bd, 4, 2, 1), f"Grant - {t.short}", "grant"); a = c.price(1000, 2000); c.one(c.biz(bd + day), -a, c.say("tfr", "LANTERNHILL RESERVE"), c.biz(bd + day), "To reserve a/c", "transfer")
    def pay(c, d): r = c.rng; bd = c.biz(d); [c.one(bd, -c.price(1120, 1350, 1350, 1480), c.say("out", h.bank, "SALARY"), bd, f"Salary {h.book(r)}", "wages", h.bank) for h in c.staff]
class Shop(Clerk):
    """kettle_and_pine: web shop; several processors paying out net every day or two, repeated advertising charges, couriers, refunds, euros with fees; feed sometimes imported twice"""
    voice = "app"; card = "1187"; feedtwice = .02; neglect = (.12, .3)
    def open(c):
        r, k = c.rng, c.scale; c.order = r.randrange(10**4, 10**5); c.sup = [Trader(r, "ware") for _ in range(int(6 * k) + 3)]; c.brands = ["KP"] if k < 2 else ["KP", "Pine&Co", "HearthBox"] if k < 5 else ["KP", "Pine&Co", "HearthBox", "Larder", "Loft", "Nook", "Orchid", "Tinware"]
        for b in c.brands:
            c.daily(c.stripey, b, wds=range(5)); c.weekly(1, c.market, b); c.weekly(4, c.market, b); c.weekly(2, c.wallet, b); c.often(1.1, c.advert, b); c.weekly(0, c.courier, b)
        c.often(2.1 / k, c.stock); c.often(2.3 / k, c.card_); c.often(3.5 / k, c.refund); c.often(4.5 / k, c.euro); c.often(2.6 / k, c.trade); c.team = [Human(r) for _ in range(int(1.4 * k) + 1)]; c.monthly(26, c.pay)
        c.standing("office", int(8 * k ** .6) + 3, 45, lambda t: r.choice([f"{t.short}", f"429 - {t.what}", f"{t.full}"]), .75); c.crown(("HMRC PAYE payment", "HMRC VAT payment", "Account fee")); c.often(20, lambda d: c.one(d, -c.price(500, 1000, 1500), c.say("tfr", "Savings space", "VAT pot"), d, "Transfer to VAT pot", "transfer"))
    def stripey(c, d, b):
        r = c.rng; g = c.bill(330, .4); f = int(g * .015) + 20 * r.randrange(3, 15); bd = c.biz(d + day * 2); c.order += r.randrange(5, 30); tx = c.say("in", "ZIPPAY PAYMENTS UK", f"{b.upper()} ZP-{r.randrange(10**6, 10**7)}"); kd = max(bd - 3 * day, bd - day * r.choice([0, 0, 1, 2]))
        if r.random() < .09: c.deal([(bd, g - f, tx)], [(kd, g, f"{b} Zippay sales"), (kd, -f, f"{b} Zippay fees")], "payout_gross")
        else: c.one(bd, g - f, tx, kd, r.choice([f"{b} Zippay payout", f"Zippay clearing {b}", f"200 Sales {b} orders to #{c.order}"]), "payout", f"zip{b}")
    def market(c, d, b): r = c.rng; bd = c.biz(d); c.one(bd, c.bill(540, .5), c.say("in", r.choice(["Bazaarium EU SARL", "BAZAARIUM PAYMENTS"]), f"{''.join(r.choice('0123456789ABCDEFGHJKLMNPQRSTUVWXYZ') for _ in range(10))}"), bd - day * r.choice([0, 1, 2, 3]), r.choice([f"Bazaarium settlement {b}", f"Bazaarium {b}"]), "marketplace", f"baz{b}")
    def wallet(c, d, b): r = c.rng; bd = c.biz(c.soon(d, 2, 1, 1)); c.one(bd, c.price(200, 250, 300, 400) if r.random() < .3 else c.bill(240, .5), c.say("in", "PurseLink Europe", f"{r.randrange(10**12, 10**13)}"), bd - day * r.choice([0, 1, 1, 2]), r.choice([f"PurseLink withdrawal {b}", "PurseLink transfer"]), "wallet")
    def advert(c, d, b):
        r = c.rng; p = r.choice(["ADSTREAM", "Lookbook Ads", "ADSTREAM"]); a = -c.price(20, 25, 30, 50, 50, 50) if r.random() < .6 else -c.bill(31, .4)
        for j in range(r.choice([1, 1, 1, 2])): bd = c.soon(d, 3, 2); kt = r.choice(["Advertising", f"Advertising {p.title()}", f"400 - Advertising {b}"]); c.one(bd, a, c.say("card", f"{p} {r.randrange(10**7, 10**8)}"), bd - day * r.choice([0, 0, 1]), kt, "advert", f"ads {p}" if p.title() in kt else "?ads")
    def courier(c, d, b): r = c.rng; bd = c.biz(c.soon(d, 2, 1)); n = r.randrange(10**6, 10**7); c.one(bd, -c.bill(150, .4), c.say("dd", r.choice(["Swiftparcel UK Ltd", "Hopbox Couriers"]), n), bd - day * r.choice([0, 1, 2, 3]), r.choice([f"Swiftparcel/Hopbox {n}", f"Carriage out {b}", "Carriage out"]), "courier")
    def stock(c, d):
        r = c.rng; t = r.choice(c.sup); n = r.randrange(100, 99999); bd = c.biz(d); m = r.choice([1] * 6 + [2, 3])
        am = [-c.bill(310, .7) for _ in range(m)]; tx = c.say("out", t.bank, r.choice([f"Inv {n}", n, f"KETTLE PINE {n}", "kettle and pine"])); kd = c.soon(bd, 6, 2, 1)
        if m > 1: c.deal([(bd, sum(am), tx)], [(kd, a, f"{t.short} INV-{n + i}") for i, a in enumerate(am)], "bills_together")
        else: c.one(bd, am[0], tx, kd, r.choice([f"{t.short} INV-{n}", t.full, f"Payment: {t.short}", f"310 - Stock {n}"]), "supplier")
    def card_(c, d): r = c.rng; t = Trader(r, "shop"); c.one(c.soon(d, 1, 2, 1), a := -c.bill(15, .8), c.say("card", t.bank), d, r.choice([t.short, t.full, "Office sundries", f"Studio - {t.what.lower()}"]), "card")
    def refund(c, d): r = c.rng; h = Human(r); o = c.order - r.randrange(1, 900); c.one(d, -c.bill(38, .6), c.say("out", h.bank, r.choice([f"Refund {o}", "refund", f"#{o}"])), c.soon(d, 4, 1, 1), r.choice([f"Refund #{o}", f"Refund #{o} {h.book(r)}", f"Customer refund {h.f}"]), "refund")
    def euro(c, d):
        r = c.rng; t = r.choice(["Porcelana Vista Lda", "Keramik Haus Lund", "Linens de Rouvray", "Atelier Moulins", "Smalto Nord Srl", "Vetreria Carpi"]); e = c.bill(190, .8); rt = 1.155 * math.exp(r.gauss(0, .02)); a = -round(e / rt); f = -(c.price(3, 5, 0.2) if r.random() < .4 else max(20, round(-a * .0099))); x = r.random(); bd = c.biz(d); b = [(bd, a, f"{t} EUR {e / 100:.2f} rate {rt:.4f}"), (bd, f, f"International payment fee")]; n = r.randrange(10, 999)
        if x < .25: c.deal(b, [(bd, a + f, f"{t} {n} incl. fee")], "euro_with_fee")
        else:
            c.one(*b[0], c.soon(bd, 4, 1, 1), r.choice([t, f"{t} {n}", f"Stock EUR {e // 100}"]), "euro")
            if x < .75: c.one(*b[1], bd, r.choice(["Bank fees", "FX fees"]), "euro_fee", "?fxfee", 2)
            else: c.deal([b[1]], [], "fee_not_entered")
    def trade(c, d): r = c.rng; t = Trader(r, "shop"); n = c.no(); bd = d; c.one(bd, c.bill(260, .6), c.say("in", t.bank, r.choice([f"INV-{n}", n, "Kettle & Pine", f"wholesale {n}"])), c.soon(bd, 5, 2, 1), r.choice([f"INV-{n} {t.short}", f"INV-{n}", f"Payment from {t.full}"]), "wholesale")
    def pay(c, d): r = c.rng; bd = c.biz(d); [c.one(bd, -c.price(1650, 1720, 1720, 1890), c.say("out", h.bank, "salary"), bd, f"Net pay {h.book(r)}", "wages", h.bank) for h in c.team]
class Farm(Clerk):
    """oldmill_farm: paper cash book; cheques known to the bank by number only, dated when written; whole pounds, nicknames and abbreviations; mart sales net of commission"""
    voice = "old"; card = "7745"; pence = .02; key = .017; neglect = (.2, .3); oddpair = .014; vatless = .012
    def open(c):
        r, k = c.rng, c.scale; c.sup = [Trader(r, "farm") for _ in range(int(16 * k) + 5)]; c.nb = [Human(r) for _ in range(int(8 * k) + 3)]; c.mart = r.sample(PLACE, max(1, int(.7 * k)) + 1); c.men = [Human(r) for _ in range(int(1.6 * k) + 1)]
        for h in c.men: h.v = c.price(420, 455, 455, 480)
        c.often(.95 / k, c.cheq); c.often(1.5 / k, c.online); c.often(2.2 / k, c.sale); c.often(2.2 / k, c.cardp); c.often(3.2 / k, c.neighbour); c.weekly(4, c.wages); c.standing("office", int(5 * k ** .7) + 2, 85, lambda t: t.short); c.standing("farm", int(2 * k) + 1, 180, lambda t: t.short, .3)
        c.monthly(20, lambda d: [c.one(c.biz(d), c.bill(3900, .1), c.say("bacs", f"{m} DAIRY COOP", f"MILK {d:%b}"), c.soon(c.biz(d), 3, 1, 1), f"Milk cheque {m[:4]}", "milk") for m in c.mart]); c.often(90, lambda d: c.one(c.biz(d), c.bill(2900, .5), c.say("bacs", "RPA LAND SCHEME", f"SBI{r.randrange(10**8, 10**9)}"), c.soon(c.biz(d), 3, 1, 1), "Subsidy", "grant"))
        c.lets = [(Human(r), c.price(65, 80, 80, 120)) for _ in range(int(2.5 * k) + 1)]; c.monthly(1, c.let)
        for i, (h, a) in enumerate(c.lets): h.id = i + 1
        c.crown(("Revenue", "Vat", "Bank"))
    def keyed(c, d): return c.soon(d, 4, 2, 2, 1)
    def cheq(c, d):
        r = c.rng; t = r.choice(c.sup); n = c.cheque(); a = -c.bill(165, .9); bd = c.biz(c.soon(d, 0, 2, 4, 3)); kd = d if (bd - d).days <= 3 or r.random() < .1 else bd - 3 * day
        c.one(bd, a, r.choice([f"CHEQUE {n}", f"CHQ {n}", f"{n}"]), kd, r.choice([f"{t.short} {n}", f"{t.short} ({str(n)[-3:]})", t.short, f"chq {n}"]), "cheque")
    def online(c, d):
        r = c.rng; t = r.choice(c.sup); n = r.randrange(100, 9999); bd = c.biz(d); m = r.choice([1] * 7 + [2, 3]); am = [-c.bill(210, .8) for _ in range(m)]; kd = c.soon(bd, 4, 2, 1); tx = c.say("out", t.bank, r.choice([f"INV {n}", "OLD MILL FARM", t.acc]))
        if m > 1: c.deal([(bd, sum(am), tx)], [(kd, a, f"{t.short} {r.choice(['cake', 'wrap', 'drench', 'diesel', 'seed', 'parts', 'posts'])}") for a in am], "bills_together")
        else: c.one(bd, am[0], tx, kd, r.choice([t.short, f"{t.short} {n}", f"{t.what} - {t.base[:5]}"]), "supplier")
    def sale(c, d):
        r = c.rng; m = r.choice(c.mart); g = c.bill(1300, .6); f = int(g * .036) + 60 * r.randrange(1, 9); bd = c.biz(d); beast = r.choice(["store lambs", "cull ewes", "heifers", "stirks", "tups", "bull calves", "hoggs"]); tx = c.say("bacs", f"{m} AUCTION MART", f"A/C {r.randrange(100, 999)}"); kd = bd - day * r.choice([0, 1, 2, 3])
        if r.random() < .2: c.deal([(bd, g - f, tx)], [(kd, g, f"{m} mart {beast}"), (kd, -f, f"{m} mart commission")], "mart_gross")
        else: c.one(bd, g - f, tx, kd, r.choice([f"{m} mart", beast.capitalize(), f"{beast} {m}"]), "mart")
    def cardp(c, d): r = c.rng; t = Trader(r, "shop"); bd = c.biz(c.soon(d, 1, 2, 1)); c.one(bd, -c.bill(27, .7), c.say("card", t.bank, d=d), max(d, bd - 3 * day), r.choice([t.short, t.base, t.what.lower(), "petrol", "bits"]), "card")
    def neighbour(c, d):
        r = c.rng; h = r.choice(c.nb); a = c.price(40, 60, 80, 120, 150, 200, 350, 425); p = PET.get(h.g, h.g); w = r.choice(["hay", "baling", "straw", "topping", "hedge", "grazing", "logs"])
        if r.random() < .6: c.one(d, a, c.say("in", h.bank, r.choice([w, h.f, ""])), c.keyed(d), r.choice([f"{p} {w}", f"{h.f} {w}", f"{p} {h.f}", h.ini + " " + w]), "neighbour")
        else: c.one(d, -a, c.say("out", h.bank, w), c.keyed(d), r.choice([f"{p} {w}", f"{h.f} {w}", p]), "neighbour")
    def wages(c, d): r = c.rng; bd = c.biz(d); [c.one(bd, -h.v, c.say("so", h.bank, "WAGE"), c.soon(bd, 5, 1, 1), PET.get(h.g, h.g) + r.choice(["", " wage", " wk"]), "wages", h.bank) for h in c.men]
    def let(c, d): [c.one(c.biz(d), a, c.say("soin", h.bank, c.rng.choice(["STABLE", "YARD", "RENT", "LOCKUP"])), c.keyed(c.biz(d)), f"Yard unit {h.id} {h.f}" if h.id % 2 else f"{h.f} rent", "let", h.bank) for h, a in c.lets]
class Blocks(Clerk):
    """harbourview_blocks: block management; unit codes instead of names; equal quarterly and monthly service charges, collection runs, bounced debits, reserve transfers, contractor runs"""
    voice = "cut"; card = "5091"; ghosts = .065
    def open(c):
        r, k = c.rng, c.scale; c.blocks = []; nb = max(2, int(3.2 * k)); used = set()
        for i in range(nb):
            nm = r.choice(PLACE) + " " + r.choice(["Quay", "Court", "House", "Wharf", "Mansions", "Point", "Heights"]); cd = "".join(w[0] for w in nm.split()) + str(i + 1); units = []
            sc = c.price(95, 110, 125, 125, 140); dom = r.choice([1, 1, 5, 15])
            for u in range(r.randrange(9, 17)):
                h = Human(r); x = r.random(); pays = "so" if x < .62 else "dd" if x < .72 else "q"; nm_ = h.bank if r.random() < .85 else Trader(r, "office").base + " Lettings"; h.bank = nm_
                h.v = dict(code=f"{cd}-{u + 1:02d}", flat=u + 1, sc=sc if r.random() < .75 else sc + 1500, pays=pays, ref=r.choice([f"FLAT {u + 1}", f"{cd}-{u + 1:02d}", f"{u + 1} {nm.split()[0]}", h.f, "SERVICE CHARGE", f"{cd}{u + 1:02d}", ""]), block=nm, cd=cd, style=r.choice([0, 0, 1, 2])); units.append(h)
            c.blocks.append((nm, cd, units)); c.monthly(dom, c.collect, units)
            c.monthly(r.choice([24, 25]), c.quarter, units, step=3)
        c.con = [Trader(r, "block") for _ in range(int(9 * k) + 5)]; c.often(.85 / k, c.works); c.monthly(15, c.runday); c.often(2.5 / k, c.cardp); c.often(6 / k, c.reserve); c.often(4.5 / k, c.fees)
        c.standing("office", int(5 * k) + 2, 120, lambda t: f"{r.choice(c.blocks)[1]} {t.what.lower()}" if r.random() < .0 else f"{t.short}"); c.crown(("PAYE caretakers", "VAT", "Bank charges - pooled a/c"))
    def label(c, h): v = h.v; return [f"{v['code']} SC", f"SC {v['code']} {h.f}", f"{v['code']}"][v["style"]]
    def collect(c, d, units):
        r = c.rng; bd = c.biz(d); dd = []
        for h in units:
            v = h.v
            if v["pays"] == "so":
                x = c.biz(bd + day * r.choice([0, 0, 0, 0, 0, 1, 2, 6])); c.one(x, v["sc"], c.say("soin", h.bank, v["ref"]), c.soon(x, 6, 2, 1), c.label(h), "service_charge", v["code"])
            elif v["pays"] == "dd": dd.append(h)
        dd = dd[:]
        while dd:
            g, dd = dd[:4], dd[4:]; tx = c.say("bacs", "COLLECTA DD BUREAU", f"{g[0].v['cd']} {bd:%d%m%y}")
            if len(g) > 1 and r.random() < .6: c.deal([(bd, sum(h.v["sc"] for h in g), tx)], [(bd, h.v["sc"], c.label(h)) for h in g], "dd_run")
            else: c.one(bd, sum(h.v["sc"] for h in g), tx, c.soon(bd, 4, 1), f"DD run {g[0].v['cd']}", "dd_run")
            if r.random() < .12: h = r.choice(g); x = c.biz(bd + 2 * day); c.one(x, -h.v["sc"], c.say("out", "COLLECTA DD BUREAU", f"UNPAID {h.v['code']}"), c.soon(x, 3, 2, 1), f"{h.v['code']} returned DD", "bounced"); y = c.biz(x + 9 * day); c.one(y, h.v["sc"], c.say("in", h.bank, h.v["ref"]), c.soon(y, 4, 2), c.label(h) + " re-pres", "service_charge")
    def quarter(c, d, units):
        r = c.rng
        for h in units:
            v = h.v
            if v["pays"] == "q": x = d + day * r.choice([0, 0, 1, 2, 3, 5, 9, 14]); c.one(x, v["sc"] * 3, c.say("in", h.bank, v["ref"]), c.soon(x, 5, 2, 1, 1), c.label(h) + r.choice([" qtr", ""]), "service_charge_q", v["code"])
    def works(c, d):
        r = c.rng; t = r.choice(c.con); b = r.choice(c.blocks); n = r.randrange(100, 30000); bd = c.biz(d); a = -(c.bill(190, .8) if r.random() < .7 else c.price(48, 60, 72, 90, 144)); c.one(bd, a, c.say("out", t.bank, r.choice([n, f"INV {n}", b[1], f"{b[1]} {n}"])), c.soon(bd, 5, 2, 1), r.choice([f"{b[1]} {t.short}", f"{b[1]} {t.what.lower()} {n}", f"{t.short} {n}", f"{b[1]} repairs"]), "works")
    def runday(c, d):
        r = c.rng; bd = c.biz(d)
        for t in c.con:
            if r.random() < .4:
                bs = r.sample(c.blocks, min(len(c.blocks), r.choice([1, 1, 2, 3]))); am = [-c.price(60, 72, 84, 96, 120, 156) for _ in bs]; tx = c.say("out", t.bank, f"RUN {bd:%b%y}")
                if len(bs) > 1 and r.random() < .7: c.deal([(bd, sum(am), tx)], [(bd, a, f"{b[1]} {t.short}") for a, b in zip(am, bs)], "contractor_run")
                else: c.one(bd, sum(am), tx, c.soon(bd, 4, 1), f"{bs[0][1]} {t.short} contract", "contractor")
    def cardp(c, d): r = c.rng; t = Trader(r, "shop"); bd = c.biz(c.soon(d, 1, 2, 1)); b = r.choice(c.blocks); c.one(bd, -c.bill(21, .7), c.say("card", t.bank, d=d), max(d, bd - 3 * day), r.choice([f"{b[1]} caretaker", t.short, f"{b[1]} keys & bulbs", f"{t.what} {b[1]}"]), "card")
    def reserve(c, d): r = c.rng; b = r.choice(c.blocks); bd = c.biz(d); a = c.price(1000, 1500, 2000, 2500) * r.choice([-1, -1, 1]); c.one(bd, a, c.say("tfr", f"{b[1]} RESERVE FUND"), c.soon(bd, 5, 1), r.choice([f"{b[1]} reserve", "Transfer reserve"]), "transfer")
    def fees(c, d): r = c.rng; h = r.choice(r.choice(c.blocks)[2]); t = Human(r).f + " " + r.choice(["Solicitors", "Legal LLP", "Conveyancing"]); c.one(d, c.price(120, 180, 240, 300, 42), c.say("in", t, r.choice(["LPE1", h.v["code"], "NOTICE FEE", h.f])), c.soon(d, 4, 2, 1), r.choice([f"{h.v['code']} sale pack", f"{h.v['code']} notice", f"Sellers pack {h.f}"]), "admin_fee")
FIRMS = dict(bramley_dental=Dental, tollgate_haulage=Haulage, lanternhill_trust=Trust, kettle_and_pine=Shop, oldmill_farm=Farm, harbourview_blocks=Blocks)

# =============================================================== truth and output
COMMON = set("WAGES WAGE RENT GIFT REFUND DONATION RESERVE TRANSFER SALARY SPONSOR FUND SERVICE CHARGE DIRECT DEBIT STANDING ORDER FASTER PAYMENT PAYMENTS CARD BANK GIRO CREDIT BILL HAULAGE LANTERNHILL FROM REFERENCE MANDATE".split())
def telling(t): return {w for w in "".join(ch if ch.isalnum() else " " for ch in t.upper()).split() if len(w) > 3 and w not in COMMON}
def settle(c):
    todo = sorted(c.deals, key=lambda x: x[:2]); room = c.n; bank, book, link, many = [], [], [], []
    for _, _, B, K, P, G in todo:
        if not room: break
        if len(B) > room: continue
        room -= len(B); ob, ok = len(bank), len(book); bank += B; book += K; link += [[ob + i, ok + j, k] for i, j, k in P]
        many += [[g, (ob if g == "bank" else ok) + i, [(ok if g == "bank" else ob) + j for j in js]] for g, i, js in G]
    assert len(bank) == c.n
    # one payee (or a bare heading), one amount: whoever reads both lists pairs in date order
    pots = {}
    for p in link: pots.setdefault((book[p[1]][4], bank[p[0]][1]), []).append(p)
    for pot in pots.values():
        if len(pot) < 2: continue
        js = sorted((p[1] for p in pot), key=lambda j: (book[j][0], j))
        for p, j in zip(sorted(pot, key=lambda p: (bank[p[0]][0], p[0])), js): p[1] = j
    taken = [{p[0] for p in link}, {p[1] for p in link}]
    for g, i, js in many: one = 0 if g == "bank" else 1; taken[one].add(i); taken[1 - one].update(js)
    # ... and prefers the nearer of two lines that differ in nothing but the date
    for side, rows, other in ((0, bank, book), (1, book, bank)):
        spare = {}
        for i, x in enumerate(rows):
            if i not in taken[side]: spare.setdefault((x[4], x[1]), []).append(i)
        for p in link:
            mine = rows[p[side]]; opts = spare.get((mine[4], mine[1]))
            if opts:
                t = other[p[1 - side]][0]; j = min(opts, key=lambda i: abs((rows[i][0] - t).days))
                if abs((rows[j][0] - t).days) < abs((mine[0] - t).days): opts.remove(j); opts.append(p[side]); taken[side].remove(p[side]); taken[side].add(j); p[side] = j
    # stray book lines that the same reader would give to a stray bank line are struck out
    loose = {}
    for i, x in enumerate(bank):
        if i not in taken[0]: loose.setdefault(x[1], []).append(x)
    struck = {j for j, x in enumerate(book) if j not in taken[1] and any(abs((y[0] - x[0]).days) < 15 and (x[4] == y[4] or x[4][0] == "?" or (abs((y[0] - x[0]).days) < 4 and telling(x[2]) & telling(y[2]))) for y in loose.get(x[1], ()))}
    bo = sorted(range(c.n), key=lambda i: (bank[i][0], i)); ko = [j for j in range(len(book)) if j not in struck]; ko.sort(key=lambda j: (book[j][0], len(book[j][2]), j) if c.voice != "old" else (book[j][0], j))
    nb, nk = {o: i for i, o in enumerate(bo)}, {o: i for i, o in enumerate(ko)}
    return [bank[i] for i in bo], [book[j] for j in ko], sorted([nb[a], nk[b], k] for a, b, k in link), [[g, (nb if g == "bank" else nk)[i], [(nk if g == "bank" else nb)[j] for j in js]] for g, i, js in many]
def audit(bank, book, link, many):
    seen = [set(), set()]
    def use(side, i): assert 0 <= i < len((bank, book)[side]) and i not in seen[side]; seen[side].add(i)
    for a, b, _ in link: use(0, a); use(1, b); assert bank[a][1] == book[b][1]
    for g, i, js in many:
        o = 0 if g == "bank" else 1; use(o, i); [use(1 - o, j) for j in js]; assert len(js) > 1 and (bank, book)[o][i][1] == sum((book, bank)[o][j][1] for j in js)
    for d, p, t, k, _ in bank + book: assert isinstance(p, int) and p and t.strip() and "\t" not in t and "\n" not in t
def save(out, bank, book, link, many):
    os.makedirs(os.path.dirname(os.path.abspath(out)), exist_ok=True); rows = lambda xs: [dict(date=x[0].isoformat(), amount=x[1] / 100, description=x[2]) for x in xs]
    with open(out + ".json", "w") as f: json.dump(dict(bank=rows(bank), book=rows(book), options=dict(allowedDateDifferenceInDays=3, includeMatched=True)), f)
    with open(out + ".truth.json", "w") as f: json.dump(dict(n_bank=len(bank), n_book=len(book), pairs=link, groups=many, bank_kind=[x[3] for x in bank], book_kind=[x[3] for x in book]), f)
    e = dt.date(1970, 1, 1)
    with open(out + ".tsv", "w") as f: f.writelines(f"{s}\t{i}\t{(x[0] - e).days}\t{x[1]}\t{x[2]}\n" for s, xs in (("b", bank), ("k", book)) for i, x in enumerate(xs))
if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    for o, kw in (("--company", {}), ("--seed", dict(type=int, default=1)), ("--n", dict(type=int, default=500)), ("--out", {}), ("--list", dict(action="store_true"))): ap.add_argument(o, **kw)
    a = ap.parse_args()
    if a.list: print("\n".join(FIRMS)); sys.exit(0)
    if a.company not in FIRMS or not a.out: ap.error("--company (one of --list) and --out are needed")
    res = FIRMS[a.company](a.company, a.seed, a.n).run(); audit(*res); save(a.out, *res); bank, book, link, many = res
    print(f"{a.company} bank {len(bank)} book {len(book)} pairs {len(link)} ({100 * len(link) / len(bank):.0f}% / {100 * len(link) / max(1, len(book)):.0f}%) beyond 3 days {sum(abs((bank[x][0] - book[y][0]).days) > 3 for x, y, _ in link)} groups {len(many)} days {(bank[-1][0] - bank[0][0]).days}")
