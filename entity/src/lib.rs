//! Database rows.
