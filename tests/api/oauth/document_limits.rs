//! Nobody makes this service hammer another: what failed rests, a host and a person have so many documents a minute, and so many
//! are fetched at once.

use std::time::Duration;

use super::*;
use crate::support::documents::{Served, Site, document};
use crate::support::server::Setup;
use crate::support::until;

const CLIENT: &str = "https://app.agents.example/client";

fn server(site: &Site) -> TestServer {
    Setup::new().client_documents(site.options()).start()
}

fn asked(server: &TestServer, person: &Person, client_id: &str) -> Answer {
    let challenge = challenge(VERIFIER);
    authorize(server, person, &pairs(&request_of(client_id, &challenge)))
}

/// The page of a limit, which leads nowhere.
#[track_caller]
fn limited(answer: &Answer, status: u16, wait_s: i64) {
    assert_eq!((answer.status, answer.header("location")), (status, None), "{answer}");
    assert_eq!(i64::try_from(answer.number("retry-after")), Ok(wait_s), "{answer}");
}

#[test]
fn what_failed_is_asked_for_again_after_a_minute() {
    let site = Site::start();
    let server = server(&site);
    let person = server.person();
    for (broken, words) in [
        (Served::Bytes(b"HTTP/1.1 500 Failed\r\nContent-Length: 0\r\n\r\n".to_vec()), "status 200"),
        (Served::Bytes(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec()), "could not be fetched"),
    ] {
        site.serve("/client", broken);
        let failed = asked(&server, &person, CLIENT);
        assert!(failed.status == 400 && failed.text().contains(words), "{failed}");
        assert_eq!(site.asked().connections, 1);
        // Mended, but nobody looks yet, whoever comes.
        site.serve_json(CLIENT, &document(CLIENT));
        server.advance_ms(59_999);
        for person in [&person, &server.person()] {
            let again = asked(&server, person, CLIENT);
            assert!(again.status == 400 && again.text().contains(words), "{again}");
        }
        assert_eq!(site.asked(), Default::default());
        server.advance_ms(1);
        assert_eq!(asked(&server, &person, CLIENT).status, 200);
        assert_eq!(site.asked().connections, 1);
        // Kept for five minutes.
        server.advance_s(300);
    }
    // Another document of the same host does not rest with it.
    site.serve("/client", Served::Bytes(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec()));
    let other = "https://app.agents.example/other";
    site.serve_json(other, &document(other));
    assert_eq!(asked(&server, &person, CLIENT).status, 400);
    assert_eq!(asked(&server, &person, other).status, 200);
}

#[test]
fn a_person_has_ten_documents_fetched_a_minute_and_a_host_gives_twenty() {
    let site = Site::start();
    let server = server(&site);
    let people = [server.person(), server.person(), server.person()];
    let url = |host: &str, at: usize| {
        let client_id = format!("https://{host}.agents.example/{at}");
        site.serve_json(&client_id, &document(&client_id));
        client_id
    };
    for at in 0..10 {
        assert_eq!(asked(&server, &people[0], &url("one", at)).status, 200);
    }
    // What is kept already is no fetch, and clients that were registered are none.
    assert_eq!(asked(&server, &people[0], &url("one", 0)).status, 200);
    assert_eq!(asked(&server, &people[0], &client_at(&server, REDIRECT_URI)).status, 200);
    limited(&asked(&server, &people[0], &url("two", 0)), 429, 60);
    for at in 10..20 {
        assert_eq!(asked(&server, &people[1], &url("one", at)).status, 200);
    }
    assert_eq!(site.asked().connections, 20);
    server.advance_s(1);
    limited(&asked(&server, &people[2], &url("one", 20)), 429, 59);
    assert_eq!(asked(&server, &people[2], &url("two", 1)).status, 200);
    let once = site.asked();
    assert_eq!((once.looked_up, once.connections), (vec!["two.agents.example".to_owned()], 1));
    server.advance_s(59);
    assert_eq!(asked(&server, &people[0], &url("two", 0)).status, 200);
    assert_eq!(asked(&server, &people[2], &url("one", 20)).status, 200);
    // Refusals are counted by their codes.
    let metrics = server.operators().get("/metrics").send_plain();
    assert!(metrics.text().contains("oauth_refusals_total{error=\"slow_down\"} 2"), "{metrics}");
}

#[test]
fn a_person_waits_for_two_documents_at_once() {
    let site = Site::start();
    let server = server(&site);
    let (person, other) = (server.person(), server.person());
    let urls = ["https://a.agents.example/1", "https://b.agents.example/2", "https://c.agents.example/3"];
    for url in urls {
        site.serve_json(url, &document(url));
    }
    site.hold_names();
    std::thread::scope(|scope| {
        let under_way = urls[..2].iter().map(|url| scope.spawn(|| asked(&server, &person, url)));
        let under_way: Vec<_> = under_way.collect();
        until("two names are looked up", || (site.names_looked_up() == 2).then_some(()));
        limited(&asked(&server, &person, urls[2]), 503, 1);
        assert_eq!(site.names_looked_up(), 2);
        // Somebody else need not wait for them.
        let of_other = scope.spawn(|| asked(&server, &other, urls[2]));
        until("a third name is looked up", || (site.names_looked_up() == 3).then_some(()));
        site.release_names();
        for answered in under_way.into_iter().chain([of_other]) {
            let answer = answered.join().expect("an answer");
            assert_eq!(answer.status, 200, "{answer}");
        }
    });
    assert_eq!(asked(&server, &person, urls[2]).status, 200);
}

#[test]
fn names_that_take_forever_keep_four_places_and_nobody_longer_than_the_deadline() {
    let site = Site::start();
    let options = bookkeeping_suite::http::oauth::documents::FetchOptions {
        deadline: Duration::from_millis(100),
        ..site.options()
    };
    let server = Setup::new().client_documents(options).start();
    site.hold_names();
    for person in [server.person(), server.person()] {
        for at in 0..2 {
            let client_id = format!("https://slow{at}.agents.example/{}", person.user_id);
            let answer = asked(&server, &person, &client_id);
            assert!(answer.status == 400 && answer.text().contains("could not be fetched"), "{answer}");
        }
        // Nobody takes more than two by not waiting for them.
        limited(&asked(&server, &person, CLIENT), 503, 1);
    }
    // The look-ups go on, and a fifth is not begun beside them.
    assert_eq!(site.names_looked_up(), 4);
    limited(&asked(&server, &server.person(), CLIENT), 503, 1);
    assert_eq!(site.names_looked_up(), 4);
    site.release_names();
    let refused = until("a place is free", || {
        let answer = asked(&server, &server.person(), "https://free.agents.example/none");
        (answer.status == 400).then_some(answer)
    });
    assert!(refused.text().contains("status 200") || refused.text().contains("could not be fetched"), "{refused}");
    // Found too late, they were not connected to.
    let once = site.asked();
    assert!(once.connections <= 1, "{once:?}");
}
