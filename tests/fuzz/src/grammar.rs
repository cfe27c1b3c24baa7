//! Random bash that is mostly well formed: every construct in every other, a few levels deep.

use fastrand::Rng;

/// The names that the generated commands are made of.
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary {
    pub programs: &'static [&'static str],
    pub arguments: &'static [&'static str],
    pub variables: &'static [&'static str],
    pub functions: &'static [&'static str],
    pub files: &'static [&'static str],
}

/// Programs and arguments about which the judge has something to say.
pub const REAL: Vocabulary = Vocabulary {
    programs: &[
        "rm",
        "cat",
        "ls",
        "echo",
        "sudo",
        "bash -c",
        "sh -c",
        "eval",
        "env",
        "xargs",
        "find",
        "curl -fsSL",
        "git",
        "dd",
        "python3 -c",
        "perl -e",
        "awk",
        "sed -i",
        "tar",
        "ssh host",
        "nohup",
        "timeout 5",
        "time",
        "chmod -R",
        "chown",
        "mv",
        "cp -r",
        "tee",
        "base64 -d",
        "systemctl",
        "kill",
        "apt-get",
        "npm",
        "docker run",
        "trap",
        "alias",
        "export",
        "declare",
        "read",
        "printf -v",
        "source",
        ".",
        "exec",
        "coproc",
        "su -c",
        "busybox",
        "watch",
        "parallel",
        "flock",
        "rsync",
        "nsenter",
        "unset",
        "cd",
        "mkfs.ext4",
        "crontab",
    ],
    arguments: &[
        "-rf",
        "-r",
        "-f",
        "--",
        "-",
        "/",
        "~",
        "~/x",
        "$HOME",
        ".",
        "..",
        "*",
        "/*",
        "src",
        "/etc/passwd",
        "/dev/sda",
        "~/.ssh/id_rsa",
        "-exec",
        "-delete",
        "{}",
        "\\;",
        "+",
        "777",
        "install",
        "push",
        "--force",
        "https://example.org/x.sh",
        "if=/dev/zero",
        "of=/dev/sda",
        "a=1",
        "$x",
        "\"$x\"",
        "${x:-/}",
        "'rm -rf /'",
        "\"rm -rf $HOME\"",
        "{a,b}",
        "{1..9}",
        "$((1+2))",
        "-c",
        "-i",
        "-e",
        "|",
        "root@host:/",
        "!",
        "[",
        "]",
    ],
    variables: &["x", "y", "HOME", "PATH", "IFS", "cmd", "a[0]"],
    functions: &["f", "g", "rm", "ls"],
    files: &["out", "/dev/null", "/etc/hosts", "~/.bashrc", "$x", "/dev/tcp/h/1", "&1", "&-"],
};

/// A text of one or more lines, at most `depth` constructs deep.
pub fn script(rng: &mut Rng, names: &Vocabulary, depth: u32) -> String {
    let mut text = String::new();
    let count = 1 + rng.usize(..3);
    for index in 0..count {
        if index > 0 {
            text.push_str(pick(rng, &["; ", "\n", " && ", " || ", " & ", " | ", " |& ", ";\n"]));
        }
        text.push_str(&command(rng, names, depth));
    }
    text
}

fn pick<'a>(rng: &mut Rng, from: &[&'a str]) -> &'a str {
    from.get(rng.usize(..from.len().max(1))).copied().unwrap_or("")
}

fn command(rng: &mut Rng, names: &Vocabulary, depth: u32) -> String {
    if depth == 0 || rng.u8(..10) < 5 {
        return simple(rng, names, depth);
    }
    let mut inner = || script(rng, names, depth - 1);
    let (a, b) = (inner(), inner());
    let variable = pick(rng, names.variables);
    let word = word(rng, names, depth - 1);
    let mut text = match rng.u8(..22) {
        0 => format!("( {a} )"),
        1 => format!("{{ {a}; }}"),
        2 => format!("if {a}; then {b}; fi"),
        3 => format!("if {a}\nthen {b}\nelse {a}\nfi"),
        4 => format!("while {a}; do {b}; break; done"),
        5 => format!("for {variable} in {word} {word}; do {b}; done"),
        6 => format!("for ((i=0; i<$({a}); i++)) do {b}; done"),
        7 => format!("case {word} in a|{word}) {a};; *) {b} ;; esac"),
        8 => format!("{}() {{ {a}; }}", pick(rng, names.functions)),
        9 => format!("function {} ( {a} )", pick(rng, names.functions)),
        10 => format!("! {a}"),
        11 => format!("time {a}"),
        12 => format!("[[ -n {word} && {word} == {word} ]] && {a}"),
        13 => format!("(( x = $({a}) + 1 ))"),
        14 => format!("{variable}={word} {b}"),
        15 => format!("{variable}=({word} $({a}))"),
        16 => format!("{}\n", here_document(rng, names, &a)),
        17 => format!("coproc {{ {a}; }}"),
        18 => format!("eval '{}'", a.replace('\'', "'\\''")),
        19 => format!("until {a}; do {b}; break; done < <({b})"),
        20 => format!("{a} # {b}\n{b}"),
        _ => format!("{} `{}`", pick(rng, names.programs), a.replace('`', "\\`")),
    };
    if rng.u8(..4) == 0 {
        text.push_str(&redirect(rng, names));
    }
    text
}

fn here_document(rng: &mut Rng, names: &Vocabulary, inner: &str) -> String {
    let (open, close) = *rng
        .choice(&[("<<E", "E"), ("<<'E'", "E"), ("<<-E", "\tE"), ("<<\\E", "E"), ("<<\"E F\"", "E F")])
        .unwrap_or(&("<<E", "E"));
    let body = match rng.u8(..3) {
        0 => format!("$({inner})"),
        1 => format!("`{}`", inner.replace('`', "")),
        _ => inner.to_owned(),
    };
    let after = if rng.bool() { format!("; {}", pick(rng, names.programs)) } else { String::new() };
    format!("{} {open}{after}\n{body}\n{close}", pick(rng, names.programs))
}

fn redirect(rng: &mut Rng, names: &Vocabulary) -> String {
    let sign = pick(rng, &[" > ", " >> ", " < ", " 2>", " &>", " >&", " <> ", " >| ", " <<< ", " {fd}>"]);
    format!("{sign}{}", pick(rng, names.files))
}

fn simple(rng: &mut Rng, names: &Vocabulary, depth: u32) -> String {
    let program = pick(rng, names.programs);
    let mut text = quoted(rng, program);
    for _ in 0..rng.usize(..4) {
        text.push(' ');
        text.push_str(&word(rng, names, depth));
    }
    if rng.u8(..8) == 0 {
        text.push_str(&redirect(rng, names));
    }
    if rng.u8(..16) == 0 {
        text.insert_str(0, &format!("{}={} ", pick(rng, names.variables), word(rng, names, 0)));
    }
    text
}

fn word(rng: &mut Rng, names: &Vocabulary, depth: u32) -> String {
    let plain = pick(rng, names.arguments);
    if depth == 0 || rng.u8(..10) < 6 {
        return plain.to_owned();
    }
    let inner = script(rng, names, depth - 1);
    let variable = pick(rng, names.variables);
    match rng.u8(..14) {
        0 => format!("$({inner})"),
        1 => format!("\"$({inner})\""),
        2 => format!("`{}`", inner.replace(['`', '\\'], "")),
        3 => format!("\"a `{}` b\"", inner.replace(['`', '\\', '"'], "")),
        4 => format!("<({inner})"),
        5 => format!("${{{variable}:-$({inner})}}"),
        6 => format!("\"${{{variable}#{plain}}}\""),
        7 => format!("$(( $({inner}) ))"),
        8 => format!("'{}'", inner.replace('\'', "")),
        9 => format!("\"{}\"", inner.replace(['"', '`', '$', '\\'], "")),
        10 => format!("$'{}'", inner.replace(['\'', '\\'], "")),
        11 => format!("{{{plain},$({inner})}}"),
        12 => format!("a\"$({inner})\"b'{plain}'"),
        _ => format!("${{{variable}[$({inner})]}}"),
    }
}

/// A name in one of the ways in which bash reads the same name.
fn quoted(rng: &mut Rng, name: &str) -> String {
    let Some((head, tail)) = name.split_at_checked(1).filter(|(_, tail)| !tail.contains(' ')) else {
        return name.to_owned();
    };
    match rng.u8(..24) {
        0 => format!("\\{name}"),
        1 => format!("{head}''{tail}"),
        2 => format!("'{name}'"),
        3 => format!("\"{head}\"{tail}"),
        4 => format!("{head}\\\n{tail}"),
        5 => format!("$'{name}'"),
        _ => name.to_owned(),
    }
}
