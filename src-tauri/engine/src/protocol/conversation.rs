use serde::{Deserialize, Serialize};

use super::{Action, AllowedBy, ApprovalId, ExitStatus, MessageId, PlanId, StepId, Time};

/// Rounds of tools that one turn may take (C1).
pub const MAX_ROUNDS: u32 = 25;
/// Times that one request may be re-engaged after a tool failure with a known fallback (A6).
pub const MAX_SELF_CORRECTIONS: u32 = 3;
/// What a call that was interrupted before its answer came back is told to the model as (C4).
pub const INTERRUPTED: &str = "[Request interrupted by user]";
/// The same for a call that never ran.
pub const INTERRUPTED_FOR_TOOL_USE: &str = "[Request interrupted by user for tool use]";

/// What is to be done with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum Route {
    /// Whatever the detection says (P1): a plan or a conversation.
    #[default]
    Auto,
    /// The tool loop.
    Chat,
    /// A plan is made and shown.
    Plan,
    /// A plan is made, to be run in Agentic once it is confirmed.
    Solve,
    /// One command, one shot: a plan of a single step is made and shown.
    Do,
}

/// What the detection found in a message (P1), before any model was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Detection {
    pub score: u32,
    /// The score from which on a plan is made.
    pub threshold: u32,
    pub should_plan: bool,
    pub reasons: Vec<DetectionReason>,
}

/// One thing that speaks for a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct DetectionReason {
    /// For people: "it says \"install\"".
    pub text: String,
    pub points: u32,
}

/// A part of a model's answer, in the order it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum AnswerPart {
    Text {
        text: String,
    },
    /// `signature` is the provider's proof; it goes back to it unchanged.
    Reasoning {
        text: String,
        signature: Option<String>,
    },
    /// Only the provider can read it.
    RedactedReasoning {
        data: String,
    },
    /// Fields of the answer in which its server keeps the reasoning behind its calls, as JSON; they go back to it with the calls,
    /// under the names that they came with.
    Kept {
        fields: String,
    },
    Call {
        /// Ours, unique; the events of the call name it.
        call_id: StepId,
        /// The provider's own name for the call.
        provider_id: String,
        tool: String,
        /// The arguments as JSON text, as the model wrote them.
        input: String,
        /// What the server wrote beside them, as JSON; it goes back with the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        extra: Option<String>,
    },
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum CallOutcome {
    Success,
    /// It ran and failed, or its arguments could not be used.
    Error,
    /// The user or the gate said no.
    Declined,
    /// The turn was stopped before it ended.
    Interrupted,
}

/// What a tool call left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    pub call_id: StepId,
    pub tool: String,
    pub outcome: CallOutcome,
    /// What the model is told; bounded.
    pub content: String,
    /// For people, where it differs from `content`: a command's output with its colours; bounded.
    pub output: Option<String>,
    /// Lines left out of `output` between its head and its tail.
    pub omitted_lines: u32,
    pub exit_status: Option<ExitStatus>,
    pub diffs: Vec<FileDiff>,
    /// At most 500.
    pub files_changed: Vec<String>,
    /// Changed files beyond those.
    #[serde(default)]
    pub more_files_changed: u32,
    pub started_at: Time,
    pub ended_at: Time,
}

/// What a model is told of a call that was stopped.
pub fn interrupted_in_words(ran: bool) -> String {
    if ran {
        format!(
            "{INTERRUPTED}\n\nThe tool was stopped while it ran, so it may have done a part of its work: look before you \
             rely on it. Stop what you are doing and wait for the user's next message."
        )
    } else {
        format!(
            "{INTERRUPTED_FOR_TOOL_USE}\n\nThe user did not want this tool use. It was rejected and did not run: if it was \
             an edit, its new text is not in the file. Stop what you are doing and wait for the user's next message."
        )
    }
}

impl ToolResult {
    /// Of a call that was stopped: `ran` tells whether it had begun, so that it may have done a part of its work.
    pub fn interrupt(call_id: StepId, tool: &str, ran: bool, at: Time) -> Self {
        Self::told(call_id, tool, CallOutcome::Interrupted, interrupted_in_words(ran), at)
    }

    /// Of a call that was answered with words alone.
    pub fn success(call_id: StepId, tool: &str, content: impl Into<String>, at: Time) -> Self {
        Self::told(call_id, tool, CallOutcome::Success, content, at)
    }

    /// Of a call that could not be made, or failed without a process.
    pub fn error(call_id: StepId, tool: &str, content: impl Into<String>, at: Time) -> Self {
        Self::told(call_id, tool, CallOutcome::Error, content, at)
    }

    /// Of a call that came to no effect: `content` is all there is to say.
    pub fn told(
        call_id: StepId,
        tool: &str,
        outcome: CallOutcome,
        content: impl Into<String>,
        at: Time,
    ) -> Self {
        Self {
            call_id,
            tool: tool.to_owned(),
            outcome,
            content: content.into(),
            output: None,
            omitted_lines: 0,
            exit_status: None,
            diffs: Vec::new(),
            files_changed: Vec::new(),
            more_files_changed: 0,
            started_at: at,
            ended_at: at,
        }
    }
}

/// How one text file changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct FileDiff {
    /// Absolute.
    pub path: String,
    /// The file did not exist before.
    pub created: bool,
    /// In the unified form, from its first `@@` line on; bounded.
    pub unified: String,
    pub added: u32,
    pub removed: u32,
}

/// A known way round a tool failure, offered to the model (A6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SelfCorrection {
    pub original_tool: String,
    pub original_error: String,
    pub suggested_approach: String,
    pub fallback_tools: Vec<String>,
}

/// Why a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum TurnEnd {
    Done,
    /// The answer reached the model's length limit.
    MaxTokens,
    /// The provider held the answer back.
    Filtered,
    /// The model would not answer. `why` is what it or its provider says about it; may be empty.
    Refused {
        why: String,
    },
    /// [`MAX_ROUNDS`], or what the settings allow.
    Rounds {
        allowed: u32,
    },
    /// The user stopped it, or said what to do differently.
    Interrupted,
    /// A plan was made and waits for the user.
    PlanProposed {
        plan_id: PlanId,
    },
    /// The model asked something; the next message is the answer.
    Asked,
    /// `autonomousLoop` is off: it waits after each round of tools.
    RoundDone,
    /// The session's cap on tokens or money is reached.
    CapReached,
    /// The model could not answer. `code` is that of the model's error, [`TurnEnd::REFUSED_AGAIN`] or
    /// [`TurnEnd::UNUSABLE_PLAN`].
    Failed {
        code: String,
        message: String,
    },
}

impl TurnEnd {
    /// The code of a turn whose model asked again and again for what was refused.
    pub const REFUSED_AGAIN: &str = "refused-again";
    /// Twice a plan that could not be read.
    pub const UNUSABLE_PLAN: &str = "unusable-plan";
}

/// Where the turn under way stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum TurnPhase {
    /// The model is asked.
    Asking,
    /// Its calls are worked off.
    Tools,
    /// A plan is being made.
    Planning,
}

/// A turn under way: from the user's message to the end of the work on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    pub message_id: MessageId,
    /// From 1; 0 before the model is asked.
    pub round: u32,
    pub phase: TurnPhase,
    pub since: Time,
}

/// The conversation as shown, a fold over the journal. Long ones keep their last entries only; the journal has all.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct Conversation {
    /// Oldest first; at most [`MAX_ENTRIES`].
    pub entries: Vec<ChatEntry>,
    /// Entries before the first one here.
    pub omitted: u32,
    pub turn: Option<Turn>,
}

/// Entries of a conversation that the state holds.
pub const MAX_ENTRIES: usize = 400;

/// One thing in a conversation.
// Most entries are calls: a box for each would save nothing.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ChatEntry {
    User {
        message_id: MessageId,
        text: String,
        /// Never `auto`: what was decided.
        route: Route,
        detection: Option<Detection>,
        at: Time,
    },
    Answer {
        message_id: MessageId,
        round: u32,
        model: String,
        parts: Vec<AnswerPart>,
        /// In the wire's words: "end_turn", "tool_use" …; `None` when the stream broke off.
        stop_reason: Option<String>,
        at: Time,
    },
    /// A tool call; it follows the answer that made it.
    Call { message_id: MessageId, call_id: StepId, tool: String, input: String, state: CallState, at: Time },
    /// A plan was made for this message.
    Plan { message_id: MessageId, plan_id: PlanId, at: Time },
    /// The short account at the end of a turn (C7).
    Ended {
        message_id: MessageId,
        end: TurnEnd,
        /// `synthesis_<message>`.
        #[serde(default)]
        synthesis_id: String,
        /// Made from the results where the model closed without words of its own.
        synthesis: Option<String>,
        at: Time,
    },
    /// A wait for the model, shown while it lasts and kept for the record.
    Retrying { model: String, attempt: u32, allowed: u32, wait_millis: u32, reason: String, at: Time },
    /// A tool failure that the model was sent back with.
    SelfCorrecting { call_id: StepId, attempt: u32, correction: SelfCorrection, at: Time },
    /// Older rounds were condensed to stay within the model's context.
    Summarized { messages: u32, at: Time },
    /// 80 % of a cap is used.
    CapNear { cap: Cap, used: u32, allowed: u32, at: Time },
}

/// Where a call stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum CallState {
    Waiting,
    AwaitingApproval { approval_id: ApprovalId },
    Running { action: Action, cwd: String, allowed_by: AllowedBy, started_at: Time },
    Ended { action: Option<Action>, result: ToolResult },
}

/// What a cap counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum Cap {
    /// Input and output together.
    Tokens,
    /// Millionths of a US dollar.
    Cost,
}

/// A piece of an answer while it comes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum AnswerDelta {
    Text {
        text: String,
    },
    Reasoning {
        text: String,
    },
    /// The model has begun to write a call.
    Call {
        tool: String,
    },
    /// The attempt broke off and is made again: what came of it does not count.
    Restart,
}
