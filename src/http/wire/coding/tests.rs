//! Tests of the wire format of coding jobs.
