//! Samples that the journal's tests share.

mod attention;
mod crash;
#[cfg(unix)]
mod damage;
mod fold;
mod lines;
mod page;
mod random;
mod report;
mod report_of_goal;
mod speed;
mod storage;
mod store;
mod sub_goals;
mod versions;

use std::sync::Arc;

use super::*;
use crate::plan::changes;
use crate::protocol::*;

pub(super) fn session_created() -> Event {
    Event::SessionCreated { title: "Set up".into(), cwd: "/work".into() }
}

pub(super) fn step(id: &str, command: &str) -> Step {
    Step {
        id: id.into(),
        index: 0,
        title: format!("Step {id}"),
        kind: StepKind::Execute,
        action: Action::shell(command),
        changed: None,
        why: None,
        expected: None,
        verify: None,
        ok_exit: vec![0],
        depends_on: vec![],
        limits: StepLimits::default(),
        service: None,
        estimate_seconds: None,
        assessment: Some(assessment(Risk::Caution)),
        warning: None,
        origin: StepOrigin::Original,
        state: StepState::Pending,
    }
}

pub(super) fn repair(id: &str, for_step: &str, revision: u32) -> Step {
    Step {
        kind: StepKind::Repair,
        origin: StepOrigin::Repair {
            for_step: for_step.into(),
            source: "guide:missing-directory".into(),
            reason: "the folder is missing".into(),
            revision,
        },
        ..step(id, "mkdir out")
    }
}

pub(super) fn assessment(risk: Risk) -> Assessment {
    Assessment {
        risk,
        reasons: vec![],
        effects: Effects::default(),
        undo: UndoOutlook::Cannot { why: "it sends data".into() },
        keyboard: None,
    }
}

pub(super) fn plan(steps: Vec<Step>) -> Plan {
    let mut plan = Plan {
        id: PlanId::new(),
        revision: 1,
        title: "Set up".into(),
        intent: "Set up the project".into(),
        mode: Mode::Planner,
        on_failure: OnFailure::Stop,
        origin: PlanOrigin::Runbook { name: "setup.md".into() },
        original_steps: steps.len() as u32,
        state: PlanState::Draft,
        steps: steps.into_iter().map(Arc::new).collect(),
        page: None,
        inputs: Vec::new(),
    };
    changes::number_all(&mut plan.steps);
    plan
}

pub(super) fn confirmed(plan: &Plan) -> Event {
    Event::PlanConfirmed { plan_id: plan.id, revision: plan.revision, allowed: vec![] }
}

pub(super) fn began(plan: &Plan, mode: Mode) -> Vec<Event> {
    vec![
        session_created(),
        Event::PlanGenerated { plan: plan.clone() },
        confirmed(plan),
        Event::PlanStarted { plan_id: plan.id, mode },
    ]
}

pub(super) fn started(id: &str, attempt: u32) -> Event {
    Event::StepStarted {
        step_id: id.into(),
        attempt,
        command: "cp a out/".into(),
        cwd: "/work".into(),
        revision: 1,
        allowed_by: AllowedBy::Mode,
        terminal: false,
    }
}

pub(super) fn result(id: &str, attempt: u32, code: i32) -> StepResult {
    StepResult {
        step_id: id.into(),
        attempt_index: attempt,
        command: "cp a out/".into(),
        cwd: "/work".into(),
        exit_status: ExitStatus::Code { code },
        stdout: "".into(),
        stderr: "".into(),
        output: format!("\u{1b}[31mattempt {attempt}\u{1b}[0m\n```\n# not a heading\n").into(),
        omitted_lines: 0,
        started_at: Time::now(),
        ended_at: Time::now(),
        files_changed: vec!["/work/out/a".into()],
        more_files_changed: 0,
        verify: None,
        leftovers: 0,
    }
}

pub(super) fn completed(id: &str, attempt: u32, shell: Option<&str>) -> Event {
    let shell = shell.map(|cwd| ShellState { cwd: cwd.into(), ..ShellState::default() });
    Event::StepCompleted { result: result(id, attempt, 0), shell }
}

pub(super) fn failed(id: &str, attempt: u32) -> Event {
    Event::StepFailed { result: result(id, attempt, 1), reason: "no such folder".into() }
}

pub(super) fn thinking(id: &str) -> Event {
    Event::AgentThinking { step_id: id.into(), asking: "field guide".into(), about: "no such folder".into() }
}

pub(super) fn correction(id: &str, number: u32, action: CorrectionAction) -> Event {
    Event::CorrectionAttempt {
        step_id: id.into(),
        number,
        correction: Correction::Step(AgentCorrection {
            action,
            reasoning: "the folder is missing".into(),
            source: "guide:missing-directory".into(),
            confidence: 0.9,
            modified_command: None,
            new_steps: None,
            alternatives: None,
            candidates: Vec::new(),
            wait_seconds: None,
            warning: None,
        }),
    }
}

pub(super) fn approval(id: &str) -> Approval {
    Approval {
        id: ApprovalId::new(),
        step_id: id.into(),
        revision: 1,
        action: Action::shell("rm -rf out"),
        cwd: "/work".into(),
        user: "me".into(),
        assessment: assessment(Risk::Dangerous),
        warning_message: "It deletes a folder.".into(),
        proposer: Proposer::Plan,
        previous_command: None,
        diffs: Vec::new(),
        environment: Vec::new(),
        suggested: None,
        binding: String::new(),
        terminal: false,
        offers: vec![],
        asked_at: Time::now(),
    }
}

pub(super) fn resolved(approval: &Approval, answer: ApprovalAnswer) -> Event {
    Event::ApprovalResolved {
        approval_id: approval.id,
        step_id: approval.step_id.clone(),
        answer,
        allowed_by: None,
    }
}

pub(super) fn inserted(plan: &Plan, new: Step, before: usize) -> Event {
    let mut revised = plan.clone();
    revised.revision += 1;
    let step_id = plan.steps[before].id.clone();
    revised.steps.insert(before, Arc::new(new));
    revision(plan, &revised, Author::Agent { source: "guide:missing-directory".into() }, Some(step_id))
}

pub(super) fn revision(before: &Plan, after: &Plan, author: Author, step_id: Option<StepId>) -> Event {
    Event::PlanRevised {
        plan_id: after.id,
        revision: after.revision,
        original_steps: after.original_steps,
        changes: changes::between(&before.steps, &after.steps),
        author,
        reason: "the folder is missing".into(),
        step_id,
        page: None,
        inputs: None,
    }
}

pub(super) fn empty() -> SessionState {
    begin(SessionId::new(), "", "", Time::now())
}

/// Applies the events; the numbers of those that were impossible.
pub(super) fn apply_all(state: &mut SessionState, events: Vec<Event>) -> Vec<u32> {
    let mut impossible = Vec::new();
    for event in events {
        let record = EventRecord { session_id: state.id, seq: state.seq + 1, at: Time::now(), event };
        if apply(state, &record).is_err() {
            impossible.push(record.seq);
        }
    }
    impossible
}

pub(super) fn after(events: Vec<Event>) -> SessionState {
    let mut state = empty();
    assert_eq!(apply_all(&mut state, events), Vec::<u32>::new());
    state
}

pub(super) fn step_state<'a>(state: &'a SessionState, id: &str) -> &'a StepState {
    &state.plan.as_ref().unwrap().step(&id.into()).unwrap().state
}

pub(super) fn plan_state(state: &SessionState) -> &PlanState {
    &state.plan.as_ref().unwrap().state
}
