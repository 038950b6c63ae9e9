//! What there is to read over REST, an agent can read too.

use std::path::Path;

use serde_json::json;

use super::{call, failure, given, schema};
use crate::books::Books;
use crate::support::database::on_both_databases;
use crate::support::server::TestServer;

/// Reads of the books that no tool asks for, each with the reason.
const NOT_ASKED: [(&str, &str); 8] = [
    ("getCustomerReceiptPdf", "a PDF: the record names its path"),
    ("getCustomerStatementPdf", "a PDF: the record names its path"),
    ("getSalesCreditNotePdf", "a PDF: the record names its path"),
    ("getSalesInvoicePdf", "a PDF: the record names its path"),
    ("getSupplierPaymentPdf", "a PDF: the record names its path"),
    ("getCisStatementPdf", "a PDF: the record names its path"),
    ("listFinancialYears", "`financial_years` of the status has the same"),
    ("getPeriodLock", "`locked_through` of the status, and the changes of the organisation"),
];

on_both_databases! {
    fn a_write_off_is_read_after_it_was_committed(database) {
        let books = Books::on(&database);
        let customer = books.customer("Brightwell School");
        let invoice = books.sale(customer, "2026-03-01", "120")["id"].clone();
        let write_off = json!([{ "op": "sales_invoice.write_off", "params": { "id": invoice, "date": "2026-03-31" } }]);
        let plan = given(&books.server, &books.key, "plan_bookkeeping", &json!({ "operations": write_off }));
        let done = given(&books.server, &books.key, "commit_plan", &json!({ "plan_token": plan["plan_token"] }));
        let made = &done["results"][0];
        assert_eq!(made["kind"], "write_off", "{done}");

        let asked = json!({ "kind": made["kind"], "id": made["id"] });
        let document = given(&books.server, &books.key, "get_document", &asked);
        assert_eq!(document["record"], books.get(&format!("/write-offs/{}", made["id"]))["data"]);
        assert_eq!(json!([document["version"], document["record"]["amount"]]), json!([1, 120.0]));
        let of_record = json!({ "resource_type": "write_off", "resource_id": made["id"] });
        let history = given(&books.server, &books.key, "recent_changes", &of_record);
        assert_eq!(history["changes"], books.get(&format!("/write-offs/{}/history", made["id"]))["data"]);
        assert_eq!(history["changes"].as_array().map(Vec::len), Some(1));
        let words = failure(&books.server, &books.key, "get_document", &json!({ "kind": "write_off", "id": 999_999 }));
        assert!(words.starts_with("not_found: "), "{words}");
    }
}

/// The sources of the tool server.
fn sources(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn every_read_of_the_books_is_asked_by_a_tool_or_says_why_not() {
    let books = Books::of(TestServer::start());
    let mut text = String::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http/mcp"), &mut text);
    let document = books.server.client.get("/openapi.json").send().expect(200);
    let paths = document["paths"].as_object().unwrap();
    let of_books = paths.iter().filter(|(path, _)| path.starts_with("/api/v1/books/"));
    let reads = of_books.filter_map(|(_, methods)| methods.get("get")?.get("operationId")?.as_str());
    let mut not_asked: Vec<&str> = reads.filter(|operation| !text.contains(&format!("\"{operation}\""))).collect();
    let mut expected: Vec<&str> = NOT_ASKED.iter().map(|(operation, _)| *operation).collect();
    expected.sort_unstable();
    not_asked.sort_unstable();
    assert_eq!(not_asked, expected);
}

#[test]
fn every_kind_that_a_tool_takes_is_answered() {
    let books = Books::of(TestServer::start());
    for (tool, name, with) in [
        ("get_document", "kind", json!({ "id": 999_999 })),
        ("recent_changes", "resource_type", json!({ "resource_id": 999_999 })),
        ("find", "kind", json!({})),
    ] {
        let schema = &schema::definition(tool)["inputSchema"];
        for kind in schema["properties"][name]["enum"].as_array().unwrap() {
            let mut arguments = with.clone();
            arguments[name] = kind.clone();
            if kind == "account_transaction" {
                arguments["account_id"] = json!(books.account_id("1200"));
            }
            let answer = call(&books.server, &books.key, tool, &arguments);
            assert!(answer["isError"].is_boolean(), "{tool} {kind}: {answer}");
        }
    }
}
