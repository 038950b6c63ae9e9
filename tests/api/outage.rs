//! The database goes away and comes back (PostgreSQL; a SQLite file does not).

use serde_json::json;

use crate::support::client::Client;
use crate::support::data::costing;
use crate::support::database::Database;
use crate::support::product::{JobProduct as _, for_both_products};
use crate::support::server::{RECONCILE, Setup, TestServer};
use crate::support::until;

fn health(server: &TestServer) -> String {
    server.client.get("/api/v1/health").send().expect(200)["status"].as_str().unwrap_or_default().to_owned()
}

fn ready(operators: &Client) -> u16 {
    operators.get("/readyz").send_plain().status
}

#[test]
fn without_its_database_the_service_says_busy_and_goes_on_when_it_is_back() {
    let Some(database) = Database::postgresql() else { return };
    let server = Setup::new().on(&database).start();
    let person = server.person_with(10, 0, false);
    let key = server.key(&person, &RECONCILE);
    let job = server.submit(&key, costing(1));
    let before = server.ended_answer(&key, &job).text();
    assert_eq!((server.credits(&key), health(&server)), ((9, 0), "ok".to_owned()));
    let operators = server.operators();
    until("ready", || (ready(&operators) == 200).then_some(()));

    database.set_reachable(false);
    until("health is degraded", || (health(&server) == "degraded").then_some(()));
    until("not ready", || (ready(&operators) == 503).then_some(()));
    // From memory while there are leased permits left, then busy: the limit holds over all processes together.
    let me = server.client.get("/api/v1/me").key(&key).send();
    assert!(me.status == 200 || me.status == 503, "{me}");
    for _ in 0..3 {
        server.poll(&key, &job).refused(503, "busy");
        server.submission(&key, costing(1)).refused(503, "busy");
        let request = json!({ "name": "n", "scopes": ["books:read"] });
        server.client.post("/api/v1/keys").session(&person).json(&request).send().refused(503, "busy");
    }
    assert_eq!(operators.get("/healthz").send_plain().status, 200);

    database.set_reachable(true);
    until("health is ok", || (health(&server) == "ok").then_some(()));
    until("ready", || (ready(&operators) == 200).then_some(()));
    assert_eq!(server.poll(&key, &job).text(), before);
    assert_eq!(server.run(&key, costing(2))["credits_charged"], 2);
    assert_eq!(server.credits(&key), (7, 0));
    let listed = server.client.get("/api/v1/keys").session(&person).send().expect(200);
    assert_eq!(listed["keys"].as_array().unwrap().len(), 1, "what was refused was not written");
}

for_both_products! {
    fn a_job_that_runs_while_the_database_is_away_is_finished_and_charged_once(product) {
        let Some(database) = Database::postgresql() else { return };
        let (mut gate, work) = crate::support::gate::gate(product);
        let server = Setup::of(product).on(&database).engine(work).start();
        let (_, key) = server.submitter();
        let id = server.submit(&key, product.costing(3));
        assert_eq!(gate.started(), id);
        database.set_reachable(false);
        until("health is degraded", || (health(&server) == "degraded").then_some(()));
        gate.open();
        database.set_reachable(true);
        until("health is ok", || (health(&server) == "ok").then_some(()));
        assert_eq!(server.ended(&key, &id)["credits_charged"], 3);
        assert_eq!(server.credits(&key), (997, 0));
    }
}

#[test]
fn cached_keys_are_not_trusted_for_ever() {
    let Some(database) = Database::postgresql() else { return };
    let server = Setup::new().on(&database).settings(|settings| settings.key_staleness_limit_s = Some(1)).start();
    let (_, key) = server.submitter();
    server.client.get("/api/v1/me").key(&key).send().expect(200);
    database.set_reachable(false);
    let me = || server.client.get("/api/v1/me").key(&key).send();
    // Nobody learns from it which keys are good: at first a bad one is refused, then nothing is said about any.
    let nonsense = || server.client.get("/api/v1/me").bearer("key_nonsense").send();
    until("keys are no longer trusted", || (nonsense().status == 503).then_some(()));
    nonsense().refused(503, "busy");
    me().refused(503, "busy");
    server.client.get("/api/v1/health").send().expect(200);
    database.set_reachable(true);
    until("keys are trusted again", || (me().status == 200).then_some(()));
}
