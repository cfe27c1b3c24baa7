//! What an assessment gathers: reasons, effects, and whether it can be taken back.

use std::collections::HashSet;
use std::path::Path;

use planwright_shell::Span;

use super::floor::{self, Floor};
use super::place::Place;
use super::source::Source;
use crate::protocol::{Assessment, Effects, Risk, RiskReason, UndoOutlook};

/// Reasons of one risk that are kept: more than anybody reads.
const MOST_REASONS: usize = 128;
/// Files that are named. A text that touches more does something that cannot be told by naming files.
const MOST_TOUCHED: usize = 4096;

#[derive(Debug)]
pub(super) struct Findings<'a> {
    source: Source<'a>,
    reasons: Vec<RiskReason>,
    outlooks: Vec<UndoOutlook>,
    pub(super) effects: Effects,
    /// The files in `effects`, for finding one.
    touched: HashSet<String>,
    /// Something is done that is not done to a file that can be named.
    pub(super) more_than_files: bool,
    /// Strictest since it was last set to `safe`: the risk of the command being looked at.
    pub(super) here: Risk,
    /// Where secrets are read.
    pub(super) secrets: Vec<Span>,
    /// What the command prints goes to a model.
    pub(super) told_to_model: bool,
    /// How many keys and passwords outside the workspace are read.
    pub(super) keys: usize,
}

impl<'a> Findings<'a> {
    pub(super) fn of(source: Source<'a>) -> Self {
        Self {
            source,
            reasons: Vec::new(),
            outlooks: Vec::new(),
            effects: Effects::default(),
            touched: HashSet::new(),
            more_than_files: false,
            here: Risk::Safe,
            secrets: Vec::new(),
            told_to_model: false,
            keys: 0,
        }
    }

    /// Begins with nothing found; returns what was found so far.
    pub(super) fn set_aside(&mut self) -> Self {
        let fresh = Self::of(self.source.clone());
        std::mem::replace(self, fresh)
    }

    /// Notes a reason; one for `safe` is nothing to speak of.
    pub(super) fn add(&mut self, risk: Risk, text: impl Into<String>, span: Span) {
        if risk == Risk::Safe {
            return;
        }
        self.here = self.here.max(risk);
        let (text, fragment) = (text.into(), self.source.slice(span));
        let start = (!fragment.is_empty() && self.source.is_own(span.start)).then_some(span.start);
        let of_risk = || self.reasons.iter().filter(|reason| reason.risk == risk);
        let is_there =
            of_risk().any(|known| known.start == start && known.text == text && known.fragment == fragment);
        if !is_there && of_risk().count() < MOST_REASONS {
            self.reasons.push(RiskReason { risk, text, start, source: None, fragment: fragment.to_owned() });
        }
    }

    /// Notes what no answer may allow, with the way out.
    pub(super) fn block(&mut self, floor: Floor, span: Span) {
        self.add(Risk::Blocked, floor.reason(), span);
    }

    /// Notes that `path`, which lies in `place`, is written.
    pub(super) fn write(&mut self, path: &Path, place: Place, span: Span) {
        floor::kernel(self, path, span);
        if floor::runs_for_kernel(path) {
            self.add(Risk::Dangerous, "names a program that the kernel runs with all rights", span);
        }
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(|name| name.len() > 1 && name.starts_with('-')) {
            self.add(Risk::Dangerous, "makes a file whose name other programs take for an option", span);
        }
        match place {
            Place::Disk => self.block(Floor::Disk, span),
            Place::Nowhere
            | Place::Workspace
            | Place::Guarded
            | Place::Temporary
            | Place::Home
            | Place::Hidden
            | Place::OtherHome
            | Place::Mounted
            | Place::System
            | Place::Spare
            | Place::Device
            | Place::Connection
            | Place::Outside => {
                let (risk, text) = place.writing();
                self.add(risk, text, span);
            }
        }
        self.effects.writes_outside |= place.is_outside();
        if place != Place::Nowhere {
            self.touch(path);
        }
    }

    pub(super) fn fragment(&self, span: Span) -> &'a str {
        self.source.slice(span)
    }

    /// Where `text` itself stands, as it is: in `span`, or else anywhere.
    pub(super) fn place_of(&self, text: &str, span: Span) -> Option<Span> {
        self.source.place_of(text, span)
    }

    /// What stands behind `place`.
    pub(super) fn after(&self, place: u32) -> &'a str {
        self.source.after(place)
    }

    pub(super) fn touch(&mut self, path: &Path) {
        let path = path.to_string_lossy();
        if self.touched.contains(path.as_ref()) {
            return;
        }
        if self.touched.len() == MOST_TOUCHED {
            self.more_than_files = true;
            return;
        }
        self.touched.insert(path.clone().into_owned());
        self.effects.touches.push(path.into_owned());
    }

    pub(super) fn outlook(&mut self, outlook: UndoOutlook) {
        if !self.outlooks.contains(&outlook) {
            self.outlooks.push(outlook);
        }
    }

    pub(super) fn finish(mut self) -> Assessment {
        let leak = if self.effects.uses_network {
            Some("reads a password or key while something here uses the network")
        } else if self.told_to_model {
            Some("reads a password or key, and what it prints goes to the model")
        } else {
            None
        };
        if let Some(leak) = leak {
            for span in std::mem::take(&mut self.secrets) {
                self.add(Risk::Dangerous, leak, span);
            }
        }
        self.reasons.sort_by_key(|reason| (std::cmp::Reverse(reason.risk), reason.start));
        let risk = self.reasons.first().map_or(Risk::Safe, |reason| reason.risk);
        self.effects.only_files = !self.more_than_files && !self.effects.touches.is_empty();
        Assessment {
            risk,
            reasons: self.reasons,
            effects: self.effects,
            undo: together(risk, self.outlooks),
            keyboard: None,
        }
    }
}

/// The outlook of the whole, from those of its commands that change something.
fn together(risk: Risk, outlooks: Vec<UndoOutlook>) -> UndoOutlook {
    if risk == Risk::Safe {
        return UndoOutlook::NotNeeded;
    }
    let mut hows = Vec::new();
    let mut whys = Vec::new();
    let mut partly = false;
    for outlook in outlooks {
        match outlook {
            UndoOutlook::NotNeeded | UndoOutlook::Kept => {}
            UndoOutlook::ByHand { how } => hows.push(how),
            UndoOutlook::Partly { how } => {
                partly = true;
                hows.push(how);
            }
            UndoOutlook::Cannot { why } => whys.push(why),
        }
    }
    // What was done last is undone first.
    hows.reverse();
    let how = hows.join("; then ");
    match (hows.is_empty(), whys.is_empty()) {
        (true, true) => UndoOutlook::Cannot { why: "what it changes is not known".into() },
        (true, false) => UndoOutlook::Cannot { why: whys.join("; ") },
        (false, false) => UndoOutlook::Partly { how: format!("{how}; but {}", whys.join("; ")) },
        (false, true) if partly => UndoOutlook::Partly { how },
        (false, true) => UndoOutlook::ByHand { how },
    }
}
