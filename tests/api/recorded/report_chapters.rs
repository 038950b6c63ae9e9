//! The reports about accounts: a year and a half of postings, and every way their days can be given.

use serde_json::json;

use super::session::Session;

super::chapters!(account_reports);

fn account_reports(s: &mut Session) {
    s.books();
    s.patch("", json!({ "financial_year_end": "02-29" }));
    s.learn_accounts();
    for (date, debit, credit, amount) in [
        ("2025-01-15", "1200", "3000", "5000"),
        ("2025-02-28", "1200", "4000", "1200.50"),
        ("2025-03-01", "5000", "1200", "400.25"),
        ("2025-11-30", "0040", "1200", "900"),
        ("2026-02-28", "8000", "0041", "75"),
        ("2026-03-01", "1200", "4900", "12.34"),
        ("2026-03-02", "7200", "2100", "81"),
    ] {
        let journal = s.two_lines(date, debit, credit, json!(amount));
        s.post("/journals", journal);
    }
    let returned = s.two_lines("2026-03-03", "1200", "4000", json!("10"));
    let returned = s.made("/journals", returned);
    s.post(&format!("/journals/{returned}/void"), json!({ "void_date": "2026-03-05" }));
    let periods = ["2025-01-01", "2025-02-28", "2025-03-01", "2026-02-28", "2026-03-03", "2026-03-04", "2026-03-05"];
    for report in ["profit-loss", "profit-loss-monthly", "cash-flow", "period-comparison"] {
        for (start, end) in [(0, 1), (2, 3), (0, 6), (4, 5), (5, 6), (4, 6)] {
            s.get(&format!("/reports/{report}?period_start={}&period_end={}", periods[start], periods[end]));
        }
        for query in [
            "",
            "?period_start=2026-03-01",
            "?period_end=2026-03-01",
            "?period_start=2026-03-02&period_end=2026-03-01",
            "?period_start=2026-02-29&period_end=2026-03-01",
            "?period_start=2016-01-01&period_end=2026-01-08",
            "?period_start=2016-01-01&period_end=2026-01-07",
            "?period_start=2020-01-31&period_end=2025-01-01",
            "?period_start=2026-03-01&period_end=2026-03-02&as_of=2026-03-02",
        ] {
            s.get(&format!("/reports/{report}{query}"));
        }
    }
    for query in [
        "&compare=previous_year",
        "&compare=last_year",
        "&compare_start=2025-01-01&compare_end=2025-12-31",
        "&compare_start=2025-01-01",
        "&compare_end=2025-01-01",
        "&compare_start=2025-01-02&compare_end=2025-01-01",
        "&compare=previous_year&compare_start=2025-01-01&compare_end=2025-12-31",
    ] {
        s.get(&format!("/reports/period-comparison?period_start=2026-03-01&period_end=2026-03-31{query}"));
    }
    for report in ["balance-sheet", "trial-balance", "balance-comparison"] {
        for query in [
            "",
            "?as_of=1900-01-01",
            "?as_of=2025-02-28",
            "?as_of=2026-03-04",
            "?as_of=2199-12-31",
            "?as_of=2200-01-01",
            "?as_of=today",
            "?as_of=2026-03-04&as_of=2026-03-05",
            "?period_start=2026-03-01",
        ] {
            s.get(&format!("/reports/{report}{query}"));
        }
    }
    for form in ["csv", "pdf"] {
        s.head_of(&format!("/reports/balance-sheet?as_of=2026-03-04&format={form}"));
        s.get(&format!("/reports/balance-sheet?as_of=never&format={form}"));
    }
    s.get("/reports/balance-sheet?as_of=2026-03-04&format=xlsx");
    s.get("/reports/balance-comparison?as_of=2024-02-29");
    s.get("/reports/balance-comparison?as_of=2026-03-04&compare_as_of=2026-03-05");
    s.get("/reports/balance-comparison?compare_as_of=never");
    s.get("/reports");
    s.get("/reports/profit");
    s.get("/reports/trial-balance/1");
    s.post("/reports/trial-balance", json!({}));
}
