//! Seeded books in a folder, and a service that answers from them.
//!
//! A folder holds what the service keeps (`data`) and `seed.json`, which says how many lines were seeded and how to ask for
//! them; it can be kept and used again, also by another build of the program.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use xtask::{
    books::Books,
    http::{Connection, Request},
    postgres::Postgres,
    program::{Installation, Program, SCOPES, Server, copy_data, create_key},
};

use crate::{
    ledger_seed::{Seeded, seed},
    support::serve,
};

/// How long `bookkeeping check` may take over the largest seed.
const CHECK_PATIENCE: Duration = Duration::from_secs(900);

/// What `seed.json` says.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Description {
    lines: u64,
    key: String,
    organisation: i64,
    seeded: Seeded,
}

/// Books in a folder, or in the PostgreSQL server that runs in it.
pub struct SeededBooks {
    folder: PathBuf,
    description: Description,
    postgres: Option<Postgres>,
}

impl SeededBooks {
    /// Those that are in the folder; they are seeded first where it has none.
    pub fn open(folder: &Path, program: &Program, lines: u64, on_postgres: bool) -> Result<Self> {
        let path = folder.join("seed.json");
        if !path.exists() {
            return Self::seed(folder, program, lines, on_postgres);
        }
        ensure!(!on_postgres, "a folder that is kept is one of SQLite");
        let description: Description = serde_json::from_str(&fs::read_to_string(&path)?)
            .with_context(|| format!("{} was not written by this bench", path.display()))?;
        ensure!(
            description.lines == lines,
            "{} holds {} journal lines, not {lines}",
            folder.display(),
            description.lines
        );
        Ok(Self { folder: folder.to_owned(), description, postgres: None })
    }

    fn seed(folder: &Path, program: &Program, lines: u64, on_postgres: bool) -> Result<Self> {
        let mut installation = Installation::new(program, folder)?;
        let mut url = format!("sqlite://{}", folder.join("data").join("bookkeeping.db").display());
        let mut postgres = None;
        if on_postgres {
            let started = Postgres::start(&folder.join("postgres"))?;
            url = started.url();
            installation = installation.with("database_url", &url);
            postgres = Some(started);
        }
        let server = serve(&installation, &[])?;
        let person = installation.add_person("bench@example.com", 1_000, 0)?;
        let mut connection = server.connect()?;
        let key = create_key(&mut connection, &person.session, "bench", &SCOPES)?.plaintext;
        let books = Books::create(&mut connection, &key, "Bench")?;
        server.terminate()?;

        let begun = Instant::now();
        let seeded = seed(&url, &books, lines)?;
        let seeding_s = begun.elapsed().as_secs_f64();
        let (consistent, text) = installation.attempt_within(&["check"], CHECK_PATIENCE)?;
        ensure!(consistent, "the seed is not consistent: {}", text.trim());
        let checking_s = begun.elapsed().as_secs_f64() - seeding_s;
        eprintln!("{lines} journal lines seeded in {seeding_s:.1} s and checked in {checking_s:.1} s");
        let description = Description { lines, key, organisation: books.id, seeded };
        fs::write(folder.join("seed.json"), serde_json::to_string_pretty(&description)?)?;
        Ok(Self { folder: folder.to_owned(), description, postgres })
    }

    /// A copy in another folder: a program that is newer than the seed brings its copy up to date, not the original.
    pub fn copy_to(&self, folder: &Path) -> Result<Self> {
        ensure!(self.postgres.is_none(), "only books of SQLite can be copied");
        copy_data(&self.folder, folder)?;
        Ok(Self { folder: folder.to_owned(), description: self.description.clone(), postgres: None })
    }

    /// A service of that program on these books.
    pub fn serve(&self, program: &Program) -> Result<Side<'_>> {
        let mut installation = Installation::new(program, &self.folder)?;
        if let Some(postgres) = &self.postgres {
            installation = installation.with("database_url", &postgres.url());
        }
        let server = serve(&installation, &[])?;
        let mut connection = server.connect()?;
        let books = Books::known(&mut connection, &self.description.key, self.description.organisation)?;
        Ok(Side { server, books, connection, description: &self.description })
    }
}

/// A running service and a connection to it.
pub struct Side<'a> {
    server: Server,
    books: Books,
    connection: Connection,
    description: &'a Description,
}

impl Side<'_> {
    /// The path as this side knows it.
    pub fn path(&self, pattern: &str) -> Result<String> {
        let seeded = &self.description.seeded;
        let mut path = pattern.to_owned();
        for (name, value) in [
            ("{account}", self.books.account("7300")?),
            ("{rare}", seeded.rare_account),
            ("{bank}", self.books.account("1200")?),
            ("{bank_account}", seeded.bank_account),
            ("{customer}", seeded.customer),
            ("{supplier}", seeded.supplier),
            ("{transaction}", seeded.transaction),
            ("{journal}", seeded.journal),
            ("{invoice}", seeded.invoice),
            ("{receipt}", seeded.receipt),
            ("{billed}", seeded.billed),
            ("{bill}", seeded.bill),
            ("{credit_note}", seeded.credit_note),
            ("{payment}", seeded.payment),
            ("{import}", seeded.import),
            ("{change}", seeded.change),
            ("{deep}", seeded.journals / 2),
            ("{middle}", seeded.journals / 4),
            ("{few}", seeded.journals / 20),
        ] {
            path = path.replace(name, &value.to_string());
        }
        let path = path.replace(' ', "%20");
        Ok(if path.starts_with("/api/") { path } else { self.books.path(&path) })
    }

    /// Microseconds of one request, and the rows it gave.
    pub fn ask(&mut self, path: &str) -> Result<(f64, usize)> {
        let begun = Instant::now();
        let reply = self.connection.send(&Request::get(path, Some(&self.description.key)))?;
        let time_us = begun.elapsed().as_secs_f64() * 1e6;
        ensure!(reply.status == 200, "{path} was answered {}", reply.summary());
        let answer = reply.json();
        let rows = answer.get("data").and_then(Value::as_array).or_else(|| answer.pointer("/data/lines")?.as_array());
        Ok((time_us, rows.map_or(1, Vec::len)))
    }

    /// End the service.
    pub fn end(self) -> Result<()> {
        self.server.terminate()
    }
}

/// What two sides took for one path of each.
#[derive(Debug, Default)]
pub struct Pair {
    /// Microseconds of each counted request.
    pub times_us: (Vec<f64>, Vec<f64>),
    /// Rows of an answer.
    pub rows: (usize, usize),
}

/// Ask both sides alternately; neither always follows the other. The first requests fill caches and are not counted.
pub fn ask_both(
    one: &mut Side<'_>,
    other: &mut Side<'_>,
    pattern: &str,
    warm_up: usize,
    samples: usize,
) -> Result<Pair> {
    let (one_path, other_path) = (one.path(pattern)?, other.path(pattern)?);
    let mut pair = Pair::default();
    for sample in 0..warm_up + samples {
        let (one_us, other_us);
        if sample % 2 == 0 {
            (one_us, pair.rows.0) = one.ask(&one_path)?;
            (other_us, pair.rows.1) = other.ask(&other_path)?;
        } else {
            (other_us, pair.rows.1) = other.ask(&other_path)?;
            (one_us, pair.rows.0) = one.ask(&one_path)?;
        }
        if sample >= warm_up {
            pair.times_us.0.push(one_us);
            pair.times_us.1.push(other_us);
        }
    }
    Ok(pair)
}
