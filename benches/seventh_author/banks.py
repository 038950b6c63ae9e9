"""Five banks' wordings. A renderer gets the row and gives the text of the statement line."""
import datetime as D
from people import MON, slip_digits, slip_letters

JUNK = ("PAYMENT", "THANKS", "INVOICE", "BACS", "THANK YOU", "PAID", "AS AGREED", "FROM ME", "ACCOUNT", "MANY THANKS", "BALANCE")


def typed(r, x, cut=18):
    """The reference as the payer typed it; returns (text, mistyped?)."""
    p, ref = x.party, x.ref
    h = p.habit
    bad = False
    if h == "mixed":
        h = r.choice(("ref", "ref", "name", "junk", "none"))
    if h == "ref" and ref:
        digits = "".join(c for c in ref if c.isdigit()) or ref
        t = r.choice((ref, digits, "INV " + digits, "INV" + digits, "INVOICE " + digits, ref, digits, "No " + digits))
        if r.random() < 0.07:
            t2 = slip_digits(r, t)
            bad = t2 != t
            t = t2
    elif h == "code" and p.code:
        t = p.code
        if r.random() < 0.04:
            t2 = slip_digits(r, t)
            bad = t2 != t
            t = t2
    elif h == "name":
        t = r.choice((p.sur, p.sur, p.first[0] + " " + p.sur, p.sur + " " + x.note))
    elif h == "child":
        t = r.choice((p.child, p.child, p.child + " " + p.sur, p.sur + " " + p.child[0], p.child + " " + x.note))
    elif h == "note":
        t = x.note or r.choice(JUNK)
    elif h == "junk":
        t = r.choice(JUNK)
    else:
        t = ""
    return t[:cut].strip(), bad


def clean(x):
    p = x.party
    return x.ref or p.code or p.mand or p.num


def day(o, f):
    d = D.date.fromordinal(o)
    if f == 0:
        return f"{d.day:02d}-{d.month:02d}-{d.year}"
    if f == 1:
        return f"{d.day:02d}{MON[d.month - 1].upper()}"
    if f == 2:
        return f"{d.day:02d}/{d.month:02d}/{d.year % 100:02d}"
    return f"{d.day} {MON[d.month - 1]}"


def _pre(r, x, clear, cut):
    if clear:
        return x.party.name, clean(x)[:22], False
    t, bad = typed(r, x, cut)
    return x.party.acct, t, bad


def marlbank(r, x, clear=False):
    """Long sentences in capitals; names cut at 18."""
    n, t, bad = _pre(r, x, clear, 18)
    n = n[:18 if not clear else 24].strip()
    k, p = x.typ, x.party
    if k == "fpi":
        s = f"FASTER PAYMENTS RECEIPT REF.{t} FROM {n}" if t else f"FASTER PAYMENTS RECEIPT FROM {n}"
    elif k == "bgc":
        s = f"BANK GIRO CREDIT REF {n}, {t or p.mand[:8]}"
        if not clear and r.random() < 0.06:
            s = f"BANK GIRO CREDIT REF {p.mand[:8]}"
    elif k == "soi":
        s = f"STANDING ORDER RECEIPT FROM {n} REF {t or 'NONE'}"
    elif k in ("fpo", "so"):
        m = p.num
        s = (f"BILL PAYMENT VIA FASTER PAYMENT TO {n} REFERENCE {t or 'HPS'} , MANDATE NO {m}" if k == "fpo"
             else f"STANDING ORDER VIA FASTER PAYMENT TO {n} REFERENCE {t or p.mand} , MANDATE NO {m}")
    elif k == "dd":
        s = f"DIRECT DEBIT PAYMENT TO {n} REF {t or p.mand}, MANDATE NO {p.num}"
    elif k == "card":
        s = f"CARD PAYMENT TO {n} ON {day(x.doc, 0)}"
        if clear:
            s += " " + t
    elif k == "chq":
        s = f"CHEQUE PRESENTED NO {x.ref}"
    elif k == "cash":
        s = r.choice((f"CASH PAID IN AT {x.note or 'BRANCH'}", f"CREDIT PAID IN SLIP {x.ref}", f"CREDIT PAID IN SLIP {x.ref}"))
    elif k == "bulk":
        s = f"BULK FASTER PAYMENT DEBIT {x.note} FILE {p.num}"
    elif k == "ret":
        s = f"RETURNED ITEM {n} REFER TO DRAWER"
    elif k == "xfer":
        s = f"TRANSFER {'FROM' if x.amt > 0 else 'TO'} RESERVE ACCOUNT {p.mand}"
    else:
        s = {"chg": "MONTHLY ACCOUNT FEE", "int": "INTEREST PAID AFTER TAX 0.00 DEDUCTED"}[k]
    return s.upper(), bad


def old_wharf(r, x, clear=False):
    """A three-letter code, a short name, a short reference, nothing more; counter credits bare."""
    n, t, bad = _pre(r, x, clear, 14)
    n = n[:16 if not clear else 22].strip()
    k, p = x.typ, x.party
    if k in ("fpi", "bgc"):
        s = f"CR {n} {t}" if k == "fpi" or clear or r.random() > 0.1 else f"CR {t or p.num}"
    elif k == "soi":
        s = f"SO {n} {t}"
    elif k == "fpo":
        s = f"BP {n} {t or 'FOXHOLT GC'}"
    elif k == "so":
        s = f"SO {n} {t}"
    elif k == "dd":
        s = f"DD {n} {t if clear else ''}"
    elif k == "card":
        s = f"VIS {n.upper()} {x.note or 'FOXHOLT'}" + (" " + t if clear else "")
    elif k == "chq":
        s = f"CHQ {x.ref}"
    elif k == "cash":
        s = r.choice((f"PIM {x.ref}", f"CR COUNTER {x.ref}", f"CR {x.ref}"))
    elif k == "bulk":
        s = f"BP BULK LIST {x.note}"
    elif k == "ret":
        s = f"DR UNPAID {n}"
    elif k == "xfer":
        s = f"TFR {p.mand[-8:]}"
    else:
        s = {"chg": "DR TOTAL CHARGES", "int": "CR GROSS INTEREST"}[k]
    return " ".join(s.upper().split()), bad


def ferrymans(r, x, clear=False):
    """A building society in sentence case; the payer's own capitals kept."""
    n, t, bad = _pre(r, x, clear, 18)
    k, p = x.typ, x.party
    n = (n if k in ("dd", "so", "card") else n.upper())[:20 if not clear else 26].strip()
    if t and not clear:
        t = r.choice((t, t.lower(), t.upper()))
    if k == "fpi":
        s = f"Transfer from {n}" + (f" {t}" if t else "")
    elif k == "bgc":
        s = f"Bank credit {n}" + (f" {t}" if t else "")
    elif k == "soi":
        s = f"Standing order from {n}" + (f" {t}" if t else "")
    elif k == "fpo":
        s = f"Payment to {n}" + (f" {t}" if t else r.choice((" Tumbledown", "", " Nursery")))
    elif k == "so":
        s = f"Standing order {n} {t}"
    elif k == "dd":
        s = f"Direct debit {n}" + (f" {t or p.mand}" if clear or r.random() < 0.5 else "")
    elif k == "card":
        s = r.choice((f"Contactless payment {n} GB", f"Visa purchase {n} {day(x.doc, 3)}", f"Visa purchase {n} {day(x.doc, 3)}"))
        if clear:
            s = f"Visa purchase {n} {day(x.doc, 3)} {t}"
    elif k == "chq":
        s = f"Cheque {x.ref}"
    elif k == "cash":
        s = f"Cash/cheque credit {x.ref}"
    elif k == "bulk":
        s = f"Bulk payment {x.note}"
    elif k == "ret":
        s = f"Returned payment {n}"
    elif k == "xfer":
        s = f"Transfer {'from' if x.amt > 0 else 'to'} savings {p.mand[-4:]}"
    else:
        s = {"chg": "Account charges", "int": "Interest added"}[k]
    return s.strip(), bad


def kestrel(r, x, clear=False):
    """A telephone bank: counterparty first, then the reference, then the way of payment."""
    n, t, bad = _pre(r, x, clear, 18)
    k, p = x.typ, x.party
    if not clear and not p.firm and r.random() < 0.3:
        n = n.upper()
    if k in ("fpi", "soi"):
        s = f"{n} / {t} / Faster Payment in" if t else f"{n} / Faster Payment in"
    elif k == "bgc":
        s = f"{n[:18].upper()} / {t or p.mand} / Bacs credit"
    elif k in ("fpo", "so"):
        s = f"{n} / {t or 'Sent from Kestrel'} / {'Faster Payment out' if k == 'fpo' else 'Standing order'}"
    elif k == "dd":
        s = f"{n[:18].upper()} / {t or p.mand} / Direct Debit"
    elif k == "card":
        s = f"{n[:20].upper()}*{p.num if not clear else t} GBR / Card {day(x.doc, 1)}"
    elif k == "chq":
        s = f"Cheque {x.ref}"
    elif k == "cash":
        s = f"Post Office deposit / {x.ref}"
    elif k == "bulk":
        s = f"Pay many / {x.note}"
    elif k == "ret":
        s = f"{n} / Returned"
    elif k == "xfer":
        s = f"Pot {'withdrawal' if x.amt > 0 else 'deposit'} / Tax"
    else:
        s = {"chg": "Kestrel / Plan fee", "int": "Interest earned"}[k]
    return s, bad


def carron(r, x, clear=False):
    """Fields in commas, each of 18 characters, times and long numbers."""
    n, t, bad = _pre(r, x, clear, 18)
    k, p = x.typ, x.party
    n = n[:18 if not clear else 24].strip()
    tm = f"{r.randrange(6, 23):02d}{r.randrange(60):02d}"
    if k == "fpi":
        s = f"{n} , {t or '.'} , FP {day(x.doc if x.doc == x.date else x.date, 2)} {tm} , {r.randrange(10**9, 10**10)}00N"
    elif k == "bgc":
        s = f"{n} , {t or p.mand}" if clear or r.random() > 0.07 else f"AUTOMATED CREDIT , {p.mand}"
    elif k == "soi":
        s = f"{n} , {t} , SO"
    elif k == "fpo":
        s = f"{n} , {t or 'LARKRISE'} , VIA ONLINE - PYMT , FP {day(x.date, 2)} 10 , {r.randrange(10**9, 10**10)}"
    elif k == "so":
        s = f"{n} , {t} , STANDING ORDER"
    elif k == "dd":
        s = f"{n} , {t or p.mand}"
    elif k == "card":
        s = f"4471 {day(x.doc, 1)}{D.date.fromordinal(x.doc).year % 100:02d} , {n} , {x.note or 'GB'}" + (" , " + t if clear else "")
    elif k == "chq":
        s = f"{x.ref}" if r.random() < 0.5 else f"CHQ {x.ref}"
    elif k == "cash":
        s = f"PAID IN , SLIP {x.ref}"
    elif k == "bulk":
        s = f"BULK PYMT , {x.note} , VIA ONLINE"
    elif k == "ret":
        s = f"{n} , UNPAID CHEQUE"
    elif k == "xfer":
        s = f"{'FROM' if x.amt > 0 else 'TO'} A/C {p.mand}"
    else:
        s = {"chg": "CHARGES , TO " + day(x.doc, 1), "int": day(x.doc, 1) + " , GRS , RESERVE INT"}[k]
    return s.upper(), bad
