//! The built program: every command, what it prints, how it ends, and what it never says.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::client::{Client, keys};
use crate::support::data::costing;
use crate::support::database::Database;
use crate::support::program::Shell;
use crate::support::until;

const EMAIL: &str = "ada@example.com";

/// A person with a generated password.
fn add_person(shell: &Shell, more: &[&str]) -> Value {
    let mut arguments = vec!["user", "add", "--email", EMAIL];
    arguments.extend(more);
    shell.json(&arguments)
}

#[test]
fn people_are_added_with_credits_and_a_password_once() {
    let shell = Shell::new();
    let made = add_person(&shell, &["--monthly-credits", "50", "--bonus-credits", "7", "--overage"]);
    assert_eq!(keys(&made), ["email", "password", "user_id"]);
    assert_eq!(made["email"], EMAIL);
    assert!(made["password"].as_str().is_some_and(|password| password.len() >= 12));
    let shown = shell.json(&["credits", "show", "--email", EMAIL]);
    assert_eq!((&shown["monthly"], &shown["bonus"]), (&json!(50), &json!(7)));
    assert_eq!(shown["user_id"], made["user_id"]);
    let sum = |name: &str| -> i64 {
        shown["movements"].as_array().unwrap().iter().map(|movement| movement[name].as_i64().unwrap()).sum()
    };
    assert_eq!((sum("monthly"), sum("bonus")), (50, 7));

    let twice = shell.run(&["user", "add", "--email", "ADA@example.com"]);
    assert_eq!(twice.code, Some(1), "{twice:?}");
    assert!(twice.stdout.is_empty() && twice.stderr.contains("ADA@example.com"), "{twice:?}");

    // A given password is not printed.
    let file = shell.path("password");
    std::fs::write(&file, "correct horse battery\n").unwrap();
    let made =
        shell.json(&["user", "add", "--email", "bob@example.com", "--name", "Bob", "--password-file", "password"]);
    assert_eq!(keys(&made), ["email", "user_id"]);
    assert_eq!(shell.json(&["credits", "show", "--email", "bob@example.com"])["monthly"], 1_000);
}

#[test]
fn credits_are_granted_and_every_movement_is_shown() {
    let shell = Shell::new();
    add_person(&shell, &["--monthly-credits", "0"]);
    shell.ok(&["credits", "grant", "--email", EMAIL, "--bonus", "25", "--reason", "a quiet \"thank you\""]);
    shell.ok(&["credits", "grant", "--email", EMAIL, "--bonus", "5", "--reason", "again"]);
    let shown = shell.json(&["credits", "show", "--email", EMAIL]);
    assert_eq!((&shown["monthly"], &shown["bonus"], &shown["overage_used"]), (&json!(0), &json!(30), &json!(0)));
    let movements = shown["movements"].as_array().unwrap();
    let granted: Vec<i64> =
        movements.iter().map(|movement| movement["bonus"].as_i64().unwrap()).filter(|bonus| *bonus != 0).collect();
    assert_eq!(
        {
            let mut sorted = granted.clone();
            sorted.sort_unstable();
            sorted
        },
        [5, 25]
    );
    assert!(shown.to_string().contains(r#"a quiet \"thank you\""#), "{shown}");
    assert_eq!(shell.run(&["check"]).code, Some(0));
    for bad in [["--bonus", "0"], ["--bonus", "-5"], ["--bonus", "many"]] {
        let ran = shell.run(&["credits", "grant", "--email", EMAIL, bad[0], bad[1], "--reason", "r"]);
        assert_eq!(ran.code, Some(2), "{bad:?}: {ran:?}");
        assert!(ran.stderr.contains("--bonus"), "{ran:?}");
    }
    let nobody = shell.run(&["credits", "show", "--email", "nobody@example.com"]);
    assert_eq!(nobody.code, Some(1));
    assert!(nobody.stderr.contains("nobody@example.com") && nobody.stdout.is_empty(), "{nobody:?}");
}

#[test]
fn organisations_are_added_with_members() {
    let shell = Shell::new();
    add_person(&shell, &[]);
    shell.json(&["user", "add", "--email", "bob@example.com"]);
    let plain = shell.json(&["organisation", "add", "--email", EMAIL, "--name", "Larkspur"]);
    assert_eq!(
        (&plain["name"], &plain["role"], &plain["has_vat_control"]),
        (&json!("Larkspur"), &json!("owner"), &json!(false))
    );
    let with_vat = shell.json(&["organisation", "add", "--email", EMAIL, "--name", "Foxglove", "--vat-control"]);
    assert_eq!(with_vat["has_vat_control"], true);
    let id = plain["id"].to_string();
    for role in ["viewer", "bookkeeper", "admin", "owner"] {
        shell.ok(&["organisation", "add-member", "--organisation", &id, "--email", "bob@example.com", "--role", role]);
    }
    let role = shell.run(&["organisation", "add-member", "--organisation", &id, "--email", EMAIL, "--role", "king"]);
    assert_eq!(role.code, Some(2));
    assert!(role.stderr.contains("bookkeeper"), "what is allowed is named: {role:?}");
    let unknown =
        shell.run(&["organisation", "add-member", "--organisation", "999", "--email", EMAIL, "--role", "viewer"]);
    assert_eq!(unknown.code, Some(1), "{unknown:?}");
    assert_eq!(shell.run(&["check", "--organisation", &id]).code, Some(0));
    assert_eq!(shell.run(&["check"]).code, Some(0));
}

#[test]
fn a_session_is_printed_alone_and_only_for_somebody() {
    let shell = Shell::new();
    add_person(&shell, &[]);
    let printed = shell.ok(&["user", "session", "--email", EMAIL, "--ttl-s", "60"]);
    let token = printed.strip_suffix('\n').expect("one line");
    assert_eq!(token.split('.').count(), 3);
    assert!(!token.contains(char::is_whitespace));
    assert_eq!(shell.run(&["user", "session", "--email", "nobody@example.com"]).code, Some(1));
    assert_eq!(shell.run(&["user", "session", "--email", EMAIL, "--ttl-s", "0"]).code, Some(2));
}

#[test]
fn migrate_says_what_it_applied_once() {
    let shell = Shell::new();
    let first = shell.run(&["migrate"]);
    assert_eq!(first.code, Some(0), "{first:?}");
    assert!(first.stdout.lines().count() >= 1, "{first:?}");
    assert!(first.stdout.lines().all(|line| !line.trim().is_empty()));
    let second = shell.run(&["migrate"]);
    assert_eq!((second.code, second.stdout.as_str()), (Some(0), ""), "{second:?}");
    assert!(shell.path("data/bookkeeping.db").is_file());
    assert_eq!(std::fs::metadata(shell.path("data")).unwrap().permissions().mode() & 0o777, 0o700);
}

/// Runs SQL on a database behind the program's back; the rows it changed.
fn execute(url: &str, sql: &str) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        use sea_orm::ConnectionTrait as _;
        let connection = sea_orm::Database::connect(url).await.unwrap();
        let changed = connection.execute_unprepared(sql).await.unwrap().rows_affected();
        connection.close().await.unwrap();
        changed
    })
}

/// Every command that works on what is there.
const ON_WHAT_IS_THERE: [&[&str]; 7] = [
    &["check"],
    &["check", "--organisation", "1"],
    &["credits", "show", "--email", EMAIL],
    &["credits", "grant", "--email", EMAIL, "--bonus", "1", "--reason", "r"],
    &["user", "session", "--email", EMAIL],
    &["organisation", "add", "--email", EMAIL, "--name", "Larkspur"],
    &["organisation", "add-member", "--organisation", "1", "--email", EMAIL, "--role", "viewer"],
];

#[test]
fn a_command_on_a_folder_without_a_database_says_so_and_makes_nothing() {
    let shell = Shell::new();
    let refused = |arguments: &[&str], named: &str| {
        let ran = shell.run(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:?}");
        let said = format!("there is no database at {named};");
        assert!(ran.stdout.is_empty() && ran.stderr.contains(&said), "{arguments:?}: {ran:?}");
    };
    for command in ON_WHAT_IS_THERE {
        refused(command, "./data/bookkeeping.db");
        refused(&[command, &["--data-dir", "nowhere"]].concat(), "nowhere/bookkeeping.db");
        refused(&[command, &["--database-url", "sqlite://other.db?mode=rwc"]].concat(), "other.db");
    }
    assert_eq!(std::fs::read_dir(shell.folder.path()).unwrap().count(), 0, "something was made");
    // An empty file holds no database either.
    std::fs::write(shell.path("empty.db"), "").unwrap();
    refused(&["check", "--database-url", "sqlite://empty.db"], "empty.db");
    add_person(&shell, &[]);
    assert_eq!(shell.run(&["check"]).code, Some(0));
}

#[test]
fn a_command_on_an_empty_postgresql_database_says_so_and_makes_nothing() {
    let Some(database) = Database::postgresql() else { return };
    let url = database.url().unwrap();
    // The fixture hands out databases with a schema.
    execute(&url, "drop schema public cascade; create schema public");
    let shell = Shell::new();
    // The second round sees what the first has left.
    for command in ON_WHAT_IS_THERE.into_iter().chain(ON_WHAT_IS_THERE) {
        let ran = shell.run(&[command, &["--database-url", &url]].concat());
        assert_eq!(ran.code, Some(2), "{command:?}: {ran:?}");
        assert!(ran.stdout.is_empty() && ran.stderr.contains("there is no database at postgres"), "{ran:?}");
        assert!(!ran.stderr.contains('@'), "who logs in to the database, and how, is nobody's business: {ran:?}");
    }
    assert_eq!(std::fs::read_dir(shell.folder.path()).unwrap().count(), 0, "something was made");
}

#[test]
fn commands_work_on_postgresql_too() {
    let Some(database) = Database::postgresql() else { return };
    let url = database.url().unwrap();
    let shell = Shell::new();
    let with = |arguments: &[&str]| {
        let mut all = arguments.to_vec();
        all.extend(["--database-url", &url]);
        shell.ok(&all)
    };
    with(&["migrate"]);
    with(&["user", "add", "--email", EMAIL, "--bonus-credits", "3"]);
    with(&["credits", "grant", "--email", EMAIL, "--bonus", "4", "--reason", "r"]);
    let shown: Value = serde_json::from_str(&with(&["credits", "show", "--email", EMAIL])).unwrap();
    assert_eq!(shown["bonus"], 7);
    assert_eq!(with(&["user", "session", "--email", EMAIL]).trim().split('.').count(), 3);
    with(&["organisation", "add", "--email", EMAIL, "--name", "Larkspur"]);
    assert_eq!(with(&["check"]), "");
}

#[test]
fn what_cannot_be_done_ends_with_1_and_says_what() {
    let shell = Shell::new();
    add_person(&shell, &[]);
    std::fs::write(shell.path("short"), "elevenchars\n").unwrap();
    let short = shell.run(&["user", "add", "--email", "b@example.com", "--password-file", "short"]);
    assert_eq!(short.code, Some(2), "{short:?}");
    assert!(short.stderr.contains("12") && !short.stderr.contains("elevenchars"), "{short:?}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for (arguments, named) in [
        (vec!["user", "add", "--email", "b@example.com", "--password-file", "absent"], "absent"),
        (vec!["check", "--organisation", "999"], "999"),
        (vec!["serve", "--listen", &address, "--ops-listen", "127.0.0.1:0"], address.as_str()),
        (vec!["serve", "--listen", "127.0.0.1:0", "--ops-listen", &address], address.as_str()),
        // Tried again for a while, so that this is the only test that waits for it.
        (vec!["migrate", "--database-url", "postgres://nobody:hunter2secret@127.0.0.1:1/none"], "127.0.0.1:1/none"),
    ] {
        let ran = shell.run(&arguments);
        assert_eq!(ran.code, Some(1), "{arguments:?}: {ran:?}");
        assert!(ran.stdout.is_empty() && ran.stderr.contains(named), "{arguments:?}: {ran:?}");
        assert!(!ran.stderr.contains("hunter2secret"), "a password is never printed: {ran:?}");
    }
}

#[test]
fn check_finds_what_was_tampered_with() {
    let shell = Shell::new();
    add_person(&shell, &["--monthly-credits", "5"]);
    assert_eq!(shell.run(&["check"]).code, Some(0));
    let url = format!("sqlite://{}", shell.path("data/bookkeeping.db").display());
    let tamper = |sql: &str| assert!(execute(&url, sql) > 0, "{sql}");
    tamper("update credit_account set monthly = monthly + 1");
    let found = shell.run(&["check"]);
    assert_eq!(found.code, Some(1), "{found:?}");
    assert!(!found.stdout.trim().is_empty(), "{found:?}");
    tamper("update credit_account set monthly = monthly - 1");
    assert_eq!(shell.run(&["check"]).code, Some(0));
    tamper("delete from credit_movement");
    assert_eq!(shell.run(&["check"]).code, Some(1));
}

#[test]
fn bad_usage_and_bad_settings_end_with_2_and_name_the_key() {
    let shell = Shell::new();
    let named = |arguments: &[&str], key: &str, allowed: &str| {
        let ran = shell.run(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:?}");
        assert!(ran.stdout.is_empty(), "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains(key) && ran.stderr.contains(allowed), "{arguments:?}: {ran:?}");
    };
    named(&[], "serve", "migrate");
    named(&["dance"], "dance", "");
    named(&["user", "add"], "--email", "");
    named(&["user", "add", "--email", "nonsense"], "email", "@");
    named(&["migrate", "--listen", "nowhere"], "listen", "127.0.0.1:8080");
    named(&["migrate", "--rate-limit-requests", "0"], "rate_limit_requests", "1 to");
    named(&["migrate", "--job-lease-ms", "5"], "job_lease_ms", "1000 to");
    named(&["migrate", "--log-format", "xml"], "log_format", "json");
    named(&["migrate", "--config", "absent.toml"], "absent.toml", "");
    named(&["serve", "--demo", "--database-url", "sqlite://x.db"], "database_url", "");
    let mut command = shell.command(&["migrate"]);
    let output = command.env("BOOKKEEPING_QUEUE_CAPACITY_JOBS", "none").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr).to_lowercase();
    assert!(text.contains("queue_capacity_jobs") || text.contains("queue-capacity-jobs"), "{text}");
}

#[test]
fn the_file_is_read_and_an_unknown_key_in_it_is_an_error() {
    let shell = Shell::new();
    std::fs::write(shell.path("bookkeeping.toml"), "data_dir = \"elsewhere\"\ndefault_monthly_credits = 12\n").unwrap();
    add_person(&shell, &[]);
    assert!(shell.path("elsewhere/bookkeeping.db").is_file());
    assert_eq!(shell.json(&["credits", "show", "--email", EMAIL])["monthly"], 12);
    // The environment wins over the file, the flag over the environment.
    let mut command = shell.command(&["user", "add", "--email", "bob@example.com"]);
    assert!(command.env("BOOKKEEPING_DEFAULT_MONTHLY_CREDITS", "13").output().unwrap().status.success());
    assert_eq!(shell.json(&["credits", "show", "--email", "bob@example.com"])["monthly"], 13);
    let mut command = shell.command(&["user", "add", "--email", "cy@example.com", "--default-monthly-credits", "14"]);
    assert!(command.env("BOOKKEEPING_DEFAULT_MONTHLY_CREDITS", "13").output().unwrap().status.success());
    assert_eq!(shell.json(&["credits", "show", "--email", "cy@example.com"])["monthly"], 14);

    std::fs::write(shell.path("other.toml"), "queue_capacity = 7\n").unwrap();
    let ran = shell.run(&["migrate", "--config", "other.toml"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("queue_capacity") && ran.stderr.contains("other.toml"), "{ran:?}");
}

#[test]
fn passwords_in_settings_are_never_printed() {
    let shell = Shell::new();
    for arguments in [
        ["migrate", "--database-url", "mysql://someone:hunter2secret@127.0.0.1:1/none"],
        ["migrate", "--smtp-url", "http://someone:hunter2secret@127.0.0.1:1"],
    ] {
        let ran = shell.run(&arguments);
        assert_ne!(ran.code, Some(0), "{arguments:?}");
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("hunter2secret"), "{ran:?}");
    }
    let mut command = shell.command(&["serve", "--help"]);
    let output = command.env("BOOKKEEPING_DATABASE_URL", "postgres://someone:hunter2secret@h/d").output().unwrap();
    assert!(!String::from_utf8_lossy(&output.stdout).contains("hunter2secret"));
}

#[test]
fn help_explains_every_setting_with_default_and_variable() {
    let shell = Shell::new();
    let help = shell.ok(&["serve", "--help"]);
    for (flag, variable, default) in [
        ("--listen", "BOOKKEEPING_LISTEN", "127.0.0.1:8080"),
        ("--ops-listen", "BOOKKEEPING_OPS_LISTEN", "127.0.0.1:9464"),
        ("--queue-capacity-jobs", "BOOKKEEPING_QUEUE_CAPACITY_JOBS", "100"),
        ("--job-lease-ms", "BOOKKEEPING_JOB_LEASE_MS", "15000"),
        ("--max-body-bytes", "BOOKKEEPING_MAX_BODY_BYTES", "26214400"),
        ("--trusted-proxies", "BOOKKEEPING_TRUSTED_PROXIES", "none"),
        ("--shutdown-grace-s", "BOOKKEEPING_SHUTDOWN_GRACE_S", "20"),
    ] {
        for text in [flag, variable, default] {
            assert!(help.contains(text), "{text} is missing");
        }
    }
    assert!(shell.ok(&["--version"]).starts_with("bookkeeping "));
}

#[test]
fn openapi_is_printed_without_a_database() {
    let shell = Shell::new();
    let document = shell.json(&["openapi"]);
    assert!(document["openapi"].as_str().is_some_and(|version| version.starts_with("3.1")), "{}", document["openapi"]);
    let paths = keys(&document["paths"]);
    assert!(paths.iter().all(|path| path.starts_with("/api/v1/")), "{paths:?}");
    for path in ["/api/v1/health", "/api/v1/me", "/api/v1/keys", "/api/v1/keys/{id}", "/api/v1/reconciliations"] {
        assert!(paths.iter().any(|known| known == path), "{path}");
    }
    assert!(!shell.path("data").exists(), "nothing was made");
}

#[test]
fn serve_sees_what_commands_write_and_ends_well_on_sigterm() {
    let shell = Shell::new();
    let made = add_person(&shell, &["--monthly-credits", "5"]);
    let token = shell.ok(&["user", "session", "--email", EMAIL]).trim().to_owned();
    let serving = shell.serve(&[]);
    let [public, operators] = serving.addresses();
    let client = Client::new(&public);
    client.get("/api/v1/health").send().expect(200);
    let request = json!({ "name": "n", "scopes": ["reconcile:read", "reconcile:write", "books:read"] });
    let key = client.post("/api/v1/keys").bearer(&token).json(&request).send().expect(201);
    let key = key["key"].as_str().unwrap().to_owned();
    let me = || client.get("/api/v1/me").bearer(&key).send().expect(200);
    assert_eq!(me()["credits"], json!({ "remainingMonthly": 5, "bonusCredits": 0 }));

    // Commands beside the running server: seen by it soon.
    shell.ok(&["credits", "grant", "--email", EMAIL, "--bonus", "9", "--reason", "r"]);
    until("the grant is seen", || (me()["credits"]["bonusCredits"] == 9).then_some(()));
    let organisation = shell.json(&["organisation", "add", "--email", EMAIL, "--name", "Larkspur"]);
    let path = format!("/api/v1/books/organisations/{}", organisation["id"]);
    until("the organisation is seen", || (client.get(&path).bearer(&key).send().status == 200).then_some(()));
    let submitted = client.post("/api/v1/reconciliations").bearer(&key).body(costing(6)).send().expect(202);
    let poll = submitted["poll_url"].as_str().unwrap().to_owned();
    until("the job ends", || {
        (client.get(&poll).bearer(&key).send().expect(200)["status"] == "completed").then_some(())
    });
    assert_eq!(me()["credits"], json!({ "remainingMonthly": 0, "bonusCredits": 8 }));

    let tool =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "whoami", "arguments": {} } });
    let tool = client.post("/mcp").bearer(&key).header("Accept", "application/json, text/event-stream").json(&tool);
    assert_eq!(tool.send().expect(200)["result"]["isError"], false);

    // One process serves a database.
    let second = shell.run(&["serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"]);
    assert_eq!(second.code, Some(2), "{second:?}");
    assert!(second.stderr.contains("setting database_url: ") && second.stderr.contains("one `serve`"), "{second:?}");

    assert_eq!(Client::new(&operators).get("/healthz").send_plain().status, 200);
    let mut served = client.get("/openapi.json").send().expect(200);
    let mut printed = shell.json(&["openapi"]);
    for document in [&mut served, &mut printed] {
        document.as_object_mut().unwrap().remove("servers");
    }
    assert_eq!(served, printed);

    // A session secret and keys are for nobody else's eyes.
    let mode = std::fs::metadata(shell.path("data/session.secret")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let ran = serving.terminate();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let everything = format!("{}{}", ran.stdout, ran.stderr);
    let secret = std::fs::read_to_string(shell.path("data/session.secret")).unwrap();
    for text in [key.as_str(), &token, made["password"].as_str().unwrap(), secret.trim()] {
        assert!(!everything.contains(text), "a secret was printed or logged");
    }
    assert!(!everything.contains("rmcp"), "a tool that is called leaves nothing in the log: {everything}");
    assert_eq!(shell.ok(&["check"]), "");
}

/// What a reader of /docs tries first does what it says: the documented bodies of what is entered are taken as they are.
fn examples_post(client: &Client, key: &str) {
    let document = client.get("/openapi.json").send().expect(200);
    for list in [
        "customers",
        "suppliers",
        "journals",
        "sales-invoices",
        "purchase-invoices",
        "bank-transactions",
        "bank-transactions/import",
        "imports",
    ] {
        let path = format!("/api/v1/books/organisations/{{organisationId}}/{list}");
        let content = &document["paths"][&path]["post"]["requestBody"]["content"]["application/json"];
        assert!(content["example"].is_object(), "{list}: {content}");
        let path = path.replace("{organisationId}", "1");
        let posted = client.post(&path).query("dry_run=true").bearer(key).json(&content["example"]).send();
        assert_eq!(posted.expect(200)["dry_run"], true, "{list}");
    }
}

/// What the demonstration prints of its reports is what they say, and the files it names are there.
fn assert_reports_are_printed(client: &Client, key: &str, text: &str) {
    let after = |words: &str| text.split_once(words).unwrap_or_else(|| panic!("{words:?} is not printed: {text}")).1;
    let mut days = after("Profit and loss of Larkspur Joinery Ltd, ").split([' ', '\n']);
    let (first, last) = (days.next().unwrap(), days.nth(1).unwrap());
    let report = |name: &str| {
        let path = format!("/api/v1/books/organisations/1/reports/{name}?period_start={first}&period_end={last}");
        client.get(&path).bearer(key).send().expect(200)["data"].clone()
    };
    let printed = |words: &str| {
        let line = after(words).lines().next().unwrap().replace(',', "");
        line.split_whitespace().next().unwrap().parse::<f64>().unwrap_or_else(|_| panic!("{words}: {line}"))
    };
    let (profit, vat) = (report("profit-loss"), report("vat-return"));
    for (words, figure) in [
        ("    revenue  ", &profit["total_revenue"]),
        ("    gross profit  ", &profit["gross_profit"]),
        ("    net profit  ", &profit["net_profit"]),
        ("    box1  VAT due on sales  ", &vat["box1"]),
        ("    box4  VAT reclaimed on purchases  ", &vat["box4"]),
        ("    box5  net VAT  ", &vat["box5"]),
        ("    box6  sales without VAT  ", &vat["box6"]),
    ] {
        assert_eq!(Some(printed(words)), figure.as_f64(), "{words}");
        assert!(printed(words) > 0.0, "{words}");
    }
    let due = vat["due_date"].as_str().expect("a VAT period of the organisation");
    assert!(text.contains(&format!("VAT return for {first} to {last}, due by {due}")), "{text}");
    let files: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("printed: ")).collect();
    assert_eq!(files.len(), 2, "{text}");
    for file in files {
        assert!(std::fs::read(file).unwrap_or_else(|error| panic!("{file}: {error}")).starts_with(b"%PDF-"), "{file}");
    }
}

#[test]
fn the_demonstration_runs_its_samples_and_prints_what_to_try() {
    let shell = Shell::new();
    let serving = shell.serve(&["--demo"]);
    let [public, _] = serving.addresses();
    let text = serving.until_printed("curl");
    let key = text
        .split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))
        .find(|word| word.starts_with("key_") && word.len() == 60)
        .unwrap_or_else(|| panic!("no key is printed: {text}"))
        .to_owned();
    for line in [
        "verified: true, 30 credits charged",
        "INV-1038 (sum), INV-1044 (sum)",
        ", 31 credits charged",
        "warnings: none",
        "Ashdown School                  4,740.00",
        "An agent's job over /mcp",
        "commit_plan         RCP-",
        "Suggestions for an imported statement: ",
        "  left for a person",
    ] {
        assert!(text.contains(line), "{line:?} is not printed: {text}");
    }
    let client = Client::new(&public);
    let me = client.get("/api/v1/me").bearer(&key).send().expect(200);
    assert_eq!(me["scopes"].as_array().unwrap().len(), 7);
    assert_eq!(me["credits"]["remainingMonthly"], 1000 - 30 - 31 - 13);
    let organisations = client.get("/api/v1/books/organisations").bearer(&key).send().expect(200);
    assert_eq!(organisations["data"].as_array().unwrap().len(), 1);
    let open = client.get("/api/v1/books/organisations/1/bank-transactions?status=unconfirmed").bearer(&key).send();
    let left = open.expect(200)["pagination"]["total"].as_i64().unwrap();
    assert!((1..=12).contains(&left) && text.contains(&format!(" refused, {left} left")), "{left}: {text}");
    assert_reports_are_printed(&client, &key, &text);
    examples_post(&client, &key);
    assert!(shell.path("data/demo").is_dir());
    assert_eq!(serving.terminate().code, Some(0));
    // A folder it did not make is left alone.
    std::fs::remove_dir_all(shell.path("data/demo")).unwrap();
    std::fs::create_dir_all(shell.path("data/demo")).unwrap();
    std::fs::write(shell.path("data/demo/mine.txt"), "mine").unwrap();
    let ran = shell.run(&["serve", "--demo", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"]);
    assert_ne!(ran.code, Some(0), "{ran:?}");
    assert!(shell.path("data/demo/mine.txt").is_file());
}

#[test]
fn connections_that_rest_make_room_when_descriptors_run_short() {
    let shell = Shell::new();
    let serving = shell.serve_with_descriptors(200);
    let [public, operators] = serving.addresses();
    let address = public.trim_start_matches("http://").to_owned();
    let mut kept = Vec::new();
    for number in 0..300 {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut begin = [0; 12];
        stream.read_exact(&mut begin).unwrap_or_else(|error| panic!("connection {number}: {error}"));
        assert_eq!(&begin, b"HTTP/1.1 200");
        kept.push(stream);
        if number % 50 == 0 {
            assert_eq!(Client::new(&operators).get("/healthz").send_plain().status, 200);
        }
    }
}
