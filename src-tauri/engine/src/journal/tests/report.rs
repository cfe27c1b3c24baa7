use super::*;

#[test]
fn the_report_tells_the_whole_story_and_output_cannot_break_it() {
    let plan = plan(vec![step("a", "cp a out/")]);
    let question = approval("a");
    let mut events = began(&plan, Mode::Agentic);
    events.extend([
        started("a", 0),
        failed("a", 0),
        thinking("a"),
        correction("a", 1, CorrectionAction::InsertSteps),
        inserted(&plan, repair("r", "a", 2), 0),
        started("r", 0),
        completed("r", 0, None),
        Event::ApprovalNeeded { approval: question.clone() },
        resolved(&question, ApprovalAnswer::AllowOnce { edited_command: None }),
        started("a", 1),
        completed("a", 1, None),
        Event::CorrectionSuccess { step_id: "a".into(), number: 1, of: CorrectionOf::Step },
        Event::PlanCompleted { steps: 2, repairs: 1, skipped: 0 },
    ]);
    let records: Vec<EventRecord> = events
        .iter()
        .zip(1..)
        .map(|(event, seq)| EventRecord {
            session_id: SessionId::new(),
            seq,
            at: Time::now(),
            event: event.clone(),
        })
        .collect();
    let text = super::super::report(&after(events), &records);
    for part in [
        "# Set up\n",
        "- Outcome: **completed**",
        "- Request: Set up the project",
        "- Mode: Agentic",
        "The folder is missing. (",
        "- Steps: 2 of 2 done, 1 of them repairs; corrections 1 of 10",
        "### Revision 1 by the runbook",
        "### Revision 2 by guide:missing-directory",
        "1. Step r *(new)* (caution): `mkdir out`",
        "### Step a (attempt 1)",
        "### Step a (attempt 2)",
        "exit status 1",
        "- Failed: no such folder",
        "Insert steps for \"Step a\", proposed by `guide:missing-directory`: the folder is missing",
        "Correction 1 worked",
        "`rm -rf out` for \"Step a\" (dangerous): It deletes a folder.\n  - Answer: allowed once",
        "- `/work/out/a`",
        "known to be done only by its exit status",
        "It cannot be undone: it sends data",
        "No model was used",
        "````text\nattempt 0\n```\n# not a heading\n````",
    ] {
        assert!(text.contains(part), "missing: {part}\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "{text}");
    assert_eq!(text.matches("Step a (caution): `cp a out/`").count(), 1, "{text}");
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(
        headings,
        [
            "## The plan",
            "## What ran",
            "## Corrections",
            "## Questions and answers",
            "## Files changed",
            "## What could not be verified",
            "## Cost"
        ]
    );
}

#[test]
fn titles_are_text() {
    let mut state = empty();
    state.title = "a <img src=x> **b**\n# c".into();
    let text = super::super::report(&state, &[]);
    assert!(text.starts_with("# a \\<img src=x\\> \\*\\*b\\*\\* \\# c\n"), "{text}");
}

#[test]
fn a_conversation_is_told_with_its_calls_and_their_price() {
    use crate::protocol::*;
    let (message_id, call_id, now) = (MessageId::new(), StepId::new(), Time::now());
    let call = AnswerPart::Call {
        call_id: call_id.clone(),
        provider_id: "call_0".into(),
        tool: "shell".into(),
        input: "{}".into(),
        extra: None,
    };
    let result = ToolResult {
        output: Some("3 files\n```\n# not a heading".into()),
        exit_status: Some(ExitStatus::Code { code: 0 }),
        ..ToolResult::told(call_id.clone(), "shell", CallOutcome::Success, "3 files", now)
    };
    let usage =
        Usage { input_tokens: 900, output_tokens: 50, calls: 1, cost_micros: 1200, ..Usage::default() };
    let events = vec![
        Event::SessionCreated { title: "Count".into(), cwd: "/work".into() },
        Event::UserMessage {
            message_id,
            text: "how many files?".into(),
            route: Route::Chat,
            detection: None,
            replaces: None,
        },
        Event::AssistantMessage {
            message_id,
            round: 1,
            model: "a-model".into(),
            server: None,
            parts: vec![AnswerPart::Text { text: "I count them.".into() }, call],
            stop_reason: Some("tool_use".into()),
        },
        Event::ModelUsed { purpose: Purpose::Conversation, model: "a-model".into(), usage, sub_goal: None },
        Event::CallStarted {
            call_id,
            action: Action::shell("ls | wc -l"),
            cwd: "/work".into(),
            allowed_by: AllowedBy::Mode,
            terminal: false,
        },
        Event::CallFinished { result, shell: None },
        Event::TurnEnded {
            message_id,
            end: TurnEnd::Done,
            synthesis: None,
            synthesis_id: message_id.synthesis_id(),
        },
    ];
    let records: Vec<EventRecord> = events
        .iter()
        .zip(1..)
        .map(|(event, seq)| EventRecord { session_id: SessionId::new(), seq, at: now, event: event.clone() })
        .collect();
    let text = super::super::report(&after(events), &records);
    for part in [
        "- Outcome: **a conversation, without a plan**",
        "```text\nhow many files?\n```",
        "**a-model:**\n\n```text\nI count them.\n```",
        "```bash\nls | wc -l\n```\n- Allowed by the mode",
        "- Result: exit status 0",
        "````text\n3 files\n```\n# not a heading\n````",
        "*Done.*",
        "1 call of models: 900 tokens in (0 of them from the provider's cache), 50 tokens out; $0.0012.",
    ] {
        assert!(text.contains(part), "missing: {part}\n{text}");
    }
}
