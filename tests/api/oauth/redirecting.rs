//! Threats 1 to 3: where a person and a code may be sent.

use serde_json::json;

use super::*;

/// URIs that nobody may register.
const NEVER: [&str; 46] = [
    "",
    "https",
    "https:",
    "https://",
    "https:///callback",
    "https:/agent.example/callback",
    "https:agent.example/callback",
    "//agent.example/callback",
    "/callback",
    "agent.example/callback",
    "http://agent.example/callback",
    "http://10.0.0.1/callback",
    "http://127.0.0.2/callback",
    "http://0.0.0.0/callback",
    "http://127.0.0.1.evil.example/callback",
    "http://127.1/callback",
    "http://2130706433/callback",
    "http://0x7f000001/callback",
    "http://localhost.evil.example/callback",
    "http://localhost@evil.example/callback",
    "http://LOCALHOST/callback",
    "http://[::2]/callback",
    "http://127.0.0.1:0/callback",
    "http://127.0.0.1:65536/callback",
    "http://127.0.0.1:80a/callback",
    "javascript:alert(1)",
    "javascript://agent.example/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "data://agent.example/x",
    "file:///etc/passwd",
    "file://host/x",
    "blob:https://agent.example/1",
    "blob://agent.example/1",
    "ftp://agent.example/callback",
    "about://blank/x",
    "view-source://agent.example/x",
    "https://agent.example/callback#fragment",
    "https://agent.example/callback#",
    "https://user@agent.example/callback",
    "https://user:password@agent.example/callback",
    "https://agent.example\\@evil.example/callback",
    "https://agent.example/call back",
    "https://agent.example/callback\n",
    "https://agent.example:99999/callback",
    "https://0x7f.1/callback",
    "https://agént.example/callback",
];

/// Look-alikes of the private scheme that is listed.
const PRIVATE: [&str; 12] = [
    "cursor:",
    "cursor://",
    "cursor:///oauth/callback",
    "cursor://anysphere.cursor-mcp",
    "cursor://anysphere.cursor-mcp/",
    "cursor:/oauth/callback",
    "Cursor://anysphere.cursor-mcp/oauth/callback",
    "cursors://anysphere.cursor-mcp/oauth/callback",
    "xcursor://anysphere.cursor-mcp/oauth/callback",
    "cursor+http://anysphere.cursor-mcp/oauth/callback",
    "cursor://user@anysphere.cursor-mcp/oauth/callback",
    "cursor://anysphere.cursor-mcp/oauth/callback#x",
];

#[test]
fn threat_3_dangerous_redirect_schemes_are_not_registered() {
    let server = server();
    let long = format!("https://agent.example/{}", "a".repeat(2_000));
    // Each alone and beside one that may be registered; and a private scheme with a secret.
    attacks::tried("threat_3_dangerous", 2 * (NEVER.len() + PRIVATE.len() + 1) + 1);
    for uri in NEVER.into_iter().chain(PRIVATE).chain([&*long]) {
        refused(&register(&server, &json!({ "redirect_uris": [uri] })), 400, "invalid_redirect_uri");
        // One that is refused refuses all.
        refused(&register(&server, &json!({ "redirect_uris": [REDIRECT_URI, uri] })), 400, "invalid_redirect_uri");
    }
    for uri in [
        "https://agent.example",
        "https://agent.example:8443/callback?x=1",
        "https://[2001:db8::1]/callback",
        "http://127.0.0.1:33418/",
        "http://127.0.0.1/callback",
        "http://[::1]:8080/callback",
        "http://localhost:6274/oauth/callback",
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "vscode://vscode.github-authentication/did-authenticate",
    ] {
        let made = register(&server, &json!({ "redirect_uris": [uri] })).expect(201);
        assert_eq!(made["redirect_uris"], json!([uri]));
    }
    // A private scheme is for public clients: any program of the machine can take it.
    let with_secret = json!({
        "redirect_uris": ["cursor://anysphere.cursor-mcp/oauth/callback"],
        "token_endpoint_auth_method": "client_secret_basic",
    });
    refused(&register(&server, &with_secret), 400, "invalid_redirect_uri");
    // Cursor registers its own scheme beside two others.
    let cursor = json!({ "redirect_uris": [
        "cursor://anysphere.cursor-mcp/oauth/callback", "https://cursor.example/callback", "http://localhost:8787/callback",
    ] });
    register(&server, &cursor).expect(201);
}

fn server() -> TestServer {
    crate::support::server::Setup::new()
        .settings(|settings| settings.oauth_registrations_per_hour = Some(1_000))
        .start()
}

/// What a request is answered that names a redirect URI.
fn asked(server: &TestServer, client_id: &str, redirect_uri: &str) -> Answer {
    let person = server.person();
    let challenge = challenge(VERIFIER);
    let request = with(&request_of(client_id, &challenge), &[("redirect_uri", redirect_uri)]);
    authorize(server, &person, &pairs(&request))
}

#[test]
fn threat_1_nobody_is_sent_to_an_address_that_was_not_registered() {
    let server = server();
    let client_id = client_at(&server, REDIRECT_URI);
    let uris = [
        "https://agent.example",
        "https://agent.example/",
        "https://agent.example/callback/",
        "https://agent.example/callback?",
        "https://agent.example/callback?x=1",
        "https://agent.example/callback#",
        "https://agent.example/callback/../callback",
        "https://agent.example/./callback",
        "https://agent.example/Callback",
        "https://agent.example/call%62ack",
        "https://agent.example/other",
        "https://AGENT.example/callback",
        "https://agent.example.evil.example/callback",
        "https://sub.agent.example/callback",
        "https://evil.example/callback",
        "https://agent.example@evil.example/callback",
        "https://evil.example\\@agent.example/callback",
        "https://agent.example:443/callback",
        "https://agent.example:8443/callback",
        "https:agent.example/callback",
        "http://agent.example/callback",
        "//agent.example/callback",
        "javascript:alert(1)",
        " https://agent.example/callback",
        "https://agent.example/callback ",
        "https://agent.example/callback\u{0}",
        "",
    ];
    // Beside them two clients nobody knows, and two parameters that are repeated.
    attacks::tried("threat_1_nobody", uris.len() + 4);
    for uri in uris {
        let answer = asked(&server, &client_id, uri);
        assert_eq!(answer.status, 400, "{uri}: {answer}");
        assert!(answer.header("location").is_none(), "{uri}: {answer}");
    }
    assert_eq!(asked(&server, &client_id, REDIRECT_URI).status, 200);
    // A client nobody knows leads nowhere either, and a repeated address is no address.
    assert_eq!(asked(&server, "client_unknown", REDIRECT_URI).status, 400);
    assert_eq!(asked(&server, "", REDIRECT_URI).status, 400);
    let challenge = challenge(VERIFIER);
    for repeated in ["redirect_uri", "client_id"] {
        let mut request = request_of(&client_id, &challenge);
        request.push((repeated, if repeated == "client_id" { &client_id } else { REDIRECT_URI }));
        let answer = authorize(&server, &server.person(), &pairs(&request));
        assert_eq!((answer.status, answer.header("location")), (400, None), "{answer}");
    }
}

#[test]
fn threat_2_only_the_port_of_a_loopback_address_may_differ() {
    let server = server();
    let cases = [
        ("http://127.0.0.1/callback", "http://127.0.0.1:49152/callback", 200),
        ("http://127.0.0.1:3000/callback", "http://127.0.0.1:49152/callback", 200),
        ("http://localhost:3000/callback", "http://localhost/callback", 200),
        ("http://[::1]:3000/callback", "http://[::1]:49152/callback", 200),
        ("http://127.0.0.1:3000/callback", "http://127.0.0.1:3000/other", 400),
        ("http://127.0.0.1:3000/callback", "http://127.0.0.1:3000/callback?x=1", 400),
        ("http://127.0.0.1:3000/callback", "http://localhost:3000/callback", 400),
        ("http://127.0.0.1:3000/callback", "http://[::1]:3000/callback", 400),
        ("http://127.0.0.1:3000/callback", "https://127.0.0.1:3000/callback", 400),
        ("http://127.0.0.1:3000/callback", "http://127.0.0.1:3000@evil.example/callback", 400),
        ("http://127.0.0.1:3000/callback", "http://127.0.0.1:3000.evil.example/callback", 400),
        ("http://127.0.0.1:3000/callback", "http://127.0.0.1:/callback", 400),
        ("http://127.0.0.1:3000/callback", "http://127.0.0.1:+80/callback", 400),
        ("https://agent.example:3000/callback", "https://agent.example:3001/callback", 400),
        ("cursor://anysphere.cursor-mcp/oauth/callback", "cursor://anysphere.cursor-mcp:1/oauth/callback", 400),
    ];
    attacks::tried("threat_2_only_the_port", cases.iter().filter(|(.., expected)| *expected == 400).count());
    for (registered, asked_uri, expected) in cases {
        let client_id = client_at(&server, registered);
        let answer = asked(&server, &client_id, asked_uri);
        assert_eq!(answer.status, expected, "{registered} {asked_uri}: {answer}");
        if expected == 200 {
            // Whoever is sent to a program of the machine is warned.
            assert!(answer.text().contains("program on this computer"), "{answer}");
        }
    }
    let site = client_at(&server, REDIRECT_URI);
    assert!(!asked(&server, &site, REDIRECT_URI).text().contains("program on this computer"));
}
