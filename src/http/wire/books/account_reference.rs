//! Reading the account that a body names: by its id or by its code.

use crate::domain::ids::AccountId;
use crate::domain::ledger::chart::AccountReference;
use crate::http::wire::strict::{FieldPath, Reading, StrictReader};

/// The longest code of an account.
pub const CODE_CHARS_MAX: usize = 20;
/// What is wrong with both keys or neither, where an account has to be named.
pub const EXACTLY_ONE: &str = "exactly one of account_id and account_code is required";
/// What is wrong with both keys, where an account may be named.
pub const ONE_AT_MOST: &str = "only one of account_id and account_code may be given";

/// The two keys that name an account, as given; null is the same as leaving a key out.
#[derive(Default)]
pub(super) struct AccountRead {
    named: Option<AccountReference>,
    keys_given: u8,
}

impl AccountRead {
    /// Reads the key with the id.
    pub(super) fn id(&mut self, reader: &mut StrictReader<'_>, path: FieldPath<'_>) -> Reading<()> {
        if !reader.is_null()? {
            self.keys_given += 1;
            self.named = reader.id(path)?.map(|id| AccountReference::Id(AccountId(id)));
        }
        Ok(())
    }

    /// Reads the key with the code.
    pub(super) fn code(&mut self, reader: &mut StrictReader<'_>, path: FieldPath<'_>) -> Reading<()> {
        if !reader.is_null()? {
            self.keys_given += 1;
            let code = reader.text(path, 1..=CODE_CHARS_MAX)?;
            self.named = code.map(|code| AccountReference::Code(code.into_owned()));
        }
        Ok(())
    }

    /// Whether both keys are given.
    pub(super) const fn is_ambiguous(&self) -> bool {
        self.keys_given > 1
    }

    /// The account, if one is named; `path` is that of the object with the keys.
    pub(super) fn optional(self, reader: &mut StrictReader<'_>, path: FieldPath<'_>) -> Option<AccountReference> {
        if self.is_ambiguous() {
            reader.problem(path.field("account_id"), ONE_AT_MOST);
        }
        self.named
    }

    /// The account, which has to be named.
    pub(super) fn required(self, reader: &mut StrictReader<'_>, path: FieldPath<'_>) -> Option<AccountReference> {
        if self.keys_given != 1 {
            reader.problem(path.field("account_id"), EXACTLY_ONE);
        }
        self.named
    }

    /// The account as it could be read.
    pub(super) fn named(self) -> Option<AccountReference> {
        self.named
    }
}
