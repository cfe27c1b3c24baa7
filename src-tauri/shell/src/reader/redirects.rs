//! Redirections, with the substitutions in their targets and bodies read.

use brush_parser::ast::{IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, ProcessSubstitutionKind};

use super::place::{Base, Layer};
use super::walk::Walk;
use super::words::Role;
use crate::{Context, Part, Redirect, RedirectKind, Span, Value, Word};

/// What a redirection is of that names no descriptor.
const STDIN: i32 = 0;
const STDOUT: i32 = 1;

impl Walk {
    pub(super) fn redirect(
        &mut self,
        layer: &Layer,
        redirect: &IoRedirect,
        enclosing: Span,
        context: Context,
    ) -> Redirect {
        match redirect {
            IoRedirect::File(fd, kind, target) => {
                let mut target_word = match target {
                    IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word) => {
                        self.word(layer, word, enclosing, context, Role::Argument)
                    }
                    IoFileRedirectTarget::Fd(number) => known(number.to_string(), enclosing),
                    IoFileRedirectTarget::ProcessSubstitution(substitution, subshell) => {
                        self.process_substitution(layer, substitution, subshell, context)
                    }
                };
                let own = if is_of_input(kind) { STDIN } else { STDOUT };
                let kind = match kind {
                    IoFileRedirectKind::Read => RedirectKind::Read,
                    IoFileRedirectKind::Write | IoFileRedirectKind::Clobber => RedirectKind::Write,
                    IoFileRedirectKind::Append => RedirectKind::Append,
                    IoFileRedirectKind::ReadAndWrite => RedirectKind::ReadWrite,
                    IoFileRedirectKind::DuplicateInput => RedirectKind::Duplicate,
                    // `>&` with anything but a descriptor writes a file, or may.
                    IoFileRedirectKind::DuplicateOutput if names_descriptor(&target_word.value) => {
                        RedirectKind::Duplicate
                    }
                    IoFileRedirectKind::DuplicateOutput => RedirectKind::WriteBoth,
                };
                if let Value::Several { .. } = target_word.value {
                    target_word.value = super::words::unknown_whole(&target_word.raw);
                }
                Redirect { kind, fd: fd.unwrap_or(own), target: target_word }
            }
            IoRedirect::OutputAndError(word, append) => Redirect {
                kind: if *append { RedirectKind::AppendBoth } else { RedirectKind::WriteBoth },
                fd: STDOUT,
                target: self.word(layer, word, enclosing, context, Role::Argument),
            },
            IoRedirect::HereString(fd, word) => Redirect {
                kind: RedirectKind::HereString,
                fd: fd.unwrap_or(STDIN),
                target: self.word(layer, word, enclosing, context, Role::Assigned),
            },
            IoRedirect::HereDocument(fd, document) => {
                let text = &document.doc.value;
                let base = self.here_document_base(layer, document, enclosing);
                let span = base.span(0, text.chars().count());
                let value = if document.requires_expansion {
                    self.here_document(text, base, context)
                } else {
                    Value::Known { text: text.clone(), tilde: false }
                };
                let bare = document.requires_expansion && !text.contains('\\');
                let target = Word { raw: text.clone(), value, span, bare };
                Redirect { kind: RedirectKind::HereDocument, fd: fd.unwrap_or(STDIN), target }
            }
        }
    }

    /// The tokenizer counts the end line into the body's place, so only its end is of use, and only if the text there
    /// is the body.
    fn here_document_base(
        &self,
        layer: &Layer,
        document: &brush_parser::ast::IoHereDocument,
        enclosing: Span,
    ) -> Base {
        let length = document.doc.value.chars().count();
        if let Some(location) = &document.doc.loc
            && let Some(start) = (location.start.index..=location.end.index).find(|start| {
                layer.slice(*start, start + length).iter().copied().eq(document.doc.value.chars())
            })
        {
            return layer.base.shift(start);
        }
        Base::Within(enclosing)
    }

    /// `<(…)` or `>(…)` as a word.
    pub(super) fn process_substitution(
        &mut self,
        layer: &Layer,
        kind: &ProcessSubstitutionKind,
        subshell: &brush_parser::ast::SubshellCommand,
        context: Context,
    ) -> Word {
        let (start, end) = (subshell.loc.start.index.saturating_sub(1), subshell.loc.end.index);
        let inner = Context {
            in_substitution: true,
            in_subshell: true,
            piped_into: false,
            piped_from: context.piped_from || matches!(kind, ProcessSubstitutionKind::Write),
            ..context
        };
        self.list(layer, &subshell.list, inner);
        Word {
            raw: layer.slice(start, end).iter().collect(),
            value: Value::Unknown { parts: vec![Part::Substitution] },
            span: layer.base.span(start, end),
            bare: true,
        }
    }
}

pub(super) fn known(text: String, span: Span) -> Word {
    Word { raw: text.clone(), value: Value::Known { text, tilde: false }, span, bare: true }
}

/// Whether it is the input's, unless it names another descriptor.
pub(super) fn is_of_input(kind: &IoFileRedirectKind) -> bool {
    match kind {
        IoFileRedirectKind::Read | IoFileRedirectKind::ReadAndWrite | IoFileRedirectKind::DuplicateInput => {
            true
        }
        IoFileRedirectKind::Write
        | IoFileRedirectKind::Clobber
        | IoFileRedirectKind::Append
        | IoFileRedirectKind::DuplicateOutput => false,
    }
}

/// `2`, `-`, `2-`
fn names_descriptor(value: &Value) -> bool {
    match value {
        Value::Known { text, .. } => {
            let digits = text.strip_suffix('-').unwrap_or(text);
            digits.chars().all(|c| c.is_ascii_digit()) && !text.is_empty()
        }
        Value::Several { .. } | Value::Glob { .. } | Value::Unknown { .. } => false,
    }
}
