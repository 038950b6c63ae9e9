//! Reading what is asked of an e-mail. No line break and no list of addresses gets past here into a header.

use super::read::{body, period_rule, strict_list};
use crate::domain::ledger::cis::TaxMonth;
use crate::domain::mail::{ADDRESSES_MAX, MESSAGE_CHARS_MAX, SUBJECT_CHARS_MAX, is_address};
use crate::domain::problem::Issues;
use crate::domain::reports::Period;
use crate::http::wire::strict::{BODY, FieldPath, Reading, StrictReader};

/// What is asked of an e-mail beside the document it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailRequest {
    /// The addresses of `To`, when they are given.
    pub to: Option<Vec<String>>,
    /// The addresses of `Cc`.
    pub cc: Vec<String>,
    /// The subject.
    pub subject: Option<String>,
    /// The text, its lines ended by line feeds.
    pub message: Option<String>,
    /// Whether the PDF of the document goes with it.
    pub attaches_pdf: bool,
}

impl EmailRequest {
    /// What is asked for when nothing is said.
    const fn usual() -> Self {
        Self { to: None, cc: Vec::new(), subject: None, message: None, attaches_pdf: true }
    }

    /// Reads one of the keys of [`EMAIL_NAMES`].
    fn read(&mut self, reader: &mut StrictReader<'_>, at: usize) -> Reading<()> {
        if reader.is_null()? {
            return Ok(());
        }
        match at {
            0 => self.to = Some(strict_list(reader, "to", 1..=ADDRESSES_MAX, address)?),
            1 => self.cc = strict_list(reader, "cc", 0..=ADDRESSES_MAX, address)?,
            2 => self.subject = reader.name(body("subject"), 1..=SUBJECT_CHARS_MAX)?.map(|text| text.into_owned()),
            3 => self.message = message(reader)?,
            _ => self.attaches_pdf = reader.flag(body("attach_pdf"))?.unwrap_or(true),
        }
        Ok(())
    }
}

const EMAIL_NAMES: [&str; 5] = ["to", "cc", "subject", "message", "attach_pdf"];

/// Reads the body of an e-mail; an empty body asks for nothing in particular.
pub fn parse_email(text: &[u8]) -> Result<EmailRequest, Issues> {
    let mut email = EmailRequest::usual();
    if text.is_empty() {
        return Ok(email);
    }
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let read = reader.object(FieldPath::section(BODY), &EMAIL_NAMES, |reader, at| email.read(reader, at));
    reader.finish(read)?;
    Ok(email)
}

/// Reads the body of an e-mail with the statement of a tax month.
pub fn parse_cis_statement_email(text: &[u8]) -> Result<(EmailRequest, TaxMonth), Issues> {
    let [to, cc, subject, message, attach_pdf] = EMAIL_NAMES;
    let names = ["tax_month_end", to, cc, subject, message, attach_pdf];
    let (mut email, mut month) = (EmailRequest::usual(), None);
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let read = reader.object(FieldPath::section(BODY), &names, |reader, at| match at {
        0 => {
            month = reader.tax_month(body("tax_month_end"))?;
            Ok(())
        }
        at => email.read(reader, at - 1),
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &names, &given, 1);
        }
    });
    reader.finish(read)?;
    Ok((email, month.ok_or_else(Issues::default)?))
}

/// Reads the body of an e-mail with a statement of some days.
pub fn parse_statement_email(text: &[u8]) -> Result<(EmailRequest, Period), Issues> {
    let [to, cc, subject, message, attach_pdf] = EMAIL_NAMES;
    let names = ["period_start", "period_end", to, cc, subject, message, attach_pdf];
    let (mut email, mut first, mut last) = (EmailRequest::usual(), None, None);
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let read = reader.object(FieldPath::section(BODY), &names, |reader, at| {
        match at {
            0 => first = reader.book_date(body("period_start"))?,
            1 => last = reader.book_date(body("period_end"))?,
            at => email.read(reader, at - 2)?,
        }
        Ok(())
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &names, &given, 2);
        }
    });
    let period = first.zip(last).map(|(first, last)| Period { first, last });
    if let Some(rule) = period.and_then(|period| period_rule((period.first, period.last), Period::DAYS_MAX)) {
        reader.problem(body("period_end"), rule);
    }
    reader.finish(read)?;
    Ok((email, period.ok_or_else(Issues::default)?))
}

/// One address.
fn address(reader: &mut StrictReader<'_>, path: FieldPath<'static>) -> Reading<Option<String>> {
    let Some(text) = reader.text(path, 0..=254)? else { return Ok(None) };
    if !is_address(&text) {
        reader.problem(path, "must be one e-mail address, such as accounts@example.com");
        return Ok(None);
    }
    Ok(Some(text.into_owned()))
}

/// Text of several lines, however these end.
fn message(reader: &mut StrictReader<'_>) -> Reading<Option<String>> {
    let path = body("message");
    let Some(text) = reader.text(path, 1..=MESSAGE_CHARS_MAX)? else { return Ok(None) };
    let text = text.replace("\r\n", "\n");
    if text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\t')) {
        reader.problem(path, "must not contain control characters but line ends and tabs");
        return Ok(None);
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(body: &str) -> Vec<String> {
        parse_email(body.as_bytes()).err().unwrap().listed.into_iter().map(|issue| issue.path).collect()
    }

    #[test]
    fn an_empty_body_asks_for_the_usual() {
        let usual = EmailRequest { to: None, cc: Vec::new(), subject: None, message: None, attaches_pdf: true };
        assert_eq!(parse_email(b"").unwrap(), usual);
        assert_eq!(parse_email(b"{}").unwrap(), usual);
        assert_eq!(
            parse_email(br#"{"to":null,"cc":null,"subject":null,"message":null,"attach_pdf":null}"#).unwrap(),
            usual
        );
    }

    #[test]
    fn what_could_become_another_header_is_refused() {
        for subject in [r#""a\r\nBcc: x@y.co""#, r#""a\nb""#, r#""""#, r#""   ""#, r#""a\u0000""#, r#""a\u0085b""#, "1"]
        {
            assert_eq!(paths(&format!(r#"{{"subject": {subject}}}"#)), ["subject"], "{subject}");
        }
        for to in [r#""a@b.co""#, "[]", "{}"] {
            assert_eq!(paths(&format!(r#"{{"to": {to}}}"#)), ["to"], "{to}");
        }
        for address in [
            r#""a@b.co, c@d.co""#,
            r#""a@b.co\r\nBcc: c@d.co""#,
            r#""A <a@b.co>""#,
            r#""""#,
            "null",
            "1",
            r#""a@b.co\n""#,
        ] {
            assert_eq!(paths(&format!(r#"{{"to": ["x@y.co", {address}]}}"#)), ["to[1]"], "{address}");
            assert_eq!(paths(&format!(r#"{{"cc": [{address}]}}"#)), ["cc[0]"], "{address}");
        }
        let eleven = [r#""a@b.co""#; 11].join(",");
        assert_eq!(paths(&format!(r#"{{"to": [{eleven}], "cc": [{eleven}]}}"#)), ["to", "cc"]);
        for message in [r#""a\rb""#, r#""a\u0007""#, r#""""#, r#""a\u0000""#] {
            assert_eq!(paths(&format!(r#"{{"message": {message}}}"#)), ["message"], "{message}");
        }
        assert_eq!(paths(r#"{"bcc": ["a@b.co"], "attach_pdf": 1}"#), ["bcc", "attach_pdf"]);
    }

    #[test]
    fn a_statement_needs_the_end_of_a_tax_month() {
        let read = |body: &str| parse_cis_statement_email(body.as_bytes());
        let paths = |body: &str| -> Vec<String> {
            read(body).err().unwrap().listed.into_iter().map(|issue| issue.path).collect()
        };
        let (email, month) = read(r#"{"to": ["a@b.co"], "tax_month_end": "2026-04-05"}"#).unwrap();
        assert_eq!((email.to.unwrap(), month.last().to_string()), (vec!["a@b.co".to_owned()], "2026-04-05".to_owned()));
        for wrong in
            ["{}", r#"{"tax_month_end": null}"#, r#"{"tax_month_end": "2026-04-06"}"#, r#"{"tax_month_end": 5}"#]
        {
            assert_eq!(paths(wrong), ["tax_month_end"], "{wrong}");
        }
        assert_eq!(paths(r#"{"tax_month_end": "x", "cc": "a", "month": 1}"#), ["tax_month_end", "cc", "month"]);
        assert_eq!(paths("").len(), 1);
    }

    #[test]
    fn a_statement_needs_both_days_in_order() {
        let read = |body: &str| parse_statement_email(body.as_bytes());
        let problems = |body: &str| -> Vec<(String, String)> {
            read(body).err().unwrap().listed.into_iter().map(|issue| (issue.path, issue.message)).collect()
        };
        let (email, period) =
            read(r#"{"period_end": "2026-03-31", "cc": ["a@b.co"], "period_start": "2026-03-31"}"#).unwrap();
        assert_eq!((email.cc, period.length_days()), (vec!["a@b.co".to_owned()], 1));
        let paths = |body: &str| problems(body).into_iter().map(|(path, _)| path).collect::<Vec<_>>();
        assert_eq!(paths("{}"), ["period_start", "period_end"]);
        assert_eq!(paths(r#"{"period_start": "2026-03-01", "period_end": "2026-02-30"}"#), ["period_end"]);
        for (end, message) in [
            ("2026-02-28", "must not be before the first day of the period"),
            ("2036-03-08", "must end a period of at most 3660 days"),
        ] {
            let body = format!(r#"{{"period_start": "2026-03-01", "period_end": "{end}"}}"#);
            assert_eq!(problems(&body), [("period_end".to_owned(), message.to_owned())]);
        }
        assert!(read(r#"{"period_start": "2026-03-01", "period_end": "2036-03-07"}"#).is_ok());
    }

    #[test]
    fn lines_of_a_text_end_alike() {
        assert_eq!(parse_email(br#"{"message": "a\r\nb\n\tc"}"#).unwrap().message.as_deref(), Some("a\nb\n\tc"));
    }
}
