//! Redirect URIs: which ones a client may register, and when one that a request names is one that was registered (OAuth 2.1,
//! sections 2.3 and 8.4.2; RFC 8252, sections 7 and 8.3). They are compared as texts, so that no two readers of URLs can disagree; the
//! port of a loopback address is the only part that may differ.

use url::Url;

/// The longest redirect URI.
const LENGTH_MAX: usize = 2_000;
/// The hosts that never leave the machine.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "[::1]", "localhost"];
/// The schemes that are never private to an application.
const PUBLIC_SCHEMES: [&str; 12] =
    ["http", "https", "ws", "wss", "ftp", "javascript", "data", "file", "blob", "about", "vbscript", "view-source"];

/// Where the answer to a request goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    /// To a site.
    Site,
    /// To a program on the machine of the browser, by a port.
    Loopback,
    /// To a program on the machine of the browser, by a scheme of its own.
    PrivateScheme,
}

/// Whether a scheme may be an application's own.
pub fn is_private_scheme(scheme: &str) -> bool {
    let mut bytes = scheme.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_lowercase())
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.'))
        && !PUBLIC_SCHEMES.contains(&scheme)
}

/// Whether a byte may stand in a URI without a fragment, as it is (RFC 3986, section 2).
pub(super) fn is_uri_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'#' | b'"' | b'<' | b'>' | b'`' | b'{' | b'}' | b'|' | b'^')
}

/// What kind of redirect URI a text is; none when it may not be registered. Private schemes are those listed, for public
/// clients alone.
pub fn kind(text: &str, private_schemes: &[String], is_public: bool) -> Option<RedirectKind> {
    if text.len() > LENGTH_MAX || !text.bytes().all(is_uri_byte) {
        return None;
    }
    let (scheme, rest) = text.split_once("://")?;
    let authority_end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(authority_end)?;
    if authority.is_empty() || authority.contains(['@', '%']) {
        return None;
    }
    let url = Url::parse(text).ok()?;
    match scheme {
        "https" => is_own_text(&url, authority).then_some(RedirectKind::Site),
        "http" => loopback_parts(text).map(|_| RedirectKind::Loopback),
        scheme if is_public && is_private_scheme(scheme) && private_schemes.iter().any(|listed| listed == scheme) => {
            let is_host = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
            let has_path = path.starts_with('/') && path.len() > 1;
            (has_path && authority.bytes().all(is_host)).then_some(RedirectKind::PrivateScheme)
        }
        _ => None,
    }
}

/// Whether a reader of URLs sees the host and port that stand in the text: no number written another way, no host that is
/// corrected.
fn is_own_text(url: &Url, authority: &str) -> bool {
    let Some(host) = url.host_str() else { return false };
    // What is left out has a meaning in the policy and on the page that name the host.
    let is_plain = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    if !is_plain && !host.starts_with('[') {
        return false;
    }
    let (name, port) = match authority.rsplit_once(':').filter(|(_, port)| !port.ends_with(']')) {
        Some((name, port)) => (name, Some(port)),
        None => (authority, None),
    };
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|number| number > 0 && number.to_string() == port);
    name.eq_ignore_ascii_case(host) && port.is_none_or(is_port)
}

/// The host of a loopback URI and what follows its port; none when it is another URI.
fn loopback_parts(text: &str) -> Option<(&'static str, &str)> {
    let rest = text.strip_prefix("http://")?;
    let (host, after) = LOOPBACK.into_iter().find_map(|host| rest.strip_prefix(host).map(|after| (host, after)))?;
    let after_port = match after.strip_prefix(':') {
        Some(port) => {
            let end = port.find(['/', '?']).unwrap_or(port.len());
            let (port, after) = port.split_at_checked(end)?;
            let is_port =
                port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0);
            is_port.then_some(after)?
        }
        None => after,
    };
    (after_port.is_empty() || after_port.starts_with(['/', '?'])).then_some((host, after_port))
}

/// Whether a request may be answered at a URI that was registered: the same text, or a loopback URI that differs in its port
/// alone (RFC 8252, section 7.3).
pub fn is_same(registered: &str, asked: &str) -> bool {
    if registered == asked {
        return true;
    }
    match (loopback_parts(registered), loopback_parts(asked)) {
        (Some(registered), Some(asked_parts)) => {
            registered == asked_parts && kind(asked, &[], true) == Some(RedirectKind::Loopback)
        }
        _ => false,
    }
}

/// The host of a redirect URI as people are shown it.
pub fn host(text: &str) -> &str {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    rest.split(['/', '?']).next().unwrap_or(rest)
}

/// The origin of a redirect URI as `form-action` names it; the scheme where it is a private one.
pub fn form_action(text: &str) -> String {
    match text.split_once("://") {
        // A policy has no way to name an IPv6 address (CSP 3, section 2.3.1).
        Some((scheme @ ("http" | "https"), _)) if host(text).starts_with('[') => format!("{scheme}:"),
        Some((scheme @ ("http" | "https"), _)) => format!("{scheme}://{}", host(text)),
        Some((scheme, _)) => format!("{scheme}:"),
        None => String::new(),
    }
}

/// A redirect URI with parameters added to its query.
pub fn with_parameters(text: &str, parameters: &[(&str, &str)]) -> String {
    let mut separator = if !text.contains('?') {
        "?"
    } else if text.ends_with(['?', '&']) {
        ""
    } else {
        "&"
    };
    let mut target = text.to_owned();
    for (name, value) in parameters {
        target.push_str(separator);
        target.push_str(name);
        target.push('=');
        target.extend(url::form_urlencoded::byte_serialize(value.as_bytes()));
        separator = "&";
    }
    target
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_added_behind_those_that_are_there() {
        for (uri, expected) in [
            ("https://a.example/cb", "https://a.example/cb?state=a%26b"),
            ("https://a.example/cb?x=1", "https://a.example/cb?x=1&state=a%26b"),
            ("https://a.example/cb?", "https://a.example/cb?state=a%26b"),
        ] {
            assert_eq!(with_parameters(uri, &[("state", "a&b")]), expected);
        }
    }

    #[test]
    fn hosts_and_origins_are_read_from_the_text() {
        assert_eq!(host("https://a.example:8443/cb?x"), "a.example:8443");
        assert_eq!(form_action("http://127.0.0.1:33418/cb"), "http://127.0.0.1:33418");
        assert_eq!(form_action("cursor://anysphere.cursor-mcp/oauth/callback"), "cursor:");
    }

    #[test]
    fn only_the_port_of_a_loopback_address_may_differ() {
        assert!(is_same("http://127.0.0.1/cb", "http://127.0.0.1:5/cb"));
        assert!(is_same("http://[::1]:80/cb", "http://[::1]:9999/cb"));
        for (registered, asked) in [
            ("http://127.0.0.1:1/cb", "http://localhost:1/cb"),
            ("http://127.0.0.1:1/cb", "http://127.0.0.1:1/cb/"),
            ("http://127.0.0.1:1/cb", "http://127.0.0.1:1@evil.example/cb"),
            ("http://127.0.0.1:1/cb", "http://127.0.0.1:99999/cb"),
            ("https://a.example/cb", "https://a.example:444/cb"),
        ] {
            assert!(!is_same(registered, asked), "{asked}");
        }
    }
}
