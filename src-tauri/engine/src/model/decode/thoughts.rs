//! `<think>` in the text of an answer: small servers leave a model's reasoning there. It counts only where nothing was said
//! before it, so an answer about such a mark keeps its words. Some leave out the opening mark, for it stood in the question: then a
//! closing one alone in its line, the first of the answer and in no block of code, says that all before it was thought.

use crate::model::ModelEvent;

const OPENINGS: [&str; 2] = ["<think>", "<thinking>"];
const CLOSINGS: [&str; 2] = ["</think>", "</thinking>"];

/// Takes the reasoning out of a text that comes in pieces.
#[derive(Debug, Default)]
pub(super) struct Thoughts {
    place: Place,
    /// What may be the beginning of a mark, or blanks before one.
    held: String,
    /// Something was thought: blanks behind it are no part of the answer.
    thought: bool,
    said: Said,
}

/// What was said so far, as far as it tells whether a closing mark counts.
#[derive(Debug, Default)]
struct Said {
    /// The line that is not yet at its end.
    line: String,
    in_code: bool,
    /// A mark was there, or none can count any more.
    settled: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing was said yet, or only thought.
    #[default]
    Before,
    Within,
    /// The answer has begun.
    Said,
}

impl Thoughts {
    /// The events with each text told apart. What is no text ends a mark that was only begun, but for counts.
    pub(super) fn sort(&mut self, events: impl IntoIterator<Item = ModelEvent>, out: &mut Vec<ModelEvent>) {
        for event in events {
            match event {
                ModelEvent::Text { text } if self.place == Place::Said && self.said.settled => {
                    out.push(ModelEvent::Text { text });
                }
                ModelEvent::Text { text } => {
                    self.held.push_str(&text);
                    self.read(out);
                }
                ModelEvent::Usage { .. } => out.push(event),
                event => {
                    self.end(false, out);
                    out.push(event);
                }
            }
        }
    }

    /// The text has ended, or is interrupted: what was held back is what it looks like. `cut`: it broke off, so that a mark which
    /// had begun was one.
    pub(super) fn end(&mut self, cut: bool, out: &mut Vec<ModelEvent>) {
        let mut text = std::mem::take(&mut self.held);
        if self.place == Place::Said
            && !self.said.settled
            && !self.said.in_code
            && CLOSINGS.contains(&text.trim())
        {
            self.said.settled = true;
            return out.push(ModelEvent::ThoughtSoFar);
        }
        if self.thought && self.place == Place::Before {
            text = text.trim_start().to_owned();
        }
        if text.is_empty() {
            return;
        }
        out.push(match self.place {
            Place::Within => ModelEvent::Reasoning { text },
            Place::Before if cut => ModelEvent::Reasoning { text },
            Place::Before | Place::Said => ModelEvent::Text { text },
        });
    }

    fn read(&mut self, out: &mut Vec<ModelEvent>) {
        loop {
            match self.place {
                Place::Said => {
                    if self.thought {
                        self.said.settled = true;
                    }
                    if !self.say(out) {
                        return;
                    }
                }
                Place::Before => {
                    let text = self.held.trim_start();
                    if let Some(mark) = OPENINGS.iter().find(|mark| text.starts_with(**mark)) {
                        self.held = text[mark.len()..].to_owned();
                        (self.place, self.thought) = (Place::Within, true);
                    } else if OPENINGS.iter().any(|mark| mark.starts_with(text)) {
                        return;
                    } else {
                        if self.thought {
                            self.held = text.to_owned();
                        }
                        self.place = Place::Said;
                    }
                }
                Place::Within => {
                    let end = CLOSINGS
                        .iter()
                        .filter_map(|mark| self.held.find(mark).map(|at| (at, at + mark.len())))
                        .min();
                    let Some((end, next)) = end else {
                        let kept = self.held.len() - begun(&self.held);
                        let rest = self.held.split_off(kept);
                        self.end(false, out);
                        self.held = rest;
                        return;
                    };
                    let rest = self.held.split_off(next);
                    self.held.truncate(end);
                    self.end(false, out);
                    self.held = rest;
                    self.place = Place::Before;
                }
            }
        }
    }

    /// Passes on what is said, but for a line that may become a closing mark. `true`: one was there, and what comes behind it is
    /// to be read.
    fn say(&mut self, out: &mut Vec<ModelEvent>) -> bool {
        if self.said.settled {
            self.end(false, out);
            return false;
        }
        let mut passed = 0;
        while let Some(end) = self.held[passed..].find('\n') {
            let line = self.said.line.clone() + &self.held[passed..passed + end];
            let behind = passed + end + 1;
            if !self.said.in_code && CLOSINGS.contains(&line.trim()) {
                return self.was_thought(passed, behind, out);
            }
            self.said.in_code ^= line.trim_start().starts_with("```");
            self.said.settled |= OPENINGS.iter().any(|mark| line.contains(mark));
            self.said.line.clear();
            passed = behind;
        }
        let line = self.held[passed..].trim_start();
        let may_be_one =
            self.said.line.is_empty() && CLOSINGS.iter().any(|mark| mark.starts_with(line.trim_end()));
        let kept = if may_be_one { self.held.split_off(passed) } else { String::new() };
        self.said.line.push_str(&self.held[passed.min(self.held.len())..]);
        self.end(false, out);
        self.held = kept;
        false
    }

    fn was_thought(&mut self, from: usize, to: usize, out: &mut Vec<ModelEvent>) -> bool {
        let rest = self.held.split_off(to);
        self.held.truncate(from);
        self.end(false, out);
        out.push(ModelEvent::ThoughtSoFar);
        self.held = rest;
        (self.place, self.thought, self.said.settled) = (Place::Before, true, true);
        true
    }
}

/// How many bytes at the end of a text may be the beginning of a closing mark.
fn begun(text: &str) -> usize {
    let longest = CLOSINGS.iter().map(|mark| mark.len() - 1).max().unwrap_or(0);
    let ends =
        (1..=longest.min(text.len())).rev().filter(|length| text.is_char_boundary(text.len() - length));
    ends.into_iter()
        .find(|length| CLOSINGS.iter().any(|mark| mark.starts_with(&text[text.len() - length..])))
        .unwrap_or(0)
}
