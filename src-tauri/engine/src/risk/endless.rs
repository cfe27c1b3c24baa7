//! Loops that go on until something stops them, and what they leave behind meanwhile. Words alone are looked at: that is
//! enough to ask, never enough to call something harmless.

/// Ends a loop, or makes it wait.
const PAUSES: [&str; 9] =
    ["sleep", "read", "wait", "break", "exit", "return", "inotifywait", "select", "fswatch"];
/// Makes something that is still there afterwards.
const MAKES: [&str; 9] = ["mkdir", "touch", "cp", ">>", "fallocate", "dd", "ln", "mktemp", "split"];

/// Takes pictures of the screen, of who sits there, or listens.
const WATCHES: [&str; 9] = [
    "import",
    "scrot",
    "grim",
    "screencapture",
    "gnome-screenshot",
    "xwd",
    "arecord",
    "fswebcam",
    "imagesnap",
];
/// So many at once stop any machine. Hundreds are work for a large one.
pub(super) const UNBEARABLE: u64 = 1_000;
pub(super) const TOO_MANY: &str = "starts more copies than a machine can bear";

/// Why a line with a loop in it would wear the machine down.
pub(super) fn alarm(command: &str) -> Option<&'static str> {
    if !command.contains("do") {
        return None;
    }
    let mut text = command.replace(">>", " \u{1} ");
    for sign in [";", "&", "(", ")", "|"] {
        text = text.replace(sign, &format!(" {sign} "));
    }
    let text = text.replace('\n', " ; ").replace('\u{1}', ">>");
    let words: Vec<&str> = text.split_whitespace().collect();
    if is_endless(&words) && words.windows(2).any(|pair| pair == ["&", "done"]) {
        return Some("starts copies without end");
    }
    if starts_endless(&words) {
        return Some("starts again and again what never ends");
    }
    if starts_many(&words) {
        return Some(TOO_MANY);
    }
    if is_endless(&words) && words.iter().any(|word| WATCHES.contains(word)) {
        return Some("keeps what is seen or heard here, again and again");
    }
    let idles = |body: &[&str]| matches!(body, ["do", ":" | "true", ";", "done"]);
    if is_endless(&words) && words.windows(4).any(idles) {
        return Some("keeps the machine busy with nothing, without end");
    }
    let has = |some: &[&str]| words.iter().any(|word| some.contains(word));
    (is_endless(&words) && !has(&PAUSES) && has(&MAKES))
        .then_some("makes something again and again, without end")
}

fn is_endless(words: &[&str]) -> bool {
    let always = |pair: &[&str]| {
        matches!(
            pair,
            ["while", "true" | ":" | "1" | "[1]" | "/bin/true"] | ["until", "false" | "/bin/false"]
        )
    };
    words.windows(2).any(always) || words.windows(4).any(|start| start == ["for", "(", "(", ";"])
}

/// `do yes > /dev/null &`: a background command of a loop that goes on for ever.
fn starts_endless(words: &[&str]) -> bool {
    let Some(first) = words.iter().position(|word| *word == "do") else { return false };
    let within = words.get(first..).unwrap_or_default();
    let parts = within.split(|word| matches!(*word, "do" | ";" | "(" | ")" | "|"));
    for part in parts {
        let Some(at) = part.iter().position(|word| *word == "&") else { continue };
        let command = part.get(..at).unwrap_or_default();
        // `a && b` is no background command.
        let alone = part.get(at + 1).is_none_or(|next| *next != "&");
        let endless = command.first() == Some(&"yes")
            || command.iter().any(|word| matches!(*word, "/dev/zero" | "/dev/urandom"))
                && !matches!(command.first(), Some(&("head" | "dd")));
        if alone && endless {
            return true;
        }
    }
    false
}

/// `for i in $(seq 1 100000); do job & done`: as many at once as the loop goes round.
fn starts_many(words: &[&str]) -> bool {
    let Some(first) = words.iter().position(|word| *word == "do") else { return false };
    let (head, within) = words.split_at(first);
    let started = within.windows(2).any(|pair| pair == ["&", "done"]);
    let waits = within.iter().any(|word| matches!(*word, "wait" | "break"));
    let numbers = |word: &&str| {
        let largest =
            word.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse::<u64>().ok()).max();
        largest.is_some_and(|number| number >= UNBEARABLE)
    };
    let counts =
        head.iter().any(|word| word.contains("..") || matches!(*word, "$" | "seq") || word.contains('<'));
    started && !waits && counts && head.iter().any(numbers)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::protocol::Risk;

    #[test]
    fn a_loop_that_wears_the_machine_down_is_asked_about() {
        check(
            Risk::Dangerous,
            r#"
            while true; do ./server & done
            while :; do sh -c 'x' & done
            while :; do :; done
            while true; do true; done &
            for i in $(seq 1 100000); do (yes > /dev/null &) ; done
            for i in 1 2 3 4; do yes > /dev/null & done
            for i in {1..64}; do sha1sum /dev/zero & done
            for i in $(seq 1 100000); do sleep 10000 & done
            for i in {1..5000}; do ./job "$i" & done
            for ((i=0;i<20000;i++)); do ./job & done
            while true; do mkdir x && cd x; done
            while :; do echo more >> log.txt; done
            until false; do touch "$RANDOM"; done
            for ((;;)); do cp a.iso "b$RANDOM"; done"#,
        );
        check(
            Risk::Caution,
            r#"
            while true; do date >> log.txt; sleep 5; done
            for i in {1..8}; do ./job "$i" & done; wait
            for i in $(seq 1 5000); do ./job "$i" & wait; done
            while true; do mkdir out && break; done
            for i in 1 2 3; do mkdir "part$i" && touch "part$i/x"; done
            while read -r line; do echo "$line" >> copy.txt; done < lines.txt"#,
        );
    }
}
