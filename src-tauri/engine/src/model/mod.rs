//! Talking to language models: their wire dialects, their errors told apart, retries, and nothing else. What a model
//! says is data here: nothing in this module runs, approves or shows it. Keys are held as secrets and never printed.

mod asleep;
mod capabilities;
mod connection;
mod controller;
pub mod decode;
mod envelope;
mod environment;
mod error;
mod event;
mod exchange;
mod fitted;
mod http;
mod keys;
mod known;
mod local;
mod meter;
mod provider;
mod request;
mod roles;
mod server;
mod veiled;

pub use capabilities::{Capabilities, found_more};
pub use connection::test_connection;
pub use controller::StreamController;
pub(crate) use decode::read_arguments;
pub use envelope::Envelope;
pub use environment::{from_environment, from_variables, stronger_from_environment, stronger_from_variables};
pub use error::{ModelError, NetworkProblem};
pub use event::{ModelEvent, StopReason, Usage};
pub use exchange::Limits;
pub(crate) use http::problem as network_problem;
pub use keys::{KeyStore, MemoryKeys, checked_key};
pub use local::{discover, provider_for};
pub use meter::{Meter, Notes, usage};
pub use provider::{ModelProvider, ModelStream, Provider, server_of};
pub use request::{Content, ModelMessage, ModelRequest, Role, ToolSpec};
pub use roles::Models;

pub use crate::protocol::ProviderKind;

#[cfg(test)]
mod tests;
