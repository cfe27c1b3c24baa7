//! What site generators add to Markdown, line by line: it becomes containers, and the lines go from what the parser sees.

use std::ops::Range;

use crate::builder::Builder;
use crate::view::View;

#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) view: View,
}

pub(super) fn prepare(text: &str, body: Range<usize>) -> Prepared {
    let mut view = View::with_capacity(body.len());
    view.copy(&text[body.clone()], body.start);
    Prepared { view }
}

impl Prepared {
    pub(super) fn settle(&self, _builder: &mut Builder) {}
}
