use std::time::Duration;

use reqwest::{Client, Response, header};

use super::kind::{Contents, asks_for_password, contents, refuse_type};
use super::{Address, FetchError, text_of};
use crate::model::{NetworkProblem, network_problem};
use crate::plan::MAX_SOURCE_BYTES;

/// Addresses that one request leads over at most, not counting the first.
const REDIRECTS: usize = 5;

/// How long and how much.
#[derive(Debug, Clone)]
pub struct FetchLimits {
    pub connect: Duration,
    /// For the page with everything on the way to it.
    pub whole: Duration,
    pub bytes: usize,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), whole: Duration::from_secs(20), bytes: MAX_SOURCE_BYTES }
    }
}

/// A page that was fetched.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// Where it is from in the end.
    pub address: Address,
    /// Where the address led, in order; the last is `address`. Empty when it was given as it is.
    pub led: Vec<Address>,
    pub contents: Contents,
    pub asks_for_password: bool,
    pub bytes: Vec<u8>,
}

/// Fetches the text behind an address, and nothing that it names.
///
/// # Errors
/// See [`FetchError`].
pub async fn fetch(address: &Address, limits: &FetchLimits) -> Result<Fetched, FetchError> {
    let slow = || FetchError::TooSlow { seconds: limits.whole.as_secs().max(1), host: host(address) };
    tokio::time::timeout(limits.whole, follow(address, limits)).await.unwrap_or_else(|_| Err(slow()))
}

async fn follow(address: &Address, limits: &FetchLimits) -> Result<Fetched, FetchError> {
    let mut seen = vec![address.clone()];
    let mut now = address.clone();
    for _ in 0..=REDIRECTS {
        let (at, response) = ask(&now, limits).await?;
        if at != now {
            seen.push(at.clone());
        }
        match location(&response) {
            Some(location) => {
                now = at.led(&location)?;
                if seen.contains(&now) {
                    return Err(FetchError::Circle { address: now.to_string() });
                }
                seen.push(now.clone());
            }
            None => {
                let led = seen.split_off(1);
                return read(at, led, response, limits).await;
            }
        }
    }
    Err(FetchError::TooManyRedirects { most: REDIRECTS, address: now.to_string() })
}

/// Asks for the text, of the first place that has it.
async fn ask(address: &Address, limits: &FetchLimits) -> Result<(Address, Response), FetchError> {
    let mut missing = FetchError::Status { status: 404, host: host(address) };
    for place in text_of(address) {
        let response = client(&place, limits)?
            .get(place.url().clone())
            .header(header::ACCEPT, "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.1")
            .send()
            .await
            .map_err(|error| FetchError::Network { problem: network_problem(&error), host: host(&place) })?;
        if response.status().is_success() || response.status().is_redirection() {
            return Ok((place, response));
        }
        missing = FetchError::Status { status: response.status().as_u16(), host: host(&place) };
        if response.status() != reqwest::StatusCode::NOT_FOUND {
            break;
        }
    }
    Err(missing)
}

async fn read(
    address: Address,
    led: Vec<Address>,
    mut response: Response,
    limits: &FetchLimits,
) -> Result<Fetched, FetchError> {
    if !response.status().is_success() {
        return Err(FetchError::Status { status: response.status().as_u16(), host: host(&address) });
    }
    let media_type = media_type(&response);
    refuse_type(&media_type)?;
    let too_large = || FetchError::TooLarge { megabytes: limits.bytes >> 20 };
    if response.content_length().is_some_and(|length| length > limits.bytes as u64) {
        return Err(too_large());
    }
    let lost = |error: reqwest::Error| FetchError::Network {
        problem: if error.is_timeout() { NetworkProblem::Idle } else { NetworkProblem::Lost },
        host: host(&address),
    };
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(lost)? {
        if bytes.len() + chunk.len() > limits.bytes {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    let contents = contents(&address, &media_type, &bytes)?;
    let asks_for_password = contents.is_html && asks_for_password(&bytes);
    Ok(Fetched { address, led, contents, asks_for_password, bytes })
}

fn client(address: &Address, limits: &FetchLimits) -> Result<Client, FetchError> {
    let mut client = Client::builder()
        .connect_timeout(limits.connect)
        // Each is looked at before it is followed.
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .user_agent(concat!("planwright/", env!("CARGO_PKG_VERSION")));
    if address.is_on_this_machine() {
        client = client.no_proxy();
    }
    if address.url().scheme() == "http" {
        // Reading the machine's certificates takes long, and there is nothing here to check with them.
        client = client.tls_certs_only([]);
    }
    client.build().map_err(|error| FetchError::NoClient { why: error.to_string() })
}

fn location(response: &Response) -> Option<String> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    Some(response.headers().get(header::LOCATION)?.to_str().ok()?.to_owned())
}

/// Without its parameters; empty where the answer does not say.
fn media_type(response: &Response) -> String {
    let value = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn host(address: &Address) -> String {
    address.url().host_str().unwrap_or_default().to_owned()
}
