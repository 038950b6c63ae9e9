//! Schema steps.
