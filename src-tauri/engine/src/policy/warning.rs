//! A model's own word on the risk of what it proposes. It can only make an assessment stricter.

use crate::plan::card;
use crate::protocol::{Assessment, ModelWarning, Risk, RiskReason};

/// Longest warning, in characters.
const TEXT: usize = 200;

/// What a model claimed, cleaned; `None` when it warns of nothing. A warning without a level is one of `caution`.
pub fn claimed(risk: Option<Risk>, text: Option<&str>, source: &str) -> Option<ModelWarning> {
    let text = text.map(sentence).filter(|text| !text.is_empty());
    if risk == Some(Risk::Safe) || risk.is_none() && text.is_none() {
        return None;
    }
    let text = text.unwrap_or_else(|| "this may do more harm than it shows".to_owned());
    Some(ModelWarning {
        risk: risk.unwrap_or(Risk::Caution).min(Risk::Dangerous),
        text,
        source: source.to_owned(),
    })
}

/// Makes the assessment as strict as the warning. One that is milder than the assessment says nothing: it could only
/// talk the risk down.
pub fn heed(assessment: &mut Assessment, warning: &ModelWarning) {
    let risk = warning.risk.min(Risk::Dangerous);
    if risk < assessment.risk || risk == Risk::Safe {
        return;
    }
    assessment.risk = risk;
    let reason = RiskReason {
        risk,
        text: warning.text.clone(),
        fragment: String::new(),
        start: None,
        source: Some(warning.source.clone()),
    };
    // After what the analysis found of the same level.
    let at = assessment.reasons.partition_point(|known| known.risk >= risk);
    assessment.reasons.insert(at, reason);
}

/// One line without signs that move or hide text, bounded, with no full stop.
fn sentence(text: &str) -> String {
    let line = card::harmless(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    let line = line.trim_end_matches('.');
    match line.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Effects, UndoOutlook};

    fn assessed(risk: Risk) -> Assessment {
        let reasons = if risk == Risk::Safe {
            Vec::new()
        } else {
            let (text, fragment) = ("changes something".to_owned(), "x".to_owned());
            vec![RiskReason { risk, text, fragment, start: Some(0), source: None }]
        };
        Assessment {
            risk,
            reasons,
            effects: Effects::default(),
            undo: UndoOutlook::NotNeeded,
            keyboard: None,
        }
    }

    fn heeded(risk: Risk, claim: Risk) -> Assessment {
        let mut assessment = assessed(risk);
        heed(
            &mut assessment,
            &ModelWarning { risk: claim, text: "it may lose data".into(), source: "m".into() },
        );
        assessment
    }

    #[test]
    fn a_warning_raises_and_never_lowers() {
        use Risk::{Blocked, Caution, Dangerous, Safe};
        for risk in [Safe, Caution, Dangerous, Blocked] {
            for claim in [Safe, Caution, Dangerous, Blocked] {
                assert_eq!(heeded(risk, claim).risk, risk.max(claim.min(Dangerous)), "{risk:?} {claim:?}");
            }
        }
        let warned = |risk, claim| {
            heeded(risk, claim)
                .reasons
                .iter()
                .map(|reason| (reason.risk, reason.source.clone()))
                .collect::<Vec<_>>()
        };
        let by = |risk| (risk, Some("m".to_owned()));
        assert_eq!(warned(Safe, Safe), []);
        assert_eq!(warned(Safe, Caution), [by(Caution)]);
        assert_eq!(warned(Caution, Caution), [(Caution, None), by(Caution)]);
        assert_eq!(warned(Caution, Dangerous), [by(Dangerous), (Caution, None)]);
        assert_eq!(warned(Dangerous, Caution), [(Dangerous, None)], "a milder word is not repeated");
        assert_eq!(warned(Blocked, Blocked), [(Blocked, None)]);
    }

    #[test]
    fn a_claim_is_cleaned_and_bounded() {
        assert_eq!(claimed(None, None, "m"), None);
        assert_eq!(claimed(None, Some(" \n"), "m"), None);
        assert_eq!(claimed(Some(Risk::Safe), Some("nothing can go wrong"), "m"), None);
        let of = |risk, text| claimed(risk, text, "m").map(|warning| (warning.risk, warning.text));
        assert_eq!(
            of(Some(Risk::Blocked), Some("no way back.")),
            Some((Risk::Dangerous, "no way back".into()))
        );
        assert_eq!(
            of(None, Some("a\n\u{202e}b\u{1b}[2J")),
            Some((Risk::Caution, "a \\u{202e}b\\x1b[2J".into()))
        );
        let long = "é".repeat(1000);
        assert_eq!(of(None, Some(&long)), Some((Risk::Caution, format!("{}…", "é".repeat(200)))));
        let unsaid = "this may do more harm than it shows".to_owned();
        assert_eq!(of(Some(Risk::Dangerous), None), Some((Risk::Dangerous, unsaid)));
    }
}
