"""Names (all chance combinations), the calendar and the small slips of typing hands."""
import datetime as D

FIRST = """Ailsa Barnaby Carys Dermot Esme Fergus Gwenda Hamish Imogen Jarvis Kirsty Lionel Maeve Nigel Orla Piers Rhona Seamus
Tamsin Ursula Verity Wilfred Yasmin Zahra Anjali Bilal Chidi Danuta Emeka Farida Gosia Hassan Ines Jamila Kofi Leila Marek Nadia
Olumide Priti Rashid Sanjay Tomasz Umar Vikram Wanda Alan Brenda Clive Doreen Eric Frances Gordon Hilary Ian Joyce Keith Lorna
Malcolm Norma Olive Patrick Rita Stuart Trevor Vera Adele Ben Chloe Dylan Ella Finn Grace Harvey Isla Jake Keira Liam Molly Noah
Owen Poppy Reece Sian Toby Una""".split()
MEN = set("""Barnaby Dermot Fergus Hamish Jarvis Lionel Nigel Piers Seamus Wilfred Bilal Chidi Emeka Hassan Kofi Marek Olumide Rashid Sanjay
Tomasz Umar Vikram Alan Clive Eric Gordon Ian Keith Malcolm Patrick Stuart Trevor Ben Dylan Finn Harvey Jake Liam Noah Owen Reece Toby""".split())
CHILD = """Otis Wren Arlo Ivy Rafe Mabel Ezra Nell Jonah Tilly Kit Ada Rory Beatrix Hugo Lottie Milo Effie Remy Dulcie Zach Margot
Ollie Bonnie Idris Fern Caleb Nancy Ravi Amara Eben Saskia Teddy Juno Kian Mina""".split()
SUR = """Abernethy Adeyemi Allcroft Ansari Applegarth Arkwright Ashdown Aspinall Attenbury Babington Bagshaw Balogun Bannister Barraclough
Beardsley Bellingham Benbow Birkinshaw Blackadder Blenkinsop Boothroyd Braithwaite Brackley Bramhall Brearley Broadbent Buckler Butterfield
Cadwallader Calloway Cardew Carmichael Cattermole Chadwick Chaudhry Clitheroe Coldwell Copplestone Cottrell Crabtree Cranmer Crowther
Culpepper Dalgleish Danvers Dearlove Delaney Denholm Desai Dinsdale Dowding Duckworth Dunstable Eastwick Edgerton Ellershaw Entwistle Everard
Fairclough Fanshawe Farnaby Feather Featherstone Fenwick Fernihough Fotherby Frobisher Gascoigne Gilchrist Glossop Goodfellow Goswami
Greenhalgh Grimshaw Gunnersby Hadfield Halliwell Hardcastle Hargreave Haversham Hebblethwaite Heptonstall Heseldine Higginbottom Hollingworth
Holroyd Horrocks Huddlestone Iqbal Ibbotson Inchbald Iremonger Jagger Jephcott Jessop Kaczmarek Keighley Kellaway Kershaw Kettlewell Kimber
Kowalczyk Lamplugh Langridge Lathbury Leadbetter Lightbown Liversedge Lockwood Longbottom Ludgrove Mahmood Makepeace Mallinson Manwaring
Marchbank Merriweather Mistry Molyneux Mukherjee Murgatroyd Nettleship Newbold Nightingale Nowakowski Nuttall Oakenshaw Ogilvie Okonkwo
Oldershaw Ollerton Osgathorpe Oyelaran Pargeter Patterdale Pemberthy Penhaligon Pettigrew Pilkington Pinchbeck Plumtree Polkinghorne Postlethwaite
Quarmby Quayle Radcliffe Rainford Ramsbottom Rawnsley Redfearn Rigby Rowbotham Rumbold Ruddock Saltmarsh Satterthwaite Scarisbrick Sedgwick
Shackleton Sidebottom Singleton Skelhorn Slingsby Smallbone Sowerby Spofforth Stainthorpe Stanworth Sugden Sutcliffe Swithenbank Szymanski
Tattersall Tempest Thackray Thistlethwaite Threlfall Thwaite Tregenza Trevelyan Turnbull Twelvetrees Ullathorne Underhill Unsworth Vanstone
Venables Vickerstaff Wadeson Wagstaff Walmsley Warburton Weatherill Wetherby Whalley Wheelwright Whitworth Widdowson Wigglesworth Winstanley
Woolstencroft Wolstenholme Wrigglesworth Yardley Yeadon Yelland Zielinski""".split()
PRE = """Alder Amber Ash Beacon Birch Black Bram Bright Brook Burn Calder Cinder Clay Copper Crest Dale Dray Dun Elm Fal Farn Fell Flax Garn
Glen Gold Gorse Hale Harrow Hazel Hearth Holm Iron Keld Kings Lang Lark Lime Loch Maple March Mel Mill Moor Nether North Oat Otter Peb Pen
Quill Raven Red Ridge Rush Salt Sand Sel Silver Stan Swan Tarn Thorn Tide Umber Vale Wain Wend West Whin Wold Wych Yarrow""".split()
SUF = """beck bridge bury combe croft den field flow ford gate grove ham haven hurst ley light line mere mark mont pike port row shaw stead
stone thorpe ton vane vale well wick wood worth yard""".split()
TOWN = "Hartsmere Foxholt Pembury Wexcombe Stanlow Ollerby Kettlesford Marwood Dunscar Brimley Ashwick Tarnham Corriedale Selbourne".split()
MON = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
MONL = "January February March April May June July August September October November December".split()


class Party:
    __slots__ = ("name", "sur", "first", "title", "acct", "alias", "keys", "code", "habit", "child", "price", "price2", "lag", "mand",
                 "learned", "firm", "note", "num", "extra")


_KEYCUT = 8


def keyset(p):
    k = [p.sur[:_KEYCUT].upper()]
    if p.alias:
        k.append(p.alias[:_KEYCUT].upper())
    if p.code:
        k.append(p.code.upper())
    p.keys = tuple(k)


def blank():
    p = Party()
    p.name = p.sur = p.first = p.title = p.acct = p.alias = p.code = p.child = p.note = p.mand = p.num = ""
    p.habit, p.price, p.price2, p.lag, p.firm, p.extra = "none", 0, 0, 5, False, None
    p.learned = set()
    return p


def person(r, alias=0.10, habits=("none",), code=""):
    p = blank()
    p.first, p.sur = r.choice(FIRST), r.choice(SUR)
    p.title = r.choice(("Mr", "Mr", "Mr", "Dr") if p.first in MEN else ("Mrs", "Ms", "Miss", "Mrs", "Dr"))
    p.name = p.first + " " + p.sur
    f, s, t = p.first, p.sur, p.title
    i2 = f[0] + r.choice("ABCDEJLMPRST")
    o = r.choice(FIRST)
    if r.random() < alias:                       # the account stands in somebody else's name
        a = r.choice(SUR)
        while a[:8] == s[:8]:
            a = r.choice(SUR)
        p.alias = a
        p.acct = r.choice((f"{o[0]} {a}", f"{a} {o[0]}", f"{o} {a}", f"{o[0]} {a} & {f[0]} {s}", f"{a} {o[0]} + {f[0]}"))
    else:
        p.acct = r.choice((f"{t} {f[0]} {s}", f"{f} {s}", f"{s} {f[0]}", f"{s} {i2}", f"{f[0]} {s}", f"{t} {f} {s}", f"{f[0]} & {o[0]} {s}",
                           f"{s} {f[0]}&{o[0]}", f"{i2[0]} {i2[1]} {s}", f"{o} {s}"))
    p.habit = r.choice(habits)
    p.code = code
    p.mand = str(r.randrange(10 ** 7, 10 ** 8))
    p.lag = r.choice((0, 1, 2, 3, 5, 8, 14))
    p.child = r.choice(CHILD)
    p.num = str(r.randrange(1000, 9999))
    keyset(p)
    return p


def coin(r):
    return r.choice(PRE) + r.choice(SUF)


def company(r, trades, alias=0.0, habits=("none",), code="", name=None):
    p = blank()
    p.firm = True
    w = name.split()[0] if name else coin(r)
    p.name = name or f"{w} {r.choice(trades)}" + r.choice(("", "", " Ltd", " Ltd", " & Son", " LLP"))
    p.sur, p.first = w, w
    p.acct = p.name
    if r.random() < alias:                      # trades under one name, banks under the owner's
        a = r.choice(SUR)
        p.alias = a
        f = r.choice(FIRST)
        p.acct = r.choice((f"{f[0]} {a}", f"{a} {f[0]}", f"{'MR' if f in MEN else 'MRS'} {f} {a}", f"{a} BROS", f"{f[0]} {a} HOLDINGS LTD"))
    p.habit = r.choice(habits)
    p.code = code
    p.mand = str(r.randrange(10 ** 6, 10 ** 9)).zfill(10)[-r.choice((8, 10, 7)):]
    p.lag = r.choice((2, 6, 12, 18, 25))
    p.num = str(r.randrange(1000, 9999))
    keyset(p)
    return p


def ledger_code(r, name, used):
    b = "".join(c for c in name.upper() if c.isalpha())[:3]
    n = used.get(b, r.randrange(1, 9)) + 1
    used[b] = n + r.randrange(0, 3)
    return f"{b}{n:03d}"


# ---------------------------------------------------------------- slips
def slip_digits(r, s):
    at = [i for i, c in enumerate(s) if c.isdigit()]
    if len(at) < 4:
        return s
    k = r.random()
    i = r.randrange(len(at) - 1)
    a, b = at[i], at[i + 1]
    if k < 0.5 and b == a + 1 and s[a] != s[b]:
        return s[:a] + s[b] + s[a] + s[b + 1:]
    if k < 0.75:
        return s[:b] + s[b + 1:]
    return s[:b] + str((int(s[b]) + r.randrange(1, 9)) % 10) + s[b + 1:]


def slip_letters(r, s):
    at = [i for i in range(1, len(s) - 1) if s[i].isalpha() and s[i + 1].isalpha()]
    if len(at) < 4:
        return s
    for _ in range(1 if r.random() < 0.8 else 2):
        i = r.choice(at)
        if i >= len(s) - 1:
            continue
        k = r.random()
        if k < 0.45:
            s = s[:i] + s[i + 1] + s[i] + s[i + 2:]
        elif k < 0.75:
            s = s[:i] + s[i + 1:]
        else:
            s = s[:i] + s[i] + s[i:]
    return s


# ---------------------------------------------------------------- calendar (ordinals)
def easter(y):
    a, b, c = y % 19, y // 100, y % 100
    d, e = b // 4, b % 4
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = c // 4, c % 4
    l = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * l) // 451
    x = h + l - 7 * m + 114
    return D.date(y, x // 31, x % 31 + 1)


def holidays(y):
    out = set()
    e = easter(y).toordinal()
    out |= {e - 2, e + 1}

    def monday(m, last=False):
        d = D.date(y, m, 1).toordinal() if not last else D.date(y, m, 31).toordinal()
        while (d - 1) % 7:
            d += -1 if last else 1
        return d
    out |= {monday(5), monday(5, True), monday(8, True)}
    for d in (D.date(y, 1, 1).toordinal(), D.date(y, 12, 25).toordinal(), D.date(y, 12, 26).toordinal()):
        while (d - 1) % 7 > 4 or d in out:
            d += 1
        out.add(d)
    return out


class Calendar:
    def __init__(self, y0, y1):
        self.off = set()
        for y in range(y0, y1 + 1):
            self.off |= holidays(y)

    def work(self, d):
        return (d - 1) % 7 < 5 and d not in self.off

    def next(self, d):
        while not self.work(d):
            d += 1
        return d

    def prev(self, d):
        while not self.work(d):
            d -= 1
        return d

    def add(self, d, k):
        while k > 0:
            d = self.next(d + 1)
            k -= 1
        return self.next(d)
