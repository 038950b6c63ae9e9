//! Threats 31 and 33: signing in on the pages, and where one goes after it.

use super::*;
use crate::support::server::Setup;

const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "correct horse battery";

fn server() -> TestServer {
    let server = Setup::new().settings(|settings| settings.open_registration = Some(true)).start();
    let person = json!({ "email": EMAIL, "password": PASSWORD, "name": "Ada" });
    server.client.post("/app/v1/register").json(&person).send().expect(201);
    server
}

/// The cookies that an answer sets.
fn cookies(answer: &Answer) -> BTreeMap<String, String> {
    let set = answer.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
    let pair = |(_, text): &(String, String)| {
        let (pair, rest) = text.split_once(';').expect("attributes");
        assert!(rest.contains("HttpOnly") && rest.contains("SameSite=Lax") && rest.contains("Path=/"), "{text}");
        let (name, value) = pair.split_once('=').expect("a pair");
        (name.to_owned(), value.to_owned())
    };
    set.map(pair).collect()
}

struct Form {
    cookie: String,
    csrf: String,
    return_to: String,
}

fn show(server: &TestServer, query: &str) -> Form {
    let page = server.client.get(&format!("/app/sign-in{query}")).send_plain();
    assert_eq!(page.status, 200, "{page}");
    let cookie = cookies(&page)["bookkeeping_form"].clone();
    let return_to = hidden(&page, "return_to").replace("&amp;", "&");
    Form { cookie, csrf: hidden(&page, "csrf"), return_to }
}

fn submit(server: &TestServer, form_shown: &Form, changes: &[(&str, &str)]) -> Answer {
    let fields =
        [("email", EMAIL), ("password", PASSWORD), ("csrf", &*form_shown.csrf), ("return_to", &*form_shown.return_to)];
    let request = form(server, "/app/sign-in", &with(&fields, changes));
    request.header("Cookie", &format!("bookkeeping_form={}", form_shown.cookie)).send_plain()
}

#[test]
fn a_person_signs_in_and_goes_on_where_the_client_sent_them() {
    let server = server();
    let client_id = client_at(&server, REDIRECT_URI);
    let challenge = challenge(VERIFIER);
    let query = pairs(&request_of(&client_id, &challenge));
    let first = server.client.get(&format!("/oauth/authorize?{query}")).send_plain();
    assert_eq!(first.status, 303, "{first}");
    let to = first.header("location").unwrap();
    let page = show(&server, to.strip_prefix("/app/sign-in").unwrap());
    assert_eq!(page.return_to, format!("/oauth/authorize?{query}"));
    let signed_in = submit(&server, &page, &[]);
    assert_eq!((signed_in.status, signed_in.header("location")), (303, Some(&*page.return_to)), "{signed_in}");
    let session = cookies(&signed_in)["bookkeeping_session"].clone();
    let cookie = format!("bookkeeping_session={session}");
    let consent = server.client.get(&page.return_to).header("Cookie", &cookie).send_plain();
    assert!(consent.text().contains("id=\"consent\"") && consent.text().contains(EMAIL), "{consent}");
    // The cookie counts on pages only.
    for path in ["/api/v1/me", "/api/v1/keys", "/app/v1/connections"] {
        assert_eq!(server.client.get(path).header("Cookie", &cookie).send().status, 401, "{path}");
    }
    let tools = server.client.post("/mcp").header("Cookie", &cookie).json(&json!({})).send();
    assert_eq!(tools.status, 401);
    // Signing out needs the form of one's own page.
    let connections = server.client.get("/app/connections").header("Cookie", &cookie).send_plain();
    assert!(connections.text().contains("Nothing is connected"), "{connections}");
    let out = form(&server, "/app/sign-out", &[]).header("Cookie", &cookie).send_plain();
    assert!(cookies(&out).is_empty(), "{out}");
    let text = connections.text();
    let csrf = text.rsplit("name=\"csrf\" value=\"").next().unwrap().split('"').next().unwrap().to_owned();
    let out = form(&server, "/app/sign-out", &[("csrf", &csrf)]).header("Cookie", &cookie).send_plain();
    assert_eq!(cookies(&out)["bookkeeping_session"], "", "{out}");
}

#[test]
fn threat_31_each_sign_in_is_a_session_of_its_own_and_no_other_site_makes_one() {
    let server = server();
    let page = show(&server, "");
    let other = show(&server, "");
    let cases = [
        ("no token", &page.cookie, vec![("csrf", "")]),
        ("a token that was made up", &page.cookie, vec![("csrf", "0")]),
        ("the token of another page", &page.cookie, vec![("csrf", &*other.csrf)]),
        ("the cookie of another page", &other.cookie, vec![]),
        ("a cookie that was planted", &"x".to_owned(), vec![]),
    ];
    // Beside them: two cookies of one name, a session that was planted, and one beside ours.
    attacks::tried("threat_31_each", cases.len() + 3);
    for (what, cookie, changes) in cases {
        let form = Form { cookie: cookie.clone(), csrf: page.csrf.clone(), return_to: page.return_to.clone() };
        let answer = submit(&server, &form, &changes);
        assert_eq!(answer.status, 400, "{what}: {answer}");
        assert!(!cookies(&answer).contains_key("bookkeeping_session"), "{what}: {answer}");
    }
    // Two cookies of one name: one of them is not ours.
    let fields = [("email", EMAIL), ("password", PASSWORD), ("csrf", &*page.csrf)];
    let twice = format!("bookkeeping_form=planted; bookkeeping_form={}", page.cookie);
    let answer = form(&server, "/app/sign-in", &fields).header("Cookie", &twice).send_plain();
    assert_eq!(answer.status, 400, "{answer}");
    let sessions = [submit(&server, &page, &[]), submit(&server, &show(&server, ""), &[])].map(|answer| {
        assert_eq!(answer.status, 303, "{answer}");
        cookies(&answer)["bookkeeping_session"].clone()
    });
    assert_ne!(sessions[0], sessions[1]);
    // A session that somebody planted beforehand is replaced, never taken over; a planted one that is none counts for nothing.
    let planted = server.client.get("/app/connections").header("Cookie", "bookkeeping_session=planted").send_plain();
    assert_eq!(planted.status, 303, "{planted}");
    let both = format!("bookkeeping_session=planted; bookkeeping_session={}", sessions[0]);
    assert_eq!(server.client.get("/app/connections").header("Cookie", &both).send_plain().status, 303);
}

#[test]
fn a_wrong_password_and_a_stranger_are_told_the_same() {
    let server = server();
    let told = |changes: &[(&str, &str)]| {
        let answer = submit(&server, &show(&server, ""), changes);
        assert_eq!(answer.status, 401, "{answer}");
        assert!(!cookies(&answer).contains_key("bookkeeping_session"), "{answer}");
        answer.text().split("role=\"alert\">").nth(1).unwrap().split('<').next().unwrap().to_owned()
    };
    let words = told(&[("password", "wrong")]);
    assert_eq!(words, "The e-mail address or the password is wrong.");
    assert_eq!(words, told(&[("email", "nobody@example.com")]));
    assert_eq!(words, told(&[("email", "")]));
    // The address need not be typed again; a password is never sent back.
    let changes = [("email", "\"><b>@example.com"), ("password", "a secret <typed> wrongly")];
    let page = submit(&server, &show(&server, ""), &changes).text();
    assert!(page.contains("value=\"&quot;&gt;&lt;b&gt;@example.com\"") && !page.contains("typed"), "{page}");
}

#[test]
fn who_guesses_on_the_page_is_counted_as_one_who_guesses_by_program() {
    let server = server();
    let guess = || submit(&server, &show(&server, ""), &[("password", "wrong")]);
    for number in 0..4 {
        if number % 2 == 0 {
            assert_eq!(guess().status, 401);
        } else {
            let body = json!({ "email": EMAIL, "password": "wrong" });
            server.client.post("/app/v1/login").json(&body).send().refused(401, "unauthorized");
        }
    }
    let refused = guess();
    assert_eq!((refused.status, refused.number("retry-after")), (429, 60), "{refused}");
    let text = refused.text();
    assert!(
        text.contains("Too many attempts. Please try again in 60 seconds.") && text.contains("id=\"sign-in\""),
        "{text}"
    );
    let right = submit(&server, &show(&server, ""), &[]);
    assert_eq!(right.status, 429, "{right}");
    assert!(!cookies(&right).contains_key("bookkeeping_session"), "{right}");
    server.advance_s(60);
    assert_eq!(submit(&server, &show(&server, ""), &[]).status, 303);
}

#[test]
fn threat_33_nobody_is_sent_to_another_site_after_signing_in() {
    let server = server();
    let targets = [
        "https://evil.example",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/%2Fevil.example",
        "/%5Cevil.example",
        "/app/connections/../../evil",
        "/app/connections@evil.example",
        "/oauth/authorize\\..\\evil",
        "/oauth/authorize%3f",
        "javascript:alert(1)",
        "/app/sign-out",
        "/api/v1/me",
        "/app/connections\r\nLocation: https://evil.example",
        "\t//evil.example",
        "",
    ];
    // In the query and in the field of the form.
    attacks::tried("threat_33_nobody", 2 * targets.len());
    for target in targets {
        let page = show(&server, &format!("?return_to={}", encoded(target)));
        assert_eq!(page.return_to, "/app/connections", "{target}");
        // The field of the form is looked at again.
        let answer = submit(&server, &page, &[("return_to", target)]);
        assert_eq!((answer.status, answer.header("location")), (303, Some("/app/connections")), "{target}: {answer}");
    }
}
