"""A worksheet read: the journals, allocations and VAT rows that were written by hand in `company_*.md`, and their sums."""

import calendar
from collections import defaultdict
from datetime import date, timedelta

SECTIONS = ["revenue", "cost_of_sales", "other_income", "expenses", "corporation_tax"]
TOTALS = ["total_revenue", "total_cost_of_sales", "gross_profit", "total_other_income", "total_expenses",
          "profit_before_tax", "total_corporation_tax", "net_profit"]
BUCKETS = ["current", "days_1_30", "days_31_60", "days_61_90", "days_over_90", "unallocated", "total"]
CREDITS = ["sales_credit_note", "purchase_credit_note", "customer_receipt", "supplier_payment"]
DEBTORS, CREDITORS, VAT_CONTROL, RETAINED = "1100", "2100", "2200", "3200"
DAY = timedelta(days=1)


def money(pence):
    return pence / 100


def pence(text):
    sign = -1 if text.startswith("-") else 1
    whole, _, part = text.lstrip("-").replace(",", "").partition(".")
    return sign * (int(whole) * 100 + int(part.ljust(2, "0") or "0"))


def rounded(numerator, denominator):
    """Half away from zero."""
    sign = -1 if (numerator < 0) != (denominator < 0) else 1
    numerator, denominator = abs(numerator), abs(denominator)
    return sign * ((2 * numerator + denominator) // (2 * denominator))


def percent(part, whole):
    return money(rounded(part * 10_000, abs(whole))) if whole else None


def day(text):
    return date.fromisoformat(text)


def month_end(of):
    return of.replace(day=calendar.monthrange(of.year, of.month)[1])


def query(asked):
    """`2024-02-29&age_by=invoice_date` and `2024-01-01..2024-01-31` as a query string."""
    if ".." in asked:
        return "period_start=" + asked.replace("..", "&period_end=", 1)
    return "as_of=" + asked


class Entry:
    """A dated paragraph of the worksheet."""

    def __init__(self, words):
        self.date, self.kind = day(words[0]), words[1]
        self.number = self.contact = self.due = self.ref = self.of = self.cash = self.cis = self.id = None
        self.lines, self.vat, self.sets, self.adjusts, self.open, self.turnover, self.trade = [], [], [], [], [], [], None
        self.frees, self.transfers = [], []
        words = words[2:]
        while words:
            word = words.pop(0)
            if word.startswith("@"):
                self.contact = word[1:]
            elif word in ("due", "ref", "of", "cash", "cis"):
                setattr(self, word, words.pop(0))
            else:
                self.number = word
        self.due = self.due and day(self.due)


class Books:
    def __init__(self, text):
        self.accounts, self.contacts, self.entries, self.reports, self.info, self.schemes = {}, {}, [], [], {}, []
        self.warnings, self.recorded, self.late, entry, fenced = defaultdict(list), {}, {}, None, False
        for line in text.splitlines():
            if line.startswith("```"):
                fenced, entry = not fenced, None
                continue
            if not fenced or not line.strip() or line.startswith((">", "#")):
                continue
            words = line.split()
            if words[0] == "account":
                for part in line.removeprefix("account ").split("; "):
                    code, kind, role, name = part.split(" ", 3)
                    self.accounts[code] = (kind, None if role == "-" else role, name)
            elif words[0] == "contact":
                self.contacts[words[2]] = (words[1], " ".join(words[3:]))
            elif words[0] == "report":
                self.reports += [f"{words[1]}?{query(asked)}" for asked in words[2:]]
            elif words[0] == "scheme":
                self.schemes.append((day(words[1]), words[2], int(words[3]) if len(words) > 3 else None))
            elif words[0] == "recorded":
                self.recorded[words[1]] = words[2]
            elif words[0] == "late":
                self.late[words[1]] = dict(zip(words[2::2], words[3::2]))
            elif words[0] == "warning":
                self.warnings[words[1]].append({"code": words[2], "amount": money(pence(words[3]))})
            elif words[0] in ("name", "year_end", "vat_month"):
                self.info[words[0]] = " ".join(words[1:])
            elif words[0][:2] == "20":
                entry = Entry(words)
                self.entries.append(entry)
            else:
                self.part(entry, words[0], " ".join(words[1:]))
        self.numbered()

    def part(self, entry, word, rest):
        parts = [part.split() for part in rest.split(";")]
        if word in ("Dr", "Cr"):
            # The side holds for the parts that follow until another is named.
            side = 1 if word == "Dr" else -1
            for words in parts:
                if words[0] in ("Dr", "Cr"):
                    side = 1 if words.pop(0) == "Dr" else -1
                code, _, contact = words[0].partition("@")
                entry.lines.append((code, contact or None, side * pence(words[1])))
        elif word == "VAT":
            entry.vat += [(w[0], w[1], pence(w[2]), pence(w[3]), w[4] if len(w) > 4 else None) for w in parts]
        elif word == "Turnover":
            entry.turnover += [(w[0], pence(w[1]), pence(w[2])) for w in parts]
        elif word == "Sets":
            entry.sets += [(w[0], pence(w[1]), day(w[3]) if len(w) > 3 else entry.date) for w in parts]
        elif word == "Transfers":
            entry.transfers = [(w[0], None, pence(w[1])) for w in parts]
        elif word == "Frees":
            entry.frees = [w[0] for w in parts]
        elif word == "Adjust":
            reason, *boxes = rest.replace(";", "").split()
            entry.adjusts = [(reason, int(b), pence(a)) for b, a in zip(boxes[::2], boxes[1::2])]
        elif word == "Open":
            for w in parts:
                entry.open.append((w[0], w[1], w[2][1:], day(w[3]), day(w[4]) if w[4] != "-" else None, pence(w[5])))
        elif word == "Trade":
            entry.trade = tuple(pence(words[0]) for words in parts)
        else:
            raise SystemExit(f"{word} {rest}?")

    def numbered(self):
        """Journal numbers, documents with their allocations and voids."""
        self.documents, self.by_number, number = [], {}, 0
        for entry in self.entries:
            assert sum(amount for _, _, amount in entry.lines) == 0, (entry.date, entry.number, entry.lines)
            if entry.lines:
                number += 1
                entry.id = number
            for kind, name, contact, dated, due, amount in entry.open:
                self.document(kind, name, contact, dated, due, amount, entry.date)
            if entry.kind.startswith(("sales_", "purchase_", "customer_", "supplier_")) and entry.lines:
                control = [a for c, _, a in entry.lines if c in (DEBTORS, CREDITORS)]
                self.document(entry.kind, entry.number, entry.contact, entry.date, entry.due, abs(sum(control)), entry.date)
            if entry.kind == "write_off":
                # It settles as money does, but no report names it.
                self.by_number[entry.number] = {"links": [], "void": None}
            for name, amount, dated in entry.sets:
                source, target = self.by_number[entry.number], self.by_number[name]
                link = [dated, None, amount]
                source["links"].append(link)
                target["links"].append(link)
            for name in entry.frees:
                source = self.by_number[entry.number]["links"]
                next(link for link in source if any(link is other for other in self.by_number[name]["links"]))[1] = entry.date
            if entry.kind == "reversal":
                gone = self.by_number.get(entry.of)
                if gone:
                    gone["void"] = entry.date
                    for link in gone["links"]:
                        link[1] = entry.date
            for code, contact, amount in entry.lines:
                if entry.kind == "manual" and code in (DEBTORS, CREDITORS):
                    side = 1 if code == DEBTORS else -1
                    self.document("journal", str(entry.id), contact, entry.date, entry.date, side * amount, entry.date)
                    self.documents[-1]["control"] = code

    def document(self, kind, number, contact, dated, due, amount, since):
        if kind in CREDITS:
            amount, due = -amount, None
        control = DEBTORS if kind.startswith(("sales", "customer")) else CREDITORS
        made = {"kind": kind, "number": number, "contact": contact, "date": dated, "due": due, "amount": amount,
                "since": since, "void": None, "links": [], "control": control}
        self.documents.append(made)
        if kind != "journal":
            self.by_number[number] = made

    # Sums

    def year_start(self, of):
        month, last = map(int, self.info["year_end"].split("-"))

        def end(year):
            return month_end(date(year, 2, 1)) if month == 2 and last >= 28 else date(year, month, last)
        return (end(of.year) if end(of.year) < of else end(of.year - 1)) + DAY

    def moved(self, start, end):
        """Debits less credits by account."""
        sums = defaultdict(int)
        for entry in self.entries:
            # A closing counts on no day but for what it transfers, which is there from the first day of the next year.
            is_closing = entry.kind == "year_end_close"
            counted, lines = (entry.date + DAY, entry.transfers) if is_closing else (entry.date, entry.lines)
            if (start is None or start <= counted) and counted <= end:
                for code, _, amount in lines:
                    sums[code] += amount
        return sums

    def is_nominal(self, code):
        return self.accounts[code][0] in ("REVENUE", "EXPENSE")

    def section(self, code):
        kind, role, _ = self.accounts[code]
        if kind == "REVENUE":
            return "other_income" if role == "other_income" else "revenue"
        return role if role in ("cost_of_sales", "corporation_tax") else "expenses"

    def profit(self, start, end):
        """Amounts by section and account, and the eight totals."""
        sections = {section: {} for section in SECTIONS}
        for code, amount in sorted(self.moved(start, end).items()):
            if self.is_nominal(code) and amount:
                section = self.section(code)
                sections[section][code] = -amount if section in ("revenue", "other_income") else amount
        t = {section: sum(rows.values()) for section, rows in sections.items()}
        gross = t["revenue"] - t["cost_of_sales"]
        before = gross + t["other_income"] - t["expenses"]
        totals = dict(zip(TOTALS, [t["revenue"], t["cost_of_sales"], gross, t["other_income"], t["expenses"], before,
                                   t["corporation_tax"], before - t["corporation_tax"]]))
        return sections, totals

    def named(self, code, **figures):
        return {"code": code, "name": self.accounts[code][2], **figures}

    def balances(self, at):
        """Debits less credits of the balance sheet's accounts, the profit of earlier years within retained earnings."""
        start = self.year_start(at)
        sums = self.moved(None, at)
        earlier = self.moved(None, start - DAY)
        kept = {code: amount for code, amount in sums.items() if not self.is_nominal(code)}
        kept[RETAINED] = kept.get(RETAINED, 0) + sum(a for c, a in earlier.items() if self.is_nominal(c))
        return {code: amount for code, amount in sorted(kept.items()) if amount}, start

    def sheet(self, at):
        """Amounts of the four sections, and the profit of the year so far."""
        balances, start = self.balances(at)
        sections = {"assets": {}, "liabilities": {}, "suspense": {}, "equity": {}}
        for code, amount in balances.items():
            kind = self.accounts[code][0]
            name = {"ASSET": "assets", "LIABILITY": "liabilities", "SUSPENSE": "suspense", "EQUITY": "equity"}[kind]
            sections[name][code] = amount if kind in ("ASSET", "SUSPENSE") else -amount
        return sections, self.profit(start, at)[1]["net_profit"], start

    def contact_name(self, contact):
        return self.contacts[contact][1] if contact else "Unassigned"

    def contacts_in_order(self, found):
        return sorted(found, key=lambda c: (c is None, self.contact_name(c)))

