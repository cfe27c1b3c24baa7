use crate::model::NetworkProblem;
use crate::protocol::{EngineError, ErrorCode};

/// Why there is no page behind an address, with what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    #[error("This is no address of a page: {why}. It should look like https://host/page.")]
    NoAddress { why: String },
    #[error(
        "The address holds a user's name or password, which would be kept with the plan. Leave it out; of a page that \
         needs one, save the page in a browser and open the file."
    )]
    Credentials,
    #[error("{from} leads to something that cannot be followed. {why}")]
    LedAstray { from: String, why: String },
    #[error(
        "The address leads from a secured connection to {to}, where anybody on the way could change the commands. Give \
         that address yourself if you trust it."
    )]
    Downgrade { to: String },
    #[error(
        "The address leads round in a circle: {address} comes again. Open it in a browser and paste its text."
    )]
    Circle { address: String },
    #[error(
        "The address leads on and on, more than {most} times; the last was {address}. Give the address where the page is."
    )]
    TooManyRedirects { most: usize, address: String },
    #[error("{}", of_status(*status, host))]
    Status { status: u16, host: String },
    #[error("{}", of_network(*problem, host))]
    Network { problem: NetworkProblem, host: String },
    #[error("Connections cannot be made on this machine: {why}.")]
    NoClient { why: String },
    #[error(
        "{host} did not send the page within {seconds} seconds. Try again later, or open it in a browser and save it as a \
         file."
    )]
    TooSlow { seconds: u64, host: String },
    #[error(
        "What the address answers is larger than {megabytes} MB, or does not end, so it is not read. Save the part that you \
         mean as a file."
    )]
    TooLarge { megabytes: usize },
    #[error("The address answers with {what}, not with a page. Give the address of the text.")]
    NoPage { what: String },
    #[error(
        "The address answers with a form to sign in, and has no commands. Sign in with a browser, save the page as a file \
         or copy its text, and open that."
    )]
    SignIn,
    #[error("The address answers with nothing. Open it in a browser to see whether there is a page.")]
    Empty,
}

fn of_status(status: u16, host: &str) -> String {
    match status {
        401 | 403 | 407 => format!(
            "{host} does not give this page to everybody (status {status}). Sign in with a browser, save the page as a \
             file and open that."
        ),
        404 | 410 => {
            format!("{host} has no page at this address (status {status}). Check it, letter by letter.")
        }
        429 => format!("{host} has been asked too often (status 429). Wait some minutes, then try again."),
        500.. => format!("{host} has a fault of its own (status {status}). Try again later."),
        _ => format!("{host} does not give this page (status {status}). Open it in a browser to see why."),
    }
}

fn of_network(problem: NetworkProblem, host: &str) -> String {
    match problem {
        NetworkProblem::Name => {
            format!(
                "There is no host named {host}, or no network to ask for it. Check the address and the network."
            )
        }
        NetworkProblem::Connect => {
            format!("{host} cannot be reached: nothing answers there. Check the address and the network.")
        }
        NetworkProblem::ConnectTimeout => {
            format!("{host} does not answer in time. Check the network, or try again later.")
        }
        NetworkProblem::Secure => format!(
            "The connection to {host} is not secure: its certificate does not hold. Commands from there are not to be \
             trusted; check the address and this machine's clock."
        ),
        NetworkProblem::Asleep | NetworkProblem::Deadline | NetworkProblem::Idle | NetworkProblem::Lost => {
            format!("The connection to {host} was lost before the page had come. Try again.")
        }
    }
}

impl From<FetchError> for EngineError {
    fn from(error: FetchError) -> Self {
        let code = match &error {
            FetchError::NoAddress { .. } | FetchError::Credentials => ErrorCode::InvalidInput,
            FetchError::LedAstray { .. }
            | FetchError::Downgrade { .. }
            | FetchError::Circle { .. }
            | FetchError::TooManyRedirects { .. } => ErrorCode::PageLedAstray,
            FetchError::Status { .. } => ErrorCode::PageRefused,
            FetchError::Network { .. } | FetchError::NoClient { .. } | FetchError::TooSlow { .. } => {
                ErrorCode::PageUnreachable
            }
            FetchError::TooLarge { .. } => ErrorCode::TooLarge,
            FetchError::NoPage { .. } | FetchError::SignIn | FetchError::Empty => ErrorCode::NoPage,
        };
        Self::new(code, error.to_string())
    }
}
