//! The kinds of record that `find` lists: which operation lists each, by which filters, and what its rows show.

/// A kind of record: its list, the filters it has, and how a row of it reads.
pub(super) struct Kind {
    /// The word of the tool.
    pub(super) name: &'static str,
    /// The operation that lists it.
    pub(super) operation: &'static str,
    /// Each filter with the parameter of the route; an empty one is filtered here.
    pub(super) filters: &'static [(&'static str, &'static str)],
    /// The statuses a record may have.
    pub(super) statuses: &'static [&'static str],
    /// Those of a record that has something outstanding.
    pub(super) outstanding: &'static [&'static str],
    /// Whether the route gives the list in pages.
    pub(super) is_paged: bool,
    /// What a row shows.
    pub(super) row: RowFields,
}

/// The fields of a record that a row is made of; an empty name is none.
pub(super) struct RowFields {
    /// Identifies the record.
    pub(super) id: &'static str,
    /// Name the record, one after the other.
    pub(super) label: &'static [&'static str],
    /// The day of the record.
    pub(super) date: &'static str,
    /// The customer or supplier.
    pub(super) contact: &'static str,
    /// Its status.
    pub(super) status: &'static str,
    /// What it is about, in the currency of the books.
    pub(super) amount: &'static str,
    /// What is still open of it.
    pub(super) outstanding: &'static str,
}

const NO_FIELDS: RowFields =
    RowFields { id: "id", label: &[], date: "", contact: "", status: "", amount: "", outstanding: "" };

/// Puts lists of filters together.
macro_rules! filters {
    ($($name:literal => $parameter:literal),* $(,)?) => { &[$(($name, $parameter)),*] };
}

const CONTACT_FILTERS: &[(&str, &str)] =
    filters!("search" => "search", "include_archived" => "include_archived", "updated_since" => "updated_since");
const VOIDED: &[&str] = &["posted", "void"];
const INVOICE_STATUSES: &[&str] = &["draft", "issued", "part_paid", "paid", "void"];
const OPEN_INVOICE_STATUSES: &[&str] = &["issued", "part_paid"];
const OPEN_CREDIT_NOTE_STATUSES: &[&str] = &["issued", "part_allocated"];
const CREDIT_NOTE_STATUSES: &[&str] = &["draft", "issued", "part_allocated", "allocated", "void"];

/// Documents, whose routes take several statuses, with all of them and those that leave something open.
const fn documents(
    (name, operation): (&'static str, &'static str),
    filters: &'static [(&'static str, &'static str)],
    (statuses, outstanding): (&'static [&'static str], &'static [&'static str]),
    row: RowFields,
) -> Kind {
    Kind { name, operation, filters, statuses, outstanding, is_paged: true, row }
}

const fn list(
    name: &'static str,
    operation: &'static str,
    filters: &'static [(&'static str, &'static str)],
    statuses: &'static [&'static str],
    row: RowFields,
) -> Kind {
    Kind { name, operation, filters, statuses, outstanding: &[], is_paged: true, row }
}

/// Every kind.
pub(super) const KINDS: [Kind; 18] = [
    Kind {
        is_paged: false,
        ..list(
            "account",
            "listAccounts",
            filters!("search" => "", "type" => "account_type", "include_archived" => "include_archived",
                     "updated_since" => "updated_since"),
            &[],
            RowFields { label: &["code", "name"], amount: "balance", ..NO_FIELDS },
        )
    },
    list(
        "customer",
        "listCustomers",
        CONTACT_FILTERS,
        &[],
        RowFields { label: &["name"], outstanding: "balance", ..NO_FIELDS },
    ),
    list(
        "supplier",
        "listSuppliers",
        CONTACT_FILTERS,
        &[],
        RowFields { label: &["name"], outstanding: "balance", ..NO_FIELDS },
    ),
    Kind {
        is_paged: false,
        ..list(
            "bank_account",
            "listBankAccounts",
            filters!("search" => "", "include_archived" => "include_archived", "updated_since" => "updated_since"),
            &[],
            RowFields { label: &["name"], date: "last_transaction_date", amount: "ledger_balance", ..NO_FIELDS },
        )
    },
    list(
        "bank_transaction",
        "listBankTransactions",
        filters!("search" => "search", "status" => "status", "type" => "type", "date_from" => "date_from",
                 "date_to" => "date_to", "bank_account_id" => "bank_account_id", "min_amount" => "min_amount",
                 "max_amount" => "max_amount", "updated_since" => "updated_since"),
        &["unconfirmed", "confirmed", "excluded"],
        RowFields { label: &["description"], date: "date", status: "status", amount: "amount", ..NO_FIELDS },
    ),
    documents(
        ("sales_invoice", "listSalesInvoices"),
        filters!("search" => "search", "status" => "status", "contact_id" => "customer_id", "date_from" => "date_from",
                 "date_to" => "date_to", "due_before" => "due_before", "overdue" => "overdue", "outstanding_only" => "status",
                 "updated_since" => "updated_since"),
        (INVOICE_STATUSES, OPEN_INVOICE_STATUSES),
        RowFields {
            label: &["invoice_number"],
            date: "invoice_date",
            contact: "customer_name",
            status: "status",
            amount: "gross_amount",
            outstanding: "amount_due",
            ..NO_FIELDS
        },
    ),
    documents(
        ("sales_credit_note", "listSalesCreditNotes"),
        filters!("search" => "search", "status" => "status", "contact_id" => "customer_id", "date_from" => "date_from",
                 "date_to" => "date_to", "outstanding_only" => "status", "updated_since" => "updated_since"),
        (CREDIT_NOTE_STATUSES, OPEN_CREDIT_NOTE_STATUSES),
        RowFields {
            label: &["credit_note_number"],
            date: "credit_note_date",
            contact: "customer_name",
            status: "status",
            amount: "gross_amount",
            outstanding: "amount_due",
            ..NO_FIELDS
        },
    ),
    documents(
        ("purchase_invoice", "listPurchaseInvoices"),
        filters!("search" => "search", "status" => "status", "contact_id" => "supplier_id", "date_from" => "date_from",
                 "date_to" => "date_to", "due_before" => "due_before", "overdue" => "overdue", "outstanding_only" => "status",
                 "updated_since" => "updated_since"),
        (INVOICE_STATUSES, OPEN_INVOICE_STATUSES),
        RowFields {
            label: &["number", "supplier_reference"],
            date: "invoice_date",
            contact: "supplier_name",
            status: "status",
            amount: "gross_amount",
            outstanding: "amount_due",
            ..NO_FIELDS
        },
    ),
    documents(
        ("purchase_credit_note", "listPurchaseCreditNotes"),
        filters!("search" => "search", "status" => "status", "contact_id" => "supplier_id", "date_from" => "date_from",
                 "date_to" => "date_to", "outstanding_only" => "status", "updated_since" => "updated_since"),
        (CREDIT_NOTE_STATUSES, OPEN_CREDIT_NOTE_STATUSES),
        RowFields {
            label: &["credit_note_number", "supplier_reference"],
            date: "credit_note_date",
            contact: "supplier_name",
            status: "status",
            amount: "gross_amount",
            outstanding: "amount_due",
            ..NO_FIELDS
        },
    ),
    list(
        "customer_receipt",
        "listCustomerReceipts",
        filters!("status" => "status", "contact_id" => "customer_id", "bank_account_id" => "bank_account_id",
                 "date_from" => "date_from", "date_to" => "date_to", "outstanding_only" => "has_unallocated",
                 "updated_since" => "updated_since"),
        VOIDED,
        RowFields {
            label: &["number", "reference"],
            date: "date",
            contact: "customer_name",
            status: "status",
            amount: "amount",
            outstanding: "unallocated_amount",
            ..NO_FIELDS
        },
    ),
    list(
        "supplier_payment",
        "listSupplierPayments",
        filters!("status" => "status", "contact_id" => "supplier_id", "bank_account_id" => "bank_account_id",
                 "date_from" => "date_from", "date_to" => "date_to", "outstanding_only" => "has_unallocated",
                 "updated_since" => "updated_since"),
        VOIDED,
        RowFields {
            label: &["number", "reference"],
            date: "date",
            contact: "supplier_name",
            status: "status",
            amount: "amount",
            outstanding: "unallocated_amount",
            ..NO_FIELDS
        },
    ),
    list(
        "journal",
        "listJournals",
        filters!("search" => "search", "status" => "status", "type" => "source_type", "account_id" => "account_id",
                 "date_from" => "date_from", "date_to" => "date_to", "updated_since" => "updated_since"),
        VOIDED,
        RowFields {
            label: &["journal_number", "description"],
            date: "entry_date",
            status: "status",
            amount: "total_debit",
            ..NO_FIELDS
        },
    ),
    list(
        "account_transaction",
        "listAccountTransactions",
        filters!("account_id" => "id", "date_from" => "date_from", "date_to" => "date_to"),
        &[],
        RowFields { id: "journal_id", label: &["document_number", "description"], date: "date", ..NO_FIELDS },
    ),
    Kind {
        is_paged: false,
        ..list(
            "tax_code",
            "listTaxCodes",
            filters!("search" => ""),
            &[],
            RowFields { id: "", label: &["code", "name"], ..NO_FIELDS },
        )
    },
    list(
        "vat_adjustment",
        "listVatAdjustments",
        filters!("status" => "status", "date_from" => "date_from", "date_to" => "date_to",
                 "updated_since" => "updated_since"),
        VOIDED,
        RowFields { label: &["description"], date: "date", status: "status", ..NO_FIELDS },
    ),
    list(
        "vat_return",
        "listVatReturns",
        filters!("date_from" => "", "date_to" => ""),
        &[],
        RowFields { label: &["period_start", "period_end"], date: "period_end", amount: "net_vat", ..NO_FIELDS },
    ),
    list(
        "import",
        "listImports",
        filters!(),
        &[],
        RowFields { label: &["kind"], date: "created_at", status: "status", ..NO_FIELDS },
    ),
    list(
        "email",
        "listEmails",
        filters!("status" => "status", "updated_since" => "updated_since"),
        &["queued", "sending", "sent", "failed", "uncertain", "cancelled"],
        RowFields { label: &["subject"], date: "created_at", status: "status", ..NO_FIELDS },
    ),
];

impl Kind {
    /// Whether the tool itself searches the list, because its route has not all the filters.
    pub(super) fn is_searched_here(&self) -> bool {
        self.filters.iter().any(|(_, parameter)| parameter.is_empty()) || !self.is_paged
    }

    /// What stands between the parts of a name.
    pub(super) fn between_labels(&self) -> &'static str {
        if self.name == "vat_return" { " to " } else { " " }
    }
}
