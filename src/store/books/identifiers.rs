//! Blocks of identifiers: a process takes many at once from `id_block` and hands them out from memory.

use crate::domain::books::numbers::{IdSequence, Identifiers};
use crate::store::StoreError;
use crate::store::sql::{Unit, params};

/// Ensures that the block of a sequence holds as many identifiers as needed; a block that holds fewer is replaced.
pub(super) async fn reserve(
    identifiers: &mut Identifiers,
    unit: &Unit<'_>,
    sequence: IdSequence,
    needed: i64,
) -> Result<(), StoreError> {
    if identifiers.left(sequence) >= needed {
        return Ok(());
    }
    take_block(identifiers, unit, sequence, sequence.block_for(needed)).await
}

/// Takes new blocks before a group is decided, for the sequences of which the group before used many.
pub(super) async fn take_ahead(identifiers: &mut Identifiers, unit: &Unit<'_>) -> Result<(), StoreError> {
    let used: Vec<_> = identifiers.used().collect();
    for (sequence, used) in used {
        if let Some(size) = sequence.ahead_of(used)
            && identifiers.left(sequence) < used.saturating_add(used / 4)
        {
            take_block(identifiers, unit, sequence, size).await?;
        }
    }
    Ok(())
}

/// Takes a block of identifiers from the database.
async fn take_block(
    identifiers: &mut Identifiers,
    unit: &Unit<'_>,
    sequence: IdSequence,
    size: i64,
) -> Result<(), StoreError> {
    let sql = "update id_block set next = next + $2 where name = $1 returning next";
    let row = unit.one(sql, params![sequence.name(), size]).await?;
    let end: i64 = row.ok_or_else(|| StoreError::corrupt("missing id_block", sequence.name()))?.get(0)?;
    identifiers.replace_block(sequence, end - size, end);
    Ok(())
}
