//! Client identifiers that are the address of a document in which the client describes itself (draft-ietf-oauth-client-id-metadata-document-02,
//! section 3). They are compared as texts; what is accepted has one reading only, so that what is shown, looked up and asked for is
//! the same.

use url::Url;

use super::redirect::is_uri_byte;

/// The longest address of a document.
const LENGTH_MAX: usize = 500;
/// The longest name of a host (RFC 1035, section 2.3.4).
const HOST_LENGTH_MAX: usize = 253;
/// The longest part of a name between dots.
const LABEL_LENGTH_MAX: usize = 63;
/// Names that no public server has (RFC 6761, RFC 6762, RFC 8375, and `internal`, which ICANN keeps for private use).
const PRIVATE_NAMES: [&str; 4] = ["local", "localhost", "internal", "home.arpa"];

/// The address of a client's document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientUrl {
    text: String,
    host: String,
}

impl ClientUrl {
    /// Whether an identifier is meant as an address, whatever else is wrong with it.
    pub fn is_meant(identifier: &str) -> bool {
        identifier.contains("://")
    }

    /// Reads an identifier: https, a name of the public kind in lower case, no port but 443, a path that is more than `/`. No user,
    /// fragment or dot segment, and no address in place of the name, because the person is shown it as who asks.
    pub fn parse(identifier: &str) -> Option<Self> {
        if identifier.len() > LENGTH_MAX || !identifier.bytes().all(is_uri_byte) {
            return None;
        }
        let rest = identifier.strip_prefix("https://")?;
        let (authority, path_and_query) = rest.split_at_checked(rest.find('/')?)?;
        let host = authority.strip_suffix(":443").unwrap_or(authority);
        let path = path_and_query.split('?').next()?;
        if !is_public_name(host) || path == "/" || !is_plain_path(path) || !has_whole_escapes(path_and_query) {
            return None;
        }
        // A second reader has to see the same.
        let url = Url::parse(identifier).ok()?;
        (url.host_str() == Some(host) && url.path() == path)
            .then(|| Self { text: identifier.to_owned(), host: host.to_owned() })
    }

    /// The identifier, as it was given.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The name of the host.
    pub fn host(&self) -> &str {
        &self.host
    }
}

/// Whether a name may be one of a public server: labels of letters, digits and hyphens, at least two, the last of which is no number
/// in any notation.
fn is_public_name(host: &str) -> bool {
    let is_label = |label: &str| {
        (1..=LABEL_LENGTH_MAX).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    let is_private = |name: &&str| host.strip_suffix(*name).is_some_and(|before| before.ends_with('.'));
    host.len() <= HOST_LENGTH_MAX
        && host.split('.').all(is_label)
        && host.rsplit_once('.').is_some_and(|(_, last)| last.starts_with(|first: char| first.is_ascii_lowercase()))
        && host != "home.arpa"
        && !PRIVATE_NAMES.iter().any(is_private)
}

/// Whether no part of a path is `.` or `..`, escaped or not (RFC 3986, section 3.3).
fn is_plain_path(path: &str) -> bool {
    path.split('/').all(|segment| {
        let segment = segment.replace("%2e", ".").replace("%2E", ".");
        segment != "." && segment != ".."
    })
}

/// Whether every `%` is followed by two hexadecimal digits (RFC 3986, section 2.1).
fn has_whole_escapes(text: &str) -> bool {
    text.split('%').skip(1).all(|rest| rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_one_reading() {
        for (identifier, host) in [
            ("https://agent.example/client", "agent.example"),
            ("https://a.b.agent.example/oauth/client.json", "a.b.agent.example"),
            ("https://agent.example:443/client", "agent.example"),
            ("https://agent.example/client?version=2", "agent.example"),
            ("https://xn--bcher-kva.example/%7Eclient", "xn--bcher-kva.example"),
            ("https://agent.example/a/..b/.c/d./...", "agent.example"),
        ] {
            let url = ClientUrl::parse(identifier);
            assert_eq!(url.as_ref().map(ClientUrl::host), Some(host), "{identifier}");
            assert_eq!(url.as_ref().map(ClientUrl::as_str), Some(identifier));
        }
        let long = format!("https://agent.example/{}", "a".repeat(480));
        let long_label = format!("https://{}.example/client", "a".repeat(64));
        let long_host = format!("https://{}example/client", "a.".repeat(130));
        for identifier in [
            "",
            "client_8dJpeCYdh2vq0XoJBx4mZF",
            "agent.example/client",
            "http://agent.example/client",
            "HTTPS://agent.example/client",
            "ftp://agent.example/client",
            "https:agent.example/client",
            "https:/agent.example/client",
            "https:///client",
            "https://agent.example",
            "https://agent.example/",
            "https://agent.example/?client",
            "https://agent.example?client/x",
            "https://agent.example/client#fragment",
            "https://agent.example/client#",
            "https://user@agent.example/client",
            "https://user:password@agent.example/client",
            "https://@agent.example/client",
            "https://agent.example:8443/client",
            "https://agent.example:0443/client",
            "https://agent.example:/client",
            "https://agent.example:80/client",
            "https://agent.example/.",
            "https://agent.example/..",
            "https://agent.example/./client",
            "https://agent.example/a/../client",
            "https://agent.example/%2e/client",
            "https://agent.example/a/%2E%2e/client",
            "https://agent.example/a/.%2e",
            "https://agent.example/client\\x",
            "https://agent.example\\@evil.example/client",
            "https://agent.example/cli ent",
            "https://agent.example/client\n",
            "https://agent.example/client\u{0}",
            "https://agent.example/clïent",
            "https://agent.example/%",
            "https://agent.example/%4",
            "https://agent.example/%zz",
            "https://agént.example/client",
            "https://AGENT.example/client",
            "https://agent.example./client",
            "https://.example/client",
            "https://agent..example/client",
            "https://-agent.example/client",
            "https://agent_x.example/client",
            "https://agent%2eexample/client",
            "https://localhost/client",
            "https://agent.localhost/client",
            "https://printer.local/client",
            "https://metadata.google.internal/client",
            "https://router.home.arpa/client",
            "https://home.arpa/client",
            "https://intranet/client",
            "https://127.0.0.1/client",
            "https://127.1/client",
            "https://2130706433/client",
            "https://0x7f.0.0.1/client",
            "https://0x7f.1/client",
            "https://0177.0.0.1/client",
            "https://93.184.216.34/client",
            "https://[::1]/client",
            "https://[::ffff:127.0.0.1]/client",
            "https://[2606:4700::1111]/client",
            &long,
            &long_label,
            &long_host,
        ] {
            assert_eq!(ClientUrl::parse(identifier), None, "{identifier}");
        }
    }
}
