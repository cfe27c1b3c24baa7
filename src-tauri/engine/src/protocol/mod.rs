//! Plain wire data: what the window, the headless program and the journal see. No behaviour beyond constructors and
//! small accessors; no I/O. Fields are camelCase, unions are `{ "type": "kebab-case", … }`, counts are `u32`,
//! times are RFC 3339, ids are strings. No 64-bit integer crosses the boundary.

mod approval;
mod conversation;
mod correction;
mod error;
mod event;
mod explanation;
mod forecast;
mod goal;
mod goal_state;
mod ids;
mod keyboard;
mod model;
mod output;
mod plan;
mod result;
mod risk;
mod secret;
mod service;
mod session;
mod settings;
mod shell_state;
mod storage;
mod sub_goal;
mod terminal;
mod text;
mod tool;
mod undo;

pub use approval::*;
pub use conversation::*;
pub use correction::*;
pub use error::*;
pub use event::*;
pub use explanation::*;
pub use forecast::*;
pub use goal::*;
pub use goal_state::*;
pub use ids::*;
pub use keyboard::*;
pub use model::*;
pub use output::*;
pub use plan::*;
pub use result::*;
pub use risk::*;
pub use secret::*;
pub use service::*;
pub use session::*;
pub use settings::*;
pub use shell_state::*;
pub use storage::*;
pub use sub_goal::*;
pub use terminal::*;
pub use text::*;
pub use tool::*;
pub use undo::*;
