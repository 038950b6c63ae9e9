//! Settings that live in the database because several processes share them.

use super::reader::Reader;
use super::writer::Writer;
use super::StoreError;

impl Writer {
    /// Stores a value unless there is one; returns the one that counts.
    pub async fn setting_or_insert(&self, name: &str, value: String) -> Result<String, StoreError> {
        todo!()
    }
}

impl Reader {
    /// A value.
    pub async fn setting(&self, name: &str) -> Result<Option<String>, StoreError> {
        todo!()
    }
}
