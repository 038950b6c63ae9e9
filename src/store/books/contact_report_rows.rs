//! Loads the rows of reports about customers and suppliers, each report in one snapshot: what was open on a day is found by
//! the interval tree of `domain/ledger/open_item.rs`, sales and purchases of a period are kept sums.

use std::sync::LazyLock;

use sea_orm::Value;

use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::date::{Date, Month};
use crate::domain::ids::{Id, OrganisationId};
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::chart::Role;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::journal::SourceType;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::open_item::{self, OpenItemSource};
use crate::domain::ledger::trade::{Span, TradeFigures};
use crate::domain::reports::Period;
use crate::domain::reports::ageing::{AgedItem, AgedItemKind, AgedRows, AgeingParameters};
use crate::domain::reports::statement::{PostedStatementLine, StatementContact, StatementRows, StatementSource};
use crate::domain::reports::trade::{ContactFigures, TradeParameters, TradeRows};
use crate::store::StoreError;
use crate::store::books::conditions::Conditions;
use crate::store::books::report_rows::{Snapshot, income_query, read_account_rows, snapshot_head, with_head};
use crate::store::sql::{Query, Reader, Row, params};

impl Reader {
    /// What is open of customers or suppliers at the end of a day.
    pub async fn aged_rows(
        &self,
        organisation: &OrganisationRecord,
        side: ContactKind,
        parameters: AgeingParameters,
    ) -> Result<Snapshot<AgedRows>, StoreError> {
        let (organisation, date) = (organisation.id, parameters.as_of.date);
        let contact = parameters.contact_id.map(|Id(id)| id);
        let [head, items, control] = self
            .together([
                snapshot_head(organisation),
                open_items(organisation, side, (date, contact)),
                control_balance(organisation, side, (date, contact)),
            ])
            .await?;
        let (items, control_balance) = (read_items(&items)?, read_control_balance(&control)?);
        with_head(organisation, &head, AgedRows { side, items, control_balance })
    }

    /// The statement of a customer or supplier; none when there is no such contact of this kind.
    pub async fn statement_rows(
        &self,
        organisation: &OrganisationRecord,
        (side, contact): (ContactKind, i64),
        period: Period,
    ) -> Result<Option<Snapshot<StatementRows>>, StoreError> {
        let organisation = organisation.id;
        let [head, of, opening, lines, items] = self
            .together([
                snapshot_head(organisation),
                statement_contact(organisation, side, contact),
                control_balance(organisation, side, (period.first - 1, Some(contact))),
                statement_lines(organisation, (side, contact), period),
                open_items(organisation, side, (period.last, Some(contact))),
            ])
            .await?;
        let Some(contact) = read_statement_contact((side, contact), &of)? else { return Ok(None) };
        let opening = read_control_balance(&opening)?;
        let lines = lines.iter().map(read_statement_line).collect::<Result<Vec<_>, _>>()?;
        let control_balance = opening + lines.iter().map(|line| line.debit - line.credit).sum();
        let open = AgedRows { side, items: read_items(&items)?, control_balance };
        with_head(organisation, &head, StatementRows { contact, opening, lines, open }).map(Some)
    }

    /// What was sold to customers or bought from suppliers in a period.
    pub async fn trade_rows(
        &self,
        organisation: &OrganisationRecord,
        side: ContactKind,
        parameters: TradeParameters,
    ) -> Result<Snapshot<TradeRows>, StoreError> {
        let (organisation, period) = (organisation.id, parameters.period);
        let days = TradeParameters::days(period);
        let [head, accounts, contacts] = self
            .together([
                snapshot_head(organisation),
                income_query(organisation, &days),
                contact_figures(organisation, side, period),
            ])
            .await?;
        let accounts = read_account_rows(organisation, days, &accounts)?;
        let contacts = contacts.iter().map(read_figures).collect::<Result<_, _>>()?;
        with_head(organisation, &head, TradeRows { contacts, accounts })
    }
}

/// The role of the control account of customers or suppliers.
const fn control_role(side: ContactKind) -> Role {
    match side {
        ContactKind::Customer => Role::AccountsReceivable,
        ContactKind::Supplier => Role::AccountsPayable,
    }
}

/// Selects what is on the control account at the end of a day, debits less credits: all, or what is a contact's.
fn control_balance(organisation: OrganisationId, side: ContactKind, (date, contact): (Date, Option<i64>)) -> Query {
    let role = control_role(side);
    let mut conditions = Conditions::new("a.organisation_id = $1", organisation.0);
    conditions.and("a.role = {}", role.as_str());
    let month = conditions.value(Month::of(date).0);
    let first_day = conditions.value(i64::from(date.first_of_month()));
    let day = conditions.value(i64::from(date));
    let (totals, own) = match contact.map(|contact| conditions.value(contact)) {
        Some(contact) => {
            (["contact_month", "contact_day"], format!("t.organisation_id = $1 and t.contact_id = {contact} and "))
        }
        None => (["account_month", "account_day"], String::new()),
    };
    let sum = |table: &str, when: String| {
        format!(
            "coalesce((select sum(t.debit - t.credit) from {table} t where {own}t.account_id = a.id and {when}), 0)"
        )
    };
    let [months, days] = totals;
    let sql = format!(
        "select cast({} + {} as bigint), a.id from account a where {}",
        sum(months, format!("t.month < {month}")),
        sum(days, format!("t.day >= {first_day} and t.day <= {day}")),
        conditions.text()
    );
    Query::new(sql, 2, conditions.values())
}

fn read_control_balance(rows: &[Row]) -> Result<Pence, StoreError> {
    Ok(Pence(rows.first().map_or(Ok(0), |row| row.get(0))?))
}

/// The nodes of the interval tree that may hold what is open on the day whose place this parameter is: those not after it, and
/// those after it ([`open_item::LEVELS`]).
pub(super) fn nodes_of_day(place: &str) -> [String; 2] {
    let bits = || (0..open_item::LEVELS).map(|level| 1_i64 << level);
    let up_to: Vec<String> = bits().map(|bit| format!("{place} & -{bit}")).collect();
    let after: Vec<String> = bits().map(|bit| format!("({place} | {}) + 1", bit - 1)).collect();
    [up_to.join(", "), after.join(", ")]
}

/// Selects the items that may be open at the end of a day, of all or of one contact.
pub(super) fn open_items(
    organisation: OrganisationId,
    side: ContactKind,
    (date, contact): (Date, Option<i64>),
) -> Query {
    static OF_ALL: LazyLock<String> = LazyLock::new(|| open_items_text(""));
    static OF_CONTACT: LazyLock<String> = LazyLock::new(|| open_items_text("and o.contact_id = $5"));
    let mut values = params![organisation.0, side.as_str(), i64::from(date), open_item::place_of(date)];
    values.extend(contact.map(Value::from));
    Query::new(if contact.is_some() { OF_CONTACT.as_str() } else { OF_ALL.as_str() }, 9, values)
}

fn open_items_text(of_contact: &str) -> String {
    let [up_to, after] = nodes_of_day("$4");
    let arm = |nodes: &str, when: &str| {
        format!(
            "select o.source_type, o.source_id from open_item o where o.organisation_id = $1 and o.side = $2 {of_contact} \
             and o.node in ({nodes}) and o.{when}"
        )
    };
    let counted = "a.day <= $3 and (a.released_day is null or a.released_day > $3)";
    let settled = |what: &str, end: &str, of: &str| {
        format!("coalesce((select sum({what}) from allocation a where a.{end} = {of}.id and {counted}), 0)")
    };
    let with_cis = "case when a.from_settlement_id is null then a.amount else a.amount + a.cis end";
    format!(
        "with i as materialized ({} union all {}) \
         select i.source_type, d.id, d.number, d.contact_id, c.name, d.day, d.due_day, d.net + d.vat, \
         cast({} + case when i.source_type in ({credit_notes}) then {} else 0 end as bigint) from i join document d on d.id = i.source_id join contact c on c.id = d.contact_id \
         where i.source_type in ({documents}) union all \
         select i.source_type, s.id, s.number, s.contact_id, c.name, s.day, null, s.amount, cast({} + {} as bigint) \
         from i join settlement s on s.id = i.source_id join contact c on c.id = s.contact_id \
         where i.source_type in ({settlements}) union all \
         select i.source_type, l.journal_id, cast(j.number as text), l.contact_id, c.name, l.entry_day, null, \
         l.debit - l.credit, 0 from i join journal_line l on l.id = i.source_id join journal j on j.id = l.journal_id \
         left join contact c on c.id = l.contact_id where i.source_type = '{line}'",
        arm(&up_to, "until_day > $3"),
        arm(&after, "from_day <= $3"),
        settled(with_cis, "to_document_id", "d"),
        settled("a.amount", "from_document_id", "d"),
        settled("a.amount", "from_settlement_id", "s"),
        settled("a.amount", "to_settlement_id", "s"),
        documents = quoted(&DocumentKind::ALL.map(DocumentKind::as_str)),
        credit_notes =
            quoted(&[DocumentKind::SalesCreditNote, DocumentKind::PurchaseCreditNote].map(DocumentKind::as_str)),
        settlements = quoted(&SettlementKind::ALL.map(SettlementKind::as_str)),
        line = OpenItemSource::LINE,
    )
}

pub(super) fn read_items(rows: &[Row]) -> Result<Vec<AgedItem>, StoreError> {
    rows.iter().map(read_item).collect()
}

/// Words of our own as a list of SQL.
fn quoted(words: &[&str]) -> String {
    format!("'{}'", words.join("', '"))
}

fn read_item(row: &Row) -> Result<AgedItem, StoreError> {
    let kind = |word: &str| {
        let document = DocumentKind::parse(word).map(AgedItemKind::Document);
        let settlement = || SettlementKind::parse(word).map(AgedItemKind::Settlement);
        let line = || (word == OpenItemSource::LINE).then_some(AgedItemKind::Journal);
        document.or_else(settlement).or_else(line)
    };
    let name: Option<String> = row.get(4)?;
    Ok(AgedItem {
        kind: row.parsed(0, kind)?,
        id: row.get(1)?,
        number: row.get(2)?,
        contact: name.map(|name| row.get(3).map(|id| (id, name))).transpose()?,
        date: row.date(5)?,
        due_date: row.maybe_date(6)?,
        amount: Pence(row.get(7)?),
        settled: Pence(row.get(8)?),
    })
}

/// Selects a contact of a kind.
fn statement_contact(organisation: OrganisationId, kind: ContactKind, id: i64) -> Query {
    let sql = "select c.name, c.reference, c.archived_at from contact c where c.organisation_id = $1 and c.kind = $2 \
               and c.id = $3";
    Query::new(sql, 3, params![organisation.0, kind.as_str(), id])
}

fn read_statement_contact(
    (kind, id): (ContactKind, i64),
    rows: &[Row],
) -> Result<Option<StatementContact>, StoreError> {
    let read = |row: &Row| {
        Ok(StatementContact {
            id: Id(id),
            kind: kind.as_str(),
            name: row.get(0)?,
            reference: row.get(1)?,
            is_archived: row.get::<Option<i64>>(2)?.is_some(),
        })
    };
    rows.first().map(read).transpose()
}

/// Selects the lines of a contact on the control account in a period, each with what is behind it: of a reversal, what is behind the
/// journal that it reverses, and of a write-off the invoice. Documents of opening balances share one line of the opening journal.
fn statement_lines(organisation: OrganisationId, (side, contact): (ContactKind, i64), period: Period) -> Query {
    static SQL: LazyLock<String> = LazyLock::new(statement_lines_text);
    let role = control_role(side);
    let values = params![organisation.0, role.as_str(), contact, i64::from(period.first), i64::from(period.last)];
    Query::new(SQL.as_str(), 11, values)
}

fn statement_lines_text() -> String {
    format!(
        "select l.entry_day, j.id, j.source_type, l.debit, l.credit, \
         case when w.id is null then b.source_type else d.kind end, coalesce(w.document_id, b.source_id), \
         case when w.id is null then d.due_day end, \
         case when s.journal_id = b.id then s.amount else 0 end, \
         coalesce(d.number, s.number, cast(b.number as text)), \
         case when d.id is not null then coalesce(d.supplier_reference, d.reference) when s.id is not null \
         then s.reference else b.reference end \
         from journal_line l join journal j on j.id = l.journal_id \
         join journal b on b.id = coalesce(j.reverses_journal_id, j.id) \
         left join write_off w on w.id = b.source_id and b.source_type = '{}' \
         left join document d on d.id = coalesce(w.document_id, b.source_id) and (w.id is not null or b.source_type in ({})) \
         left join settlement s on s.id = b.source_id and b.source_type in ({}) \
         where l.contact_id = $3 and l.account_id = (select a.id from account a where a.organisation_id = $1 and a.role = $2) \
         and l.entry_day >= $4 and l.entry_day <= $5 \
         order by l.entry_day, l.journal_id, l.line_number",
        SourceType::WriteOff.as_str(),
        quoted(&DocumentKind::ALL.map(DocumentKind::as_str)),
        quoted(&SettlementKind::ALL.map(SettlementKind::as_str))
    )
}

fn read_statement_line(row: &Row) -> Result<PostedStatementLine, StoreError> {
    let (word, id): (String, Option<i64>) = (row.get(5)?, row.get(6)?);
    let source = match (DocumentKind::parse(&word), SettlementKind::parse(&word), id) {
        (Some(kind), _, Some(id)) => StatementSource::Document(kind, id, row.maybe_date(7)?),
        (_, Some(kind), Some(id)) => StatementSource::Settlement(kind, id, Pence(row.get(8)?)),
        _ => StatementSource::Journal,
    };
    Ok(PostedStatementLine {
        date: row.date(0)?,
        journal_id: row.get(1)?,
        source_type: row.parsed(2, SourceType::parse)?,
        source,
        number: row.get(9)?,
        reference: row.get(10)?,
        debit: Pence(row.get(3)?),
        credit: Pence(row.get(4)?),
    })
}

/// Selects the sums of each contact in a period, from those of whole quarters, and of the months and days beside these.
fn contact_figures(organisation: OrganisationId, side: ContactKind, period: Period) -> Query {
    let mut conditions = Conditions::new("t.organisation_id = $1", organisation.0);
    conditions.and("t.side = {}", side.as_str());
    let own = conditions.text();
    let arms = Span::covering(period.first, period.last).into_iter().map(|(span, from, to)| {
        let (from, to) = (conditions.value(from), conditions.value(to));
        format!(
            "select t.contact_id, t.invoices, t.credit_notes, t.net, t.vat, t.capital_net, t.other_net \
             from trade_total t where {own} and t.span = '{}' and t.number >= {from} and t.number <= {to}",
            span.as_str()
        )
    });
    let arms: Vec<String> = arms.collect();
    let sums = ["invoices", "credit_notes", "net", "vat", "capital_net", "other_net"]
        .map(|column| format!("cast(sum({column}) as bigint) as {column}"));
    let sql = format!(
        "select u.contact_id, c.name, u.invoices, u.credit_notes, u.net, u.vat, u.capital_net, u.other_net from \
         (select contact_id, {} from ({}) t group by contact_id) u join contact c on c.id = u.contact_id",
        sums.join(", "),
        arms.join(" union all ")
    );
    Query::new(sql, 8, conditions.values())
}

fn read_figures(row: &Row) -> Result<ContactFigures, StoreError> {
    Ok(ContactFigures {
        contact_id: row.get(0)?,
        name: row.get(1)?,
        figures: TradeFigures {
            invoices: row.get(2)?,
            credit_notes: row.get(3)?,
            net: Pence(row.get(4)?),
            vat: Pence(row.get(5)?),
            capital_net: Pence(row.get(6)?),
            other_net: Pence(row.get(7)?),
        },
    })
}
