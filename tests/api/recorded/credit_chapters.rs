//! Credit notes of both sides: drafted, issued, set against invoices, released, refunded, voided.

use serde_json::{Value, json};

use super::session::Session;
use super::trade::{to_invoices, with};

super::chapters!(sales_credit_notes, purchase_credit_notes);

/// What differs between the two sides.
struct Side {
    notes: &'static str,
    invoices: &'static str,
    settlements: &'static str,
    contact: &'static str,
    account: &'static str,
}

fn sales_credit_notes(s: &mut Session) {
    s.books();
    let (first, other) = (s.customer("Brightwell School"), s.customer("Harbour Hotels"));
    let side = Side {
        notes: "/sales-credit-notes",
        invoices: "/sales-invoices",
        settlements: "/customer-receipts",
        contact: "customer_id",
        account: "4000",
    };
    credit_notes(s, &side, first, other);
}

fn purchase_credit_notes(s: &mut Session) {
    s.books();
    let (first, other) = (s.supplier("Timber Ltd"), s.supplier("Veneers Ltd"));
    let side = Side {
        notes: "/purchase-credit-notes",
        invoices: "/purchase-invoices",
        settlements: "/supplier-payments",
        contact: "supplier_id",
        account: "5000",
    };
    credit_notes(s, &side, first, other);
}

fn credit_notes(s: &mut Session, side: &Side, contact: i64, other: i64) {
    let &Side { notes, invoices, settlements, contact: field, account } = side;
    let lines = [s.item(account, "10.03", "ST"), s.item(account, "20.00", "RR")];
    let invoice_of = |contact: i64| json!({ field: contact, "invoice_date": "2026-01-05", "lines": lines });
    let (invoice, foreign) = (s.made(invoices, invoice_of(contact)), s.made(invoices, invoice_of(other)));
    let body = json!({ field: contact, "credit_note_date": "2026-02-01", "invoice_id": invoice, "lines": lines, "reference": "back" });
    for wrong in [
        json!({ "invoice_id": foreign }),
        json!({ "invoice_id": 999_999 }),
        json!({ "lines": [s.item(account, "-1", "NV")] }),
        json!({ "credit_note_date": "2026-02-30" }),
        json!({ "lines": [] }),
        json!({ "supplier_reference": 7 }),
        json!({ "due_date": "2026-03-01" }),
        json!({ "currency": "EUR" }),
        json!({ field: 999_999 }),
    ] {
        s.post(notes, with(&body, wrong));
    }
    let draft = s.both("POST", notes, with(&body, json!({ "issue": false })));
    let path = format!("{notes}/{}", draft["data"]["id"]);
    s.both("PATCH", &path, json!({ "notes": "agreed by telephone", "credit_note_date": "2026-02-02" }));
    s.patch(&path, json!({ "invoice_id": null }));
    s.patch(&path, json!({ "lines": [s.item(account, "15", "ST")] }));
    s.post(&format!("{path}/allocate"), json!({ "allocations": to_invoices(&[(invoice, "1")]) }));
    s.both_bare("POST", &format!("{path}/issue"));
    s.act(&format!("{path}/issue"));
    s.delete(&path);
    s.patch(&path, json!({ "credit_note_date": "2026-02-03" }));
    s.patch(&path, json!({ "reference": "back again", "odd": 1 }));
    s.get(&path);
    for (to, more) in [
        (vec![(invoice, "10.00")], json!({ "date": "2026-01-31" })),
        (vec![(invoice, "10.00")], json!({ "date": "2026-02-10" })),
        (vec![(invoice, "18.01")], json!({})),
        (vec![(foreign, "1.00")], json!({})),
        (vec![(999_999, "1.00")], json!({})),
        (vec![(invoice, "1.00"), (invoice, "1.00")], json!({})),
        (vec![(invoice, "0")], json!({})),
        (vec![], json!({})),
    ] {
        s.post(&format!("{path}/allocate"), with(&json!({ "allocations": to_invoices(&to) }), more));
    }
    let done = s.both(
        "POST",
        &format!("{path}/allocate"),
        json!({ "allocations": to_invoices(&[(invoice, "3.00")]), "date": null }),
    );
    s.get(&format!("{invoices}/{invoice}"));
    s.post(&format!("{path}/void"), json!({}));
    s.post(&format!("{invoices}/{invoice}/void"), json!({}));
    let allocations: Vec<Value> =
        done["data"]["allocations"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    for ids in [
        json!([]),
        json!([999_999]),
        json!([allocations[0], allocations[0]]),
        json!([allocations[0]]),
        json!([allocations[0]]),
    ] {
        s.post(&format!("{path}/unallocate"), json!({ "allocation_ids": ids }));
    }
    let refund = |amount: &str, note: &Value| {
        json!({
            field: contact, "date": "2026-02-20", "amount": amount, "bank_account_id": s.bank(), "kind": "refund",
            "allocations": [{ "credit_note_id": note, "amount": amount }]
        })
    };
    let (refund_over, refund_part) = (refund("99", &draft["data"]["id"]), refund("2.00", &draft["data"]["id"]));
    s.post(settlements, refund_over);
    s.both("POST", settlements, refund_part);
    s.get(&path);
    s.both(
        "POST",
        &format!("{path}/unallocate"),
        json!({ "allocation_ids": allocations.iter().skip(1).collect::<Vec<_>>() }),
    );
    s.act(&format!("{settlements}/1/void"));
    s.both("POST", &format!("{path}/void"), json!({ "void_date": "2026-03-01", "reason": "never sent" }));
    s.act(&format!("{path}/void"));
    let second = s.made(notes, with(&body, json!({ "issue": false })));
    s.both_bare("DELETE", &format!("{notes}/{second}"));
    s.get(&format!("{path}/history"));
    for query in [
        "",
        "?status=void",
        "?status=allocated",
        "?status=x",
        "?search=back",
        &format!("?{field}={other}"),
        "?date_from=2026-02-02&limit=1",
    ] {
        s.get(&format!("{notes}{query}"));
    }
    s.get("/journals?limit=6");
    s.see(&["1100", "2100", "2200", account]);
}
