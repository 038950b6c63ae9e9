#!/usr/bin/env python3
"""Third author: high-street bank statements (upper case, fields cut to 18 characters) against six bookkeepers' habits.

  statements.py --list
  statements.py --company NAME --seed S --n ROWS --out BASE     (ROWS = bank rows; writes BASE.json/.truth.json/.tsv)

A day-by-day simulation of a small firm. Every money event becomes a unit: bank rows, book rows, pairs and groups.
The bookkeeper then misses, mistypes, rounds, repeats, delays. groups: [dataset of the single row, row, [rows of the other side]].
"""
import argparse, json, math, os, random, sys, datetime as dt
D1 = dt.timedelta(1)
# ------------------------------------------------------------------ vocabulary
FORE = """Agnes Aidan Alasdair Alma Annika Arthur Beatrix Bethan Bryony Callum Carys Cedric Chidi Clement Cordelia Dafydd Delroy Dilys Dougal Edith Elspeth
Emrys Enid Esme Euan Ffion Fergus Fleur Gareth Gethin Greta Gwen Hamish Hattie Hector Hilda Idris Imogen Innes Iona Isolde Ivor Jago Jarvis Keziah Kirsty Lachlan
Leopold Lettice Lowri Mabel Magnus Maeve Marjorie Merryn Mungo Myfanwy Nerys Ngozi Niall Obadiah Olwen Orla Osian Perpetua Petra Piers Quentin Ravi Rhona Rhys
Rosalind Rufus Saskia Seren Shona Sibyl Silas Tabitha Tamsin Tegan Theo Tobias Una Uzma Verity Wilf Winifred Xanthe Yusuf Zara""".split()
SUR = """Abernethy Ackroyd Addyman Allardyce Applegarth Arkwright Ashdown Attwater Babbage Bagshaw Balderstone Barraclough Beddoes Bickerstaff Birtwistle Blenkinsop
Boothroyd Bracegirdle Braithwaite Brockbank Bulstrode Cadwallader Calvert Capstick Catterall Cholmeley Clegg Clutterbuck Cobbold Cotterill Crabtree Cruickshank
Culpepper Dalgleish Dalrymple Dewhirst Dinsdale Dobbs Drinkwater Duckworth Eastwick Eccleston Elphick Entwistle Fairclough Fanshawe Farthing Fazackerley Featherstone
Ferriby Fothergill Gaskarth Gathercole Gilchrist Godbold Gooderham Greenhalgh Grimshaw Gulliver Hainsworth Halliwell Hardcastle Haythornthwaite Heptonstall Hesketh
Higginbottom Hoddinott Holroyd Hornblow Huddlestone Hutchcraft Iddon Inchbald Jellicoe Jessop Kellaway Kershaw Kilvert Kinnaird Lanyon Larkin Leatherbarrow Lightfoot
Longbottom Lumsden Maddocks Mainwaring Makepeace Marchbanks Mawdsley Micklethwait Mottershead Muncaster Nettleton Nancarrow Nuttall Oakeshott Oldroyd Ormerod Oswaldtwist
Pargeter Parkinson Penhaligon Penrose Pettigrew Pickersgill Pilkington Postlethwaite Prendergast Quayle Quarmby Ramsbottom Rawnsley Ridsdale Rigby Ripley Rookwood
Sagar Satterthwaite Scargill Shufflebottom Sidebottom Skelhorn Smallbone Snodgrass Spofforth Stallybrass Standish Strickland Sugden Summerscale Swinburne Tattersall
Thistlethwaite Threlfall Thwaites Tremayne Trelawny Trubshaw Twelvetrees Tyldesley Unsworth Vavasour Venables Waddilove Wagstaff Walmsley Wigglesworth Winterbottom
Woolstenholme Wrigglesworth Yarborough Yelland Adeyemi Banerjee Chowdhury Dlamini Eze Farooqi Gunawardena Hussain Iyer Jankowski Kowalczyk Lewandowska Mbeki Nwosu
Oyelaran Pereira Qureshi Rahman Siddiqui Tshabalala Uddin Varga Wojcik Xu Yilmaz Zielinski""".split()
TOWN = """Alderley Amblecote Ashby Bampton Barnoldswick Beckermet Bilston Bingley Blakeney Brackley Brampton Brigg Buckden Burscough Callander Calne Cartmel Chatteris
Clitheroe Colne Coniston Corbridge Cromer Cullompton Darwen Denby Diss Dronfield Earby Egremont Epworth Fakenham Flint Frodsham Garstang Girvan Goole Grassington Halesworth
Haltwhistle Hebden Helmsley Hexham Holbeach Hyde Ilkeston Ilminster Keswick Kirkham Knutsford Ledbury Leek Lymm Malton Marple Masham Melbourne Millom Mold Mossley Nantwich
Newent Oakham Ossett Otley Padiham Penistone Pershore Pickering Quorn Ramsey Ripley Rothwell Sandbach Selby Settle Shifnal Skipton Sleaford Southwell Stokesley Tadcaster
Thirsk Tideswell Todmorden Uppingham Uttoxeter Wem Whaley Whitby Wigton Wirksworth Worksop Yarm""".split()
STREET = """Cable Tanner Mill Chapel Orchard Quarry Sluice Ropewalk Barley Vicarage Foundry Lime Priory Weir Station Hawthorn Maltings Bobbin Canal Sycamore Abbey Granary Pinfold
Tenter Victoria Albion Nelson Cobden Gladstone Alma Inkerman Bridge Spring Well""".split()
STK = "Street Road Lane Terrace Close Court Row Mews Gardens Avenue".split()
ADJ = """Amber Beacon Blackthorn Bluestone Bramble Brindle Cobalt Copperleaf Crestwell Dovecote Elderwood Fellside Flintlock Foxglove Goldfinch Greystone Harrier Heron Ironwell
Juniper Kestrel Kingfisher Larkspur Lodestone Millrace Moorland Nettlebed Northgate Oakleaf Oxbow Pennant Quicksilver Redkite Ridgeway Rosehip Sandstone Silverbirch Skylark
Stonecroft Swallowtail Tamarisk Thornbury Umber Vantage Waymark Whitebeam Wildfowl Windrush Wolds Yewtree""".split()
SAAS = """Pixelbarn Cloudhutch Mailotter Ledgerwell Fontorium Stackpond Rendermoth Domainrook Zipqueue Taskferret Inkbeam Formheron Vaultmole Signplume Chatquarry Gridnest Typemill
Docwhistle Backuply Framefox Notestoat Pollpuffin Timebadger Planwren Sketchvole Codecurlew Hostgannet Mapmarten Printlark Meetlapwing""".split()
TRADE = dict(
 merch="Plumbing Supplies,Pipe Centre,Heating Spares,Boiler Parts,Builders Merchants,Timber & Ply,Tool Hire,Tile Depot,Electrical Factors,Fixings,Skip Hire,Insulation,Bathrooms,Paint Store".split(","),
 fuel="Service Station,Filling Station,Garage,Fuels,Roadside,Motorway Services".split(","),
 food="Dairies,Bakehouse,Fruit & Veg,Butchers,Fine Foods,Coffee Roasters,Egg Co,Wholesale Grocers,Fish Merchants,Catering Supplies,Drinks Wholesale,Packaging".split(","),
 util="Water,Energy,Telecom,Broadband,Waste Services,Insurance,Finance,Vehicle Leasing,Alarms,Pest Control,Hygiene,Pensions,Merchant Services,Mobile,Gas Supply".split(","),
 cust="Engineering,Construction,Joinery,Fabrications,Developments,Homes,Contracts,Shopfitting,Agricultural,Marine,Garden Centre,Motors,Hotels,Schools Trust,Roofing,Steelwork,Cladding,Conservatories,Landscapes,Machine Tools".split(","),
 supp="Fasteners,Bolt Co,Springs,Abrasives,Adhesives,Cable,Castings,Fixings Intl,Wire,Pressings,Pallets,Cartons,Carriers,Coatings,Plating,Bearings,Rivets,Sealants".split(","),
 craft="Electrical,Plumbing,Roofing,Decorating,Locksmiths,Drains,Cleaning,Gardens,Gas Services,Carpets,Handyman,Glazing".split(","),
 client="Museum,Theatre,Publishing,Records,Brewing,Architects,Films,Festival,Gallery,Outdoor,Cycles,Skincare,Distillers,Estates,Ceramics,Press".split(","),
 shop="Coffee,Deli,Books,Stationers,News,Parking,Taxis,Hardware,Pantry,Sandwich Bar,Art Supplies,Print Shop,Trains,Chemist,Diner,Florist".split(","))

# ------------------------------------------------------------------ calendar
def _easter(y):
    a, b, c = y % 19, y // 100, y % 100; d, e = b // 4, b % 4; f = (b + 8) // 25; g = (b - f + 1) // 3
    h = (19 * a + b - d - g + 15) % 30; i, k = c // 4, c % 4; l = (32 + 2 * e + 2 * i - h - k) % 7; m = (a + 11 * h + 22 * l) // 451
    return dt.date(y, (h + l - 7 * m + 114) // 31, (h + l - 7 * m + 114) % 31 + 1)
HOL = set()
for _y in range(2016, 2036):
    _e = _easter(_y); HOL |= {_e - 2 * D1, _e + D1, dt.date(_y, 1, 1), dt.date(_y, 12, 25), dt.date(_y, 12, 26)}
    for _m, _last in ((5, 0), (5, 1), (8, 1)):
        _d = dt.date(_y, _m, 31 if _last else 1)
        while _d.weekday(): _d += -D1 if _last else D1
        HOL.add(_d)
def working(d): return d.weekday() < 5 and d not in HOL
def nwd(d):
    while not working(d): d += D1
    return d
def addwd(d, k):
    for _ in range(k): d = nwd(d + D1)
    return d

# ------------------------------------------------------------------ names
def initials(s): return "".join(w[0] for w in s.split() if w[0].isalpha())
def squash(s): return "".join(c for c in s.upper() if c.isalnum() or c == " ").replace("  ", " ").strip()
def slip(r, s):                      # a slip of the pen in a name
    if len(s) < 5: return s
    i = r.randrange(1, len(s) - 2)
    return r.choice([s[:i] + s[i+1] + s[i] + s[i+2:], s[:i] + s[i+1:], s[:i] + s[i] + s[i:]])
def novowel(s): return " ".join(w[0] + "".join(c for c in w[1:] if c.lower() not in "aeiou") if len(w) > 5 else w for w in s.split())

class Firm:
    __slots__ = ("legal", "bank", "nick", "what", "no", "code", "amt")
    def __init__(s, r, trade, holding=.08):
        what = r.choice(TRADE[trade]); k = r.random()
        if k < .32: core = r.choice(SUR)
        elif k < .5: core = r.choice(ADJ)
        elif k < .66: core = r.choice(TOWN)
        elif k < .76: core = f"{r.choice(SUR)} & {r.choice(['Sons', 'Daughters', 'Co', r.choice(SUR)])}"
        elif k < .88: core = f"{r.choice('ABCDEFGHJKLMNPRSTW')}{r.choice('ABCDEGHJKLMPRSTW')} {r.choice(SUR)}"
        else: core = f"{r.choice(ADJ)} {r.choice(TOWN)}"
        suf = r.choice([" Ltd", " Ltd", " Ltd", " Limited", "", " LLP", " (UK) Ltd"])
        s.what, s.legal = what, f"{core} {what}{suf}"
        s.bank = squash(s.legal if r.random() < .8 else core + " " + what)
        if r.random() < holding: s.bank = squash(f"{r.choice(SUR)} {r.choice(['Holdings', 'Group', 'Trading', 'Bros'])} Ltd")   # trades under another name
        k = r.random()
        s.nick = (f"{core} {what}" if k < .45 else core if k < .75 else f"{core.split()[0]} {initials(what)}" if k < .85 else novowel(f"{core} {what}") if k < .93 else initials(core + " " + what) + f" ({core})")
        s.no = r.randrange(10000, 99999); s.code = squash(core).replace(" ", "")[:5] + f"{r.randrange(1, 99):02d}"; s.amt = 0
class Person:
    __slots__ = ("f", "s", "bank", "payer", "x", "amt", "ref")
    def __init__(p, r, sur=None):
        p.f, p.s = r.choice(FORE), sur or r.choice(SUR)
        if r.random() < .03: p.s = p.s + "-" + r.choice(SUR)
        p.bank = p.alias(r); p.payer = p.bank; p.x = None; p.amt = 0; p.ref = ""
    def alias(p, r):
        f, s = p.f.upper(), p.s.upper()
        return r.choice([f"{f} {s}", f"{f[0]} {s}", f"{s} {f[0]}", f"{f[0]} {r.choice('ABCDEJLM')} {s}", f"{r.choice(['MR', 'MRS', 'MISS', 'MS', 'DR'])} {f[0]} {s}", f"{s} {f}"])
    def written(p, r):
        return r.choice([f"{p.f} {p.s}", f"{p.f} {p.s}", f"{p.s}, {p.f}", f"{p.f[0]} {p.s}", p.s, f"{p.s} {p.f[0]}"])

# ------------------------------------------------------------------ the office
class Office:
    """base class: statement writer + bookkeeper + truth"""
    card = "4417"; bankstyle = "A"
    miss = .08; phantom = .05; typo = .012; rnd = .006; dup = .012; far = .006; bankdouble = .003
    lags = {0: 6, 1: 3, 2: 1}; desk = None
    def __init__(s, company, seed, n):
        s.r = random.Random(f"third|{company}|{seed}|{n}"); s.n = n; s.k = max(.35, (n / 500) ** .48)
        r = s.r; s.day = dt.date(2024 if n < 2000 else 2021 if n < 20000 else 2018, r.randrange(1, 10), r.randrange(1, 28))
        s.units = []; s.count = 0; s.uid = 0; s.rec = []; s.inv = r.randrange(900, 9000); s.setup()
    # --- dates and amounts
    def bookdate(s, d):
        if s.desk and s.r.random() < .85:
            while d.weekday() not in s.desk: d += D1
            return d
        ks = list(s.lags); return d + D1 * s.r.choices(ks, [s.lags[k] for k in ks])[0]
    def pois(s, lam):
        L, k, p = math.exp(-lam), 0, 1.0
        if lam > 30: return max(0, round(s.r.gauss(lam, lam ** .5)))
        while True:
            p *= s.r.random()
            if p < L: return k
            k += 1
    def money(s, mid, spread=.7, lo=150):           # pence
        p = int(mid * 100 * math.exp(s.r.gauss(0, spread))); k = s.r.random()
        if k < .12: p = round(p, -2)
        elif k < .25: p = p // 100 * 100 + s.r.choice([99, 50, 95])
        return max(lo, p)
    def priced(s, lo, hi):                           # net price + 20 % VAT
        net = s.r.randrange(lo, hi); net = net // 5 * 5 if s.r.random() < .6 else net
        return net * 120
    def nextinv(s): s.inv += s.r.choice([1, 1, 1, 2]); return s.inv
    # --- statement texts
    def bt(s, code, name, ref="", d=None):
        r = s.r; name = squash(name)[:18].strip(); ref = squash(ref)[:18].strip(); d = d or s.day
        if s.bankstyle == "A":
            if code == "POS": return f"{s.card} {d:%d%b%y} {name} {r.choice(TOWN).upper()[:9]} GB".upper()
            return f"{name} {ref} {code}".replace("  ", " ")
        if s.bankstyle == "B":
            if code == "POS": return f"CARD PAYMENT TO {name} ON {d:%d %b}".upper()
            return {"FPI": "FASTER PAYMENT RECEIPT ", "FPO": "FASTER PAYMENT TO ", "DDR": "DIRECT DEBIT ", "BGC": "BANK GIRO CREDIT ", "STO": "STANDING ORDER ", "BP": "BILL PAYMENT TO ", "TFR": "TRANSFER ", "CHQ": "CHEQUE ", "FEE": "", "CR": "CREDIT "}.get(code, "") + (f"{name} REF {ref}" if ref else name)
        if code == "POS": return f"{name} CD {s.card}"
        if code in ("FPI", "BGC", "CR"): return f"{code} {ref} {name}".replace("  ", " ") if r.random() < .8 else f"{code} {name}"
        return f"{code} {name} {ref}".strip()
    # --- units
    def _u(s, d, bank, book, pairs=(), groups=()): s.units.append((d, len(s.units), bank, book, list(pairs), list(groups))); s.count += len(bank)
    def w(s, who):
        if who is None: s.uid += 1; return f"#{s.uid}"
        return who
    def wrong(s, p):                                 # typing error in an amount
        r = s.r; a = str(abs(p)).zfill(3)
        for _ in range(20):
            k, i = r.random(), r.randrange(len(a) - 1)
            q = a[:i] + a[i+1] + a[i] + a[i+2:] if k < .5 else a[:i] + r.choice("0123456789") + a[i+1:] if k < .8 else a + "0" if k < .85 else a[:i] + a[i+1:] if k < .95 else a[:i] + a[i] + a[i:]
            if q and int(q) and int(q) != abs(p): return int(q) if p > 0 else -int(q)
        return p + 10
    def post(s, d, p, bt, kt, kind, kd=None, who=None, miss=1.0):
        if not p: return
        r = s.r; who = s.w(who); kd = kd or s.bookdate(d); x = r.random(); B = (d, p, bt, kind, who)
        for lim, what in ((s.miss * miss, "miss"), (s.phantom, "phantom"), (s.typo, "typo"), (s.rnd, "round"), (s.far, "far")):
            if x < lim: break
            x -= lim
        else: what = "ok"
        if what == "miss": return s._u(d, [B[:3] + ("unposted",) + B[4:]], [])
        if what == "phantom":
            return s._u(d, [], [(kd, p, kt, r.choice(["uncleared", "other_account", "cancelled"]), who)])
        if what == "typo": return s._u(d, [B[:3] + ("typo", who + "t")], [(kd, s.wrong(p), kt, "typo", who + "t")])
        if what == "round":
            q = round(p, -2) if p % 100 and r.random() < .5 else p + r.choice([-1, 1])
            if q: return s._u(d, [B[:3] + ("rounded", who + "r")], [(kd, q, kt, "rounded", who + "r")])
        if what == "far": kd = d + D1 * r.choice([4, 5, 6, 7, 9, 12, -4, -5]); kind = "late"
        bank, book = [B], [(kd, p, kt, kind, who)]
        if r.random() < s.dup:
            dd = kd + D1 * r.choice([0, 0, 0, 1, 2, 5, 8])
            if abs((dd - d).days) < abs((kd - d).days): dd = kd
            book.append((dd, p, kt if r.random() < .8 else kt + " (2)", "duplicate", who))
        if r.random() < s.bankdouble and p < 0:
            bank.append((d, p, bt, "double_charge", who)); rd = nwd(d + D1 * r.randrange(2, 6))
            bank.append((rd, -p, bt if r.random() < .5 else "REVERSAL " + bt[:22], "reversal", s.w(None)))
        s._u(d, bank, book, [(0, 0, kind)])
    def split(s, d, parts, bt, kind):                # one bank row = several book rows: parts [(date, pence, text)]
        if len(parts) < 2: return s.post(d, parts[0][1], bt, parts[0][2], kind, kd=parts[0][0])
        s._u(d, [(d, sum(x[1] for x in parts), bt, kind, s.w(None))], [(a, p, t, kind, s.w(None)) for a, p, t in parts], (), [("bank", 0, list(range(len(parts))))])
    def lump(s, parts, kd, kt, kind):                # several bank rows = one book row: parts [(date, pence, text)]
        if len(parts) < 2: return s.post(parts[0][0], parts[0][1], parts[0][2], kt, kind, kd=kd)
        s._u(parts[0][0], [(a, p, t, kind, s.w(None)) for a, p, t in parts], [(kd, sum(x[1] for x in parts), kt, kind, s.w(None))], (), [("book", 0, list(range(len(parts))))])
    def bankonly(s, d, p, bt, kind): s._u(d, [(d, p, bt, kind, s.w(None))], [])
    def bookonly(s, d, p, kt, kind): s._u(d, [], [(d, p, kt, kind, s.w(None))])
    # --- recurring things: (day of month, every m months, pence, spread, bank text fn, book text fn, kind, who)
    def every(s, dom, amt, code, name, book, kind, spread=0, ref="", who="=", months=1, working_only=True):
        s.rec.append((dom, months, s.r.randrange(months), amt, spread, code, name, ref, book, kind, who, working_only))
    def recurring(s):
        d, r = s.day, s.r
        for dom, months, ph, amt, spread, code, name, ref, book, kind, who, wo in s.rec:
            if d.day != dom or (d.month + ph) % months: continue
            a = amt if not spread else int(amt * math.exp(r.gauss(0, spread)))
            bd = nwd(d) if wo else d; t = book() if callable(book) else book
            s.post(bd, a, s.bt(code, name, ref() if callable(ref) else ref, bd), t, kind, who=t if who == "=" else who)
    def overheads(s, count, bookfn):                 # a bundle of direct debits
        r = s.r
        for _ in range(count):
            f = Firm(r, "util"); same = r.random() < .6
            s.every(r.randrange(1, 29), -s.money(95, .8), "DDR", f.bank, bookfn(f), "direct_debit", 0 if same else .2, f"{f.no}{r.randrange(100,999)}")
    def tax(s, text):
        r = s.r
        if s.day.day == 21: s.post(nwd(s.day), -s.money(900 * s.k, .1), s.bt("FPO", "HMRC PAYE NIC CUMB", f"{r.randrange(100,999)}PX00{r.randrange(10000,99999)}"), text[0], "tax")
        if s.day.day == 7 and s.day.month % 3 == 2: s.post(nwd(s.day), -s.money(4000 * s.k, .2), s.bt("DDR", "HMRC VAT", f"{r.randrange(10**8, 10**9)}"), text[1], "tax")
        if s.day.day == 2: s.post(nwd(s.day), -r.choice([650, 800, 1250, s.money(18, .3)]), s.bt("FEE", r.choice(["COMMISSION", "ACCOUNT FEE", "CHARGES"]), f"TO {s.day:%d%b}"), text[2], "bank_fee", who=text[2], miss=2)
    def run(s):
        while s.count < s.n + 25: s.today(); s.recurring(); s.day += D1
        return finish(s)

# ------------------------------------------------------------------ six offices
class Heating(Office):
    """hobday_heating: contractor; posts by supplier/customer name from memory, same day to two days late, slips in names and amounts"""
    bankstyle = "A"; miss = .09; typo = .022; rnd = .008; phantom = .055; lags = {0: 5, 1: 3, 2: 2, 3: .6}
    def setup(s):
        r, k = s.r, s.k
        s.merch = [Firm(r, "merch", .04) for _ in range(int(9 * k) + 3)]; s.fuel = [Firm(r, "fuel", .1) for _ in range(int(5 * k) + 2)]
        s.trade = [Firm(r, "merch") for _ in range(int(3 * k) + 1)]; s.crew = [Person(r) for _ in range(int(2.5 * k) + 1)]
        for i, p in enumerate(s.crew): p.amt = r.choice([48000, 52000, 52000, 55000, 61250])
        s.overheads(int(7 * k ** .7) + 2, lambda f: f.nick); s.card = "5523"
        v = Firm(r, "util"); a = -r.choice([28900, 31425, 27999])
        for i in range(int(2 * k) + 1): s.every(5, a, "DDR", v.bank, f"{v.nick} van {i+1}", "equal_dd", ref=f"AG{v.no}{i}")
    def nm(s, f):
        t = f.nick; x = s.r.random()
        return slip(s.r, t) if x < .07 else t.lower() if x < .15 else f.legal if x < .22 else t.split()[0] if x < .28 else t
    def today(s):
        r, d, k = s.r, s.day, s.k
        if d.weekday() < 6:
            for _ in range(s.pois(.95 * k)):
                f = r.choice(s.merch); a = -s.money(46, .9); pd = d; bd = nwd(d + D1 * r.choice([0, 1, 1])); n = s.nm(f)
                s.post(bd, a, s.bt("POS", f.bank, d=pd), n + r.choice(["", "", " - materials", f" job {r.randrange(200, 999)}", " bits"]), "card", kd=pd + D1 * r.choice([0, 0, 1]), who=f.nick)
                if r.random() < .05: s.post(nwd(bd + D1 * r.randrange(2, 8)), -a if r.random() < .5 else max(100, -a // 3), s.bt("POS", f.bank, d=bd) + " CR", "Refund " + n, "refund")
            for _ in range(s.pois(.4 * k)):
                f = r.choice(s.fuel); a = -r.choice([2000, 3000, 4000, 5000, s.money(62, .25), s.money(62, .25), s.money(62, .25)])
                kt = r.choice(["Diesel", "Fuel", s.nm(f), s.nm(f) + " diesel"]); s.post(nwd(d), a, s.bt("POS", f.bank), kt, "fuel", kd=d + D1 * r.choice([0, 0, 1, 2]), who="?fuel" if kt in ("Diesel", "Fuel") else f.nick)
        for _ in range(s.pois(.55 * k if d.weekday() < 5 else .2 * k)):
            i = s.nextinv(); a = s.priced(60, 900) if r.random() < .8 else s.priced(1500, 7000)
            if r.random() < .75:
                p = Person(r); st = f"{r.randrange(1, 140)} {r.choice(STREET)} {r.choice(STK)}"
                ref = r.choice([f"INV {i}", str(i), st, "BOILER", p.s, f"HOBDAY {i}", "HEATING", f"INV0{i}"]); name = p.bank; bk = r.choice([f"{p.written(r)}", f"{p.written(r)} {st}", f"Mr/s {p.s} inv {i}", f"{p.s} inv{i}"])
            else:
                f = Firm(r, "cust"); ref = r.choice([f"{i}", f"S/INV {i}", "HOBDAY", f"PO{r.randrange(1000, 9999)}"]); name = f.bank; bk = r.choice([s.nm(f), f"{s.nm(f)} inv {i}"])
            x = r.random()
            if x < .06 and a > 60000:                # deposit and balance
                s.post(d, a // 2, s.bt("FPI", name, ref), bk + " deposit", "customer"); s.post(d + D1 * r.randrange(9, 30), a - a // 2, s.bt("FPI", name, ref), bk + " balance", "customer")
            elif x < .1: s.post(nwd(d), a, f"{r.randrange(100100, 100999)} DEPOSIT {r.choice(TOWN).upper()} CR", bk + " chq", "cheque_in", kd=d - D1 * r.choice([0, 1, 2]))
            else: s.post(d, a, s.bt("FPI", name, ref), bk, "customer")
        if d.weekday() == 4:
            for p in s.crew: s.post(nwd(d), -p.amt, s.bt("STO", p.bank, "WAGES"), r.choice([f"{p.f} wages", f"{p.f} wk", p.written(r)]), "wages", who=p.f + p.s)
        if d.day == 28:
            for f in s.trade:
                m = r.randrange(1, 6); parts = [(d - D1 * r.choice([0, 0, 1]), -s.money(140, .8), f"{s.nm(f)} {r.randrange(10**5, 10**6)}") for _ in range(m)]
                if r.random() < .35: s.split(nwd(d), parts, s.bt("FPO", f.bank, f"ACC {f.no}"), "supplier_run")
                else: s.post(nwd(d), sum(x[1] for x in parts), s.bt("FPO", f.bank, f"ACC {f.no}"), s.nm(f) + " stmt", "supplier")
            s.post(nwd(d), -r.choice([100000, 150000, 200000]), s.bt("TFR", "HOBDAY HEATING", "TAX POT"), "to tax pot", "transfer")
        s.tax(("Inland revenue PAYE", "VAT man", "Bank chgs"))
class Lets(Office):
    """chapelgate_lets: letting agent; equal rents by standing order, paid by tenants/partners/parents, books by address and tenant"""
    bankstyle = "B"; miss = .07; typo = .008; phantom = .06; lags = {0: 6, 1: 2, 2: 1, -1: .5}; card = "0091"
    RENTS = [47500, 52500, 55000, 55000, 57500, 59500, 59500, 60000, 62500, 65000, 65000, 65000, 67500, 69500, 69500, 72500, 75000, 75000, 79500, 82500, 85000, 95000, 110000]
    def setup(s):
        r, k = s.r, s.k; s.contract = [Firm(r, "craft") for _ in range(int(6 * k) + 3)]; s.owners = []; s.flats = []
        for _ in range(int(9 * k) + 3):
            o = Person(r); s.owners.append(o); o.x = []
            st, base = f"{r.choice(STREET)} {r.choice(STK)}", r.randrange(1, 90)
            for j in range(r.choice([1, 1, 1, 2, 3, 5])):
                f = dict(addr=f"{base + 2 * j} {st}" if r.random() < .5 else f"Flat {j + 1} {base} {st}", rent=r.choice(s.RENTS), dom=r.choice([1, 1, 1, 2, 5, 7, 10, 15, 20, 25, 28]), mode=r.random(), o=o)
                s.newtenant(f); o.x.append(f); s.flats.append(f)
        s.overheads(int(3 * k ** .6) + 1, lambda f: r.choice([f.nick, f.what])); s.council = r.choice(TOWN)
        f = Firm(r, "craft"); s.cleaner = f
        for i in range(int(1.5 * k) + 1): s.every(12, -6500, "STO", f.bank, "Cleaning common parts " + r.choice(STREET), "equal_so", ref="CLEAN")
    def newtenant(s, f):
        r = s.r; t = Person(r); f["t"] = t; x = r.random()
        t.payer = t.bank if x < .7 else Person(r).bank if x < .85 else Person(r, t.s).bank
        ad = squash(f["addr"]); t.ref = r.choice(["RENT", "RENT", ad, ad[:8] + " RENT", t.s.upper(), t.s.upper() + " RENT", "", f"CG{r.randrange(1000, 9999)}", "HOME"])
        f["style"] = r.choice([0, 0, 1, 2, 3]); f["left"] = r.randrange(6, 40)
    def label(s, f):
        t = f["t"]; return [f"{f['addr']} rent - {t.s}", f"{t.written(s.r)} rent", f"Rent {f['addr']}", f"{t.s}/{novowel(f['addr'])}"][f["style"]]
    def today(s):
        r, d, k = s.r, s.day, s.k; hb = []
        for f in s.flats:
            t = f["t"]
            if f["mode"] < .86 and f["dom"] == d.day:
                f["left"] -= 1
                if f["left"] < 0:
                    dep = f["rent"] * 15 // 13 // 100 * 100
                    s.post(nwd(d), -dep, s.bt("BP", t.bank, "DEPOSIT RETURN"), f"Deposit back {t.written(r)}", "deposit"); s.newtenant(f); t = f["t"]
                    s.post(d, dep, s.bt("FPI", t.bank, "DEPOSIT"), f"Deposit {t.written(r)} {f['addr']}", "deposit")
                x = r.random(); late = 0 if x < .85 else r.randrange(1, 9); bd = d + D1 * late; bd = nwd(bd) if f["mode"] < .6 else bd
                if x > .975:
                    a = f["rent"] // r.choice([2, 3]) // 500 * 500
                    s.post(bd, a, s.bt("FPI", t.payer, t.ref), s.label(f) + " part", "rent"); s.post(bd + D1 * r.randrange(5, 15), f["rent"] - a, s.bt("FPI", t.payer, t.ref), s.label(f) + " rest", "rent")
                elif f["mode"] < .06: hb.append(f)
                else: s.post(bd, f["rent"], s.bt("FPI" if f["mode"] > .5 else "CR", t.payer, t.ref), s.label(f), "rent", who=f["addr"])
                # owner payout some days later, fee 10 % + VAT
                od = nwd(d + D1 * r.randrange(8, 12)); fee = f["rent"] * 12 // 100; o = f["o"]; x = r.random()
                if f is o.x[0]:
                    net = sum(q["rent"] - q["rent"] * 12 // 100 for q in o.x)
                    if x < .14 and len(o.x) == 1: s.split(od, [(od, -f["rent"], f"Owner {o.s} rent {f['addr']}"), (od, fee, f"Mgmt fee {f['addr']}")], s.bt("BP", o.bank, f"CHAPELGATE {d:%b}"), "owner_gross_fee")
                    elif x < .3 and len(o.x) > 1: s.split(od, [(od, -(q["rent"] - q["rent"] * 12 // 100), f"{q['addr']} to owner {o.s}") for q in o.x], s.bt("BP", o.bank, "RENTS"), "owner_batch")
                    else: s.post(od, -net, s.bt("BP", o.bank, f"CHAPELGATE {d:%b}"), r.choice([f"Landlord {o.written(r)}", f"{o.written(r)} stmt {d:%b %y}"]), "owner", who=o.f + o.s)
            elif f["mode"] >= .86 and d.weekday() == f["dom"] % 7: s.post(d, f["rent"] * 12 // 52 // 500 * 500, s.bt("STO" if s.bankstyle == "A" else "FPI", t.payer, t.ref), s.label(f) + r.choice(["", " wk", ""]), "rent_weekly", who=f["addr"])
        if hb:
            if len(hb) > 1: s.split(nwd(d), [(nwd(d), f["rent"], s.label(f)) for f in hb], s.bt("BGC", f"{s.council} BC", f"HB {r.randrange(10**6, 10**7)}"), "housing_benefit")
            else: s.post(nwd(d), hb[0]["rent"], s.bt("BGC", f"{s.council} BC", f"HB {r.randrange(10**6, 10**7)}"), s.label(hb[0]), "housing_benefit", who=hb[0]["addr"])
        if working(d):
            for _ in range(s.pois(.55 * k)):
                f = r.choice(s.contract); q = r.choice(s.flats); i = r.randrange(100, 4000); a = -r.choice([6000, 7200, 8500, 9000, 12000, s.money(110, .7), s.money(110, .7), s.money(60, .4)])
                s.post(d, a, s.bt("BP", f.bank, r.choice([f"INV {i}", str(i), squash(q["addr"])])), r.choice([f"{f.nick} {q['addr']}", f"{f.nick} inv {i}", f"Repairs {q['addr']}", f"{q['addr']} {f.what.lower()}"]), "contractor")
            for _ in range(s.pois(.2 * k)): a = r.choice([2500, 3000, 5000, 7500, 19900]); p = Person(r); s.post(d, a, s.bt("FPI", p.bank, r.choice(["REFERENCING", "HOLDING DEP", p.s])), r.choice([f"Ref fee {p.written(r)}", f"Holding {p.written(r)}"]), "fees", who=p.f + p.s)
            for _ in range(s.pois(.15 * k)): f = Firm(r, "shop"); s.post(d, -s.money(17, .7), s.bt("POS", f.bank), r.choice([f.nick, "Keys cut", "Office", "Stamps"]), "card")
        if d.day in (14, 28): s.post(nwd(d), -r.choice([150000, 200000, 250000]), s.bt("TFR", "CHAPELGATE OFFICE AC", "FEES"), "Fees to office a/c", "transfer", who="tfr")
        s.tax(("PAYE month", "VAT return", "Client a/c charges"))
class Cafe(Office):
    """saltmarsh_cafe: cafe sites; card takings land one to three days after the till date, net; posts purchases by category only; cash banked weekly against daily tills"""
    bankstyle = "C"; miss = .075; typo = .012; phantom = .045; dup = .01; lags = {0: 5, -1: 3, 1: 2, -2: .7}; card = "7702"
    CAT = {"Dairies": "Dairy", "Bakehouse": "Bread & cakes", "Fruit & Veg": "Fresh produce", "Butchers": "Meat", "Coffee Roasters": "Coffee & tea", "Packaging": "Disposables", "Drinks Wholesale": "Soft drinks"}
    def setup(s):
        r, k = s.r, s.k; s.sites = r.sample(TOWN, max(1, round(k * .95))); s.acq = r.choice(["TAPWELL PAYMENTS", "SWIFTTILL SETTLE", "PAYHEN ACQUIRING"]); s.deliv = r.choice(["MUNCHPEDAL LTD", "DOORSTEP DINING"])
        s.sup = [[Firm(r, "food") for _ in range(6)] for _ in s.sites]; s.days = [r.sample(range(6), 6) for _ in s.sites]; s.cash = [[] for _ in s.sites]; s.pend = [[] for _ in s.sites]; s.z = [r.randrange(100, 900) for _ in s.sites]
        s.staff = [Person(r) for _ in range(int(5 * k) + 1)]; s.overheads(int(5 * k ** .8) + 2, lambda f: {"Energy": "Gas & electric", "Gas Supply": "Gas & electric", "Water": "Water rates", "Insurance": "Insurances"}.get(f.what, f.what)); s.netbook = .86
        s.every(1, -145000, "STO", r.choice(SUR) + " ESTATES", "Rent", "rent", ref="SALTMARSH")
        for i, t in enumerate(s.sites[1:]): s.every(1, -r.choice([120000, 145000, 145000, 98000]), "STO", r.choice(SUR) + " PROPERTY", f"Rent {t}", "rent", ref="SALTMARSH")
    def today(s):
        r, d, k = s.r, s.day, s.k
        for i, t in enumerate(s.sites):
            m = 1.5 if d.weekday() == 5 else 1.3 if d.weekday() == 6 else .8 if d.weekday() == 0 else 1.0; s.z[i] += 1; mid = f"{44100 + i * 7}"
            gross = int(52000 * m * math.exp(r.gauss(0, .25))); fee = int(gross * .0149) + 120; net = gross - fee; tag = f"{t[:3].upper()} Z{s.z[i]:04d}"
            bd = nwd(d + D1); bd = d + D1 if r.random() < .0 else bd; text = s.bt("BGC", s.acq, f"{mid}{d:%d%m}")
            kd = d if (bd - d).days <= 3 else bd - D1 * 3; x = r.random()
            if x < .08: s.split(bd, [(kd, gross, f"Card sales {tag}"), (kd, -fee, f"Card commission {tag}")], text, "card_gross_fee")
            elif x < .93: s.post(bd, net, text, f"Card sales {tag}" if r.random() < .6 else f"Takings card {t}", "card_settlement", kd=kd)
            else: s.post(bd, net, text, f"Cards {d:%d/%m}", "card_settlement", kd=kd)
            s.cash[i].append((d, int(15500 * m * math.exp(r.gauss(0, .35))) // 10 * 10))
            if d.weekday() in (0, 3) and r.random() < .9:
                c = s.cash[i]; s.cash[i] = []; bd = nwd(d); text = f"CASH DEP {t.upper()[:12]} {r.randrange(500100, 500999)}"
                if r.random() < .12: s.split(bd, [(a, p, f"Cash till {t} {a:%a}") for a, p in c[-4:]], text, "cash_batch")
                else: s.post(bd, sum(p for _, p in c), text, f"Cash banked {t}", "cash", kd=d - D1 * r.choice([0, 0, 0, 1]))
            for f, w in zip(s.sup[i], s.days[i]):
                if d.weekday() == w or (f.what in ("Dairies", "Bakehouse") and d.weekday() in (1, 4)):
                    a = -s.money(88, .5); cat = s.CAT.get(f.what, "Food purchases"); y = r.random(); kt = cat if y < .75 else f"{cat} {t}"
                    s.post(nwd(d), a, s.bt("DDR" if f.no % 3 else "FPO", f.bank, r.choice([f"{f.no}", f"INV{r.randrange(1000, 99999)}"])), kt, "supplier", kd=s.bookdate(d), who="?" + kt)
                    if r.random() < .03: s.post(nwd(d + D1 * 3), r.choice([-a // 4, 480, 960]), s.bt("FPI", f.bank, "CREDIT NOTE"), cat + " credit", "refund")
            for _ in range(s.pois(.28)): f = Firm(r, "shop"); s.post(nwd(d), -s.money(13, .7), s.bt("POS", f.bank), r.choice(["Petty items", "Food purchases", "Repairs small", "Cleaning materials"]), "card", kd=d, who="?petty")
            if d.weekday() == 2: s.post(nwd(d), s.money(410, .3), s.bt("BGC", s.deliv, f"{t[:4]}{r.randrange(10**4, 10**5)}"), r.choice(["Delivery app", f"Delivery app {t}"]), "platform", kd=d - D1 * r.choice([0, 1, 2]))
        if d.day == 27:
            pay = [(nwd(d), -s.money(1150, .3), s.bt("FPO", p.bank, "SALARY"), p) for p in s.staff]
            while pay:
                if len(pay) > 2 and r.random() < .12: g, pay = pay[:3], pay[3:]; s.lump([x[:3] for x in g], nwd(d), "Net wages part run", "wages_batch")
                else: x = pay.pop(); s.post(x[0], x[1], x[2], r.choice([f"Wages {x[3].f}", "Net wages", f"Net wages {x[3].s}"]), "wages")
        if d.weekday() == 0 and r.random() < .3: s.post(nwd(d), -r.choice([20000, 25000, 30000]), s.bt("POS", "CASH COUNTER " + s.sites[0]), "Change float", "float", who="float")
        s.tax(("PAYE/NIC", "VAT", "Bank charges"))
class Nursery(Office):
    """bluebird_nursery: parents pay in their own names or by schemes, the books carry the child's name; desk days Monday and Thursday only"""
    bankstyle = "B"; miss = .07; typo = .013; phantom = .06; desk = (0, 3); lags = {0: 3, 1: 1}; far = .008; card = "3310"
    def setup(s):
        r, k = s.r, s.k; s.kids = []
        for _ in range(int(26 * k) + 5): s.enrol(Person(r))
        for i in range(len(s.kids) // 9):            # siblings
            c = Person(r, s.kids[i * 9].s); s.enrol(c); c.payer, c.x, c.ref = s.kids[i * 9].payer, s.kids[i * 9].x, c.ref
        s.scheme = [f"{a} {b}" for a, b in zip(["CAREVOUCHER", "FAMILYPERK", "TINYTICKET"], ["PLC", "LTD", "SCHEMES"])]
        s.staff = [Person(r) for _ in range(int(4 * k) + 2)]; s.food = [Firm(r, "food") for _ in range(int(2 * k) + 2)]; s.overheads(int(5 * k ** .6) + 2, lambda f: f"{f.nick}")
        for p in s.staff: p.amt = r.choice([138000, 142500, 142500, 156000, 171000])
    def enrol(s, c):
        r = s.r; par = Person(r, c.s if r.random() < .62 else None); c.payer = par.bank; c.x = [r.choice([1, 3, 5, 7, 28]), r.random(), r.randrange(8, 40)]
        c.amt = r.choice([18000, 24000, 24000, 31250, 36000, 36000, 41500, 48000, 52000]); c.ref = r.choice([c.f.upper(), c.f.upper() + " FEES", c.s.upper(), "NURSERY", "", f"BB{r.randrange(100, 999)}", c.f[0] + " " + c.s.upper()]); s.kids.append(c)
    def today(s):
        r, d, k = s.r, s.day, s.k; vouch = {}
        if d.day == 1:
            for j, c in enumerate(list(s.kids)):
                c.x[2] -= 1
                if c.x[2] < 0: s.kids.remove(c); s.enrol(Person(r))
        for c in s.kids:
            if d.day != c.x[0]: continue
            a = c.amt if r.random() < .55 else c.amt + r.choice([450, 900, 1250, 2400, 3600, -1800, -2400]); i = s.nextinv(); m = c.x[1]; bk = r.choice([f"{c.f} {c.s}", f"{c.f} {c.s} inv {i}", f"{c.f} {c.s[0]}", f"Fees {c.written(r)}"])
            bd = d + D1 * r.choice([0, 0, 0, 1, 2, 4, 6]); par = c.payer
            if m < .5: s.post(nwd(bd) if m < .2 else bd, a, s.bt("FPI", par, c.ref), bk, "fees", who=c.f + c.s)
            elif m < .72: s.post(nwd(bd), a, s.bt("BGC", "NS&I TFC", f"{c.f[:4]}{r.randrange(10**5, 10**6)}TFC"), bk + r.choice([" TFC", " tax free"]), "scheme", who=c.f + c.s)
            elif m < .8: vouch.setdefault(int(m * 1000) % 3, []).append((nwd(bd), a, bk + " voucher"))
            elif m < .92:                            # part by scheme, part by parent
                v = min(24300, a // 2); s.post(nwd(bd), v, s.bt("BGC", s.scheme[0], f"{par[:9]}"), bk + " vchr", "scheme"); s.post(bd, a - v, s.bt("FPI", par, c.ref), bk, "fees", who=c.f + c.s)
            else:
                p2 = Person(r); h = a // 2
                s.post(bd, h, s.bt("FPI", par, c.ref), bk, "fees", who=c.f + c.s); s.post(bd + D1 * r.randrange(0, 4), a - h, s.bt("FPI", p2.bank, c.ref), bk, "fees", who=c.f + c.s)
        for q, parts in vouch.items():
            bd = parts[0][0]; ks = [(s.bookdate(bd), p, t) for _, p, t in parts]
            s.split(bd, ks, s.bt("BGC", s.scheme[q], f"{r.randrange(10**6, 10**7)}"), "scheme_batch")
        if d.weekday() < 5:
            for _ in range(s.pois(.3 * k)): c = r.choice(s.kids); s.post(d, r.choice([600, 850, 1200, 1200, 1500, 2500]), s.bt("FPI", c.payer, r.choice(["TRIP", "LATE FEE", "EXTRA", c.ref])), r.choice([f"{c.f} extra session", f"{c.f} {c.s} late pick up", f"Trip {c.f}"]), "extras", who=c.f + c.s)
            for f in s.food:
                if (d.toordinal() + f.no) % 5 == 0: i = r.randrange(10**4, 10**5); s.post(nwd(d), -s.money(64, .4), s.bt("DDR", f.bank, f"{f.no}"), r.choice([f.nick, f"{f.nick} {i}", "Children's meals"]), "supplier")
            for _ in range(s.pois(.4 * k)): f = Firm(r, "shop"); s.post(d, -s.money(19, .8), s.bt("POS", f.bank), r.choice([f.nick, f.nick, "Craft materials", "Snacks", f"Petty - {f.what.lower()}"]), "card")
        if d.day == 30 or (d.month == 2 and d.day == 28):
            for p in s.staff: s.post(nwd(d), -p.amt if r.random() < .7 else -s.money(p.amt / 100, .05), s.bt("FPO", p.bank, "BLUEBIRD PAY"), f"Salary {p.written(r)}", "wages", who=p.f + p.s)
        if d.month in (1, 4, 9) and d.day == 12: s.post(nwd(d), s.money(9000 * k, .2), s.bt("BGC", r.choice(TOWN) + " CC", "EARLY YEARS"), "Funded hours LA", "grant")
        s.tax(("HMRC month", "HMRC vat", "Bank"))
class Wholesale(Office):
    """wharfside_fasteners: trade wholesaler; posts by invoice or account number only; remittances and payment runs cover several invoices"""
    bankstyle = "A"; miss = .06; typo = .009; phantom = .05; rnd = .009; lags = {0: 7, 1: 2, 2: .6, -1: .4}; card = "8846"
    def setup(s):
        r, k = s.r, s.k; s.cust = [Firm(r, "cust", .12) for _ in range(int(38 * k) + 6)]; s.sup = [Firm(r, "supp", .1) for _ in range(int(9 * k) + 4)]; s.pno = r.randrange(200, 700); s.si = r.randrange(104000, 190000)
        s.overheads(int(6 * k ** .7) + 2, lambda f: r.choice([f"DD {f.code}", f"{f.what} {f.code}", f"{f.code}"])); s.staff = [Person(r) for _ in range(int(3 * k) + 1)]
        for p in s.staff: p.amt = r.choice([162000, 174500, 174500, 188000])
    def today(s):
        r, d, k = s.r, s.day, s.k
        if working(d):
            for _ in range(s.pois(1.15 * k)):
                f = r.choice(s.cust); s.si += r.randrange(1, 7); x = r.random(); nos = [s.si - r.randrange(0, 300) for _ in range(1 if x < .86 else r.randrange(2, 5))]
                amts = [s.priced(20, 800) if r.random() < .5 else s.money(210, .9) for _ in nos]; kd = s.bookdate(d)
                ref = r.choice([str(nos[0]), f"SI{nos[0]}", "WHARFSIDE", f"{f.code} {nos[0]}", f"{nos[0]}/{str(nos[-1])[-2:]}", "", f"REM {r.randrange(10**5, 10**6)}", str(nos[0])[-4:]])
                ks = [(kd, a, r.choice([f"SI{i}", f"SI {i} {f.code}", f"{f.code}/{i}", f"Inv {i}"])) for i, a in zip(nos, amts)]; text = s.bt(r.choice(["BGC", "FPI", "FPI"]), f.bank, ref)
                if len(nos) == 1: s.post(d, amts[0], text, ks[0][2] if r.random() < .85 else f"{f.code} on account", "customer", kd=kd)
                elif r.random() < .55: s.split(d, ks, text, "remittance")
                else: s.post(d, sum(amts), text, f"{f.code} remit {len(nos)} invs", "customer", kd=kd)
                if r.random() < .02: s.post(d + D1 * r.randrange(3, 15), -r.choice(amts), s.bt("FPO", f.bank, "REFUND"), f"CN {r.randrange(3000, 4000)} {f.code}", "refund")
            g = s.money(380, .4); s.post(nwd(d + D1), g, s.bt("BGC", "TRADEPAY MERCHANT", f"{d:%d%m} 60113"), f"Counter cards {d:%d/%m}", "card_settlement", kd=d + D1 * r.choice([0, 1]))
            for _ in range(s.pois(.35 * k)): f = r.choice(s.sup); s.post(d, -s.money(70, .6), s.bt("FPO", f.bank, f"PROFORMA {r.randrange(100, 9999)}"), f"PP {f.code} proforma", "supplier")
            for _ in range(s.pois(.25 * k)): f = Firm(r, "fuel"); s.post(nwd(d + D1), -s.money(54, .3), s.bt("POS", f.bank, d=d), r.choice(["Van 1", "Van 2", "7300 fuel", "Rep car"]), "card", kd=d)
        if (d.day in (10, 25)):
            bd = nwd(d); s.pno += 1
            for f in s.sup:
                if r.random() < .55:
                    m = r.choice([1, 1, 1, 2, 3]); bills = [(bd, -s.money(390, .8), f"PI{r.randrange(20000, 99999)} {f.code}") for _ in range(m)]; text = s.bt("FPO", f.bank, r.choice(["WHARFSIDE", f"RUN {s.pno}", f"A/C {f.no}"]))
                    if m > 1 and r.random() < .3: s.split(bd, bills, text, "payment_run")
                    else: s.post(bd, sum(b[1] for b in bills), text, r.choice([f"BACS{s.pno} {f.code}", f"PP {f.code}", f"Run {s.pno} {f.code}"]), "supplier", kd=bd + D1 * r.choice([0, 0, -1, 1]))
            if r.random() < .6: s.split(bd, [(bd, -s.money(120, .7), f"PI{r.randrange(20000, 99999)} {r.choice(s.sup).code}") for _ in range(r.randrange(3, 7))], s.bt("BP", "BACS MULTIPLE", f"RUN {s.pno}B"), "payment_run")
        if d.day == 28:
            for p in s.staff: s.post(nwd(d), -p.amt, s.bt("STO", p.bank, "SALARY"), r.choice([f"Wages {initials(p.f + ' ' + p.s)}", f"WAGES {p.s.upper()}"]), "wages", who=p.f + p.s)
        if d.weekday() == 0 and r.random() < .4: a = r.choice([500000, 750000, 1000000]); s.post(nwd(d), r.choice([a, -a]), s.bt("TFR", "WHARFSIDE DEPOSIT AC", "SWEEP"), "1230 transfer", "transfer")
        s.tax(("2210 PAYE", "2202 VAT", "7901 charges"))
class Studio(Office):
    """moth_and_lantern: design studio; receipts typed by account category on Sunday evenings with the receipt date; subscriptions, foreign card rows with separate fees"""
    bankstyle = "C"; miss = .085; typo = .012; phantom = .055; dup = .02; rnd = .01; lags = {0: 4, -1: 3, -2: 2, 1: .5}; card = "6194"
    def setup(s):
        r, k = s.r, s.k; s.clients = [Firm(r, "client") for _ in range(int(6 * k) + 3)]; s.fl = [Person(r) for _ in range(int(4 * k) + 2)]; s.shops = [Firm(r, "shop", .12) for _ in range(int(22 * k) + 6)]; s.team = [Person(r) for _ in range(int(2 * k) + 1)]
        for p in s.team: p.amt = r.choice([210000, 228000, 228000, 245000])
        s.subs = []; names = SAAS[:]; r.shuffle(names)
        for i in range(int(9 * k ** .75) + 4):
            nm = names[i % len(names)] + ("" if i < len(names) else r.choice([" TEAM", " PRO", " SEATS"])); s.subs.append((nm, r.choice([900, 999, 1200, 1200, 1499, 1900, 2000, 2900, 4900]), r.randrange(1, 29), r.choice([None, None, "USD", "USD", "EUR"])))
        s.fees = []; s.overheads(int(3 * k ** .6) + 2, lambda f: {"Broadband": "Telephone & internet", "Telecom": "Telephone & internet", "Mobile": "Telephone & internet", "Insurance": "PI insurance", "Pensions": "Pension"}.get(f.what, "Premises costs"))
    def fx(s, d, nm, unit, cur, cat):
        r = s.r; rate = {"USD": 1.27, "EUR": 1.16}[cur] * math.exp(r.gauss(0, .015)); a = -round(unit / rate); fee = -max(1, round(-a * .0275)); bd = nwd(d + D1 * r.choice([0, 1, 2])); t = f"{squash(nm)[:18]} {cur} {unit / 100:.2f} @ {rate:.4f} CD {s.card}"
        ft = f"NON-STERLING FEE {squash(nm)[:12]}"; x = r.random(); kd = max(d, bd - D1 * 3)
        if x < .22: s.lump([(bd, a, t), (bd, fee, ft)], kd, cat, "fx_with_fee")
        else:
            s.post(bd, a, t, cat, "fx", kd=kd, who="fx " + nm if nm in cat else "?" + cat)
            if x < .6: s.post(bd, fee, ft, r.choice(["Bank charges", "FX fee"]), "fx_fee", kd=kd, who="?fee", miss=2)
            elif x < .7: s.bankonly(bd, fee, ft, "unposted_fee")
    def today(s):
        r, d, k = s.r, s.day, s.k
        for nm, a, dom, cur in s.subs:
            if d.day == dom:
                if cur: s.fx(d, nm, a, cur, r.choice(["Software", "Software", f"Software {nm}"]))
                else: g = r.random() < .7; s.post(nwd(d), -a, s.bt("POS", nm), "Software" if g else f"Software - {nm.title()}", "subscription", kd=d if (nwd(d) - d).days < 4 else nwd(d), who="?Software" if g else "sub " + nm)
        for _ in range(s.pois(1.15 * k)):
            f = r.choice(s.shops); a = -(r.choice([340, 360, 360, 415, 480, 1250, 850, 720]) if r.random() < .4 else s.money(18, .9)); bd = nwd(d + D1 * r.choice([0, 1, 1, 2])); cat = {"Coffee": "Client entertaining", "Deli": "Client entertaining", "Diner": "Client entertaining", "Taxis": "Travel UK", "Trains": "Travel UK", "Parking": "Travel UK", "Print Shop": "Print & repro", "Art Supplies": "Materials", "Stationers": "Stationery", "Books": "Reference & books"}.get(f.what, "Studio sundries")
            g = r.random() < .8; s.post(bd, a, s.bt("POS", f.bank), cat if g else f"{cat}: {f.nick}", "card", kd=max(d, bd - 3 * D1), who="?" + cat if g else f.nick)
            if r.random() < .02: s.post(nwd(bd + D1 * r.randrange(2, 9)), -a, s.bt("CR", f.bank, "REFUND"), cat + " refund", "refund")
        if r.random() < .05 * k: s.fx(d, r.choice(["Hotel " + r.choice(["Lisboa", "Anvers", "Porto", "Gracia"]), "Font Foundry " + r.choice(["Basel", "Oslo"]), "Stocklens", "Rideto"]), s.money(70, .8), r.choice(["USD", "EUR"]), r.choice(["Travel overseas", "Licences", "Materials"]))
        if working(d):
            for _ in range(s.pois(.3 * k)):
                f = r.choice(s.clients); i = s.nextinv(); a = s.priced(200, 6000) // 50 * 50; s.post(d, a, s.bt("FPI", f.bank, r.choice([f"ML{i}", str(i), "MOTH LANTERN", f"PO {r.randrange(10**4, 10**5)}"])), r.choice(["Sales", "Design fees", f"Design fees ML{i}", f"ML-{i}", f"Design fees {f.nick}"]), "client", kd=s.bookdate(d))
            for _ in range(s.pois(.3 * k)):
                p = r.choice(s.fl); a = -r.choice([25000, 30000, 60000, 90000, 125000, 37500]); i = r.randrange(1, 200); s.post(d, a, s.bt("FPO", p.bank, r.choice([f"INV {i}", "MOTH LANTERN", str(i)])), r.choice(["Subcontract", f"Subcontract {p.f}", f"{p.s} {i}"]), "freelancer", kd=s.bookdate(d))
            for _ in range(s.pois(.1 * k)): p = r.choice(s.team); s.post(d, -s.money(42, .6), s.bt("FPO", p.bank, "EXPENSES"), f"Exp claim {initials(p.f + ' ' + p.s)}", "expenses")
        if d.day == 26:
            for p in s.team: s.post(nwd(d), -p.amt, s.bt("FPO", p.bank, "PAY"), "Salaries", "wages", who="?sal")
            s.post(nwd(d), -r.choice([50000, 100000]), s.bt("TFR", "MOTH LANTERN SAVER", ""), "Reserve", "transfer")
        s.tax(("PAYE/NI control", "VAT control", "Bank charges"))
OFFICES = dict(hobday_heating=Heating, chapelgate_lets=Lets, saltmarsh_cafe=Cafe, bluebird_nursery=Nursery, wharfside_fasteners=Wholesale, moth_and_lantern=Studio)

# ------------------------------------------------------------------ truth, order, output
def finish(s):
    s.units.sort(key=lambda u: (u[0], u[1])); bank, book, pairs, groups, left = [], [], [], [], s.n; last = None
    for d, _, B, K, P, G in s.units:
        if left <= 0: break
        if len(B) > left: continue
        b0, k0 = len(bank), len(book); bank += B; book += K; left -= len(B)
        pairs += [[b0 + a, k0 + b, k] for a, b, k in P]; groups += [[side, (b0 if side == "bank" else k0) + i, [(k0 if side == "bank" else b0) + j for j in o]] for side, i, o in G]
    assert len(bank) == s.n, (len(bank), s.n)
    # a careful human pairs equal amounts of one payee (or one bare category) in date order ...
    by = {}
    for p in pairs: by.setdefault((bank[p[0]][1], book[p[1]][4]), []).append(p)
    for v in by.values():
        if len(v) > 1:
            ks = sorted((p[1] for p in v), key=lambda k: (book[k][0], k)); v.sort(key=lambda p: (bank[p[0]][0], p[0]))
            for p, k in zip(v, ks): p[1] = k
    # ... and takes the nearer of two indistinguishable candidates
    ub = {p[0] for p in pairs} | {g[1] for g in groups if g[0] == "bank"} | {j for g in groups if g[0] == "book" for j in g[2]}
    uk = {p[1] for p in pairs} | {g[1] for g in groups if g[0] == "book"} | {j for g in groups if g[0] == "bank" for j in g[2]}
    for side, rows, used in ((0, bank, ub), (1, book, uk)):
        free = {}
        for i, x in enumerate(rows):
            if i not in used: free.setdefault((x[1], x[4]), []).append(i)
        for p in pairs:
            x = rows[p[side]]; f = free.get((x[1], x[4]))
            if f:
                o = (book if side == 0 else bank)[p[1 - side]][0]; j = min(f, key=lambda i: abs((rows[i][0] - o).days))
                if abs((rows[j][0] - o).days) < abs((x[0] - o).days): f.remove(j); f.append(p[side]); used.discard(p[side]); used.add(j); p[side] = j
    # an unpaired book row that a human would give to an unpaired bank row is taken out of the books
    free = {}
    for i, x in enumerate(bank):
        if i not in ub: free.setdefault(x[1], []).append(i)
    plain = set("WAGES RENT FEES TRIP DEPOSIT TRANSFER SALARY EXTRA REFUND STREET ROAD LANE COURT CLOSE MEWS TERRACE GARDENS AVENUE FLAT CHANGE CREDIT NOTE HOLDING BACK DIRECT DEBIT FASTER PAYMENT RECEIPT BILL BANK GIRO STANDING ORDER CARD".split())
    words = lambda t: {v for v in "".join(c if c.isalnum() else " " for c in t.upper()).split() if len(v) > 3} - plain
    drop = {k for k, x in enumerate(book) if k not in uk and any((abs((bank[i][0] - x[0]).days) <= 12 and (bank[i][4] == x[4] or x[4][0] == "?")) or (abs((bank[i][0] - x[0]).days) <= 3 and words(bank[i][2]) & words(x[2])) for i in free.get(x[1], ()))}
    # order of the files: the statement by date; the books by entry (date with a little disorder)
    bo = sorted(range(len(bank)), key=lambda i: (bank[i][0], i)); ko = sorted((i for i in range(len(book)) if i not in drop), key=lambda i: (book[i][0], s.r.random()))
    bi = {o: i for i, o in enumerate(bo)}; ki = {o: i for i, o in enumerate(ko)}
    pairs = sorted([bi[a], ki[b], k] for a, b, k in pairs); groups = [[g, (bi if g == "bank" else ki)[i], [(ki if g == "bank" else bi)[j] for j in o]] for g, i, o in groups]
    return [bank[i] for i in bo], [book[i] for i in ko], pairs, groups
def check(bank, book, pairs, groups):
    ub, uk = set(), set()
    for a, b, _ in pairs:
        assert bank[a][1] == book[b][1] and a not in ub and b not in uk; ub.add(a); uk.add(b)
    for side, i, o in groups:
        one, many, u1, u2 = (bank, book, ub, uk) if side == "bank" else (book, bank, uk, ub)
        assert len(o) > 1 and one[i][1] == sum(many[j][1] for j in o) and i not in u1 and len(set(o)) == len(o) and not set(o) & u2; u1.add(i); u2.update(o)
    assert all(x[1] and x[2].strip() and "\t" not in x[2] and round(x[1] / 100 * 100) == x[1] for x in bank + book)
def write(out, bank, book, pairs, groups):
    os.makedirs(os.path.dirname(os.path.abspath(out)), exist_ok=True); js = lambda rows: [{"date": x[0].isoformat(), "amount": x[1] / 100, "description": x[2]} for x in rows]
    with open(out + ".json", "w") as f: json.dump({"bank": js(bank), "book": js(book), "options": {"allowedDateDifferenceInDays": 3, "includeMatched": True}}, f)
    with open(out + ".truth.json", "w") as f: json.dump({"n_bank": len(bank), "n_book": len(book), "pairs": pairs, "groups": groups, "bank_kind": [x[3] for x in bank], "book_kind": [x[3] for x in book]}, f)
    with open(out + ".tsv", "w") as f:
        for t, rows in (("b", bank), ("k", book)):
            for i, x in enumerate(rows): f.write(f"{t}\t{i}\t{(x[0] - dt.date(1970, 1, 1)).days}\t{x[1]}\t{x[2]}\n")
if __name__ == "__main__":
    ap = argparse.ArgumentParser(); ap.add_argument("--company"); ap.add_argument("--seed", type=int, default=1); ap.add_argument("--n", type=int, default=500); ap.add_argument("--out"); ap.add_argument("--list", action="store_true")
    a = ap.parse_args()
    if a.list: print("\n".join(OFFICES)); sys.exit()
    if a.company not in OFFICES or not a.out: ap.error("need --company (see --list) and --out")
    bank, book, pairs, groups = finish_ = OFFICES[a.company](a.company, a.seed, a.n).run(); check(*finish_); write(a.out, *finish_)
    far = sum(abs((bank[x][0] - book[y][0]).days) > 3 for x, y, _ in pairs)
    print(f"{a.company} bank {len(bank)} book {len(book)} pairs {len(pairs)} ({100*len(pairs)/len(bank):.0f}% / {100*len(pairs)/max(1,len(book)):.0f}%) beyond 3 days {far} groups {len(groups)} days {(bank[-1][0]-bank[0][0]).days}")
