//! A conversation as a person reads it: the model's words as they come, each call as a line, what it printed below.

use std::io::{self, Write as _};

use planwright_engine::protocol::{
    Action, AnswerDelta, AnswerPart, CallOutcome, Cap, InstructionFile, Instructions, InstructionsUse,
    ToolResult, TurnEnd,
};

use super::{ASKS, BAD, BOLD, DIM, GOOD, INDENT, MENDS, Screen};
use crate::{show, words};

/// The arguments of `ask_user`.
#[derive(Debug, serde::Deserialize)]
struct Question {
    question: String,
    #[serde(default)]
    options: Vec<String>,
}

impl Screen {
    /// Pieces of an answer. Reasoning is not shown: what counts is said.
    pub(crate) fn answer(&mut self, deltas: &[AnswerDelta]) -> io::Result<()> {
        for delta in deltas {
            match delta {
                AnswerDelta::Text { text } => {
                    let shown: Vec<String> = text.split('\n').map(words::harmless).collect();
                    write!(self.out, "{}", shown.join("\n"))?;
                    self.at_line_start = text.ends_with('\n');
                }
                AnswerDelta::Restart => {
                    self.fresh_line()?;
                    self.note(ASKS, "again", "the answer above broke off and is begun anew")?;
                }
                AnswerDelta::Reasoning { .. } | AnswerDelta::Call { .. } => {}
            }
        }
        self.out.flush()
    }

    pub(super) fn call_started(&mut self, action: &Action) -> io::Result<()> {
        match action {
            Action::Shell { command } => {
                for (nth, line) in command.lines().enumerate() {
                    let prompt = if nth == 0 { '$' } else { '>' };
                    writeln!(self.out, "{INDENT}{BOLD}{prompt} {}{BOLD:#}", words::harmless(line))?;
                }
                Ok(())
            }
            Action::Tool { command, .. } | Action::Manual { instruction: command } => {
                writeln!(self.out, "{INDENT}{BOLD}{}{BOLD:#}", words::one_line(command))
            }
        }
    }

    pub(super) fn call_finished(&mut self, result: &ToolResult) -> io::Result<()> {
        for diff in &result.diffs {
            writeln!(
                self.out,
                "{INDENT}{} {GOOD}+{}{GOOD:#} {BAD}-{}{BAD:#}",
                words::one_line(&diff.path),
                diff.added,
                diff.removed
            )?;
        }
        let first = result.content.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        match result.outcome {
            CallOutcome::Success => Ok(()),
            CallOutcome::Error => self.note(BAD, "failed", first),
            CallOutcome::Declined => self.note(BAD, "not allowed", first),
            CallOutcome::Interrupted => self.note(ASKS, "stopped", ""),
        }
    }

    /// What the model asks the user: the words stand in its call.
    pub(super) fn questions(&mut self, parts: &[AnswerPart]) -> io::Result<()> {
        for part in parts {
            let AnswerPart::Call { tool, input, .. } = part else { continue };
            let Ok(asked) = serde_json::from_str::<Question>(input) else { continue };
            if tool == "ask_user" {
                writeln!(self.out, "{ASKS}?{ASKS:#} {}", words::lines(&asked.question))?;
                for (nth, option) in asked.options.iter().enumerate() {
                    writeln!(self.out, "  {}. {}", nth + 1, words::one_line(option))?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn turn_ended(&mut self, end: &TurnEnd, synthesis: Option<&String>) -> io::Result<()> {
        if let Some(text) = synthesis {
            writeln!(self.out, "{DIM}{}{DIM:#}", words::lines(text))?;
        }
        match end {
            TurnEnd::Done | TurnEnd::PlanProposed { .. } | TurnEnd::Asked => Ok(()),
            TurnEnd::MaxTokens => self.note(ASKS, "cut off", "the answer reached the model's length limit"),
            TurnEnd::Filtered => self.note(ASKS, "held back", "the provider held the answer back"),
            TurnEnd::Refused { why } => {
                self.note(ASKS, "refused", &format!("the model would not answer. {why}"))
            }
            TurnEnd::Rounds { allowed } => {
                self.note(ASKS, "stopped", &format!("after {allowed} rounds; say \"go on\" to continue"))
            }
            TurnEnd::Interrupted => self.note(ASKS, "stopped", ""),
            TurnEnd::RoundDone => self.note(DIM, "waits", "say \"go on\" to continue"),
            TurnEnd::CapReached => {
                self.note(ASKS, "stopped", "the session's cap on tokens or money is reached")
            }
            TurnEnd::Failed { code, message } => {
                self.note(BAD, "failed", message)?;
                show::about(code).map_or(Ok(()), |more| self.note(DIM, "", &more))
            }
        }
    }

    /// Each folder's instructions, with what becomes of them.
    pub(super) fn instructions(&mut self, found: &[Instructions]) -> io::Result<()> {
        for Instructions { folder, files, changed, reading, .. } in found {
            let named = |file: &InstructionFile| match file.cut {
                true => format!("{} (the beginning of its {})", file.name, words::size(file.bytes / 1024)),
                false => file.name.clone(),
            };
            let names: Vec<String> = files.iter().map(named).collect();
            let names = format!("{} in {}", names.join(", "), words::harmless(folder));
            match reading {
                InstructionsUse::Read => self.note(DIM, "read", &names)?,
                InstructionsUse::Left => {
                    self.note(DIM, "not read", &format!("{names} (--instructions reads them to the model)"))?
                }
                InstructionsUse::Asked => {
                    let changed = if *changed { "changed: " } else { "" };
                    self.note(ASKS, "asks", &format!("{changed}{names}"))?;
                    for file in files {
                        for line in file.text.lines() {
                            writeln!(self.out, "     {DIM}{}{DIM:#}", words::harmless(line))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn cap_near(&mut self, cap: Cap, used: u32, allowed: u32) -> io::Result<()> {
        let text = match cap {
            Cap::Tokens => format!("{used} of {allowed} tokens are used"),
            Cap::Cost => {
                let dollars = |micros: u32| f64::from(micros) / 1_000_000.0;
                format!("${:.2} of ${:.2} are used", dollars(used), dollars(allowed))
            }
        };
        self.note(ASKS, "cap", &text)
    }

    pub(super) fn self_correcting(&mut self, approach: &str) -> io::Result<()> {
        self.note(MENDS, "instead", approach)
    }
}
