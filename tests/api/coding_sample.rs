//! The month of the demonstration as a stranger submits it: every line goes where an accountant of the joinery would put
//! it, with the VAT that is in it.

use bookkeeping_suite::app::demo::coding_body;
use bookkeeping_suite::domain::amount;
use chrono::NaiveDate;
use serde_json::{Value, json};

use crate::support::server::TestServer;
use crate::support::until;

/// What the line says, the account it belongs to (one of them where accountants differ), its VAT code and the VAT in it.
const EXPECTED: [(&str, &str, &str, f64); 31] = [
    ("SO HARGREAVES ESTATES WORKSHOP RENT", "6100", "EX", 0.0),
    ("FPI PEMBERTON KITCHENS INV-1041", "1100", "NV", 0.0),
    ("TRAVIS PERKINS YORK", "5000", "ST", -31.07),
    ("DD BRITISH GAS BUSINESS", "6120", "ST", -35.43),
    ("BGC ASHDOWN SCHOOL 1038 1044", "1100", "NV", 0.0),
    ("SCREWFIX DIRECT YORK", "5000 or 6700", "ST", -12.5),
    ("FPO MERCER VENEERS LTD BILL 88214", "2100", "NV", 0.0),
    ("DD HMRC VAT", "2200", "NV", 0.0),
    ("FPI MERIDIAN DESIGN LLP PART PAYMENT 1043", "1100", "NV", 0.0),
    ("SHELL CLIFTON MOOR", "6200", "ST", -10.35),
    ("TRANSFER TO SAVINGS ACCOUNT", "1210", "NV", 0.0),
    ("TRANSFER FROM CURRENT ACCOUNT", "1200", "NV", 0.0),
    ("XERO UK LTD", "6310", "ST", -6.6),
    ("DD O2 UK", "6300", "ST", -6.87),
    // The payments of a hire purchase have no VAT in them: it was reclaimed when the van was bought.
    ("DD BLACK HORSE LTD VAN HP", "2300", "NV", 0.0),
    // Money back takes the account and the VAT of what was bought.
    ("TRAVIS PERKINS YORK REFUND", "5000", "ST", 5.4),
    ("FPO HMRC PAYE 475PX00123456", "2210", "NV", 0.0),
    // A person who fits: not registered, or under the reverse charge.
    ("FPO D WHITFIELD SUBCONTRACT FITTING", "5100", "NV", 0.0),
    ("FPI J MARLOWE STAIRCASE DEPOSIT", "4000", "ST", 200.0),
    // Input tax on entertaining customers is blocked.
    ("GUY FAWKES INN YORK CLIENT LUNCH", "6600", "NV", 0.0),
    ("POST OFFICE COUNTER YORK", "6320", "EX", 0.0),
    ("YORK SKIP HIRE", "5200", "ST", -38.0),
    ("DD BARCLAYCARD COMMERCIAL", "2110", "NV", 0.0),
    ("PAYMENT RECEIVED THANK YOU", "1200", "NV", 0.0),
    ("T BRADLEY WAGES", "6000", "NV", 0.0),
    ("S MARSH WAGES", "6000", "NV", 0.0),
    ("DD NEST PENSION", "6010", "NV", 0.0),
    ("FPO R LARKIN DIVIDEND", "3100", "NV", 0.0),
    // Nobody can tell from the line what the cheque was for.
    ("CHEQUE 000412", "9998", "NV", 0.0),
    ("ACCOUNT MAINTENANCE FEE", "6510", "EX", 0.0),
    ("GROSS INTEREST", "4910", "EX", 0.0),
];

/// Row, what it settles, and how.
fn settlements() -> Value {
    json!([
        [1, [{ "number": "INV-1041", "amount": 1840, "match": "exact" }]],
        [4, [{ "number": "INV-1038", "amount": 960, "match": "sum" }, { "number": "INV-1044", "amount": 1425, "match": "sum" }]],
        [6, [{ "number": "88214", "amount": 530.4, "match": "exact" }]],
        [8, [{ "number": "INV-1043", "amount": 1500, "match": "part" }]],
    ])
}

#[test]
fn the_sample_month_is_coded_as_an_accountant_would() {
    let server = TestServer::start();
    let person = server.person();
    let key = server.key(&person, &["coding:read", "coding:write"]);
    let body = coding_body(NaiveDate::from_ymd_opt(2026, 3, 10).unwrap());
    let accepted = server.client.post("/api/v1/coding/coding-jobs").key(&key).body(body).send().expect(202);
    let poll_url = accepted["poll_url"].as_str().unwrap();
    let job = until("the job ends", || {
        let job = server.client.get(poll_url).key(&key).send().expect(200);
        (job["status"] == "completed").then_some(job)
    });

    let rows = job["result"]["transactions"].as_array().unwrap();
    assert_eq!(rows.len(), EXPECTED.len());
    for (row, (line, account, vat_code, vat)) in rows.iter().zip(EXPECTED) {
        assert_eq!(row["input"]["description"], line);
        let given = row["suggested_account_code"].as_str().unwrap();
        assert!(account.split(" or ").any(|code| code == given), "{line} belongs to {account}: {row}");
        assert_eq!(row["vat_code"], vat_code, "{row}");
        assert_eq!(row["vat_amount"].as_f64(), Some(vat), "{row}");
        let units = |pointer: &str| amount::parse(&row.pointer(pointer).unwrap().to_string()).unwrap();
        assert_eq!(units("/net_amount") + units("/vat_amount"), units("/input/amount"), "{row}");
    }

    let named = |field: &str| {
        let rows = rows.iter().enumerate().filter(|(_, row)| row.get(field).is_some());
        Value::from_iter(rows.map(|(at, row)| json!([at, row[field]])))
    };
    assert_eq!(named("settles"), settlements());
    assert_eq!(named("transfer_pair"), json!([[10, 11], [11, 10], [22, 23], [23, 22]]));

    // What is certain is sure; what nobody can tell is not posted unseen.
    assert!(rows[28]["confidence"].as_f64().unwrap() < 0.9, "{}", rows[28]);
    for at in [1, 4, 6, 8, 10, 11, 22, 23] {
        assert!(rows[at]["confidence"].as_f64().unwrap() >= 0.9, "{}", rows[at]);
    }
    assert_eq!(job["result"]["summary"]["warnings"], json!([]));
    assert_eq!(server.credits(&key), (1000 - 31, 0));
}
