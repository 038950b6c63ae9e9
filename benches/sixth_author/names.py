"""Invented names of people and firms, and what one party is called by whom."""
FIRST_F = """Amelia Beth Carol Charlotte Chloe Claire Deborah Diane Eleanor Emily Fiona Georgina Grace Hannah Harriet
Heather Helen Imogen Isobel Jacqueline Janet Jessica Joanna Judith Karen Kathryn Laura Leanne Lucy Maria Megan Melanie
Natalie Nicola Olivia Paula Pauline Rachel Rebecca Rosemary Ruth Samantha Sheila Stella Tamsin Valerie Wendy Yvonne""".split()
FIRST_M = """Adam Alan Andrew Anthony Barry Benjamin Brian Callum Christopher Colin Daniel David Dennis Derek Duncan
Edward Francis Gareth Gary Geoffrey George Graham Henry Howard Ian Jack James Jeremy Jonathan Joseph Keith Kenneth Kevin
Lewis Malcolm Marcus Martin Matthew Neil Nigel Oliver Patrick Paul Philip Ralph Robert Roger Simon Stuart Thomas Vincent William""".split()
LAST = """Abbott Ackroyd Aldridge Allsop Amos Appleby Arkwright Ashby Askew Atherton Attwood Badger Bagshaw Bamford Bannister
Barker Barlow Bartlett Batty Beckett Bellamy Benbow Bentham Bickerstaff Birtwhistle Blakey Bligh Bloxham Bolt Boswell Bottomley
Bracewell Bradshaw Braithwaite Brearley Brindle Broadbent Brocklehurst Buckle Bunting Burdett Burrows Butterfield Cadman Calvert
Cartledge Chadwick Challis Charlton Chivers Clegg Clifton Coates Cobb Colclough Copeland Cornwell Cottam Cowley Crabtree Craddock
Cresswell Croft Crossley Culpepper Dalby Dawes Deakin Denby Dobson Drury Duckworth Dunnett Eastwood Eccles Edgerton Elsworth
Entwistle Everard Fairbrother Farnell Fawcett Fenwick Fielding Firth Fletcher Footitt Fossey Garbutt Garside Gaunt Gledhill Goddard
Goodacre Gorman Greaves Greenhalgh Grimshaw Gunn Haigh Halliwell Hanley Harker Hartley Haslam Hebden Hepworth Heywood Hibbert
Higginbottom Hinchliffe Hobday Holroyd Horrocks Hoyle Huxtable Ibbotson Iveson Jagger Jarvis Jebb Jessop Jolley Kaye Keeble Kellett
Kershaw Kettle Kilburn Kitchen Kneale Lacey Langstaff Lathom Laycock Leadbetter Leigh Lightfoot Lockwood Longden Lumb Maddox Mallinson
Marsden Mawson Mellor Metcalfe Midgley Milburn Moorhouse Mottram Mumford Naylor Nettleton Newsome Nuttall Oakes Oddy Ogden Oldroyd
Ormerod Padgett Parkin Peel Pickersgill Pilling Pogson Postlethwaite Pounder Priestley Quarmby Raistrick Ramsbottom Redfern Rigby
Rishworth Roscoe Rowbotham Rushton Salt Schofield Scholes Sedgwick Shackleton Sharples Shaw Sidebottom Skelton Slater Sowerby Spink
Stirk Stott Sugden Sutcliffe Swain Sykes Tattersall Tempest Thackray Threlfall Thwaite Tinker Tordoff Towler Tunnicliffe Twist Uttley
Varley Wadsworth Wainwright Walshaw Wardle Whalley Whitaker Widdop Wigglesworth Wilcock Winterbottom Womersley Woodhead Wormald Yardley""".split()
FOREIGN_FIRST = """Aiko Ana Andrei Aylin Beatriz Camila Carlos Chen Chiara Daria Diego Elif Emre Enzo Fatima Giulia Hana Haruto Ines
Jakub Javier Joao Jiwoo Katya Kenji Lars Leila Lorenzo Lucia Luis Marek Marta Mateo Mei Minh Nadia Noor Omar Pablo Paolo Pedro Rana
Ricardo Sakura Salma Sofia Stefan Tomas Valentina Wei Yasmin Youssef Yuki Zeynep""".split()
FOREIGN_LAST = """Abadi Acosta Aguilar Akman Alvarado Aydin Barros Bianchi Bondar Cardoso Castellani Cetin Contreras Demir Duarte Esposito
Farouk Ferrari Fonseca Fujita Gallo Guerrero Haddad Hayashi Horvat Ibarra Inoue Kaya Kimura Kovac Kowalczyk Lombardi Machado Mansour
Mendes Molina Moretti Nakagawa Nguyen Novotny Ozturk Pacheco Park Pereira Petrov Quintero Ramos Ricci Rojas Romano Saito Salgado
Santoro Sato Serrano Shimizu Silveira Suzuki Tanaka Teixeira Tran Ueda Valencia Vargas Vieira Wojcik Yamada Yildiz Zapata Zhang""".split()
PLACE = """Abberwick Ashcombe Barrowden Beckfoot Bramling Broadmere Calderholt Chalkney Coldharbour Cranbeck Dunsmoor Eastleach Elmstead
Fallowfield Felbridge Gadsby Garthorne Greyfriars Hallowden Harrowby Haxford Highmoor Holmewood Inglebrook Kelstone Kingsmere Lambourne
Langwith Larkhill Lindholme Marlpit Merrow Millhouse Netherby Northgate Oakhurst Orchardleigh Otterbourne Pendle Penhallow Quarrington
Ravensby Redmire Rosewarne Rowanhill Saltby Sandholme Selwick Silverdene Southbeck Stanmoor Swaledene Tarnside Thornley Tidewell Underwood
Uplyme Wallbrook Westerdale Whinfell Windrush Wolds Wraxby Yewdale""".split()
STREET = """Pump Lane|Cable Street|Mill Bank|Chapel Row|Station Terrace|Orchard Close|Quay Road|Beacon Hill|Tannery Yard|Weir Lane|Bishop Street|
Foundry Walk|Laburnum Grove|Swan Court|Priory Avenue|Harbour View|Vicarage Road|Gasworks Lane|Sycamore Drive|Ropewalk|Castle Street|Albert Road|
Nelson Parade|Meadow Rise|Fairfield Road|Cowgate|Dock Street|Sea View Terrace|Hawthorn Way|Regent Place|Ferry Lane|Windmill Road|Garden Street""".replace("\n", "").split("|")


class Party:
    """One person or firm: `legal` as registered, `short` as the clerk knows it, `payer` if another name pays."""
    __slots__ = ("person", "title", "first", "last", "legal", "short", "code", "payer", "bank", "payer_bank", "habit", "number",
                 "amount", "more", "book")

    def __init__(self):
        self.person = False
        self.title = self.first = self.last = self.payer = self.bank = self.payer_bank = self.book = None
        self.habit = None
        self.amount = None
        self.more = {}


def code_of(rng, text):
    letters = "".join(c for c in text.upper() if c.isalpha())
    return "%s%03d" % ((letters + "XXX")[:3], rng.randrange(1, 400))


class Names:
    """Gives out names; tries not to give the same one twice."""

    def __init__(self, rng):
        self.rng = rng
        self.used = set()
        self.surnames = set()
        self.staffed = set()
        self.next_number = rng.randrange(1100, 4200)

    def person(self, foreign=False, last=None, code=None):
        r = self.rng
        p = Party()
        p.person = True
        for _ in range(40):
            woman = r.random() < 0.52
            if foreign:
                p.first, p.last = r.choice(FOREIGN_FIRST), last or r.choice(FOREIGN_LAST)
                p.title = ""
            else:
                p.first, p.last = r.choice(FIRST_F if woman else FIRST_M), last or r.choice(LAST)
                p.title = r.choice(("Mrs", "Miss", "Ms", "Mrs", "Dr")[:4 if r.random() < .9 else 5]) if woman else ("Mr" if r.random() < .95 else "Dr")
            if (p.first[0], p.last) not in self.used and (last or p.last not in self.surnames or len(self.surnames) > 180 or r.random() < .1):
                break
        if p.last in self.surnames:
            p.more["namesake"] = True                   # so he is called by his first name too
        self.used.add((p.first[0], p.last))
        self.surnames.add(p.last)
        p.legal = p.first + " " + p.last
        p.short = p.last
        self.next_number += r.choice((1, 1, 2, 3))
        p.number = self.next_number
        p.code = code or code_of(r, p.last)
        return p

    def staff(self):
        """One who is paid each week or month: two of the same surname only where the surnames run out."""
        free = [x for x in LAST if x not in self.staffed] or LAST
        last = self.rng.choice(free)
        self.staffed.add(last)
        return self.person(last=last)

    def firm(self, trades, suffixes=("Ltd", "Ltd", "Limited", "", "& Son", "& Sons Ltd", "LLP")):
        r = self.rng
        p = Party()
        for _ in range(30):
            trade = r.choice(trades)
            form = r.random()
            if form < .35:
                head = r.choice(LAST)
            elif form < .5:
                head = r.choice(LAST) + " & " + r.choice(LAST)
            elif form < .62:
                head = r.choice("ABCDGHJKLMPRSTW") + " " + r.choice("ABCDGHJKLMPRSTW") + " " + r.choice(LAST)
            else:
                head = r.choice(PLACE)
            if head not in self.used:
                break
        self.used.add(head)
        p.legal = (head + " " + trade + " " + r.choice(suffixes)).strip()
        p.short = head if r.random() < .6 else head + " " + trade
        if " & " in head and r.random() < .6:
            p.short = head.split(" & ")[0]
        p.last = head.split()[-1]
        self.next_number += r.choice((1, 1, 2, 3))
        p.number = self.next_number
        p.code = code_of(r, head.replace(" ", ""))
        return p

    def fixed(self, legal, short=None, number=None):
        """A named body (a tax office, a bank's own service)."""
        p = Party()
        p.legal = legal
        p.short = short or legal
        p.last = p.short.split()[0]
        p.number = number or self.rng.randrange(10 ** 7, 10 ** 8)
        p.code = code_of(self.rng, legal)
        return p
