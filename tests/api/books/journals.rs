//! Journals: posted with their VAT, listed, voided, never changed; what is refused, and that nothing was written.

use serde_json::{Value, json};

use super::{Books, format_paths, printed, reason};
use crate::support::client::keys;
use crate::support::database::on_both_databases;
use crate::support::server::TestServer;

fn sides(journal: &Value) -> Vec<(String, String, String)> {
    let lines = journal["lines"].as_array().unwrap();
    lines
        .iter()
        .map(|line| {
            let text = |field: &str| match &line[field] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            (text("account_code"), text("debit"), text("credit"))
        })
        .collect()
}

fn side(code: &str, debit: &str, credit: &str) -> (String, String, String) {
    (code.to_owned(), debit.to_owned(), credit.to_owned())
}

on_both_databases! {
    fn a_contact_stands_on_its_own_side(database) {
        let books = Books::on(&database);
        let (customer, supplier) = (books.customer("A"), books.supplier("B"));
        let with = |code: &str, contact: i64| {
            let mut body = books.two_lines("2026-03-01", code, "1200", json!(7));
            body["lines"][0]["contact_id"] = json!(contact);
            books.post("/journals", &body)
        };
        for (code, other) in [("1100", supplier), ("2100", customer)] {
            let refused = with(code, other);
            assert_eq!((refused.status, reason(&refused)), (422, "contact_mismatch".to_owned()));
            assert_eq!(refused.value()["error"]["details"]["field"], "lines[0].contact_id");
        }
        with("1100", customer).expect(201);
        with("2100", supplier).expect(201);
        with("7100", customer).expect(201);
        assert_eq!(books.owed(), (json!(7.0), json!(-7.0)));
    }

    fn vat_is_split_off_a_gross_line(database) {
        let books = Books::on(&database);
        let body = json!({
            "entry_date": "2026-03-10", "description": "March phone bill", "reference": "T-1",
            "lines": [
                { "account_id": books.account_id("7500"), "debit": "54.00", "vat_code": "ST", "memo": "phone" },
                { "account_id": books.account_id("2400"), "credit": 54 },
            ]
        });
        let refused = books.post("/journals", &body);
        assert_eq!((refused.status, reason(&refused)), (422, "vat_control_required".to_owned()));
        let message = refused.refused(422, "unprocessable_entity")["message"].clone();
        assert!(message.as_str().unwrap().starts_with("a VAT Control account is required before posting journals"));
        books.vat_control();
        let answer = books.post("/journals", &body);
        let journal = answer.expect(201)["data"].clone();
        let mut fields = vec![
            "id", "journal_number", "entry_date", "description", "reference", "status", "source_type", "source_id",
            "reverses_journal_id", "reversed_by_journal_id", "currency", "total_debit", "total_credit", "lines",
            "created_at", "created_by", "version",
        ];
        fields.sort_unstable();
        assert_eq!(keys(&journal), fields);
        assert_eq!(
            sides(&journal),
            [side("7500", "45.0", "0.0"), side("2200", "9.0", "0.0"), side("2400", "0.0", "54.0")]
        );
        assert_eq!((printed(&answer, "debit"), printed(&answer, "vat_amount")), ("45.00".to_owned(), "9.00".to_owned()));
        assert_eq!(printed(&answer, "total_debit"), "54.00");
        let line = &journal["lines"][0];
        assert_eq!((&line["vat_code"], &line["memo"], &line["system"]), (&json!("ST"), &json!("phone"), &json!(false)));
        assert_eq!(journal["lines"][1]["system"], true);
        assert_eq!((&journal["journal_number"], &journal["source_type"]), (&json!(1), &json!("manual")));
        let by = json!({ "user_id": books.owner.user_id, "key_prefix": books.key.prefix });
        assert_eq!(journal["created_by"], by);
        assert_eq!(books.get(&format!("/journals/{}", journal["id"]))["data"], journal);
        assert_eq!(books.account("2200")["balance"], json!(-9.0));
        assert_eq!(books.account("2400")["balance"], json!(54.0));
    }

    fn a_journal_is_voided_by_its_reversal(database) {
        let books = Books::on(&database);
        books.vat_control();
        let body = json!({
            "entry_date": "2026-01-10", "description": "Sale",
            "lines": [
                { "account_id": books.account_id("1200"), "debit": 120 },
                { "account_id": books.account_id("4000"), "credit": 120, "vat_code": "ST" },
            ]
        });
        let journal = books.post("/journals", &body).expect(201)["data"].clone();
        let path = format!("/journals/{}", journal["id"]);
        books.lock("2026-01-31");
        let refused = books.request("POST", &format!("{path}/void")).send();
        let details = refused.details(422, "unprocessable_entity");
        assert_eq!((&details["reason"], &details["earliest_date"]), (&json!("period_locked"), &json!("2026-02-01")));
        assert_eq!(format_paths(&books.post(&format!("{path}/void"), &json!({ "void_date": "2026-01-09" }))), ["void_date"]);
        let voided = books.post(&format!("{path}/void"), &json!({ "void_date": "2026-02-01", "reason": "twice" })).expect(200);
        let voided = voided["data"].clone();
        assert_eq!((&voided["status"], &voided["version"]), (&json!("void"), &json!(2)));
        assert_eq!((&voided["lines"], &voided["entry_date"]), (&journal["lines"], &journal["entry_date"]));
        assert_eq!(books.get(&path)["data"], voided);
        let reversal_path = format!("/journals/{}", voided["reversed_by_journal_id"]);
        let reversal = books.get(&reversal_path)["data"].clone();
        assert_eq!((&reversal["source_type"], &reversal["status"]), (&json!("reversal"), &json!("posted")));
        assert_eq!((&reversal["reverses_journal_id"], &reversal["entry_date"]), (&journal["id"], &json!("2026-02-01")));
        assert_eq!(
            sides(&reversal),
            [side("1200", "0.0", "120.0"), side("4000", "100.0", "0.0"), side("2200", "20.0", "0.0")]
        );
        for (path, current) in [(&path, "void"), (&reversal_path, "reversal")] {
            let details = books.request("POST", &format!("{path}/void")).send().details(409, "conflict");
            assert_eq!((&details["reason"], &details["current"]), (&json!("invalid_state"), &json!(current)));
        }
        for code in ["1200", "4000", "2200"] {
            assert_eq!(books.account(code)["balance"], json!(0.0), "{code}");
        }
    }

    fn journals_are_listed_newest_first_and_filtered(database) {
        let books = Books::on(&database);
        for (date, debit) in [("2026-01-05", "7100"), ("2026-02-05", "7200"), ("2026-01-05", "7300"), ("2026-03-05", "7100")] {
            books.posted(date, debit, "1200", json!(1));
        }
        let numbers = |query: &str| {
            let page = books.get(&format!("/journals{query}"));
            let numbers = page["data"].as_array().unwrap().iter().map(|journal| journal["journal_number"].as_i64().unwrap());
            (numbers.collect::<Vec<_>>(), page["pagination"]["total"].as_i64())
        };
        assert_eq!(numbers(""), (vec![4, 2, 3, 1], Some(4)));
        assert_eq!(numbers("?limit=2&offset=1"), (vec![2, 3], Some(4)));
        assert_eq!(numbers("?offset=9"), (vec![], Some(4)));
        assert_eq!(numbers("?date_from=2026-01-06&date_to=2026-02-28"), (vec![2], Some(1)));
        assert_eq!(numbers(&format!("?account_id={}", books.account_id("7100"))), (vec![4, 1], Some(2)));
        let first = books.get("/journals?date_to=2026-01-05&limit=1")["data"][0]["id"].clone();
        books.request("POST", &format!("/journals/{first}/void")).send().expect(200);
        assert_eq!(numbers("?status=void"), (vec![3], Some(1)));
        assert_eq!(numbers("?status=posted"), (vec![4, 2, 5, 1], Some(4)));
        assert_eq!(numbers("?source_type=reversal"), (vec![5], Some(1)));
        assert_eq!(numbers("?search=REVERSAL%20OF"), (vec![5], Some(1)));
        assert_eq!(numbers("?source_type=manual&status=void"), (vec![3], Some(1)));
        let refused = books.request("GET", "/journals?status=x&date_from=2026-02-30&account_id=0&limit=201").send();
        assert_eq!(format_paths(&refused), ["query.account_id", "query.date_from", "query.status", "query.limit"]);
    }

    fn refused_journals_leave_nothing(database) {
        let books = Books::on(&database);
        let (rent, bank) = (books.account_id("7100"), books.account_id("1200"));
        let journal = |lines: Value| json!({ "entry_date": "2026-03-01", "description": "x", "lines": lines });
        for (lines, expected) in [
            (json!([]), "too_few_lines"),
            (json!([{ "account_id": rent, "debit": 1 }]), "too_few_lines"),
            (json!([{ "account_id": rent, "debit": 1 }, { "account_id": bank, "credit": 2 }]), "unbalanced"),
            (json!([{ "account_id": rent, "debit": 1, "credit": 1 }, { "account_id": bank, "credit": 1 }]), "one_sided_line"),
            (json!([{ "account_id": rent }, { "account_id": bank, "credit": 1 }]), "one_sided_line"),
            (json!([{ "account_id": rent, "debit": 0, "credit": null }, { "account_id": bank, "credit": 1 }]), "one_sided_line"),
            (json!([{ "account_id": rent, "debit": 1 }, { "account_id": 999_999, "credit": 1 }]), "unknown_reference"),
            (json!([{ "account_id": rent, "debit": 1 }, { "account_id": bank, "credit": 1, "vat_code": "ST" }]), "wrong_account_type"),
        ] {
            let refused = books.post("/journals", &journal(lines.clone()));
            assert_eq!((refused.status, reason(&refused).as_str()), (422, expected), "{lines}");
        }
        let unbalanced = books.post("/journals", &journal(json!([
            { "account_id": rent, "debit": "54.1" }, { "account_id": bank, "credit": 53 }
        ])));
        assert_eq!((printed(&unbalanced, "total_debit"), printed(&unbalanced, "total_credit")), ("54.10".to_owned(), "53.00".to_owned()));
        books.vat_control();
        let off = books.post("/journals", &journal(json!([
            { "account_id": rent, "debit": 54, "vat_code": "ST", "vat_amount": 11 }, { "account_id": bank, "credit": 54 }
        ])));
        assert_eq!(reason(&off), "vat_amount_out_of_tolerance");
        for table in ["journal", "journal_line", "account_day", "account_month", "vat_entry"] {
            assert_eq!(books.server.rows_of(table), 0, "{table}");
        }
        assert_eq!(books.posted("2026-03-01", "7100", "1200", json!(1))["journal_number"], 1, "no number was consumed");
    }

    fn a_dry_run_answers_and_writes_nothing(database) {
        let books = Books::on(&database);
        let journal = books.two_lines("2026-03-01", "7100", "1200", json!(5));
        let answer = books.post("/journals?dry_run=true", &journal).expect(200);
        assert_eq!(answer["dry_run"], true);
        assert_eq!((&answer["data"]["id"], &answer["data"]["journal_number"]), (&Value::Null, &Value::Null));
        assert_eq!(answer["data"]["lines"][0]["id"], Value::Null);
        let refused = books.post("/journals?dry_run=true", &books.two_lines("2026-03-01", "7100", "1200", json!(0)));
        assert_eq!(reason(&refused), "one_sided_line");
        books.post("/journals?dry_run=1", &journal).refused(422, "invalid_request_format");
        assert_eq!(books.server.rows_of("journal"), 0);
        let real = books.post("/journals", &journal).expect(201)["data"].clone();
        let void = format!("/journals/{}/void", real["id"]);
        let rehearsed = books.post(&format!("{void}?dry_run=true"), &json!({})).expect(200);
        assert_eq!((&rehearsed["data"]["status"], &rehearsed["dry_run"]), (&json!("void"), &json!(true)));
        assert_eq!(books.get(&format!("/journals/{}", real["id"]))["data"], real);
        let customer = books.post("/customers?dry_run=true", &json!({ "name": "x" })).expect(200);
        assert_eq!(customer["data"]["id"], Value::Null);
        assert_eq!(books.server.rows_of("contact"), 0);
    }
}

#[test]
fn amounts_count_by_their_value_and_are_never_rounded() {
    let books = Books::of(TestServer::start());
    let (rent, bank) = (books.account_id("7100"), books.account_id("1200"));
    let body = |amount: &str| {
        format!(
            r#"{{"entry_date":"2026-03-01","description":"x","lines":[{{"account_id":{rent},"debit":{amount}}},{{"account_id":{bank},"credit":{amount}}}]}}"#
        )
    };
    let post = |amount: &str| books.request("POST", "/journals").body(body(amount)).send();
    for (amount, printed_as) in [
        ("1e3", "1000.00"),
        ("10.100", "10.10"),
        ("\"0.05\"", "0.05"),
        ("9999999999.99", "9999999999.99"),
        ("0.01", "0.01"),
    ] {
        let answer = post(amount);
        assert_eq!(answer.status, 201, "{answer}");
        assert_eq!(printed(&answer, "total_debit"), printed_as, "{amount}");
    }
    let rows = books.server.rows_of("journal");
    for amount in ["10.005", "\"10.005\"", "\"£5\"", "-1", "\"1e3\"", "10000000000", "true", "\"\"", "[]"] {
        assert_eq!(format_paths(&post(amount)), ["lines[0].debit", "lines[1].credit"], "{amount}");
    }
    for (field, value) in [
        ("entry_date", json!("2025-02-29")),
        ("entry_date", json!("1899-12-31")),
        ("entry_date", json!("2200-01-01")),
        ("description", json!("")),
        ("reference", json!("x".repeat(101))),
        ("lines", json!("x")),
        ("memo", json!("x")),
    ] {
        let mut body = books.two_lines("2026-03-01", "7100", "1200", json!(1));
        body[field] = value.clone();
        assert_eq!(format_paths(&books.post("/journals", &body)), [field], "{field} {value}");
    }
    let mut many = books.two_lines("2026-03-01", "7100", "1200", json!(1));
    many["lines"] = json!(vec![json!({ "account_id": rent, "debit": 1 }); 1001]);
    assert_eq!(format_paths(&books.post("/journals", &many)), ["lines"]);
    assert_eq!(books.server.rows_of("journal"), rows);
}

#[test]
fn a_thousand_lines_are_one_journal() {
    let books = Books::of(TestServer::start());
    books.vat_control();
    let (rent, bank) = (books.account_id("7100"), books.account_id("1200"));
    let mut lines = vec![json!({ "account_id": rent, "debit": "1.20", "vat_code": "ST" }); 999];
    lines.push(json!({ "account_id": bank, "credit": "1198.80" }));
    let body = json!({ "entry_date": "2026-03-01", "description": "many", "lines": lines });
    let journal = books.post("/journals", &body).expect(201)["data"].clone();
    assert_eq!(journal["lines"].as_array().unwrap().len(), 1999);
    let void = books.request("POST", &format!("/journals/{}/void", journal["id"])).send().expect(200);
    assert_eq!(void["data"]["status"], "void");
    assert_eq!(books.account("2200")["balance"], json!(0.0));
}
