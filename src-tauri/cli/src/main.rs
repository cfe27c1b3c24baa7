//! The engine without a window. Output for people by default, JSON Lines with `--json`; logs go to stderr.

mod args;
mod ask;
mod decode;
mod exit;
mod follow;
mod record;
mod run;
mod screen;
mod show;
mod talk;
mod terminal;
mod words;

use clap::Parser as _;

use args::{Args, Call};
use exit::{Exit, Stop};

#[tokio::main]
async fn main() -> std::process::ExitCode {
    let args = Args::parse();
    let filter = tracing_subscriber::EnvFilter::try_from_env("PLANWRIGHT_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("error"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let (json, model) = (args.json, args.model);
    let outcome = match args.call {
        Call::Run(call) => run::run(call, &model, json).await,
        Call::Resume(call) => run::resume(call, &model, json).await,
        Call::Do(call) => talk::one_command(call, &model, json).await,
        Call::Chat(call) => talk::chat(call, &model, json).await,
        Call::Plan(call) => talk::plan(call, &model, json).await,
        Call::Import(call) => record::import(call, &model, json).await,
        Call::Export(call) => record::export(call).await,
        Call::Sessions(call) => record::sessions(call, json).await,
        Call::Report(call) => record::report(call).await,
        Call::Assess => ask::assess().await,
        Call::Diagnose => ask::diagnose().await,
        Call::Decode(call) => decode::decode(call).await,
        Call::Explain(call) => ask::explain(call, json).await,
    };
    let exit = outcome.unwrap_or_else(|stop| match stop {
        Stop::Fault(error) => {
            show::error(&error, json);
            Exit::of(&error)
        }
        Stop::ReaderGone => Exit::Done,
    });
    exit.into()
}
