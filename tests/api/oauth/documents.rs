//! Clients that are known by the address of their description: the whole way, how long a description is kept, and what the
//! person is shown.

use super::*;
use crate::support::database::on_both_databases;
use crate::support::documents::{Served, Site, document};
use crate::support::server::Setup;

/// The client of most tests.
const CLIENT: &str = "https://app.agents.example/client.json";

const READ: Ticks<'static> = Ticks { scopes: &["books:read"], organisations: None };

fn site() -> Site {
    let site = Site::start();
    site.serve_json(CLIENT, &document(CLIENT));
    site
}

fn server(site: &Site) -> TestServer {
    Setup::new().client_documents(site.options()).start()
}

/// What a person who is signed in is answered whom the client sends.
fn asked(server: &TestServer, person: &Person, client_id: &str) -> Answer {
    asked_at(server, person, client_id, REDIRECT_URI)
}

fn asked_at(server: &TestServer, person: &Person, client_id: &str, redirect_uri: &str) -> Answer {
    let challenge = challenge(VERIFIER);
    let request = with(&request_of(client_id, &challenge), &[("redirect_uri", redirect_uri)]);
    authorize(server, person, &pairs(&request))
}

on_both_databases! {
    fn a_client_with_a_document_connects_refreshes_and_is_revoked(database) {
        let site = site();
        let server = Setup::new().on(&database).client_documents(site.options()).start();
        let person = server.person();
        let organisation = server.organisation(&person, "Larkspur Ltd");
        let organisations = [organisation];
        let ticks = Ticks { scopes: &["books:read", "books:write"], organisations: Some(&organisations) };
        let connected = connect_client(&server, &person, CLIENT, &ticks);
        assert_eq!(me(&server, &connected.access), 200);
        let once = site.asked();
        assert_eq!((once.looked_up.len(), once.connections, once.requests.len()), (1, 1, 1), "{once:?}");
        assert_eq!(once.routed, ["93.184.216.34:443".parse().unwrap()]);
        let request = once.requests[0].to_ascii_lowercase();
        assert!(request.starts_with("get /client.json http/1.1\r\n"), "{request}");
        assert!(request.contains("\r\nhost: app.agents.example\r\n"), "{request}");
        assert!(request.contains("\r\naccept: application/json\r\n"), "{request}");
        assert!(!["cookie", "authorization", "referer"].iter().any(|name| request.contains(name)), "{request}");
        // Tokens are exchanged without another look at the document.
        let next = Connected::of(CLIENT, &refresh(&server, CLIENT, &connected.refresh).expect(200));
        assert_eq!((me(&server, &next.access), me(&server, &connected.access)), (200, 200));
        // What is connected names the client by its address.
        let listed = server.client.get("/app/v1/connections").session(&person).send().expect(200);
        assert_eq!(listed["connections"][0]["client_id"], CLIENT);
        assert_eq!(listed["connections"][0]["client_name"], "Test agent");
        assert_eq!(listed["connections"][0]["redirect_host"], "agent.example");
        let page = as_person(server.client.get("/app/connections"), &person).send_plain();
        assert!(page.text().contains("<dt>Described at</dt><dd>app.agents.example</dd>"), "{page}");
        // Once more by the same person: the connection that is there is changed.
        let again = connect_client(&server, &person, CLIENT, &ticks);
        assert_eq!(server.rows_of("oauth_grant"), 1);
        // Another client, and a client of another kind, get nothing with its tokens.
        let other = client_at(&server, REDIRECT_URI);
        refused(&refresh(&server, &other, &again.refresh), 400, "invalid_grant");
        let elsewhere = "https://app.agents.example/other.json";
        refused(&refresh(&server, elsewhere, &again.refresh), 401, "invalid_client");
        // A client without a secret presents none.
        let with_secret = [
            ("grant_type", "refresh_token"), ("client_id", CLIENT), ("refresh_token", &*again.refresh), ("client_secret", "x"),
        ];
        refused(&token(&server, &with_secret), 401, "invalid_client");
        again.revoke(&server);
        for access in [&connected.access, &next.access, &again.access] {
            assert_eq!(me(&server, access), 401);
        }
        refused(&refresh(&server, CLIENT, &again.refresh), 400, "invalid_grant");
        assert_eq!(site.asked(), Default::default());
    }
}

#[test]
fn the_page_names_who_asks_and_where_the_answer_goes() {
    let site = site();
    let server = server(&site);
    let person = server.person();
    let page = asked(&server, &person, CLIENT);
    assert_eq!(page.status, 200, "{page}");
    for (what, host) in [("Who asks", "app.agents.example"), ("You will be sent back to", "agent.example")] {
        let named = format!("<dt>{what}</dt><dd><strong class=\"host\">{host}</strong>");
        assert!(page.text().contains(&named), "{page}");
    }
    // The name is still only what the application calls itself.
    assert!(page.text().contains("<q>Test agent</q>") && page.text().contains("nobody checked it"), "{page}");
    let registered = client_at(&server, REDIRECT_URI);
    assert!(!asked(&server, &person, &registered).text().contains("Who asks"));
    // A description is text whatever it holds, and so is the host of its address.
    let hostile = "https://x--evil.agents.example/client.json";
    let mut described = document(hostile);
    described["client_name"] = "</q><script>alert(1)</script>\u{202e}".into();
    site.serve_json(hostile, &described);
    let page = asked(&server, &person, hostile);
    assert!(page.text().contains("<q>&lt;/q&gt;&lt;script&gt;alert(1)&lt;/script&gt;</q>"), "{page}");
    assert!(page.text().contains("<strong class=\"host\">x--evil.agents.example</strong>"), "{page}");
}

#[test]
fn redirect_uris_are_those_of_the_document_with_any_port_on_this_machine() {
    let site = site();
    let server = server(&site);
    let person = server.person();
    let mut described = document(CLIENT);
    described["redirect_uris"] = json!([
        "http://127.0.0.1/callback",
        "http://localhost:3000/callback",
        "https://agent.example/callback",
        "cursor://anysphere.cursor-mcp/oauth/callback",
    ]);
    site.serve_json(CLIENT, &described);
    for uri in [
        "http://127.0.0.1:49152/callback",
        "http://localhost/callback",
        "https://agent.example/callback",
        "cursor://anysphere.cursor-mcp/oauth/callback",
    ] {
        let page = asked_at(&server, &person, CLIENT, uri);
        assert_eq!(page.status, 200, "{uri}: {page}");
        assert_eq!(page.text().contains("program on this computer"), !uri.starts_with("https"), "{uri}: {page}");
    }
    for uri in [
        "http://127.0.0.1:49152/other",
        "http://[::1]:49152/callback",
        "https://agent.example/callback/",
        "https://agent.example:8443/callback",
        "https://evil.example/callback",
        "javascript:alert(1)",
        "",
    ] {
        let page = asked_at(&server, &person, CLIENT, uri);
        assert_eq!((page.status, page.header("location")), (400, None), "{uri}: {page}");
    }
}

#[test]
fn a_document_is_kept_as_its_server_says_between_five_minutes_and_a_day() {
    let site = Site::start();
    let server = server(&site);
    for (at, (headers, kept_s)) in [
        ("", 300),
        ("Cache-Control: no-store\r\n", 300),
        ("Cache-Control: max-age=1\r\n", 300),
        ("Cache-Control: public\r\nCache-Control: max-age=3600\r\nAge: 600\r\n", 3_000),
        ("Cache-Control: max-age=99999999\r\n", 86_400),
    ]
    .into_iter()
    .enumerate()
    {
        let client_id = format!("https://app.agents.example/{at}");
        let headers = format!("Content-Type: application/json\r\n{headers}");
        site.serve_with(&client_id, &headers, &document(&client_id).to_string());
        assert_eq!(asked(&server, &server.person(), &client_id).status, 200);
        assert_eq!(site.asked().connections, 1, "{headers}");
        server.advance_s(kept_s - 1);
        // What one person's visit fetched counts for all.
        let person = server.person();
        assert_eq!(asked(&server, &person, &client_id).status, 200);
        assert_eq!(site.asked(), Default::default(), "{headers}");
        server.advance_s(1);
        assert_eq!(asked(&server, &person, &client_id).status, 200);
        assert_eq!(site.asked().connections, 1, "{headers}");
    }
}

#[test]
fn a_document_that_changed_counts_from_the_next_authorization_on() {
    let site = site();
    let server = server(&site);
    let person = server.person();
    let connected = connect_client(&server, &person, CLIENT, &READ);
    let waiting = asked(&server, &person, CLIENT);
    let mut changed = document(CLIENT);
    changed["client_name"] = "Another name".into();
    changed["redirect_uris"] = json!(["https://agent.example/elsewhere"]);
    site.serve_json(CLIENT, &changed);
    // What is kept counts until its time is over.
    assert_eq!(asked(&server, &person, CLIENT).status, 200);
    server.advance_s(300);
    assert_eq!(asked(&server, &person, CLIENT).status, 400);
    let page = asked_at(&server, &person, CLIENT, "https://agent.example/elsewhere");
    assert!(page.text().contains("<q>Another name</q>"), "{page}");
    // A page that was shown before leads nowhere that the client no longer names.
    let late = decide(&server, &person, &waiting, "allow", &READ);
    assert_eq!((late.status, late.header("location")), (400, None), "{late}");
    assert_eq!(server.rows_of("oauth_code"), 1);
    // What is connected stays connected.
    let next = Connected::of(CLIENT, &refresh(&server, CLIENT, &connected.refresh).expect(200));
    assert_eq!(me(&server, &next.access), 200);
    // So it does when the document is gone, and only a new authorization fails.
    site.serve("/client.json", Served::Bytes(b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n".to_vec()));
    server.advance_s(300);
    let gone = asked_at(&server, &person, CLIENT, "https://agent.example/elsewhere");
    assert_eq!((gone.status, gone.header("location")), (400, None), "{gone}");
    assert_eq!(refresh(&server, CLIENT, &next.refresh).status, 200);
}

#[test]
fn nothing_is_fetched_for_strangers() {
    let site = site();
    let server = server(&site);
    let challenge = challenge(VERIFIER);
    let query = pairs(&request_of(CLIENT, &challenge));
    let stranger = server.client.get(&format!("/oauth/authorize?{query}")).send_plain();
    assert_eq!(stranger.status, 303, "{stranger}");
    assert!(stranger.header("location").is_some_and(|to| to.starts_with("/app/sign-in?return_to=")), "{stranger}");
    // Nor is it for a redirect URI that no document could have, nor by any other way to name a client.
    let person = server.person();
    for uri in ["http://evil.example/callback", ""] {
        assert_eq!(asked_at(&server, &person, CLIENT, uri).status, 400);
    }
    refused(&refresh(&server, CLIENT, "ort_x"), 401, "invalid_client");
    let revocation = [("client_id", CLIENT), ("token", "ort_x")];
    refused(&form(&server, "/oauth/revoke", &revocation).send_plain(), 401, "invalid_client");
    assert_eq!(site.asked(), Default::default());
    assert_eq!(server.rows_of("oauth_client"), 0);
}

on_both_databases! {
    fn where_documents_are_off_such_a_client_is_unknown(database) {
        let site = site();
        let setup = Setup::new().on(&database).client_documents(site.options());
        let server = setup.settings(|settings| settings.oauth_client_metadata_documents = Some(false)).start();
        let person = server.person();
        let about = server.client.get("/.well-known/oauth-authorization-server").send().expect(200);
        assert!(about.get("client_id_metadata_document_supported").is_none(), "{about}");
        for client_id in [CLIENT, "https://127.0.0.1/client", "http://app.agents.example/client.json"] {
            let page = asked(&server, &person, client_id);
            assert_eq!((page.status, page.header("location")), (400, None), "{page}");
            assert!(page.text().contains("is not registered here"), "{page}");
            let challenge = challenge(VERIFIER);
            let query = pairs(&request_of(client_id, &challenge));
            let stranger = server.client.get(&format!("/oauth/authorize?{query}")).send_plain();
            assert_eq!(stranger.status, 400, "{stranger}");
            refused(&refresh(&server, client_id, "ort_x"), 401, "invalid_client");
        }
        assert_eq!(site.asked(), Default::default());
    }
}

#[test]
fn a_client_that_was_let_in_is_unknown_once_documents_are_off() {
    let site = site();
    let server = server(&site);
    let person = server.person();
    let connected = connect_client(&server, &person, CLIENT, &READ);
    let folder = server.folder();
    drop(server);
    let setup = Setup::new().client_documents(site.options()).folder(folder);
    let server = setup.settings(|settings| settings.oauth_client_metadata_documents = Some(false)).start();
    let person = Person { session: server.session_of(&person), ..person };
    assert_eq!(asked(&server, &person, CLIENT).status, 400);
    refused(&refresh(&server, CLIENT, &connected.refresh), 401, "invalid_client");
    // The person still sees it and can end it.
    let listed = server.client.get("/app/v1/connections").session(&person).send().expect(200);
    assert_eq!(listed["connections"][0]["client_id"], CLIENT);
}

#[test]
fn a_description_that_nobody_connected_with_is_deleted_and_comes_back() {
    let site = site();
    let server = server(&site);
    let person = server.person();
    connect_client(&server, &person, CLIENT, &READ);
    let unused = "https://app.agents.example/unused.json";
    site.serve_json(unused, &document(unused));
    assert_eq!(asked(&server, &person, unused).status, 200);
    assert_eq!(server.rows_of("oauth_client"), 2);
    // By the machine's clock, months after the server's.
    server.with_store(async |store| while store.writer.delete_expired_oauth().await.expect("deleted") {});
    assert_eq!(server.rows_of("oauth_client"), 1);
    site.asked();
    assert_eq!(asked(&server, &person, unused).status, 200);
    assert_eq!((server.rows_of("oauth_client"), site.asked().connections), (2, 1));
}
