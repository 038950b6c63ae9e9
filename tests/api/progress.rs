//! `GET /app/v1/progress`: the socket a browser listens on while its jobs run.

use serde_json::{Value, json};

use crate::support::client::keys;
use crate::support::data::costing;
use crate::support::gate::{Tell, gate};
use crate::support::product::{JobProduct as _, for_both_products};
use crate::support::server::{RECONCILE, Setup, TestServer};
use crate::support::socket::open;
use crate::support::until;

#[test]
fn the_token_comes_in_the_header_or_as_a_subprotocol() {
    let server = TestServer::start();
    let person = server.person();
    let bearer = format!("Bearer {}", person.session);
    let socket = open(&server, "", &[("Authorization", &bearer)]).expect("open");
    assert_eq!(socket.response.headers().get("sec-websocket-protocol"), None);
    socket.close();
    let protocols = format!("bearer, {}", person.session);
    let socket = open(&server, "", &[("Sec-WebSocket-Protocol", &protocols)]).expect("open");
    // The word is echoed, the token never.
    assert_eq!(socket.response.headers().get("sec-websocket-protocol").unwrap(), "bearer");
    socket.close();
}

#[test]
fn without_a_good_session_there_is_no_socket() {
    let server = TestServer::start();
    let (person, key) = server.submitter();
    let query = format!("?token={0}&access_token={0}", person.session);
    let api_key = format!("Bearer {}", key.plaintext);
    let refused = |query: &str, headers: &[(&str, &str)], code: &str| {
        let refused = open(&server, query, headers).err().unwrap_or_else(|| panic!("{query} {headers:?} was let in"));
        assert_eq!((refused.status, &refused.body["error"]["code"]), (401, &json!(code)), "{headers:?}");
        assert_eq!(refused.body["request_id"].as_str(), refused.request_id.as_deref());
    };
    refused("", &[], "unauthorized");
    refused(&query, &[], "unauthorized");
    refused("", &[("Authorization", "Bearer nonsense")], "invalid_token");
    refused("", &[("Authorization", &api_key)], "invalid_token");
    refused("", &[("Sec-WebSocket-Protocol", "bearer, nonsense")], "invalid_token");
    server.advance_s(3_700);
    refused("", &[("Authorization", &format!("Bearer {}", person.session))], "invalid_token");
}

#[test]
fn only_pages_of_the_service_itself_may_open_it() {
    let server = TestServer::start();
    let person = server.person();
    let bearer = format!("Bearer {}", person.session);
    for origin in ["https://evil.example", "null", "http://127.0.0.1:1", &format!("{}.evil.example", server.url())] {
        let refused = open(&server, "", &[("Authorization", &bearer), ("Origin", origin)]);
        let refused = refused.err().unwrap_or_else(|| panic!("{origin} was let in"));
        assert_eq!((refused.status, &refused.body["error"]["code"]), (403, &json!("forbidden")), "{origin}");
    }
    let own = server.url().to_owned();
    open(&server, "", &[("Authorization", &bearer), ("Origin", &own)]).expect("open").close();
}

#[test]
fn a_session_has_so_many_sockets_and_a_place_is_free_again() {
    let server = TestServer::start();
    let person = server.person();
    let bearer = format!("Bearer {}", person.session);
    let mut sockets: Vec<_> =
        (0..8).map(|_| open(&server, "", &[("Authorization", &bearer)]).expect("one of eight")).collect();
    let refused = open(&server, "", &[("Authorization", &bearer)]).err().expect("one too many");
    let details = json!({ "reason": "limit_reached", "limit": 8 });
    assert_eq!((refused.status, &refused.body["error"]["code"]), (409, &json!("conflict")));
    assert_eq!(refused.body["error"]["details"], details);
    // Another session of the same person has its own.
    let other = format!("Bearer {}", server.session_of(&person));
    open(&server, "", &[("Authorization", &other)]).expect("open").close();
    sockets.pop().expect("a socket").close();
    open(&server, "", &[("Authorization", &bearer)]).expect("in the place of the one that was closed").close();
}

#[test]
fn the_sessions_of_a_person_have_so_many_sockets_together() {
    let server = Setup::new().settings(|settings| settings.max_sockets_per_session = Some(1)).start();
    let (person, other) = (server.person(), server.person());
    let open_for = |session: &str| open(&server, "", &[("Authorization", &format!("Bearer {session}"))]);
    let sessions: Vec<String> = (0..5).map(|_| server.session_of(&person)).collect();
    let mut sockets: Vec<_> = sessions[..4].iter().map(|session| open_for(session).expect("one of four")).collect();
    let refused = open_for(&sessions[4]).err().expect("one too many");
    assert_eq!((refused.status, &refused.body["error"]["details"]["limit"]), (409, &json!(4)));
    open_for(&other.session).expect("somebody else").close();
    sockets.pop().expect("a socket").close();
    open_for(&sessions[4]).expect("in the place of the one that was closed").close();
}

#[test]
fn who_says_more_than_anybody_has_to_is_cut_off() {
    let server = TestServer::start();
    let person = server.person();
    let bearer = format!("Bearer {}", person.session);
    let mut socket = open(&server, "", &[("Authorization", &bearer)]).expect("open");
    for number in 0..3 {
        socket.send_part(number == 0, &[b'x'; 2_000]);
    }
    assert_eq!(socket.closed(), Some(1009), "a message that does not end");
    // Short ones are taken and do not matter, however many there are.
    let mut socket = open(&server, "", &[("Authorization", &bearer)]).expect("open");
    for _ in 0..5 {
        socket.send_part(true, &[b'x'; 2_000]);
        socket.end_message(&[b'x'; 1_000]);
    }
    socket.close();
}

#[test]
fn a_socket_ends_with_its_session() {
    let server = TestServer::start();
    let person = server.person();
    let bearer = format!("Bearer {}", person.session);
    let mut socket = open(&server, "", &[("Authorization", &bearer)]).expect("open");
    server.advance_s(3_700);
    assert_eq!(socket.closed(), Some(1008));
}

#[test]
fn a_plain_request_is_told_that_this_is_a_socket() {
    let server = TestServer::start();
    let person = server.person();
    let answer = server.client.get("/app/v1/progress").session(&person).send();
    assert!((400..500).contains(&answer.status), "{answer}");
}

for_both_products! {
    fn a_person_hears_of_their_own_jobs_from_start_to_end(product) {
        let (gate, work) = gate(product);
        let server = Setup::of(product).engine(work).start();
        let ((person, key), (_, foreign_key)) = (server.submitter(), server.submitter());
        let bearer = format!("Bearer {}", person.session);
        let mut socket = open(&server, "", &[("Authorization", &bearer)]).expect("open");
        let foreign = server.submit(&foreign_key, product.costing(1));
        assert_eq!(gate.started(), foreign);
        let own = server.submit(&key, product.costing(3));
        gate.tell(Tell::Complete);
        assert_eq!(gate.started(), own);
        gate.tell(Tell::Progress(2));
        gate.tell(Tell::Complete);
        let heard = socket.until(&own, "completed");
        for message in &heard {
            assert_eq!(keys(message), ["id", "product", "rows_done", "rows_total", "status", "type"]);
            assert_eq!((&message["type"], &message["product"]), (&json!("job"), &json!(product.as_str())));
            assert_eq!(message["id"], own.as_str(), "nothing of other people's jobs");
        }
        let statuses: Vec<&Value> = heard.iter().map(|message| &message["status"]).collect();
        assert_eq!(statuses.last().unwrap(), &"completed");
        assert!(statuses.contains(&&json!("processing")), "{statuses:?}");
        let last = heard.last().unwrap();
        assert_eq!(last["rows_done"], last["rows_total"]);
        let done: Vec<u64> = heard.iter().map(|message| message["rows_done"].as_u64().unwrap()).collect();
        assert!(done.is_sorted(), "{done:?}");
        socket.close();
    }

    fn open_jobs_are_told_on_connect(product) {
        let (mut gate, work) = gate(product);
        let server = Setup::of(product).engine(work).start();
        let (person, key) = server.submitter();
        let running = server.submit(&key, product.costing(4));
        gate.started();
        let waiting = server.submit(&key, product.costing(1));
        gate.tell(Tell::Progress(3));
        until("the progress shows", || {
            (server.poll(&key, &running).value()["progress"]["rows_done"] == 3).then_some(())
        });
        let bearer = format!("Bearer {}", person.session);
        let mut socket = open(&server, "", &[("Authorization", &bearer)]).expect("open");
        let told = [socket.next(), socket.next()];
        for (id, status, rows_done) in [(&running, "processing", 3), (&waiting, "queued", 0)] {
            let message = told.iter().find(|message| message["id"] == id.as_str()).expect("told of");
            assert_eq!((&message["status"], &message["rows_done"]), (&json!(status), &json!(rows_done)), "{message}");
        }
        // What ended before is no news.
        gate.open();
        socket.until(&waiting, "completed");
        let mut late = open(&server, "", &[("Authorization", &bearer)]).expect("open");
        let next = server.submit(&key, product.costing(1));
        assert_eq!(late.next()["id"], next.as_str());
        late.until(&next, "completed");
        late.close();
        socket.close();
    }

    fn progress_is_told_at_most_four_times_a_second(product) {
        let (gate, work) = gate(product);
        let server = Setup::of(product).engine(work).start();
        let (person, key) = server.submitter();
        let bearer = format!("Bearer {}", person.session);
        let mut socket = open(&server, "", &[("Authorization", &bearer)]).expect("open");
        let id = server.submit(&key, product.costing(50));
        gate.started();
        let report = |rows_done: u64| {
            gate.tell(Tell::Progress(rows_done));
            until("the progress shows", || {
                (server.poll(&key, &id).value()["progress"]["rows_done"] == rows_done).then_some(())
            });
        };
        // A quarter of a second apart at least, by the clock of the service: 1, then 11, then 21 are told.
        for rows_done in 1..=10 {
            report(rows_done);
        }
        server.advance_ms(250);
        for rows_done in 11..=20 {
            report(rows_done);
        }
        server.advance_ms(250);
        report(21);
        server.advance_ms(249);
        report(22);
        gate.tell(Tell::Complete);
        let heard = socket.until(&id, "completed");
        let mut done: Vec<u64> = heard.iter().map(|message| message["rows_done"].as_u64().unwrap()).collect();
        done.dedup();
        assert_eq!(done, [0, 1, 11, 21, product.rows_total(50)], "{heard:?}");
        socket.close();
    }
}

#[test]
fn a_service_that_stops_says_goodbye_to_open_sockets() {
    // Sockets that were left open would hold the stop up for the whole grace.
    let server = Setup::new().settings(|settings| settings.shutdown_grace_s = Some(60)).start();
    let person = server.person();
    let key = server.key(&person, &RECONCILE);
    let bearer = format!("Bearer {}", person.session);
    let mut socket = open(&server, "", &[("Authorization", &bearer)]).expect("open");
    server.run(&key, costing(1));
    std::thread::scope(|scope| {
        scope.spawn(|| server.stop());
        assert_eq!(socket.closed(), Some(1001), "going away");
    });
}

#[test]
fn the_origin_is_compared_with_the_public_address() {
    let server =
        Setup::new().settings(|settings| settings.base_url = Some("https://books.example.com/".into())).start();
    let person = server.person();
    let bearer = format!("Bearer {}", person.session);
    let with = |origin: &str| open(&server, "", &[("Authorization", &bearer), ("Origin", origin)]);
    with("https://books.example.com").expect("open").close();
    for origin in ["http://books.example.com", "https://books.example.com:8443", server.url()] {
        assert_eq!(with(origin).err().map(|refused| refused.status), Some(403), "{origin}");
    }
}
