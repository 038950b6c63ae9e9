//! `/metrics` after everything that is counted has happened: a counter that nothing moves misleads who watches it.

use std::collections::{BTreeMap, BTreeSet};

use bookkeeping_suite::domain::job::Product;
use serde_json::json;
use xtask::mail_server::{Reaction, Step};

use crate::books::Books;
use crate::mcp;
use crate::oauth::{self, Ticks, connect};
use crate::support::data::costing;
use crate::support::database::{Database, on_both_databases};
use crate::support::gate::{Tell, gate};
use crate::support::mail::Mailing;
use crate::support::product::JobProduct as _;
use crate::support::server::{RECONCILE, Setup, TestServer};
use crate::support::until;

/// Counters that no request moves on its own, and why; `tests/internals/actors` sees each of them rise.
const NOT_BY_REQUESTS: [(&str, &str); 2] = [
    (
        "actor_restarts_total",
        "an actor restarts when a handler of ours panics or hangs; no request does that to the real actors, so panic.rs, hang.rs \
         and unguarded.rs do it to actors of their own",
    ),
    (
        "jobs_recovered_total",
        "only a process that is killed leaves a running job behind: one that stops gives it back, and no request kills a process",
    ),
];

/// Labels that say where something happened; the others say what, and each of their values has to be seen.
const PLACES: [&str; 4] = ["actor", "product", "route", "method"];

fn scrape(server: &TestServer) -> String {
    server.operators().get("/metrics").send_plain().text()
}

/// The value of a counter without labels.
fn counter(server: &TestServer, name: &str) -> u64 {
    let text = scrape(server);
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ').map(str::to_owned));
    line.unwrap_or_else(|| panic!("no {name} in\n{text}")).parse().expect("a whole number")
}

/// Everything counted so far, over several servers: the sum of each counter by what happened, wherever it did.
#[derive(Default)]
struct Seen(BTreeMap<String, f64>);

impl Seen {
    fn add(&mut self, server: &TestServer) {
        let text = scrape(server);
        let of_kind = |line: &str| line.strip_prefix("# TYPE ")?.strip_suffix(" counter").map(str::to_owned);
        let counters: BTreeSet<String> = text.lines().filter_map(of_kind).collect();
        for counter in counters {
            let start = format!("{counter}_total");
            let rows = text.lines().filter_map(|line| line.strip_prefix(&start));
            // A family whose series appear with their first event counts as 0 until then.
            self.0.entry(start.clone()).or_default();
            for (labels, value) in rows.filter_map(|row| row.rsplit_once(' ')) {
                let labels = labels.trim_start_matches('{').trim_end_matches('}');
                let what = labels.split("\",").filter(|label| !PLACES.iter().any(|place| label.starts_with(place)));
                let what: Vec<&str> =
                    what.map(|label| label.trim_end_matches('"')).filter(|label| !label.is_empty()).collect();
                let value: f64 = value.parse().expect("a number");
                *self.0.entry(start.clone()).or_default() += value;
                if !what.is_empty() {
                    *self.0.entry(format!("{start} {}", what.join(" "))).or_default() += value;
                }
            }
        }
    }

    fn value(&self, name: &str) -> f64 {
        *self.0.get(name).unwrap_or_else(|| panic!("{name} is not exported"))
    }
}

/// Jobs that end in every way, credits of every kind, a full queue, an interrupted job.
fn run_jobs(product: Product, seen: &mut Seen) {
    let (held, work) = gate(product);
    let failing = Setup::of(product).engine(work).panics(1).start();
    let (_, key) = failing.submitter();
    for told in [Tell::Fail, Tell::Panic] {
        let id = failing.submit(&key, product.costing(1));
        held.started();
        held.tell(told);
        assert_eq!(failing.ended(&key, &id)["status"], "failed");
    }
    seen.add(&failing);
    failing.stop();

    // A server of its own, so that no deadline comes before a panic is counted.
    let (held, work) = gate(product);
    let hurried = Setup::of(product).engine(work).settings(|settings| settings.job_deadline_s = Some(1)).start();
    let (_, key) = hurried.submitter();
    let id = hurried.submit(&key, product.costing(1));
    held.started();
    assert_eq!(hurried.ended(&key, &id)["status"], "failed");
    seen.add(&hurried);
    hurried.stop();

    let (held, work) = gate(product);
    let setup = Setup::of(product).settings(|settings| {
        settings.shutdown_grace_s = Some(0);
        settings.queue_capacity_jobs = Some(1);
    });
    let server = setup.clone().engine(work).may_leave_jobs().start();
    let person = server.person_with(1, 1, true);
    let key = server.key_with(&person, &json!({ "name": "n", "scopes": product.scopes(), "allow_overage": true }));
    let id = server.submit(&key, product.costing_with_overage(3));
    held.started();
    held.tell(Tell::Complete);
    assert_eq!(server.ended(&key, &id)["credits_charged"], 3);
    let interrupted = server.submit(&key, product.costing_with_overage(1));
    held.started();
    server.submit(&key, product.costing_with_overage(1));
    server.submission(&key, product.costing_with_overage(1)).refused(503, "busy");
    until("the charge is counted", || {
        let mut now = Seen::default();
        now.add(&server);
        (now.value("credits_charged_total source=\"overage") >= 1.0).then_some(())
    });
    seen.add(&server);
    let folder = server.folder();
    server.stop();
    let server = setup.folder(folder).start();
    server.ended(&key, &interrupted);
    seen.add(&server);
}

/// Books that were posted to, and a change that came too late.
fn keep_books(books: &Books) {
    let account = books.post("/accounts", &json!({ "code": "7777", "name": "New", "account_type": "EXPENSE" }));
    let path = format!("/accounts/{}", account.expect(201)["data"]["id"]);
    books.posted("2026-03-01", "7100", "1200", json!(1));
    let late = books.request("PATCH", &path).header("If-Match", "\"9\"").json(&json!({ "name": "Late" }));
    assert_eq!(late.send().details(409, "conflict")["reason"], "stale_version");
}

/// Connections by OAuth: made, refreshed, refused, and ended by what comes back.
fn connect_agents(seen: &mut Seen) {
    let server = TestServer::start();
    let person = server.person();
    let ticks = Ticks { scopes: &["books:read"], organisations: None };
    let connected = connect(&server, &person, &ticks);
    mcp::legacy(&server, &connected.key(), "tools/list", &json!({})).expect(200);
    let refreshed = || oauth::refresh(&server, &connected.client_id, &connected.refresh);
    refreshed().expect(200);
    refreshed().expect(200);
    server.advance_s(61);
    oauth::refused(&refreshed(), 400, "invalid_grant");
    let code = oauth::code_for(&server, &person, &connected.client_id, &ticks);
    let redeemed = || oauth::token(&server, &oauth::redemption(&connected.client_id, &code));
    redeemed().expect(200);
    oauth::refused(&redeemed(), 400, "invalid_grant");
    seen.add(&server);
}

/// E-mails that come to every end.
fn send_emails(seen: &mut Seen) {
    let mailing = Mailing::start();
    let books = Books::of(mailing.setup(Setup::new()).start());
    let invoice = books.sale(books.customer("A"), "2026-03-01", "5")["id"].clone();
    let path = format!("/sales-invoices/{invoice}/email");
    let of_rcpt = |say: &'static str| {
        move |step: &Step| match step {
            Step::Command(line) if line.starts_with("RCPT") => Reaction::Say(say),
            _ => Reaction::Accept,
        }
    };
    for outcome in ["sent", "failed", "deferred", "uncertain"] {
        match outcome {
            "failed" => mailing.server.react(of_rcpt("550 no such user")),
            "deferred" => mailing.server.react(of_rcpt("450 busy")),
            "uncertain" => mailing.server.react(|step| match step {
                Step::End(_) => Reaction::TakeAndClose,
                _ => Reaction::Accept,
            }),
            _ => {}
        }
        books.post(&path, &json!({ "to": ["a@example.com"] })).expect(202);
        let name = format!("mail_messages_total{{outcome=\"{outcome}\"}}");
        until("the e-mail is counted", || (counter(&books.server, &name) == 1).then_some(()));
    }
    seen.add(&books.server);
}

#[test]
fn no_exported_counter_stays_at_nothing() {
    let mut seen = Seen::default();
    for product in Product::ALL {
        run_jobs(product, &mut seen);
    }
    let books = Books::on(&Database::Sqlite);
    keep_books(&books);
    until("the journal is counted", || (counter(&books.server, "ledger_postings_total") == 1).then_some(()));
    seen.add(&books.server);
    send_emails(&mut seen);
    connect_agents(&mut seen);
    // Only a database of its own can be away; without PostgreSQL that counter is not looked at.
    let mut excused: BTreeSet<&str> = NOT_BY_REQUESTS.iter().map(|(name, _)| *name).collect();
    match Database::postgresql() {
        None => drop(excused.insert("store_unavailable_total")),
        Some(database) => {
            let server = Setup::new().on(&database).start();
            let key = server.key(&server.person(), &RECONCILE);
            database.set_reachable(false);
            server.submission(&key, costing(1)).refused(503, "busy");
            until("it is counted", || (counter(&server, "store_unavailable_total") > 0).then_some(()));
            seen.add(&server);
            database.set_reachable(true);
            until("the database is back", || {
                (server.operators().get("/readyz").send_plain().status == 200).then_some(())
            });
        }
    }
    let still: Vec<&String> = seen
        .0
        .iter()
        .filter(|(name, value)| **value == 0.0 && !excused.contains(name.as_str()))
        .map(|(name, _)| name)
        .collect();
    assert!(still.is_empty(), "nothing moved {still:?}");
    for (name, reason) in NOT_BY_REQUESTS {
        assert_eq!(seen.value(name), 0.0, "{name} is excused because {reason}; take it off the list");
    }
    assert!(seen.0.len() >= 25, "{:?}", seen.0);
}

on_both_databases! {
    fn journals_are_counted_when_they_are_committed_and_stale_versions_when_they_are_refused(database) {
        let books = Books::on(&database);
        let postings = |expected: u64| {
            until("the journals are counted", || {
                let counted = counter(&books.server, "ledger_postings_total");
                assert!(counted <= expected, "{counted} journals were counted and {expected} posted");
                (counted == expected).then_some(())
            });
        };
        let two = books.two_lines("2026-03-01", "7100", "1200", json!(5));
        let first = books.request("POST", "/journals").idempotency_key("one").json(&two).send().expect(201);
        postings(1);
        // None of these posts anything.
        let again = books.request("POST", "/journals").idempotency_key("one").json(&two).send();
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        books.request("POST", "/journals").query("dry_run=true").json(&two).send().expect(200);
        let mut unbalanced = two.clone();
        unbalanced["lines"][0]["debit"] = json!(6);
        books.post("/journals", &unbalanced).details(422, "unprocessable_entity");
        let customer = books.post("/customers", &json!({ "name": "Customer" })).expect(201)["data"].clone();
        let sale = |issue: bool| json!({
            "customer_id": customer["id"], "invoice_date": "2026-03-01", "issue": issue,
            "lines": [{ "description": "x", "account_id": books.account_id("4000"), "unit_price": 1, "vat_code": "NV" }]
        });
        books.post("/sales-invoices", &sale(false)).expect(201);
        // The reversal of the first, an invoice, and two rows of an import in one commit.
        books.post(&format!("/journals/{}/void", first["data"]["id"]), &json!({})).expect(200);
        books.post("/sales-invoices", &sale(true)).expect(201);
        let rows = ["2026-03-02", "2026-03-03"].map(|date| books.two_lines(date, "7100", "1200", json!(1)));
        let preview = books.post("/imports", &json!({ "kind": "journals", "rows": rows })).expect(201);
        let token = json!({ "token": preview["data"]["token"] });
        books.post(&format!("/imports/{}/confirm", preview["data"]["id"]), &token).expect(200);
        postings(5);

        let conflicts = || counter(&books.server, "ledger_version_conflicts_total");
        assert_eq!(conflicts(), 0);
        let rename = |version: &str, query: &str| {
            let path = format!("/customers/{}", customer["id"]);
            let request = books.request("PATCH", &path).query(query).header("If-Match", version);
            request.json(&json!({ "name": "Renamed" })).send()
        };
        assert_eq!(rename("\"7\"", "dry_run=false").details(409, "conflict")["reason"], "stale_version");
        assert_eq!(conflicts(), 1);
        rename("\"1\"", "dry_run=false").expect(200);
        rename("\"1\"", "dry_run=false").refused(409, "conflict");
        // What would be refused was not.
        rename("\"1\"", "dry_run=true").refused(409, "conflict");
        assert_eq!(conflicts(), 2);
        postings(5);
    }
}
