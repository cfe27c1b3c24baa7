//! A page of text in any form becomes one kind of [`Document`]: sections with their headings, and in them blocks in order, each
//! with its byte range in the source.
//!
//! One reader a form stands behind [`Document::read`]. Reading never fails: what cannot be understood is prose. This crate must
//! never know a shell, a plan or the machine; what a block is *for* is decided elsewhere.

mod asciidoc;
mod builder;
mod decode;
mod document;
mod form;
mod front_matter;
mod html;
mod inlines;
mod lines;
mod markdown;
mod org;
mod plain;
mod rst;
mod spans;
mod verbatim;
mod view;
mod words;

pub use document::{
    Block, BlockKind, Cell, Code, CodeStyle, Container, Document, Encoding, Form, FrontMatter, Heading,
    Inline, InlineKind, Section,
};

#[cfg(test)]
mod tests;
