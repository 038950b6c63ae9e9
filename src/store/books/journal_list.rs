//! How a list of journals is queried: a filter may lead to them by the lines of an account or by reversals.

use crate::domain::books::records::journal::JournalFilter;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::journal::SourceType;
use crate::store::books::conditions::Conditions;
use crate::store::books::lists::{List, PagePlan};

/// The list of journals, as a filter has it queried.
pub(super) fn journal_list(filter: &JournalFilter) -> List {
    let mut list = List {
        table: "journal j",
        id: "j.id",
        key: "j.entry_day",
        descending: true,
        with: "left join journal_reversal v on v.journal_id = j.id",
        from: "journal j".to_owned(),
        index_columns: None,
        all: "journal b where b.organisation_id = $1",
        plan: PagePlan::InOrder,
    };
    let others = filter.source_type.is_some()
        || filter.source_id.is_some()
        || filter.search.is_some()
        || filter.updated_since_ms.is_some()
        || (filter.account_id.is_some() && filter.voided.is_some());
    // The indexes of an account's lines and of reversals have the order of the list too.
    let (table, name, key, id) = match (filter.account_id, filter.voided) {
        (Some(_), _) => ("journal_line", "l", "l.entry_day", "l.journal_id"),
        (None, Some(true)) => ("journal_reversal", "v", "v.entry_day", "v.journal_id"),
        _ => {
            // One document has few journals.
            if filter.source_id.is_some() {
                list.plan = PagePlan::Search(list.from.clone());
            }
            return list;
        }
    };
    list.index_columns = Some((key, id));
    list.from = format!("{table} {name}");
    if others {
        list.from.push_str(&format!(" join journal j on j.id = {id}"));
    }
    list
}

/// The conditions of a filter, without its search text.
pub(super) fn journal_conditions(organisation: OrganisationId, filter: &JournalFilter) -> Conditions {
    let (mut conditions, date) = match (filter.account_id, filter.voided) {
        (Some(account), _) => {
            let own = "(select a.organisation_id from account a where a.id = $2) = $1";
            let mut conditions = Conditions::new(own, organisation.0);
            conditions.and("l.account_id = {}", account);
            (conditions, "l.entry_day")
        }
        (None, Some(true)) => (Conditions::new("v.organisation_id = $1", organisation.0), "v.entry_day"),
        (None, _) => (Conditions::new("j.organisation_id = $1", organisation.0), "j.entry_day"),
    };
    let is_void = "exists (select 1 from journal_reversal w where w.journal_id = j.id)";
    match filter.voided {
        Some(true) if filter.account_id.is_some() => conditions.and_plain(is_void),
        Some(false) => conditions.and_plain(&format!("not {is_void}")),
        _ => {}
    }
    conditions.and_if("j.source_type = {}", filter.source_type.as_deref());
    conditions.and_if("j.source_id = {}", filter.source_id);
    if filter.source_id.is_some() && filter.source_type.is_none() {
        // The index begins with the type.
        let types = SourceType::ALL.map(SourceType::as_str).join("', '");
        conditions.and_plain(&format!("j.source_type in ('{types}')"));
    }
    conditions.and_if(&format!("{date} >= {{}}"), filter.from_date.map(i64::from));
    conditions.and_if(&format!("{date} <= {{}}"), filter.to_date.map(i64::from));
    conditions.and_if(
        "(~j.created_at >= {} or exists (select 1 from journal_reversal w join journal r on r.id = w.reversal_id \
         where w.journal_id = j.id and r.created_at >= {}))",
        filter.updated_since_ms,
    );
    conditions
}
