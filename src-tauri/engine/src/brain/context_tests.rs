use super::*;
use crate::protocol::Time;

fn result(step: &str, command: &str, code: i32, stderr: &str) -> StepResult {
    let now = Time::now();
    StepResult {
        step_id: step.into(),
        attempt_index: 0,
        command: command.into(),
        cwd: "/work".into(),
        exit_status: ExitStatus::Code { code },
        stdout: "".into(),
        stderr: stderr.into(),
        output: stderr.into(),
        omitted_lines: 0,
        started_at: now,
        ended_at: now,
        files_changed: Vec::new(),
        more_files_changed: 0,
        verify: None,
        leftovers: 0,
    }
}

fn failed(command: &str) -> Event {
    Event::StepFailed { result: result("s1", command, 1, "no such file\n"), reason: String::new() }
}

fn plan() -> Event {
    let plan = crate::plan::from_json(r#"{"steps":[{"id":"s1","command":"a"}]}"#, "p").unwrap();
    Event::PlanGenerated { plan }
}

fn proposal(number: u32, command: &str) -> Event {
    let correction = AgentCorrection {
        action: CorrectionAction::Modify,
        reasoning: "a typo.".into(),
        source: "m".into(),
        confidence: 0.5,
        modified_command: Some(command.into()),
        new_steps: None,
        alternatives: None,
        candidates: Vec::new(),
        wait_seconds: None,
        warning: None,
    };
    Event::CorrectionAttempt { step_id: "s1".into(), number, correction: Correction::Step(correction) }
}

fn folded(events: &[Event]) -> AgentContext {
    let mut context = AgentContext::default();
    events.iter().for_each(|event| context.apply(event));
    context
}

#[test]
fn an_attempt_is_one_entry_with_the_correction_it_follows() {
    let outcome = Event::CorrectionFailed {
        step_id: "s1".into(),
        number: 1,
        of: CorrectionOf::Step,
        reason: "The step failed again.".into(),
    };
    let context = folded(&[plan(), failed("a"), proposal(1, "b"), failed("b"), outcome]);
    assert_eq!(
        context.to_context_string(),
        "- step 1: `a` ended with status 1: no such file\n\
         - step 1: `b` ended with status 1: no such file (after: changing it to `b`, because a typo)\n\
         Failures in a row: 2"
    );
}

#[test]
fn a_refused_correction_is_an_entry_and_a_success_ends_the_row_of_failures() {
    let refusal = Event::CorrectionFailed {
        step_id: "s1".into(),
        number: 1,
        of: CorrectionOf::Step,
        reason: "Refused: twice.".into(),
    };
    let mut context = folded(&[plan(), failed("a"), proposal(1, "a"), refusal]);
    assert!(
        context
            .to_context_string()
            .contains("- step 1: changing it to `a`, because a typo was not done. Refused: twice.")
    );
    assert_eq!((context.len(), context.consecutive_failures()), (2, 1));
    let completed = |step: &str| Event::StepCompleted { result: result(step, "c", 0, ""), shell: None };
    context.apply(&completed("never-failed"));
    assert_eq!((context.len(), context.consecutive_failures()), (2, 0));
    context.apply(&completed("s1"));
    assert!(context.to_context_string().contains("- step 1: `c` succeeded"));
}

#[test]
fn it_never_holds_more_than_ten_entries_whatever_comes() {
    let long = "x".repeat(100_000);
    let mut events = vec![plan()];
    events.extend((0..50).map(|_| failed(&long)));
    let context = folded(&events);
    assert_eq!((context.len(), context.consecutive_failures()), (MAX_CONTEXT_ENTRIES, 50));
    assert!(context.to_context_string().len() < 10 * 1000);
}

#[test]
fn at_five_the_oldest_three_are_condensed_into_the_summary() {
    let mut context = folded(&[plan(), failed("a"), failed("b"), failed("c"), failed("d")]);
    assert_eq!(context.to_condense(), None);
    context.apply(&failed("e"));
    let these = context.to_condense().unwrap();
    assert_eq!((these.up_to, these.entries, these.text.lines().count()), (3, 3, 3));
    // Meanwhile the run goes on.
    context.apply(&failed("f"));
    context.apply(&Event::AgentContextSummarized {
        summary: Some("It failed.".into()),
        up_to: 3,
        entries: 3,
    });
    let text = context.to_context_string();
    assert!(text.starts_with("Before that: It failed.\n- step 1: `d` "), "{text}");
    assert_eq!((context.len(), context.consecutive_failures()), (3, 6));
    context.apply(&failed("g"));
    context.apply(&failed("h"));
    assert!(context.to_condense().unwrap().text.starts_with("Before that: It failed.\n"));
}

#[test]
fn what_could_not_be_condensed_is_dropped() {
    let mut context = folded(&[plan(), failed("a"), failed("b"), failed("c"), failed("d"), failed("e")]);
    context.apply(&Event::AgentContextSummarized { summary: None, up_to: 3, entries: 3 });
    assert_eq!(context.len(), 2);
    assert!(!context.to_context_string().contains("Before that"));
}

#[test]
fn a_summary_of_the_plan_before_is_not_taken_for_this_one() {
    let mut context = folded(&[plan(), failed("a"), failed("b"), failed("c"), plan(), failed("d")]);
    context.apply(&Event::AgentContextSummarized { summary: Some("Old.".into()), up_to: 3, entries: 3 });
    assert_eq!(context.len(), 1);
    assert!(!context.to_context_string().contains("Old."));
}
