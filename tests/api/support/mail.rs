//! Mail servers for tests, and what lies in the outbox of a server.

use bookkeeping_suite::config::Overrides;
use xtask::mail_server::MailServer;

use super::server::{Setup, TestServer};

/// A mail server where none listens: port 1 of this machine.
pub const DEAD: fn(&mut Overrides) = |settings| {
    settings.smtp_url = Some("smtp://127.0.0.1:1".to_owned());
    settings.mail_from = Some("books@books.example".to_owned());
};

/// A mail server that a service is set to.
pub struct Mailing {
    pub server: MailServer,
}

impl Mailing {
    pub fn start() -> Self {
        Self { server: MailServer::start().expect("a mail server") }
    }

    /// A service that sends by it.
    pub fn setup(&self, setup: Setup) -> Setup {
        let url = self.server.url();
        setup.settings(|settings| {
            settings.smtp_url = Some(url);
            settings.mail_from = Some("books@books.example".to_owned());
            settings.mail_per_minute = Some(1_000_000);
        })
    }
}

impl TestServer {
    /// The messages in the outbox: the name of each file and what it holds.
    pub fn outbox(&self) -> Vec<(String, String)> {
        let folder = self.folder().path().join("data/outbox");
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "eml") {
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                files.push((name, std::fs::read_to_string(&path).expect("readable")));
            }
        }
        files.sort();
        files
    }
}
