//! Many callers at once: numbers without a gap, one winner, other organisations untouched.

use std::collections::BTreeSet;

use serde_json::json;

use super::{Books, ORGANISATIONS};
use crate::support::database::{Database, on_both_databases};
use crate::support::server::Setup;

on_both_databases! {
    fn parallel_journals_get_consecutive_numbers(database) {
        let books = Books::on(&database);
        let journal = books.two_lines("2026-03-01", "7100", "1200", json!("1.01"));
        let numbers: BTreeSet<i64> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let post = || books.post("/journals", &journal).expect(201)["data"]["journal_number"].as_i64().unwrap();
                        (0..10).map(|_| post()).collect::<Vec<_>>()
                    })
                })
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(numbers, (1..=80).collect());
        assert_eq!(books.account("7100")["balance"], json!(80.8));
        assert_eq!(books.get("/journals")["pagination"]["total"], 80);
    }

    fn one_of_many_voids_wins(database) {
        let books = Books::on(&database);
        let journal = books.posted("2026-03-01", "7100", "1200", json!(1));
        let path = format!("/journals/{}/void", journal["id"]);
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..6).map(|_| scope.spawn(|| books.request("POST", &path).send().status)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 5, "{statuses:?}");
        assert_eq!(books.server.rows_of("journal"), 2);
    }
}

#[test]
fn two_processes_on_one_database_keep_the_books_together() {
    let Some(database) = Database::postgresql() else { return };
    let books = Books::on(&database);
    let second = Setup::new().on(&database).start();
    let journal = books.two_lines("2026-03-01", "7100", "1200", json!(1));
    let path = format!("{ORGANISATIONS}/{}/journals", books.id);
    let numbers: BTreeSet<i64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let client = if thread % 2 == 0 { &books.server.client } else { &second.client };
                let (path, journal, key) = (&path, &journal, &books.key);
                scope.spawn(move || {
                    let post = || {
                        let answer = crate::support::until("the key is known everywhere", || {
                            let answer = client.post(path).key(key).json(journal).send();
                            (answer.status != 401).then_some(answer)
                        });
                        answer.expect(201)["data"]["journal_number"].as_i64().unwrap()
                    };
                    (0..20).map(|_| post()).collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(numbers, (1..=80).collect());
    // What one process locks, the other refuses at once.
    books.lock("2026-03-05");
    let refused = second.client.post(&path).key(&books.key).json(&journal).send();
    assert_eq!(super::reason(&refused), "period_locked");
    assert_eq!(books.account("7100")["balance"], json!(80.0));
}
