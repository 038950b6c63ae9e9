//! Inserts many rows with one statement: they are one JSON parameter, an array of arrays, which both databases expand.

use sea_orm::DbBackend;

/// The value of a column in one row.
pub(super) enum Cell<'a> {
    /// A number.
    Number(i64),
    /// Text.
    Text(&'a str),
    /// True or false.
    Flag(bool),
    /// Nothing.
    Null,
}

impl From<i64> for Cell<'_> {
    fn from(value: i64) -> Self {
        Self::Number(value)
    }
}

impl From<bool> for Cell<'_> {
    fn from(value: bool) -> Self {
        Self::Flag(value)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a String> for Cell<'a> {
    fn from(value: &'a String) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a Option<String>> for Cell<'a> {
    fn from(value: &'a Option<String>) -> Self {
        value.as_deref().map_or(Self::Null, Self::Text)
    }
}

impl From<&i64> for Cell<'_> {
    fn from(value: &i64) -> Self {
        Self::Number(*value)
    }
}

impl From<Option<i64>> for Cell<'_> {
    fn from(value: Option<i64>) -> Self {
        value.map_or(Self::Null, Self::Number)
    }
}

impl<'a> From<Option<&'a str>> for Cell<'a> {
    fn from(value: Option<&'a str>) -> Self {
        value.map_or(Self::Null, Self::Text)
    }
}

/// A column and how it is read back out of JSON.
#[derive(Clone, Copy)]
pub(super) enum Column {
    /// `bigint`.
    Number(&'static str),
    /// `text`.
    Text(&'static str),
    /// `boolean`.
    Flag(&'static str),
    /// Bytes that are text.
    TextBytes(&'static str),
    /// Bytes in hexadecimal.
    HexBytes(&'static str),
}

impl Column {
    const fn name(self) -> &'static str {
        match self {
            Self::Number(name) | Self::Text(name) | Self::Flag(name) | Self::TextBytes(name) | Self::HexBytes(name) => {
                name
            }
        }
    }
}

/// Rows to be inserted into a table.
#[derive(Clone)]
pub(super) struct Rows {
    table: &'static str,
    columns: &'static [Column],
    /// The conflict clause, or nothing.
    conflict: &'static str,
    json: String,
}

impl Rows {
    /// No rows yet.
    pub(super) const fn new(table: &'static str, columns: &'static [Column], conflict: &'static str) -> Self {
        Self { table, columns, conflict, json: String::new() }
    }

    /// Whether no row was added.
    pub(super) const fn is_empty(&self) -> bool {
        self.json.is_empty()
    }

    /// Adds a row, in the order of the columns.
    pub(super) fn push<const N: usize>(&mut self, cells: [Cell<'_>; N]) {
        debug_assert_eq!(N, self.columns.len(), "{}", self.table);
        self.json.push(if self.json.is_empty() { '[' } else { ',' });
        for (at, cell) in cells.iter().enumerate() {
            self.json.push(if at == 0 { '[' } else { ',' });
            match cell {
                Cell::Number(number) => self.json.push_str(&number.to_string()),
                Cell::Flag(flag) => self.json.push_str(if *flag { "true" } else { "false" }),
                Cell::Null => self.json.push_str("null"),
                // Text always prints.
                Cell::Text(text) => self.json.push_str(&serde_json::to_string(text).unwrap_or_default()),
            }
        }
        self.json.push(']');
    }

    /// The rows as the parameter of [`Self::statement`].
    pub(super) fn parameter(mut self) -> String {
        self.json.push(']');
        self.json
    }

    /// The insert statement, whose rows are the parameter of this number.
    pub(super) fn statement(&self, backend: DbBackend, parameter: usize) -> String {
        let mut names = String::new();
        let mut values = String::new();
        for (at, column) in self.columns.iter().enumerate() {
            if at > 0 {
                names.push_str(", ");
                values.push_str(", ");
            }
            names.push_str(column.name());
            values.push_str(&match (backend, column) {
                (DbBackend::Postgres, Column::Number(_)) => format!("(r.value->>{at})::bigint"),
                (DbBackend::Postgres, Column::Text(_)) => format!("r.value->>{at}"),
                (DbBackend::Postgres, Column::Flag(_)) => format!("(r.value->>{at})::boolean"),
                (DbBackend::Postgres, Column::TextBytes(_)) => format!("convert_to(r.value->>{at}, 'UTF8')"),
                (DbBackend::Postgres, Column::HexBytes(_)) => format!("decode(r.value->>{at}, 'hex')"),
                (_, Column::TextBytes(_)) => format!("cast(r.value->>{at} as blob)"),
                (_, Column::HexBytes(_)) => format!("unhex(r.value->>{at})"),
                _ => format!("r.value->>{at}"),
            });
        }
        let (table, conflict) = (self.table, self.conflict);
        let source = match backend {
            DbBackend::Postgres => format!("jsonb_array_elements(${parameter}::jsonb) as r(value)"),
            _ => format!("json_each(${parameter}) as r"),
        };
        // SQLite takes `on conflict` after a `select` for a join condition unless there is a `where`.
        format!("insert into {table} as t ({names}) select {values} from {source} where true {conflict}")
    }
}
