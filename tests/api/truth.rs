//! What the service says of itself when something is broken: its database file, the disk under it, the ports, the settings.

use std::fs::OpenOptions;
use std::path::Path;

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::{Value, json};

use crate::support::client::{Answer, Client};
use crate::support::data::costing;
use crate::support::database::Database;
use crate::support::program::{Ran, Serving, Shell};
use crate::support::until;

const EMAIL: &str = "ada@example.com";

/// A running program with somebody who may write.
struct Served {
    shell: Shell,
    serving: Serving,
    client: Client,
    operators: Client,
    session: String,
}

impl Served {
    fn start(more: &[&str]) -> Self {
        let shell = Shell::new();
        shell.run(&[&["user", "add", "--email", EMAIL], more].concat());
        let session = shell.ok(&[&["user", "session", "--email", EMAIL], more].concat()).trim().to_owned();
        let serving = shell.serve(more);
        let [public, operators] = serving.addresses();
        let (client, operators) = (Client::new(&public), Client::new(&operators));
        Self { shell, serving, client, operators, session }
    }

    /// An attempt to write.
    fn write(&self) -> Answer {
        let request = json!({ "name": "n", "scopes": ["reconcile:read", "reconcile:write", "books:read"] });
        self.client.post("/api/v1/keys").bearer(&self.session).json(&request).send()
    }

    /// Why the service is not ready; nothing when it is.
    fn reasons(&self) -> String {
        let answer = self.operators.get("/readyz").send_plain();
        let said: Value = serde_json::from_str(&answer.text()).expect("JSON");
        assert_eq!(answer.status == 200, said["reasons"] == json!([]), "{said}");
        said["reasons"].as_array().expect("a list").iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
    }

    fn health(&self) -> String {
        self.client.get("/api/v1/health").send().expect(200)["status"].as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the service says this of itself, everywhere.
    #[track_caller]
    fn until_unready(&self, reason: &str) {
        until(reason, || self.reasons().contains(reason).then_some(()));
        assert_eq!(self.health(), "degraded");
        let page = self.operators.get("/history").send_plain().text();
        assert!(page.contains(reason), "{page}");
        assert_eq!(self.operators.get("/healthz").send_plain().status, 200);
    }

    #[track_caller]
    fn until_well(&self) {
        until("ready again", || self.reasons().is_empty().then_some(()));
        assert_eq!(self.health(), "ok");
    }

    fn database(&self) -> std::path::PathBuf {
        self.shell.path("data/bookkeeping.db")
    }
}

fn cut(path: &Path, bytes: u64) {
    OpenOptions::new().write(true).open(path).expect("opened").set_len(bytes).expect("cut off");
}

/// Lines of the log at a level that hold a text.
fn lines<'a>(log: &'a str, level: &str, text: &str) -> Vec<&'a str> {
    let level = format!("\"level\":\"{level}\"");
    log.lines().filter(|line| line.contains(&level) && line.contains(text)).collect()
}

#[track_caller]
fn refused(ran: &Ran, words: &str) {
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.is_empty() && ran.stderr.contains(words), "{ran:?}");
}

#[test]
fn an_emptied_or_cut_database_file_acknowledges_nothing_more_and_is_never_taken_for_new() {
    for (bytes, words) in [(0, "was emptied while it was open"), (20_000, "was cut off while it was open")] {
        let served = Served::start(&[]);
        served.write().expect(201);
        assert_eq!((served.reasons(), served.health()), (String::new(), "ok".to_owned()));
        cut(&served.database(), bytes);
        for _ in 0..5 {
            let answer = served.write();
            assert_eq!(answer.refused(503, "busy")["details"]["reason"], "store_unavailable");
        }
        served.until_unready(words);
        served.write().refused(503, "busy");
        let Served { shell, serving, .. } = served;
        let ended = serving.terminate();
        assert_eq!(ended.code, Some(0));
        assert_eq!(lines(&ended.stderr, "ERROR", words).len(), 1, "{}", ended.stderr);
        for command in
            [&["serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"][..], &["migrate"], &["check"]]
        {
            refused(&shell.run(command), "was damaged while it was open");
        }
        refused(&shell.run(&["user", "add", "--email", "new@example.com"]), "was damaged while it was open");
    }
}

#[test]
fn a_database_file_that_was_emptied_or_cut_off_at_rest_is_never_taken_for_new() {
    for (bytes, words) in [(0, "is empty"), (20_000, "is cut off")] {
        let shell = Shell::new();
        shell.ok(&["user", "add", "--email", EMAIL]);
        let path = shell.path("data/bookkeeping.db");
        let whole = std::fs::read(&path).unwrap();
        cut(&path, bytes);
        for command in [&["serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"][..], &["migrate"]] {
            refused(&shell.run(command), words);
        }
        refused(&shell.run(&["user", "add", "--email", "new@example.com"]), words);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), bytes, "nothing was made of it");
        std::fs::write(&path, whole).unwrap();
        shell.ok(&["check"]);
        std::fs::remove_file(&path).unwrap();
        refused(&shell.run(&["migrate"]), "is missing");
        assert!(!path.exists());
    }
}

#[test]
fn a_disk_that_takes_no_more_makes_the_service_unready_until_it_does() {
    let served = Served::start(&[]);
    served.write().expect(201);
    let process = Pid::from_raw(i32::try_from(served.serving.id()).unwrap());
    let limit = |bytes| {
        prlimit(process, Resource::Fsize, Rlimit { current: bytes, maximum: None }).expect("the limit is set");
    };
    limit(Some(4096));
    // Nobody writes: the service finds out by itself.
    served.until_unready("the database takes no writes: the disk cannot be written");
    served.write().refused(503, "busy");
    limit(None);
    served.until_well();
    served.write().expect(201);
    let ended = served.serving.terminate();
    assert_eq!(lines(&ended.stderr, "ERROR", "").len(), 1, "{}", ended.stderr);
    assert_eq!(lines(&ended.stderr, "INFO", "well again after").len(), 1, "{}", ended.stderr);
    assert!(ended.stderr.contains("\"lasted_ms\":"), "{}", ended.stderr);
    served.shell.ok(&["check"]);
}

/// `serve` on a disk of its own, where this system lets the test make one.
fn serve_on_a_small_disk(shell: &Shell) -> Option<(Serving, std::path::PathBuf)> {
    let data = shell.path("data");
    std::fs::create_dir_all(&data).unwrap();
    let mount = format!("mount -t tmpfs -o size=6m,mode=700 tmpfs {}", data.display());
    let may = std::process::Command::new("unshare").args(["-m", "sh", "-c", &mount]).output();
    if !may.is_ok_and(|ran| ran.status.success()) {
        eprintln!("skipped: this system lets nobody mount a disk of their own");
        return None;
    }
    let serving = shell.serve_through(&["unshare", "-m", "sh", "-c", &format!("{mount} && exec \"$0\" \"$@\"")], &[]);
    let seen = std::path::PathBuf::from(format!("/proc/{}/root{}", serving.id(), data.display()));
    Some((serving, seen))
}

#[test]
fn a_full_disk_is_called_full() {
    let shell = Shell::new();
    let Some((serving, data)) = serve_on_a_small_disk(&shell) else { return };
    let [public, operators] = serving.addresses();
    let (client, operators) = (Client::new(&public), Client::new(&operators));
    let served = Served { shell, serving, client, operators, session: String::new() };
    assert_eq!(served.reasons(), "");
    let mut filler = std::fs::File::create(data.join("filler")).expect("a file on that disk");
    let piece = [0_u8; 4096];
    while std::io::Write::write(&mut filler, &piece).is_ok_and(|written| written > 0) {}
    served.until_unready("the disk is full");
    drop(filler);
    std::fs::remove_file(data.join("filler")).expect("removed");
    served.until_well();
    let ended = served.serving.terminate();
    assert_eq!(ended.code, Some(0));
    assert_eq!(lines(&ended.stderr, "ERROR", "").len(), 1, "{}", ended.stderr);
}

#[test]
fn a_database_that_became_read_only_is_said_to_be() {
    let Some(database) = Database::postgresql() else { return };
    let url = database.url().unwrap();
    let served = Served::start(&["--database-url", &url]);
    served.write().expect(201);
    let read_only = |on: &str| {
        execute(
            &url,
            &format!(
                "set transaction read write; \
                 do $$ begin execute format('alter database %I set default_transaction_read_only = {on}', current_database()); \
                 perform pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() \
                 and application_name = 'bookkeeping writer'; end $$"
            ),
        );
    };
    read_only("on");
    served.until_unready("read-only");
    served.write().refused(503, "busy");
    read_only("off");
    served.until_well();
    served.write().expect(201);
    assert_eq!(served.serving.terminate().code, Some(0));
}

fn execute(url: &str, sql: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        use sea_orm::ConnectionTrait as _;
        let connection = sea_orm::Database::connect(url).await.unwrap();
        connection.execute_unprepared(sql).await.unwrap();
        connection.close().await.unwrap();
    });
}

#[test]
fn the_slot_of_a_process_that_died_is_taken_long_before_its_lease_ends() {
    let Some(database) = Database::postgresql() else { return };
    let url = database.url().unwrap();
    let more = ["--database-url", url.as_str(), "--job-lease-ms", "600000", "--rate-limit-requests", "1000000"];
    let first = Served::start(&more);
    let key = first.write().expect(201)["key"].as_str().unwrap().to_owned();
    let run = |client: &Client| {
        let submitted = client.post("/api/v1/reconciliations").bearer(&key).body(costing(1)).send().expect(202);
        let poll = submitted["poll_url"].as_str().unwrap().to_owned();
        until("the job ends", || {
            (client.get(&poll).bearer(&key).send().expect(200)["status"] == "completed").then_some(())
        });
    };
    run(&first.client);
    let second = first.shell.serve(&more);
    // Dropped is killed.
    drop(first.serving);
    let [public, _] = second.addresses();
    run(&Client::new(&public));
    second.until_printed("slot taken over");
    assert_eq!(second.terminate().code, Some(0));
}

#[test]
fn stopping_waits_for_no_database() {
    let Some(database) = Database::postgresql() else { return };
    let url = database.url().unwrap();
    let served = Served::start(&["--database-url", &url, "--shutdown-grace-s", "1"]);
    served.write().expect(201);
    database.set_reachable(false);
    served.until_unready("the database at ");
    let ended = served.serving.terminate();
    assert_eq!(ended.code, Some(0));
    let stopped = ended.stderr.lines().find(|line| line.contains("\"message\":\"stopped\"")).expect("the last line");
    let stopped: Value = serde_json::from_str(stopped).unwrap();
    assert!(stopped["duration_ms"].as_u64().unwrap() < 8_000, "{stopped}");
    database.set_reachable(true);
}

#[test]
fn without_its_database_a_starting_service_says_what_it_waits_for() {
    let Some(database) = Database::postgresql() else { return };
    let url = database.url().unwrap();
    database.set_reachable(false);
    let shell = Shell::new();
    let ports = [free_port(), free_port()].map(|port| format!("127.0.0.1:{port}"));
    let serving = shell.start(&["serve", "--database-url", &url, "--listen", &ports[0], "--ops-listen", &ports[1]]);
    let [client, operators] = ports.map(|address| Client::new(&format!("http://{address}")));
    let logged = serving.until_printed("waiting for the database");
    assert!(lines(&logged, "ERROR", "cannot be reached").len() == 1 && !logged.contains("hunter2"), "{logged}");
    assert_eq!(operators.get("/healthz").send_plain().status, 200);
    until("the reason", || {
        let ready = operators.get("/readyz").send_plain();
        (ready.status == 503 && ready.text().contains("the database at ")).then_some(())
    });
    let refused = client.get("/api/v1/me").bearer("key_whatever").send();
    assert_eq!(refused.refused(503, "busy")["details"]["reason"], "starting");
    database.set_reachable(true);
    until("ready", || (operators.get("/readyz").send_plain().status == 200).then_some(()));
    client.get("/api/v1/health").send().expect(200);
    assert_eq!(serving.terminate().code, Some(0));
}

#[test]
fn callers_that_use_up_their_descriptors_leave_some_to_the_operators_and_the_database() {
    let shell = Shell::new();
    let serving = shell.serve_through(&["sh", "-c", "ulimit -n 256 && exec \"$0\" \"$@\""], &[]);
    let [public, operators] = serving.addresses();
    let address = public.trim_start_matches("http://");
    let held: Vec<std::net::TcpStream> =
        (0..400).map(|_| std::net::TcpStream::connect(address).expect("connected")).collect();
    // Everybody is accepted who will be: the service looks at its own files.
    let operators = Client::new(&operators);
    let open = until("the connections are accepted", || {
        let metrics = operators.get("/metrics").send_plain().text();
        let open = metrics.lines().find_map(|line| line.strip_prefix("process_open_fds "))?.parse::<f64>().ok()?;
        (open > 150.0).then_some(open)
    });
    assert!(open < 256.0, "{open}");
    for path in ["/healthz", "/readyz", "/metrics", "/"] {
        assert_eq!(operators.get(path).send_plain().status, 200, "{path}");
    }
    drop(held);
    until("callers are answered", || (Client::new(&public).get("/api/v1/health").send().status == 200).then_some(()));
    assert_eq!(serving.terminate().code, Some(0));
}

#[test]
fn idle_connections_of_operators_make_room_for_those_that_ask() {
    let shell = Shell::new();
    let serving = shell.serve_with_descriptors(256);
    let [_, operators] = serving.addresses();
    let address = operators.trim_start_matches("http://");
    let connect = || std::net::TcpStream::connect(address).expect("connected");
    let mut oldest = connect();
    let held: Vec<std::net::TcpStream> = (0..300).map(|_| connect()).collect();
    // Those that were idle for longest are closed: not by their own time, which would close all of them.
    assert_eq!(std::io::Read::read(&mut oldest, &mut [0; 16]).expect("closed"), 0);
    let mut newest = held.last().expect("a connection");
    std::io::Write::write_all(&mut newest, b"GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .expect("sent");
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut newest, &mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert_eq!(Client::new(&operators).get("/readyz").send_plain().status, 200);
    assert_eq!(serving.terminate().code, Some(0));
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn a_port_that_is_taken_leaves_the_folder_without_a_database() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for (listen, ops) in [(address.as_str(), "127.0.0.1:0"), ("127.0.0.1:0", address.as_str())] {
        let shell = Shell::new();
        let ran = shell.run(&["serve", "--listen", listen, "--ops-listen", ops]);
        refused(&ran, &address);
        assert!(!shell.path("data/bookkeeping.db").exists(), "made before the ports were bound");
    }
}

#[test]
fn a_newer_database_is_told_from_a_broken_one() {
    let shell = Shell::new();
    shell.ok(&["migrate"]);
    execute(
        &format!("sqlite://{}", shell.path("data/bookkeeping.db").display()),
        "insert into seaql_migrations (version, applied_at) values ('m20991231_000001_later', 0)",
    );
    for command in [&["migrate"][..], &["check"], &["serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"]]
    {
        refused(&shell.run(command), "made by a newer bookkeeping");
    }
}

#[test]
fn variables_that_are_no_settings_and_values_that_cannot_be_used_are_named() {
    let shell = Shell::new();
    let run = |name: &str, value: &str| Ran::of(shell.command(&["migrate"]).env(name, value).output().unwrap());
    let misspelt = run("BOOKKEEPING_QUEUE_CAPCITY_JOBS", "5");
    assert_eq!(misspelt.code, Some(0), "{misspelt:?}");
    assert!(misspelt.stderr.contains("BOOKKEEPING_QUEUE_CAPCITY_JOBS"), "{misspelt:?}");
    assert!(misspelt.stderr.contains("BOOKKEEPING_QUEUE_CAPACITY_JOBS"), "the one that was meant: {misspelt:?}");
    assert!(!run("BOOKKEEPING_JOB_LEASE_MS", "5000").stderr.contains("is not a setting"));
    for value in ["lots", "0"] {
        let unusable = run("BOOKKEEPING_QUEUE_CAPACITY_JOBS", value);
        assert_eq!(unusable.code, Some(2), "{unusable:?}");
        assert!(unusable.stderr.contains("BOOKKEEPING_QUEUE_CAPACITY_JOBS"), "{unusable:?}");
    }
}
