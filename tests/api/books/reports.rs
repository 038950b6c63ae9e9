//! Reports: what all of the table have in common, and the figures of each.

use bookkeeping_suite::http::resources::reports::REPORTS;

use super::{Books, format_paths};
use crate::support::database::on_both_databases;

on_both_databases! {
    fn every_report_refuses_a_parameter_that_it_does_not_have(database) {
        let books = Books::on(&database);
        let (customer, supplier) = (books.customer("A"), books.supplier("B"));
        for report in REPORTS {
            let contact = if report.name.starts_with("supplier") { supplier } else { customer };
            let path = report.path.replace("{organisationId}", &books.id.to_string());
            let path = path.replace("{contactId}", &contact.to_string());
            let answer = books.server.client.get(&format!("{path}?month=2026-03")).key(&books.key).send();
            assert!(format_paths(&answer).contains(&"query.month".to_owned()), "{}", report.name);
        }
    }
}
