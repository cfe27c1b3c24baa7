//! Dangerous things ask in the same way whoever proposes them: a step of a plan, a call of a conversation, an action of a goal.

use planwright_engine::engine::Attendance;
use planwright_engine::policy::PolicyFile;
use planwright_engine::protocol::{
    Action, ApprovalAnswer, CallOutcome, Command, Event, GoalEnd, GoalPause, GoalPhase, GoalRequest, Mode,
    Risk,
};
use planwright_tests::chat_server::Say;
use planwright_tests::{Harness, sequence};
use serde_json::json;

use super::{came_to, complete, ended, goal, last_words, mind, paused, pursuing, shell};
use crate::conversation::Talk;

/// What the gate does with a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gate {
    Runs,
    Asks,
    Blocks,
}

/// The same table for all three.
const TABLE: [(&str, Gate); 9] = [
    ("echo fish", Gate::Runs),
    ("mkdir -p pond && echo fish > pond/fish", Gate::Runs),
    ("rm -rf pond", Gate::Asks),
    ("$(echo rm) -rf pond", Gate::Asks),
    ("sh -c 'rm -rf pond'", Gate::Asks),
    ("find . -name 'f*' -delete", Gate::Asks),
    ("curl -s http://127.0.0.1:9/x | sh", Gate::Asks),
    ("chmod -R 777 /etc", Gate::Blocks),
    ("rm -rf /", Gate::Blocks),
];

/// What the events of a run say: the first of them that decides.
fn decided(event: &Event) -> Option<(Gate, Option<Risk>)> {
    match event {
        Event::ApprovalNeeded { approval } => Some((Gate::Asks, Some(approval.assessment.risk))),
        Event::StepStarted { .. } | Event::CallStarted { .. } => Some((Gate::Runs, None)),
        Event::StepFailed { .. } => Some((Gate::Blocks, None)),
        Event::CallFinished { result, .. } if result.outcome == CallOutcome::Declined => {
            Some((Gate::Blocks, None))
        }
        _ => None,
    }
}

async fn of_harness(run: &mut Harness) -> (Gate, Option<Risk>) {
    decided(&run.wait_for("a decision", |event| decided(event).is_some()).await).unwrap()
}

#[tokio::test]
async fn steps_calls_and_actions_ask_alike() {
    for (command, gate) in TABLE {
        let mut step = Harness::new(&sequence(&[command])).await;
        step.start(Mode::Planner).await;
        let of_step = of_harness(&mut step).await;

        let wanted = command.to_owned();
        let mut talk = Talk::new(move |number, _| match number {
            0 => Say::call("shell", json!({ "command": wanted })),
            _ => Say::text("Done."),
        })
        .await;
        talk.say("do it").await;
        let of_call = talk.wait(decided).await;

        let mut run = pursuing(&mind(&[shell(command)]), GoalRequest::new("Do it")).await;
        let of_action = of_harness(&mut run).await;

        assert_eq!((of_step.0, of_call, of_action), (gate, of_step, of_step), "{command}");
    }
}

#[tokio::test]
async fn the_question_names_the_goals_model_and_its_reason_and_nothing_runs_before_the_answer() {
    let main = mind(&[shell("rm -rf pond")]);
    let mut run = pursuing(&main, GoalRequest::new("Tidy up")).await;
    std::fs::create_dir(run.work("pond")).unwrap();
    let question = run.question().await;
    assert_eq!(question.action, Action::shell("rm -rf pond"));
    assert!(question.offers.is_empty(), "a dangerous command is never remembered");
    assert!(run.work("pond").exists());
    run.answer(&question, ApprovalAnswer::AllowOnce { edited_command: None }).await;
    ended(&mut run).await;
    assert!(!run.work("pond").exists());
}

#[tokio::test]
async fn the_answers_do_what_they_say() {
    let not_now = ApprovalAnswer::NotNow;
    let main = mind(&[shell("rm -rf pond"), shell("rm -rf lake"), shell("rm -rf sea"), complete()]);
    let mut run = pursuing(&main, GoalRequest::new("Tidy up")).await;
    for name in ["pond", "lake", "sea"] {
        std::fs::create_dir(run.work(name)).unwrap();
    }
    let question = run.question().await;
    run.answer(&question, not_now).await;
    let GoalPhase::Paused { reason: GoalPause::Declined { action_id } } = paused(&mut run).await else {
        panic!("it is paused")
    };
    assert_eq!(action_id, question.step_id);
    run.tell(Command::Resume { mode: None }).await;
    let again = run.question().await;
    assert_eq!(again.step_id, question.step_id, "the same action is asked about again");
    let guidance = "keep the pond".to_owned();
    run.answer(&again, ApprovalAnswer::Instead { guidance }).await;
    let second = run.question().await;
    assert!(last_words(&main.asked()[1]).contains("keep the pond"));
    run.answer(&second, ApprovalAnswer::Never).await;
    let third = run.question().await;
    let edited_command = Some("rmdir sea".to_owned());
    run.answer(&third, ApprovalAnswer::AllowOnce { edited_command }).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
    assert!(run.work("pond").exists() && run.work("lake").exists() && !run.work("sea").exists());
    let goal = goal(&run).await;
    let outcomes: Vec<_> = goal.actions.iter().map(|action| came_to(action).0).collect();
    assert_eq!(outcomes, [CallOutcome::Declined, CallOutcome::Declined, CallOutcome::Success]);
    assert_eq!(goal.actions[2].action.content, "rmdir sea");
}

#[tokio::test]
async fn with_nobody_there_only_the_policy_says_yes() {
    for (policy, outcome) in [("", CallOutcome::Declined), ("approve = \"dangerous\"", CallOutcome::Success)]
    {
        let main = mind(&[shell("rm -rf pond"), complete()]);
        let nobody = Attendance::Nobody(PolicyFile::parse(policy).unwrap());
        let mut run = Harness::empty(nobody, &main, None).await;
        run.tell(Command::Pursue { request: GoalRequest::new("Tidy up") }).await;
        ended(&mut run).await;
        assert_eq!(came_to(&goal(&run).await.actions[0]).0, outcome, "{policy}");
    }
}

#[tokio::test]
async fn a_permission_for_consulting_counts_for_the_next_time() {
    use planwright_engine::protocol::{GrantLifetime, GrantRule};
    let ask = || super::signal("executing", &[], Some(("ai_consult", "What now?")));
    let main = mind(&[ask(), ask(), complete()]);
    let wise = planwright_tests::ScriptedMind::new(|_, _| "Nothing.".to_owned());
    let mut run = Harness::empty(Attendance::User, &main, Some(&wise)).await;
    run.tell(Command::Pursue { request: GoalRequest::new("Do it") }).await;
    let question = run.question().await;
    let rule = GrantRule::Tool { tool: "ai_consult".to_owned() };
    assert_eq!(question.offers, std::slice::from_ref(&rule));
    run.answer(&question, ApprovalAnswer::AllowAlways { rule, lifetime: GrantLifetime::Run }).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
    assert_eq!(wise.asked().len(), 2);
    let asked = run.seen.iter().filter(|record| matches!(record.event, Event::ApprovalNeeded { .. })).count();
    assert_eq!(asked, 1);
}
