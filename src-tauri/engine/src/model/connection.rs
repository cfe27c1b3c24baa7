//! "Test connection": one small question to a model that was chosen, and what came of it in exact words.

use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use secrecy::SecretString;
use tokio::sync::watch;

use super::{
    Capabilities, Limits, ModelError, ModelEvent, ModelMessage, ModelProvider as _, ModelRequest, Provider,
    provider_for,
};
use crate::protocol::{ConnectionReport, ModelChoice, ToolSupport};

/// A test is watched: it ends sooner than a real question would. A large local model is loaded first.
const WHOLE: Duration = Duration::from_secs(120);
/// Longest answer, in tokens. Some models refuse to be asked for fewer.
const TOKENS: u32 = 16;

/// Tries a choice out. Every failure is told in the report.
pub async fn test_connection(choice: &ModelChoice, key: Option<SecretString>) -> ConnectionReport {
    let mut report = ConnectionReport {
        ok: false,
        code: None,
        message: String::new(),
        models: Vec::new(),
        model: None,
        tools: None,
        schema: None,
        context_tokens: None,
        first_token_millis: None,
    };
    let provider = match provider_for(choice, key).await {
        Ok(provider) => provider,
        Err(error) => return failed(report, &error, choice.base_url.as_deref()),
    };
    let limits = Limits { whole: WHOLE, attempts: 1, ..provider.limits().clone() };
    let provider = provider.with_limits(limits);
    let address = provider.address();
    match provider.models().await {
        Ok(models) => report.models = models,
        // Not every server lists its models; whether this one answers is what counts.
        Err(
            ModelError::Settings { .. } | ModelError::UnknownModel { .. } | ModelError::BadRequest { .. },
        ) => {}
        Err(error) => return failed(report, &error, Some(&address)),
    }
    let first_token = match first_token(&provider).await {
        Ok(time) => time,
        Err(error) => {
            let error = named(error, &provider.name(), &report.models);
            return failed(report, &error, Some(&address));
        }
    };
    provider.forget_found();
    let Capabilities { tools, schema, context_tokens } = provider.probe().await;
    report.ok = true;
    report.message = works(&provider.name(), first_token, tools, context_tokens);
    report.model = Some(provider.name());
    report.tools = Some(tools);
    report.schema = Some(schema);
    report.context_tokens = context_tokens;
    report.first_token_millis = Some(u32::try_from(first_token.as_millis()).unwrap_or(u32::MAX));
    report
}

fn failed(report: ConnectionReport, error: &ModelError, address: Option<&str>) -> ConnectionReport {
    let message = match (error, address) {
        (ModelError::Network { .. } | ModelError::Malformed { .. }, Some(address)) => {
            format!("{error} The address is {address}.")
        }
        _ => error.to_string(),
    };
    ConnectionReport { code: Some(error.code().to_owned()), message, ..report }
}

/// An unknown model with the names that it may have been meant for.
fn named(error: ModelError, name: &str, models: &[String]) -> ModelError {
    let ModelError::UnknownModel { .. } = error else { return error };
    let near = nearest(name, models);
    if near.is_empty() {
        return error;
    }
    let near: Vec<String> = near.iter().map(|name| format!("\"{name}\"")).collect();
    ModelError::UnknownModel {
        message: format!("There is no \"{name}\" here; near it are {}.", near.join(", ")),
    }
}

fn nearest<'m>(name: &str, models: &'m [String]) -> Vec<&'m str> {
    let wanted = name.to_lowercase();
    let likeness = |model: &str| {
        let model = model.to_lowercase();
        let within = if model.contains(&wanted) || wanted.contains(&model) { 1.0 } else { 0.0 };
        strsim::jaro_winkler(&model, &wanted) + within
    };
    let mut near: Vec<(f64, &str)> = models.iter().map(|model| (likeness(model), model.as_str())).collect();
    near.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    near.into_iter().take(3).map(|(_, model)| model).collect()
}

/// Until anything of an answer comes.
async fn first_token(provider: &Provider) -> Result<Duration, ModelError> {
    let request = ModelRequest {
        system: String::new(),
        messages: vec![ModelMessage::user("Say OK.")],
        tools: Vec::new(),
        max_tokens: TOKENS,
        schema: None,
    };
    let (_running, cancel) = watch::channel(false);
    let began = Instant::now();
    let mut stream = provider.stream(request, cancel);
    let mut first = None;
    while let Some(event) = stream.next().await {
        match event? {
            // A model that thinks to its limit has answered too.
            ModelEvent::Text { .. } | ModelEvent::Reasoning { .. } | ModelEvent::Stop { .. } => {
                first = first.or_else(|| Some(began.elapsed()));
            }
            ModelEvent::Refusal { .. }
            | ModelEvent::ThoughtSoFar
            | ModelEvent::ReasoningSignature { .. }
            | ModelEvent::RedactedReasoning { .. }
            | ModelEvent::ToolCallStart { .. }
            | ModelEvent::ToolCallDelta { .. }
            | ModelEvent::ToolCallEnd { .. }
            | ModelEvent::Usage { .. }
            | ModelEvent::ToolCallExtra { .. }
            | ModelEvent::Kept { .. }
            | ModelEvent::Withheld { .. }
            | ModelEvent::Retrying { .. } => {}
        }
    }
    first.ok_or_else(|| ModelError::malformed("it is empty."))
}

fn works(model: &str, first_token: Duration, tools: ToolSupport, context_tokens: Option<u32>) -> String {
    let tools = match tools {
        ToolSupport::Native => "It calls tools itself.",
        ToolSupport::Envelope => {
            "It has no tool calls of its own, so its answers are held to a form that carries them."
        }
        ToolSupport::Unknown => "Whether it calls tools could not be found out.",
    };
    let room = context_tokens.map_or_else(
        || " How much it can read at once is not known.".to_owned(),
        |tokens| format!(" It can read {tokens} tokens at once."),
    );
    format!("{model} answers after {:.1} s. {tools}{room}", first_token.as_secs_f32())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_come_first() {
        let models = ["gpt-5", "gpt-5-mini", "o3", "text-embedding-3-large"].map(str::to_owned);
        assert_eq!(nearest("gpt5-mini", &models)[0], "gpt-5-mini");
        assert_eq!(nearest("GPT-5-MINI", &models)[0], "gpt-5-mini");
        let error = named(ModelError::UnknownModel { message: "no".to_owned() }, "gpt5-mini", &models);
        assert!(error.to_string().contains("near it are \"gpt-5-mini\""), "{error}");
    }
}
