//! A person at a terminal: what they say to a card, and to a question. Anything that is not clearly a yes is a no.

use std::io::IsTerminal as _;

use planwright_engine::protocol::{Approval, ApprovalAnswer, EngineError, Proposer};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines, Stdin};

use crate::record::unread_input;
use crate::show;

/// Whether somebody sits at both ends of this program.
pub(crate) fn is_one() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// The lines that a person types. One for the whole program: a second reader would lose what the first has read ahead.
pub(crate) struct Terminal {
    lines: Lines<BufReader<Stdin>>,
}

/// What is said to a step that waits.
pub(crate) enum Release {
    Yes,
    Skip,
    NotNow,
}

impl Terminal {
    pub(crate) fn open() -> Self {
        Self { lines: BufReader::new(tokio::io::stdin()).lines() }
    }

    /// The next line; `None` at the end of the input.
    pub(crate) async fn line(&mut self) -> Result<Option<String>, EngineError> {
        self.lines.next_line().await.map_err(|error| unread_input(&error))
    }

    pub(crate) async fn says_yes(&mut self) -> Result<bool, EngineError> {
        let line = self.line().await?.unwrap_or_default();
        Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
    }

    /// What they say to a step that waits for their word that it is done, or may run.
    pub(crate) async fn releases(&mut self, by_hand: bool) -> Result<Release, EngineError> {
        let question = if by_hand { "Is it done?" } else { "Run it?" };
        show::prompt(&format!("     {question} y(es), n(ot now), s(kip): "));
        let line = self.line().await?.unwrap_or_default();
        Ok(match line.trim().to_lowercase().as_str() {
            "y" | "yes" => Release::Yes,
            "s" | "skip" => Release::Skip,
            _ => Release::NotNow,
        })
    }

    /// What they say to a question that stands on the screen already. A program that cannot do without a keyboard is given
    /// theirs, or does not run; one that asks is given it, too.
    pub(crate) async fn answer(&mut self, approval: &Approval) -> Result<ApprovalAnswer, EngineError> {
        let in_words = match &approval.proposer {
            Proposer::Chat { .. } => ", or say what to do instead",
            Proposer::Plan | Proposer::Agent { .. } | Proposer::User => "",
        };
        let question =
            if approval.terminal { "Run it here, with you at its keyboard?" } else { "Allow it once?" };
        show::prompt(&format!("     {question} y(es), n(o), never{in_words}: "));
        let line = self.line().await?.unwrap_or_default();
        let line = line.trim();
        Ok(match line.to_lowercase().as_str() {
            "y" | "yes" if approval.terminal => ApprovalAnswer::InTerminal,
            "y" | "yes" => ApprovalAnswer::AllowOnce { edited_command: None },
            "never" => ApprovalAnswer::Never,
            "" | "n" | "no" => ApprovalAnswer::NotNow,
            _ if in_words.is_empty() => ApprovalAnswer::NotNow,
            _ => ApprovalAnswer::Instead { guidance: line.to_owned() },
        })
    }
}
