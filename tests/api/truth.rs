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

/// Copies the write-ahead log into the file, as another program may while it is served.
fn checkpoint(database: &Path) {
    execute(&format!("sqlite://{}", database.display()), "pragma wal_checkpoint(truncate)");
}

#[test]
fn a_file_that_is_cut_off_right_after_it_grew_acknowledges_nothing_more() {
    let served = Served::start(&[]);
    served.write().expect(201);
    execute(
        &format!("sqlite://{}", served.database().display()),
        "create table filler as with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) \
         select i, hex(randomblob(100)) from n",
    );
    checkpoint(&served.database());
    let bytes = std::fs::metadata(served.database()).unwrap().len();
    cut(&served.database(), bytes - 4096);
    for _ in 0..3 {
        served.write().refused(503, "busy");
    }
    served.until_unready("was cut off while it was open");
    let Served { shell, serving, .. } = served;
    assert_eq!(serving.terminate().code, Some(0));
    refused(
        &shell.run(&["serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"]),
        "was damaged while it was open",
    );
}

#[test]
fn another_program_that_looks_into_the_file_leaves_the_log_of_a_running_service_alone() {
    let served = Served::start(&[]);
    served.write().expect(201);
    let url = format!("sqlite://{}", served.database().display());
    let log = served.shell.path("data/bookkeeping.db-wal");
    // Whoever closes the database takes the log away unless somebody else has this lock.
    let inode = format!(":{}", std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(served.database()).unwrap()));
    let process = served.serving.id().to_string();
    let is_locked = || {
        let Ok(locks) = std::fs::read_to_string("/proc/locks") else { return true };
        locks.lines().any(|line| {
            let mut words = line.split_whitespace().skip(4);
            words.next() == Some(process.as_str()) && words.next().is_some_and(|file| file.ends_with(&inode))
        })
    };
    for _ in 0..3 {
        assert!(is_locked(), "the lock of the service is gone");
        execute(&url, "select count(*) from user_account");
        assert!(log.exists(), "its last user took the log away");
        served.write().expect(201);
        served.shell.ok(&["credits", "show", "--email", EMAIL]);
        assert!(log.exists(), "its last user took the log away");
    }
    // Dropped is killed.
    drop(served.serving);
    let serving = served.shell.serve(&[]);
    let [public, _] = serving.addresses();
    let listed = Client::new(&public).get("/api/v1/keys").bearer(&served.session).send().expect(200);
    assert_eq!(listed["keys"].as_array().expect("a list").len(), 4, "{listed}");
    served.shell.ok(&["check"]);
}

#[test]
fn on_a_file_that_is_gone_readers_too_say_that_the_database_is_away() {
    for overwrite in [false, true] {
        let served = Served::start(&[]);
        let key = served.write().expect(201)["key"].as_str().unwrap().to_owned();
        served.write().expect(201);
        checkpoint(&served.database());
        let bytes = std::fs::metadata(served.database()).unwrap().len();
        cut(&served.database(), 0);
        if overwrite {
            cut(&served.database(), bytes);
        }
        let asked = || {
            let status = served.client.get("/api/v1/reconciliations/recon_none").bearer(&key).send().status;
            assert!(matches!(status, 200 | 404 | 503), "{status}");
            let status = served.client.get("/api/v1/me").bearer(&key).send().status;
            assert!(matches!(status, 200 | 503), "{status}");
            assert_ne!(served.client.get("/api/v1/keys").bearer(&served.session).send().status, 500);
        };
        (0..5).for_each(|_| asked());
        served.until_unready("while it was open");
        (0..5).for_each(|_| asked());
        assert_eq!(served.serving.terminate().code, Some(0));
    }
}

#[test]
fn an_emptied_file_is_not_taken_for_new_through_a_link() {
    let shell = Shell::new();
    shell.ok(&["user", "add", "--email", EMAIL]);
    let link = shell.path("link.db");
    std::os::unix::fs::symlink("data/bookkeeping.db", &link).unwrap();
    cut(&shell.path("data/bookkeeping.db"), 0);
    let url = format!("sqlite://{}", link.display());
    for command in [&["serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"][..], &["migrate"], &["check"]]
    {
        refused(&shell.run(&[command, &["--database-url", &url]].concat()), "is empty");
    }
}

#[test]
fn another_database_in_the_place_of_ours_is_not_taken_for_a_new_one() {
    let shell = Shell::new();
    shell.ok(&["user", "add", "--email", EMAIL]);
    let other = shell.path("other.db");
    execute(&format!("sqlite://{}?mode=rwc", other.display()), "create table note (text text)");
    let content = std::fs::read(&other).unwrap();
    let database = shell.path("data/bookkeeping.db");
    std::fs::write(&database, &content).unwrap();
    for command in [
        &["serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"][..],
        &["migrate"],
        &["user", "add", "--email", "new@example.com"],
    ] {
        refused(&shell.run(command), "holds another database");
    }
    assert_eq!(std::fs::read(&database).unwrap(), content, "nothing was made of it");
}

#[test]
fn a_file_with_two_names_is_served_under_neither() {
    let shell = Shell::new();
    shell.ok(&["user", "add", "--email", EMAIL]);
    let (database, other) = (shell.path("data/bookkeeping.db"), shell.path("other.db"));
    std::fs::hard_link(&database, &other).unwrap();
    for path in [&database, &other] {
        let url = format!("sqlite://{}", path.display());
        for command in [&["serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"][..], &["check"]] {
            let ran = shell.run(&[command, &["--database-url", &url]].concat());
            assert_eq!(ran.code, Some(2), "{ran:?}");
            assert!(ran.stdout.is_empty() && ran.stderr.contains("has 2 names (hard links)"), "{ran:?}");
        }
    }
    std::fs::remove_file(&other).unwrap();
    shell.ok(&["check"]);
}

#[test]
fn a_database_that_another_program_locks_is_said_to_be_locked() {
    let served = Served::start(&[]);
    served.write().expect(201);
    let url = format!("sqlite://{}", served.database().display());
    holding(&url, "begin immediate", || {
        served.until_unready("the database is locked by another program");
        served.write().refused(503, "busy");
        assert!(served.reasons().contains("locked"));
    });
    served.until_well();
    served.write().expect(201);
    let ended = served.serving.terminate();
    assert_eq!(lines(&ended.stderr, "ERROR", "locked by another program").len(), 1, "{}", ended.stderr);
    served.shell.ok(&["check"]);
}

#[test]
fn a_table_that_another_program_locks_is_found_out_though_nobody_writes_to_it() {
    let Some(database) = Database::postgresql() else { return };
    let url = database.url().unwrap();
    let served = Served::start(&["--database-url", &url]);
    let key = served.write().expect(201)["key"].as_str().unwrap().to_owned();
    let submit = || served.client.post("/api/v1/reconciliations").bearer(&key).body(costing(1)).send();
    holding(&url, "begin; lock table job in access exclusive mode", || {
        served.until_unready("the database is locked by another program");
        submit().refused(503, "busy");
        assert!(served.reasons().contains("locked"));
    });
    served.until_well();
    submit().expect(202);
    assert_eq!(served.serving.terminate().code, Some(0));
}

/// Does something while another program has run some SQL and stays connected.
fn holding(url: &str, sql: &str, work: impl FnOnce()) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let connection = runtime.block_on(async {
        use sea_orm::ConnectionTrait as _;
        let mut options = sea_orm::ConnectOptions::new(url);
        options.max_connections(1).test_before_acquire(false);
        let connection = sea_orm::Database::connect(options).await.unwrap();
        connection.execute_unprepared(sql).await.unwrap();
        connection
    });
    work();
    runtime.block_on(connection.close()).unwrap();
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
fn the_slot_of_a_process_that_hangs_is_taken_though_its_lease_was_given_by_a_wrong_clock() {
    let Some(database) = Database::postgresql() else { return };
    let url = database.url().unwrap();
    let more = ["--database-url", url.as_str(), "--job-lease-ms", "2000", "--rate-limit-requests", "1000000"];
    let first = Served::start(&more);
    let key = first.write().expect(201)["key"].as_str().unwrap().to_owned();
    let run = |client: &Client| {
        // The one that hangs may have done so within a transaction, whose locks the database ends.
        let submit = || client.post("/api/v1/reconciliations").bearer(&key).body(costing(1)).send();
        let submitted = until("a job is accepted", || Some(submit()).filter(|answer| answer.status == 202));
        let poll = submitted.expect(202)["poll_url"].as_str().unwrap().to_owned();
        until("the job ends", || {
            let answer = client.get(&poll).bearer(&key).send();
            (answer.status == 200 && answer.expect(200)["status"] == "completed").then_some(())
        });
    };
    run(&first.client);
    let hung = Pid::from_raw(i32::try_from(first.serving.id()).unwrap()).unwrap();
    rustix::process::kill_process(hung, rustix::process::Signal::STOP).expect("stopped");
    execute(&url, "update product_slot set lease_until = lease_until + 86400000 where holder is not null");
    let second = first.shell.serve(&more);
    let [public, _] = second.addresses();
    let client = Client::new(&public);
    until("the key is known", || (client.get("/api/v1/me").bearer(&key).send().status == 200).then_some(()));
    run(&client);
    second.until_printed("slot taken over");
    // Dropped is killed.
    drop(first.serving);
    assert_eq!(second.terminate().code, Some(0));
}

#[test]
fn a_service_that_is_told_to_stop_while_it_is_starting_stops_in_order() {
    let stopped = |ran: &Ran| {
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stderr.contains("stopping: SIGTERM") && ran.stderr.contains("\"message\":\"stopped\""), "{ran:?}");
    };
    // As soon as the operators' listener is there.
    for _ in 0..5 {
        let shell = Shell::new();
        let ops = format!("127.0.0.1:{}", free_port());
        let serving = shell.start(&["serve", "--listen", "127.0.0.1:0", "--ops-listen", &ops]);
        until("the listener", || std::net::TcpStream::connect(&ops).ok());
        stopped(&serving.terminate());
        shell.ok(&["migrate"]);
    }
    let Some(database) = Database::postgresql() else { return };
    database.set_reachable(false);
    let shell = Shell::new();
    let url = database.url().unwrap();
    let arguments = ["serve", "--database-url", &url, "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"];
    let serving = shell.start(&arguments);
    serving.until_printed("waiting for the database");
    stopped(&serving.terminate());
    database.set_reachable(true);
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

#[test]
fn an_address_that_cannot_be_read_is_bad_configuration_and_nothing_of_it_is_printed() {
    let shell = Shell::new();
    for url in [
        "postgres://ada:s3cr3t#PW@127.0.0.1:1/books",
        "postgres://ada:s3cr3t/PW@127.0.0.1:1/books",
        "postgres://ada:s3cr3t?PW@127.0.0.1:1/books",
        "postgres://ada:5432#s3cr3tPW@127.0.0.1:1/books",
        "postgres://ada:5432/s3cr3tPW@127.0.0.1:1/books",
        "postgres://ada:5432?s3cr3tPW@127.0.0.1:1/books",
        "postgres://ada:s3cr3tPW@127.0.0.1:notaport/books",
        "postgres://ada:s3cr3tPW@127.0.0.1:1/books?sslmode=s3cr3t",
    ] {
        for command in
            [&["serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"][..], &["check"], &["migrate"]]
        {
            let ran = Ran::of(shell.command(command).env("BOOKKEEPING_DATABASE_URL", url).output().unwrap());
            assert_eq!(ran.code, Some(2), "{url}: {ran:?}");
            assert!(ran.stdout.is_empty() && ran.stderr.contains("setting database_url"), "{ran:?}");
            for part in ["s3cr3t", "PW", "ada"] {
                assert!(!ran.stderr.contains(part), "{url}: {ran:?}");
            }
        }
    }
    let unknown = "postgres://ada@127.0.0.1:1/books?passwrd=s3cr3t";
    let ran = Ran::of(shell.command(&["check"]).env("BOOKKEEPING_DATABASE_URL", unknown).output().unwrap());
    assert!(ran.code == Some(1) && !ran.stderr.contains("s3cr3t"), "{ran:?}");
}

#[test]
fn a_person_who_is_refused_leaves_no_database() {
    let shell = Shell::new();
    std::fs::write(shell.path("short"), "short").unwrap();
    for more in [&["--email", EMAIL, "--password-file", "short"][..], &["--email", "nonsense"]] {
        assert_eq!(shell.run(&[&["user", "add"], more].concat()).code, Some(2));
        assert!(!shell.path("data").exists(), "{more:?}");
    }
}

#[test]
fn every_line_of_a_start_that_fails_is_json() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ran = Shell::new().run(&["serve", "--listen", "127.0.0.1:0", "--ops-listen", &address, "--log-format", "json"]);
    let lines: Vec<Value> = ran.stderr.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let last = lines.last().expect("a line");
    assert_eq!(last["level"], "ERROR");
    assert!(last["message"].as_str().unwrap().contains(&address), "{last}");
}
