//! Command blocks and what the shell reader found in them → a draft. Splits where the reader says a top-level command
//! ends, and nowhere else; names and explains the steps from the page.

#[path = "living.rs"]
mod living;

use std::collections::HashSet;
use std::sync::Arc;

use planwright_shell::{DoubtKind, Facts};

use super::blocks::{Block, Content, Page};
use super::{describe, inputs, no_commands};
use crate::plan::page::served_on;
use crate::plan::raw::{file_title, non_blank};
use crate::plan::validate::{MAX_IMPORTED_STEPS, check_command, invalid, tidy_command, validate};
use crate::protocol::{
    Action, EngineError, ErrorCode, LeftOut, PageChoice, PageReading, PageRole, PageWay, Plan, PlanId,
    PlanOrigin, PlanState, ServiceSpec, Step, StepId, StepKind, StepLimits, StepOrigin, StepPlace, StepState,
};

/// Makes a draft of `page`. `facts` has one entry for each block, in order, of [`Block::text_to_read`]; for a block
/// that needs no reading any value. Every step depends on the one before it unless the page states otherwise. A block that cannot
/// be read is left out and listed, unless it is all there is.
pub fn assemble(page: &Page, facts: &[Facts]) -> Result<Plan, EngineError> {
    if facts.len() != page.blocks.len() {
        return Err(EngineError::new(
            ErrorCode::Internal,
            "The runbook was read in part only. Import it again.",
        ));
    }
    let mut found = Vec::with_capacity(page.blocks.len());
    let mut fault = None;
    for (place, (block, facts)) in page.blocks.iter().zip(facts).enumerate() {
        match commands_of(page, place, block, facts) {
            Ok(commands) => found.push(Ok(commands)),
            // What is left out may be anything.
            Err(_) if !block.is_taken() => found.push(Ok(vec![whole(block)])),
            // A comment of ours that is wrong is the writer's mistake, and told.
            Err(error) if error.code == ErrorCode::InvalidPlan => return Err(error),
            Err(error) => {
                found.push(Err(error.message.clone()));
                fault.get_or_insert(error);
            }
        }
    }
    living::across(&page.blocks, &mut found);
    let count = |place: usize| match &found[place] {
        Ok(commands) if page.blocks[place].is_taken() => commands.len(),
        Ok(_) | Err(_) => 0,
    };
    let mut steps: Vec<Step> = Vec::new();
    let mut is_exported = false;
    let mut reading = PageReading { choices: choices(page), ..PageReading::default() };
    for (place, commands) in found.iter().enumerate() {
        let block = &page.blocks[place];
        let number = offset(place);
        let (start, end) = (offset(block.range.start), offset(block.range.end));
        let (role, why) = match commands {
            Ok(_) => (block.role, block.why.clone()),
            Err(fault) => (PageRole::Unreadable, fault.clone()),
        };
        let unreadable = commands.is_err().then(|| whole(block));
        let commands = commands.as_deref().unwrap_or(unreadable.as_slice());
        // A heading names a step only where it stands over that step alone and is not the page's own.
        let alone = commands.len() == 1
            && block.headings.last() != page.title.as_ref()
            && !page.blocks.iter().enumerate().any(|(other, block_there)| {
                other != place && count(other) > 0 && block_there.headings == block.headings
            });
        is_exported |= commands.iter().any(|command| command.id.is_some());
        let made: Vec<Step> = commands
            .iter()
            .enumerate()
            .map(|(nth, command)| step_of(command, block, nth, alone, commands.len() == 1))
            .collect();
        reading.steps.extend(made.iter().map(|step| StepPlace {
            step_id: step.id.clone(),
            block: number,
            start,
            end,
            role,
            why: why.clone(),
            text: if step.action.is_manual() { String::new() } else { step.action.command().to_owned() },
        }));
        if role == block.role && block.is_taken() {
            for (mut step, command) in made.into_iter().zip(commands) {
                step.index = offset(steps.len());
                if command.depends_on.is_none() {
                    step.depends_on = steps.last().map(|before| before.id.clone()).into_iter().collect();
                }
                steps.push(step);
            }
        } else {
            reading.left_out.push(LeftOut {
                block: number,
                role,
                why,
                text: block.text(),
                start,
                end,
                after: steps.last().map(|step| step.id.clone()),
                steps: made.into_iter().filter(is_runnable).collect(),
            });
        }
    }
    if steps.is_empty() {
        return Err(fault.unwrap_or_else(|| no_commands(&page.name, &reading.left_out)));
    }
    // In a page that was made of a plan what was left open is declared, and everything else is meant as it stands.
    let inputs = if is_exported {
        page.inputs.clone()
    } else {
        let left_out = reading.left_out.iter_mut().flat_map(|one| &mut one.steps);
        inputs::take_inputs(steps.iter_mut().chain(left_out), page.inputs.clone(), &page.replaced)
    };
    let title = non_blank(page.attributes.title.clone())
        .or_else(|| non_blank(page.title.clone()))
        .or_else(|| file_title(&page.name))
        .or_else(|| first_sentence(&page.intro))
        .or_else(|| steps.first().map(|step| step.title.clone()))
        .unwrap_or_default();
    let mut intent = non_blank(page.attributes.intent.clone())
        .or_else(|| non_blank(Some(page.intro.clone())))
        .unwrap_or_else(|| title.clone());
    if let Some(note) = page.note {
        intent = format!("{intent} ({note})");
    }
    let plan = Plan {
        id: PlanId::new(),
        revision: 1,
        title,
        intent,
        mode: page.attributes.mode.unwrap_or_default(),
        on_failure: page.attributes.on_failure.unwrap_or_default(),
        origin: PlanOrigin::Runbook { name: page.name.clone() },
        original_steps: u32::try_from(steps.len()).unwrap_or(u32::MAX),
        state: PlanState::Draft,
        steps: steps.into_iter().map(Arc::new).collect(),
        page: Some(Arc::new(reading)),
        inputs,
    };
    validate(&plan, MAX_IMPORTED_STEPS)?;
    Ok(plan)
}

fn is_runnable(step: &Step) -> bool {
    check_command(step.action.command()).is_ok()
}

fn choices(page: &Page) -> Vec<PageChoice> {
    page.choices
        .iter()
        .enumerate()
        .map(|(place, choice)| PageChoice {
            name: choice.name.clone(),
            ways: choice
                .ways
                .iter()
                .enumerate()
                .map(|(way, one)| PageWay {
                    name: one.name.clone(),
                    texts: page
                        .blocks
                        .iter()
                        .filter(|block| block.ways.contains(&(place, way)))
                        .map(Block::text)
                        .collect(),
                    blocks: page
                        .blocks
                        .iter()
                        .enumerate()
                        .filter(|(_, block)| block.ways.contains(&(place, way)))
                        .map(|(number, _)| offset(number))
                        .collect(),
                    unfit: one.unfit.clone(),
                })
                .collect(),
            chosen: offset(choice.chosen),
            decided: choice.decided.clone(),
        })
        .collect()
}

fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// What the page is for, where it begins with words that are short enough for a title.
fn first_sentence(intro: &str) -> Option<String> {
    const LONGEST: usize = 80;
    let line = intro.trim().lines().next()?;
    let end = line.find(". ").unwrap_or(line.len());
    let sentence = line.get(..end)?.trim_end_matches(['.', ':', '!']).trim();
    (!sentence.is_empty() && sentence.chars().count() <= LONGEST).then(|| sentence.to_owned())
}

/// One step to be, with what is known of it alone.
#[derive(Default)]
struct Command {
    text: String,
    /// The text is what the user is to do.
    manual: bool,
    comment: String,
    /// The comment stands behind the command, so it says something about it but does not name it.
    comment_behind: bool,
    note: Option<&'static str>,
    expected: Option<String>,
    id: Option<StepId>,
    title: Option<String>,
    kind: Option<StepKind>,
    why: Option<String>,
    verify: Option<String>,
    ok_exit: Option<Vec<i32>>,
    depends_on: Option<Vec<StepId>>,
    limits: StepLimits,
    service: Option<ServiceSpec>,
    estimate_seconds: Option<u32>,
    /// From an exported page, where a heading is the step's own and the prose its whole reason.
    exported: bool,
}

fn commands_of(page: &Page, place: usize, block: &Block, facts: &Facts) -> Result<Vec<Command>, EngineError> {
    match &block.content {
        Content::Manual(instruction) => {
            if let Some(command) = living::by_hand(instruction) {
                return Ok(vec![command]);
            }
            Ok(vec![Command { text: instruction.trim().to_owned(), manual: true, ..Command::default() }])
        }
        Content::Step { text, attributes } => {
            if text.trim().is_empty() {
                return Err(invalid(format!("The step in line {} has no command. Write one.", block.line)));
            }
            Ok(vec![Command {
                text: tidy_command(text),
                manual: attributes.manual,
                expected: attributes.expected.clone().or_else(|| block.expected.clone()),
                id: attributes.id.clone(),
                title: attributes.title.clone(),
                kind: attributes.kind,
                why: attributes.why.clone(),
                verify: attributes.verify.clone(),
                ok_exit: attributes.ok_exit.clone(),
                depends_on: attributes.depends_on.clone(),
                limits: StepLimits {
                    wall_seconds: attributes.wall_seconds,
                    silence_seconds: attributes.silence_seconds,
                },
                service: attributes.service.clone(),
                estimate_seconds: attributes.estimate_seconds,
                exported: true,
                ..Command::default()
            }])
        }
        Content::Console(commands) => {
            check_doubts(page, place, block, facts)?;
            let root = "The page shows this with the prompt of the superuser (#).";
            let typed = commands
                .iter()
                .map(|one| Command {
                    text: tidy_command(&one.text),
                    comment: one.remark.clone(),
                    note: one.as_root.then_some(root),
                    expected: non_blank(Some(one.shown.join("\n"))),
                    ..Command::default()
                })
                .collect();
            Ok(living::together(typed, facts).into_iter().map(living::anew).collect())
        }
        Content::File(written) => {
            let name = written.path.rsplit('/').next().unwrap_or(&written.path);
            Ok(vec![Command {
                text: written.command.clone(),
                title: Some(describe::shorten(&format!("Write {name}"))),
                kind: Some(StepKind::Configure),
                ..Command::default()
            }])
        }
        // A command may be taken for output.
        Content::Shown(_) if block.role == PageRole::Output => Ok(vec![whole(block)]),
        Content::Shown(_) => Ok(Vec::new()),
        Content::Script(text) => {
            check_doubts(page, place, block, facts)?;
            let mut commands: Vec<Command> = split(text, facts).into_iter().map(living::anew).collect();
            if let (Some(last), Some(expected)) = (commands.last_mut(), &block.expected) {
                last.expected = non_blank(Some(expected.clone()));
            }
            Ok(commands)
        }
    }
}

/// A block that nobody could split, for the user who takes it in all the same.
fn whole(block: &Block) -> Command {
    Command { text: tidy_command(&block.text()), ..Command::default() }
}

fn step_of(command: &Command, block: &Block, nth: usize, alone: bool, single: bool) -> Step {
    let heading = block.headings.last().map(|heading| without_number(heading));
    let prose = if nth == 0 { block.prose.trim() } else { "" };
    let action = if command.manual {
        Action::manual(command.text.clone())
    } else {
        Action::shell(command.text.clone())
    };
    let (made, kind) = describe::of_action(&action);
    // Words that state a fact ("takes a minute") name a step only where the command itself says less.
    let serves = |said: &String| describe::tells_what_to_do(said) || describe::is_plain(&made);
    let title = non_blank(command.title.clone())
        .or_else(|| heading.clone().filter(|_| command.exported))
        .or_else(|| {
            let said = describe::first_sentence(&command.comment)?;
            (!command.comment_behind && serves(&said)).then_some(said)
        })
        .or_else(|| {
            heading.filter(|heading| alone && !heading.is_empty()).map(|text| describe::shorten(&text))
        })
        .or_else(|| single.then(|| describe::first_sentence(prose)).flatten().filter(serves))
        .filter(|title| !title.trim().is_empty())
        .unwrap_or_else(|| made.clone());
    let reasons: Vec<&str> = [prose, command.comment.trim(), command.note.unwrap_or_default()]
        .into_iter()
        .filter(|reason| !reason.is_empty())
        .collect();
    Step {
        id: command.id.clone().unwrap_or_else(StepId::new),
        index: 0,
        title,
        kind: command.kind.unwrap_or(kind),
        action,
        changed: None,
        why: command.why.clone().or_else(|| non_blank(Some(reasons.join("\n\n")))),
        expected: command.expected.clone(),
        verify: command.verify.clone(),
        ok_exit: command.ok_exit.clone().unwrap_or_else(|| vec![0]),
        depends_on: command.depends_on.clone().unwrap_or_default(),
        limits: command.limits,
        service: command.service.clone().or_else(|| served(command, block)),
        estimate_seconds: command.estimate_seconds,
        assessment: None,
        warning: None,
        origin: StepOrigin::Original,
        state: StepState::Pending,
    }
}

/// A server in the middle of a page goes on while the later steps run. A whole script says itself what waits for what.
fn served(command: &Command, block: &Block) -> Option<ServiceSpec> {
    if command.exported || command.manual || block.line == 0 {
        return None;
    }
    let ready = served_on(&command.text)?;
    Some(ServiceSpec { ready, within_seconds: ServiceSpec::WITHIN_SECONDS })
}

/// "3. Build", "Step 2: Build" → "Build".
pub(in crate::plan) fn without_number(heading: &str) -> String {
    let heading = heading.trim();
    let rest = heading.strip_prefix("Step ").unwrap_or(heading);
    let digits = rest.len() - rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let text = match (digits, rest[digits..].strip_prefix(['.', ')', ':'])) {
        (1.., Some(text)) if text.starts_with(' ') => text.trim(),
        _ => heading,
    };
    if text.is_empty() { heading.to_owned() } else { text.to_owned() }
}

fn check_doubts(page: &Page, place: usize, block: &Block, facts: &Facts) -> Result<(), EngineError> {
    for doubt in &facts.doubts {
        let code = match doubt.kind {
            DoubtKind::TooLong => ErrorCode::TooLarge,
            DoubtKind::Syntax | DoubtKind::TooDeep | DoubtKind::Exhausted => ErrorCode::ScriptSyntax,
            // Read whole; the risk assessment shows what is wrong, where a person can see the command.
            DoubtKind::Hidden | DoubtKind::Disagreement => continue,
        };
        let place_in_page = match (block.line, doubt.line, &block.content) {
            (0, Some(line), _) => format!("Line {line} of {}", page.name),
            (0, None, _) => page.name.clone(),
            (fence, Some(line), Content::Script(_)) => {
                format!("Line {} of {} (in command block {})", fence + line, page.name, place + 1)
            }
            (fence, _, _) => format!("Command block {} (line {fence}) of {}", place + 1, page.name),
        };
        let what = match doubt.kind {
            // The reader knows no more than that; bash says it better.
            DoubtKind::Syntax => String::new(),
            DoubtKind::TooLong
            | DoubtKind::TooDeep
            | DoubtKind::Exhausted
            | DoubtKind::Hidden
            | DoubtKind::Disagreement => {
                format!(": {}", doubt.text.trim_end_matches('.'))
            }
        };
        let advice = if block.line == 0 {
            format!("`bash -n {}` shows what bash makes of it. Correct it and import it again.", page.name)
        } else {
            "Correct it, or mark the block as ```text if it is not meant to run.".to_owned()
        };
        return Err(EngineError::new(
            code,
            format!("{place_in_page} cannot be read as shell commands{what}. {advice}"),
        ));
    }
    Ok(())
}

/// One step for each top-level command. Lines that only set how the shell stops are no steps of their own, but stand before the
/// command that follows; the shell keeps them from there on.
fn split(script: &str, facts: &Facts) -> Vec<Command> {
    let lines_of_comment: HashSet<&str> =
        script.lines().filter_map(|line| line.trim().strip_prefix('#')).map(str::trim).collect();
    let mut options: Vec<&str> = Vec::new();
    let mut carried_comment = String::new();
    let mut commands = Vec::new();
    for (place, piece) in facts.pieces.iter().enumerate() {
        let text = piece.text.trim();
        let ends_script = place + 1 == facts.pieces.len() && matches!(text, "exit" | "exit 0");
        if sets_options(text) {
            options.push(text);
            join_comment(&mut carried_comment, &piece.comment);
            continue;
        }
        if ends_script || text.is_empty() {
            continue;
        }
        let own = closed(tidy_command(&piece.text));
        let lines: Vec<&str> = options.drain(..).chain([own.as_str()]).collect();
        let mut comment = std::mem::take(&mut carried_comment);
        join_comment(&mut comment, &piece.comment);
        let first = comment.lines().map(str::trim).find(|line| !line.is_empty());
        let comment_behind = first.is_some_and(|line| !lines_of_comment.contains(line));
        commands.push(Command { text: lines.join("\n"), comment, comment_behind, ..Command::default() });
    }
    if !options.is_empty() {
        // For the blocks that follow.
        commands.push(Command { text: options.join("\n"), comment: carried_comment, ..Command::default() });
    }
    commands
}

/// A line that goes on to nothing: in a script the backslash goes with the line's end, at a command's very end it would be one.
fn closed(mut command: String) -> String {
    let slashes = command.len() - command.trim_end_matches('\\').len();
    if slashes % 2 == 1 {
        command.pop();
        command.truncate(command.trim_end().len());
    }
    command
}

fn join_comment(comment: &mut String, more: &str) {
    if !more.trim().is_empty() {
        if !comment.is_empty() {
            comment.push('\n');
        }
        comment.push_str(more.trim());
    }
}

/// `set -euo pipefail`, `set +u` and their like: options that make a script stop earlier, on or off, and nothing else.
fn sets_options(text: &str) -> bool {
    let mut words = text.split_whitespace();
    if words.next() != Some("set") {
        return false;
    }
    let mut any = false;
    let mut names_option = false;
    for word in words {
        any = true;
        if std::mem::take(&mut names_option) {
            if !matches!(word, "pipefail" | "errexit" | "nounset" | "errtrace") {
                return false;
            }
            continue;
        }
        let Some(letters) = word.strip_prefix(['-', '+']) else { return false };
        if letters.is_empty() || !letters.chars().all(|letter| "euEo".contains(letter)) {
            return false;
        }
        names_option = letters.ends_with('o');
    }
    any && !names_option
}

#[cfg(test)]
#[path = "assemble_tests.rs"]
mod tests;
