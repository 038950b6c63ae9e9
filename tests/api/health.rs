//! `GET /api/v1/health`.

use crate::support::client::keys;
use crate::support::server::{START_TEXT, TestServer};

#[test]
fn health_is_ok_for_anybody_whatever_they_present() {
    let server = TestServer::start();
    let plain = server.client.get("/api/v1/health").send();
    let bad_bearer = server.client.get("/api/v1/health").bearer("key_nonsense").send();
    let bad_header = server.client.get("/api/v1/health").header("X-API-Key", "nonsense").send();
    let two_keys = server.client.get("/api/v1/health").bearer("a").header("X-API-Key", "b").send();
    for answer in [plain, bad_bearer, bad_header, two_keys] {
        let health = answer.expect(200);
        assert_eq!(keys(&health), ["status", "time", "version"]);
        assert_eq!(health["status"], "ok");
        assert_eq!(health["version"], "v1");
        assert_eq!(health["time"], START_TEXT);
    }
}

#[test]
fn health_is_never_rate_limited() {
    let server =
        crate::support::server::Setup::new().settings(|settings| settings.rate_limit_requests = Some(1)).start();
    let (_, key) = server.submitter();
    for _ in 0..5 {
        server.client.get("/api/v1/health").key(&key).send().expect(200);
    }
    server.client.get("/api/v1/me").key(&key).send().expect(200);
    server.client.get("/api/v1/health").key(&key).send().expect(200);
    server.client.get("/api/v1/me").key(&key).send().refused(429, "rate_limited");
}
