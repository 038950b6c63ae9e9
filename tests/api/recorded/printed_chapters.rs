//! Printed documents: of their answers, status and headers. The bytes are compared elsewhere, and read by other programs.

use serde_json::json;

use super::session::Session;
use super::trade::to_invoices;

super::chapters!(printed_documents);

fn printed_documents(s: &mut Session) {
    s.books();
    let customer = s.customer("Brightwell School 文");
    let invoice = s.sale(customer, "2026-02-20", "100.00", "ST");
    let credit = s.credit(customer, "2026-02-21", "10.00", "ST");
    let receipt = s.receipt(customer, "2026-02-22", "60.00", to_invoices(&[(invoice, "50.00")]));
    let receipt = s.made("/customer-receipts", receipt);
    let supplier = s.supplier("Reed Carpentry");
    let bill = s.bill(supplier, "2026-02-20", "100.00", "ST");
    let payment = s.payment(supplier, "2026-02-22", "60.00", to_invoices(&[(bill, "50.00")]));
    let payment = s.made("/supplier-payments", payment);
    let bank = s.bank();
    s.patch("", json!({ "payment_bank_account_id": bank, "invoice_footer": "Thank you" }));
    for (path, id) in [
        ("/sales-invoices", invoice),
        ("/sales-credit-notes", credit),
        ("/customer-receipts", receipt),
        ("/supplier-payments", payment),
    ] {
        s.head_of(&format!("{path}/{id}/pdf"));
        s.get(&format!("{path}/999999/pdf"));
        s.get(&format!("{path}/{id}/pdf?page=1"));
        s.act(&format!("{path}/{id}/pdf"));
        s.by("nobody").get(&format!("{path}/{id}/pdf"));
        s.by("owner");
    }
}
