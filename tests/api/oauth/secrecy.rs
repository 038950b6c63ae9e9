//! Threat 25: what is handed out is neither in the log, however much is logged, nor in any file.

use super::*;
use crate::support::client::Client;
use crate::support::program::{Shell, files};

#[test]
fn threat_25_no_secret_is_logged_or_stored() {
    let shell = Shell::new();
    shell.ok(&["user", "add", "--email", "ada@example.com"]);
    shell.ok(&["organisation", "add", "--email", "ada@example.com", "--name", "Larkspur"]);
    let session = shell.ok(&["user", "session", "--email", "ada@example.com"]).trim().to_owned();
    let serving = shell.serve(&["--log", "trace"]);
    let client = Client::new(&serving.addresses()[0]);
    let post = |path: &str, parameters: &[(&str, &str)]| {
        let request = client.post(path).header("Content-Type", "application/x-www-form-urlencoded");
        request.header("Cookie", &format!("bookkeeping_session={session}")).body(pairs(parameters)).send_plain()
    };
    let request = json!({ "redirect_uris": [REDIRECT_URI], "token_endpoint_auth_method": "client_secret_post" });
    let made = client.post("/oauth/register").json(&request).send_plain().expect(201);
    let (id, secret) = (made["client_id"].as_str().unwrap(), made["client_secret"].as_str().unwrap());
    let challenge = challenge(VERIFIER);
    let state = "a-state-that-is-nobodys-business";
    let query = pairs(&with(&request_of(id, &challenge), &[("state", state)]));
    let page = client.get(&format!("/oauth/authorize?{query}"));
    let page = page.header("Cookie", &format!("bookkeeping_session={session}")).send_plain();
    let (handle, csrf) = (hidden(&page, "request"), hidden(&page, "csrf"));
    let allowed = post(
        "/oauth/authorize",
        &[("request", &handle), ("csrf", &csrf), ("decision", "allow"), ("reach", "all"), ("scope", "books:read")],
    );
    let code = led_to(&allowed, REDIRECT_URI)["code"].clone();
    let redemption = with(&redemption(id, &code), &[("client_secret", secret)]);
    let tokens = Connected::of(id, &post("/oauth/token", &redemption).expect(200));
    let refresh = [
        ("grant_type", "refresh_token"),
        ("client_id", id),
        ("client_secret", secret),
        ("refresh_token", &*tokens.refresh),
    ];
    let next = Connected::of(id, &post("/oauth/token", &refresh).expect(200));
    client.get("/api/v1/me").bearer(&next.access).send().expect(200);
    client.get(&format!("/api/v1/me?access_token={}", next.access)).send().refused(401, "unauthorized");
    // A code that comes back is logged, by the number of its connection.
    refused(&post("/oauth/token", &redemption), 400, "invalid_grant");
    serving.until_printed("was used again");
    let ran = serving.terminate();
    let everything = format!("{}{}", ran.stdout, ran.stderr);
    let secrets = [
        secret,
        &handle,
        &csrf,
        &code,
        VERIFIER,
        state,
        &tokens.access,
        &tokens.refresh,
        &next.access,
        &next.refresh,
        &*session,
    ];
    for text in secrets {
        assert!(!everything.contains(text), "{text} is in the log");
    }
    let stored: Vec<u8> = files(&shell.path("data")).iter().flat_map(|file| std::fs::read(file).unwrap()).collect();
    let stored = String::from_utf8_lossy(&stored);
    for text in secrets.iter().filter(|text| **text != state) {
        assert!(!stored.contains(text), "{text} is in a file");
    }
    // In the log, and all but the state in the files.
    attacks::tried("threat_25_no_secret", 2 * secrets.len() - 1);
}
