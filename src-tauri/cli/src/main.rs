//! The engine without a window. Output for people by default, JSON Lines with `--json`; logs go to stderr.

mod agent;
mod args;
mod ask;
mod choices;
mod decode;
mod exit;
mod follow;
mod inputs;
mod lines;
mod masked;
mod metrics;
mod page;
mod record;
mod relay;
mod rules;
mod run;
mod screen;
mod show;
mod talk;
mod terminal;
mod tty;
mod undo;
mod words;

use clap::Parser as _;
use planwright_engine::protocol::{EngineError, ErrorCode};
use planwright_engine::redact::{log_panics, log_writer};

use args::{Args, Call};
use exit::{Exit, Stop};

fn main() -> std::process::ExitCode {
    let args = Args::parse();
    let json = args.json;
    // One thread for all tasks: they mostly wait, and each hand-over to another thread would cost more than it saves.
    // What blocks (the journal, a command's output) has threads of its own.
    match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(call(args)).into(),
        Err(error) => {
            let message = format!("The program could not be started: {error}.");
            show::error(&EngineError::new(ErrorCode::Internal, message), json);
            Exit::Failed.into()
        }
    }
}

async fn call(args: Args) -> Exit {
    log_panics();
    let filter = tracing_subscriber::EnvFilter::try_from_env("PLANWRIGHT_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("error"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(log_writer).init();
    let (json, model) = (args.json, args.model);
    let outcome = match args.call {
        Call::Run(call) => run::run(call, &model, json).await,
        Call::Resume(call) => run::resume(call, &model, json).await,
        Call::Do(call) => talk::one_command(call, &model, json).await,
        Call::Agent(call) => agent::agent(call, &model, json).await,
        Call::Chat(call) => talk::chat(call, &model, json).await,
        Call::Plan(call) => talk::plan(call, &model, json).await,
        Call::Import(call) => record::import(call, &model, json).await,
        Call::Check(call) => page::check(call, &model, json).await,
        Call::Mend(call) => page::mend(call, &model, json).await,
        Call::Export(call) => record::export(call).await,
        Call::Sessions(call) => record::sessions(call, json).await,
        Call::Report(call) => record::report(call).await,
        Call::Metrics(call) => metrics::metrics(call, json).await,
        Call::Undo(call) => undo::undo(call, &model, json).await,
        Call::Assess => ask::assess().await,
        Call::Diagnose => ask::diagnose().await,
        Call::Rules(call) => rules::rules(call, json),
        Call::Decode(call) => decode::decode(call).await,
        Call::Trouble { code } => ask::trouble(code.as_deref(), json),
        Call::Schema(call) => agent::schema(call.of, json),
        Call::Explain(call) => ask::explain(call, json).await,
    };
    outcome.unwrap_or_else(|stop| match stop {
        Stop::Fault(error) => {
            show::error(&error, json);
            Exit::of(&error)
        }
        Stop::ReaderGone => Exit::Done,
    })
}
