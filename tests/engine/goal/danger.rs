//! Dangerous things ask in the same way whoever proposes them: one table of cases, each driven through a step of a plan, a call
//! of a conversation and an action of a goal. What the gate asks and lets run must be the same, to the word.

use std::collections::VecDeque;
use std::sync::Arc;

use planwright_engine::engine::{Attendance, Engine};
use planwright_engine::policy::PolicyFile;
use planwright_engine::protocol::{
    Approval, ApprovalAnswer, ApprovalId, CallOutcome, Command, ErrorCode, Event, GoalPause, GoalRequest,
    GrantLifetime, GrantRule, Mode, PauseReason, Risk, Time, TurnEnd,
};
use planwright_tests::chat_server::Say;
use planwright_tests::{Harness, ScriptedMind, sequence};
use serde_json::{Value, json};

use super::{mind, shell};
use crate::conversation::Talk;
use crate::grants::{earlier, left_behind};

#[derive(Debug, Clone, PartialEq, Eq)]
enum Seen {
    /// `offers`: how many rules could be made of it.
    Asked { command: String, risk: Risk, offers: usize },
    /// `by`: the kind of permission.
    Ran { command: String, by: String },
    /// The answer was "not now", and everything waits.
    Waits,
    /// It was not run, and nobody was asked.
    Refused,
}

fn asked(command: &str, risk: Risk, offers: usize) -> Seen {
    Seen::Asked { command: command.to_owned(), risk, offers }
}

fn ran(command: &str, by: &str) -> Seen {
    Seen::Ran { command: command.to_owned(), by: by.to_owned() }
}

/// What somebody answers.
#[derive(Debug, Clone)]
enum Reply {
    Once,
    Edited(&'static str),
    /// The rule for its program, for the session.
    Always,
    /// A rule that was not offered. It must be refused; then once.
    Wider,
    Never,
    NotNow,
}

impl Reply {
    fn to(&self, approval: &Approval) -> ApprovalAnswer {
        let once =
            |edited: Option<&str>| ApprovalAnswer::AllowOnce { edited_command: edited.map(str::to_owned) };
        match self {
            Self::Once | Self::Wider => once(None),
            Self::Edited(command) => once(Some(command)),
            Self::Always => {
                let rule = approval.offers.iter().find(|rule| matches!(rule, GrantRule::Program { .. }));
                let rule = rule.expect("a rule for its program is offered").clone();
                ApprovalAnswer::AllowAlways { rule, lifetime: GrantLifetime::Session }
            }
            Self::Never => ApprovalAnswer::Never,
            Self::NotNow => ApprovalAnswer::NotNow,
        }
    }
}

/// What is so before the first command.
#[derive(Debug, Clone, Default)]
struct Given {
    ask_from: Option<Risk>,
    /// Nobody is there, and this is the policy.
    policy: Option<&'static str>,
    /// A rule of the user's that always refuses.
    never: Option<&'static str>,
    /// A permission that has expired.
    expired: Option<&'static str>,
}

struct Case {
    name: &'static str,
    given: Given,
    commands: &'static [&'static str],
    replies: &'static [Reply],
    expected: Vec<Seen>,
}

fn table() -> Vec<Case> {
    use Reply::{Always, Edited, Never, NotNow, Once, Wider};
    use Risk::{Caution, Dangerous};
    let careful = || Given { ask_from: Some(Caution), ..Given::default() };
    let nobody = |policy| Given { policy: Some(policy), ..Given::default() };
    let case = |name, given, commands, replies, expected| Case { name, given, commands, replies, expected };
    const DELETE: &str = "rm -rf pond";
    vec![
        case("harmless", Given::default(), &["echo fish"], &[], vec![ran("echo fish", "mode")]),
        case(
            "allowed once",
            Given::default(),
            &[DELETE],
            &[Once],
            vec![asked(DELETE, Dangerous, 0), ran(DELETE, "user")],
        ),
        case(
            "a yes is for one command",
            Given::default(),
            &[DELETE, "rm -rf lake"],
            &[Once, Once],
            vec![
                asked(DELETE, Dangerous, 0),
                ran(DELETE, "user"),
                asked("rm -rf lake", Dangerous, 0),
                ran("rm -rf lake", "user"),
            ],
        ),
        case(
            "and for one time",
            Given::default(),
            &[DELETE, DELETE],
            &[Once, NotNow],
            vec![asked(DELETE, Dangerous, 0), ran(DELETE, "user"), asked(DELETE, Dangerous, 0), Seen::Waits],
        ),
        case(
            "not now",
            Given::default(),
            &[DELETE],
            &[NotNow],
            vec![asked(DELETE, Dangerous, 0), Seen::Waits],
        ),
        case(
            "never is remembered",
            Given::default(),
            &[DELETE, DELETE, "echo fish"],
            &[Never],
            vec![asked(DELETE, Dangerous, 0), ran("echo fish", "mode")],
        ),
        case(
            "no rule for danger",
            Given::default(),
            &[DELETE],
            &[Wider],
            vec![asked(DELETE, Dangerous, 0), ran(DELETE, "user")],
        ),
        case(
            "always, for this session and for no more than was offered",
            careful(),
            &["touch ./one", "touch ./two", "touch ./three && rm -rf ./one", "touch ./four"],
            &[Always, Once],
            vec![
                asked("touch ./one", Caution, 2),
                ran("touch ./one", "user"),
                ran("touch ./two", "grant"),
                asked("touch ./three && rm -rf ./one", Dangerous, 0),
                ran("touch ./three && rm -rf ./one", "user"),
                ran("touch ./four", "grant"),
            ],
        ),
        case(
            "edited to less",
            Given::default(),
            &[DELETE],
            &[Edited("echo no")],
            vec![asked(DELETE, Dangerous, 0), ran("echo no", "mode")],
        ),
        case(
            "edited to as much",
            Given::default(),
            &[DELETE],
            &[Edited("rm -rf lake")],
            vec![asked(DELETE, Dangerous, 0), ran("rm -rf lake", "user")],
        ),
        case(
            "edited to what the user always refuses",
            Given { never: Some("touch"), ..Given::default() },
            &[DELETE],
            &[Edited("touch ./one")],
            vec![asked(DELETE, Dangerous, 0), Seen::Refused],
        ),
        case(
            "edited to more is another question",
            careful(),
            &["touch ./one"],
            &[Edited(DELETE), Once],
            vec![asked("touch ./one", Caution, 2), asked(DELETE, Dangerous, 0), ran(DELETE, "user")],
        ),
        case(
            "edited to what is never allowed",
            careful(),
            &["touch ./one"],
            &[Edited("rm -rf /")],
            vec![asked("touch ./one", Caution, 2), Seen::Refused],
        ),
        case("the floor", Given::default(), &["rm -rf /"], &[], vec![Seen::Refused]),
        case(
            "the floor, whoever allows it",
            nobody("approve = \"dangerous\""),
            &["rm -rf /"],
            &[],
            vec![Seen::Refused],
        ),
        case("a policy that says no", nobody(""), &[DELETE], &[], vec![Seen::Refused]),
        case(
            "a policy that says yes",
            nobody("approve = \"dangerous\""),
            &[DELETE],
            &[],
            vec![ran(DELETE, "policy")],
        ),
        case(
            "a rule of the user's that refuses, at any depth",
            Given { never: Some("touch"), ..Given::default() },
            &["echo a | (cat; touch ./one)"],
            &[],
            vec![Seen::Refused],
        ),
        case(
            "a permission that has expired",
            Given { expired: Some("touch"), ..careful() },
            &["touch ./one"],
            &[Once],
            vec![asked("touch ./one", Caution, 2), ran("touch ./one", "user")],
        ),
    ]
}

fn program(word: &str) -> GrantRule {
    GrantRule::Program { words: vec![word.to_owned()] }
}

impl Given {
    fn attendance(&self) -> Attendance {
        self.policy.map_or(Attendance::User, |policy| Attendance::Nobody(PolicyFile::parse(policy).unwrap()))
    }

    async fn set(&self, engine: &Engine) {
        if let Some(ask_from) = self.ask_from {
            let mut settings = engine.settings();
            settings.ask_from = ask_from;
            engine.set_settings(settings).await.unwrap();
        }
        if let Some(word) = self.never {
            engine.add_never(program(word)).await.unwrap();
        }
    }

    /// With what an earlier program has left behind.
    async fn in_harness(&self, run: Harness, mind: Option<Arc<ScriptedMind>>) -> Harness {
        self.set(&run.engine).await;
        let Some(word) = self.expired else { return run };
        left_behind(run, earlier(program(word), GrantLifetime::Always, "", Some(Time::now())), mind).await
    }
}

/// What an event says of the gate's decisions.
fn seen(event: &Event) -> Option<Seen> {
    match event {
        Event::ApprovalNeeded { approval } => {
            Some(asked(approval.action.command(), approval.assessment.risk, approval.offers.len()))
        }
        Event::StepStarted { .. } | Event::CallStarted { .. } => {
            let event = serde_json::to_value(event).unwrap();
            let command =
                [&event["command"], &event["action"]["command"]].into_iter().find_map(Value::as_str);
            Some(ran(command.unwrap(), event["allowedBy"]["type"].as_str().unwrap()))
        }
        Event::PlanPaused { reason: PauseReason::Declined { .. } }
        | Event::GoalPaused { reason: GoalPause::Declined { .. } }
        | Event::TurnEnded { end: TurnEnd::Interrupted, .. } => Some(Seen::Waits),
        Event::StepFailed { .. } => Some(Seen::Refused),
        Event::CallFinished { result, .. } if result.outcome == CallOutcome::Declined => Some(Seen::Refused),
        _ => None,
    }
}

/// Somebody who answers as the case says, and what they saw.
struct Watch {
    replies: VecDeque<Reply>,
    seen: Vec<Seen>,
    /// The questions that have been answered.
    answered: Vec<ApprovalId>,
    /// The last answer leaves a command undone for good; that it is not run says nothing new.
    refused: bool,
    last: Option<Reply>,
}

impl Watch {
    fn over(case: &Case) -> Self {
        let replies = case.replies.iter().cloned().collect();
        Self { replies, seen: Vec::new(), answered: Vec::new(), refused: false, last: None }
    }

    /// Takes an event in; what is to be answered, if it asks.
    fn take(&mut self, event: &Event) -> Option<(Approval, Reply)> {
        if let Event::ApprovalResolved { approval_id, .. } = event {
            self.settled(*approval_id);
        }
        let mut seen = seen(event)?;
        // A plan waits at a step that was refused; the others go on without it.
        if seen == Seen::Waits && !matches!(self.last, Some(Reply::NotNow)) {
            seen = Seen::Refused;
        }
        // After "never" each way has words of its own for what was not run.
        if self.refused && matches!(seen, Seen::Waits | Seen::Refused) {
            return None;
        }
        self.seen.push(seen);
        let Event::ApprovalNeeded { approval } = event else { return None };
        let reply = self.replies.pop_front()?;
        self.refused = matches!(reply, Reply::Never);
        self.last = Some(reply.clone());
        self.answered.push(approval.id);
        Some((approval.clone(), reply))
    }

    /// A rule or a policy has settled it: that it is in the record as a question is no question to anybody.
    fn settled(&mut self, approval_id: ApprovalId) {
        if !self.answered.contains(&approval_id) {
            let open = self.seen.pop();
            assert!(matches!(open, Some(Seen::Asked { .. })), "{open:?} was settled");
        }
    }

    fn waits(&self) -> bool {
        self.seen.last() == Some(&Seen::Waits)
    }
}

/// A rule that nobody offered.
fn wider() -> ApprovalAnswer {
    ApprovalAnswer::AllowAlways { rule: program("rm"), lifetime: GrantLifetime::Always }
}

/// A question is answered once.
fn is_over(second: ErrorCode) -> bool {
    matches!(second, ErrorCode::NoSuchApproval | ErrorCode::NotNow)
}

/// A plan, or a goal, to its end or until it waits.
async fn follow(run: &mut Harness, case: &Case) -> Vec<Seen> {
    let mut watch = Watch::over(case);
    loop {
        let event = run
            .wait_for(case.name, |event| {
                seen(event).is_some()
                    || matches!(
                        event,
                        Event::ApprovalResolved { .. }
                            | Event::PlanCompleted { .. }
                            | Event::PlanFailed { .. }
                            | Event::GoalEnded { .. }
                    )
            })
            .await;
        if let Some((approval, reply)) = watch.take(&event) {
            if matches!(reply, Reply::Wider) {
                let wider = Command::Answer { approval_id: approval.id, answer: wider() };
                assert_eq!(run.refusal(wider).await, ErrorCode::InvalidInput, "{}", case.name);
            }
            run.answer(&approval, reply.to(&approval)).await;
        }
        match event {
            Event::PlanPaused { reason: PauseReason::Declined { step_id } } if !watch.waits() => {
                run.tell(Command::Skip { step_id, with_dependents: false }).await;
            }
            Event::PlanPaused { .. }
            | Event::GoalPaused { .. }
            | Event::PlanCompleted { .. }
            | Event::PlanFailed { .. }
            | Event::GoalEnded { .. } => break,
            _ => {}
        }
    }
    for approval_id in watch.answered {
        let answer = ApprovalAnswer::AllowOnce { edited_command: None };
        let again = run.refusal(Command::Answer { approval_id, answer }).await;
        assert!(is_over(again), "{}: {again:?}", case.name);
    }
    watch.seen
}

async fn as_steps(case: &Case) -> Vec<Seen> {
    let run = Harness::with(&sequence(case.commands), case.given.attendance(), None).await;
    let mut run = case.given.in_harness(run, None).await;
    run.start(Mode::Planner).await;
    follow(&mut run, case).await
}

async fn as_actions(case: &Case) -> Vec<Seen> {
    let main = mind(&case.commands.iter().map(|command| shell(command)).collect::<Vec<_>>());
    let run = Harness::empty(case.given.attendance(), &main, None).await;
    let mut run = case.given.in_harness(run, Some(main)).await;
    run.tell(Command::Pursue { request: GoalRequest::new("Do it") }).await;
    follow(&mut run, case).await
}

async fn as_calls(case: &Case) -> Vec<Seen> {
    let commands: Vec<String> = case.commands.iter().map(|command| (*command).to_owned()).collect();
    let script = move |number: usize, _: &Value| match commands.get(number) {
        Some(command) => Say::call("shell", json!({ "command": command })),
        None => Say::text("Done."),
    };
    let mut talk = match case.given.policy {
        Some(policy) => Talk::unattended(policy, script).await,
        None => Talk::new(script).await,
    };
    case.given.set(&talk.engine).await;
    let session = talk.engine.sessions("").await.unwrap()[0].id;
    talk.say("Do it").await;
    let mut watch = Watch::over(case);
    loop {
        let event = talk
            .wait(|event| {
                let counts = seen(event).is_some()
                    || matches!(event, Event::ApprovalResolved { .. } | Event::TurnEnded { .. });
                counts.then(|| event.clone())
            })
            .await;
        if let Some((approval, reply)) = watch.take(&event) {
            if matches!(reply, Reply::Wider) {
                let wider = Command::Answer { approval_id: approval.id, answer: wider() };
                let refused = talk.engine.submit(session, wider).await.unwrap_err();
                assert_eq!(refused.code, ErrorCode::InvalidInput, "{}", case.name);
            }
            talk.answer(&approval, reply.to(&approval)).await;
        }
        if matches!(event, Event::TurnEnded { .. }) {
            break;
        }
    }
    for approval_id in watch.answered {
        let answer = ApprovalAnswer::AllowOnce { edited_command: None };
        let again = talk.engine.submit(session, Command::Answer { approval_id, answer }).await;
        assert!(is_over(again.unwrap_err().code), "{}", case.name);
    }
    watch.seen
}

#[tokio::test]
async fn steps_calls_and_actions_are_asked_about_alike() {
    let mut wrong = Vec::new();
    for case in table() {
        let mut ways = vec![("steps", as_steps(&case).await), ("actions", as_actions(&case).await)];
        // A conversation cannot be given what an earlier program left.
        if case.given.expired.is_none() {
            ways.push(("calls", as_calls(&case).await));
        }
        let others = ways.into_iter().filter(|(_, seen)| *seen != case.expected);
        wrong.extend(
            others.map(|(way, seen)| format!("{} as {way}: {seen:?}, not {:?}", case.name, case.expected)),
        );
    }
    assert_eq!(wrong, Vec::<String>::new());
}
