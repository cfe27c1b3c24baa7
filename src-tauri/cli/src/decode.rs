//! A recorded answer of a model server, decoded as a live one would be.

use planwright_engine::model::decode::{Dialect, Recording};
use planwright_engine::protocol::{EngineError, ErrorCode};
use tokio::io::AsyncReadExt as _;

use crate::args::{Decode, DialectArg};
use crate::exit::{Exit, Stop};
use crate::show;

/// The answer's own errors are part of the result: a stream that broke off is decoded well.
pub(crate) async fn decode(call: Decode) -> Result<Exit, Stop> {
    let mut recording = Recording::new(match call.dialect {
        DialectArg::Anthropic => Dialect::Anthropic,
        DialectArg::Openai => Dialect::OpenAi,
    });
    let mut input = tokio::io::stdin();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = input.read(&mut buffer).await.map_err(|error| {
            EngineError::new(ErrorCode::FileUnreadable, format!("Standard input cannot be read: {error}."))
        })?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
        recording.feed(bytes);
    }
    show::line(&recording.finish())?;
    Ok(Exit::Done)
}
