//! Random commands over HTTP beside a naive model of the books written from the rules: what is accepted or refused, and at
//! the end every journal, balance, status and figure, must be the model's. Seeds are fixed; `MODEL_SEED` begins with another,
//! `MODEL_STEPS` makes more commands, `MODEL_KINDS` fewer kinds of them (the lower, the fewer); `MODEL_TELL=1` tells every
//! command. `MODEL_SEQUENCES` makes more sequences, on `MODEL_THREADS` servers at once, of which every
//! `MODEL_SLOW_CHECKS_EVERY`th is read by other programs too: CONTRIBUTING.md has the command.

mod bank;
mod documents;
mod end;
mod journals;
mod settlements;
mod state;
mod write_offs;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use xtask::random::Random;

use self::state::{Bank, Contact, Day, State, day, text};
use super::Books;
use super::drill_down::Followed;
use super::figures::badly_printed;
use crate::support::client::Answer;
use crate::support::database::{Database, on_both_databases};
use crate::support::server::Setup;
use crate::support::until;

/// Sequences of commands, each with a seed and an organisation of its own.
const SEQUENCES: u64 = 2;
/// Commands of one of them.
const STEPS: u64 = 160;
/// Commands of each of several writers.
const STEPS_TOGETHER: u64 = 50;
const WRITERS: u64 = 4;

/// Somebody who works on the books and knows what must come of it.
pub struct Writer<'a> {
    books: &'a Books,
    random: Random,
    state: State,
    /// Whether nobody else works on these books, so that locks move and numbers can be foretold.
    is_alone: bool,
    /// Makes amounts unique.
    count: i64,
    /// Said with every failure.
    place: String,
    /// Accounts that everybody uses: code, type, id.
    accounts: Vec<(String, String, i64)>,
    next_sales_number: i64,
    /// How often each kind of command was answered how.
    told: BTreeMap<String, usize>,
}

impl<'a> Writer<'a> {
    #[track_caller]
    fn new(books: &'a Books, random: Random, place: String, is_alone: bool) -> Self {
        let accounts = books.get("/accounts")["data"].as_array().unwrap().clone();
        let text = |account: &Value, field: &str| account[field].as_str().unwrap().to_owned();
        let accounts = accounts
            .iter()
            .map(|account| (text(account, "code"), text(account, "account_type"), account["id"].as_i64().unwrap()))
            .collect();
        let state = State::default();
        let mut writer = Self {
            books,
            random,
            state,
            is_alone,
            count: 0,
            place,
            accounts,
            next_sales_number: 1,
            told: BTreeMap::new(),
        };
        for kind in ["A", "B"] {
            let code = format!("12{kind}{}", writer.random.next_u64() % 1_000_000);
            let body = json!({ "name": format!("Bank {kind}"), "code": code });
            let id = books.post("/bank-accounts", &body).expect(201)["data"]["id"].as_i64().unwrap();
            writer.state.banks.push(Bank { id, code });
        }
        for (path, is_customer, cis) in [
            ("/customers", true, None),
            ("/customers", true, None),
            ("/suppliers", false, None),
            ("/suppliers", false, None),
            ("/suppliers", false, Some(20)),
        ] {
            let mut body = json!({ "name": "Somebody" });
            if let Some(rate) = cis {
                body["cis"] = json!({ "is_subcontractor": true, "deduction_rate": rate });
            }
            let id = books.post(path, &body).expect(201)["data"]["id"].as_i64().unwrap();
            writer.state.contacts.push(Contact { id, is_customer, cis });
        }
        writer
    }

    fn account(&self, code: &str) -> i64 {
        self.accounts.iter().find(|(known, _, _)| known == code).unwrap_or_else(|| panic!("no account {code}")).2
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        self.random.pick(items).unwrap().clone()
    }

    /// A day of a year and a half that is over on the clock of every test.
    fn any_day(&mut self) -> Day {
        let (first, last) = (day("2024-09-01"), day("2026-03-05"));
        first + i64::try_from(self.random.below(u64::try_from(last - first + 1).unwrap())).unwrap()
    }

    /// An amount that no other row has.
    fn amount(&mut self) -> i64 {
        self.count += 1;
        i64::try_from(self.random.between(1, 300)).unwrap() * 1_000 + self.count % 1_000
    }

    /// Sends a command that must be refused for one of these reasons, or succeed when there are none; the data then.
    /// Some are rehearsed first, and some only rehearsed.
    #[track_caller]
    fn send(&mut self, method: &str, path: &str, body: &Value, refusals: &[&str], status: u16) -> Option<Value> {
        if self.random.chance(10) {
            let rehearsed = self.answer(method, &format!("{path}?dry_run=true"), body);
            if self.judged(&rehearsed, body, refusals, 200) {
                assert_eq!(rehearsed.value()["dry_run"], true, "{}: {rehearsed}", self.place);
            }
            if self.random.chance(40) {
                return None;
            }
        }
        self.send_once(method, path, body, refusals, status)
    }

    /// The same, never rehearsed.
    #[track_caller]
    fn send_once(&mut self, method: &str, path: &str, body: &Value, refusals: &[&str], status: u16) -> Option<Value> {
        let answer = self.answer(method, path, body);
        self.judged(&answer, body, refusals, status).then(|| answer.value()["data"].clone())
    }

    fn answer(&self, method: &str, path: &str, body: &Value) -> Answer {
        let request = self.books.request(method, path);
        if body.is_null() { request.send() } else { request.json(body).send() }
    }

    #[track_caller]
    fn judged(&mut self, answer: &Answer, body: &Value, refusals: &[&str], status: u16) -> bool {
        let place = self.place.clone();
        assert_eq!(badly_printed(answer), None, "{place}: {answer}");
        let value = answer.value();
        let reason =
            value["error"]["details"]["reason"].as_str().unwrap_or(if answer.status < 300 { "done" } else { "format" });
        let shown = answer.to_string();
        let path = shown.split(&format!("organisations/{}", self.books.id)).nth(1).unwrap_or_default();
        let path = path.split([' ', '?']).next().unwrap_or_default();
        let kind: Vec<&str> = path.split('/').filter(|part| part.parse::<i64>().is_err()).collect();
        if std::env::var_os("MODEL_TELL").is_some() {
            println!("{place}: {path} {body}: {} {reason} {}", answer.status, value["data"]["id"]);
        }
        *self.told.entry(format!("{} {reason}", kind.join("/"))).or_default() += 1;
        if refusals.is_empty() {
            assert_eq!(answer.status, status, "{place}: {answer}\nto {body}");
            return true;
        }
        assert!(refusals.contains(&reason), "{place}: one of {refusals:?} was expected: {answer}\nto {body}");
        let conflicts = ["invalid_state", "has_allocations", "linked_to_document", "duplicate_number"];
        assert_eq!(answer.status, if conflicts.contains(&reason) { 409 } else { 422 }, "{place}: {answer}");
        false
    }

    /// One command.
    fn step(&mut self) {
        match self.random.below(number_from("MODEL_KINDS", 104)) {
            0..14 => self.post_journal(),
            14..18 => self.void_journal(),
            18..20 => self.move_lock(),
            20..29 => self.enter_rows(),
            29..38 => self.confirm_coded(),
            38..44 => self.confirm_transfer(),
            44..47 => self.match_journal(),
            47..53 => self.unconfirm(),
            53..56 => self.exclude_or_delete(),
            56..68 => self.draw_up(),
            68..72 => self.issue_or_delete(),
            72..76 => self.void_document(),
            76..80 => self.set_credit(),
            80..88 => self.settle(),
            88..93 => self.settle_by_row(),
            93..96 => self.allocate(),
            96..98 => self.unallocate(),
            98..100 => self.void_settlement(),
            _ => self.write_off(),
        }
    }

    fn move_lock(&mut self) {
        if !self.is_alone {
            return;
        }
        let lock = if self.random.chance(30) { None } else { Some(self.any_day() - 250) };
        let body = json!({ "lock_date": lock.map(text) });
        self.books.request("PUT", "/period-lock").json(&body).send().expect(200);
        self.state.lock = lock;
    }
}

fn books_for(database: &Database) -> Books {
    let books = Books::on(database);
    books.vat_control();
    books
}

pub fn number_from(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().map_or(otherwise, |text| text.parse().unwrap())
}

/// One sequence in an organisation of its own; how many figures were followed to what is behind them.
fn run_alone(books: &Books, seed: u64) -> Followed {
    let with_slow_checks = seed.is_multiple_of(number_from("MODEL_SLOW_CHECKS_EVERY", 1));
    let mut writer = Writer::new(books, Random::new(seed), format!("seed {seed}"), true);
    for step in 0..number_from("MODEL_STEPS", STEPS) {
        writer.place = format!("seed {seed}, step {step}");
        writer.step();
    }
    end::compare(books, &[writer], with_slow_checks)
}

/// What sequences came to.
#[derive(Default)]
struct Outcome {
    sequences: u64,
    followed: Followed,
    failed_seeds: Vec<u64>,
}

/// Runs sequences one after another on one server until none is left. A failure is printed and counted, and the next goes on.
fn run_sequences(database: &Database, next: &AtomicU64, end: u64) -> Outcome {
    let mut outcome = Outcome::default();
    let mut books = Books::on(database);
    loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= end {
            return outcome;
        }
        if outcome.sequences > 0 {
            books = books.with_another_organisation();
        }
        books.vat_control();
        outcome.sequences += 1;
        match catch_unwind(AssertUnwindSafe(|| run_alone(&books, seed))) {
            Ok(followed) => outcome.followed += followed,
            Err(_) => outcome.failed_seeds.push(seed),
        }
    }
}

/// A database for another server.
fn another(database: &Database) -> Database {
    match database {
        Database::Sqlite => Database::Sqlite,
        Database::Postgresql(_) => Database::postgresql().expect("PostgreSQL is there"),
    }
}

fn run_all(database: &Database) {
    let first = number_from("MODEL_SEED", 1);
    let end = first + number_from("MODEL_SEQUENCES", SEQUENCES);
    let next = AtomicU64::new(first);
    let others: Vec<Database> = (1..number_from("MODEL_THREADS", 1)).map(|_| another(database)).collect();
    let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
        let databases = std::iter::once(database).chain(&others);
        let threads: Vec<_> = databases.map(|database| scope.spawn(|| run_sequences(database, &next, end))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut all = Outcome::default();
    for one in outcomes {
        all.sequences += one.sequences;
        all.followed += one.followed;
        all.failed_seeds.extend(one.failed_seeds);
    }
    println!(
        "{} sequences of {} commands, {} with violations {:?}; {} rows of reports followed to their lines, {} VAT entries to \
         their documents and journals",
        all.sequences,
        number_from("MODEL_STEPS", STEPS),
        all.failed_seeds.len(),
        all.failed_seeds,
        all.followed.rows,
        all.followed.entries
    );
    assert_eq!(all.failed_seeds, [] as [u64; 0], "seeds with violations");
}

on_both_databases! {
    fn random_commands_leave_what_the_model_says(database) {
        run_all(&database);
    }

    fn several_writers_leave_the_sum_of_their_models(database) {
        let seed = number_from("MODEL_SEED", 3);
        let books = books_for(&database);
        let writers = work_together(&[&books], &Random::new(seed), seed);
        end::compare(&books, &writers, true);
    }
}

/// Each process has half of the writers.
#[test]
fn two_processes_leave_the_sum_of_their_models() {
    let Some(database) = Database::postgresql() else { return };
    let seed = number_from("MODEL_SEED", 4);
    let first = books_for(&database);
    let server = Setup::new().on(&database).start();
    let second = Books { server, owner: first.owner.clone(), key: first.key.clone(), id: first.id };
    until("the key is known everywhere", || (second.request("GET", "").send().status != 401).then_some(()));
    let random = Random::new(seed);
    let writers = work_together(&[&first, &second], &random, seed);
    end::compare(&first, &writers, true);
}

/// Commands of several writers at once, each in one of the processes.
fn work_together<'a>(processes: &[&'a Books], random: &Random, seed: u64) -> Vec<Writer<'a>> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..WRITERS)
            .zip(processes.iter().cycle())
            .map(|(at, books)| {
                let random = random.fork(at);
                scope.spawn(move || {
                    let mut writer = Writer::new(books, random, format!("seed {seed}, writer {at}"), false);
                    for step in 0..number_from("MODEL_STEPS", STEPS_TOGETHER) {
                        writer.place = format!("seed {seed}, writer {at}, step {step}");
                        writer.step();
                    }
                    writer
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}
