//! What an agent does in the demonstration, as a program of a stranger's would: it finds what is unpaid, previews the receipt of
//! the oldest of it, commits it, and looks at the debtors again.

use anyhow::{Context as _, bail};
use chrono::NaiveDate;
use serde_json::{Value, json};

use super::api::Api;
use super::tables::{pounds, text};

/// Calls a tool of the tool server.
fn call(api: &Api<'_>, tool: &str, arguments: &Value) -> anyhow::Result<Value> {
    let params = json!({ "name": tool, "arguments": arguments });
    let answer = api.message("tools/call", &params)?;
    let result = answer.get("result").with_context(|| format!("{tool} was answered {answer}"))?;
    if result.get("isError") == Some(&Value::Bool(true)) {
        bail!("{tool}: {}", text(result, "/content/0/text"));
    }
    result.get("structuredContent").cloned().with_context(|| format!("{tool} gave nothing"))
}

/// Does the job and gives it as a table.
pub(super) fn job(api: &Api<'_>, organisation: i64, today: NaiveDate) -> anyhow::Result<String> {
    let listed = api.message("tools/list", &json!({}))?;
    let tools = listed.pointer("/result/tools").and_then(Value::as_array).map_or(0, Vec::len);
    let selected = json!({ "organisation_id": organisation });
    call(api, "select_organisation", &selected)?;
    let wanted =
        json!({ "kind": "sales_invoice", "outstanding_only": true, "due_before": today.to_string(), "limit": 50 });
    let unpaid = call(api, "find", &wanted)?;
    let rows = unpaid.get("rows").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let oldest = rows.iter().min_by_key(|row| text(row, "/date").into_owned()).context("no invoice is overdue")?;
    let invoice = oldest.get("id").context("an invoice without an id")?;
    let record = call(api, "get_document", &json!({ "kind": "sales_invoice", "id": invoice }))?;
    let banks = call(api, "find", &json!({ "kind": "bank_account" }))?;
    let is_current = |row: &&Value| text(row, "/label").contains("Current");
    let bank = banks
        .get("rows")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .find(is_current)
        .context("no current account")?;
    let due = record.pointer("/record/amount_due").context("an invoice without an amount")?;
    let debtors = json!({ "report": "aged-debtors", "as_of": today.to_string() });
    let before = call(api, "get_report", &debtors)?;
    let receipt = json!({
        "customer_id": record.pointer("/record/customer_id"), "date": today.to_string(), "amount": due,
        "bank_account_id": bank.get("id"), "allocations": [{ "invoice_id": invoice, "amount": due }],
    });
    let operations = json!([{ "op": "customer_receipt.create", "params": receipt }]);
    let plan = call(api, "plan_bookkeeping", &json!({ "operations": operations, "note": "paid by bank transfer" }))?;
    let done = call(api, "commit_plan", &json!({ "plan_token": plan.get("plan_token") }))?;
    let after = call(api, "get_report", &debtors)?;

    let mut lines = vec![format!("An agent's job over /mcp, which has {tools} tools"), String::new()];
    let step = |tool: &str, said: String| format!("  {tool:<20}{said}");
    lines.push(step("find", format!("{} overdue sales invoices", text(&unpaid, "/total"))));
    lines.push(step(
        "get_document",
        format!("{}, {} to pay", text(oldest, "/label"), pounds(&record, "/record/amount_due")),
    ));
    lines.push(step("plan_bookkeeping", text(&plan, "/operations/0/summary").into_owned()));
    for line in plan.pointer("/operations/0/journal").and_then(Value::as_array).into_iter().flatten() {
        let account = format!("{} {}", text(line, "/account_code"), text(line, "/account_name"));
        lines.push(format!("  {:<20}  {account:<30}{:>12}{:>12}", "", pounds(line, "/debit"), pounds(line, "/credit")));
    }
    lines.push(step(
        "commit_plan",
        format!("{} posted, {}", text(&done, "/results/0/number"), text(&done, "/committed_at")),
    ));
    let totals = (pounds(&before, "/data/totals/total"), pounds(&after, "/data/totals/total"));
    lines.push(step("get_report", format!("debtors {} before, {} after", totals.0, totals.1)));
    Ok(lines.join("\n"))
}
