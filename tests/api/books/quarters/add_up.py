"""Adds up a worksheet: prints every figure of every report that `company_*.md` names, from the journals, allocations and VAT
rows that stand in it, for `company_*.figures.json`. It knows nothing of lines of documents, rates of VAT or CIS: what is
posted and what is declared was worked by hand.

    python3 add_up.py company_a.md > company_a.figures.json
"""

import json
import sys
from collections import defaultdict
from datetime import date, timedelta
from urllib.parse import parse_qsl, urlsplit

from sheet import (BUCKETS, CREDITORS, DAY, DEBTORS, SECTIONS, TOTALS, VAT_CONTROL, Books, day, money, month_end, pence,
                   percent, rounded)

LATE = ["box1", "box2", "box4", "box6", "box7", "box8", "box9", "net_vat"]
HMRC = ["vatDueSales", "vatDueAcquisitions", "totalVatDue", "vatReclaimedCurrPeriod", "netVatDue", "totalValueSalesExVAT",
        "totalValuePurchasesExVAT", "totalValueGoodsSuppliedExVAT", "totalAcquisitionsExVAT"]


def moneys(sums):
    return {name: money(amount) for name, amount in sums.items()}


def compared(current, previous):
    change = current - previous
    return {"current": money(current), "previous": money(previous), "change": money(change),
            "change_percent": percent(change, previous)}


def profit_loss(books, start, end):
    sections, totals = books.profit(start, end)
    rows = {s: [books.named(c, amount=money(a)) for c, a in sections[s].items()] for s in SECTIONS}
    return rows | moneys(totals)


def profit_loss_monthly(books, start, end):
    months, at = [], start
    while at <= end:
        last = min(month_end(at), end)
        months.append((at, last, books.profit(at, last)))
        at = last + DAY
    rows = []
    for section in SECTIONS:
        for code in sorted({c for _, _, (sections, _) in months for c in sections[section]}):
            amounts = [sections[section].get(code, 0) for _, _, (sections, _) in months]
            rows.append(books.named(code, section=section, amounts=[money(a) for a in amounts], total=money(sum(amounts))))
    shown = [{"month": first.isoformat()[:7], "period_start": first.isoformat(), "period_end": last.isoformat()}
             | moneys(totals) for first, last, (_, totals) in months]
    return {"months": shown, "rows": rows, "totals": moneys(books.profit(start, end)[1])}


def group(books, code):
    kind, role, _ = books.accounts[code]
    if kind == "EQUITY":
        return "capital_and_reserves"
    if kind == "LIABILITY":
        return "creditors_after_one_year" if role == "long_term_liability" else "creditors_within_one_year"
    return "fixed_assets" if role == "fixed_asset" else "current_assets"


def balance_sheet(books, at):
    sections, earned, start = books.sheet(at)
    of = {section: sum(rows.values()) for section, rows in sections.items()}
    groups = defaultdict(int)
    for rows in sections.values():
        for code, amount in rows.items():
            groups[group(books, code)] += amount
    shown = {section: [books.named(c, amount=money(a), group=group(books, c)) for c, a in rows.items()]
             for section, rows in sections.items()}
    net_current = groups["current_assets"] - groups["creditors_within_one_year"]
    net = of["assets"] + of["suspense"] - of["liabilities"]
    assert net == of["equity"] + earned == groups["fixed_assets"] + net_current - groups["creditors_after_one_year"]
    return shown | {"financial_year_start": start.isoformat(), "balanced": True} | moneys({
        "retained_earnings_brought_forward": sections["equity"].get("3200", 0), "current_year_earnings": earned,
        "total_assets": of["assets"], "total_liabilities": of["liabilities"], "total_suspense": of["suspense"],
        "total_fixed_assets": groups["fixed_assets"], "total_current_assets": groups["current_assets"],
        "total_creditors_within_one_year": groups["creditors_within_one_year"], "net_current_assets": net_current,
        "total_assets_less_current_liabilities": groups["fixed_assets"] + net_current,
        "total_creditors_after_one_year": groups["creditors_after_one_year"], "net_assets": net,
        "total_equity": of["equity"] + earned})


def trial_balance(books, at):
    balances, start = books.balances(at)
    balances |= {c: a for c, a in books.moved(start, at).items() if books.is_nominal(c) and a}
    rows = [books.named(c, account_type=books.accounts[c][0], debit=money(max(a, 0)), credit=money(max(-a, 0)))
            for c, a in sorted(balances.items())]
    debit, credit = (sum(s * a for a in balances.values() if s * a > 0) for s in (1, -1))
    assert debit == credit
    return {"rows": rows, "total_debit": money(debit), "total_credit": money(credit),
            "financial_year_start": start.isoformat()}


def cash_flow(books, start, end):
    role = {code: account[1] for code, account in books.accounts.items()}
    banks = [code for code in role if role[code] == "bank"]
    opening, closing = (sum(books.moved(None, at).get(b, 0) for b in banks) for at in (start - DAY, end))
    working, investing, financing, depreciation = {}, {}, {}, 0
    for code, amount in sorted(books.moved(start, end).items()):
        if not amount or code in banks:
            continue
        if books.is_nominal(code):
            if role[code] == "depreciation":
                depreciation += amount
                investing[code] = -amount
        elif role[code] == "fixed_asset":
            investing[code] = -amount
        elif books.accounts[code][0] == "EQUITY" or role[code] == "long_term_liability":
            financing[code] = -amount
        else:
            working[code] = -amount
    profit = books.profit(start, end)[1]["net_profit"]
    operating = profit + depreciation + sum(working.values())
    assert operating + sum(investing.values()) + sum(financing.values()) == closing - opening
    inside = [e for e in books.entries if e.lines and start <= e.date <= end]
    undone = {e.of for e in inside if e.kind == "reversal"}
    net = [sum(a for c, _, a in e.lines if c in banks) for e in inside
           if not (e.kind == "reversal" and any(o.number == e.of for o in inside)) and not (e.number in undone)]

    def lines(rows):
        return [books.named(c, amount=money(a)) for c, a in rows.items()]
    return moneys({"opening_cash": opening, "closing_cash": closing, "net_movement": closing - opening,
                   "gross_inflows": sum(n for n in net if n > 0), "gross_outflows": -sum(n for n in net if n < 0)}) | {
        "operating": moneys({"net_profit": profit, "depreciation": depreciation, "total": operating})
        | {"working_capital": lines(working)},
        "investing": {"lines": lines(investing), "total": money(sum(investing.values()))},
        "financing": {"lines": lines(financing), "total": money(sum(financing.values()))}}


def year_before(of):
    return of.replace(year=of.year - 1, day=28 if (of.month, of.day) == (2, 29) else of.day)


def period_comparison(books, start, end, query):
    if "compare_start" in query:
        first, last = day(query["compare_start"]), day(query["compare_end"])
    elif query.get("compare") == "previous_year":
        first, last = year_before(start), year_before(end)
    elif start.day == 1 and end == month_end(end):
        last = start - DAY
        months = (end.year - start.year) * 12 + end.month - start.month + 1
        before = start.year * 12 + start.month - 1 - months
        first = date(before // 12, before % 12 + 1, 1)
    else:
        first, last = start - (end - start) - DAY, start - DAY
    (now, totals), (then, earlier) = books.profit(start, end), books.profit(first, last)
    rows = [books.named(c, section=s, **compared(now[s].get(c, 0), then[s].get(c, 0)))
            for s in SECTIONS for c in sorted(now[s].keys() | then[s].keys())]
    return {"compare_start": first.isoformat(), "compare_end": last.isoformat(), "rows": rows,
            "totals": {name: compared(totals[name], earlier[name]) for name in TOTALS}}


def balance_comparison(books, at, query):
    if "compare_as_of" in query:
        other = day(query["compare_as_of"])
    else:
        other = year_before(at)
    (now, earned, _), (then, earlier, _) = books.sheet(at), books.sheet(other)
    rows = [books.named(c, section=s, **compared(now[s].get(c, 0), then[s].get(c, 0)))
            for s in now for c in sorted(now[s].keys() | then[s].keys())]

    def net(sections):
        return sum(sections["assets"].values()) + sum(sections["suspense"].values()) - sum(sections["liabilities"].values())
    return {"compare_as_of": other.isoformat(), "rows": rows, "current_year_earnings": compared(earned, earlier),
            "net_assets": compared(net(now), net(then))}


def aged_documents(books, control, at, by_invoice_date=False):
    """Open documents by contact, oldest first."""
    found = defaultdict(list)
    for document in books.documents:
        if document["control"] != control or document["since"] > at or (document["void"] and document["void"] <= at):
            continue
        set_off = sum(a for dated, released, a in document["links"] if dated <= at and not (released and released <= at))
        open_amount = document["amount"] + (set_off if document["amount"] < 0 else -set_off)
        if open_amount == 0:
            continue
        days = None
        bucket = "unallocated"
        if document["due"] or document["kind"] == "journal":
            days = (at - (document["date"] if by_invoice_date else document["due"])).days
            bucket = BUCKETS[0 if days <= 0 else min((days - 1) // 30 + 1, 4)]
        found[document["contact"]].append({
            "document_type": document["kind"], "number": document["number"], "date": document["date"].isoformat(),
            "due_date": document["due"] and document["due"].isoformat(), "days_overdue": days,
            "amount": money(document["amount"]), "outstanding": money(open_amount), "bucket": bucket, "pence": open_amount})
    for rows in found.values():
        rows.sort(key=lambda row: row["date"])
    return found


def ages(rows):
    sums = dict.fromkeys(BUCKETS, 0)
    for row in rows:
        sums[row["bucket"]] += row["pence"]
        sums["total"] += row["pence"]
    return sums


def shown(rows):
    return [{name: value for name, value in row.items() if name != "pence"} for row in rows]


def aged(books, control, at, query):
    found = aged_documents(books, control, at, query.get("age_by") == "invoice_date")
    rows = [{"name": books.contact_name(c)} | moneys(ages(found[c])) | {"documents": shown(found[c])}
            for c in books.contacts_in_order(found)]
    balance = books.moved(None, at).get(control, 0) * (1 if control == DEBTORS else -1)
    if "contact_id" in query:
        found = {c: rows for c, rows in found.items() if c == query["contact_id"].removeprefix("@")}
        rows = [row for row in rows if row["name"] in map(books.contact_name, found)]
        balance = sum(row["pence"] for rows in found.values() for row in rows)
    totals = ages([row for rows in found.values() for row in rows])
    assert totals["total"] == balance, (at, control, totals, balance)
    return {"age_by": query.get("age_by", "due_date"), "rows": rows, "totals": moneys(totals),
            "control_account_balance": money(balance), "difference": 0.0}


def statement(books, contact, start, end):
    kind, name = books.contacts[contact]
    control = DEBTORS if kind == "customer" else CREDITORS
    side = 1 if kind == "customer" else -1
    opening = balance = sum(a * side for e in books.entries if e.date < start
                            for c, whose, a in e.lines if c == control and (whose or e.contact) == contact)
    lines = []
    for entry in sorted((e for e in books.entries if start <= e.date <= end and e.lines), key=lambda e: (e.date, e.id)):
        amount = sum(a for c, whose, a in entry.lines if c == control and (whose or entry.contact) == contact)
        if not amount:
            continue
        balance += amount * side
        behind = next((e for e in books.entries if entry.of and e.number == entry.of), entry)
        if behind.kind == "write_off":
            # It is shown as what it writes off.
            behind = next(e for e in books.entries if e.number == behind.sets[0][0])
        document = behind.kind if behind.kind.startswith(("sales_", "purchase_", "customer_", "supplier_")) else None
        lines.append({
            "date": entry.date.isoformat(), "type": entry.kind, "document_type": document,
            "number": behind.number if document else str(entry.id), "reference": behind.ref,
            "due_date": entry.due and entry.due.isoformat(), "debit": money(max(amount, 0)),
            "credit": money(max(-amount, 0)), "cash": None, "cis": None, "balance": money(balance)})
        if document and document.endswith(("receipt", "payment", "refund")):
            lines[-1]["cash"] = float(behind.cash) if behind.cash else money(abs(amount))
            lines[-1]["cis"] = float(behind.cis or 0)
    open_rows = aged_documents(books, control, end).get(contact, [])
    return {"contact": {"kind": kind, "name": name, "reference": None, "is_archived": False},
            "opening_balance": money(opening), "lines": lines, "closing_balance": money(balance),
            "outstanding": shown(open_rows), "ageing": moneys(ages(open_rows))}


def trade(books, start, end, is_sales, only):
    kinds = ("sales_invoice", "sales_credit_note") if is_sales else ("purchase_invoice", "purchase_credit_note")
    rows = defaultdict(lambda: {"invoice_count": 0, "credit_note_count": 0, "net_amount": 0, "vat_amount": 0})
    # On other accounts: of everybody, and of the contact asked for.
    capital, other = [0, 0], [0, 0]
    for entry in books.entries:
        if not (start <= entry.date <= end):
            continue
        behind = next((e for e in books.entries if entry.of and e.number == entry.of), entry)
        if behind.kind not in kinds:
            continue
        is_shown = only in ("", behind.contact)
        row, side = rows[behind.contact], -1 if is_sales else 1
        row["invoice_count" if behind.kind.endswith("invoice") else "credit_note_count"] += 1 if behind is entry else -1
        net = vat = 0
        for code, _, amount in entry.lines:
            kind, amount = books.accounts[code][0], side * amount
            if code == VAT_CONTROL:
                vat += amount
            elif code not in (DEBTORS, CREDITORS):
                is_counted = not is_sales or kind == "REVENUE"
                net += amount if is_counted else 0
                is_other = (is_sales and not is_counted) or (not is_sales and kind not in ("ASSET", "EXPENSE"))
                for sums, is_in in ((capital, kind == "ASSET"), (other, is_other)):
                    sums[0] += amount if is_in else 0
                    sums[1] += amount if is_in and is_shown else 0
        if behind.trade:
            net, vat = (figure if behind is entry else -figure for figure in behind.trade)
        row["net_amount"] += net
        row["vat_amount"] += vat
    rows = {c: row for c, row in rows.items() if any(row.values())}
    total = sum(row["net_amount"] for row in rows.values())
    rows = {c: row for c, row in rows.items() if only in ("", c)}

    def printed(row):
        return {"invoice_count": row["invoice_count"], "credit_note_count": row["credit_note_count"]} | moneys({
            "net_amount": row["net_amount"], "vat_amount": row["vat_amount"],
            "gross_amount": row["net_amount"] + row["vat_amount"]}) | {"percent_of_total": percent(row["net_amount"], total)}
    sums = {name: sum(row[name] for row in rows.values()) for name in
            ("invoice_count", "credit_note_count", "net_amount", "vat_amount")}
    found = {"rows": [{"name": books.contact_name(c)} | printed(rows[c]) for c in books.contacts_in_order(rows)],
             "totals": printed(sums)}
    totals = books.profit(start, end)[1]
    if is_sales:
        earned = totals["total_revenue"] + totals["total_other_income"]
        return found | moneys({"other_net": other[1], "other_revenue": earned - total, "profit_loss_revenue": earned})
    costs = totals["total_cost_of_sales"] + totals["total_expenses"] + totals["total_corporation_tax"]
    return found | moneys({"capital_net": capital[1], "other_net": other[1], "profit_loss_costs": costs,
                           "other_purchases": costs - (total - capital[0] - other[0])})


def add_row(by_code, key, net, vat):
    row = by_code.setdefault(key, [0, 0, 0])
    row[0], row[1], row[2] = row[0] + net, row[1] + vat, row[2] + 1


def vat_return(books, start, end):
    box, by_code, adjustments = dict.fromkeys(range(1, 10), 0), {}, []
    boxes_of = {"output": (1, 6), "input": (4, 7), "domestic": (1, 4, 7), "imported_services": (1, 4, 6, 7),
                "domestic_sale": (6,)}
    turnover, charged, flat = 0, 0, 0
    stretches = defaultdict(int)
    for entry in books.entries:
        if not start <= entry.date <= end:
            continue
        scheme = [s for s in books.schemes if s[0] <= entry.date][-1:]
        for side, code, net, vat, basis in entry.vat:
            for number in boxes_of[side]:
                box[number] += vat if number in (1, 4) else net
            reverse = side.removesuffix("_sale") if side not in ("output", "input") else None
            basis = "standard" if reverse else basis or scheme[0][1]
            add_row(by_code, ("output" if side in ("output", "domestic_sale") else "input", code, basis, reverse), net, vat)
        for code, gross, vat in entry.turnover:
            stretches[scheme[0]] += gross
            turnover, charged, box[6] = turnover + gross, charged + vat, box[6] + gross
            add_row(by_code, ("output", code, "flat_rate", None), gross - vat, vat)
        for reason, number, amount in entry.adjusts:
            box[number] += amount
            adjustments.append({"date": entry.date.isoformat(), "reason": reason, "box": number, "amount": money(amount)})
    scheme = ([(None, None, None)] + [s for s in books.schemes if s[0] <= end])[-1]
    for (_, _, rate), gross in stretches.items():
        flat += rounded(gross * rate, 10_000)
    box[1] += flat
    box[3] = box[1] + box[2]
    net = box[3] - box[4]
    box[5] = abs(net)
    quarter = int(books.info["vat_month"]) % 3
    is_quarter = (start.day == 1 and end == month_end(end) and end.month % 3 == quarter
                  and (end.year - start.year) * 12 + end.month - start.month == 2)
    due = (month_end(end + DAY) + timedelta(days=7)).isoformat() if is_quarter else None
    period = f"{start}..{end}"
    late = {name: pence(text) for name, text in books.late.get(period, {}).items()}
    count = late.pop("count", 0) // 100
    declared = {n: box[n] + late.get(f"box{n}", 0) for n in (1, 2, 4, 6, 7, 8, 9)}
    due_in_all = declared[1] + declared[2]
    cut = dict(zip(HMRC, [money(declared[1]), money(declared[2]), money(due_in_all), money(declared[4]),
                          money(abs(due_in_all - declared[4]))]))
    cut |= {name: int(declared[n + 6] / 100) for n, name in enumerate(HMRC[5:])}
    return {f"box{n}": money(box[n]) for n in box} | {
        "scheme": scheme[1], "net_vat": money(net), "due_date": due,
        "direction": "payable" if net > 0 else "reclaimable" if net < 0 else "nil",
        "by_code": [{"side": s, "vat_code": c, "basis": b, "reverse_charge": r, "net_amount": money(n),
                     "vat_amount": money(v), "count": count} for (s, c, b, r), (n, v, count) in by_code.items()],
        "flat_rate": {"percent": scheme[2] / 100, "turnover": money(turnover), "vat": money(flat),
                      "surplus": money(charged - flat)} if scheme[1] == "flat_rate" else None,
        "adjustments": adjustments, "hmrc": cut, "warnings": books.warnings[period],
        "recorded": {"filed_on": books.recorded[period]} if period in books.recorded else None,
        "late": {"count": count, "method": "next_return"} | moneys(dict.fromkeys(LATE, 0) | late)}


def report(books, path):
    parts = urlsplit(path)
    query, name, *rest = dict(parse_qsl(parts.query)), *parts.path.split("/")
    found = {"report": name, "organisation_name": books.info["name"], "currency": "GBP", "basis": "accrual"}
    if "as_of" in query:
        at = day(query["as_of"])
        found |= {"as_of": query["as_of"]}
        match name:
            case "balance-sheet":
                return found | balance_sheet(books, at)
            case "trial-balance":
                return found | trial_balance(books, at)
            case "balance-comparison":
                return found | balance_comparison(books, at, query)
            case "aged-debtors" | "aged-creditors":
                return found | aged(books, DEBTORS if name == "aged-debtors" else CREDITORS, at, query)
    start, end = day(query["period_start"]), day(query["period_end"])
    found |= {"period_start": query["period_start"], "period_end": query["period_end"]}
    match name:
        case "profit-loss":
            return found | profit_loss(books, start, end)
        case "profit-loss-monthly":
            return found | profit_loss_monthly(books, start, end)
        case "cash-flow":
            return found | cash_flow(books, start, end)
        case "period-comparison":
            return found | period_comparison(books, start, end, query)
        case "sales-by-customer" | "purchases-by-supplier":
            return found | trade(books, start, end, name == "sales-by-customer",
                                 query.get("contact_id", "").removeprefix("@"))
        case "customer-statement" | "supplier-statement":
            return found | statement(books, rest[0].removeprefix("@"), start, end)
        case "vat-return":
            return found | vat_return(books, start, end)
    raise SystemExit(f"{path}?")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        books = Books(file.read())
    rows = [json.dumps({"path": path, "data": report(books, path)}, separators=(",", ":")) for path in books.reports]
    print("[\n" + ",\n".join(rows) + "\n]")


if __name__ == "__main__":
    main()
