use std::error::Error as _;
use std::fmt;
use std::time::Duration;

use reqwest::{Client, RequestBuilder, Response, StatusCode, Url, header};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::exchange::Limits;
use super::{ModelError, NetworkProblem, ProviderKind, error};

/// Most of an error's body that is read, in bytes.
const ERROR_BODY: usize = 64 << 10;
/// Most of a list of models that is read, in bytes.
const LIST_BODY: usize = 4 << 20;

/// A server's address, ending in its version (`/v1`).
#[derive(Clone)]
pub(super) struct Address(Url);

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without what may be a password.
        write!(f, "{}://{}", self.0.scheme(), self.0.host_str().unwrap_or_default())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.0.scheme(), self.0.host_str().unwrap_or_default())?;
        if let Some(port) = self.0.port() {
            write!(f, ":{port}")?;
        }
        f.write_str(self.0.path())
    }
}

impl Address {
    pub(super) fn new(kind: ProviderKind, base_url: Option<&str>) -> Result<Self, ModelError> {
        let text = base_url.unwrap_or(match kind {
            ProviderKind::OpenAi => "https://api.openai.com/v1",
            ProviderKind::Anthropic => "https://api.anthropic.com/v1",
            ProviderKind::Moonshot => "https://api.moonshot.ai/v1",
            ProviderKind::Local => "http://127.0.0.1:11434/v1",
        });
        let unusable = |why: String| ModelError::Settings {
            message: format!(
                "The model server's address cannot be used: {why}. It should look like https://host/v1."
            ),
        };
        let mut url = Url::parse(text.trim()).map_err(|error| unusable(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(unusable("it is no web address".to_owned()));
        }
        let path = url.path().trim_end_matches('/').to_owned();
        // Anthropic's own tools take the address without the version, the others' with it.
        let versioned = path.rsplit('/').next().is_some_and(is_version);
        let bare = path.is_empty() || kind == ProviderKind::Anthropic;
        url.set_path(&if bare && !versioned { format!("{path}/v1") } else { path });
        url.set_query(None);
        url.set_fragment(None);
        Ok(Self(url))
    }

    pub(super) fn is_on_this_machine(&self) -> bool {
        match self.0.host() {
            Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }

    pub(super) fn join(&self, path: &str) -> String {
        format!("{}/{path}", self.0.as_str().trim_end_matches('/'))
    }

    /// Beside the version, where servers keep what is their own.
    fn beside(&self, path: &str) -> String {
        let address = self.0.as_str().trim_end_matches('/');
        let root =
            address.rsplit_once('/').filter(|(_, last)| is_version(last)).map_or(address, |(root, _)| root);
        format!("{root}/{path}")
    }
}

fn is_version(part: &str) -> bool {
    part.strip_prefix('v').is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
}

pub(super) fn client(address: &Address, limits: &Limits) -> Result<Client, ModelError> {
    let mut client = Client::builder()
        .connect_timeout(limits.connect)
        // A redirect would take the key to another place.
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("planwright/", env!("CARGO_PKG_VERSION")));
    if address.is_on_this_machine() {
        client = client.no_proxy();
    }
    if address.0.scheme() == "http" {
        // Reading the machine's certificates is most of what a client costs. There is nothing here to check with them.
        client = client.tls_certs_only([]);
    }
    client.build().map_err(|error| ModelError::Settings {
        message: format!("Secure connections cannot be made on this machine: {}.", chain(&error)),
    })
}

pub(super) fn post(
    client: &Client,
    address: &Address,
    kind: ProviderKind,
    key: Option<&SecretString>,
) -> RequestBuilder {
    let path = match kind {
        ProviderKind::Anthropic => "messages",
        ProviderKind::OpenAi | ProviderKind::Moonshot | ProviderKind::Local => "chat/completions",
    };
    with_key(client.post(address.join(path)), kind, key)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "text/event-stream, application/json")
}

pub(super) fn get_models(
    client: &Client,
    address: &Address,
    kind: ProviderKind,
    key: Option<&SecretString>,
) -> RequestBuilder {
    with_key(client.get(address.join("models")), kind, key)
}

fn with_key(request: RequestBuilder, kind: ProviderKind, key: Option<&SecretString>) -> RequestBuilder {
    let request = match kind {
        ProviderKind::Anthropic => request.header("anthropic-version", "2023-06-01"),
        ProviderKind::OpenAi | ProviderKind::Moonshot | ProviderKind::Local => request,
    };
    let Some(key) = key else { return request };
    let (name, text) = match kind {
        ProviderKind::Anthropic => ("x-api-key", key.expose_secret().to_owned()),
        ProviderKind::OpenAi | ProviderKind::Moonshot | ProviderKind::Local => {
            ("authorization", format!("Bearer {}", key.expose_secret()))
        }
    };
    match header::HeaderValue::try_from(text) {
        Ok(mut value) => {
            value.set_sensitive(true);
            request.header(name, value)
        }
        // Refused when keys are read; a request without one is answered with a rejection.
        Err(_) => request,
    }
}

/// What a server can be asked about itself beside the dialect.
#[derive(Debug)]
pub(super) enum About<'a> {
    /// A path of the dialect.
    Dialect(&'a str),
    /// A path beside the dialect's own.
    Own(&'a str),
    /// The same with a question.
    Asked(&'a str, Value),
}

pub(super) fn about(
    client: &Client,
    address: &Address,
    about: &About<'_>,
    kind: ProviderKind,
    key: Option<&SecretString>,
) -> RequestBuilder {
    let request = match about {
        About::Dialect(path) => client.get(address.join(path)),
        About::Own(path) => client.get(address.beside(path)),
        About::Asked(path, question) => client.post(address.beside(path)).json(question),
    };
    with_key(request, kind, key)
}

/// A small JSON document within a time.
pub(super) async fn json(request: RequestBuilder, limit: Duration) -> Result<Value, ModelError> {
    let answer = async {
        let response = accepted(request.send().await.map_err(|error| network(&error))?).await?;
        let body = beginning(response, LIST_BODY).await?;
        serde_json::from_slice(&body)
            .map_err(|_| ModelError::malformed("it is not JSON. Check the server's address."))
    };
    tokio::time::timeout(limit, answer).await.unwrap_or_else(|_| Err(idle()))
}

/// Asks for the models' names within a time.
pub(super) async fn models(request: RequestBuilder, limit: Duration) -> Result<Vec<String>, ModelError> {
    let list = json(request, limit).await?;
    let models = list.get("data").and_then(Value::as_array).into_iter().flatten();
    Ok(models.filter_map(|model| model.get("id")?.as_str().map(str::to_owned)).collect())
}

/// Turns an answer that is an error into one.
pub(super) async fn accepted(response: Response) -> Result<Response, ModelError> {
    let status = response.status();
    let content_type = response.headers().get(header::CONTENT_TYPE);
    let is_page = content_type.is_some_and(|value| value.as_bytes().starts_with(b"text/html"));
    if status.is_success() {
        if is_page {
            let message = "it is a web page, not a model's answer. Check the server's address.";
            return Err(ModelError::malformed(message));
        }
        return Ok(response);
    }
    if status.is_redirection() {
        let message = format!(
            "The server sends requests on to another address (status {}). Set that address as the base URL.",
            status.as_u16()
        );
        return Err(ModelError::Settings { message });
    }
    let wait = retry_after(response.headers());
    // The status says enough where the body cannot be had.
    let body = beginning(response, ERROR_BODY).await.unwrap_or_default();
    Err(match serde_json::from_slice::<Value>(&body) {
        Ok(report) if !report.is_null() => ModelError::reported(Some(status.as_u16()), &report, wait),
        _ => {
            let text = String::from_utf8_lossy(&body);
            let text = if is_page || text.trim_start().starts_with('<') { "" } else { text.trim() };
            ModelError::of_status(status.as_u16(), wait, text.to_owned())
        }
    })
    .inspect_err(|error: &ModelError| tracing::debug!(status = %StatusCode::as_u16(&status), code = error.code(), "refused"))
}

fn retry_after(headers: &header::HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    // The exact form that OpenAI sends beside the common one.
    if let Some(wait) = text("retry-after-ms").and_then(|text| text.trim().parse::<u64>().ok()) {
        return Some(Duration::from_millis(wait));
    }
    error::retry_after(text("retry-after")?, jiff::Timestamp::now())
}

/// The body up to a bound.
async fn beginning(mut response: Response, bound: usize) -> Result<Vec<u8>, ModelError> {
    let mut body = Vec::new();
    while body.len() < bound {
        match response.chunk().await.map_err(|error| network(&error))? {
            Some(chunk) => body.extend_from_slice(&chunk),
            None => break,
        }
    }
    Ok(body)
}

pub(super) fn idle() -> ModelError {
    ModelError::Network { problem: NetworkProblem::Idle, message: String::new() }
}

pub(super) fn network(error: &reqwest::Error) -> ModelError {
    ModelError::Network { problem: problem(error), message: String::new() }
}

/// Tells network errors apart. The library gives most of them as text only.
pub(crate) fn problem(error: &reqwest::Error) -> NetworkProblem {
    let message = chain(error);
    let text = message.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    let problem = if error.is_connect() {
        if error.is_timeout() {
            NetworkProblem::ConnectTimeout
        } else if has(&["dns error", "failed to lookup", "name or service", "name resolution"]) {
            NetworkProblem::Name
        } else if has(&["certificate", "tls", "ssl", "handshake", "corrupt message"]) {
            NetworkProblem::Secure
        } else {
            NetworkProblem::Connect
        }
    } else if error.is_timeout() {
        NetworkProblem::Idle
    } else {
        NetworkProblem::Lost
    };
    tracing::debug!(%message, "network");
    problem
}

/// An error with what caused it, without the address, which people know and logs need not.
fn chain(error: &reqwest::Error) -> String {
    let mut text = String::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
