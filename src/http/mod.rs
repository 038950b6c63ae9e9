//! The HTTP layer: one table of routes, one order of checks, one envelope for every failure.

pub mod json_syntax;
