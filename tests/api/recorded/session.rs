//! What a chapter says: people, requests and the answers they need to go on.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::masks::Masks;
use super::recording::Recording;
use crate::support::client::Answer;
use crate::support::server::{Person, Setup, TestServer};
use crate::support::until;

const ORGANISATIONS: &str = "/api/v1/books/organisations";
/// Headers of answers that are not recorded: they are random, follow from the body, or count requests.
const HEADERS_LEFT_OUT: [&str; 6] =
    ["date", "x-request-id", "content-length", "transfer-encoding", "ratelimit-remaining", "ratelimit-reset"];
/// Those that count requests, which a chapter about the rate limit records.
const RATE_HEADERS: [&str; 2] = ["ratelimit-remaining", "ratelimit-reset"];

/// How much of an answer is recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    WithoutBody,
}

/// One chapter while it runs.
pub struct Session {
    recording: Recording,
    masks: Masks,
    setup: Setup,
    server: Option<TestServer>,
    people: BTreeMap<String, Person>,
    /// The bearer token of each caller, by name.
    callers: BTreeMap<String, String>,
    caller: String,
    /// Headers of the next request.
    headers: Vec<(String, String)>,
    organisation: i64,
    accounts: BTreeMap<String, i64>,
    bank: i64,
    counts_requests: bool,
}

impl Session {
    pub fn open(chapter: &str) -> Self {
        Self {
            recording: Recording::open(chapter),
            masks: Masks::default(),
            setup: Setup::new(),
            server: None,
            people: BTreeMap::new(),
            callers: BTreeMap::new(),
            caller: String::new(),
            headers: Vec::new(),
            organisation: 0,
            accounts: BTreeMap::new(),
            bank: 0,
            counts_requests: false,
        }
    }

    /// Another server than the usual one; before anything else.
    pub fn setup(&mut self, change: impl FnOnce(Setup) -> Setup) {
        self.setup = change(self.setup.clone());
    }

    /// Records how many requests are left, too.
    pub fn count_requests(&mut self) {
        self.counts_requests = true;
    }

    pub fn server(&mut self) -> &TestServer {
        let server = self.server.get_or_insert_with(|| self.setup.clone().start());
        self.masks.add(server.url(), "<server>".to_owned());
        server
    }

    /// A person with 1,000 credits; `<name> session` is a caller from here on.
    pub fn person(&mut self, name: &str) {
        self.person_with(name, 1_000, 0);
    }

    pub fn person_with(&mut self, name: &str, monthly: i64, bonus: i64) {
        let person = self.server().person_with(monthly, bonus, false);
        self.masks.add(&person.session, format!("<session of {name}>"));
        self.masks.add(&person.email, format!("<address of {name}>"));
        self.callers.insert(format!("{name} session"), person.session.clone());
        self.people.insert(name.to_owned(), person);
    }

    /// A key of a person, a caller from here on; the caller of the next requests.
    pub fn key(&mut self, name: &str, owner: &str, scopes: &[&str]) {
        self.key_with(name, owner, json!({ "name": name, "scopes": scopes }));
    }

    pub fn key_with(&mut self, name: &str, owner: &str, request: Value) {
        let person = self.people[owner].clone();
        let key = self.server().key_with(&person, &request);
        self.masks.add(&key.plaintext, format!("<key of {name}>"));
        self.masks.add(&key.prefix, format!("<prefix of {name}>"));
        self.callers.insert(name.to_owned(), key.plaintext);
        name.clone_into(&mut self.caller);
    }

    /// A member of the organisation with a key of that name.
    pub fn member(&mut self, role: &str) {
        self.person(role);
        let (organisation, person) = (self.organisation, self.people[role].clone());
        self.server().member(organisation, &person, role);
        let before = self.caller.clone();
        self.key(role, role, &["books:read", "books:write"]);
        self.caller = before;
    }

    /// A caller whose token came with an answer.
    pub fn caller(&mut self, name: &str, token: &Value) {
        self.callers.insert(name.to_owned(), token.as_str().expect("a token").to_owned());
    }

    /// The caller of the next requests; `nobody` sends no credential.
    pub fn by(&mut self, name: &str) -> &mut Self {
        assert!(name == "nobody" || self.callers.contains_key(name), "there is no caller {name}");
        name.clone_into(&mut self.caller);
        self
    }

    /// An organisation of `owner`, registered for VAT, with all it takes to post.
    pub fn books(&mut self) {
        self.books_of(json!({
            "name": "Larkspur Joinery Ltd", "vat_control": true, "vat_registered": true, "vat_scheme": "standard"
        }));
    }

    pub fn books_of(&mut self, organisation: Value) {
        self.person("owner");
        self.key("owner", "owner", &["books:read", "books:write"]);
        let made = self.post("/api/v1/books/organisations", organisation);
        self.enter(made["data"]["id"].as_i64().unwrap_or_else(|| panic!("no organisation: {made}")));
    }

    /// Paths that begin with a slash and no `/api` or such are inside this organisation from here on.
    pub fn enter(&mut self, organisation: i64) {
        self.organisation = organisation;
        self.learn_accounts();
        let banks = self.quiet(&format!("{ORGANISATIONS}/{organisation}/bank-accounts"));
        self.bank = banks["data"][0]["id"].as_i64().expect("a bank account");
    }

    pub fn organisation(&self) -> i64 {
        self.organisation
    }

    /// Reads which account has which code.
    pub fn learn_accounts(&mut self) {
        let path = format!("{ORGANISATIONS}/{}/accounts?include_archived=true", self.organisation);
        let accounts = self.quiet(&path);
        let one = |account: &Value| {
            (account["code"].as_str().expect("a code").to_owned(), account["id"].as_i64().expect("an id"))
        };
        self.accounts = accounts["data"].as_array().expect("accounts").iter().map(one).collect();
    }

    pub fn account(&self, code: &str) -> i64 {
        *self.accounts.get(code).unwrap_or_else(|| panic!("no account {code}"))
    }

    /// The bank account that the organisation began with.
    pub fn bank(&self) -> i64 {
        self.bank
    }

    /// A header of the next request.
    pub fn header(&mut self, name: &str, value: &str) -> &mut Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn get(&mut self, path: &str) -> Value {
        self.send("GET", path, None).value()
    }

    pub fn post(&mut self, path: &str, body: Value) -> Value {
        self.send("POST", path, Some(body.to_string())).value()
    }

    pub fn patch(&mut self, path: &str, body: Value) -> Value {
        self.send("PATCH", path, Some(body.to_string())).value()
    }

    pub fn put(&mut self, path: &str, body: Value) -> Value {
        self.send("PUT", path, Some(body.to_string())).value()
    }

    pub fn delete(&mut self, path: &str) -> Value {
        self.send("DELETE", path, None).value()
    }

    /// A change that has no body.
    pub fn act(&mut self, path: &str) -> Value {
        self.send("POST", path, None).value()
    }

    /// A body as it is.
    pub fn raw(&mut self, method: &str, path: &str, body: &str) -> Value {
        self.send(method, path, Some(body.to_owned())).value()
    }

    /// Any request.
    pub fn ask(&mut self, method: &str, path: &str, body: Option<&Value>) -> Value {
        self.send(method, path, body.map(Value::to_string)).value()
    }

    /// An answer of which only status and headers are recorded.
    pub fn head_of(&mut self, path: &str) {
        self.exchange("GET", path, None, Extent::WithoutBody);
    }

    /// A dry run, and then the change itself.
    pub fn both(&mut self, method: &str, path: &str, body: Value) -> Value {
        self.ask(method, &format!("{path}?dry_run=true"), Some(&body));
        self.ask(method, path, Some(&body))
    }

    /// The same for a change without a body.
    pub fn both_bare(&mut self, method: &str, path: &str) -> Value {
        self.ask(method, &format!("{path}?dry_run=true"), None);
        self.ask(method, path, None)
    }

    /// Makes a record that must be accepted; its identifier.
    #[track_caller]
    pub fn made(&mut self, path: &str, body: Value) -> i64 {
        self.record(path, body)["id"].as_i64().expect("an id")
    }

    /// Makes a record that must be accepted.
    #[track_caller]
    pub fn record(&mut self, path: &str, body: Value) -> Value {
        let answer = self.post(path, body);
        if answer["data"].is_null() {
            panic!("POST {path}: {answer}\n{}", self.recording.differences_text().unwrap_or_default());
        }
        answer["data"].clone()
    }

    /// Waits until a job has ended, without recording it, and records how it ended.
    pub fn ended(&mut self, path: &str) -> Value {
        until("the job ends", || {
            let job = self.quiet(path);
            (job["status"] == "completed" || job["status"] == "failed").then_some(())
        });
        self.get(path)
    }

    /// A request that is not recorded.
    pub fn quiet(&mut self, path: &str) -> Value {
        let token = self.callers[&self.caller].clone();
        self.server().client.get(path).bearer(&token).send().value()
    }

    pub fn close(mut self) {
        self.recording.close();
        if let Some(server) = self.server.take() {
            server.stop();
        }
    }

    fn send(&mut self, method: &str, path: &str, body: Option<String>) -> Answer {
        self.exchange(method, path, body, Extent::Whole)
    }

    fn exchange(&mut self, method: &str, path: &str, body: Option<String>, extent: Extent) -> Answer {
        let outside = ["/api/", "/app/", "/docs", "/openapi"].iter().any(|start| path.starts_with(start));
        let path = match outside || self.organisation == 0 {
            true => path.to_owned(),
            false => format!("{ORGANISATIONS}/{}{path}", self.organisation),
        };
        let mut request = self.server().client.request(method, &path);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if let Some(token) = self.callers.get(&self.caller) {
            request = request.bearer(token);
        }
        if let Some(body) = &body {
            request = request.body(body.clone());
        }
        let answer = request.send();
        self.masks.learn(&answer.value());
        let own_id = answer.header("x-request-id").unwrap_or_default().to_owned();
        let line = self.line(&format!("{method} {path}"), body.as_deref(), &answer, extent).replace(&own_id, "<req>");
        self.masks.add(&own_id, format!("<req-{}>", self.recording.next_number()));
        self.headers.clear();
        self.recording.add(line);
        answer
    }

    /// A request and its answer as one line of JSON in which bodies stand as they were sent.
    fn line(&self, request: &str, body: Option<&str>, answer: &Answer, extent: Extent) -> String {
        let text = |text: &str| Value::from(text).to_string();
        let object = |pairs: &[(String, String)]| {
            let pairs: Vec<String> =
                pairs.iter().map(|(name, value)| format!("{}:{}", text(name), text(value))).collect();
            format!("{{{}}}", pairs.join(","))
        };
        let embedded = |body: &str| {
            let is_json = serde_json::from_str::<&RawValue>(body).is_ok_and(|raw| raw.get() == body);
            (is_json && !body.contains(['\n', '\r'])).then(|| body.to_owned())
        };
        let mut line = format!("{{\"request\":{},\"by\":{}", text(request), text(&self.caller));
        if !self.headers.is_empty() {
            line.push_str(&format!(",\"send\":{}", object(&self.headers)));
        }
        if let Some(body) = body {
            match embedded(body) {
                Some(body) => line.push_str(&format!(",\"body\":{body}")),
                None => line.push_str(&format!(",\"text\":{}", text(body))),
            }
        }
        let recorded = |(name, _): &&(String, String)| {
            let counts = RATE_HEADERS.contains(&name.as_str());
            !HEADERS_LEFT_OUT.contains(&name.as_str()) || (counts && self.counts_requests)
        };
        let mut headers: Vec<(String, String)> = answer.headers.iter().filter(recorded).cloned().collect();
        headers.sort();
        line.push_str(&format!(",\"status\":{},\"headers\":{}", answer.status, object(&headers)));
        let body = answer.text();
        match (extent, embedded(&body)) {
            (Extent::WithoutBody, _) => {}
            (Extent::Whole, Some(body)) => line.push_str(&format!(",\"answer\":{body}")),
            (Extent::Whole, None) => line.push_str(&format!(",\"answer_text\":{}", text(&body))),
        }
        line.push('}');
        self.masks.apply(&line)
    }
}

/// A session that fails beside its recording says what differed before.
impl Drop for Session {
    fn drop(&mut self) {
        let text = self.recording.differences_text().filter(|_| std::thread::panicking() && self.server.is_some());
        if let Some(text) = text {
            eprintln!("{text}");
        }
    }
}
