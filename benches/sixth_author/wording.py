"""Six banks: how each prints a movement, and how each writes a payer's name."""
from uk_days import MONTHS


def short_date(d):
    return "%02d%s%02d" % (d.day, MONTHS[d.month - 1].upper(), d.year % 100)


class Bank:
    """Common ground. `weekends`: faster payments are printed on Saturdays and Sundays too."""
    weekends = False
    card_days = (1, 1, 2, 2, 3)
    cheque_days = (2, 3, 3, 4, 4, 5, 6, 7, 9, 12, 16)
    limit = 18
    upper = True

    def __init__(self, rng):
        self.rng = rng
        self.mandates = {}
        self.last4 = "%04d" % rng.randrange(10000)

    def mandate(self, party):
        key = party
        if key not in self.mandates:
            self.mandates[key] = len(self.mandates) + 3
        return self.mandates[key]

    def person(self, p):
        r = self.rng
        return r.choice((p.first[0] + " " + p.last, p.last + " " + p.first[0], p.title + " " + p.legal, p.legal, p.title + " " + p.first[0] + " " + p.last))

    def firm(self, p):
        name = p.legal
        if self.rng.random() < .6:
            name = name.replace("Limited", "Ltd").replace(" & ", self.rng.choice((" & ", " AND ", "&")))
        return name

    def name(self, p):
        """The bank's name for a party: always the same one."""
        if p is None:
            return ""
        if p.bank is None:
            text = (self.person(p) if p.person else self.firm(p)).strip()
            if self.limit:
                text = text[:self.limit].rstrip()
            p.bank = text.upper() if self.upper else text
        return p.bank

    def text(self, deal):
        shown = deal.payer or deal.party
        ref = deal.ref or ""
        out = getattr(self, deal.method)(deal, self.name(shown), ref)
        return " ".join(out.split())


class Longform(Bank):
    """Whole sentences in capitals (the letting agent's client account)."""
    limit = 26

    def person(self, p):
        r = self.rng
        return r.choice((p.first[0] + " " + p.last, p.title + " " + p.first + " " + p.last, p.title + " " + p.first[0] + " " + p.last, p.last + " " + p.first[0]))

    def fp_in(self, d, n, ref):
        return "FASTER PAYMENTS RECEIPT " + ("REF.%s " % ref.upper()[:18] if ref else "") + "FROM " + n
    so_in = fp_in

    def bacs_in(self, d, n, ref):
        return "BANK GIRO CREDIT REF %s, %s" % (n, ref.upper()[:18])

    def fp_out(self, d, n, ref):
        return "BILL PAYMENT VIA FASTER PAYMENT TO %s REFERENCE %s , MANDATE NO %04d" % (n, ref.upper()[:18], self.mandate(d.party))

    def so_out(self, d, n, ref):
        return "STANDING ORDER VIA FASTER PAYMENT TO %s REFERENCE %s , MANDATE NO %04d" % (n, ref.upper()[:18], self.mandate(d.party))

    def dd_out(self, d, n, ref):
        return "DIRECT DEBIT PAYMENT TO %s REF %s, MANDATE NO %04d" % (n, ref.upper(), self.mandate(d.party))

    def card_out(self, d, n, ref):
        return "CARD PAYMENT TO %s,%.2f GBP, RATE 1.00/GBP ON %s" % (n, -d.amount / 100, d.date.strftime("%d-%m-%Y"))

    def cheque(self, d, n, ref):
        return "CHEQUE PAID AT CLEARING NO %s" % d.more["chq"]

    def slip(self, d, n, ref):
        return "CREDIT PAID IN AT %s %s" % (d.more.get("branch", "COUNTER").upper(), d.more.get("slip", ""))

    def transfer(self, d, n, ref):
        return ("TRANSFER TO " if d.amount < 0 else "TRANSFER FROM ") + n + (" " + ref.upper() if ref else "")

    def fee(self, d, n, ref):
        return "ACCOUNT CHARGES FOR %s" % ref.upper()

    def interest(self, d, n, ref):
        return "INTEREST PAID AFTER TAX 0.00 DEDUCTED"


class Coded(Bank):
    """Two letters in front, names and references of eighteen (the builders' merchant)."""
    limit = 18
    card_days = (1, 2, 2, 3)

    def fp_in(self, d, n, ref):
        return "CR %s %s" % (n, ref.upper()[:18])
    bacs_in = so_in = fp_in

    def takings(self, d, n, ref):
        return "CR %s %s" % (n, ref.upper())

    def fp_out(self, d, n, ref):
        return "BP %s %s" % (n, ref.upper()[:18])

    def so_out(self, d, n, ref):
        return "SO %s %s" % (n, ref.upper()[:18])

    def dd_out(self, d, n, ref):
        return "DD %s %s" % (n, ref.upper() if d.more.get("show_ref") else "")

    def card_out(self, d, n, ref):
        return "VIS %s %s" % (n, d.more.get("town", "").upper())

    def cheque(self, d, n, ref):
        return "CHQ %s" % d.more["chq"]

    def slip(self, d, n, ref):
        return "CR PAID IN %s" % d.more.get("slip", "")

    def transfer(self, d, n, ref):
        return "TFR %s %s" % (n, ref.upper())

    def fee(self, d, n, ref):
        return "DR TOTAL CHARGES TO %s" % short_date(d.doc_date)

    def interest(self, d, n, ref):
        return "CR GROSS INTEREST TO %s" % short_date(d.doc_date)


class Commas(Bank):
    """Fields between commas, times and long numbers (the dental practice)."""
    limit = 20

    def person(self, p):
        r = self.rng
        return r.choice((p.last + " " + p.first[0], p.last + " " + p.first[0], p.legal, p.first[0] + " " + p.last))

    def _serial(self):
        return "%d%010dN" % (self.rng.randrange(10, 99), self.rng.randrange(10 ** 10))

    def fp_in(self, d, n, ref):
        r = self.rng
        return "%s , %s , FP %s %02d%02d , %s" % (n, ref.upper()[:18] or "NO REF", d.date.strftime("%d/%m/%y"), r.randrange(6, 23), r.randrange(60), self._serial())

    def so_in(self, d, n, ref):
        return "%s , %s , SO" % (n, ref.upper()[:18])

    def bacs_in(self, d, n, ref):
        return "%s , %s , BAC" % (n, ref.upper()[:18])

    def takings(self, d, n, ref):
        return "%s , %s , BAC" % (n, ref.upper())

    def fp_out(self, d, n, ref):
        return "%s , %s , VIA ONLINE - PYMT , FP %s %02d" % (n, ref.upper()[:18], d.date.strftime("%d/%m/%y"), 10)

    def so_out(self, d, n, ref):
        return "%s , %s , S/O" % (n, ref.upper()[:18])

    def dd_out(self, d, n, ref):
        return "%s , %s , D/D" % (n, ref.upper())

    def card_out(self, d, n, ref):
        return "%s %s , %s , %s GB" % (self.last4, short_date(d.date), n, d.more.get("town", "").upper())

    def cheque(self, d, n, ref):
        return "%s , CHQ" % d.more["chq"]

    def slip(self, d, n, ref):
        return "%s , C/L %s" % (d.more.get("slip", ""), d.more.get("branch", "").upper())

    def transfer(self, d, n, ref):
        return "%s %s , OTR" % (("TO " if d.amount < 0 else "FROM "), n)

    def fee(self, d, n, ref):
        return "CHARGES %s , CHG" % ref.upper()

    def interest(self, d, n, ref):
        return "%s GRS , INT" % short_date(d.doc_date)


class Plainspoken(Bank):
    """Mixed case, no references on direct debits, slips by number (the charity shops)."""
    limit = 22
    upper = False

    def person(self, p):
        r = self.rng
        return r.choice((p.last.upper() + " " + p.first[0], p.title.upper() + " " + p.first[0] + " " + p.last.upper(), p.legal, p.first[0] + " " + p.last))

    def fp_in(self, d, n, ref):
        return "Faster Payment In: %s %s" % (n, ref[:18])

    def so_in(self, d, n, ref):
        return "Standing Order In: %s %s" % (n, ref[:18])

    def bacs_in(self, d, n, ref):
        return "Credit: %s %s" % (n, ref[:18])

    def takings(self, d, n, ref):
        return "Credit: %s %s" % (n, ref)

    def fp_out(self, d, n, ref):
        return "B/P to: %s %s" % (n, ref[:18])

    def so_out(self, d, n, ref):
        return "S/O to: %s %s" % (n, ref[:18])

    def dd_out(self, d, n, ref):
        return "Direct Debit (%s) %s" % (n.upper(), ref if d.more.get("show_ref") else "")

    def card_out(self, d, n, ref):
        return "Debit card %s %s" % (n, short_date(d.date))

    def cheque(self, d, n, ref):
        return "Cheque %s" % d.more["chq"]

    def slip(self, d, n, ref):
        return "Credit %s %s" % (d.more.get("slip", ""), d.more.get("branch", ""))

    def transfer(self, d, n, ref):
        return "Transfer %s %s" % ("to" if d.amount < 0 else "from", n)

    def fee(self, d, n, ref):
        return "Service charge %s" % ref

    def interest(self, d, n, ref):
        return "Credit interest"


class Described(Bank):
    """'Direct Credit From ... Ref: ...' (the language school)."""
    limit = 24
    upper = False

    def fp_in(self, d, n, ref):
        return "Direct Credit From %s" % n + (" Ref: %s" % ref[:18] if ref else "")
    so_in = bacs_in = fp_in

    def foreign_in(self, d, n, ref):
        return "International Receipt %s Ref: %s %s" % (n.upper(), d.more["wire"], ref.upper()[:14])

    def takings(self, d, n, ref):
        return "Direct Credit From %s Ref: %s" % (n, ref)

    def fp_out(self, d, n, ref):
        return "Bill Payment to %s Ref: %s" % (n, ref[:18])

    def so_out(self, d, n, ref):
        return "Standing Order to %s Ref: %s" % (n, ref[:18])

    def dd_out(self, d, n, ref):
        return "Direct Debit to %s Ref: %s" % (n, ref)

    def card_out(self, d, n, ref):
        return "Card Payment to %s On %d %s" % (n, d.date.day, MONTHS[d.date.month - 1])

    def cheque(self, d, n, ref):
        return "Cheque Issued Ref: %s" % d.more["chq"]

    def slip(self, d, n, ref):
        return "Counter Credit Ref: %s %s" % (d.more.get("slip", ""), d.more.get("branch", ""))

    def transfer(self, d, n, ref):
        return "Internal Transfer %s %s" % ("to" if d.amount < 0 else "from", n)

    def fee(self, d, n, ref):
        return "Commission Charges for Period %s" % ref

    def interest(self, d, n, ref):
        return "Interest Paid Gross"


class Telephone(Bank):
    """A bank in an app: names tidied and whole, dates of the weekend too (the haulier)."""
    limit = 30
    upper = False
    weekends = True
    card_days = (0, 0, 0, 1, 2)

    def person(self, p):
        return self.rng.choice((p.legal, p.legal, p.first[0] + " " + p.last, p.title + " " + (p.legal if p.more.get("namesake") else p.last)))

    def fp_in(self, d, n, ref):
        return "%s | %s" % (n, ref) if ref else n
    bacs_in = fp_in

    def takings(self, d, n, ref):
        return "%s payout %s" % (n, ref)

    def fp_out(self, d, n, ref):
        return "To %s | %s" % (n, ref) if ref else "To " + n

    def so_out(self, d, n, ref):
        return "To %s | %s (scheduled)" % (n, ref)

    def dd_out(self, d, n, ref):
        return "%s direct debit %s" % (n.upper()[:18], ref)

    def card_out(self, d, n, ref):
        return "%s, %s (card %s)" % (n, d.more.get("town", ""), self.last4)

    def cheque(self, d, n, ref):
        return "Cheque %s" % d.more["chq"]

    def slip(self, d, n, ref):
        return "Post Office deposit %s" % d.more.get("slip", "")

    def transfer(self, d, n, ref):
        return "%s %s" % ("Moved to" if d.amount < 0 else "Moved from", n)

    def fee(self, d, n, ref):
        return "Monthly plan and transaction fees %s" % ref

    def interest(self, d, n, ref):
        return "Interest earned"
