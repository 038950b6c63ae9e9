//! Stopping and starting again: accepted jobs are neither lost nor charged twice, and one folder has one server.

use std::io::{Read as _, Write as _};

use serde_json::json;

use crate::support::data::costing;
use crate::support::gate::{Tell, gate};
use crate::support::product::{JobProduct as _, everywhere, for_both_products};
use crate::support::server::Setup;
use crate::support::until;

everywhere! {
    fn jobs_that_ran_or_waited_when_the_server_stopped_are_finished_by_the_next(database, product) {
        let (gate, work) = gate(product);
        let setup = Setup::of(product).on(&database).settings(|settings| settings.shutdown_grace_s = Some(0));
        let server = setup.clone().engine(work).may_leave_jobs().start();
        let (_, key) = server.submitter();
        let running = server.submit(&key, product.costing(2));
        assert_eq!(gate.started(), running);
        let waiting = server.submit(&key, product.costing(3));
        let folder = server.folder();
        server.stop();
        let server = setup.folder(folder).start();
        for (id, cost) in [(&running, 2), (&waiting, 3)] {
            let job = server.ended(&key, id);
            assert_eq!((&job["status"], &job["credits_charged"]), (&json!("completed"), &json!(cost)));
        }
        assert_eq!(server.credits(&key), (995, 0));
    }

    fn jobs_found_at_the_start_run_once_each_and_in_order(database, product) {
        let (gate, work) = gate(product);
        let setup = Setup::of(product).on(&database).settings(|settings| settings.shutdown_grace_s = Some(0));
        let server = setup.clone().engine(work).may_leave_jobs().start();
        let (_, key) = server.submitter();
        let submitted: Vec<String> = (0..4).map(|_| server.submit(&key, product.costing(1))).collect();
        assert_eq!(gate.started(), submitted[0]);
        let folder = server.folder();
        server.stop();
        // The interrupted one is first again.
        let (gate, work) = crate::support::gate::gate(product);
        let server = setup.folder(folder).engine(work).start();
        for id in &submitted {
            assert_eq!(&gate.started(), id);
            gate.tell(Tell::Complete);
        }
        for id in &submitted {
            assert_eq!(server.ended(&key, id)["credits_charged"], 1);
        }
        assert_eq!(gate.started_already(), None, "a job was started twice");
        assert_eq!(server.credits(&key), (996, 0));
    }

    fn a_running_job_gets_the_grace_to_end(database, product) {
        let (gate, work) = gate(product);
        let setup = Setup::of(product).on(&database).settings(|settings| settings.shutdown_grace_s = Some(60));
        let server = setup.clone().engine(work).may_leave_jobs().start();
        let (_, key) = server.submitter();
        let running = server.submit(&key, product.costing(2));
        gate.started();
        let waiting = server.submit(&key, product.costing(3));
        let folder = server.folder();
        let address = server.client.address().to_owned();
        std::thread::scope(|scope| {
            scope.spawn(|| server.stop());
            // It has begun to stop when nobody is let in any more.
            until("the listener is closed", || std::net::TcpStream::connect(&address).is_err().then_some(()));
            gate.tell(Tell::Complete);
        });
        assert_eq!(gate.started_already(), None, "no further job is begun while stopping");
        // The next server has an engine that fails everything, so that what completed was completed before.
        let (next_gate, work) = crate::support::gate::gate(product);
        let server = setup.folder(folder).engine(work).start();
        assert_eq!(next_gate.started(), waiting);
        next_gate.tell(Tell::Fail);
        assert_eq!(server.ended(&key, &waiting)["status"], "failed");
        let job = server.ended(&key, &running);
        assert_eq!((&job["status"], &job["credits_charged"]), (&json!("completed"), &json!(2)));
        assert_eq!(server.credits(&key), (998, 0));
    }

    fn keys_balances_and_results_outlive_the_server(database, product) {
        let setup = Setup::of(product).on(&database);
        let server = setup.clone().start();
        let person = server.person_with(10, 3, false);
        let (key, revoked) = (server.key(&person, &product.scopes()), server.key(&person, &product.scopes()));
        server.client.get("/api/v1/me").key(&revoked).send().expect(200);
        server.client.delete(&format!("/api/v1/keys/{}", revoked.id)).session(&person).send().expect(200);
        let id = server.submit(&key, product.costing(4));
        let poll = server.ended_answer(&key, &id).text();
        let listed = server.client.get("/api/v1/keys").session(&person).send().expect(200);
        let folder = server.folder();
        server.stop();
        let server = setup.folder(folder).start();
        assert_eq!(server.credits(&key), (6, 3));
        assert_eq!(server.poll(&key, &id).text(), poll);
        server.client.get("/api/v1/me").key(&revoked).send().refused(401, "unauthorized");
        let now = server.client.get("/api/v1/keys").session(&person).send().expect(200);
        // The revoked one was last used before the stop, and that was written.
        assert_eq!(now["keys"][0], listed["keys"][0]);
        assert!(listed["keys"][0]["last_used_at"].is_string(), "{listed}");
    }
}

for_both_products! {
    fn a_submission_in_flight_when_the_stop_begins_is_answered_and_kept(product) {
        let setup = Setup::of(product).settings(|settings| settings.shutdown_grace_s = Some(60));
        let server = setup.clone().may_leave_jobs().start();
        let (_, key) = server.submitter();
        let folder = server.folder();
        let address = server.client.address().to_owned();
        let body = product.costing(2);
        let (first, rest) = body.split_at(body.len() / 2);
        let mut connection = std::net::TcpStream::connect(&address).unwrap();
        connection.set_read_timeout(Some(std::time::Duration::from_secs(30))).unwrap();
        let (path, key_text, length) = (product.path(), &key.plaintext, body.len());
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nX-API-Key: {key_text}\r\nContent-Length: {length}\r\n\r\n{first}"
        );
        connection.write_all(head.as_bytes()).unwrap();
        // Taken up by the service before the stop: the window of the key has counted it.
        let mut asked = 0;
        until("the request has arrived", || {
            asked += 1;
            let me = server.client.get("/api/v1/me").key(&key).send();
            (me.number("ratelimit-limit") - me.number("ratelimit-remaining") > asked).then_some(())
        });
        let answer = std::thread::scope(|scope| {
            scope.spawn(|| server.stop());
            until("the listener is closed", || std::net::TcpStream::connect(&address).is_err().then_some(()));
            connection.write_all(rest.as_bytes()).unwrap();
            let mut answer = String::new();
            connection.read_to_string(&mut answer).unwrap();
            answer
        });
        assert!(answer.starts_with("HTTP/1.1 202 "), "{answer}");
        let id = answer.split('"').skip_while(|word| *word != product.id_field()).nth(2).expect("an id").to_owned();
        let server = setup.folder(folder).start();
        assert_eq!(server.ended(&key, &id)["credits_charged"], 2);
    }

    fn stops_are_no_fault_of_the_job_that_they_interrupt(product) {
        let mut setup = Setup::of(product).settings(|settings| settings.shutdown_grace_s = Some(0));
        let server = setup.clone().start();
        let (_, key) = server.submitter();
        setup = setup.folder(server.folder());
        server.stop();
        let mut id = String::new();
        for interruption in 0..5 {
            let (gate, work) = gate(product);
            let server = setup.clone().engine(work).may_leave_jobs().start();
            if interruption == 0 {
                id = server.submit(&key, product.costing(2));
            }
            assert_eq!(gate.started(), id);
            server.stop();
        }
        let server = setup.start();
        let job = server.ended(&key, &id);
        assert_eq!((&job["status"], &job["credits_charged"]), (&json!("completed"), &json!(2)));
        assert_eq!(server.credits(&key), (998, 0));
    }
}

#[test]
fn one_database_is_served_by_one_server() {
    let setup = Setup::new();
    let server = setup.clone().start();
    let (_, key) = server.submitter();
    let setup = setup.folder(server.folder());
    let refused = setup.clone().try_start().err().expect("a second server on the folder");
    assert!(format!("{refused:#}").contains("setting database_url: "), "{refused:#}");
    // Nor by one with a folder of its own.
    let database = format!("sqlite://{}", server.folder().path().join("data/bookkeeping.db").display());
    let elsewhere = Setup::new().settings(|settings| settings.database_url = Some(database));
    let refused = elsewhere.try_start().err().expect("a second server on the database");
    assert!(format!("{refused:#}").contains("setting database_url: "), "{refused:#}");
    server.run(&key, costing(1));
    server.stop();
    let server = setup.start();
    until("the key is known", || (server.credits(&key) == (999, 0)).then_some(()));
}
