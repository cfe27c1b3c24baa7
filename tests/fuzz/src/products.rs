//! Texts in which much meets much: many folders to look in and many names to look for, many variables and many words that
//! hold them. Nothing in them is odd; what is slow or fills the memory is that each of one is held against each of the other.

use std::fmt::Write;

use fastrand::Rng;

/// What is kept in mind for all that follows; `#` is a number that is new each time.
const KEPT: [&str; 36] = [
    "cd d#; ",
    "(cd d#; ls); ",
    "cd d# && ",
    "x#=a; ",
    "x#='a b c d e f g h i j k l m n o p'; ",
    "set -- a b c # \"$@\"; ",
    "x=$x/a#; ",
    "x=\"$x $x\"; ",
    "x+=\" a#\"; ",
    "a=(b c d#); ",
    "a[#]=b; ",
    "declare -A c#; ",
    "export E#=1; ",
    "read -r y#; ",
    "for x in a b c# d e f g h; do ",
    "for x# in *.txt; do ls; done; ",
    "while read -r x#; do ls; done < a; ",
    "f#() { rm a#; }; ",
    "f() { f#; }; ",
    "alias a#='rm -r'; ",
    "mkdir m#; ",
    "echo a > w#; ",
    "echo a >> w; ",
    "cat <<'E' > h#.py\nprint(1)\nE\n",
    "printf 'rm a#' > s#.sh; ",
    "ln -s /etc l#; ",
    "ln -s / -t t#; ",
    "curl -so g# https://example.org/g#; ",
    "gcc -o b# s#.c; ",
    "sleep 1 & p#=$!; ",
    "git remote add r# https://example.org/r; ",
    "trap 'rm a#' EXIT; ",
    "t#=$(mktemp); ",
    "case a# in a) ls;; esac; ",
    "if test -e a#; then ",
    "pushd d#; ",
];

/// What looks at all of that.
const ACTS: [&str; 44] = [
    "rm -rf",
    "rm",
    "mv -t e",
    "cp",
    "cat",
    "ls",
    "echo",
    "chmod -R 700",
    "chown -R u",
    "tee",
    "sudo rm",
    "sudo env A=1 nice timeout 5 nohup rm",
    "env -S rm",
    "xargs rm",
    "xargs -I{} sh -c 'rm {}'",
    "find . -exec rm {} +",
    "find a b c -exec rm {} ; -delete",
    "tar -xf a.tar -C",
    "tar -cf a.tar",
    "rsync -a",
    "scp",
    "git add",
    "git -c a.b=c push",
    "git rm",
    "python3",
    "python3 -c 'print(1)'",
    "perl -e 'print 1' --",
    "awk '{print}'",
    "sed -i s/a/b/",
    "grep -r a",
    "bash",
    "bash -c 'rm \"$@\"' _",
    "sh -c",
    "eval",
    "source",
    "exec",
    "kill",
    "docker run -v",
    "npm install",
    "apt-get install",
    "dd if=a of=b",
    "unset",
    "parallel rm :::",
    "$x",
];

/// What it is done to; `#` as above.
const WORDS: [&str; 50] = [
    "a",
    "a#",
    "d#/a",
    "w#",
    "m#",
    "l#/x",
    "b#",
    "h#.py",
    "s#.sh",
    "./s#.sh",
    "$x",
    "\"$x\"",
    "$x#",
    "${x#a}",
    "${x:-a#}",
    "${x//a/b}",
    "\"${a[@]}\"",
    "${c#[$x]}",
    "$((c[#]+1))",
    "$p#",
    "{a,b}",
    "{a#,b}{c,d}",
    "{1..9}",
    "{1..99}",
    "a#{01..64}/b",
    "-o a#.csv",
    "--output=a#.csv",
    "*",
    "*.o#",
    "~/a#",
    "/tmp/a#",
    "../../../a#",
    "-a#",
    "--a#=b",
    "A#=b",
    "$(cat w#)",
    "$(basename \"$x\")",
    "$(date +%F)-#",
    "<(ls a#)",
    "'rm a#'",
    "\"rm '$x'\"",
    "é#",
    "https://example.org/a#",
    "/etc/a#",
    "-exec rm {} \\;",
    "-delete",
    "sudo",
    "env A#=1",
    "xargs",
    "$@",
];

/// One thing that is long in itself: how it opens, what it is full of, how it closes, and whether each part opens anew.
const LONG: [(&str, &str, &str, bool); 40] = [
    ("python3 -c '", "x#=open(\"a#\")\n", "'", false),
    ("python3 -c '", "print(x#)\n", "'", false),
    ("python3 -c '", "x=x+\"a#\"; ", "'", false),
    ("python3 -c '", "import os; os.remove(\"a#\"); ", "'", false),
    ("python3 -c 'print", "(", ")", true),
    ("python3 <<'E'\n", "def f#(): return f(#)\n", "E\n", false),
    ("perl -e '", "unlink \"a#\"; ", "'", false),
    ("perl -ne '", "s/a#/b/; ", "' a", false),
    ("ruby -e '", "File.write(\"a#\", 1); ", "'", false),
    ("node -e '", "fs.writeFileSync(\"a#\", 1); ", "'", false),
    ("node -e '", "[", "]", true),
    ("php -r '", "unlink(\"a#\"); ", "'", false),
    ("awk '", "{print > \"a#\"} ", "' a", false),
    ("awk '", "/a#/ {x[#]++} ", "' a", false),
    ("sed '", "s/a#/b/w a#\n", "' a", false),
    ("sed", " -e s/a#/b/", " a", false),
    ("ed -s a <<'E'\n", "w a#\n", "E\n", false),
    ("vim -es", " -c 'w a#'", " a", false),
    ("psql -c '", "select a# from b; ", "'", false),
    ("psql -c '", "delete from a#; ", "'", false),
    ("sqlite3 a.db '", "drop table a#; ", "'", false),
    ("cat <<'E' | bash\n", "rm a#\n", "E\n", false),
    ("bash <<E\n", "rm $x# $(ls)\n", "E\n", false),
    ("bash -c '", "cd d#; rm a#; ", "'", false),
    ("eval '", "x#=a; rm $x#; ", "'", false),
    ("make -f - <<'E'\n", "a#:\n\trm a#\n", "E\n", false),
    ("cat > Makefile <<'E'\n", "a#: b\n\trm a#\n", "E\nmake", false),
    ("for x in ", "a# ", "; do rm $x; done", false),
    ("case $x in ", "a#) rm b#;; ", "esac", false),
    ("a=(", "b# ", "); rm \"${a[@]}\"", false),
    ("[[ ", "-n $x# && ", "-n a ]]", false),
    ("rm {", "a#,", "b}", false),
    ("rm a", "{b,c}", "", false),
    ("rm ", "${x#:-", "}", true),
    ("rm ", "$(rm ", ")", true),
    ("", "sudo ", "rm a", false),
    ("", "bash -c \\", "rm", false),
    ("", "(", ")", true),
    ("", "f#() { f#; rm a#; }; ", "f1", false),
    ("jq '", ".a# | ", ". ' a", false),
];

/// Between two acts.
const JOINTS: [&str; 7] = ["; ", "\n", " && ", " || ", " | ", " & ", "\nif ls; then :; fi; "];

/// A text of about `most` bytes, or half, or a quarter of it.
pub fn product(rng: &mut Rng, most: usize) -> String {
    let most = most >> rng.u32(..3);
    if rng.u8(..4) == 0 { long(rng, most) } else { many(rng, most) }
}

fn long(rng: &mut Rng, most: usize) -> String {
    let (open, unit, close, each) = LONG[rng.usize(..LONG.len())];
    let mut text = open.to_owned();
    let mut number = 0;
    // The reader gives up early on what is nested deep.
    let most = if each { most >> rng.u32(..10) } else { most };
    while text.len() + close.len() * if each { number } else { 1 } + unit.len() + 8 < most {
        push(&mut text, unit, &mut number);
    }
    text.push_str(&close.repeat(if each { number } else { 1 }));
    if open.ends_with('\'') && each {
        text.push('\'');
    }
    text
}

fn many(rng: &mut Rng, most: usize) -> String {
    let mut text = String::with_capacity(most + 256);
    let mut number = 0;
    let kept = some(rng, &KEPT, 3);
    let acts = some(rng, &ACTS, 2);
    let words = some(rng, &WORDS, 3);
    let joint = JOINTS[rng.usize(..JOINTS.len())];
    let share = most * rng.usize(..4) / 4;
    let mut open = Vec::new();
    while text.len() < share {
        let chosen = kept[rng.usize(..kept.len())];
        open.extend(closing(chosen));
        push(&mut text, chosen, &mut number);
    }
    let width = [1, 2, 16, 256, most][rng.usize(..5)];
    number = 0;
    while text.len() + 6 * open.len() < most {
        push(&mut text, acts[rng.usize(..acts.len())], &mut number);
        for _ in 0..width {
            if text.len() + 6 * open.len() >= most {
                break;
            }
            text.push(' ');
            push(&mut text, words[rng.usize(..words.len())], &mut number);
        }
        text.push_str(joint);
    }
    text.push(':');
    for close in open.iter().rev() {
        text.push_str(close);
    }
    text
}

/// What ends a construct that `opening` leaves open.
fn closing(opening: &str) -> Option<&'static str> {
    if opening.ends_with("do ") {
        Some("; done")
    } else if opening.ends_with("then ") {
        Some("; fi")
    } else {
        None
    }
}

fn some(rng: &mut Rng, from: &[&'static str], most: usize) -> Vec<&'static str> {
    (0..1 + rng.usize(..most)).map(|_| from[rng.usize(..from.len())]).collect()
}

fn push(text: &mut String, form: &str, number: &mut usize) {
    *number += 1;
    for part in form.split_inclusive('#') {
        match part.strip_suffix('#') {
            // Writing to a string does not fail.
            Some(before) => _ = write!(text, "{before}{number}"),
            None => text.push_str(part),
        }
    }
}
