//! A recorded HTTP session: requests over every route of the route table and what was answered, byte for byte. It is the
//! net under changes that must not change any behaviour.
//!
//! A chapter is a function that sends requests through a `Session` to a server of its own. `RECORD_SESSIONS=1` writes each
//! request and its answer as a line of `sessions/<chapter>.jsonl`; otherwise each line is compared with the recorded one,
//! and a difference fails the test. Only what is random is replaced by a name in both: identifiers of requests and jobs,
//! keys, tokens and web sessions.

mod bank_chapters;
mod bank_settlement_chapters;
mod chart_chapters;
mod cis_chapters;
mod contact_chapters;
mod contact_report_chapters;
mod coverage;
mod credit_chapters;
mod document_chapters;
mod document_field_chapters;
mod email_chapters;
mod field_chapters;
mod fields;
mod import_chapters;
mod job_chapters;
mod journal_chapters;
mod masks;
mod opening_chapters;
mod organisation_chapters;
mod printed_chapters;
mod product_field_chapters;
mod purpose_chapters;
mod recording;
mod report_chapters;
mod session;
mod settlement_chapters;
mod tenant_chapters;
mod trade;
mod transport_chapters;
mod vat_chapters;
mod year_end_chapters;

/// Writes one test for each chapter: a function of this name that takes the session.
macro_rules! chapters {
    ($($name:ident),+ $(,)?) => {
        mod chapters {
            $(
                #[test]
                fn $name() {
                    let mut session = super::Session::open(stringify!($name));
                    super::$name(&mut session);
                    session.close();
                }
            )+
        }
    };
}

pub(crate) use chapters;
