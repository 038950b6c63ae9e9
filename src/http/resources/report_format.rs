//! The forms of a report: JSON, CSV and PDF of one value.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde_json::value::RawValue;

use crate::domain::reports::table::ReportTable;
use crate::http::error::ApiError;
use crate::http::openapi::Operation;
use crate::http::openapi::schema::choice;
use crate::http::query::Query;
use crate::http::{envelope, file};
use crate::render::{self, Pdf, RenderError};

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// What programs read.
    Json,
    /// One table, for spreadsheets.
    Csv,
    /// What people read.
    Pdf,
}

impl Format {
    const ALL: [(Self, &str); 3] = [(Self::Json, "json"), (Self::Csv, "csv"), (Self::Pdf, "pdf")];
    const RULE: &str = "json, csv or pdf";

    /// Reads the parameter; JSON when it is left out.
    pub(super) fn read(query: &mut Query) -> Self {
        let parse = |word: &str| Self::ALL.into_iter().find(|(_, known)| *known == word).map(|(format, _)| format);
        query.word("format", Self::RULE, parse).unwrap_or(Self::Json)
    }

    /// Adds the parameter and the files to the description of an operation.
    pub(super) fn describe(operation: Operation) -> Operation {
        let words = choice(&Self::ALL.map(|(_, word)| word));
        let description = "The form of the answer; `json` when it is left out. The others are files.";
        operation.query("format", description, words, "json".into()).or_file(&["text/csv", "application/pdf"])
    }
}

/// A report in one of its forms.
pub enum PrintedReport {
    /// The data of the answer.
    Json(Box<RawValue>),
    /// The name of the file without its ending, and what is in it.
    Csv(String, String),
    /// The same.
    Pdf(String, Pdf),
}

impl PrintedReport {
    /// Prints tables as a file.
    pub(super) async fn of(
        table: ReportTable,
        format: Format,
        print: impl FnOnce(&ReportTable) -> Result<Pdf, RenderError> + Send + 'static,
    ) -> Result<Self, ApiError> {
        let name = table.file_name.clone();
        if format == Format::Csv {
            return Ok(Self::Csv(name, render::csv::print(&table)));
        }
        Ok(Self::Pdf(name, file::print(move || print(&table)).await?))
    }

    /// The answer of the operation.
    pub(super) fn answer(self) -> Result<HttpResponse, ApiError> {
        match self {
            Self::Json(data) => envelope::data(StatusCode::OK, &data),
            Self::Csv(name, text) => file::csv(&format!("{name}.csv"), text),
            Self::Pdf(name, pdf) => file::pdf(&format!("{name}.pdf"), pdf),
        }
    }
}
