//! Shared by the behaviour tests: a temporary home, a scripted brain, an engine to drive.
