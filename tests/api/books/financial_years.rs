//! Financial years: a change of their end leaves what is locked as it is, and makes one short or long year.

use bookkeeping_suite::domain::date::Date;
use bookkeeping_suite::domain::ids::OrganisationId;
use serde_json::{Value, json};

use super::{Books, ORGANISATIONS, format_paths};
use crate::support::client::Answer;
use crate::support::database::on_both_databases;
use crate::support::server::Setup;

impl Books {
    fn end_years(&self, on: &str) -> Answer {
        self.request("PATCH", "").json(&json!({ "financial_year_end": on })).send()
    }

    /// The last days of the financial years that touch a span, as reports find them.
    #[track_caller]
    fn year_ends(&self, first: &str, last: &str) -> Vec<String> {
        let date = |text: &str| Date::parse(text).unwrap();
        self.server.with_store(async |store| {
            let years = store.reader.financial_years(OrganisationId(self.id)).await.unwrap();
            years.years(date(first), date(last)).map(|year| year.last.to_string()).collect()
        })
    }
}

on_both_databases! {
    fn a_change_of_the_year_end_moves_no_locked_year(database) {
        let setup = Setup::new().on(&database);
        let books = Books::of(setup.clone().start());
        assert_eq!(books.year_ends("2025-03-31", "2026-03-31"), ["2025-03-31", "2026-03-31"]);
        // Nothing is locked: all years end on the new day.
        assert_eq!(books.end_years("06-30").expect(200)["data"]["financial_year_end"], "06-30");
        assert_eq!(books.year_ends("2024-06-30", "2025-06-30"), ["2024-06-30", "2025-06-30"]);
        books.end_years("03-31").expect(200);
        books.lock("2025-04-30");
        assert_eq!(books.end_years("12-31").expect(200)["data"]["financial_year_end"], "12-31");
        let ends = ["2024-03-31", "2025-03-31", "2025-12-31", "2026-12-31"];
        assert_eq!(books.year_ends("2024-01-01", "2026-01-01"), ends);
        // The same end again begins nothing, nor does a refused or a rehearsed change.
        books.end_years("12-31").expect(200);
        books.request("PATCH", "?dry_run=true").json(&json!({ "financial_year_end": "09-30" })).send().expect(200);
        let stale = books.request("PATCH", "").header("If-Match", "\"1\"").json(&json!({ "financial_year_end": "09-30" })).send();
        assert_eq!(stale.status, 409);
        assert_eq!(books.year_ends("2024-01-01", "2026-01-01"), ends);

        // Another process, or this one after a restart, goes on with the same years.
        let Books { server, owner, key, id } = books;
        let folder = server.folder();
        server.stop();
        let books = Books { server: setup.folder(folder).start(), owner, key, id };
        books.lock("2025-12-31");
        books.end_years("02-28").expect(200);
        assert_eq!(
            books.year_ends("2024-01-01", "2028-02-29"),
            ["2024-03-31", "2025-03-31", "2025-12-31", "2026-02-28", "2027-02-28", "2028-02-29"]
        );
        // A lock that was moved back frees the years after it.
        books.lock("2025-03-31");
        books.end_years("03-31").expect(200);
        assert_eq!(books.year_ends("2025-01-01", "2026-04-01"), ["2025-03-31", "2026-03-31", "2027-03-31"]);
    }

    fn a_year_has_at_most_eighteen_months(database) {
        let books = Books::on(&database);
        books.lock("2025-12-31");
        let before: Value = books.get("");
        // From 2025-04-01: 30 September 2026 is the last day of the eighteenth month.
        let refused = books.end_years("10-01");
        assert_eq!(format_paths(&refused), ["financial_year_end"]);
        assert_eq!(books.get(""), before);
        assert_eq!(books.year_ends("2025-12-31", "2025-12-31"), ["2026-03-31"]);
        books.end_years("09-30").expect(200);
        assert_eq!(books.year_ends("2025-12-31", "2026-10-01"), ["2026-09-30", "2027-09-30"]);
    }

    fn a_new_organisation_has_its_own_years(database) {
        let books = Books::on(&database);
        let body = json!({ "name": "Sole", "financial_year_end": "04-05" });
        let made = books.server.client.post(ORGANISATIONS).key(&books.key).json(&body).send().expect(201);
        let sole = Books { id: made["data"]["id"].as_i64().unwrap(), ..books };
        assert_eq!(sole.year_ends("2026-04-05", "2026-04-06"), ["2026-04-05", "2027-04-05"]);
        sole.lock("2025-06-30");
        sole.end_years("03-31").expect(200);
        assert_eq!(sole.year_ends("2025-04-01", "2026-04-01"), ["2025-04-05", "2026-03-31", "2027-03-31"]);
    }
}
