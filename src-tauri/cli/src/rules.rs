//! `rules`: what the field guide knows, and what came of it on this machine.

use planwright_engine::engine::{Adviser, worker_beside_program};
use planwright_engine::protocol::GuideRule;

use crate::args::Rules;
use crate::exit::{Exit, Stop};
use crate::show;

pub(crate) fn rules(call: Rules, json: bool) -> Result<Exit, Stop> {
    let adviser = Adviser::new(worker_beside_program());
    if call.forget.is_some() || call.forget_all {
        adviser.forget_experience(call.forget.as_deref())?;
        return Ok(Exit::Done);
    }
    let wanted = call.search.unwrap_or_default().to_lowercase();
    let found = adviser.guide_rules().into_iter().filter(|rule| {
        let is_used = rule.helped + rule.failed > 0;
        let text = format!("{} {}", rule.id, rule.title).to_lowercase();
        (is_used || !call.used) && text.contains(&wanted)
    });
    for rule in found {
        if json {
            show::line(&rule)?;
        } else {
            show::text_as_is(&in_words(&rule))?;
        }
    }
    Ok(Exit::Done)
}

/// The record only where there is one.
fn in_words(GuideRule { id, title, own, helped, failed }: &GuideRule) -> String {
    let mut words = format!("{id}: {title}");
    if *own {
        words.push_str(" (your own)");
    }
    let tried = helped + failed;
    if tried > 0 {
        words.push_str(&format!(" [helped {helped} of {tried}]"));
    }
    words.push('\n');
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_told_with_its_record_where_there_is_one() {
        let rule = |own, helped, failed| GuideRule { id: "a".into(), title: "A".into(), own, helped, failed };
        assert_eq!(in_words(&rule(false, 0, 0)), "a: A\n");
        assert_eq!(in_words(&rule(true, 2, 1)), "a: A (your own) [helped 2 of 3]\n");
    }
}
