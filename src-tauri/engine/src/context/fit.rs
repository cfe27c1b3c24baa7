//! What is done before a request is sent, so that the model has room for it: whatever is tried, it comes to an end. A result that
//! is too large is cut, the oldest rounds give way to a summary, all results are cut further, and then it is said what does not fit.

use super::compaction::{Shortening, shorten, tokens_of};
use super::transcript::{Said, Transcript};
use crate::model::ModelRequest;
use crate::protocol::AnswerPart;

/// Room that is taken for granted where nobody says how large it is, in tokens.
const UNKNOWN_ROOM: u32 = 32_000;
/// Summaries before one request.
const SUMMARIES: u32 = 4;
/// Times that a server may refuse one request as too long.
const REFUSALS: u32 = 3;
/// A result is not cut below this, in bytes.
const LEAST_RESULT: usize = 1024;
/// An answer that has less room is not worth asking for, in tokens.
const LEAST_ANSWER: u32 = 512;

/// What is to be done next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fit {
    /// It fits, with so long an answer.
    Send {
        max_tokens: u32,
    },
    Condense(Shortening),
    /// Results are held to less now: the request is to be made anew.
    Cut,
    /// What does not fit, in words.
    TooMuch(String),
}

/// The way of one request to a size that fits.
#[derive(Debug)]
pub struct Fitting {
    room: Option<u32>,
    answer: u32,
    result: usize,
    summaries: u32,
    /// The size before the last summary.
    before: Option<u32>,
    refusals: u32,
    refused: bool,
}

impl Fitting {
    /// `room` as far as it is known, and the longest answer; both in tokens.
    pub fn new(room: Option<u32>, answer: u32) -> Self {
        let mut fitting =
            Self { room, answer, result: 0, summaries: 0, before: None, refusals: 0, refused: false };
        // A quarter of what there is, at four bytes a token.
        fitting.result = (fitting.comfortable() as usize).max(LEAST_RESULT);
        fitting
    }

    /// Most of one result that is sent, in bytes.
    pub fn longest_result(&self) -> usize {
        self.result
    }

    /// Most of the question for a summary, in characters.
    pub fn longest_question(&self) -> usize {
        self.comfortable() as usize * 3
    }

    /// The server found the request too long, whatever was thought of it. `false`: it is not tried again.
    pub fn is_refused(&mut self) -> bool {
        self.refusals += 1;
        self.refused = true;
        self.refusals < REFUSALS
    }

    pub fn next(&mut self, transcript: &Transcript, request: &ModelRequest) -> Fit {
        let tokens = tokens_of(transcript, request);
        if tokens <= self.comfortable() && !self.refused {
            return self.send(tokens);
        }
        // A summary that freed nothing would free nothing again.
        let freed = self.before.is_none_or(|before| tokens < before - before / 16);
        if freed
            && self.summaries < SUMMARIES
            && let Some(shortening) = shorten(transcript, tokens, self.comfortable() / 2)
        {
            self.summaries += 1;
            self.before = Some(tokens);
            self.refused = false;
            return Fit::Condense(shortening);
        }
        if self.result > LEAST_RESULT && transcript.longest_result() > LEAST_RESULT {
            self.result = (self.result / 2).max(LEAST_RESULT);
            self.refused = false;
            return Fit::Cut;
        }
        let fits = self.room.is_none_or(|room| tokens <= room.saturating_sub(LEAST_ANSWER.min(room / 4)));
        if fits && !self.refused {
            return self.send(tokens);
        }
        Fit::TooMuch(too_much(transcript, request, tokens, self.room))
    }

    /// What the answer may take is not free, and estimates are rough.
    fn comfortable(&self) -> u32 {
        let room = self.room.unwrap_or(UNKNOWN_ROOM);
        room.saturating_sub(self.answer.min(room / 2)) / 10 * 9
    }

    fn send(&self, tokens: u32) -> Fit {
        let left = self.room.map(|room| room.saturating_sub(tokens).max(LEAST_ANSWER.min(room / 4)));
        Fit::Send { max_tokens: left.map_or(self.answer, |left| left.min(self.answer)) }
    }
}

fn too_much(transcript: &Transcript, request: &ModelRequest, tokens: u32, room: Option<u32>) -> String {
    let estimate = |bytes: usize| u32::try_from(bytes / 4).unwrap_or(u32::MAX);
    let message = transcript.said().iter().rev().find_map(|said| match said {
        Said::User { text, .. } => Some(estimate(text.len())),
        Said::Summary(_) | Said::Answer { .. } | Said::Interrupted | Said::Proposed(_) => None,
    });
    let (message, fixed) = (message.unwrap_or(0), super::compaction::fixed_tokens(request));
    let calls = transcript.said().iter().flat_map(|said| match said {
        Said::Answer { parts, .. } => parts.as_slice(),
        Said::Summary(_) | Said::User { .. } | Said::Interrupted | Said::Proposed(_) => &[],
    });
    let calls = calls.filter(|part| matches!(part, AnswerPart::Call { .. })).count();
    let rest = tokens.saturating_sub(message.saturating_add(fixed));
    let rest_of = if calls > 0 { "answers, calls and results" } else { "the rest of the conversation" };
    let room = room
        .map_or("its server found it too long".to_owned(), |room| format!("it has room for {room} tokens"));
    format!(
        "{room}, and this comes to about {tokens}: {fixed} of instructions and tools, {message} of \
your message, {rest} of {rest_of}."
    )
}
