//! What the call's arguments decide of a page's reading: whether a model sorts it, and which ways are taken.

use planwright_engine::engine::Engine;
use planwright_engine::protocol::{Command, EngineError, ErrorCode, PageChoice, SessionState};

use crate::args::Ways;

/// Has the page sorted where that is wanted, then takes the ways that are named, one after the other: an inner choice may come with
/// an outer one.
pub(crate) async fn choose(
    engine: &Engine,
    mut state: SessionState,
    Ways { chosen: wanted, sort }: &Ways,
) -> Result<SessionState, EngineError> {
    if *sort {
        engine.submit(state.id, Command::SortPage).await?;
        state = engine.open_session(state.id).await?;
    }
    if wanted.is_empty() {
        return Ok(state);
    }
    let page = state.plan.as_ref().and_then(|plan| plan.page.as_deref());
    let choices = page.map(|page| page.choices.as_slice()).unwrap_or_default();
    for text in wanted {
        let (choice, way) = find(choices, text)?;
        engine.submit(state.id, Command::ChooseWay { choice, way }).await?;
    }
    engine.open_session(state.id).await
}

/// The places of a choice and of one of its ways, by their names in any case.
fn find(choices: &[PageChoice], text: &str) -> Result<(u32, u32), EngineError> {
    let Some((name, way)) = text.split_once('=') else {
        return Err(bad(format!("\"{text}\" is no NAME=WAY. {}", offered(choices))));
    };
    let is = |known: &str, wanted: &str| known.trim().to_lowercase() == wanted.trim().to_lowercase();
    let choice = choices.iter().position(|choice| is(&choice.name, name));
    let choice = choice
        .ok_or_else(|| bad(format!("The page has no choice \"{}\". {}", name.trim(), offered(choices))))?;
    let known = &choices[choice];
    let way = known.ways.iter().position(|one| is(&one.name, way)).ok_or_else(|| {
        let asked = way.trim();
        bad(format!("\"{}\" has no way \"{asked}\". {}", known.name, offered(std::slice::from_ref(known))))
    })?;
    let place = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
    Ok((place(choice), place(way)))
}

/// `Choose one of "Install=apt", "Install=dnf".`
fn offered(choices: &[PageChoice]) -> String {
    let ways: Vec<String> = choices
        .iter()
        .flat_map(|choice| choice.ways.iter().map(move |way| format!("\"{}={}\"", choice.name, way.name)))
        .collect();
    if ways.is_empty() {
        "It shows one way only.".to_owned()
    } else {
        format!("Choose one of {}.", ways.join(", "))
    }
}

fn bad(message: String) -> EngineError {
    EngineError::new(ErrorCode::InvalidInput, message)
}

#[cfg(test)]
mod tests {
    use planwright_engine::protocol::PageWay;

    use super::*;

    fn choices() -> Vec<PageChoice> {
        let way = |name: &str| PageWay {
            name: name.to_owned(),
            texts: Vec::new(),
            blocks: Vec::new(),
            unfit: None,
        };
        let ways = vec![way("With apt"), way("With pip")];
        vec![PageChoice { name: "Install".to_owned(), ways, chosen: 0, decided: String::new() }]
    }

    #[test]
    fn a_way_is_found_by_its_name_in_any_case() {
        assert_eq!(find(&choices(), "install = with PIP"), Ok((0, 1)));
    }

    #[test]
    fn what_the_page_does_not_have_is_answered_with_what_it_has() {
        let message = |text: &str| find(&choices(), text).unwrap_err().message;
        assert_eq!(
            message("Install=brew"),
            "\"Install\" has no way \"brew\". Choose one of \"Install=With apt\", \"Install=With pip\"."
        );
        assert!(message("Setup=x").starts_with("The page has no choice \"Setup\". Choose one of \"Install="));
        assert!(message("apt").starts_with("\"apt\" is no NAME=WAY."));
        assert_eq!(
            find(&[], "a=b").unwrap_err().message,
            "The page has no choice \"a\". It shows one way only."
        );
    }
}
