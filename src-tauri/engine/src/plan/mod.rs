//! Plans as values: validation, state transitions, mutation, runbook import and export. Pure.

pub mod transition;
