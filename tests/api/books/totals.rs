//! Totals of filtered lists at and above the limit, and pages of filters that few rows pass.

use serde_json::{Value, json};

use super::Books;
use crate::support::database::on_both_databases;

fn import(books: &Books, rows: impl Iterator<Item = Value>) {
    let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
    let rows: Vec<_> = rows.collect();
    for part in rows.chunks(5_000) {
        let body = json!({ "bank_account_id": bank, "rows": part });
        books.post("/bank-transactions/import", &body).expect(201);
    }
}

fn ids(books: &Books, path: &str) -> (Vec<i64>, Value) {
    let page = books.get(path);
    let ids = page["data"].as_array().unwrap_or_else(|| panic!("{page}")).iter();
    (ids.map(|row| row["id"].as_i64().unwrap()).collect(), page["pagination"]["total"].clone())
}

/// Every page of a list, two rows at a time, is a part of the whole; gives the whole.
#[track_caller]
fn paged(books: &Books, list: &str) -> Vec<i64> {
    let (whole, total) = ids(books, &format!("{list}&limit=200"));
    assert_eq!(total, json!(whole.len()), "{list}");
    for offset in 0..=whole.len() {
        let (page, of_page) = ids(books, &format!("{list}&limit=2&offset={offset}"));
        let end = whole.len().min(offset + 2);
        assert_eq!((page.as_slice(), &of_page), (&whole[offset..end], &total), "{list} from {offset}");
    }
    whole
}

on_both_databases! {
    fn a_filtered_total_is_told_up_to_ten_thousand(database) {
        let books = Books::on(&database);
        let line = |number: i64| json!({
            "date": format!("2026-{:02}-{:02}", 1 + number % 7, 1 + number % 28), "amount": -1 - number,
            "description": format!("LINE {number}"),
        });
        import(&books, (0..10_000).map(line));
        let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
        let filters = [
            "date_from=2026-01-01".to_owned(),
            "date_from=2026-01-01&date_to=2026-07-31".to_owned(),
            "date_from=2026-01-01&status=unconfirmed".to_owned(),
            format!("bank_account_id={bank}"),
            format!("bank_account_id={bank}&status=unconfirmed"),
            "max_amount=-1".to_owned(),
            "updated_since=2020-01-01T00:00:00Z".to_owned(),
            "updated_since=2020-01-01T12:00:00Z&status=unconfirmed".to_owned(),
            "search=line".to_owned(),
            "search=li".to_owned(),
        ];
        let totals = |expected: &Value| {
            for filter in &filters {
                let (rows, total) = ids(&books, &format!("/bank-transactions?limit=3&{filter}"));
                assert_eq!((rows.len(), &total), (3, expected), "{filter}");
            }
        };
        totals(&json!(10_000));
        import(&books, std::iter::once(line(10_000)));
        totals(&Value::Null);
        for whole in ["", "?status=unconfirmed"] {
            assert_eq!(ids(&books, &format!("/bank-transactions{whole}")).1, json!(10_001));
        }
        let whole = ids(&books, "/bank-transactions?limit=200").0;
        for filter in &filters {
            assert_eq!(ids(&books, &format!("/bank-transactions?limit=200&{filter}")).0, whole, "{filter}");
        }
    }

    fn few_rows_among_many_are_found_and_paged(database) {
        let books = Books::on(&database);
        // More than are looked at in the order of the list; of each day two.
        import(&books, (0..4_600).map(|number| json!({
            "date": format!("20{:02}-{:02}-{:02}", 10 + number / 2 / 336, 1 + number / 2 / 28 % 12, 1 + number / 2 % 28),
            "amount": -1 - number, "description": format!("LINE {number}"),
        })));
        let named = |text: &str| ids(&books, &format!("/bank-transactions?search={text}")).0[0];
        let chosen = ["LINE%204599", "LINE%202001", "LINE%201000", "LINE%201001", "LINE%20999"].map(named);
        assert_eq!(paged(&books, "/bank-transactions?min_amount=-1001&max_amount=-1001"), [chosen[2]]);
        assert_eq!(paged(&books, "/bank-transactions?min_amount=-1002&max_amount=-1000"), [chosen[3], chosen[2], chosen[4]]);
        assert!(paged(&books, "/bank-transactions?min_amount=1").is_empty());
        let imported = books.get("/bank-transactions?limit=1")["data"][0]["updated_at"].as_str().unwrap().to_owned();
        books.server.pass_ms(50);
        let mut since = Value::Null;
        for id in &chosen {
            let changed = books.request("PATCH", &format!("/bank-transactions/{id}")).json(&json!({ "memo": "Seen" }));
            let changed = changed.send().expect(200)["data"]["updated_at"].clone();
            if since.is_null() {
                since = changed;
            }
        }
        let changed = format!("/bank-transactions?updated_since={}", since.as_str().unwrap());
        let expected = [chosen[0], chosen[1], chosen[3], chosen[2], chosen[4]];
        assert_eq!(paged(&books, &changed), expected);
        assert_eq!(paged(&books, &format!("{changed}&status=unconfirmed")), expected);
        assert_eq!(paged(&books, &format!("{changed}&max_amount=-2000")), expected[..2]);
        assert!(paged(&books, &format!("{changed}&status=confirmed")).is_empty());
        let excluded = books.request("POST", &format!("/bank-transactions/{}/exclude", chosen[4])).send();
        excluded.expect(200);
        assert_eq!(paged(&books, &format!("{changed}&status=excluded")), expected[4..]);
        assert_eq!(paged(&books, &format!("{changed}&status=unconfirmed")), expected[..4]);
        // Of the day of the moment one part or the other is counted.
        let (day, since) = (imported.split_once('T').unwrap().0, since.as_str().unwrap());
        for hour in 0..24 {
            let moment = format!("{day}T{hour:02}:00:00.000Z");
            let expected = if moment <= imported { 4_600 } else { 0 };
            assert!(since.starts_with(day) && (moment <= imported || moment.as_str() > since), "too near an hour");
            assert_eq!(ids(&books, &format!("/bank-transactions?updated_since={moment}")).1, json!(expected), "{moment}");
        }
        assert_eq!(ids(&books, "/bank-transactions?updated_since=2020-01-01T00:00:00Z").1, json!(4_600));
        assert!(paged(&books, "/bank-transactions?updated_since=2199-01-01T00:00:00Z").is_empty());
    }

    fn documents_and_money_are_found_by_their_filters(database) {
        let books = Books::on(&database);
        let contact = |name: &str| books.post("/customers", &json!({ "name": name })).expect(201)["data"]["id"].clone();
        let (ann, bob) = (contact("Ann Poole"), contact("Bob & Sons"));
        let invoice = |customer: &Value, date: &str, due: &str, reference: &str, is_issued: bool| {
            let body = json!({
                "customer_id": customer, "invoice_date": date, "due_date": due, "reference": reference, "issue": is_issued,
                "lines": [{ "description": "Work", "account_id": books.account_id("4000"), "unit_price": 100, "vat_code": "NV" }]
            });
            books.post("/sales-invoices", &body).expect(201)["data"]["id"].as_i64().unwrap()
        };
        let first = invoice(&ann, "2026-01-05", "2026-02-05", "PO 1234", true);
        let second = invoice(&bob, "2026-01-05", "2026-01-05", "Poole", true);
        let third = invoice(&ann, "2026-03-01", "2199-03-31", "X", true);
        let draft = invoice(&bob, "2026-02-01", "2026-02-01", "PO 99", false);
        let list = |filter: &str| paged(&books, &format!("/sales-invoices?{filter}"));
        assert_eq!(list("overdue=true"), [second, first]);
        assert_eq!(list("overdue=true&status=issued"), [second, first]);
        assert_eq!(list("due_before=2026-02-05"), [draft, second]);
        assert_eq!(list("due_before=2026-01-05"), [0; 0]);
        assert_eq!(list(&format!("customer_id={ann}")), [third, first]);
        assert_eq!(list(&format!("customer_id={ann}&overdue=true")), [first]);
        assert_eq!(list("date_from=2026-01-05&date_to=2026-02-01"), [draft, second, first]);
        assert_eq!(list("status=draft&status=issued&date_to=2026-02-01"), [draft, second, first]);
        assert_eq!(list("search=poole"), [third, second, first], "by name and by reference, each once");
        assert_eq!(list("search=po"), [third, draft, second, first]);
        assert_eq!(list("search=inv-0002"), [second]);
        assert_eq!(list("search=%26%20sons&status=draft"), [draft]);
        assert_eq!(list("search=nowhere"), [0; 0]);
        assert_eq!(list("updated_since=2020-01-01T00:00:00Z"), [third, draft, second, first]);

        let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
        let receipt = |date: &str, amount: i64, invoice: Option<i64>| {
            let allocations: Vec<_> = invoice.iter().map(|id| json!({ "invoice_id": id, "amount": 100 })).collect();
            let body = json!({
                "customer_id": ann, "date": date, "amount": amount, "bank_account_id": bank, "allocations": allocations,
            });
            books.post("/customer-receipts", &body).expect(201)["data"]["id"].as_i64().unwrap()
        };
        let (whole, part, void) =
            (receipt("2026-02-01", 100, Some(first)), receipt("2026-02-02", 150, Some(third)), receipt("2026-02-03", 5, None));
        books.request("POST", &format!("/customer-receipts/{void}/void")).send().expect(200);
        let list = |filter: &str| paged(&books, &format!("/customer-receipts?{filter}"));
        assert_eq!(list("has_unallocated=true"), [part]);
        assert_eq!(list("has_unallocated=false"), [void, whole]);
        assert_eq!(list("has_unallocated=false&status=posted"), [whole]);
        assert_eq!(list("status=void&date_from=2026-02-03"), [void]);
        assert_eq!(list("status=posted&date_from=2026-02-02"), [part]);
        assert_eq!(list(&format!("bank_account_id={bank}&date_to=2026-02-02")), [part, whole]);
        assert_eq!(list("updated_since=2020-01-01T00:00:00Z&status=posted"), [part, whole]);
        let list = |filter: &str| paged(&books, &format!("/sales-invoices?{filter}"));
        assert_eq!(list("overdue=true"), [second]);
        assert_eq!(list("status=paid&date_from=2026-01-01"), [third, first]);
        let overdue = books.get("/status")["data"]["overdue"]["sales_invoices"].clone();
        assert_eq!((&overdue["count"], overdue["amount_due"].as_f64()), (&json!(1), Some(100.0)));

        let account = books.account_id("4000");
        let journals = |filter: &str| paged(&books, &format!("/journals?{filter}"));
        let of_sales = journals(&format!("account_id={account}"));
        assert_eq!(of_sales.len(), 3);
        assert_eq!(journals(&format!("account_id={account}&date_from=2026-01-06")), of_sales[..1]);
        assert_eq!(journals(&format!("account_id={account}&date_to=2026-01-05")), of_sales[1..]);
        assert_eq!(journals("source_type=customer_receipt").len(), 3);
        assert_eq!(journals("status=void&date_from=2026-02-01").len(), 1);
        assert_eq!(journals("status=posted&date_from=2026-01-01").len(), 6);
        assert_eq!(journals("updated_since=2020-01-01T12:00:00Z").len(), 7);
    }
}
