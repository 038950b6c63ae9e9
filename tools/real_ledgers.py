#!/usr/bin/env python3
"""Months of real small ledgers kept through the service: what it suggests, before and after a person corrects it.

    python3 tools/real_ledgers.py BASE_URL KEY FILE.json [--loaded 6] [--months 1]

A file holds a body's `history` and the `request` with `expected` answers of a labelled set (`data/coding/real`). An organisation with the
body's chart gets `--loaded` months, coded as the body did; then the lines of the next `--months` are imported, suggested, confirmed where the
confidence is 0.9 or more, and the rest and all wrong ones are coded as the body did; then the same once more. KEY needs `books:write`,
`books:read`, `coding:write` and `coding:read`, and the server a rate limit of some thousand requests a minute. Prints a row a month, and at the
end whether every account is to the penny what the body's own coding adds up to.
"""
import argparse
import collections
import json
import time
import urllib.error
import urllib.request
from decimal import Decimal

BANK_CODE = "B1200"


class Api:
    def __init__(self, base, key):
        self.base, self.key = base, key

    def __call__(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer, parse_float=Decimal)
        except urllib.error.HTTPError as refused:
            raise SystemExit(f"{method} {path}: {refused.code} {refused.read().decode()[:600]}") from refused


def rows_of(labelled):
    """All lines in order with the body's own account and VAT code, and the other accounts it uses for the payee."""
    for row in labelled.get("history", []):
        yield row["date"], row["amount"], row["description"], row["account_code"], row.get("vat_code"), set()
    for row, answer in zip(labelled["request"]["transactions"], labelled["expected"]):
        accepted = set(answer.get("acceptable_account_codes", []))
        yield row["date"], row["amount"], row["description"], answer["account_code"], answer.get("vat_code"), accepted


def organisation(api, labelled, registered):
    body = {"name": labelled["business"][:200], "entity_type": "charity", "vat_control": registered, "vat_registered": registered}
    if registered:
        body |= {"vat_scheme": "standard", "vat_number": "GB123456789"}
    made = api("POST", "/api/v1/books/organisations", body)["data"]
    books = f"/api/v1/books/organisations/{made['id']}"
    for account in api("GET", f"{books}/accounts")["data"]:
        # Accounts of the standard chart that the body does not have; those the ledger needs stay.
        if account["account_type"] in ("EXPENSE", "REVENUE") and not account.get("role"):
            api("POST", f"{books}/accounts/{account['id']}/archive")
    kinds = {"INCOME": "REVENUE"}
    for account in labelled["request"]["chart_of_accounts"]:
        if account["type"] in ("EXPENSE", "INCOME"):
            kind = kinds.get(account["type"], account["type"])
            api("POST", f"{books}/accounts", {"code": f"B{account['code']}", "name": account["name"], "account_type": kind})
    bank = api("POST", f"{books}/bank-accounts", {"name": "The body's card", "code": BANK_CODE})["data"]
    return books, bank["id"]


def imported(api, books, bank, rows, label):
    """Imports lines and answers them with their ids, in the order of the ids."""
    lines = []
    for start in range(0, len(rows), 500):
        part = rows[start:start + 500]
        sent = [{"date": d, "amount": a, "description": t, "external_id": f"{label}-{start + i}"} for i, (d, a, t, *_) in enumerate(part)]
        answer = api("POST", f"{books}/bank-transactions/import", {"bank_account_id": bank, "rows": sent})["data"]
        ids = sorted(t["id"] for t in answer["transactions"])
        if len(ids) != len(part):
            raise SystemExit(f"{len(ids)} of {len(part)} lines were imported")
        lines += zip(ids, part)
    return lines


def code_as_the_body_did(api, books, lines, registered):
    for start in range(0, len(lines), 100):
        items = []
        for line, (_, _, _, account, vat, _) in lines[start:start + 100]:
            items.append({"id": line, "account_code": f"B{account}", "vat_code": (vat or "NV") if registered else "NV"})
        api("POST", f"{books}/bank-transactions/confirm-batch", {"items": items})


def month_kept(api, books, bank, rows, label, registered, corrected):
    """One month: imported, suggested, confirmed where sure, corrected. Answers what was right, and adds the payees whose suggested
    account was wrong to `corrected`."""
    seen, wrong_payees = collections.Counter(), set()
    lines = imported(api, books, bank, rows, label)
    ids = [line for line, _ in lines]
    job = api("POST", f"{books}/bank-transactions/suggest", {"transaction_ids": ids})["data"]
    while (state := api("GET", job["poll_url"]))["status"] not in ("completed", "failed"):
        time.sleep(.2)
    if state["status"] == "failed":
        raise SystemExit(f"the job failed: {state}")
    wrong = []
    for line, row in lines:
        record = api("GET", f"{books}/bank-transactions/{line}")["data"]
        suggestion = record["suggestion"]
        right = suggestion["account_code"] == f"B{row[3]}"
        fair = right or suggestion["account_code"] in {f"B{code}" for code in row[5]}
        sure = suggestion["confidence"] >= Decimal("0.9")
        seen.update(lines=1, right=right, fair=fair, sure=sure, sure_fair=sure and fair, vat=suggestion["vat_code"] == row[4],
                    history=suggestion["method"] == "history")
        if row[2] in corrected:
            seen.update(corrected=1, corrected_fair=fair)
        if not right:
            wrong_payees.add(row[2])
        if not (right and sure and (not registered or suggestion["vat_code"] == (row[4] or "NV"))):
            wrong.append((line, row, sure))
    confirmed = api("POST", f"{books}/bank-transactions/confirm", {"transaction_ids": ids, "min_confidence": 0.9})["data"]
    if confirmed["confirmed"] != seen["sure"] or confirmed["refused"]:
        raise SystemExit(f"{confirmed['confirmed']} confirmed and {confirmed['refused']} refused of {seen['sure']}")
    for line, _, sure in wrong:
        if sure:
            api("POST", f"{books}/bank-transactions/{line}/unconfirm")
    code_as_the_body_did(api, books, [(line, row) for line, row, _ in wrong], registered)
    corrected |= wrong_payees
    return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("key")
    parser.add_argument("file")
    parser.add_argument("--loaded", type=int, default=6, metavar="MONTHS", help="how many months are loaded as the body coded them")
    parser.add_argument("--months", type=int, default=1, help="how many months are suggested together")
    given = parser.parse_args()
    with open(given.file, encoding="utf-8") as file:
        labelled = json.load(file)
    rows = list(rows_of(labelled))
    registered = any(row[4] for row in rows)
    by_month = collections.defaultdict(list)
    for row in rows:
        by_month[row[0][:7]].append(row)
    months = sorted(by_month)
    first = rows[len(labelled.get("history", []))][0][:7]
    # The last month is the first of the labelled lines, or the one that fills the last period; nothing after it is used.
    end = months.index(first) + 1
    begin = end - given.loaded - 2 * given.months
    if begin < 0:
        raise SystemExit(f"the file has {end} months before its labelled lines")
    take = lambda a, b: [row for month in months[a:b] for row in by_month[month]]
    api = Api(given.base, given.key)
    books, bank = organisation(api, labelled, registered)
    loaded = take(begin, begin + given.loaded)
    code_as_the_body_did(api, books, imported(api, books, bank, loaded, "loaded"), registered)
    print(f"{labelled['id']}: {len(loaded)} lines loaded, {months[begin]} to {months[begin + given.loaded - 1]}")
    kept, corrected = list(loaded), set()
    for number in (1, 2):
        at = begin + given.loaded + (number - 1) * given.months
        rows = take(at, at + given.months)
        seen = month_kept(api, books, bank, rows, f"m{number}", registered, corrected)
        kept += rows
        known = {row[2] for row in kept[:-len(rows)]}
        repeats = sum(row[2] in known for row in rows)
        print(f"  {months[at]}: {seen['lines']} lines, {repeats} of payees met before; right {seen['right']}, fair {seen['fair']}; "
              f"said >= 0.9: {seen['sure']}, of them fair {seen['sure_fair']}; by history {seen['history']}; VAT right {seen['vat']}; "
              f"payees corrected the month before: {seen['corrected']} lines, fair {seen['corrected_fair']}")
    compare(api, books, kept, registered)


def compare(api, books, kept, registered):
    """Compares every account of the profit and loss, VAT and the bank with the sums of the body's own coding, in pence."""
    expected = collections.Counter()
    for _, amount, _, account, vat, _ in kept:
        pence = -round(Decimal(str(amount)) * 100)
        rate = {"ST": 20, "RR": 5}.get(vat, 0) if registered else 0
        # Half a penny is rounded away from zero, as VAT contained in a price is (docs/ledger.md).
        tax = (2 * abs(pence) * rate + 100 + rate) // (2 * (100 + rate)) * (1 if pence > 0 else -1)
        expected.update({f"B{account}": pence - tax, "VAT": tax, BANK_CODE: -pence})
    first, last = min(row[0] for row in kept), max(row[0] for row in kept)
    report = api("GET", f"{books}/reports/profit-loss?period_start={first}&period_end={last}")["data"]
    booked = collections.Counter()
    for row in report["expenses"] + report["cost_of_sales"]:
        booked[row["code"]] += round(row["amount"] * 100)
    for row in report["revenue"] + report["other_income"]:
        booked[row["code"]] -= round(row["amount"] * 100)
    for account in api("GET", f"{books}/accounts")["data"]:
        if account["code"] == BANK_CODE:
            booked[BANK_CODE] += round(account["balance"] * 100)
        elif account["role"] == "vat_control":
            booked["VAT"] -= round(account["balance"] * 100)
    different = [code for code in sorted(expected | booked) if expected[code] != booked[code]]
    print(f"  every account from {first} to {last} is {'DIFFERENT: ' + ', '.join(different) if different else 'as the body coded it'}; "
          f"bank {Decimal(booked[BANK_CODE]) / 100}")
    if different:
        raise SystemExit(1)


main()
