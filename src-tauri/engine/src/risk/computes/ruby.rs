//! Ruby one-liners that only compute: `puts File.readlines("a.txt").grep(/x/)`. Any word may be a call, so every word is
//! known or is the name of a value; what a slash or a percent sign means must be certain.

/// Words that may stand by themselves.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "puts", "print", "p", "pp", "printf", "format", "sprintf", "RUBY_VERSION", "RUBY_PLATFORM", "RUBY_ENGINE",
    "RUBY_PATCHLEVEL", "Time", "Date", "DateTime", "Math", "Integer", "Float", "Rational", "Complex", "Array", "Hash",
    "Set", "String", "Struct", "Comparable", "true", "false", "nil", "if", "unless", "else", "elsif", "end", "do",
    "then", "while", "until", "and", "or", "not", "in", "case", "when", "JSON", "YAML", "CSV", "STDIN", "ARGF",
    "require", "next", "break", "BEGIN",
];
/// What is asked of a value. None of these runs, writes or sends anything, whatever the value is.
#[rustfmt::skip]
const MEMBERS: &[&str] = &[
    "now", "today", "to_s", "to_i", "to_f", "to_a", "to_h", "to_sym", "to_set", "to_json", "upcase", "downcase",
    "capitalize", "swapcase", "reverse", "length", "size", "count", "sqrt", "year", "month", "day", "hour", "min",
    "sum", "max", "minmax", "max_by", "min_by", "sum_by", "join", "split", "strftime", "iso8601", "PI", "E", "round",
    "abs", "even?", "odd?", "zero?", "positive?", "negative?", "map", "flat_map", "collect", "select", "filter",
    "filter_map", "reject", "each", "each_with_index", "each_with_object", "each_slice", "each_cons", "each_line",
    "each_char", "each_pair", "with_index", "with_object", "grep", "grep_v", "find", "detect", "find_index", "index",
    "partition", "group_by", "chunk_while", "slice_when", "tally", "uniq", "sort", "sort_by", "first", "last", "take",
    "drop", "take_while", "drop_while", "zip", "flatten", "compact", "transpose", "combination", "product", "include?",
    "member?", "any?", "all?", "none?", "one?", "empty?", "nil?", "key?", "has_key?", "value?", "keys", "values",
    "values_at", "fetch", "dig", "key", "invert", "merge", "transform_values", "transform_keys", "slice", "except",
    "entries", "push", "append", "pop", "shift", "unshift", "chomp", "chop", "strip", "lstrip", "rstrip", "squeeze",
    "sub", "gsub", "tr", "start_with?", "end_with?", "match?", "match", "scan", "captures", "names", "lines", "chars",
    "bytes", "ord", "chr", "hex", "oct", "center", "ljust", "rjust", "floor", "ceil", "digits", "gcd", "lcm", "pred",
    "inspect", "succ", "step", "upto", "downto", "times", "parse", "pretty_generate",
];
/// Ways to a file, with its name in so many letters.
#[rustfmt::skip]
const READS: &[(&str, &str)] = &[
    ("File", "read"), ("File", "readlines"), ("File", "foreach"), ("File", "size"), ("File", "exist?"),
    ("File", "file?"), ("IO", "readlines"), ("YAML", "load_file"), ("YAML", "safe_load_file"), ("CSV", "read"),
    ("CSV", "foreach"), ("CSV", "table"), ("JSON", "load_file"), ("Dir", "glob"),
];
/// What every object answers to, and more than a value of one's own may be called.
#[rustfmt::skip]
const BUILT_IN: &[&str] = &[
    "abort", "at_exit", "autoload", "binding", "block_given", "callcc", "caller", "catch", "eval", "exec", "exit",
    "fail", "fork", "gem", "gets", "global_variables", "instance_eval", "instance_exec", "lambda", "load",
    "local_variables", "loop", "method", "methods", "open", "proc", "putc", "raise", "rand", "readline", "readlines",
    "require_relative", "select", "send", "public_send", "set_trace_func", "sleep", "spawn", "srand", "syscall",
    "system", "tap", "test", "throw", "trace_var", "trap", "untrace_var", "warn", "class", "def", "module", "undef",
    "alias", "self", "super", "yield", "return", "define_method", "extend", "include", "display", "then",
];

pub(super) fn only_computes(text: &str, readable: &dyn Fn(&str) -> bool) -> bool {
    let mut reader = Reader { text: text.chars().collect(), at: 0, before: Before::Sign, names: Vec::new() };
    let commented = text.lines().any(|line| line.starts_with("=begin") || line.starts_with("__END__"));
    // Options with which what is read makes objects of its own.
    let makes = ["create_additions", "object_class", "permitted_classes", "unsafe"];
    let commented = commented || makes.iter().any(|option| text.contains(option));
    !commented && !text.trim().is_empty() && reader.all(readable).is_some()
}

#[derive(Debug, Clone, PartialEq)]
enum Before {
    Sign,
    Value,
    /// The end of a block, behind which a slash may be anything.
    Block,
    Dot,
    Word(String),
}

struct Reader {
    text: Vec<char>,
    at: usize,
    before: Before,
    /// Values of its own.
    names: Vec<String>,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn all(&mut self, readable: &dyn Fn(&str) -> bool) -> Option<()> {
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '\n' | ';' => self.before = Before::Sign,
                _ if c.is_whitespace() => {}
                '#' => {
                    while self.peek(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                '"' | '\'' => {
                    self.quoted(c)?;
                    self.before = Before::Value;
                }
                '0'..='9' => {
                    let mut digits = 1;
                    while self.peek(0).is_some_and(|c| c.is_ascii_digit() || c == '_') {
                        (self.at, digits) = (self.at + 1, digits + 1);
                    }
                    // What is repeated is not repeated without end.
                    (digits < 5 && !self.peek(0).is_some_and(|c| c.is_ascii_alphabetic())).then_some(())?;
                    self.before = Before::Value;
                }
                '/' if self.before == Before::Value => self.before = Before::Sign,
                '/' if self.before == Before::Sign => self.pattern()?,
                '/' => {
                    let asks = matches!(&self.before, Before::Word(word) if ["if", "unless", "and", "or", "not", "when"].contains(&word.as_str()));
                    asks.then(|| self.pattern()).flatten()?;
                }
                // A text without quotes begins so, unless a value stands before it.
                '%' | '<' | '*' | '-' | '?' | '&' | '[' | '(' if self.before != Before::Value => match c {
                    '&' if self.peek(0) == Some(':') => {
                        self.at += 1;
                        let name = self.name();
                        MEMBERS.contains(&name.as_str()).then_some(())?;
                        self.before = Before::Value;
                    }
                    '-' if self.peek(0) != Some('>') && self.before != Before::Dot => {
                        self.before = Before::Sign
                    }
                    '[' | '(' | '*' if self.before != Before::Dot => self.before = Before::Sign,
                    _ => return None,
                },
                '<' if self.peek(0) == Some('<') && !self.peek(1).is_some_and(char::is_whitespace) => {
                    return None;
                }
                '?' if !self.peek(0).is_some_and(char::is_whitespace) => return None,
                '%' if !self.peek(0).is_some_and(char::is_whitespace) => return None,
                ':' => match self.peek(0) {
                    // The name of a method may stand there: only where a key does.
                    Some(c) if c.is_ascii_alphabetic() => {
                        let key = self.at >= 2 && self.text.get(self.at - 2) == Some(&'[');
                        let name = self.name();
                        (key || MEMBERS.contains(&name.as_str())).then_some(())?;
                        self.before = Before::Value;
                    }
                    Some(':' | '"' | '\'') => return None,
                    _ => self.before = Before::Sign,
                },
                '.' if self.peek(0) == Some('.') => {
                    self.at += 1;
                    self.before = Before::Sign;
                }
                '.' => self.before = Before::Dot,
                '|' if self.before != Before::Value => self.parameters(),
                '{' => self.before = Before::Sign,
                '}' => self.before = Before::Block,
                ')' | ']' => self.before = Before::Value,
                '$' => {
                    let name = self.name();
                    matches!(name.as_str(), "stdin" | "_" | "1" | "2" | "3" | "F").then_some(())?;
                    self.before = Before::Value;
                }
                'a'..='z' | 'A'..='Z' | '_' => {
                    self.at -= 1;
                    self.word(readable)?;
                }
                '+' | '-' | '*' | '%' | '<' | '>' | '=' | '!' | '&' | '|' | ',' | '?' | '~' | '^' | '('
                | '[' => {
                    let calls = c == '(' && matches!(self.before, Before::Block);
                    (!calls).then_some(())?;
                    self.before = Before::Sign;
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.peek(0).filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
            name.push(c);
            self.at += 1;
        }
        // `empty?`, but not the question in `a ?b : c`.
        if self.peek(0) == Some('?') && !name.is_empty() && self.peek(1) != Some('?') {
            name.push('?');
            self.at += 1;
        }
        name
    }

    /// `inject(:+)`, `reduce(0, :lcm)`: a text in there could name any method, a sign is looked at where it stands.
    fn is_given_a_sign(&self) -> bool {
        let rest: String = self.text.iter().skip(self.at).take(64).collect();
        let inside = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        inside.is_some_and(|(inside, _)| {
            inside.split(',').map(str::trim).all(|part| {
                part.starts_with(':') || !part.is_empty() && part.chars().all(|c| c.is_ascii_digit())
            })
        })
    }

    fn quoted(&mut self, quote: char) -> Option<String> {
        let mut inside = String::new();
        loop {
            let c = self.peek(0)?;
            self.at += 1;
            match c {
                '\\' => {
                    self.at += 1;
                    inside.push('\u{1}');
                }
                '#' if quote == '"' && matches!(self.peek(0), Some('{')) => {
                    // A value, or one of its parts.
                    let end = (self.at..self.text.len()).find(|at| self.text.get(*at) == Some(&'}'))?;
                    let inner: String = self.text.get(self.at + 1..end)?.iter().collect();
                    let mut words = inner.split('.');
                    let own = words
                        .next()
                        .is_some_and(|name| self.names.iter().any(|own| own == name) || name == "$_");
                    (own && words.all(|word| MEMBERS.contains(&word))).then_some(())?;
                    self.at = end + 1;
                    inside.push('\u{1}');
                }
                '#' if quote == '"' && matches!(self.peek(0), Some('$' | '@')) => return None,
                _ if c == quote => return Some(inside),
                _ => inside.push(c),
            }
        }
    }

    fn pattern(&mut self) -> Option<()> {
        loop {
            let c = self.peek(0)?;
            self.at += 1;
            match c {
                '\\' => self.at += 1,
                '#' if matches!(self.peek(0), Some('{' | '$' | '@')) => return None,
                '/' => break,
                _ => {}
            }
        }
        while self.peek(0).is_some_and(|c| matches!(c, 'i' | 'm' | 'x' | 'u')) {
            self.at += 1;
        }
        self.before = Before::Value;
        Some(())
    }

    /// `|key, value|`
    fn parameters(&mut self) {
        let end = (self.at..self.text.len()).find(|at| self.text.get(*at) == Some(&'|'));
        let inner: String =
            end.and_then(|end| self.text.get(self.at..end)).unwrap_or_default().iter().collect();
        let names = inner.split([',', '(', ')']).map(str::trim);
        let names: Vec<String> = names.filter(|name| !name.is_empty()).map(str::to_owned).collect();
        if let Some(end) = end.filter(|_| names.iter().all(|name| is_own(name))) {
            self.names.extend(names);
            self.at = end + 1;
            self.before = Before::Sign;
        } else {
            // Not read: what stands there is no known word.
            self.at = self.text.len() - 1;
            self.text.push('`');
        }
    }

    fn word(&mut self, readable: &dyn Fn(&str) -> bool) -> Option<()> {
        let word = self.name();
        if self.before == Before::Dot {
            let sums = matches!(word.as_str(), "inject" | "reduce") && self.is_given_a_sign();
            (sums || MEMBERS.contains(&word.as_str())).then_some(())?;
            self.before = if self.peek(0) == Some('(') { Before::Sign } else { Before::Value };
            return Some(());
        }
        // `name: value`
        if self.peek(0) == Some(':')
            && self.peek(1).is_some_and(char::is_whitespace)
            && self.before == Before::Sign
        {
            self.at += 1;
            return Some(());
        }
        if self.peek(0) == Some('.') && READS.iter().any(|(class, _)| *class == word) {
            let start = self.at;
            self.at += 1;
            let call = self.name();
            if READS.contains(&(word.as_str(), call.as_str())) {
                (self.peek(0) == Some('(') && matches!(self.peek(1), Some('"' | '\''))).then_some(())?;
                let quote = self.peek(1)?;
                self.at += 2;
                let name = self.quoted(quote)?;
                let listed = if call == "glob" { name.replace('*', "x") } else { name };
                (readable(&listed) && matches!(self.peek(0), Some(')' | ','))).then_some(())?;
                self.before = Before::Value;
                return Some(());
            }
            self.at = start;
        }
        if word == "require" {
            let rest: String = self.text.get(self.at..)?.iter().take(12).collect();
            let rest = rest.trim_start().trim_start_matches(['"', '\'']);
            return ["json", "yaml", "csv", "set", "date", "time", "pp"]
                .iter()
                .any(|module| {
                    rest.starts_with(&format!("{module}'")) || rest.starts_with(&format!("{module}\""))
                })
                .then_some(());
        }
        let end = self.at;
        let mut ahead = self.at;
        while self.text.get(ahead).is_some_and(|c| *c == ' ') {
            ahead += 1;
        }
        let next = self.text.get(ahead).copied();
        let gives = next == Some('=') && !matches!(self.text.get(ahead + 1), Some('=' | '~' | '>'));
        if gives && is_own(&word) && self.before == Before::Sign {
            self.names.push(word);
            self.before = Before::Value;
            return Some(());
        }
        if self.names.contains(&word) {
            // With something behind it the name would be that of a call.
            let called = next.is_some_and(|c| {
                c == '(' || c == '"' || c == '\'' || c.is_ascii_alphanumeric() && ahead > end
            }) && !["if", "unless", "and", "or", "do"].iter().any(|word| {
                self.text.get(ahead..).is_some_and(|rest| rest.iter().collect::<String>().starts_with(word))
            });
            (!called).then_some(())?;
            self.before = Before::Value;
            return Some(());
        }
        WORDS.contains(&word.as_str()).then_some(())?;
        let value = word.chars().next().is_some_and(char::is_uppercase)
            || matches!(word.as_str(), "true" | "false" | "nil" | "end");
        self.before = if value { Before::Value } else { Before::Word(word) };
        Some(())
    }
}

fn is_own(name: &str) -> bool {
    !BUILT_IN.contains(&name)
        && !WORDS.contains(&name)
        && name.chars().next().is_some_and(|c| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with("__")
}

#[cfg(test)]
mod tests {
    fn computes(text: &str) -> bool {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./@".contains(c);
        super::only_computes(text, &|name| {
            !name.starts_with(['/', '.']) && !name.contains("..") && name.chars().all(plain)
        })
    }

    #[test]
    fn ruby_of_every_day() {
        for text in [
            "puts RUBY_VERSION",
            "puts Time.now",
            "puts File.readlines(\"words.txt\").map(&:chomp).max_by(&:length)",
            "puts File.readlines(\"Gemfile.lock\").grep(/rails/)",
            "puts YAML.load_file(\"config/i18n.yml\").keys",
            "require 'json'; puts JSON.parse(File.read('package.json'))['version']",
            "JSON.parse(STDIN.each_line.to_a.join).each { |k, v| puts \"#{k} #{v.size}\" }",
            "h = Hash.new",
            "rows = CSV.read('a.csv', headers: true); puts rows.map { |r| r['ms'].to_f }.sum / rows.size",
            "puts (1..10).select(&:even?).sum",
            "File.foreach('app.log') { |line| puts line if line =~ /ERROR/ }",
            "puts [3, 1, 2].sort_by { |x| -x }.first(2).join(', ')",
        ] {
            assert_eq!(computes(text), text != "h = Hash.new", "{text}");
        }
    }

    #[test]
    fn ruby_with_a_hole_in_it() {
        for text in [
            "puts `id`",
            "puts JSON.parse(File.read('a.json'), create_additions: true)",
            "puts \"#{`id`}\"",
            "puts \"#{system('id')}\"",
            "system 'id'",
            "system = 1; system 'id'",
            "x = 1; x 'id'",
            "puts %x(id)",
            "puts %x id ",
            "x = % ' ; system('id') #'",
            "exec 'id'",
            "Kernel.system('id')",
            "Object.send(:system, 'id')",
            "['id'].each(&:system)",
            "['id'].each(&method(:system))",
            "['id'].inject(:instance_eval)",
            "['id'].reduce('instance_eval')",
            "File.write('a', 'b')",
            "File.delete 'x'",
            "File.open('a')",
            "File.read('/etc/x')",
            "File.read('a' + x)",
            "File.read('|id')",
            "IO.popen('id')",
            "open('|id')",
            "puts ENV",
            "exit",
            "eval 'x'",
            "puts <<~`X`\nid\nX",
            "puts <<X\n'\nX\nsystem('id') #'",
            "/'/; system(\"id\"); /'/",
            "puts 1 ?'; system('id') #'",
            "def system(x) end",
            "[1].each { |system| system 'id' }",
            "YAML.load(x)",
            "require 'open3'",
            "require './x'",
            "load 'x'",
            "x.instance_eval('y')",
            "x.public_send('system')",
            "=begin\n'\n=end\nsystem('id') #'",
            "FileUtils.rm_rf('x')",
            "trap('EXIT') { }",
            "loop { fork }",
            "puts :a.to_proc.call(1)",
            "",
        ] {
            assert!(!computes(text), "{text}");
        }
    }
}
