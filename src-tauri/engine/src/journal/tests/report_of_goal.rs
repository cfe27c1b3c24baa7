use proptest::prelude::*;

use super::*;

const TRICKS: &str = "3 files\n```\n# no heading\n<script>alert(1)</script> <img src=x onerror=alert(2)>\n\
    [here](http://example.org/x) ![](http://example.org/y.png) <http://example.org/z> &lt;b&gt;\n</code></pre><h2>no part</h2>";

fn todo(id: &str, title: &str, status: TodoStatus) -> Todo {
    Todo { id: id.into(), title: title.into(), status, priority: Priority::High }
}

fn signal(status: SignalStatus, todos: &[Todo], action: Option<&NextAction>, estimate: u8) -> Signal {
    Signal {
        status,
        todos: todos.to_vec(),
        next_action: action.cloned(),
        sub_goals: Vec::new(),
        self_assessment: format!("I look at {estimate}"),
        completion_estimate: Some(estimate),
        user_input_needed: None,
    }
}

/// A goal that looks, asks for leave to delete, is sent back once and ends; `text` is what is said and printed in it.
fn story(text: &str) -> Vec<Event> {
    let (look, clear) = (StepId::new(), StepId::new());
    let shell = |content: &str| NextAction {
        kind: ActionType::Shell,
        content: content.into(),
        rationale: format!("to see what is full {text}"),
    };
    let question = GoalQuestion {
        id: GoalQuestionId::new(),
        text: text.into(),
        asked_by: AskedBy::Agent,
        action_id: None,
    };
    let allowed = Approval { step_id: clear.clone(), warning_message: text.into(), ..approval("x") };
    let first =
        [todo("1", &format!("Look {text}"), TodoStatus::InProgress), todo("2", "Clear", TodoStatus::Pending)];
    let then = [
        todo("1", &format!("Look {text}"), TodoStatus::Completed),
        todo("2", "Clear", TodoStatus::Completed),
    ];
    let request = GoalRequest {
        context: Some(text.into()),
        verify: Some(Verify::Command { command: "test -e free".into() }),
        ..GoalRequest::new(format!("Free the disk {text}"))
    };
    let call = |id: &StepId, command: &str| Event::CallStarted {
        call_id: id.clone(),
        action: Action::shell(command),
        cwd: "/work".into(),
        allowed_by: if *id == look { AllowedBy::Mode } else { AllowedBy::User },
        terminal: false,
    };
    let done = |id: &StepId| Event::CallFinished {
        result: ToolResult {
            output: Some(text.into()),
            exit_status: Some(ExitStatus::Code { code: 0 }),
            files_changed: vec![format!("/work/{text}")],
            ..ToolResult::told(id.clone(), "shell", CallOutcome::Success, text, Time::now())
        },
        shell: None,
    };
    let received =
        |iteration, signal| Event::GoalSignalReceived { iteration, model: "a-model".into(), signal };
    let changed = |iteration, author, todos: &[Todo]| Event::TodosChanged {
        iteration,
        author,
        todos: todos.to_vec(),
        user_todos: Vec::new(),
    };
    let proposed = |id: &StepId, iteration, action| Event::GoalActionProposed {
        action_id: id.clone(),
        iteration,
        author: ActionAuthor::Agent,
        action,
    };
    let (list, remove) = (shell("df -h"), shell("rm -rf out"));
    vec![
        Event::SessionCreated { title: format!("Disk {text}"), cwd: "/work".into() },
        Event::GoalStarted { goal_id: GoalId::new(), request },
        received(1, signal(SignalStatus::Planning, &first, Some(&list), 10)),
        changed(1, TodoAuthor::Agent, &first),
        proposed(&look, 1, list),
        call(&look, "df -h"),
        done(&look),
        Event::GoalQuestionAsked { question: question.clone() },
        Event::GoalQuestionAnswered { question_id: question.id, text: text.into() },
        Event::GoalGuidance { text: text.into() },
        received(2, signal(SignalStatus::Executing, &then, Some(&remove), 90)),
        changed(2, TodoAuthor::User, &then),
        proposed(&clear, 2, remove),
        Event::ApprovalNeeded { approval: allowed.clone() },
        resolved(&allowed, ApprovalAnswer::AllowOnce { edited_command: None }),
        call(&clear, "rm -rf out"),
        done(&clear),
        received(3, signal(SignalStatus::Complete, &then, None, 100)),
        Event::GoalSentBack { reason: SentBack::VerifyFailed { result: text.into() } },
        received(4, signal(SignalStatus::Complete, &then, None, 100)),
        Event::GoalEnded { end: GoalEnd::Complete { verified: true }, summary: text.into(), report: None },
    ]
}

fn told(text: &str) -> String {
    told_of(story(text))
}

fn told_of(events: Vec<Event>) -> String {
    let mut state = empty();
    let records: Vec<EventRecord> = (1..)
        .zip(events)
        .map(|(seq, event)| EventRecord { session_id: state.id, seq, at: Time::now(), event })
        .collect();
    for record in &records {
        apply(&mut state, record).unwrap();
    }
    report(&state, &records)
}

#[test]
fn what_can_be_undone_is_said_of_each_action_that_changed_something() {
    let step = |at: usize| StepId::from(["all", "part", "none", "look", "off"][at]);
    let covers = [
        Some(Coverage::Whole),
        Some(Coverage::Partly { why: "`big` is too <large>".into() }),
        Some(Coverage::Nothing { why: "it sends data".into() }),
        None,
        Some(Coverage::Whole),
    ];
    let commands = ["touch a", "rm -rf big", "curl -T a host", "ls", "touch b"];
    let mut events = vec![
        Event::SessionCreated { title: "Disk".into(), cwd: "/work".into() },
        Event::GoalStarted { goal_id: GoalId::new(), request: GoalRequest::new("Free the disk") },
    ];
    for (at, (covers, command)) in covers.into_iter().zip(commands).enumerate() {
        let action = NextAction { kind: ActionType::Shell, content: command.into(), rationale: "why".into() };
        events.push(Event::GoalActionProposed {
            action_id: step(at),
            iteration: 1,
            author: ActionAuthor::Agent,
            action,
        });
        events.extend(covers.map(|covers| Event::CheckpointCreated {
            checkpoint: Checkpoint {
                id: CheckpointId::new(),
                step_id: step(at),
                attempt: 0,
                at: Time::now(),
                covers,
                entries: 1,
                kept_kib: 1,
            },
        }));
        events.push(Event::CallStarted {
            call_id: step(at),
            action: Action::shell(command),
            cwd: "/work".into(),
            allowed_by: AllowedBy::Mode,
            terminal: false,
        });
        let (outcome, exit_status) = match at {
            4 => (CallOutcome::Interrupted, None),
            _ => (CallOutcome::Success, Some(ExitStatus::Code { code: 0 })),
        };
        let result =
            ToolResult { exit_status, ..ToolResult::told(step(at), "shell", outcome, "", Time::now()) };
        events.push(Event::CallFinished { result, shell: None });
    }
    let text = told_of(events);
    let part = text.split_once("## What can be undone\n\n").unwrap().1;
    let lines: Vec<&str> = part.lines().take_while(|line| line.starts_with("- ")).collect();
    let expected = [
        "- `touch a` (exit status 0): can be put back",
        "- `rm -rf big` (exit status 0): can be put back in part: \\`big\\` is too \\<large\\>",
        "- `curl -T a host` (exit status 0): cannot be put back: it sends data",
        "- `touch b`: can be put back",
    ];
    assert_eq!(lines, expected);
    let page = page(&text);
    assert!(page.contains(">What can be undone</h2>"), "{page}");
    for line in [
        "<code>touch a</code> (exit status 0): can be put back",
        "can be put back in part: `big` is too &lt;large&gt;",
        "<code>curl -T a host</code> (exit status 0): cannot be put back: it sends data",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    assert!(!told("a").contains("What can be undone"), "nothing was kept there");
}

/// Every tag of the page, whole.
fn tags(page: &str) -> Vec<&str> {
    let body = page.split_once("</style>").unwrap().1;
    let tag = |at: usize| &body[at..=at + body[at..].find('>').unwrap()];
    body.match_indices('<').map(|(at, _)| tag(at)).collect()
}

fn is_own(tag: &str) -> bool {
    let plain = [
        "p", "em", "strong", "ul", "ol", "li", "code", "pre", "h1", "h2", "h3", "main", "body", "html",
        "head", "nav",
    ];
    let word = tag.trim_matches(['<', '>', '/']);
    plain.contains(&word)
        || tag == "<nav aria-label=\"Contents\">"
        || ["<code class=\"language-bash\">", "<code class=\"language-text\">"].contains(&tag)
        || tag
            .strip_prefix("<ol start=\"")
            .is_some_and(|rest| rest.trim_end_matches("\">").parse::<u32>().is_ok())
        || ["<h2 id=\"part-", "<a href=\"#part-"].iter().any(|begin| {
            tag.strip_prefix(begin).is_some_and(|rest| rest.trim_end_matches("\">").parse::<u32>().is_ok())
        })
        || tag == "</a>"
}

#[test]
fn a_goal_is_told_from_its_words_to_its_end() {
    let text = told("a");
    for part in [
        "# Disk a\n",
        "- Outcome: **complete, and its check passed**",
        "- Check: `test -e free` must succeed",
        "- Iterations: 4 of 50",
        "- To-dos: 2 of 2 done",
        "## The goal\n\n```text\nFree the disk a\n```",
        "- **done**: Look a (high priority)",
        "1. By the agent in iteration 1",
        "   - New: Look a (in progress, high priority)",
        "2. By you in iteration 2",
        "   - Now done: Clear",
        "### Iteration 1: planning, 10 % done\n\nI look at 10.",
        "**A command**: To see what is full a.\n\n```bash\ndf -h\n```\n- Allowed by the mode",
        "- Result: exit status 0 after",
        "The agent asked:\n\n```text\na\n```\n\nYou answered:\n\n```text\na\n```",
        "- It was not complete: the check failed, `a`",
        "### The end: complete, and its check passed\n\nA.",
        "- `rm -rf out` (dangerous): a\n  - Answer: allowed once",
        "- 1 action without a question, allowed by the mode",
        "## Changed on disk\n\n- `/work/a`\n",
    ] {
        assert!(text.contains(part), "missing: {part}\n{text}");
    }
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    let expected = [
        "## The goal",
        "## To-dos",
        "## How the list changed",
        "## What was done",
        "## Who decided what",
        "## Changed on disk",
        "## Cost",
    ];
    assert_eq!(headings, expected);
}

#[test]
fn a_page_stands_alone_and_its_text_stays_text() {
    let page = page(&told(TRICKS));
    assert_eq!(tags(&page).into_iter().filter(|tag| !is_own(tag)).collect::<Vec<_>>(), Vec::<&str>::new());
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    assert!(page.contains("# no heading") && !page.contains("<h1># no heading"), "{page}");
    // Seven parts, whatever the output says.
    assert_eq!(page.matches("<h2 id=\"part-").count(), 7);
    let style = page.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
    assert!(!style.contains("url(") && !style.contains("@import") && !style.contains("http"), "{style}");
    assert!(page.contains("default-src 'none'"));
}

proptest! {
    #[test]
    fn no_text_becomes_markup(text in "[a\n<>&\"'`*_\\[\\]()!#|~:/\\\\=.+ \t1-]{0,60}") {
        let page = page(&told(&text));
        let strange: Vec<&str> = tags(&page).into_iter().filter(|tag| !is_own(tag)).collect();
        prop_assert_eq!(strange, Vec::<&str>::new());
        prop_assert_eq!(page.matches("<h2 id=\"part-").count(), 7);
    }
}
