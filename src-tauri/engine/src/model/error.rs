use std::time::Duration;

use serde_json::Value;

/// Everything that can keep a model from answering, told apart so that each can say what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    #[error("No key for {provider} is set. Set PLANWRIGHT_API_KEY, or enter the key in the settings.")]
    NoKey { provider: &'static str },
    #[error("The key was not accepted. Check that it is right and may use this model.{}", said(.message))]
    RejectedKey { message: String },
    #[error("The server does not know this model. Check the model's name.{}", said(.message))]
    UnknownModel { message: String },
    #[error("Too many requests for now{}.{}", after(.retry_after), said(.message))]
    RateLimited { retry_after: Option<Duration>, message: String },
    #[error("The account has no credit left, or its spending limit is reached.{}", said(.message))]
    OutOfCredit { message: String },
    #[error("The model's server is overloaded{}.{}", after(.retry_after), said(.message))]
    Overloaded { retry_after: Option<Duration>, message: String },
    #[error("The conversation is longer than this model can read. Start a new one, or shorten it.{}", said(.message))]
    ContextOverflow { message: String },
    #[error("{problem}{}", said(.message))]
    Network { problem: NetworkProblem, message: String },
    #[error("The server's answer cannot be read: {message}")]
    Malformed { message: String },
    /// The call came whole, but its arguments are no JSON.
    #[error("The arguments of the tool call \"{tool}\" are not JSON: {message}")]
    MalformedToolArguments { tool: String, message: String },
    #[error("The model refused to answer.{}", said(.message))]
    Refused { message: String },
    #[error("The answer broke off before its end.")]
    EndedEarly,
    #[error(
        "The model's answer was empty: neither words nor a call of a tool. Ask again, or choose another model."
    )]
    Empty,
    /// No request was made: what the session may use is used up.
    #[error("The session's cap on tokens or money is reached.")]
    OverCap,
    #[error(
        "The conversation does not fit into what this model can read at once: {what} Shorten that, start a new conversation, or choose a model with more room."
    )]
    NoRoom { what: String },
    #[error("The answer is larger than {megabytes} MB and was cut off.")]
    TooLarge { megabytes: usize },
    #[error("The server did not accept the request.{}", said(.message))]
    BadRequest { message: String },
    #[error("The model's server failed{}.{}", status_words(.status), said(.message))]
    Server { status: Option<u16>, message: String },
    #[error("{message}")]
    Settings { message: String },
    #[error("The request was stopped.")]
    Cancelled,
}

/// Where on the way to the server it went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NetworkProblem {
    #[error("The server's name cannot be found. Check the address and the network connection.")]
    Name,
    #[error("Nothing answers at the server's address. Check that the server runs, and its port.")]
    Connect,
    #[error("No secure connection to the server is possible: its certificate or protocol was not accepted.")]
    Secure,
    #[error("The connection to the server took too long.")]
    ConnectTimeout,
    #[error("The server stopped sending for too long.")]
    Idle,
    #[error("The machine was asleep while the answer was on its way.")]
    Asleep,
    #[error("The answer took too long altogether.")]
    Deadline,
    #[error("The connection to the server was lost.")]
    Lost,
}

impl ModelError {
    /// Stable name for scripts and the window.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoKey { .. } => "no-key",
            Self::RejectedKey { .. } => "rejected-key",
            Self::UnknownModel { .. } => "unknown-model",
            Self::RateLimited { .. } => "rate-limit",
            Self::OutOfCredit { .. } => "out-of-credit",
            Self::Overloaded { .. } => "overloaded",
            Self::ContextOverflow { .. } => "context-overflow",
            Self::Network { .. } => "network",
            Self::Malformed { .. } => "malformed-answer",
            Self::MalformedToolArguments { .. } => "malformed-tool-arguments",
            Self::Refused { .. } => "refused",
            Self::EndedEarly => "ended-early",
            Self::Empty => "empty-answer",
            Self::NoRoom { .. } => "context-overflow",
            Self::OverCap => "cap-reached",
            Self::TooLarge { .. } => "too-large",
            Self::BadRequest { .. } => "bad-request",
            Self::Server { .. } => "server-error",
            Self::Settings { .. } => "settings",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the same request may succeed a little later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::RateLimited { .. } | Self::Overloaded { .. } | Self::Server { .. } | Self::EndedEarly => {
                true
            }
            Self::Network { problem, .. } => match problem {
                NetworkProblem::Connect
                | NetworkProblem::ConnectTimeout
                | NetworkProblem::Idle
                | NetworkProblem::Asleep
                | NetworkProblem::Lost => true,
                NetworkProblem::Name | NetworkProblem::Secure | NetworkProblem::Deadline => false,
            },
            Self::NoKey { .. }
            | Self::RejectedKey { .. }
            | Self::UnknownModel { .. }
            | Self::OutOfCredit { .. }
            | Self::ContextOverflow { .. }
            | Self::Malformed { .. }
            | Self::MalformedToolArguments { .. }
            | Self::Refused { .. }
            | Self::Empty
            | Self::NoRoom { .. }
            | Self::OverCap
            | Self::TooLarge { .. }
            | Self::BadRequest { .. }
            | Self::Settings { .. }
            | Self::Cancelled => false,
        }
    }

    /// How long the server asked to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Overloaded { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// The same without a secret that the server repeated in its words.
    pub(super) fn without(mut self, secret: &str) -> Self {
        let message = match &mut self {
            Self::RejectedKey { message }
            | Self::UnknownModel { message }
            | Self::RateLimited { message, .. }
            | Self::OutOfCredit { message }
            | Self::Overloaded { message, .. }
            | Self::ContextOverflow { message }
            | Self::Network { message, .. }
            | Self::Malformed { message }
            | Self::MalformedToolArguments { message, .. }
            | Self::Refused { message }
            | Self::BadRequest { message }
            | Self::Server { message, .. }
            | Self::Settings { message } => message,
            Self::NoKey { .. }
            | Self::EndedEarly
            | Self::Empty
            | Self::NoRoom { .. }
            | Self::OverCap
            | Self::TooLarge { .. }
            | Self::Cancelled => return self,
        };
        if !secret.is_empty() && message.contains(secret) {
            *message = message.replace(secret, "…");
        }
        self
    }

    pub(super) fn malformed(message: impl Into<String>) -> Self {
        Self::Malformed { message: message.into() }
    }

    /// Names the error that an error body or an error event of either dialect reports. `status` is the HTTP status
    /// where there is one; in a stream that began well there is none.
    pub(super) fn reported(status: Option<u16>, body: &Value, retry_after: Option<Duration>) -> Self {
        Report::read(body).name(status, retry_after)
    }

    /// The same for a body that is no JSON.
    pub(super) fn of_status(status: u16, retry_after: Option<Duration>, message: String) -> Self {
        if status == 404 {
            let message =
                "There is no model server at this address (status 404). Check the base URL.".to_owned();
            return Self::Settings { message };
        }
        Report { words: String::new(), message, status: None }.name(Some(status), retry_after)
    }
}

/// What servers write into their error objects, in their many forms.
struct Report {
    /// `type`, `code` and `param`, joined: the providers disagree about which of them names the error.
    words: String,
    message: String,
    status: Option<u16>,
}

impl Report {
    fn read(body: &Value) -> Self {
        // Some wrap the error object in a list.
        let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
        let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
        let field = |name: &str| error.get(name).and_then(Value::as_str);
        let message = error
            .as_str()
            .or_else(|| field("message"))
            .or_else(|| field("detail"))
            .or_else(|| field("error"))
            .or_else(|| body.get("message").and_then(Value::as_str))
            .unwrap_or_default();
        let words = ["type", "code", "status"].into_iter().filter_map(field).collect::<Vec<_>>().join(" ");
        let status = ["code", "status"]
            .into_iter()
            .filter_map(|name| error.get(name))
            .find_map(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()))
            .and_then(|code| u16::try_from(code).ok())
            .filter(|code| (400..600).contains(code));
        let says_more = |fields: &serde_json::Map<String, Value>| {
            fields.keys().any(|name| !["type", "code", "status"].contains(&name.as_str()))
        };
        let message = match message {
            // A form that nobody knows is shown as it is.
            "" if error.as_object().is_some_and(says_more) => error.to_string(),
            "" => words.clone(),
            message => message.to_owned(),
        };
        Self { words: words.to_lowercase(), message, status }
    }

    fn name(self, status: Option<u16>, retry_after: Option<Duration>) -> ModelError {
        let status = status.filter(|status| *status >= 400).or(self.status);
        let text = self.message.to_lowercase();
        let message = clipped(self.message);
        let word = |parts: &[&str]| parts.iter().any(|part| self.words.contains(part));
        let says = |parts: &[&str]| parts.iter().any(|part| text.contains(part));

        // The words come first: they are more exact than the status.
        if word(&["insufficient_quota", "exceeded_current_quota", "billing"])
            || says(&["credit balance is too low", "insufficient balance", "exceeded your current quota"])
            || status == Some(402)
        {
            return ModelError::OutOfCredit { message };
        }
        if word(&["context_length", "exceed_context_size", "request_too_large", "string_above_max_length"])
            || says(&[
                "prompt is too long",
                "maximum context length",
                "context window",
                "context size",
                "context length",
                "exceeds the context",
                "too many tokens",
            ])
            || status == Some(413)
        {
            return ModelError::ContextOverflow { message };
        }
        if word(&["overloaded", "unavailable", "insufficient_system_resource"])
            || matches!(status, Some(529 | 503))
        {
            return ModelError::Overloaded { retry_after, message };
        }
        if word(&["rate_limit", "rate limit", "too_many_requests", "resource_exhausted", "tokens_per_min"])
            || status == Some(429)
        {
            return ModelError::RateLimited { retry_after, message };
        }
        if word(&["content_filter", "content_policy", "moderation", "safety", "refusal"])
            || says(&["content management policy", "considered high risk"])
        {
            return ModelError::Refused { message };
        }
        if word(&["model_not_found", "unknown_model", "model_not_exist"])
            || (text.contains("model")
                && says(&["not found", "does not exist", "not exist", "unknown model", "no such model"]))
        {
            return ModelError::UnknownModel { message };
        }
        if word(&[
            "authentication",
            "permission",
            "invalid_api_key",
            "unauthenticated",
            "unauthorized",
            "access_terminated",
        ]) || matches!(status, Some(401 | 403))
        {
            return ModelError::RejectedKey { message };
        }
        match status {
            Some(404) => ModelError::UnknownModel { message },
            Some(status @ (408 | 409 | 500..=599)) => ModelError::Server { status: Some(status), message },
            Some(_) => ModelError::BadRequest { message },
            None if word(&["invalid_request", "bad_request", "not_found"]) => {
                ModelError::BadRequest { message }
            }
            None => ModelError::Server { status: None, message },
        }
    }
}

/// Servers put whole pages into their messages; people need the beginning.
fn clipped(message: String) -> String {
    const LONGEST: usize = 400;
    match message.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message,
    }
}

fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(" The server says: {message}") }
}

fn after(retry_after: &Option<Duration>) -> String {
    retry_after.map_or_else(String::new, |wait| format!("; it asks to wait {} s", wait.as_secs().max(1)))
}

fn status_words(status: &Option<u16>) -> String {
    status.map_or_else(String::new, |status| format!(" (status {status})"))
}

/// Reads a `retry-after` header: seconds or an HTTP date.
pub(super) fn retry_after(value: &str, now: jiff::Timestamp) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
    let wait = date.duration_since(now);
    Some(Duration::try_from(wait).unwrap_or(Duration::ZERO))
}
