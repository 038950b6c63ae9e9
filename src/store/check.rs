//! Re-derives everything that is derived and compares (`bookkeeping check`).

use super::reader::Reader;
use super::StoreError;

impl Reader {
    /// Every difference found, in words; empty when all is well. Reads one snapshot.
    pub async fn check(&self) -> Result<Vec<String>, StoreError> {
        todo!()
    }
}
