//! The walk over the parser's tree: every simple command at any depth, with what surrounds it.
//! Owns the facts while they grow. Every kind of node is named; none is passed over by a wildcard.

use brush_parser::ast::{
    AndOr, Assignment as Assigned, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem,
    CompoundCommand, CompoundList, ExtendedTestExpr, IoFileRedirectTarget, IoRedirect, Pipeline, Program,
    RedirectList, SeparatorOperator, SimpleCommand as Simple,
};
use brush_parser::{ParseError, SourceSpan};

use super::place::{Base, Layer, line_of};
use super::redirects::is_of_input;
use super::words::{Role, unknown_whole};
use crate::{
    Assignment, Context, Doubt, DoubtKind, Facts, Function, MAX_NESTING, Part, SimpleCommand, Span, Value,
    Word,
};

#[derive(Debug, Default)]
pub(super) struct Walk {
    pub(super) facts: Facts,
    /// The outermost text, for line numbers.
    pub(super) text: String,
    pipelines: u32,
    depth: usize,
    /// Words that braces made so far.
    pub(super) from_braces: usize,
}

impl Walk {
    pub(super) fn doubt(&mut self, kind: DoubtKind, text: String, line: Option<u32>) {
        let doubt = Doubt { kind, text, line };
        if !self.facts.doubts.contains(&doubt) {
            self.facts.doubts.push(doubt);
        }
    }

    pub(super) fn syntax(&mut self, error: &ParseError, text: &str, base: Option<Base>) {
        let line = match base {
            None => super::error_line(error, text),
            Some(Base::At(start)) => {
                line_of(&self.text, start as usize).saturating_add(super::error_line(error, text) - 1)
            }
            Some(Base::Within(span)) => line_of(&self.text, span.start as usize),
        };
        self.doubt(DoubtKind::Syntax, "It is not shell that the reader knows".into(), Some(line));
    }

    pub(super) fn program(&mut self, layer: &Layer, program: &Program) {
        if self.text.is_empty() {
            self.text = layer.chars.iter().collect();
        }
        for list in &program.complete_commands {
            self.list(layer, list, Context::default());
        }
    }

    /// The text inside `$(…)` or backticks.
    pub(super) fn nested(&mut self, text: &str, base: Base, context: Context) {
        if self.too_deep() {
            return;
        }
        match super::parse(text) {
            Ok((tokens, program)) => {
                if ends_in_comment(text, tokens.len()) {
                    self.unreadable(text, base);
                }
                let inner =
                    Context { in_substitution: true, in_subshell: true, piped_into: false, ..context };
                let layer = Layer::new(text, base);
                self.depth += 1;
                for list in &program.complete_commands {
                    self.list(&layer, list, inner);
                }
                self.depth -= 1;
            }
            Err(error) => self.syntax(&error, text, Some(base)),
        }
    }

    fn too_deep(&mut self) -> bool {
        let deep = self.depth >= MAX_NESTING;
        if deep {
            self.doubt(DoubtKind::TooDeep, "It is nested too deep to be read".into(), None);
        }
        deep
    }

    pub(super) fn list(&mut self, layer: &Layer, list: &CompoundList, context: Context) {
        for item in &list.0 {
            let background = matches!(item.1, SeparatorOperator::Async);
            let context = Context {
                background: context.background || background,
                in_subshell: context.in_subshell || background,
                ..context
            };
            self.pipeline(layer, &item.0.first, context);
            for next in &item.0.additional {
                let (AndOr::And(pipeline) | AndOr::Or(pipeline)) = next;
                self.pipeline(layer, pipeline, Context { conditional: true, ..context });
            }
        }
    }

    fn pipeline(&mut self, layer: &Layer, pipeline: &Pipeline, context: Context) {
        let last = pipeline.seq.len().saturating_sub(1);
        if last == 0 && (context.piped_from || context.piped_into) {
            // Alone in a group that is itself a stage: it reads and writes where the group does.
            for command in &pipeline.seq {
                self.command(layer, command, context);
            }
            return;
        }
        let number = self.pipelines;
        self.pipelines += 1;
        for (stage, command) in pipeline.seq.iter().enumerate() {
            let context = Context {
                piped_from: context.piped_from || stage > 0,
                piped_into: context.piped_into || stage < last,
                pipeline: number,
                stage: super::place::small(stage),
                in_subshell: context.in_subshell || last > 0,
                ..context
            };
            self.command(layer, command, context);
        }
    }

    fn command(&mut self, layer: &Layer, command: &Command, context: Context) {
        if self.too_deep() {
            return;
        }
        self.depth += 1;
        match command {
            Command::Simple(simple) => self.simple(layer, simple, context),
            Command::Compound(compound, redirects) => {
                self.redirects_of(layer, redirects.as_ref(), compound_span(layer, compound), context);
                let piped_from = context.piped_from || redirects.as_ref().is_some_and(feeds);
                self.compound(layer, compound, Context { piped_from, ..context });
            }
            Command::Function(function) => {
                let first = super::place::small(self.facts.commands.len());
                let inner = Context { in_function: true, ..context };
                let span = compound_span(layer, &function.body.0);
                self.redirects_of(layer, function.body.1.as_ref(), span, inner);
                self.compound(layer, &function.body.0, inner);
                let body = first..super::place::small(self.facts.commands.len());
                self.facts.functions.push(Function { name: function.fname.value.clone(), body });
            }
            Command::ExtendedTest(test, redirects) => {
                let span = span_of(layer, &test.loc);
                self.redirects_of(layer, redirects.as_ref(), span, context);
                self.test(&test.expr, span, context);
            }
        }
        self.depth -= 1;
    }

    fn compound(&mut self, layer: &Layer, compound: &CompoundCommand, context: Context) {
        let maybe = Context { conditional: true, ..context };
        match compound {
            CompoundCommand::Arithmetic(arithmetic) => {
                let span = span_of(layer, &arithmetic.loc);
                let (start, end) = layer.trimmed(&arithmetic.loc);
                let written = layer.slice(start, end);
                // `( (rm x) )` and `((rm x) )` are two subshells to bash, and a sum to the parser.
                if !written.starts_with(&['(', '(']) || !written.ends_with(&[')', ')']) {
                    let what = "It has brackets that may hold commands or a sum";
                    self.doubt(DoubtKind::Syntax, what.to_owned(), None);
                }
                self.collect_arithmetic(&arithmetic.expr.value, Base::Within(span), context);
            }
            CompoundCommand::ArithmeticForClause(clause) => {
                let span = span_of(layer, &clause.loc);
                for expression in
                    [&clause.initializer, &clause.condition, &clause.updater].into_iter().flatten()
                {
                    self.collect_arithmetic(&expression.value, Base::Within(span), maybe);
                }
                self.list(layer, &clause.body.list, maybe);
            }
            CompoundCommand::BraceGroup(group) => self.list(layer, &group.list, context),
            CompoundCommand::Subshell(subshell) => {
                self.list(layer, &subshell.list, Context { in_subshell: true, ..context });
            }
            CompoundCommand::ForClause(clause) => {
                let span = span_of(layer, &clause.loc);
                let (start, end) = layer.trimmed(&clause.loc);
                // What is not among the offered leaves the variable of a `select` empty.
                let is_listed = !layer.slice(start, end).starts_with(&['s', 'e', 'l', 'e', 'c', 't']);
                let values = clause.values.as_deref();
                self.loop_variable(layer, &clause.variable_name, (values, is_listed), span, context);
                self.list(layer, &clause.body.list, maybe);
            }
            CompoundCommand::CaseClause(clause) => {
                let span = span_of(layer, &clause.loc);
                self.word(layer, &clause.value, span, context, Role::Assigned);
                for case in &clause.cases {
                    for pattern in &case.patterns {
                        self.word(layer, pattern, span, maybe, Role::Assigned);
                    }
                    if let Some(list) = &case.cmd {
                        self.list(layer, list, maybe);
                    }
                }
            }
            CompoundCommand::IfClause(clause) => {
                self.list(layer, &clause.condition, context);
                self.list(layer, &clause.then, maybe);
                for branch in clause.elses.iter().flatten() {
                    if let Some(condition) = &branch.condition {
                        self.list(layer, condition, maybe);
                    }
                    self.list(layer, &branch.body, maybe);
                }
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.list(layer, &clause.0, maybe);
                self.list(layer, &clause.1.list, maybe);
            }
            CompoundCommand::Coprocess(coprocess) => {
                let inner = Context { background: true, in_subshell: true, ..context };
                self.command(layer, &coprocess.body, inner);
            }
        }
    }

    /// `for name in words` is told as an assignment, so that `$name` can be followed.
    fn loop_variable(
        &mut self,
        layer: &Layer,
        name: &str,
        (values, is_listed): (Option<&[brush_parser::ast::Word]>, bool),
        span: Span,
        context: Context,
    ) {
        let at = self.facts.commands.len();
        self.facts.commands.push(empty(span, context));
        let words: Vec<Word> = values
            .unwrap_or(&[])
            .iter()
            .map(|word| self.word(layer, word, span, context, Role::Argument))
            .collect();
        let raw = words.iter().map(|w| w.raw.as_str()).collect::<Vec<_>>().join(" ");
        let mut texts = Vec::new();
        let mut sure = is_listed && values.is_some();
        for word in &words {
            match &word.value {
                Value::Known { text, tilde: false } => texts.push(text.clone()),
                Value::Several { texts: more } => texts.extend(more.iter().cloned()),
                // Told as its pattern: every name that fits has its shape.
                Value::Glob { pattern, tilde: false } => texts.push(pattern.clone()),
                Value::Known { tilde: true, .. } | Value::Glob { .. } | Value::Unknown { .. } => sure = false,
            }
        }
        let value = if sure { Value::Several { texts } } else { unknown_whole(&raw) };
        let span_of_words = match (words.first(), words.last()) {
            (Some(first), Some(last)) => Span { start: first.span.start, end: last.span.end },
            _ => span,
        };
        let bare = words.iter().all(|word| word.bare);
        let value = Word { raw, value, span: span_of_words, bare };
        if let Some(command) = self.facts.commands.get_mut(at) {
            command.assignments.push(Assignment { name: name.to_owned(), value, append: false });
        }
    }

    fn test(&mut self, test: &ExtendedTestExpr, span: Span, context: Context) {
        match test {
            ExtendedTestExpr::And(left, right) | ExtendedTestExpr::Or(left, right) => {
                self.test(left, span, context);
                self.test(right, span, Context { conditional: true, ..context });
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => {
                self.test(inner, span, context);
            }
            ExtendedTestExpr::UnaryTest(_, word) => self.tested(word, span, context),
            ExtendedTestExpr::BinaryTest(_, left, right) => {
                self.tested(left, span, context);
                self.tested(right, span, context);
            }
        }
    }

    /// A regular expression in a test may hold brackets and blanks that no other word may.
    fn tested(&mut self, word: &brush_parser::ast::Word, span: Span, context: Context) {
        self.collect(&word.value, Base::Within(span), context);
    }

    /// The redirections of a compound command, told as a command of redirections alone.
    fn redirects_of(
        &mut self,
        layer: &Layer,
        redirects: Option<&RedirectList>,
        span: Span,
        context: Context,
    ) {
        let Some(redirects) = redirects else { return };
        let at = self.facts.commands.len();
        self.facts.commands.push(empty(span, context));
        let read: Vec<_> = redirects.0.iter().map(|r| self.redirect(layer, r, span, context)).collect();
        if let Some(command) = self.facts.commands.get_mut(at) {
            command.redirects = read;
        }
    }

    fn simple(&mut self, layer: &Layer, simple: &Simple, context: Context) {
        let enclosing = simple_span(layer, simple);
        let at = self.facts.commands.len();
        self.facts.commands.push(empty(enclosing, context));
        let mut command = empty(enclosing, context);
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            self.item(layer, item, true, &mut command);
        }
        if let Some(name) = &simple.word_or_name {
            let word = self.word(layer, name, enclosing, context, Role::Argument);
            self.push_word(layer, word, &mut command);
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.item(layer, item, false, &mut command);
        }
        if let Some(place) = self.facts.commands.get_mut(at) {
            *place = command;
        }
    }

    fn item(
        &mut self,
        layer: &Layer,
        item: &CommandPrefixOrSuffixItem,
        prefix: bool,
        command: &mut SimpleCommand,
    ) {
        let (enclosing, context) = (command.span, command.context);
        match item {
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => {
                let redirect = self.redirect(layer, redirect, enclosing, context);
                command.redirects.push(redirect);
            }
            CommandPrefixOrSuffixItem::Word(word) => {
                let word = self.word(layer, word, enclosing, context, Role::Argument);
                self.push_word(layer, word, command);
            }
            CommandPrefixOrSuffixItem::AssignmentWord(assigned, word) => {
                let array = matches!(assigned.value, AssignmentValue::Array(_));
                if prefix {
                    let assignment = self.assignment(layer, assigned, word, enclosing, context);
                    command.assignments.push(assignment);
                } else if array {
                    let mut word = self.assignment(layer, assigned, word, enclosing, context).value;
                    word.value = unknown_whole(&word.raw);
                    command.words.push(word);
                } else {
                    let word = self.word(layer, word, enclosing, context, Role::Argument);
                    self.push_word(layer, word, command);
                }
            }
            CommandPrefixOrSuffixItem::ProcessSubstitution(kind, subshell) => {
                let word = self.process_substitution(layer, kind, subshell, context);
                join_substitution(word, prefix, command);
            }
        }
    }

    /// `{name}` right before a redirection names a descriptor and is no word of the command.
    fn push_word(&mut self, layer: &Layer, word: Word, command: &mut SimpleCommand) {
        let names_descriptor =
            word.raw.len() > 2 && word.raw.starts_with('{') && word.raw.ends_with('}') && {
                let name = &word.raw[1..word.raw.len() - 1];
                name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '[' || c == ']')
            };
        if names_descriptor {
            match layer.base {
                Base::At(start) => {
                    let next = word.span.end.saturating_sub(start) as usize;
                    if matches!(layer.chars.get(next), Some('<' | '>')) {
                        return;
                    }
                }
                Base::Within(_) => self.unreadable(&word.raw, layer.base),
            }
        }
        command.words.push(word);
    }

    fn assignment(
        &mut self,
        layer: &Layer,
        assigned: &Assigned,
        word: &brush_parser::ast::Word,
        enclosing: Span,
        context: Context,
    ) -> Assignment {
        let (start, end) = word.loc.as_ref().map_or((0, 0), |location| layer.trimmed(location));
        let span = if word.loc.is_some() { layer.base.span(start, end) } else { enclosing };
        let whole: String = layer.slice(start, end).iter().collect();
        let name = match &assigned.name {
            AssignmentName::VariableName(name) => name.clone(),
            AssignmentName::ArrayElementName(name, index) => {
                self.collect(index, Base::Within(span), context);
                format!("{name}[{index}]")
            }
        };
        let value = match &assigned.value {
            AssignmentValue::Scalar(scalar) => {
                let lead = word.value.chars().count().saturating_sub(scalar.value.chars().count());
                let exact = whole == word.value;
                let (raw, base, span) = if exact {
                    (scalar.value.clone(), layer.base.shift(start + lead), layer.base.span(start + lead, end))
                } else {
                    (whole.chars().skip(lead).collect(), Base::Within(span), span)
                };
                let value = self.resolve(&scalar.value, base, context, Role::Assigned);
                let value = tilde_after_colon(value, &scalar.value);
                let bare = !raw.contains(['\'', '"', '\\']);
                Word { raw, value, span, bare }
            }
            AssignmentValue::Array(elements) => {
                for (key, element) in elements {
                    if let Some(key) = key {
                        self.collect(&key.value, Base::Within(span), context);
                    }
                    self.resolve(&element.value, Base::Within(span), context, Role::Argument);
                }
                let value = unknown_whole(&word.value);
                Word { raw: whole, value, span, bare: false }
            }
        };
        Assignment { name, value, append: assigned.append }
    }
}

fn empty(span: Span, context: Context) -> SimpleCommand {
    SimpleCommand { words: vec![], assignments: vec![], redirects: vec![], span, context }
}

fn span_of(layer: &Layer, location: &SourceSpan) -> Span {
    let (start, end) = layer.trimmed(location);
    layer.base.span(start, end)
}

/// Whether what stands inside reads from a file or text: `{ bash; } < file`.
fn feeds(redirects: &RedirectList) -> bool {
    redirects.0.iter().any(|redirect| match redirect {
        IoRedirect::File(fd, kind, target) => {
            let nothing = matches!(target, IoFileRedirectTarget::Filename(word) if word.value == "/dev/null");
            is_of_input(kind) && fd.is_none_or(|fd| fd == 0) && !nothing
        }
        IoRedirect::HereDocument(fd, _) | IoRedirect::HereString(fd, _) => fd.is_none_or(|fd| fd == 0),
        IoRedirect::OutputAndError(..) => false,
    })
}

fn compound_span(layer: &Layer, compound: &CompoundCommand) -> Span {
    let location = match compound {
        CompoundCommand::Arithmetic(c) => &c.loc,
        CompoundCommand::ArithmeticForClause(c) => &c.loc,
        CompoundCommand::BraceGroup(c) => &c.loc,
        CompoundCommand::Subshell(c) => &c.loc,
        CompoundCommand::ForClause(c) => &c.loc,
        CompoundCommand::CaseClause(c) => &c.loc,
        CompoundCommand::IfClause(c) => &c.loc,
        CompoundCommand::WhileClause(c) | CompoundCommand::UntilClause(c) => &c.2,
        CompoundCommand::Coprocess(c) => &c.loc,
    };
    span_of(layer, location)
}

/// From the first to the last of what the parser has placed.
fn simple_span(layer: &Layer, simple: &Simple) -> Span {
    let mut range: Option<(usize, usize)> = None;
    let mut add = |location: &SourceSpan, before: usize| {
        let (start, end) = layer.trimmed(location);
        let start = start.saturating_sub(before);
        range = Some(range.map_or((start, end), |(s, e)| (s.min(start), e.max(end))));
    };
    let items = simple.prefix.iter().flat_map(|p| &p.0).chain(simple.suffix.iter().flat_map(|s| &s.0));
    for item in items {
        match item {
            CommandPrefixOrSuffixItem::Word(word) | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                word.loc.iter().for_each(|location| add(location, 0));
            }
            CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => add(&subshell.loc, 1),
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => match redirect {
                IoRedirect::File(
                    _,
                    _,
                    IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word),
                )
                | IoRedirect::HereString(_, word)
                | IoRedirect::OutputAndError(word, _) => {
                    word.loc.iter().for_each(|location| add(location, 0));
                }
                IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(_, subshell)) => {
                    add(&subshell.loc, 1);
                }
                IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => {}
                IoRedirect::HereDocument(_, document) => {
                    document.here_end.loc.iter().for_each(|location| add(location, 0));
                }
            },
        }
    }
    simple.word_or_name.iter().filter_map(|word| word.loc.as_ref()).for_each(|location| add(location, 0));
    let (start, end) = range.unwrap_or((0, layer.chars.len()));
    layer.base.span(start, end)
}

/// `--file=<(…)` is one word for bash and two for the parser.
fn join_substitution(word: Word, prefix: bool, command: &mut SimpleCommand) {
    let before = if prefix && command.words.is_empty() {
        command.assignments.last_mut().map(|assignment| &mut assignment.value)
    } else {
        command.words.last_mut()
    };
    match before {
        Some(before) if before.span.end == word.span.start => {
            before.raw.push_str(&word.raw);
            before.span.end = word.span.end;
            let mut parts = match std::mem::replace(&mut before.value, Value::Unknown { parts: vec![] }) {
                Value::Known { text, tilde: false } => vec![Part::Text { text }],
                Value::Known { text: raw, tilde: true } | Value::Glob { pattern: raw, .. } => {
                    vec![Part::Other { raw }]
                }
                Value::Several { texts } => vec![Part::Other { raw: texts.join(" ") }],
                Value::Unknown { parts } => parts,
            };
            parts.push(Part::Substitution);
            before.value = Value::Unknown { parts };
        }
        _ => command.words.push(word),
    }
}

/// An assigned value expands `~` after every colon as well.
fn tilde_after_colon(value: Value, raw: &str) -> Value {
    match value {
        Value::Known { .. } if raw.contains(":~") => unknown_whole(raw),
        other => other,
    }
}

/// Whether the last line ends in a comment: then the bracket that was taken for the substitution's end stood in it.
fn ends_in_comment(text: &str, tokens: usize) -> bool {
    let last = text.rsplit('\n').next().unwrap_or(text);
    last.contains('#')
        && brush_parser::uncached_tokenize_str(&format!("{text} x"), &super::options().tokenizer_options())
            .is_ok_and(|with| with.len() == tokens)
}
