//! `metrics`: what was done with this data folder, in figures. It only looks.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use planwright_engine::engine::data_folder;
use planwright_engine::journal::Journal;
use planwright_engine::metrics::in_words;
use planwright_engine::protocol::{EngineError, ErrorCode, Time};

use crate::args::Metrics;
use crate::exit::{Exit, Stop};
use crate::show;

pub(crate) async fn metrics(call: Metrics, json: bool) -> Result<Exit, Stop> {
    let since = call.since.as_deref().map(moment).transpose()?;
    let journal = Journal::open_read_only(&data_folder())?;
    let figures = journal.metrics(since).await?;
    if json {
        show::line(&figures)?;
    } else {
        show::text_as_is(&in_words(&figures))?;
    }
    Ok(Exit::Done)
}

/// A day (`2026-05-31`), a moment in RFC 3339, or how long ago (`30d`, `12h`).
fn moment(text: &str) -> Result<Time, EngineError> {
    let day = || {
        let date: Date = text.parse().ok()?;
        Some(date.to_zoned(TimeZone::system()).ok()?.timestamp())
    };
    let ago = || {
        let (count, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
        let count: i64 = count.parse().ok()?;
        let hours = match unit {
            "d" => count.checked_mul(24)?,
            "h" => count,
            _ => return None,
        };
        Timestamp::now().checked_sub(Span::new().try_hours(hours).ok()?).ok()
    };
    let found = text.parse::<Timestamp>().ok().or_else(day).or_else(ago);
    found.map(Time).ok_or_else(|| {
        let message =
            format!("\"{text}\" is no moment. Write a day such as 2026-05-31, or how long ago: 30d, 12h.");
        EngineError::new(ErrorCode::InvalidInput, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_day_a_time_or_how_long_ago() {
        assert_eq!(moment("2026-05-31T10:00:00Z").unwrap().0, "2026-05-31T10:00:00Z".parse().unwrap());
        let zone = TimeZone::system();
        assert_eq!(moment("2026-05-31").unwrap().0.to_zoned(zone).date().to_string(), "2026-05-31");
        let ago = Time::now().millis_since(moment("2h").unwrap());
        assert!((7_200_000..7_210_000).contains(&ago), "{ago}");
        assert!(moment("30d").is_ok());
        for wrong in ["", "d", "yesterday", "2026-13-01", "-", "99999999999999999d", "é"] {
            assert_eq!(moment(wrong).unwrap_err().code, ErrorCode::InvalidInput, "{wrong}");
        }
    }
}
