//! Reads the source of a man page, in the forms that pages are written in: `man` and `mdoc`. It takes the summary and the
//! options with the text on them, and nothing else.

use super::Page;
use crate::protocol::MeaningSource;

/// A tag with its text, as it is gathered.
#[derive(Debug, Default)]
struct Gathered {
    tags: Vec<String>,
    body: String,
    /// The text has ended; what follows belongs to something else.
    closed: bool,
}

#[derive(Debug)]
struct Reader {
    page: Page,
    open: Gathered,
    /// The next line of text is a tag.
    tag_next: bool,
    /// A line of text that may turn out to be a tag: when its text is set in behind it.
    last_line: String,
    /// Lines of text since the paragraph began.
    lines: usize,
    section: String,
    lists_commands: bool,
    name: String,
    fold: String,
    /// It is written in `mdoc`, whose macros stand in the text.
    is_mdoc: bool,
}

/// The page in `text`. `name` is that of the program, which pages leave out where they mean it.
pub(super) fn read(name: &str, text: &str) -> Page {
    let mut reader = Reader {
        page: Page::new(MeaningSource::ManPage),
        open: Gathered::default(),
        tag_next: false,
        last_line: String::new(),
        lines: 0,
        section: String::new(),
        lists_commands: false,
        name: name.to_owned(),
        fold: String::new(),
        is_mdoc: text.lines().any(|line| line.starts_with(".Sh ")),
    };
    for line in text.lines() {
        reader.line(line);
    }
    reader.close();
    let summary = reader.fold.split_once(" - ").map(|(_, summary)| super::sentence(summary));
    reader.page.summary = reader.page.summary.take().or(summary).filter(|summary| !summary.is_empty());
    reader.page
}

impl Reader {
    fn line(&mut self, line: &str) {
        let Some(macro_line) = line.strip_prefix(['.', '\'']) else {
            self.text(&clean(line));
            return;
        };
        let (name, rest) =
            macro_line.trim_start().split_once(char::is_whitespace).unwrap_or((macro_line, ""));
        let rest = rest.trim();
        match name {
            "SH" | "Sh" => {
                self.close();
                self.section = clean(rest).replace('"', "").to_uppercase();
                self.lists_commands = self.section.contains("COMMAND");
            }
            "SS" | "Ss" => {
                self.close();
                let heading = clean(rest).replace('"', "");
                self.lists_commands =
                    [&self.section, &heading.to_uppercase()].iter().any(|it| it.contains("COMMAND"));
                // `systemd-analyze blame` as a heading of its own, in whatever section.
                match heading.strip_prefix(&self.name).and_then(|rest| rest.strip_prefix(' ')) {
                    Some(own) => self.page.note_command(&self.name, own),
                    None => self.command(&heading),
                }
            }
            "El" => self.close(),
            "Nd" => self.page.summary = Some(super::sentence(&clean(rest))),
            "TP" | "TQ" => {
                // Several tags above one text.
                if !self.open.body.is_empty() || self.open.closed || name == "TP" && self.open.tags.is_empty()
                {
                    self.close();
                }
                self.tag_next = true;
            }
            "IP" => self.set_in(&arguments(rest)),
            "It" => {
                if !self.open.body.is_empty() || self.open.closed {
                    self.close();
                }
                let tag = mdoc(&self.name, rest);
                self.open.tags.push(tag);
            }
            "RS" => self.set_in(&[]),
            "PP" | "P" | "LP" | "Pp" | "sp" | "RE" | "HP" | "Bl" | "Bd" => self.paragraph(name),
            "B" | "I" | "SM" | "SB" => self.text(&arguments(rest).join(" ")),
            "BR" | "RB" | "BI" | "IB" | "IR" | "RI" | "MR" => self.text(&arguments(rest).concat()),
            "br" | "nf" | "fi" | "ad" | "na" | "nh" | "hy" | "ie" | "el" | "if" | "ft" | "in" | "ti"
            | "ne" | "de" | "ds" | "nr" | "so" | "TH" | "Dd" | "Dt" | "Os" | "EX" | "EE" | "UR" | "UE"
            | "\\\"" => {}
            _ if name.starts_with('\\') => {}
            "Sm" => {}
            _ if self.is_mdoc && name.len() == 2 && name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                self.text(&mdoc(&self.name, macro_line));
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if self.section == "NAME" {
            self.fold = format!("{} {text}", self.fold).trim().to_owned();
        } else if self.tag_next {
            self.tag_next = false;
            self.open.tags.push(text.to_owned());
        } else if !self.open.tags.is_empty() && !self.open.closed {
            self.open.body.push(' ');
            self.open.body.push_str(text);
        }
        text.clone_into(&mut self.last_line);
        self.lines += 1;
    }

    /// A text is set in: behind its tag, or behind the line before, which was a tag then.
    fn set_in(&mut self, arguments: &[String]) {
        let tag = arguments.first().filter(|tag| !tag.trim().is_empty());
        if let Some(tag) = tag {
            let tag = tag.clone();
            self.close();
            self.open.tags.push(tag);
        } else if self.last_line.starts_with('-') && self.open.body.is_empty() {
            let tag = std::mem::take(&mut self.last_line);
            if self.open.tags.last() != Some(&tag) {
                if self.open.closed {
                    self.close();
                }
                self.open.tags.push(tag);
            }
            self.open.closed = false;
        } else if self.last_line.starts_with('-') {
            let tag = std::mem::take(&mut self.last_line);
            self.close();
            self.open.tags.push(tag);
        } else if self.lines == 1 {
            let entry = std::mem::take(&mut self.last_line);
            self.command(&entry);
        }
    }

    /// What may be the name of a command, in a part that lists them.
    fn command(&mut self, tag: &str) {
        if self.lists_commands {
            self.page.note_command(&self.name, tag);
        }
    }

    fn paragraph(&mut self, name: &str) {
        self.tag_next = false;
        self.lines = 0;
        // mdoc leaves room between a tag and its text.
        if !(name == "Pp" && self.open.body.is_empty()) {
            self.open.closed |= !self.open.body.is_empty() || name != "sp";
        }
        if name != "RE" {
            self.last_line.clear();
        }
    }

    fn close(&mut self) {
        let open = std::mem::take(&mut self.open);
        for tag in &open.tags {
            self.page.note(tag, &open.body);
            self.command(tag);
        }
        self.tag_next = false;
    }
}

/// The arguments of a macro, without their quotes.
fn arguments(rest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut chars = rest.chars().peekable();
    while let Some(&first) = chars.peek() {
        if first.is_whitespace() {
            chars.next();
            continue;
        }
        let quoted = first == '"';
        let mut word = String::new();
        if quoted {
            chars.next();
        }
        while let Some(c) = chars.next() {
            if c == '\\' {
                word.push(c);
                word.extend(chars.next());
            } else if quoted && c == '"' || !quoted && c.is_whitespace() {
                break;
            } else {
                word.push(c);
            }
        }
        found.push(clean(&word));
    }
    found
}

/// A line of `mdoc`: the names of its macros go, what they mean stays.
fn mdoc(name: &str, line: &str) -> String {
    const SILENT: [&str; 32] = [
        "Ar", "Pa", "Cm", "Ic", "Li", "Em", "Sy", "Va", "Ev", "Dv", "Er", "Vt", "No", "Ql", "Oo", "Oc", "Op",
        "Xo", "Xc", "Ad", "An", "Tn", "Ux", "Lk", "Mt", "Bx", "At", "Nx", "Ox", "Fx", "St", "Dl",
    ];
    let mut told = String::new();
    let mut glue = true;
    let mut sign = "";
    for word in arguments(line) {
        match word.as_str() {
            "Fl" if sign == "-" => sign = "--",
            "Fl" => sign = "-",
            "Ns" | "Ap" => glue = true,
            "Nm" => push(&mut told, &mut glue, name),
            "Dq" | "Sq" | "Pq" | "Aq" | "Bq" | "Xr" => {}
            word if SILENT.contains(&word) => {}
            word => {
                if word.chars().all(|c| ".,;:)]|".contains(c)) && !told.is_empty() {
                    glue = true;
                }
                push(&mut told, &mut glue, &format!("{sign}{word}"));
                sign = "";
            }
        }
    }
    told
}

fn push(told: &mut String, glue: &mut bool, word: &str) {
    if !*glue {
        told.push(' ');
    }
    told.push_str(word);
    *glue = false;
}

/// Takes the escapes of roff off.
fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            cleaned.push(c);
            continue;
        }
        match chars.next() {
            Some('-') => cleaned.push('-'),
            Some('e' | '\\') => cleaned.push('\\'),
            Some('f' | 'm' | 'M' | 'F') => drop(name_of(&mut chars)),
            Some('*' | 'n') => drop(name_of(&mut chars)),
            Some('(') => {
                let name: String = chars.by_ref().take(2).collect();
                cleaned.push_str(sign(&name));
            }
            Some('[') => {
                let name: String = chars.by_ref().take_while(|c| *c != ']').collect();
                cleaned.push_str(sign(&name));
            }
            Some('s') => while chars.next_if(|c| "+-0123456789".contains(*c)).is_some() {},
            Some('h' | 'v' | 'w' | 'l') => {
                if chars.next_if_eq(&'\'').is_some() {
                    chars.by_ref().take_while(|c| *c != '\'').for_each(drop);
                }
            }
            Some(' ' | '~' | '0') => cleaned.push(' '),
            Some('"' | '#') => break,
            Some('\'' | '`') => cleaned.push('\''),
            Some('.') => cleaned.push('.'),
            Some('&' | ',' | '/' | ':' | '%' | 'c' | '|' | '^' | ')' | 'z' | 'd' | 'u') | None => {}
            Some(other) => cleaned.push(other),
        }
    }
    cleaned
}

/// The name of a font or string: `B`, `(CW` or `[R]`.
fn name_of(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> String {
    match chars.next() {
        Some('(') => chars.by_ref().take(2).collect(),
        Some('[') => chars.by_ref().take_while(|c| *c != ']').collect(),
        Some(c) => c.to_string(),
        None => String::new(),
    }
}

fn sign(name: &str) -> &'static str {
    match name {
        "aq" | "cq" | "oq" => "'",
        "dq" | "lq" | "rq" => "\"",
        "em" | "en" => " - ",
        "hy" | "mi" => "-",
        "rs" => "\\",
        "ha" | "aa" => "^",
        "ti" => "~",
        "bu" => "•",
        "lt" | "la" => "<",
        "gt" | "ra" => ">",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(page: &Page, name: &str) -> String {
        page.option(name).map(|option| option.says.clone()).unwrap_or_default()
    }

    #[test]
    fn pages_with_tagged_paragraphs_are_read() {
        let page = read(
            "sway",
            ".TH SWAY 1\n.SH NAME\nsway \\- moves things about\n.SH OPTIONS\n.TP\n\\fB\\-a\\fR, \\fB\\-\\-all\\fR\nmoves\nall of them. And more.\n.TP\n.BR \\-o \" FILE\"\nwrites to FILE\n.IP \"\\fB\\-q\\fR\" 4\nstays silent\n.PP\nnothing of it\n",
        );
        assert_eq!(page.summary.as_deref(), Some("moves things about"));
        assert_eq!(says(&page, "-a"), "moves all of them");
        assert_eq!(says(&page, "--all"), "moves all of them");
        assert_eq!(says(&page, "-o"), "writes to FILE");
        assert!(matches!(page.option("-o").unwrap().value, crate::knowledge::Value::Of(_)));
        assert_eq!(says(&page, "-q"), "stays silent");
    }

    #[test]
    fn pages_with_set_in_text_are_read() {
        let page = read(
            "git-sway",
            ".SH \"NAME\"\ngit-sway \\- Sways\n.SH \"OPTIONS\"\n.PP\n\\-a, \\-\\-all\n.RS 4\nTell all\\&. More\\&.\n.RE\n.PP\n\\-p <n>\n.RS 4\nPush <n>\\&.\n.RE\n",
        );
        assert_eq!(says(&page, "-a"), "Tell all");
        assert_eq!(says(&page, "--all"), "Tell all");
        assert_eq!(says(&page, "-p"), "Push <n>");
    }

    #[test]
    fn listed_commands_are_read() {
        let page = read(
            "sway",
            ".SH COMMANDS\n.PP\nThe following are known.\n.SS \"Tree Commands\"\n.PP\n\\fBbend\\-down\\fR [\\fITREE\\fR]\n.RS 4\nBends it,\nnever mind how\n.RS 4\nx\n.RE\n.RE\n.TP\nsway\\-up(1)\nUp again.\n.SH SHAKING\n.SS \"sway shake\"\nShakes.\n.SH OPTIONS\n.TP\nnone\nof it\n",
        );
        assert_eq!(page.words().collect::<Vec<_>>(), ["bend-down", "shake", "up"]);
    }

    #[test]
    fn pages_of_bsd_are_read() {
        let page = read(
            "sway",
            ".Sh NAME\n.Nm sway\n.Nd sways a tree\n.Sh DESCRIPTION\n.Bl -tag\n.It Fl 4\nForces\n.Nm\nto use IPv4.\n.Pp\n.It Fl B Ar bind\nBind to\n.Ar bind .\nOnly here.\n.It Fl Fl long\nLong.\n.El\n",
        );
        assert_eq!(page.summary.as_deref(), Some("sways a tree"));
        assert_eq!(says(&page, "-4"), "Forces sway to use IPv4");
        assert_eq!(says(&page, "-B"), "Bind to bind");
        assert_eq!(says(&page, "--long"), "Long");
    }
}
