//! Threat 27: a client's address that leads where it should not, and what it leads to.

use super::*;
use crate::support::documents::{Greeting, Served, Site, document};
use crate::support::server::Setup;

fn server(site: &Site) -> TestServer {
    Setup::new().client_documents(site.options()).start()
}

/// A person of its own for each case, so that no limit speaks first.
fn asked(server: &TestServer, client_id: &str) -> Answer {
    let challenge = challenge(VERIFIER);
    authorize(server, &server.person(), &pairs(&request_of(client_id, &challenge)))
}

/// The person is shown that it does not go on, and nothing is kept.
#[track_caller]
fn nothing_came_of_it(server: &TestServer, answer: &Answer, what: &str) {
    assert_eq!((answer.status, answer.header("location")), (400, None), "{what}: {answer}");
    assert!(answer.text().contains("This connection cannot be made"), "{what}: {answer}");
    assert_eq!((server.rows_of("oauth_client"), server.rows_of("oauth_request")), (0, 0), "{what}");
}

#[test]
fn an_address_of_a_bad_form_is_not_looked_up() {
    let site = Site::start();
    let server = server(&site);
    for client_id in [
        "http://app.agents.example/client",
        "HTTPS://app.agents.example/client",
        "ftp://app.agents.example/client",
        "file:///etc/passwd",
        "gopher://127.0.0.1:70/x",
        "https://app.agents.example",
        "https://app.agents.example/",
        "https://app.agents.example?client",
        "https://app.agents.example/client#fragment",
        "https://user@app.agents.example/client",
        "https://user:password@app.agents.example/client",
        "https://app.agents.example@127.0.0.1/client",
        "https://app.agents.example:8443/client",
        "https://app.agents.example:80/client",
        "https://app.agents.example:22/client",
        "https://app.agents.example/./client",
        "https://app.agents.example/../client",
        "https://app.agents.example/a/%2e%2e/client",
        "https://app.agents.example/a/.%2E/client",
        "https://app.agents.example\\@127.0.0.1/client",
        "https://app.agents.example/cli\r\nent",
        "https://APP.agents.example/client",
        "https://app.agents.example./client",
        "https://localhost/client",
        "https://app.localhost/client",
        "https://intranet/client",
        "https://printer.local/client",
        "https://metadata.google.internal/computeMetadata/v1/",
        "https://router.home.arpa/client",
        "https://127.0.0.1/client",
        "https://127.1/client",
        "https://2130706433/client",
        "https://0x7f000001/client",
        "https://0x7f.1/client",
        "https://017700000001/client",
        "https://169.254.169.254/latest/meta-data/",
        "https://10.0.0.1/client",
        "https://93.184.216.34/client",
        "https://[::1]/client",
        "https://[::ffff:127.0.0.1]/client",
        "https://[64:ff9b::7f00:1]/client",
        "https://[fd00::1]/client",
    ] {
        nothing_came_of_it(&server, &asked(&server, client_id), client_id);
    }
    let long = format!("https://app.agents.example/{}", "a".repeat(500));
    nothing_came_of_it(&server, &asked(&server, &long), "long");
    assert_eq!(site.asked(), Default::default());
}

#[test]
fn no_connection_is_made_to_an_address_that_is_not_public() {
    let site = Site::start();
    let server = server(&site);
    let cases: [&[&str]; 40] = [
        &["127.0.0.1"],
        &["127.255.255.254"],
        &["0.0.0.0"],
        &["0.1.2.3"],
        &["10.0.0.1"],
        &["100.64.0.1"],
        &["169.254.169.254"],
        &["172.16.0.1"],
        &["172.31.255.255"],
        &["192.0.0.1"],
        &["192.0.2.1"],
        &["192.88.99.1"],
        &["192.168.1.1"],
        &["198.18.0.1"],
        &["198.51.100.1"],
        &["203.0.113.1"],
        &["224.0.0.1"],
        &["240.0.0.1"],
        &["255.255.255.255"],
        &["::"],
        &["::1"],
        &["::ffff:127.0.0.1"],
        &["::ffff:10.0.0.1"],
        &["::ffff:169.254.169.254"],
        &["::127.0.0.1"],
        &["64:ff9b::127.0.0.1"],
        &["64:ff9b::10.0.0.1"],
        &["64:ff9b:1::93.184.216.34"],
        &["2002:7f00:1::1"],
        &["2002:a00:1::1"],
        &["2001:0:41d0:1:0:0:80ff:fffe"],
        &["2001:db8::1"],
        &["2606:4700:4700::5efe:10.0.0.1"],
        &["100::1"],
        &["fc00::1"],
        &["fd00::1"],
        &["fe80::1"],
        &["ff02::1"],
        // One that is not public among others that are, in either order.
        &["93.184.216.34", "127.0.0.1"],
        &["10.0.0.1", "2606:4700:4700::1111"],
    ];
    for (at, addresses) in cases.iter().enumerate() {
        let host = format!("h{at}.agents.example");
        let client_id = format!("https://{host}/client");
        site.serve_json(&client_id, &document(&client_id));
        site.locate(&host, addresses);
        let answer = asked(&server, &client_id);
        nothing_came_of_it(&server, &answer, &format!("{addresses:?}"));
        // Nobody learns from the page what the name stands for within.
        assert!(answer.text().contains("could not be fetched") && !answer.text().contains(addresses[0]), "{answer}");
        let once = site.asked();
        assert_eq!(once.looked_up, [host], "{addresses:?}");
        assert_eq!((once.routed.len(), once.connections), (0, 0), "{addresses:?}: {once:?}");
    }
    // A name without an address, too.
    site.locate("nowhere.agents.example", &[]);
    nothing_came_of_it(&server, &asked(&server, "https://nowhere.agents.example/client"), "no address");
    assert_eq!(site.asked().connections, 0);
}

#[test]
fn the_connection_is_made_to_what_was_checked_and_the_name_is_looked_up_once() {
    let site = Site::start();
    let server = server(&site);
    // A name that is public when it is looked up first, and inside from then on.
    for (at, addresses) in
        [&["93.184.216.34"][..], &["2606:4700:4700::1111"], &["64:ff9b::93.184.216.34", "93.184.216.34"]]
            .into_iter()
            .enumerate()
    {
        let host = format!("rebinding{at}.agents.example");
        let client_id = format!("https://{host}/client");
        site.serve_json(&client_id, &document(&client_id));
        site.locate_in_turn(&host, &[addresses, &["127.0.0.1"]]);
        assert_eq!(asked(&server, &client_id).status, 200);
        let once = site.asked();
        assert_eq!(once.looked_up, [host]);
        let checked: Vec<std::net::SocketAddr> =
            addresses.iter().map(|address| std::net::SocketAddr::new(address.parse().unwrap(), 443)).collect();
        assert_eq!((once.routed, once.connections), (checked, 1));
        // The next time it is inside, and refused.
        server.advance_s(300);
        let answer = asked(&server, &client_id);
        assert_eq!(answer.status, 400, "{answer}");
        let twice = site.asked();
        assert_eq!((twice.looked_up.len(), twice.routed.len(), twice.connections), (1, 0, 0), "{twice:?}");
    }
}

#[test]
fn a_site_that_does_not_prove_its_name_is_asked_nothing() {
    let site = Site::start();
    let server = server(&site);
    for (at, greeting) in
        [Greeting::OtherName, Greeting::Unknown, Greeting::Expired, Greeting::Plain, Greeting::Silence]
            .into_iter()
            .enumerate()
    {
        let client_id = format!("https://h{at}.agents.example/client");
        site.serve_json(&client_id, &document(&client_id));
        site.greet(greeting);
        nothing_came_of_it(&server, &asked(&server, &client_id), &client_id);
        let once = site.asked();
        assert_eq!((once.connections, once.requests.len()), (1, 0), "{at}: {once:?}");
    }
}

/// An answer of the site, and the words of the page about it.
fn answers(client_id: &str) -> Vec<(&'static str, Served, &'static str)> {
    let bytes = |head: &str, body: &str| {
        let length = body.len();
        Served::Bytes(format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes())
    };
    let good = document(client_id).to_string();
    let json = "Content-Type: application/json";
    let ok = |body: &str| bytes(&format!("200 OK\r\n{json}"), body);
    let raw = |text: String| Served::Bytes(text.into_bytes());
    let head = format!("HTTP/1.1 200 OK\r\n{json}\r\n");
    let long = format!("{}{}", &good, " ".repeat(8_193 - good.len()));
    let (status, media_type, no_object) = ("status 200", "Content-Type", "a JSON object in which no member is twice");
    let mut all = vec![
        ("moved for good", bytes(&format!("301 Moved\r\n{json}\r\nLocation: {client_id}2"), &good), status),
        ("found elsewhere", bytes(&format!("302 Found\r\n{json}\r\nLocation: /other"), &good), status),
        ("moved inside", bytes("307 Moved\r\nLocation: https://127.0.0.1/", ""), status),
        ("moved to plain http", bytes("308 Moved\r\nLocation: http://app.agents.example/", ""), status),
        ("not found", bytes(&format!("404 Not Found\r\n{json}"), &good), status),
        ("created", bytes(&format!("201 Created\r\n{json}"), &good), status),
        ("partial", bytes(&format!("206 Partial Content\r\n{json}"), &good), status),
        ("nothing", bytes("204 No Content", ""), status),
        ("failed", bytes(&format!("500 Failed\r\n{json}"), &good), status),
        ("no type", bytes("200 OK\r\nServer: x", &good), media_type),
        ("text", bytes("200 OK\r\nContent-Type: text/plain", &good), media_type),
        ("html", bytes("200 OK\r\nContent-Type: text/html; charset=utf-8", &good), media_type),
        ("almost JSON", bytes("200 OK\r\nContent-Type: application/jsonp", &good), media_type),
        ("JSON of another tree", bytes("200 OK\r\nContent-Type: text/json", &good), media_type),
        ("a suffix of nothing", bytes("200 OK\r\nContent-Type: application/+json", &good), media_type),
        ("two types", bytes(&format!("200 OK\r\n{json}\r\nContent-Type: text/html"), &good), media_type),
        ("compressed", bytes(&format!("200 OK\r\n{json}\r\nContent-Encoding: gzip"), &good), "Content-Encoding"),
        ("a byte too long", ok(&long), "longer than 8 KB"),
        ("long without a length", raw(format!("{head}\r\n{long}")), "longer than 8 KB"),
        (
            "long in pieces",
            raw(format!("{head}Transfer-Encoding: chunked\r\n\r\n2001\r\n{long}\r\n0\r\n\r\n")),
            "longer than 8 KB",
        ),
        ("endless headers", raw(format!("HTTP/1.1 200 OK\r\n{}", "X: y\r\n".repeat(50_000))), "could not be fetched"),
        ("no HTTP", raw("SSH-2.0-OpenSSH_9.6\r\n".to_owned()), "could not be fetched"),
        ("cut off", raw(format!("{head}Content-Length: 5000\r\n\r\n{good}")), "could not be fetched"),
        ("silence", Served::Silence, "could not be fetched"),
        ("headers without end", Served::Drip(head.clone().into_bytes()), "could not be fetched"),
        ("a body without end", Served::Drip(format!("{head}\r\n{good}").into_bytes()), "could not be fetched"),
        ("empty", ok(""), no_object),
        ("no JSON", ok("client_id=x"), no_object),
        ("a list", ok(&format!("[{good}]")), no_object),
        ("text in JSON", ok("\"x\""), no_object),
        ("two documents", ok(&format!("{good}{good}")), no_object),
        ("a byte order mark", ok(&format!("\u{feff}{good}")), no_object),
        ("deep", ok(&"[".repeat(4_000)), no_object),
        ("a member twice", ok(&good.replacen('{', &format!("{{\"client_id\":\"{client_id}\","), 1)), no_object),
        (
            "a member twice, one escaped",
            ok(&good.replacen('{', "{\"\\u0072edirect_uris\":[\"https://evil.example/\"],", 1)),
            no_object,
        ),
        ("a member twice inside", ok(&good.replacen('{', "{\"jwks\":{\"keys\":[],\"keys\":[]},", 1)), no_object),
    ];
    let not_utf8 = [head.as_bytes(), b"\r\n{\"client_name\":\"\xff\"}"].concat();
    all.push(("no UTF-8", Served::Bytes(not_utf8), no_object));
    let (auth_method, secret) = ("token_endpoint_auth_method", "no client_secret");
    let redirect_uris = "redirect_uris must be";
    for (what, member, value, words) in [
        ("no id", "client_id", json!(null), "very address"),
        ("another id", "client_id", json!("https://app.agents.example/another"), "very address"),
        ("the id of a host in capitals", "client_id", json!(client_id.to_uppercase()), "very address"),
        ("the id with a port", "client_id", json!(client_id.replace(".example/", ".example:443/")), "very address"),
        ("the id with a slash", "client_id", json!(format!("{client_id}/")), "very address"),
        ("a list of ids", "client_id", json!([client_id]), "very address"),
        ("no name", "client_name", json!(null), "client_name is required"),
        ("a name of nothing", "client_name", json!("\u{200b} \n"), "client_name is required"),
        ("a name that is no text", "client_name", json!(7), "must be text"),
        ("secret by Basic", auth_method, json!("client_secret_basic"), auth_method),
        ("secret in the form", auth_method, json!("client_secret_post"), auth_method),
        ("signed with a secret", auth_method, json!("client_secret_jwt"), auth_method),
        ("signed with a key", auth_method, json!("private_key_jwt"), auth_method),
        ("by a certificate", auth_method, json!("tls_client_auth"), auth_method),
        ("method in another case", auth_method, json!("None"), auth_method),
        ("methods", auth_method, json!(["none"]), "must be text"),
        ("a secret", "client_secret", json!("x"), secret),
        ("a secret of null", "client_secret", json!(null), secret),
        ("the end of a secret", "client_secret_expires_at", json!(0), secret),
        ("a private key", "jwks", json!({ "keys": [{ "kty": "EC", "d": "x" }] }), "no private key"),
        ("a shared key", "jwks", json!({ "keys": [{ "kty": "oct", "k": "x" }] }), "no private key"),
        ("no redirect URI", "redirect_uris", json!([]), redirect_uris),
        ("redirect URIs of null", "redirect_uris", json!(null), redirect_uris),
        ("one as text", "redirect_uris", json!(REDIRECT_URI), redirect_uris),
        ("one that is no text", "redirect_uris", json!([REDIRECT_URI, 7]), redirect_uris),
        ("plain http", "redirect_uris", json!([REDIRECT_URI, "http://agent.example/callback"]), redirect_uris),
        ("script", "redirect_uris", json!([REDIRECT_URI, "javascript:alert(1)"]), redirect_uris),
        ("a fragment", "redirect_uris", json!([REDIRECT_URI, "https://agent.example/#x"]), redirect_uris),
        ("a user", "redirect_uris", json!([REDIRECT_URI, "https://user@agent.example/"]), redirect_uris),
        ("a wildcard", "redirect_uris", json!([REDIRECT_URI, "https://*.agent.example/"]), redirect_uris),
        ("another scheme", "redirect_uris", json!([REDIRECT_URI, "evil://agent.example/x"]), redirect_uris),
        ("eleven", "redirect_uris", json!(vec![REDIRECT_URI; 11]), redirect_uris),
        ("no grant for it", "grant_types", json!(["client_credentials"]), "grant_types"),
        ("implicit", "response_types", json!(["token"]), "response_types"),
    ] {
        let mut changed = document(client_id);
        changed[member] = value;
        all.push((what, ok(&changed.to_string()), words));
    }
    let mut shared = document(client_id);
    shared[auth_method] = "client_secret_post".into();
    shared["token_endpoint_auth_methods_supported"] = json!(["none", "client_secret_post"]);
    all.push(("a secret preferred", ok(&shared.to_string()), auth_method));
    all
}

#[test]
fn what_is_no_description_of_a_client_is_refused_and_nothing_is_followed() {
    let site = Site::start();
    let server = server(&site);
    for at in 0..answers("https://h.agents.example/client").len() {
        let client_id = format!("https://h{at}.agents.example/client");
        let (what, served, words) = answers(&client_id).swap_remove(at);
        site.serve("/client", served);
        let answer = asked(&server, &client_id);
        nothing_came_of_it(&server, &answer, what);
        assert!(answer.text().contains(words), "{what}: {answer}");
        let once = site.asked();
        let counts = (once.looked_up.len(), once.routed.len(), once.connections, once.requests.len());
        assert_eq!(counts, (1, 1, 1, 1), "{what}: {once:?}");
    }
}

#[test]
fn what_is_well_formed_is_taken_in_every_form() {
    let site = Site::start();
    let server = server(&site);
    for (at, (media_type, changes)) in [
        ("application/json", json!({})),
        ("Application/JSON; charset=utf-8", json!({})),
        ("application/cimd+json", json!({})),
        ("application/json", json!({ "token_endpoint_auth_method": "none" })),
        // What ChatGPT publishes: it prefers a key and can do without.
        (
            "application/json",
            json!({
                "token_endpoint_auth_method": "private_key_jwt",
                "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
                "jwks_uri": "https://h.agents.example/jwks.json",
                "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"],
            }),
        ),
        ("application/json", json!({ "jwks": { "keys": [{ "kty": "EC", "x": "x", "y": "y" }] } })),
        ("application/json", json!({ "logo_uri": "https://127.0.0.1/", "client_uri": "javascript:x", "contacts": [] })),
    ]
    .into_iter()
    .enumerate()
    {
        let client_id = format!("https://h{at}.agents.example/client");
        let mut said = document(&client_id);
        said.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        // As long as it may be.
        let mut text = said.to_string();
        text.push_str(&" ".repeat(8_192 - text.len()));
        site.serve_with(&client_id, &format!("Content-Type: {media_type}\r\n"), &text);
        let answer = asked(&server, &client_id);
        assert_eq!(answer.status, 200, "{at}: {answer}");
        // Nothing that a document names is fetched.
        assert_eq!(site.asked().requests.len(), 1, "{at}");
    }
}
