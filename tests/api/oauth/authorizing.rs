//! Threats 4, 7, 8, 13 and 23: requests that are refused, each at the client's own address with `iss`.

use super::*;

#[test]
fn threats_4_7_8_13_and_23_a_faulty_request_is_answered_at_the_client_and_says_by_whom() {
    let server = TestServer::start();
    let person = server.person();
    let client_id = client_at(&server, REDIRECT_URI);
    let challenge = challenge(VERIFIER);
    let request = request_of(&client_id, &challenge);
    let (foreign, other_port) = ("https://other.example/mcp", "http://127.0.0.1:1/mcp");
    let (longer, padded) = (format!("{challenge}A"), format!("{}=", &challenge[..42]));
    let long_state = "s".repeat(2_001);
    let cases: Vec<(&str, Changes<'_>, &str)> = vec![
        // 4: no proof key, or one that proves nothing.
        ("no challenge", vec![("code_challenge", "")], "invalid_request"),
        ("no method", vec![("code_challenge_method", "")], "invalid_request"),
        ("plain", vec![("code_challenge_method", "plain")], "invalid_request"),
        ("method in another case", vec![("code_challenge_method", "s256")], "invalid_request"),
        ("another method", vec![("code_challenge_method", "S512")], "invalid_request"),
        (
            "the verifier itself, plain",
            vec![("code_challenge", VERIFIER), ("code_challenge_method", "plain")],
            "invalid_request",
        ),
        ("a short challenge", vec![("code_challenge", "abc")], "invalid_request"),
        ("a long challenge", vec![("code_challenge", &longer)], "invalid_request"),
        ("a padded challenge", vec![("code_challenge", &padded)], "invalid_request"),
        (
            "a challenge of other characters",
            vec![("code_challenge", "++++++++++++++++++++++++++++++++++++++++++/")],
            "invalid_request",
        ),
        // 7: only codes.
        ("implicit", vec![("response_type", "token")], "unsupported_response_type"),
        ("hybrid", vec![("response_type", "code token")], "unsupported_response_type"),
        ("id token", vec![("response_type", "id_token")], "unsupported_response_type"),
        ("no response type", vec![("response_type", "")], "invalid_request"),
        ("response type in another case", vec![("response_type", "Code")], "unsupported_response_type"),
        // Scopes.
        ("unknown scope", vec![("scope", "books:read books:everything")], "invalid_scope"),
        ("scope of another service", vec![("scope", "openid")], "invalid_scope"),
        ("offline access", vec![("scope", "books:read offline_access")], "invalid_scope"),
        ("scopes with a comma", vec![("scope", "books:read,books:write")], "invalid_scope"),
        ("scope in another case", vec![("scope", "Books:Read")], "invalid_scope"),
        ("no scope but blanks", vec![("scope", " ")], "invalid_scope"),
        // 13: another resource.
        ("foreign resource", vec![("resource", foreign)], "invalid_target"),
        ("another port", vec![("resource", other_port)], "invalid_target"),
        ("no URL", vec![("resource", "mcp")], "invalid_target"),
        ("a long state", vec![("state", &long_state)], "invalid_request"),
    ];
    for (what, changes, error) in &cases {
        let answer = authorize(&server, &person, &pairs(&with(&request, changes)));
        assert_sent_back(&server, &answer, what, error, *what != "a long state");
        // 1: who is not signed in is sent nowhere by itself: anybody may register an address and make a link like this.
        let stranger = server.client.get(&format!("/oauth/authorize?{}", pairs(&with(&request, changes)))).send_plain();
        assert_shown_the_way(&server, &stranger, what, error);
    }
    // 23: repeated parameters.
    for (name, value) in &request {
        if !["client_id", "redirect_uri"].contains(name) {
            let answer = authorize(&server, &person, &format!("{}&{}", pairs(&request), pairs(&[(name, value)])));
            let parameters = led_to(&answer, REDIRECT_URI);
            assert_eq!(parameters.get("error").map(String::as_str), Some("invalid_request"), "{name}: {answer}");
        }
    }
    // The page itself grants nothing, and neither did any of these.
    assert_eq!((server.rows_of("oauth_grant"), server.rows_of("oauth_code")), (0, 0));
    attacks::tried("threats_4_7_8_13_and_23_a_faulty", 2 * cases.len() + request.len() - 2);
}

#[track_caller]
fn assert_sent_back(server: &TestServer, answer: &Answer, what: &str, error: &str, has_state: bool) {
    let parameters = led_to(answer, REDIRECT_URI);
    let get = |name: &str| parameters.get(name).map(String::as_str);
    assert_eq!((get("error"), get("code")), (Some(error), None), "{what}: {answer}");
    assert_eq!(get("iss"), Some(server.url()), "{what}: {answer}");
    if has_state {
        assert_eq!(get("state"), Some(STATE), "{what}: {answer}");
    }
    assert_eq!(answer.header("cache-control"), Some("no-store"), "{answer}");
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{answer}");
}

/// A page that says what is wrong and where the answer would go, with a link that carries the answer and `iss`.
#[track_caller]
fn assert_shown_the_way(server: &TestServer, answer: &Answer, what: &str, error: &str) {
    assert_eq!((answer.status, answer.header("location")), (400, None), "{what}: {answer}");
    assert_eq!(answer.header("refresh"), None, "{what}: {answer}");
    let text = answer.text();
    assert!(text.contains(error) && text.contains("<strong class=\"host\">agent.example</strong>"), "{what}: {answer}");
    assert!(!text.contains("<meta http-equiv") && !text.contains("<script"), "{what}: {answer}");
    let target =
        text.split("<a href=\"").nth(1).expect("a link").split('"').next().expect("its end").replace("&amp;", "&");
    let query = target.strip_prefix(&format!("{REDIRECT_URI}?")).unwrap_or_else(|| panic!("{what}: leads to {target}"));
    let parameters: BTreeMap<String, String> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let get = |name: &str| parameters.get(name).map(String::as_str);
    assert_eq!((get("error"), get("code"), get("iss")), (Some(error), None, Some(server.url())), "{what}: {target}");
    assert_eq!(answer.header("cache-control"), Some("no-store"), "{answer}");
}

#[test]
fn threat_13_every_name_of_this_service_is_accepted_as_the_resource() {
    let server = TestServer::start();
    let person = server.person();
    let client_id = client_at(&server, REDIRECT_URI);
    let challenge = challenge(VERIFIER);
    let url = server.url();
    for path in ["", "/", "/mcp", "/api/v1"] {
        let resource = format!("{url}{path}");
        let request = with(&request_of(&client_id, &challenge), &[("resource", &resource)]);
        assert_eq!(authorize(&server, &person, &pairs(&request)).status, 200, "{resource}");
        let two = format!("{}&{}", pairs(&request), pairs(&[("resource", url)]));
        assert_eq!(authorize(&server, &person, &two).status, 200, "{resource}");
        let foreign = format!("{}&{}", pairs(&request), pairs(&[("resource", "https://other.example")]));
        let parameters = led_to(&authorize(&server, &person, &foreign), REDIRECT_URI);
        assert_eq!(parameters.get("error").map(String::as_str), Some("invalid_target"), "{resource}");
    }
}

#[test]
fn a_request_without_scopes_asks_to_read_the_books() {
    let server = TestServer::start();
    let person = server.person();
    let client_id = client_at(&server, REDIRECT_URI);
    let challenge = challenge(VERIFIER);
    let page = authorize(&server, &person, &pairs(&with(&request_of(&client_id, &challenge), &[("scope", "")])));
    assert!(page.text().contains("value=\"books:read\"") && !page.text().contains("value=\"books:write\""), "{page}");
}

#[test]
fn metadata_names_the_endpoints_and_what_they_take() {
    let server = TestServer::start();
    let url = server.url();
    for path in ["", "/mcp", "/api/v1"] {
        let answer = server.client.get(&format!("/.well-known/oauth-protected-resource{path}")).send();
        let about = answer.expect(200);
        assert_eq!(about["resource"], format!("{url}{path}"));
        assert_eq!(about["authorization_servers"], json!([url]));
        assert_eq!(about["bearer_methods_supported"], json!(["header"]));
        let scopes: Vec<&str> =
            about["scopes_supported"].as_array().unwrap().iter().map(|scope| scope.as_str().unwrap()).collect();
        assert_eq!(scopes, ["coding:read", "coding:write", "books:read", "books:write"]);
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        assert_eq!(answer.header("cache-control"), Some("public, max-age=3600"));
    }
    let about = server.client.get("/.well-known/oauth-authorization-server").send().expect(200);
    assert_eq!(about["issuer"], url);
    for (name, path) in [
        ("authorization_endpoint", "authorize"),
        ("token_endpoint", "token"),
        ("registration_endpoint", "register"),
        ("revocation_endpoint", "revoke"),
    ] {
        assert_eq!(about[name], format!("{url}/oauth/{path}"));
    }
    // Threat 30: clients that read this never go on without a proof key.
    assert_eq!(about["code_challenge_methods_supported"], json!(["S256"]));
    assert_eq!(about["response_types_supported"], json!(["code"]));
    assert_eq!(about["grant_types_supported"], json!(["authorization_code", "refresh_token"]));
    assert_eq!(about["authorization_response_iss_parameter_supported"], true);
    assert_eq!(about["scopes_supported"].as_array().unwrap().len(), 7);
    assert_eq!(about["client_id_metadata_document_supported"], true);
    // Clients pass over documents where `none` is not among the methods.
    assert_eq!(
        about["token_endpoint_auth_methods_supported"],
        json!(["none", "client_secret_basic", "client_secret_post"])
    );
    assert!(about.get("introspection_endpoint").is_none());
}
