//! Pages far down, pages of an account, and what searches find: the same rows as a look at all of them.

use serde_json::{Value, json};

use super::Books;
use crate::support::database::on_both_databases;

fn rows(page: &Value) -> Vec<Value> {
    page["data"].as_array().unwrap_or_else(|| panic!("{page}: no rows")).clone()
}

fn total(page: &Value) -> &Value {
    &page["pagination"]["total"]
}

fn searched(books: &Books, list: &str, text: &str) -> Vec<String> {
    let text: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let page = books.get(&format!("/{list}?search={text}"));
    let rows = rows(&page);
    let names = rows.iter().map(|row| {
        let name = ["name", "description"].into_iter().find_map(|field| row[field].as_str());
        name.unwrap_or_else(|| panic!("{row}: no name")).to_owned()
    });
    let names: Vec<_> = names.collect();
    assert_eq!(total(&page), &json!(names.len()), "{text}");
    names
}

on_both_databases! {
    fn a_page_far_down_holds_the_rows_that_stand_there(database) {
        let books = Books::on(&database);
        let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
        let lines: Vec<_> = (0..2_600)
            .map(|number| json!({
                "date": format!("2026-{:02}-{:02}", 1 + number % 7, 1 + number * 7 % 28), "amount": -1 - number,
                "description": format!("LINE {number}"),
            }))
            .collect();
        let import = json!({ "bank_account_id": bank, "rows": lines });
        books.post("/bank-transactions/import", &import).expect(201);
        let last = &rows(&books.get("/bank-transactions?limit=1&offset=2599"))[0];
        books.request("DELETE", &format!("/bank-transactions/{}", last["id"])).send().expect(200);
        // With a status pages are found another way.
        for offset in [0, 1_990, 2_000, 2_001, 2_350, 2_590, 2_598, 2_599, 9_999] {
            let page = books.get(&format!("/bank-transactions?limit=200&offset={offset}"));
            let other = books.get(&format!("/bank-transactions?limit=200&offset={offset}&status=unconfirmed"));
            assert_eq!(rows(&page), rows(&other), "{offset}");
            assert_eq!(rows(&page).len(), 2_599_usize.saturating_sub(offset).min(200));
            assert_eq!((total(&page), total(&other)), (&json!(2_599), &json!(2_599)));
        }
    }

    fn an_account_is_paged_by_its_days(database) {
        let books = Books::on(&database);
        let path = format!("/accounts/{}/transactions", books.account_id("1200"));
        for (date, amount) in [("2026-03-03", 7), ("2026-03-01", 1), ("2026-03-02", 2), ("2026-03-02", 4), ("2026-04-05", 9)] {
            books.posted(date, "7300", "1200", json!(amount));
            books.posted(date, "1200", "4000", json!(amount * 10));
        }
        for range in ["", "&date_from=2026-03-02", "&date_from=2026-03-02&date_to=2026-03-03", "&date_to=2026-03-02"] {
            let whole = books.get(&format!("{path}?limit=200{range}"))["data"].clone();
            let all = whole["lines"].as_array().unwrap();
            for offset in 0..=all.len() {
                let page = books.get(&format!("{path}?limit=2&offset={offset}{range}"));
                let end = all.len().min(offset + 2);
                assert_eq!(page["data"]["lines"].as_array().unwrap()[..], all[offset..end], "{range} {offset}");
                assert_eq!(page["data"]["closing_balance"], whole["closing_balance"]);
                assert_eq!(page["data"]["opening_balance"], whole["opening_balance"]);
                assert_eq!(total(&page), &json!(all.len()));
            }
        }
    }

    fn a_search_finds_what_contains_the_text_and_nothing_else(database) {
        let books = Books::on(&database);
        let names = ["Fuel & Go 24/7", "FUELLED", "50% off", "O\"Neill", "Ünal Çelik", "ab", "Go Fuel"];
        let ids: Vec<_> = names
            .iter()
            .map(|name| books.post("/customers", &json!({ "name": name })).expect(201)["data"]["id"].clone())
            .collect();
        for (text, found) in [
            ("fuel", vec!["FUELLED", "Fuel & Go 24/7", "Go Fuel"]),
            ("FUEL & go", vec!["Fuel & Go 24/7"]),
            ("24/7", vec!["Fuel & Go 24/7"]),
            ("50%", vec!["50% off"]),
            ("5_%", vec![]),
            ("o\"n", vec!["O\"Neill"]),
            ("ünal ç", vec!["Ünal Çelik"]),
            ("ab", vec!["ab"]),
            ("go fuels", vec![]),
        ] {
            assert_eq!(searched(&books, "customers", text), found, "{text}");
        }
        let renamed = json!({ "name": "Diesel" });
        books.request("PATCH", &format!("/customers/{}", ids[0])).json(&renamed).send().expect(200);
        books.request("DELETE", &format!("/customers/{}", ids[1])).send().expect(200);
        books.request("POST", &format!("/customers/{}/archive", ids[2])).send().expect(200);
        assert_eq!(searched(&books, "customers", "fuel"), ["Go Fuel"]);
        assert_eq!(searched(&books, "customers", "diesel"), ["Diesel"]);
        assert!(searched(&books, "customers", "50%").is_empty());

        books.posted("2026-03-01", "7300", "1200", json!(12));
        assert_eq!(searched(&books, "journals", "test"), ["Test"]);
        // Another organisation's rows hold the same letters.
        let other = books.server.client.post(crate::books::ORGANISATIONS).key(&books.key).json(&json!({ "name": "Other" }));
        let other = other.send().expect(201)["data"]["id"].clone();
        let path = format!("{}/{other}/journals?search=test", crate::books::ORGANISATIONS);
        let page = books.server.client.request("GET", &path).key(&books.key).send().expect(200);
        assert_eq!((rows(&page).len(), total(&page)), (0, &json!(0)));
    }

    fn journals_are_found_by_account_and_by_being_void(database) {
        let books = Books::on(&database);
        let first = books.posted("2026-03-01", "7300", "1200", json!(1));
        let twice = json!({
            "entry_date": "2026-03-02", "description": "Twice",
            "lines": [
                { "account_id": books.account_id("7300"), "debit": 1 },
                { "account_id": books.account_id("7300"), "debit": 2 },
                { "account_id": books.account_id("1200"), "credit": 3 },
            ]
        });
        let twice = books.post("/journals", &twice).expect(201)["data"].clone();
        let other = books.posted("2026-03-03", "7400", "1200", json!(5));
        let voided = books.request("POST", &format!("/journals/{}/void", first["id"])).send().expect(200)["data"].clone();
        let reversal = &voided["reversed_by_journal_id"];
        let ids = |query: &str| {
            let page = books.get(&format!("/journals?{query}"));
            let ids: Vec<_> = rows(&page).iter().map(|journal| journal["id"].clone()).collect();
            assert_eq!(total(&page), &json!(ids.len()), "{query}");
            ids
        };
        let (first, twice, other) = (first["id"].clone(), twice["id"].clone(), other["id"].clone());
        let account = format!("account_id={}", books.account_id("7300"));
        assert_eq!(ids(&account), [twice.clone(), reversal.clone(), first.clone()]);
        assert_eq!(ids(&format!("{account}&date_from=2026-03-02")), [twice.clone()]);
        assert_eq!(ids(&format!("{account}&status=void")), [first.clone()]);
        assert_eq!(ids(&format!("{account}&status=posted")), [twice.clone(), reversal.clone()]);
        assert_eq!(ids(&format!("{account}&source_type=manual&search=twice")), [twice.clone()]);
        assert_eq!(ids("status=void"), [first.clone()]);
        assert_eq!(ids("status=void&date_to=2026-02-28"), [Value::Null; 0]);
        assert_eq!(ids("status=void&source_type=reversal"), [Value::Null; 0]);
        let all = [other, twice, reversal.clone(), first];
        assert_eq!(ids("updated_since=2000-01-01T00:00:00Z"), all);
        assert_eq!(ids(&format!("{account}&updated_since=2000-01-01T00:00:00Z")), all[1..]);
        assert_eq!(ids("updated_since=2199-01-01T00:00:00Z"), [Value::Null; 0]);
        let strangers = books.server.client.post(crate::books::ORGANISATIONS).key(&books.key).json(&json!({ "name": "Other" }));
        let strangers = strangers.send().expect(201)["data"]["id"].clone();
        let path = format!("{}/{strangers}/journals?{account}", crate::books::ORGANISATIONS);
        let page = books.server.client.request("GET", &path).key(&books.key).send().expect(200);
        assert_eq!((rows(&page).len(), total(&page)), (0, &json!(0)));
    }
}
