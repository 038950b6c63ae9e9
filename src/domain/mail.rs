//! The rules of e-mail: what an address is, when a message is tried again, how fast messages may leave, and what is
//! written when the caller writes nothing.

use std::collections::{HashMap, VecDeque};
use std::fmt;

use crate::domain::date::Date;
use crate::domain::ledger::money::Pence;

/// The most messages of an organisation that may wait.
pub const WAITING_MAX: i64 = 10_000;
/// The longest subject, in characters.
pub const SUBJECT_CHARS_MAX: usize = 200;
/// The longest text, in characters.
pub const MESSAGE_CHARS_MAX: usize = 5_000;
/// The most addresses of one header.
pub const ADDRESSES_MAX: u64 = 10;
/// How long the bytes of a PDF are kept once its message was sent, failed or was cancelled.
pub const PDF_KEPT_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// The characters of an address.
const ADDRESS_LENGTH_MAX: usize = 254;
/// How long a message waits after each refusal for now; after the last of these it fails.
const RETRY_AFTER_MS: [i64; 5] = [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000];
/// How long the transport waits after each failure in a row; the last repeats.
const TRANSPORT_WAITS_MS: [i64; 6] = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000];
/// What the pace is counted over.
const MINUTE_MS: i64 = 60_000;

/// What became of an e-mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmailStatus {
    /// It waits.
    Queued,
    /// It is leaving.
    Sending,
    /// The mail server accepted it, or it is in the outbox.
    Sent,
    /// It was refused for good.
    Failed,
    /// It may have been sent: nobody knows.
    Uncertain,
    /// It was taken out of the queue.
    Cancelled,
}

impl EmailStatus {
    /// Every one.
    pub const ALL: [Self; 6] =
        [Self::Queued, Self::Sending, Self::Sent, Self::Failed, Self::Uncertain, Self::Cancelled];

    /// The word of the API, which is stored too.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sending => "sending",
            Self::Sent => "sent",
            Self::Failed => "failed",
            Self::Uncertain => "uncertain",
            Self::Cancelled => "cancelled",
        }
    }

    /// Reads the word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }
}

/// What can be e-mailed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmailedType {
    /// A sales invoice.
    SalesInvoice,
    /// A credit note to a customer.
    SalesCreditNote,
    /// A receipt, or a refund of one.
    CustomerReceipt,
    /// A payment, whose e-mail is the remittance advice, or a refund of one.
    SupplierPayment,
    /// The payment and deduction statement of a supplier for a tax month.
    CisStatement,
    /// The statement of a customer over a period.
    CustomerStatement,
}

impl EmailedType {
    /// Every one.
    pub const ALL: [Self; 6] = [
        Self::SalesInvoice,
        Self::SalesCreditNote,
        Self::CustomerReceipt,
        Self::SupplierPayment,
        Self::CisStatement,
        Self::CustomerStatement,
    ];

    /// The word of the API, which is stored too.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SalesInvoice => "sales_invoice",
            Self::SalesCreditNote => "sales_credit_note",
            Self::CustomerReceipt => "customer_receipt",
            Self::SupplierPayment => "supplier_payment",
            Self::CisStatement => "cis_statement",
            Self::CustomerStatement => "customer_statement",
        }
    }

    /// Reads the word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }
}

/// Whether a text is one e-mail address that may stand in a header: words of plain letters, digits and the usual signs
/// with single dots between them, 64 characters at most, then the name of a host. No list, name, comment, quotation or
/// line break passes. Letters of other scripts are refused, because not every mail server takes them (RFC 6531).
pub fn is_address(text: &str) -> bool {
    let Some((local, host)) = text.split_once('@') else { return false };
    let word = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_`{|}~-".contains(&byte))
    };
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= ADDRESS_LENGTH_MAX
        && local.len() <= 64
        && local.split('.').all(word)
        && host.contains('.')
        && host.split('.').all(label)
}

/// The host of the address that a service sends from, which is that of its `Message-ID`s.
pub fn host_of(address: &str) -> &str {
    address.rsplit_once('@').map_or("localhost", |(_, host)| host)
}

/// How long a message waits that was refused for now when it was tried for the `attempts`th time; none when it has failed.
pub fn retry_after_ms(attempts: i64) -> Option<i64> {
    RETRY_AFTER_MS.get(usize::try_from(attempts - 1).ok()?).copied()
}

/// How long no message is tried after so many failures of the transport in a row.
pub fn transport_wait_ms(failures: usize) -> i64 {
    let [first, .., last] = TRANSPORT_WAITS_MS;
    match failures {
        0 => first,
        many => TRANSPORT_WAITS_MS.get(many - 1).copied().unwrap_or(last),
    }
}

/// A mail server.
#[derive(Clone, PartialEq, Eq)]
pub struct SmtpServer {
    /// Its name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is kept private.
    pub security: SmtpSecurity,
    /// The name and the password to log in with.
    pub credentials: Option<(String, String)>,
}

impl fmt::Debug for SmtpServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the password.
        write!(formatter, "{}:{}", self.host, self.port)
    }
}

/// How a connection to a mail server is kept private.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmtpSecurity {
    /// TLS from the first byte (`smtps://`).
    Tls,
    /// STARTTLS, without which nothing is sent (`smtp://`).
    StartTls,
    /// None: the server is this machine.
    Plain,
}

/// On whose account a message leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Paced {
    /// The organisation.
    Organisation(i64),
    /// The person who owns it.
    Person(i64),
}

/// When messages left within the last minute, by organisation and by person.
#[derive(Debug)]
pub struct Pace {
    per_minute: usize,
    left_ms: HashMap<Paced, VecDeque<i64>>,
}

impl Pace {
    /// Nothing has left yet; `per_minute` is at least 1.
    pub fn new(per_minute: usize) -> Self {
        Self { per_minute: per_minute.max(1), left_ms: HashMap::new() }
    }

    /// Notes that a message left.
    pub fn note(&mut self, of: Paced, at_ms: i64) {
        self.left_ms.entry(of).or_default().push_back(at_ms);
    }

    /// When the next message may leave; none when it may leave now.
    pub fn free_at_ms(&self, of: Paced, now_ms: i64) -> Option<i64> {
        let left = self.left_ms.get(&of)?;
        let at = left.len().checked_sub(self.per_minute)?;
        left.get(at).map(|left| left + MINUTE_MS).filter(|free| *free > now_ms)
    }

    /// Forgets what left longer than a minute ago.
    pub fn forget(&mut self, now_ms: i64) {
        self.left_ms.retain(|_, left| {
            while left.front().is_some_and(|at| at + MINUTE_MS <= now_ms) {
                left.pop_front();
            }
            !left.is_empty()
        });
    }
}

/// What is known of a document when its e-mail is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter<'a> {
    /// What it is, with its number: `Invoice INV-0103`.
    pub title: String,
    /// Whom it is written to.
    pub contact: &'a str,
    /// Who writes.
    pub organisation: &'a str,
    /// What it says, each with its name.
    pub facts: Vec<(&'static str, String)>,
}

impl Letter<'_> {
    /// The subject, unless the caller gives one.
    pub fn subject(&self) -> String {
        one_line(&format!("{} from {}", self.title, self.organisation)).chars().take(SUBJECT_CHARS_MAX).collect()
    }

    /// The text, unless the caller gives one.
    pub fn message(&self) -> String {
        let mut text = format!("Dear {},\n\n{}\n", one_line(self.contact), one_line(&self.title));
        for (name, value) in &self.facts {
            text.push_str(&format!("{name}: {value}\n"));
        }
        text.push_str(&format!("\nYours faithfully\n{}\n", one_line(self.organisation)));
        text
    }
}

/// A text as a header may hold it: on one line.
pub fn one_line(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

/// An amount as a letter shows it: `£1,200.00`.
pub fn pounds(amount: Pence) -> String {
    let text = amount.to_string();
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("-", digits));
    let (whole, pence) = digits.split_once('.').unwrap_or((digits, "00"));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{sign}£{grouped}.{pence}")
}

/// A date as a letter shows it: `14 March 2026`.
pub fn long_date(date: Date) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let text = date.to_string();
    let mut parts = text.split('-');
    let year = parts.next().unwrap_or_default();
    let month = parts.next().and_then(|month| month.parse::<usize>().ok()).unwrap_or(1);
    let day = parts.next().unwrap_or_default().trim_start_matches('0');
    format!("{day} {} {year}", MONTHS.get(month.saturating_sub(1)).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_address_and_nothing_else() {
        for good in ["a@b.co", "first.last+tag@mail.example.co.uk", "o'neill@example.com", "x_1@a-b.example"] {
            assert!(is_address(good), "{good}");
        }
        let long = format!("{}@example.com", "a".repeat(65));
        for bad in [
            "",
            "a",
            "@b.co",
            "a@",
            "a@b",
            "a@b.co,c@d.co",
            "a@b.co;c@d.co",
            "a@b.co c@d.co",
            "a@b.co\r\nBcc: c@d.co",
            "a@b.co\n",
            "A <a@b.co>",
            "<a@b.co>",
            "\"a b\"@b.co",
            "a@[127.0.0.1]",
            "a..b@c.co",
            ".a@b.co",
            "a.@b.co",
            "a@b..co",
            "a@-b.co",
            "a@b-.co",
            "a@b@c.co",
            "a(x)@b.co",
            "é@b.co",
            "a@bücher.example",
            "a\0@b.co",
            " a@b.co",
            "a%0d%0a@b.co\t",
            &long,
        ] {
            assert!(!is_address(bad), "{bad:?}");
        }
    }

    #[test]
    fn a_refused_message_waits_longer_each_time_and_then_fails() {
        let minutes = |attempts| retry_after_ms(attempts).map(|ms| ms / 60_000);
        assert_eq!((1..=6).map(minutes).collect::<Vec<_>>(), [Some(1), Some(5), Some(30), Some(120), Some(720), None]);
        assert_eq!(retry_after_ms(0), None);
        assert_eq!(
            (1..=8).map(transport_wait_ms).collect::<Vec<_>>(),
            [1000, 2000, 5000, 10_000, 30_000, 60_000, 60_000, 60_000]
        );
    }

    #[test]
    fn no_minute_has_more_messages_than_the_pace_allows() {
        let mut pace = Pace::new(3);
        let of = Paced::Organisation(7);
        for at in [0, 10_000, 20_000] {
            assert_eq!(pace.free_at_ms(of, at), None);
            pace.note(of, at);
        }
        assert_eq!(pace.free_at_ms(of, 20_000), Some(60_000));
        assert_eq!(pace.free_at_ms(Paced::Person(7), 20_000), None);
        assert_eq!(pace.free_at_ms(of, 60_000), None);
        pace.note(of, 60_000);
        assert_eq!(pace.free_at_ms(of, 60_001), Some(70_000));
        pace.forget(80_000);
        assert_eq!(pace.free_at_ms(of, 80_000), None);
        pace.forget(120_000);
        assert!(pace.left_ms.is_empty());
    }

    #[test]
    fn a_letter_says_what_it_is_about_on_lines_of_its_own() {
        let letter = Letter {
            title: "Invoice INV-0103".to_owned(),
            contact: "Brightwell\r\nSchool",
            organisation: "Larkspur Joinery Ltd",
            facts: vec![("Total", pounds(Pence(123_456_789))), ("Due", long_date(Date::numbered(20_526)))],
        };
        assert_eq!(letter.subject(), "Invoice INV-0103 from Larkspur Joinery Ltd");
        assert_eq!(
            letter.message(),
            "Dear Brightwell  School,\n\nInvoice INV-0103\nTotal: £1,234,567.89\nDue: 14 March 2026\n\nYours faithfully\n\
             Larkspur Joinery Ltd\n"
        );
        assert_eq!((pounds(Pence(-5)), pounds(Pence(100_000))), ("-£0.05".to_owned(), "£1,000.00".to_owned()));
    }
}
