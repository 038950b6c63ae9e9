//! Sending by a mail server: what is accepted, refused for now or for good, lost and dropped, and what a dead server holds
//! up.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Value, json};
use xtask::mail_server::{MailServer, Reaction, Step};

use crate::books::Books;
use crate::support::database::{Database, on_both_databases};
use crate::support::mail::Mailing;
use crate::support::server::Setup;
use crate::support::until;

/// The books with an invoice that can be e-mailed.
struct Post {
    books: Books,
    invoice: i64,
}

impl Post {
    fn of(setup: Setup) -> Self {
        let books = Books::of(setup.start());
        let customer =
            books.made("/customers", &json!({ "name": "A", "email": "a@example.com" }))["id"].as_i64().unwrap();
        let invoice = books.sale(customer, "2026-03-01", "1200")["id"].as_i64().unwrap();
        Self { books, invoice }
    }

    #[track_caller]
    fn queue(&self) -> Value {
        self.queue_to(&["a@example.com"])
    }

    #[track_caller]
    fn queue_to(&self, to: &[&str]) -> Value {
        let path = format!("/sales-invoices/{}/email", self.invoice);
        self.books.post(&path, &json!({ "to": to })).expect(202)["data"]["id"].clone()
    }

    /// The e-mail once it has been tried so often and waits again, or has failed.
    #[track_caller]
    fn tried(&self, id: &Value, attempts: i64) -> Value {
        until("it was tried", || {
            let email = self.books.email(id);
            (email["attempts"] == attempts && email["status"] != "sending").then_some(email)
        })
    }

    fn metric(&self, name: &str) -> u64 {
        let text = self.books.server.operators().get("/metrics").send_plain().text();
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name} in {text}"));
        line.rsplit(' ').next().unwrap().parse().unwrap()
    }
}

fn is_command(step: &Step, verb: &str) -> bool {
    matches!(step, Step::Command(line) if line.starts_with(verb))
}

#[test]
fn a_message_refused_for_now_is_tried_by_the_table_and_then_fails() {
    let mailing = Mailing::start();
    let post = Post::of(mailing.setup(Setup::new()));
    mailing.server.react(|step| {
        if is_command(step, "RCPT") { Reaction::Say("450 4.2.1 busy mailbox") } else { Reaction::Accept }
    });
    let id = post.queue();
    for (attempt, minutes) in [(1, 1), (2, 5), (3, 30), (4, 120), (5, 720)] {
        let email = post.tried(&id, attempt);
        assert_eq!(email["status"], "queued");
        assert!(email["error"].as_str().unwrap().contains("busy mailbox"), "{email}");
        let wait = moment(&email["next_attempt_at"])
            - moment(&post.books.get(&format!("/sales-invoices/{}", post.invoice))["data"]["created_at"]);
        assert!(wait >= minutes * 60_000, "{email}");
        post.books.server.advance_s(minutes * 60 - 1);
        // Not a second too early: another message is sent meanwhile, so that the actor has looked.
        mailing.server.react(|_| Reaction::Accept);
        let other = post.queue();
        post.books.email_once(&other, "sent");
        assert_eq!(post.books.email(&id)["attempts"], attempt);
        mailing.server.react(|step| {
            if is_command(step, "RCPT") { Reaction::Say("450 4.2.1 busy mailbox") } else { Reaction::Accept }
        });
        post.books.server.advance_s(1);
    }
    let failed = post.books.email_once(&id, "failed");
    assert_eq!((&failed["attempts"], &failed["next_attempt_at"]), (&json!(6), &Value::Null));
    let message_id = failed["message_id"].as_str().unwrap().to_owned();
    assert!(mailing.server.received().iter().all(|received| received.message_id != message_id));
    // A person sends it again, under the same name.
    mailing.server.react(|_| Reaction::Accept);
    let again = post.books.request("POST", &format!("/emails/{id}/resend")).send().expect(202)["data"].clone();
    assert_eq!((&again["status"], &again["attempts"], &again["error"]), (&json!("queued"), &json!(0), &Value::Null));
    let sent = post.books.email_once(&id, "sent");
    assert_eq!(sent["message_id"], json!(message_id));
    assert_eq!(mailing.server.counts()[&message_id], 1);
    assert_eq!(
        (
            post.metric("mail_messages_total{outcome=\"failed\"}"),
            post.metric("mail_messages_total{outcome=\"deferred\"}")
        ),
        (1, 5)
    );
}

fn moment(value: &Value) -> i64 {
    chrono::DateTime::parse_from_rfc3339(value.as_str().unwrap()).unwrap().timestamp_millis()
}

#[test]
fn a_message_refused_for_good_fails_with_the_answer_of_the_server() {
    let mailing = Mailing::start();
    let post = Post::of(mailing.setup(Setup::new()));
    for (verb, text) in [
        ("MAIL", "550 5.7.1 not from you"),
        ("RCPT TO:<b@", "550 5.1.1 no such user"),
        ("DATA", "554 no"),
        ("end", "552 5.3.4 too big"),
    ] {
        let answer: &'static str = text;
        mailing.server.react(move |step| match step {
            Step::End(_) if verb == "end" => Reaction::Say(answer),
            step if is_command(step, verb) => Reaction::Say(answer),
            _ => Reaction::Accept,
        });
        let before = mailing.server.received().len();
        // Refused for one of two, it goes to neither.
        let id = post.queue_to(&["a@example.com", "b@example.com"]);
        let failed = post.books.email_once(&id, "failed");
        assert_eq!(
            (&failed["attempts"], &failed["next_attempt_at"], &failed["sent_at"]),
            (&json!(1), &Value::Null, &Value::Null)
        );
        assert!(failed["error"].as_str().unwrap().contains(&text[4..]), "{failed}");
        assert_eq!(mailing.server.received().len(), before);
        mailing.server.react(|_| Reaction::Accept);
        let other = post.queue();
        post.books.email_once(&other, "sent");
    }
}

#[test]
fn a_lost_answer_to_the_end_is_uncertain_and_never_sent_again_by_itself() {
    let mailing = Mailing::start();
    let post = Post::of(mailing.setup(Setup::new()));
    mailing.server.react(|step| if matches!(step, Step::End(_)) { Reaction::TakeAndClose } else { Reaction::Accept });
    let id = post.queue();
    let uncertain = post.books.email_once(&id, "uncertain");
    assert_eq!(
        (&uncertain["attempts"], &uncertain["next_attempt_at"], &uncertain["sent_at"]),
        (&json!(1), &Value::Null, &Value::Null)
    );
    mailing.server.react(|_| Reaction::Accept);
    for _ in 0..3 {
        post.books.server.advance_s(24 * 3600);
        let other = post.queue();
        post.books.email_once(&other, "sent");
    }
    assert_eq!(post.books.email(&id)["status"], "uncertain");
    let message_id = uncertain["message_id"].as_str().unwrap().to_owned();
    assert_eq!(mailing.server.counts()[&message_id], 1);
    post.books.request("POST", &format!("/emails/{id}/resend")).send().expect(202);
    post.books.email_once(&id, "sent");
    assert_eq!(mailing.server.counts()[&message_id], 2);
    assert_eq!(post.metric("mail_messages_total{outcome=\"uncertain\"}"), 1);
}

#[test]
fn a_connection_dropped_before_the_message_leaves_it_queued() {
    let mailing = Mailing::start();
    let post = Post::of(mailing.setup(Setup::new()));
    for verb in ["MAIL", "RCPT", "DATA"] {
        let (once, seen) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicBool::new(false)));
        let (armed, noted) = (Arc::clone(&once), Arc::clone(&seen));
        mailing.server.react(move |step| {
            if is_command(step, verb) && armed.swap(false, Ordering::AcqRel) {
                noted.store(true, Ordering::Release);
                return Reaction::Close;
            }
            Reaction::Accept
        });
        let id = post.queue();
        until("it was dropped", || seen.load(Ordering::Acquire).then_some(()));
        // The transport waits a second, the message a minute.
        let waiting = post.tried(&id, 1);
        assert_eq!(waiting["status"], "queued", "{waiting}");
        post.books.server.advance_s(60);
        let sent = post.books.email_once(&id, "sent");
        assert_eq!(sent["attempts"], 2);
    }
    assert!(mailing.server.counts().values().all(|count| *count == 1));
}

#[test]
fn a_server_that_closes_a_kept_connection_costs_no_attempt() {
    let mailing = Mailing::start();
    let post = Post::of(mailing.setup(Setup::new()));
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    // After each message it wants no more over the same connection.
    mailing.server.react(move |step| match step {
        Step::Greeting => {
            count.store(0, Ordering::Release);
            Reaction::Accept
        }
        Step::Command(line) if line.starts_with("MAIL") && count.fetch_add(1, Ordering::AcqRel) > 0 => {
            Reaction::Say("421 4.7.0 one message a connection")
        }
        _ => Reaction::Accept,
    });
    let ids: Vec<Value> = (0..20).map(|_| post.queue()).collect();
    for id in &ids {
        assert_eq!(post.books.email_once(id, "sent")["attempts"], 1);
    }
    assert_eq!(mailing.server.counts().len(), 20);
}

on_both_databases! {
    fn a_dead_server_costs_no_attempt_and_all_leave_when_it_returns(database) {
        let mailing = Mailing::start();
        let address = mailing.server.address();
        let post = Post::of(mailing.setup(Setup::new().on(&database)));
        mailing.server.stop();
        let ids: Vec<Value> = (0..10).map(|_| post.queue()).collect();
        until("the operators see what waits", || (post.metric("mail_queue_depth") == 10).then_some(()));
        // Everything else goes on.
        post.books.server.client.get("/api/v1/me").key(&post.books.key).send().expect(200);
        post.books.posted("2026-03-01", "7100", "1200", json!(5));
        assert_eq!(post.books.email(&ids[0])["attempts"], 0);
        let server = MailServer::start_at(address).expect("it returns");
        for id in &ids {
            until("it is sent", || {
                post.books.server.pass_ms(200);
                (post.books.email(id)["status"] == "sent").then_some(())
            });
            assert_eq!(post.books.email(id)["attempts"], 1);
        }
        assert_eq!(server.counts().len(), 10);
        assert!(server.counts().values().all(|count| *count == 1));
        until("nothing waits", || (post.metric("mail_queue_depth") == 0).then_some(()));
        assert_eq!((post.metric("mail_oldest_waiting_seconds"), post.metric("mail_messages_total{outcome=\"sent\"}")), (0, 10));
        let actors = post.books.server.operators().get("/actors").send_plain().value();
        let actor = actors.as_array().unwrap().iter().find(|actor| actor["name"] == "mail").unwrap();
        assert_eq!((&actor["queue_depth"], &actor["panics"]), (&json!(0), &json!(0)));
    }
}

#[test]
fn a_server_that_says_nothing_or_rubbish_holds_up_nobody_else() {
    let mailing = Mailing::start();
    let post = Post::of(mailing.setup(Setup::new()));
    mailing.server.react(|step| if *step == Step::Greeting { Reaction::Say("what?") } else { Reaction::Accept });
    let id = post.queue();
    until("it was tried", || (mailing.server.connections() >= 1).then_some(()));
    assert_eq!((&post.books.email(&id)["status"], &post.books.email(&id)["attempts"]), (&json!("queued"), &json!(0)));
    let connections = mailing.server.connections();
    mailing.server.react(|step| if *step == Step::Greeting { Reaction::Hang } else { Reaction::Accept });
    until("it was tried again", || {
        post.books.server.advance_ms(100);
        (mailing.server.connections() > connections).then_some(())
    });
    for _ in 0..20 {
        post.books.server.client.get("/api/v1/me").key(&post.books.key).send().expect(200);
        post.books.posted("2026-03-01", "7100", "1200", json!(5));
    }
    assert_eq!(post.books.email(&id)["attempts"], 0);
}

#[test]
fn a_server_without_the_tls_it_is_asked_for_gets_nothing() {
    let mailing = Mailing::start();
    let url = format!("smtps://{}", mailing.server.address());
    let post = Post::of(mailing.setup(Setup::new()).settings(|settings| settings.smtp_url = Some(url)));
    let id = post.queue();
    until("it was tried", || (mailing.server.connections() >= 1).then_some(()));
    until("it was tried again", || {
        post.books.server.advance_ms(100);
        (mailing.server.connections() >= 2).then_some(())
    });
    let email = post.books.email(&id);
    assert_eq!((&email["status"], &email["attempts"]), (&json!("queued"), &json!(0)));
    assert!(mailing.server.counts().is_empty());
}

#[test]
fn what_was_leaving_when_the_service_stopped_is_uncertain_after_the_start() {
    let mailing = Mailing::start();
    let reached = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&reached);
    mailing.server.react(move |step| match step {
        Step::End(_) => {
            noted.store(true, Ordering::Release);
            Reaction::Hang
        }
        _ => Reaction::Accept,
    });
    let setup = mailing.setup(Setup::new()).settings(|settings| settings.shutdown_grace_s = Some(0));
    let post = Post::of(setup.clone());
    let (leaving, waiting) = (post.queue(), post.queue());
    until("the message is at its end", || reached.load(Ordering::Acquire).then_some(()));
    assert_eq!(post.books.email(&leaving)["status"], "sending");
    let Books { server, key, owner, id } = post.books;
    let folder = server.folder();
    server.stop();
    mailing.server.react(|_| Reaction::Accept);
    let server = setup.folder(folder).start();
    let books = Books { server, key, owner, id };
    let uncertain = books.email_once(&leaving, "uncertain");
    assert!(uncertain["error"].as_str().unwrap().contains("interrupted"), "{uncertain}");
    assert_eq!(books.email_once(&waiting, "sent")["attempts"], 1);
    assert_eq!(mailing.server.counts().len(), 1);
}

#[test]
fn a_thousand_queued_leave_once_each() {
    let mailing = Mailing::start();
    let post = Post::of(mailing.setup(Setup::new()));
    // Nobody is talked to until all of them wait.
    mailing.server.react(|step| if *step == Step::Greeting { Reaction::Close } else { Reaction::Accept });
    let first = post.queue();
    post.books.server.copy_emails(first.as_i64().unwrap(), 999);
    mailing.server.react(|_| Reaction::Accept);
    post.books.server.advance_s(60);
    until("all have left", || {
        // The transport may have failed once more before the server talked.
        post.books.server.advance_s(1);
        (mailing.server.counts().len() == 1000).then_some(())
    });
    until("nothing waits", || {
        (post.books.get("/emails?status=sent&limit=1")["pagination"]["total"] == 1000).then_some(())
    });
    assert!(mailing.server.counts().values().all(|count| *count == 1));
    // All went over few connections.
    assert!(mailing.server.connections() < 100, "{}", mailing.server.connections());
}

#[test]
fn two_processes_on_one_database_send_each_message_once() {
    let Some(database) = Database::postgresql() else { return };
    let mailing = Mailing::start();
    let setup = mailing.setup(Setup::new().on(&database)).settings(|settings| settings.job_lease_ms = Some(1_000));
    let first = Post::of(setup.clone());
    let second = setup.start();
    let path = first.books.path(&format!("/sales-invoices/{}/email", first.invoice));
    std::thread::scope(|scope| {
        for server in [&first.books.server, &second] {
            let (path, key) = (&path, &first.books.key);
            scope.spawn(move || {
                for _ in 0..50 {
                    server.client.post(path).key(key).send().expect(202);
                }
            });
        }
    });
    until("all have left", || (mailing.server.counts().len() == 100).then_some(()));
    until("all are sent", || {
        (first.books.get("/emails?status=sent&limit=1")["pagination"]["total"] == 100).then_some(())
    });
    let counts: BTreeMap<String, u64> = mailing.server.counts();
    assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    // When the one that sends stops, the other goes on.
    second.stop();
    let id = first.queue();
    first.books.email_once(&id, "sent");
}
