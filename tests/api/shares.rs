//! What everybody shares is shared: nobody takes all places of a queue, and who waits takes turns.

use serde_json::json;

use crate::foundation::support::{Client, request};
use crate::mcp;
use crate::oauth::{Ticks, connect};
use crate::support::data::costing;
use crate::support::database::on_both_databases;
use crate::support::gate::{Tell, gate};
use crate::support::product::{JobProduct as _, everywhere};
use crate::support::server::{ALL_SCOPES, RECONCILE, Setup, TestServer};
use crate::support::until;

/// Refusals for a reason, as `/metrics` counts them.
fn refused(server: &TestServer, reason: &str) -> u64 {
    let text = server.operators().get("/metrics").send_plain().text();
    let name = format!("http_refused_total{{reason=\"{reason}\"}} ");
    let counted = text.lines().find_map(|line| line.strip_prefix(&name)?.parse().ok());
    counted.unwrap_or_default()
}

everywhere! {
    fn another_persons_job_starts_after_the_one_that_runs(database, product) {
        let (mut gate, work) = gate(product);
        let server = Setup::of(product).on(&database).engine(work).start();
        let ((_, greedy), (_, modest)) = (server.submitter(), server.submitter());
        let of_greedy: Vec<String> = (0..12).map(|_| server.submit(&greedy, product.costing(1))).collect();
        assert_eq!(gate.started(), of_greedy[0]);
        let of_modest = [server.submit(&modest, product.costing(1)), server.submit(&modest, product.costing(1))];
        for next in [&of_modest[0], &of_greedy[1], &of_modest[1], &of_greedy[2], &of_greedy[3]] {
            gate.tell(Tell::Complete);
            assert_eq!(&gate.started(), next);
        }
        gate.open();
        server.ended(&greedy, &of_greedy[11]);
    }

    fn beyond_their_share_a_person_is_told_so_while_others_are_served(database, product) {
        let (mut gate, work) = gate(product);
        let setup = Setup::of(product).on(&database).engine(work);
        let server = setup.settings(|settings| settings.queue_capacity_jobs = Some(16)).start();
        let ((_, greedy), (_, modest)) = (server.submitter(), server.submitter());
        let mut accepted = vec![server.submit(&greedy, product.costing(1))];
        gate.started();
        // A quarter of the places; the running job does not count.
        accepted.extend((0..4).map(|_| server.submit(&greedy, product.costing(1))));
        for _ in 0..3 {
            let answer = server.submission(&greedy, product.costing(1));
            assert_eq!(answer.details(503, "busy"), json!({ "reason": "queue_share" }));
            assert!(answer.number("retry-after") >= 1);
        }
        assert_eq!((refused(&server, "queue_share"), refused(&server, "queue_full")), (3, 0));
        let theirs = server.submit(&modest, product.costing(1));
        gate.tell(Tell::Complete);
        assert_eq!(gate.started(), theirs);
        gate.tell(Tell::Complete);
        gate.started();
        accepted.push(server.submit(&greedy, product.costing(1)));
        server.submission(&greedy, product.costing(1)).refused(503, "busy");
        gate.open();
        for id in &accepted {
            server.ended(&greedy, id);
        }
        assert_eq!(server.credits(&greedy), (994, 0));
    }

    fn half_a_body_keeps_no_place_in_the_queue(database, product) {
        let (mut gate, work) = gate(product);
        let setup = Setup::of(product).on(&database).engine(work);
        let server = setup.settings(|settings| settings.queue_capacity_jobs = Some(1)).start();
        let ((_, stalling), (_, other)) = (server.submitter(), server.submitter());
        let running = server.submit(&other, product.costing(1));
        gate.started();
        let stalled = Halfway::begin(&server, &stalling.plaintext, product.path(), "", &product.costing(1));
        let waiting = until("the place is free", || {
            let answer = server.submission(&other, product.costing(1));
            (answer.status == 202).then(|| server.accepted_id(&answer))
        });
        assert_eq!(stalled.end(), (503, "busy".to_owned()));
        gate.open();
        for id in [running, waiting] {
            server.ended(&other, &id);
        }
    }
}

/// A request whose body the server has read half of.
struct Halfway {
    client: Client,
    rest: Vec<u8>,
}

impl Halfway {
    fn begin(server: &TestServer, key: &str, path: &str, headers: &str, body: &str) -> Self {
        let (first, rest) = body.as_bytes().split_at(body.len() / 2);
        let mut client = Client::connect(server.client.address().parse().expect("an address"));
        let head = format!("POST {path}\nAuthorization: Bearer {key}\nContent-Type: application/json\n{headers}");
        let head = request(&format!("{head}\nContent-Length: {}", body.len()), "");
        let host = format!("Host: {}", server.client.address());
        client.send(String::from_utf8(head).expect("text").replacen("Host: test", &host, 1));
        client.send(first);
        until("the server has read what was sent", || client.all_is_read().then_some(()));
        Self { client, rest: rest.to_vec() }
    }

    /// Sends the rest; status and code.
    fn end(mut self) -> (u16, String) {
        self.client.send(&self.rest);
        let answer = self.client.answer();
        (answer.status, answer.code())
    }
}

#[test]
fn stalled_uploads_of_one_key_keep_nobody_else_out() {
    let setup = Setup::new().settings(|settings| {
        settings.max_body_bytes = Some(400_000);
        settings.max_body_bytes_in_flight = Some(2_000_000);
        settings.open_registration = Some(true);
    });
    let server = setup.start();
    let ((_, stalling), (_, other)) = (server.submitter(), server.submitter());
    let account = json!({ "email": "new@example.com", "password": "correct horse battery", "name": "New" });
    server.client.post("/app/v1/register").json(&account).send().expect(201);
    let body = format!("{{\"bank\":[{}", " ".repeat(399_980));
    let head = format!("POST /api/v1/reconciliations\nX-API-Key: {}\nContent-Length: 399999", stalling.plaintext);
    let mut stalled: Vec<Client> = Vec::new();
    for _ in 0..11 {
        let mut client = Client::connect(server.client.address().parse().expect("an address"));
        client.send(request(&head, ""));
        client.send_if_possible(&body);
        stalled.push(client);
    }
    // One of them is within the share of a person; the others are told so.
    until("the shares are full", || (refused(&server, "body_share") == 10).then_some(()));
    // As large as those, twice over, and small ones.
    let large = format!("{}{}", " ".repeat(300_000), costing(1));
    for body in [large.clone(), large, costing(1)] {
        let id = server.submit(&other, body);
        server.ended(&other, &id);
    }
    let login = json!({ "email": "new@example.com", "password": "correct horse battery" });
    server.client.post("/app/v1/login").json(&login).send().expect(200);
    assert_eq!(refused(&server, "body_budget"), 0);
    drop(stalled);
}

on_both_databases! {
    fn a_key_revoked_while_a_body_is_on_its_way_carries_nothing_out(database) {
        let server = Setup::new().on(&database).start();
        let person = server.person();
        let organisation = server.organisation(&person, "Larkspur");
        let customers = format!("/api/v1/books/organisations/{organisation}/customers");
        let era = format!("Accept: application/json, text/event-stream\nMCP-Protocol-Version: {}", mcp::LEGACY);
        let tool = json!({ "name": "create_organisation", "arguments": { "name": "Willow" } });
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": tool });
        let cases = [
            ("/api/v1/reconciliations", "", costing(2)),
            ("/api/v1/coding/coding-jobs", "", crate::support::coding::request(&[crate::support::coding::transaction("-1.00")])),
            (customers.as_str(), "", json!({ "name": "Customer" }).to_string()),
            ("/mcp", era.as_str(), message.to_string()),
        ];
        let key = || server.key(&person, &ALL_SCOPES);
        for (path, headers, body) in &cases {
            // As it is when nothing is revoked.
            let kept = key();
            let (status, _) = Halfway::begin(&server, &kept.plaintext, path, headers, body).end();
            assert!((200..300).contains(&status), "{path}: {status}");
            let revoked = key();
            let halfway = Halfway::begin(&server, &revoked.plaintext, path, headers, body);
            server.client.delete(&format!("/api/v1/keys/{}", revoked.id)).session(&person).send().expect(200);
            assert_eq!(halfway.end(), (401, "unauthorized".to_owned()), "{path}");
            let connected = connect(&server, &person, &Ticks { scopes: &ALL_SCOPES, organisations: None });
            let halfway = Halfway::begin(&server, &connected.access, path, headers, body);
            connected.revoke(&server);
            assert_eq!(halfway.end(), (401, "unauthorized".to_owned()), "{path} of a connection");
        }
        let kept = server.key(&person, &RECONCILE);
        until("the jobs end", || (server.rows_of("job where completed_at is null") == 0).then_some(()));
        assert_eq!((server.rows_of("job"), server.rows_of("contact"), server.rows_of("organisation")), (2, 1, 2));
        assert_eq!(server.credits(&kept), (997, 0));
    }
}
