//! Models: decoding, the wire, recovery with a model over HTTP.

mod decode;
mod local;
mod recovery;
mod wire;
