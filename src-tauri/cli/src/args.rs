use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use planwright_engine::engine::PlanFormat;
use planwright_engine::policy::Manual;
use planwright_engine::protocol::{Mode, ModelRole, OnFailure};

/// Turns a page of instructions into a plan, runs it, and mends it when a step fails.
///
/// The data folder is PLANWRIGHT_HOME, or the platform's. With nobody to ask, a question is a no unless --policy
/// grants it. Exit status: 0 done, 1 failed, 2 bad arguments or input, 3 an approval was refused or nobody could give
/// it, or a step is to be done by hand first, 4 out of budget, 5 no usable model, 130 cancelled.
///
/// A model is asked when --provider or PLANWRIGHT_PROVIDER (openai, anthropic, moonshot, local) names one, with
/// PLANWRIGHT_API_KEY, --model or PLANWRIGHT_MODEL, and --base-url or PLANWRIGHT_BASE_URL. Without one, pages and
/// scripts run all the same and the field guide alone mends.
#[derive(Debug, Parser)]
#[command(name = "planwright-cli", version)]
pub(crate) struct Args {
    /// JSON Lines on stdout, one object a line.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(subcommand)]
    pub(crate) call: Call,
}

/// Which model to ask; each goes before its variable. The key comes from PLANWRIGHT_API_KEY alone: an argument could be
/// read by every other user of the machine.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct ModelArgs {
    /// openai, anthropic, moonshot or local.
    #[arg(long, global = true)]
    pub(crate) provider: Option<String>,
    /// The model's name.
    #[arg(long, global = true)]
    pub(crate) model: Option<String>,
    /// The server's address, such as http://127.0.0.1:8080/v1.
    #[arg(long, global = true)]
    pub(crate) base_url: Option<String>,
    /// Read AGENTS.md, CLAUDE.md and GEMINI.md of the project and the home folder to the model, unasked.
    #[arg(long, global = true)]
    pub(crate) instructions: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Call {
    /// Run a plan (JSON) or a runbook (Markdown, shell); `-` is standard input.
    Run(Run),
    /// Go on with a session that was paused, interrupted or stopped.
    Resume(Resume),
    /// One command for a request, in words: shown, judged, run.
    Do(Do),
    /// Talk with an agent that has tools. Without a message: line by line at a terminal; from a pipe, all of it is one message.
    Chat(Chat),
    /// Work towards a goal, in words, until it is reached, stuck or out of budget.
    Agent(Agent),
    /// Make a plan for a request, and show it.
    Plan(MakePlan),
    /// Make a plan of a runbook, and show it.
    Import(Import),
    /// Say what a reader of a page would stumble over, and run nothing. Exit status 1 when something was found.
    Check(Check),
    /// Show what a session's run mended, as a change of its page; with --write, write it.
    Mend(Mend),
    /// Write a session's plan as a script, a runbook or JSON.
    Export(Export),
    /// List the sessions.
    Sessions(Sessions),
    /// Print a session's report, as Markdown or as an HTML page.
    Report(Report),
    /// Print what was done in figures: completion rates, what mended, answers, stops, time, tokens and money.
    Metrics(Metrics),
    /// Put back what a session's last run, or one step, did to files.
    Undo(Undo),
    /// Read `{"command", "cwd"?}` a line; write the risk and its reasons a line.
    Assess,
    /// Read `{"command", "exitCode", "stdout", "stderr", "cwd"?}` a line; write the field guide's correction a line.
    Diagnose,
    /// List the rules of the field guide, the user's own first, and what came of them here; or forget that.
    Rules(Rules),
    /// Take a command apart, without running it.
    Explain(Explain),
    /// What an error's code means and what to do; without a code all that can go wrong.
    Trouble { code: Option<String> },
    /// Print the JSON schema of what a model is asked for.
    Schema(Schema),
    /// Read a model server's recorded answer (raw SSE) from standard input; write what it says as JSON.
    Decode(Decode),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Rules {
    /// Only those with this in their name or title.
    pub(crate) search: Option<String>,
    /// Only those that were tried here.
    #[arg(long)]
    pub(crate) used: bool,
    /// Forget what came of this rule.
    #[arg(long, value_name = "RULE", conflicts_with = "forget_all")]
    pub(crate) forget: Option<String>,
    /// Forget what came of all rules, and which of several commands was chosen.
    #[arg(long)]
    pub(crate) forget_all: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Run {
    /// A file, an address (https://…), or `-`.
    pub(crate) file: PathBuf,
    #[arg(long)]
    pub(crate) mode: Option<ModeArg>,
    /// The folder to work in; the current one by default.
    #[arg(long)]
    pub(crate) cwd: Option<PathBuf>,
    /// What may be approved with nobody to ask (TOML).
    #[arg(long)]
    pub(crate) policy: Option<PathBuf>,
    /// What becomes of a step that is done by hand; `resume` says that it is done. A policy may say it, too.
    #[arg(long)]
    pub(crate) manual: Option<ManualArg>,
    /// What a failed step does to a run that does not mend itself.
    #[arg(long)]
    pub(crate) on_failure: Option<OnFailureArg>,
    #[command(flatten)]
    pub(crate) ways: Ways,
    #[command(flatten)]
    pub(crate) inputs: Inputs,
}

/// Which of the ways that a page shows to take, where another one is to be taken than the machine decides.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct Ways {
    /// A way of one of the page's choices; may be given several times.
    #[arg(long = "choose", value_name = "NAME=WAY")]
    pub(crate) chosen: Vec<String>,
    /// Have the model that is set up sort the page: which parts of it are steps, and what it leaves open.
    #[arg(long)]
    pub(crate) sort: bool,
}

/// What a plan asks for. A variable of the environment with the name of an input is its value, too.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct Inputs {
    /// A value for what the plan asks for; may be given several times.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) input: Vec<String>,
    /// A file with one NAME=VALUE a line.
    #[arg(long, value_name = "FILE")]
    pub(crate) input_file: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Do {
    pub(crate) request: String,
    /// The folder to work in; the current one by default.
    #[arg(long)]
    pub(crate) cwd: Option<PathBuf>,
    /// What may be approved with nobody to ask (TOML).
    #[arg(long)]
    pub(crate) policy: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Chat {
    pub(crate) message: Option<String>,
    /// Go on with a session: its id, its beginning, or "last".
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Rounds of tools that one message may take; 25 unless the settings say otherwise.
    #[arg(long)]
    pub(crate) max_rounds: Option<u32>,
    /// The folder to work in; the current one by default.
    #[arg(long, conflicts_with = "session")]
    pub(crate) cwd: Option<PathBuf>,
    /// What may be approved with nobody to ask (TOML).
    #[arg(long)]
    pub(crate) policy: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Agent {
    pub(crate) goal: String,
    /// What is worth knowing about it.
    #[arg(long)]
    pub(crate) context: Option<String>,
    /// A command that must end with status 0 before the goal counts as reached.
    #[arg(long)]
    pub(crate) verify: Option<String>,
    /// The model that works on it: the main one, or the stronger one of the settings or of PLANWRIGHT_STRONGER_PROVIDER,
    /// _MODEL, _BASE_URL and _API_KEY. PLANWRIGHT_STRONGER_MODEL alone means the main model's provider.
    #[arg(long, default_value = "main")]
    pub(crate) model_backend: ModelBackend,
    /// Signals that the model may give; 50 by default.
    #[arg(long)]
    pub(crate) max_iterations: Option<u32>,
    /// The session's cap on tokens, instead of the settings'.
    #[arg(long)]
    pub(crate) max_tokens: Option<u32>,
    /// Set the goal in a session: its id, its beginning, or "last".
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// The folder to work in; the current one by default.
    #[arg(long, conflicts_with = "session")]
    pub(crate) cwd: Option<PathBuf>,
    /// What may be approved with nobody to ask (TOML).
    #[arg(long)]
    pub(crate) policy: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ModelBackend {
    Main,
    Stronger,
}

impl From<ModelBackend> for ModelRole {
    fn from(backend: ModelBackend) -> Self {
        match backend {
            ModelBackend::Main => Self::Main,
            ModelBackend::Stronger => Self::Stronger,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MakePlan {
    pub(crate) request: String,
    /// How the plan is to run once it is approved.
    #[arg(long)]
    pub(crate) mode: Option<ModeArg>,
    /// The folder to work in; the current one by default.
    #[arg(long)]
    pub(crate) cwd: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Resume {
    /// A session's id, its beginning, or "last".
    pub(crate) session: String,
    #[arg(long)]
    pub(crate) mode: Option<ModeArg>,
    /// Of a goal: the model that works on it from now on.
    #[arg(long)]
    pub(crate) model_backend: Option<ModelBackend>,
    #[arg(long)]
    pub(crate) policy: Option<PathBuf>,
    /// What becomes of the next step that is done by hand.
    #[arg(long)]
    pub(crate) manual: Option<ManualArg>,
    #[command(flatten)]
    pub(crate) inputs: Inputs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Import {
    /// A file, an address (https://…), or `-`.
    pub(crate) file: PathBuf,
    #[arg(long)]
    pub(crate) cwd: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) ways: Ways,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Check {
    /// A file, an address (https://…), or `-`.
    pub(crate) file: PathBuf,
    /// The folder that it would run in; the current one by default.
    #[arg(long)]
    pub(crate) cwd: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Mend {
    /// A session's id, its beginning, or "last".
    pub(crate) session: String,
    /// Write the change into the page. `undo` with the step that is told takes it back.
    #[arg(long)]
    pub(crate) write: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Export {
    /// A session's id, its beginning, or "last".
    pub(crate) session: String,
    #[arg(long = "as")]
    pub(crate) format: FormatArg,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Sessions {
    /// Only those whose title, folder or text contains this.
    #[arg(default_value = "")]
    pub(crate) search: String,
    /// Tell which sessions your rule for keeping no longer keeps (in the window's settings, under Storage).
    #[arg(long, conflicts_with = "search")]
    pub(crate) prune: bool,
    /// With --prune: remove them for good.
    #[arg(long, requires = "prune")]
    pub(crate) yes: bool,
    /// Put a record that is damaged or was emptied in order first: what is there is set aside, what reads is read back.
    #[arg(long)]
    pub(crate) repair: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Metrics {
    /// Count only from then on: a day (2026-05-31), or how long ago (30d, 12h).
    #[arg(long)]
    pub(crate) since: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Report {
    /// A session's id, its beginning, or "last".
    pub(crate) session: String,
    /// As one HTML page that stands alone.
    #[arg(long)]
    pub(crate) html: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Undo {
    /// A session's id, its beginning, or "last".
    pub(crate) session: String,
    /// Only this step: its number in the plan, from 1, or its id.
    #[arg(long)]
    pub(crate) step: Option<String>,
    /// Show what it would do, and do nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Put back also what has changed since, or may be somebody else's. It goes to the trash folder.
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Take the last undo back that was not taken back yet.
    #[arg(long, conflicts_with = "step")]
    pub(crate) redo: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Explain {
    pub(crate) command: String,
    #[arg(long)]
    pub(crate) cwd: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Schema {
    pub(crate) of: SchemaArg,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SchemaArg {
    /// What the model of a goal answers in each iteration.
    Signal,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Decode {
    #[arg(long)]
    pub(crate) dialect: DialectArg,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DialectArg {
    Anthropic,
    Openai,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ModeArg {
    Teacher,
    #[value(alias = "fixer")]
    Planner,
    Agentic,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Teacher => Self::Teacher,
            ModeArg::Planner => Self::Planner,
            ModeArg::Agentic => Self::Agentic,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ManualArg {
    /// Say what to do, and end the run there.
    Stop,
    /// Go on without it.
    Skip,
}

impl From<ManualArg> for Manual {
    fn from(choice: ManualArg) -> Self {
        match choice {
            ManualArg::Stop => Self::Stop,
            ManualArg::Skip => Self::Skip,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum OnFailureArg {
    Stop,
    Rollback,
    Continue,
}

impl From<OnFailureArg> for OnFailure {
    fn from(choice: OnFailureArg) -> Self {
        match choice {
            OnFailureArg::Stop => Self::Stop,
            OnFailureArg::Rollback => Self::Rollback,
            OnFailureArg::Continue => Self::Continue,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FormatArg {
    Sh,
    Md,
    Json,
}

impl From<FormatArg> for PlanFormat {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Sh => Self::Sh,
            FormatArg::Md => Self::Md,
            FormatArg::Json => Self::Json,
        }
    }
}
