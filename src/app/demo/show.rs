//! Runs the samples through the service's own HTTP API, as a stranger's program would, and prints what came of them.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use chrono::NaiveDate;

use super::api::Api;
use super::{agent, books, month, sample, tables};

/// Runs the samples through the API at `base_url`, prints their outcomes and `curl` lines to standard output, and writes
/// printed files into `folder`.
pub fn show(
    (base_url, ops_url): (&str, &str),
    (key, filling_key): (&str, &str),
    today: NaiveDate,
    session: &str,
    folder: &Path,
) -> anyhow::Result<()> {
    let config =
        ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(Duration::from_secs(30)));
    let agent: ureq::Agent = config.build().into();
    let api = Api { agent: agent.clone(), base_url, key };
    let reconciled = api.run_job("/api/v1/reconciliations", &sample::reconciliation_body(today))?;
    println!("{}\n", tables::reconciliation(reconciled.get("result").context("no result")?));
    let coded = api.run_job("/api/v1/coding/coding-jobs", &month::coding_body(today))?;
    println!("{}\n", tables::coding(&coded));
    let filling = Api { agent, base_url, key: filling_key };
    let organisation = books::fill(&filling, today)?;
    let list = |name: &str| filling.get(&format!("{organisation}/{name}"));
    println!("{}\n", tables::books(&list("bank-accounts")?, &list("customers")?, &list("suppliers")?));
    show_reports(&filling, &organisation, books::period(today), folder)?;
    let id =
        organisation.rsplit('/').next().and_then(|id| id.parse().ok()).context("a path without an organisation")?;
    println!("\n{}", agent::job(&filling, id, today)?);
    let (taken, left) = books::suggest(&filling, &organisation, today)?;
    println!("\n{}", tables::suggestions(&taken, &left));
    println!("{}", next_steps(base_url, ops_url, key, session, &organisation));
    Ok(())
}

/// Prints what was earned and what VAT is due, and writes the profit and loss account and an invoice as PDF.
fn show_reports(
    api: &Api<'_>,
    organisation: &str,
    (first, last): (NaiveDate, NaiveDate),
    folder: &Path,
) -> anyhow::Result<()> {
    let path = |report: &str| format!("{organisation}/reports/{report}?period_start={first}&period_end={last}");
    let profit_loss = path("profit-loss");
    println!("{}\n", tables::profit_loss(api.get(&profit_loss)?.get("data").context("no report")?));
    println!("{}\n", tables::vat_return(api.get(&path("vat-return"))?.get("data").context("no report")?));
    let invoices = api.get(&format!("{organisation}/sales-invoices?status=issued&limit=1"))?;
    let invoice = |field: &str| invoices.pointer(&format!("/data/0/{field}")).context("no invoice");
    let (id, number) = (invoice("id")?, invoice("invoice_number")?.as_str().context("no number")?);
    for (name, path) in [
        (format!("profit-loss {first} {last}.pdf"), format!("{profit_loss}&format=pdf")),
        (format!("{number}.pdf"), format!("{organisation}/sales-invoices/{id}/pdf")),
    ] {
        let file = folder.join(name);
        std::fs::write(&file, api.file(&path)?).with_context(|| format!("cannot write {}", file.display()))?;
        println!("  printed: {}", std::path::absolute(&file).unwrap_or(file).display());
    }
    Ok(())
}

fn next_steps(base_url: &str, ops_url: &str, key: &str, session: &str, organisation: &str) -> String {
    format!(
        r#"
Try it yourself (a key with every scope, for this demonstration only):

  export KEY={key}

  curl {base_url}/api/v1/me -H "Authorization: Bearer $KEY"

  curl {base_url}/api/v1/reconciliations -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '
    {{"bank": [{{"date": "2026-04-01", "amount": 100.00, "description": "BGC ACME INV 7"}}],
     "book": [{{"date": "2026-04-02", "amount": 100.00, "description": "Acme invoice 7"}}]}}'

  curl {base_url}/api/v1/reconciliations/ID_FROM_ABOVE -H "Authorization: Bearer $KEY"

  curl {base_url}/api/v1/coding/coding-jobs -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '
    {{"transactions": [{{"date": "2026-04-01", "amount": -39.60, "description": "XERO UK LTD"}},
                      {{"date": "2026-04-02", "amount": 1200.00, "description": "FPI ACME LTD INV-7"}}],
     "chart_of_accounts": [{{"code": "400", "name": "Sales", "type": "INCOME"}},
                           {{"code": "463", "name": "IT Software and Consumables", "type": "EXPENSE"}},
                           {{"code": "610", "name": "Accounts Receivable", "type": "ASSET"}}],
     "invoices": [{{"number": "INV-7", "kind": "invoice", "contact": "Acme Ltd", "date": "2026-03-20", "amount_due": 1200.00}}],
     "options": {{"businessContext": "VAT registered design studio, limited company"}}}}'

  curl {base_url}/api/v1/coding/coding-jobs/ID_FROM_ABOVE -H "Authorization: Bearer $KEY"

  curl "{base_url}{organisation}/sales-invoices?overdue=true" -H "Authorization: Bearer $KEY"

  curl {base_url}{organisation}/status -H "Authorization: Bearer $KEY"

  curl "{base_url}{organisation}/bank-transactions?status=unconfirmed" -H "Authorization: Bearer $KEY"

  curl {base_url}{organisation}/bank-transactions/ID_FROM_ABOVE/candidates -H "Authorization: Bearer $KEY"

  curl {base_url}{organisation}/bank-transactions/suggest -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{{}}'

  curl {base_url}{organisation}/bank-transactions/confirm -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \
    -d '{{"min_confidence": 0.9}}'

  curl {base_url}/api/v1/keys -H "Authorization: Bearer {session}"

For agents, at {base_url}/mcp with the same key:

  curl {base_url}/mcp -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \
    -H 'Accept: application/json, text/event-stream' -d '{{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}}'

  npx @modelcontextprotocol/inspector --cli --server-url {base_url}/mcp --transport http \
    --header "Authorization: Bearer $KEY" --method tools/list

API documentation  {base_url}/docs
Operators' page    {ops_url}/
"#
    )
}
