//! Figures of what was done: completion rates, what mended, what was refused, when it was stopped, what it took (S5). A
//! projection of the record and nothing else: it asks nobody, keeps nothing and sends nothing anywhere.

#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeMap, HashMap};

use jiff::tz::TimeZone;

pub use words::{in_one_line, in_words};

use crate::knowledge;
use crate::protocol::{
    Action, ApprovalAnswer, Correction, CorrectionOf, DayFigures, Event, EventRecord, GoalEnd, GoalPause,
    KindCount, Metrics, Outcomes, PlanId, SourceFigures, StepId, Time, TurnEnd,
};

/// Programs and rules that are told apart; what is rarer counts in the sums alone.
const MOST_KINDS: usize = 20;
const HOURS: usize = 24;

/// Counts session after session.
#[derive(Debug)]
pub struct Tally {
    zone: TimeZone,
    figures: Metrics,
    days: BTreeMap<String, DayFigures>,
    sources: HashMap<String, SourceFigures>,
    denials: HashMap<String, u32>,
    work_millis: u64,
    /// Of each day: short steps add up before they are told in seconds.
    day_millis: HashMap<String, u64>,
}

/// How something stands that is begun and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Open,
    Completed,
    Failed,
    Cancelled,
}

/// What of a session's events is needed to understand later ones.
#[derive(Default)]
struct Session<'e> {
    plans: Vec<(PlanId, End)>,
    conversation: Option<End>,
    goal: Option<End>,
    /// Who made the correction with this number.
    sources: HashMap<u32, &'e str>,
    /// The latest plan in which one was tried.
    mended: Option<PlanId>,
    /// What is asked about, by what it would run.
    asked: HashMap<&'e StepId, String>,
    rounds: u32,
}

impl Tally {
    /// `zone`: where days and hours are counted.
    pub fn new(since: Option<Time>, zone: TimeZone) -> Self {
        let figures = Metrics { since, stops_by_hour: vec![0; HOURS], ..Metrics::default() };
        Self {
            zone,
            figures,
            days: BTreeMap::new(),
            sources: HashMap::new(),
            denials: HashMap::new(),
            work_millis: 0,
            day_millis: HashMap::new(),
        }
    }

    /// Counts all of a session's events, oldest first.
    pub fn session(&mut self, records: &[EventRecord]) {
        let mut session = Session::default();
        let mut counts = false;
        for record in records {
            let is_counted = self.figures.since.is_none_or(|since| record.at >= since);
            counts |= is_counted;
            self.event(record, is_counted, &mut session);
        }
        self.figures.sessions += u32::from(counts);
        for (_, end) in session.plans {
            count(&mut self.figures.plans, end);
        }
        session.conversation.into_iter().for_each(|end| count(&mut self.figures.conversations, end));
        session.goal.into_iter().for_each(|end| count(&mut self.figures.goals, end));
    }

    pub fn finish(self) -> Metrics {
        let mut figures = self.figures;
        figures.work_seconds = saturated(self.work_millis / 1000);
        figures.days = self.days.into_values().collect();
        for day in &mut figures.days {
            day.work_seconds = saturated(self.day_millis.get(&day.day).copied().unwrap_or_default() / 1000);
        }
        let mut sources: Vec<SourceFigures> = self.sources.into_values().collect();
        sources.sort_by(|a, b| b.tried.cmp(&a.tried).then_with(|| a.source.cmp(&b.source)));
        sources.truncate(MOST_KINDS);
        figures.corrections.by_source = sources;
        let mut denials: Vec<KindCount> =
            self.denials.into_iter().map(|(kind, count)| KindCount { kind, count }).collect();
        denials.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.kind.cmp(&b.kind)));
        denials.truncate(MOST_KINDS);
        figures.approvals.denials = denials;
        figures
    }

    /// Not counted, an event still tells what later ones mean.
    fn event<'e>(&mut self, record: &'e EventRecord, is_counted: bool, session: &mut Session<'e>) {
        let at = record.at;
        match &record.event {
            Event::PlanStarted { plan_id, .. } if is_counted => session.plan_is(*plan_id, End::Open),
            Event::PlanCompleted { .. } if is_counted => self.plan_ended(session, End::Completed, at),
            Event::PlanFailed { .. } if is_counted => self.plan_ended(session, End::Failed, at),
            Event::PlanCancelled { .. } if is_counted => {
                self.plan_ended(session, End::Cancelled, at);
                self.figures.cancels += 1;
                self.stopped(at);
            }
            Event::StepInterrupted { .. } | Event::GoalPaused { reason: GoalPause::Interrupted }
                if is_counted =>
            {
                self.figures.interrupts += 1;
                self.stopped(at);
            }
            Event::StepCompleted { result, .. } | Event::StepFailed { result, .. } if is_counted => {
                self.worked(result.started_at, result.ended_at);
            }
            Event::CallFinished { result, .. } if is_counted => {
                self.worked(result.started_at, result.ended_at);
            }
            Event::CorrectionAttempt { number, correction: Correction::Step(correction), .. } => {
                session.sources.insert(*number, correction.source.as_str());
                if is_counted {
                    self.corrected(session, &correction.source, at);
                }
            }
            Event::CorrectionSuccess { number, of: CorrectionOf::Step, .. } if is_counted => {
                self.figures.corrections.helped += 1;
                if let Some(source) = session.sources.get(number) {
                    self.source(source).helped += 1;
                }
            }
            Event::ApprovalNeeded { approval } => {
                session.asked.insert(&approval.step_id, kind_of(&approval.action));
            }
            Event::ApprovalResolved { step_id, answer, .. } if is_counted => {
                let kind = session.asked.get(step_id).cloned().unwrap_or_default();
                self.answered(answer, kind, at);
            }
            Event::UserMessage { .. } if is_counted => {
                session.conversation = Some(End::Open);
                session.rounds = 0;
            }
            Event::AssistantMessage { round, .. } if is_counted => session.rounds = *round,
            Event::TurnEnded { end, .. } if is_counted => self.turn_ended(session, end, at),
            Event::GoalStarted { .. } if is_counted => {
                // An older one of the session is over whatever it was.
                session
                    .goal
                    .replace(End::Open)
                    .into_iter()
                    .for_each(|end| count(&mut self.figures.goals, end));
            }
            Event::GoalEnded { end, .. } if is_counted => {
                let end = match end {
                    GoalEnd::Complete { .. } => End::Completed,
                    GoalEnd::Stuck { .. } | GoalEnd::OutOfBudget { .. } => End::Failed,
                    GoalEnd::Cancelled => End::Cancelled,
                };
                if end == End::Cancelled {
                    self.figures.cancels += 1;
                    self.stopped(at);
                }
                session.goal = Some(end);
                self.ended_on(end, at);
            }
            Event::ModelUsed { usage, .. } if is_counted => {
                self.figures.usage.add(usage);
                let day = self.day(at);
                day.tokens =
                    day.tokens.saturating_add(usage.input_tokens.saturating_add(usage.output_tokens));
                day.cost_micros = day.cost_micros.saturating_add(usage.cost_micros);
            }
            // Nothing of the others is counted.
            _ => {}
        }
    }

    fn plan_ended(&mut self, session: &mut Session<'_>, end: End, at: Time) {
        if let Some((_, open)) = session.plans.last_mut() {
            *open = end;
        }
        self.ended_on(end, at);
    }

    fn turn_ended(&mut self, session: &mut Session<'_>, end: &TurnEnd, at: Time) {
        let end = match end {
            TurnEnd::Done | TurnEnd::PlanProposed { .. } | TurnEnd::Asked => End::Completed,
            TurnEnd::Interrupted => End::Cancelled,
            TurnEnd::RoundDone => End::Open,
            TurnEnd::MaxTokens
            | TurnEnd::Filtered
            | TurnEnd::Rounds { .. }
            | TurnEnd::CapReached
            | TurnEnd::Refused { .. }
            | TurnEnd::Failed { .. } => End::Failed,
        };
        session.conversation = Some(end);
        self.figures.turns += 1;
        self.figures.rounds += session.rounds;
        self.figures.most_rounds = self.figures.most_rounds.max(session.rounds);
        if end == End::Cancelled {
            self.figures.interrupts += 1;
            self.stopped(at);
        }
        self.ended_on(end, at);
    }

    fn ended_on(&mut self, end: End, at: Time) {
        let day = self.day(at);
        match end {
            End::Completed => day.completed += 1,
            End::Failed => day.failed += 1,
            End::Open | End::Cancelled => {}
        }
    }

    fn corrected(&mut self, session: &mut Session<'_>, source: &str, at: Time) {
        self.figures.corrections.tried += 1;
        self.source(source).tried += 1;
        let plan = session.plans.last().map(|(plan, _)| *plan);
        if session.mended != plan || plan.is_none() {
            self.figures.corrections.plans += 1;
            session.mended = plan;
        }
        self.day(at).corrections += 1;
    }

    fn answered(&mut self, answer: &ApprovalAnswer, kind: String, at: Time) {
        let figures = &mut self.figures.approvals;
        figures.answered += 1;
        let (place, is_denial) = match answer {
            ApprovalAnswer::AllowOnce { .. } | ApprovalAnswer::InTerminal => {
                (&mut figures.allowed_once, false)
            }
            ApprovalAnswer::AllowAlways { .. } => (&mut figures.allowed_always, false),
            ApprovalAnswer::NotNow => (&mut figures.not_now, true),
            ApprovalAnswer::Never => (&mut figures.never, true),
            ApprovalAnswer::Instead { .. } => (&mut figures.instead, true),
        };
        *place += 1;
        if is_denial {
            *self.denials.entry(kind).or_default() += 1;
            self.day(at).denials += 1;
        }
    }

    fn stopped(&mut self, at: Time) {
        let hour = at.0.to_zoned(self.zone.clone()).hour();
        if let Some(count) =
            usize::try_from(hour).ok().and_then(|hour| self.figures.stops_by_hour.get_mut(hour))
        {
            *count += 1;
        }
        self.day(at).stops += 1;
    }

    fn worked(&mut self, from: Time, to: Time) {
        let millis = to.millis_since(from);
        self.work_millis += u64::from(millis);
        let day = self.day(to).day.clone();
        *self.day_millis.entry(day).or_default() += u64::from(millis);
    }

    fn source(&mut self, source: &str) -> &mut SourceFigures {
        let new = || SourceFigures { source: source.to_owned(), ..SourceFigures::default() };
        self.sources.entry(source.to_owned()).or_insert_with(new)
    }

    fn day(&mut self, at: Time) -> &mut DayFigures {
        let day = at.0.to_zoned(self.zone.clone()).date().to_string();
        let new = || DayFigures { day: day.clone(), ..DayFigures::default() };
        self.days.entry(day.clone()).or_insert_with(new)
    }
}

impl Session<'_> {
    fn plan_is(&mut self, plan: PlanId, end: End) {
        match self.plans.iter().position(|(known, _)| *known == plan) {
            // Its runs are one after another, and the last counts.
            Some(at) => {
                self.plans.remove(at);
                self.plans.push((plan, end));
            }
            None => self.plans.push((plan, end)),
        }
    }
}

/// The figures of one session alone.
pub fn of_session(records: &[EventRecord]) -> Metrics {
    let mut tally = Tally::new(None, TimeZone::UTC);
    tally.session(records);
    tally.finish()
}

fn count(outcomes: &mut Outcomes, end: End) {
    *match end {
        End::Open => &mut outcomes.open,
        End::Completed => &mut outcomes.completed,
        End::Failed => &mut outcomes.failed,
        End::Cancelled => &mut outcomes.cancelled,
    } += 1;
}

/// The first program of a command that is known and does more than run another, or the tool: no word of the user's own,
/// which could be private.
fn kind_of(action: &Action) -> String {
    const UNKNOWN: &str = "shell";
    match action {
        Action::Tool { tool, .. } => tool.clone(),
        Action::Manual { .. } => "by hand".to_owned(),
        Action::Shell { command } => {
            let words = command.split(|char: char| char.is_whitespace() || ";|&()`'\"".contains(char));
            let names = words.map(|word| word.rsplit('/').next().unwrap_or(word));
            let is_kind = |name: &&str| {
                let is_name = name.starts_with(char::is_alphanumeric) && *name != "cd";
                is_name && knowledge::program(name).is_some_and(|program| program.wraps.is_none())
            };
            names.into_iter().find(is_kind).unwrap_or(UNKNOWN).to_owned()
        }
    }
}

fn saturated(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
