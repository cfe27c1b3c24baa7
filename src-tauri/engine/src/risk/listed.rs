//! Names that a listing program prints, where they can only be names of files below the folder it runs in:
//! `$(git diff --name-only | grep '\.rs$')`, `while read -r f; do …; done < <(find src)`. Judges nothing by itself.

/// Whether the substitution in `fragment` prints such names and nothing else.
pub(super) fn lists_own_names(fragment: &str) -> bool {
    let text = fragment.trim_matches('"');
    let inner =
        text.strip_prefix("$(").or_else(|| text.strip_prefix("<(")).and_then(|rest| rest.strip_suffix(')'));
    let Some(stages) = inner.and_then(stages) else { return false };
    let secret = ["env", "secret", "key", "pem", "cred", "passw", "token", "id_"];
    let Some((first, filters)) = stages.split_first() else { return false };
    let names = inner.is_some_and(|inner| !secret.iter().any(|part| inner.contains(part)));
    names && lists(first) && filters.iter().all(|stage| only_filters(stage))
}

/// `$(readlink -f ./x)`: it prints whole paths and nothing else.
pub(super) fn prints_a_path(fragment: &str) -> bool {
    let Some(inner) = substituted(fragment) else { return false };
    inner == "pwd" || resolved(inner).is_some_and(is_plain) || prints_where_a_program_lies(fragment)
}

/// `$(readlink -f $(which git))`
pub(super) fn prints_where_a_program_lies(fragment: &str) -> bool {
    let Some(inner) = substituted(fragment) else { return false };
    let found = ["which ", "command -v "].iter().find_map(|start| inner.strip_prefix(start));
    found.is_some_and(is_plain) || resolved(inner).is_some_and(prints_where_a_program_lies)
}

fn substituted(fragment: &str) -> Option<&str> {
    fragment.trim_matches('"').strip_prefix("$(")?.strip_suffix(')')
}

fn resolved(inner: &str) -> Option<&str> {
    ["readlink -f ", "realpath "].iter().find_map(|start| inner.strip_prefix(start))
}

fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
    !name.is_empty() && !name.starts_with('-') && name.chars().all(plain)
}

fn lists(words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some((program, rest)) = words.split_first() else { return false };
    let has = |wanted: &[&str]| rest.iter().any(|word| wanted.contains(word));
    // `-rlw` has the letter as well.
    let short = |letter: char| {
        rest.iter().any(|word| {
            word.starts_with('-') && !word.starts_with("--") && word.contains(letter) && word.len() < 6
        })
    };
    let found = match *program {
        "git" => {
            let bare = has(&["--pretty=", "--format=", "--pretty=format:", "--format=format:"]);
            match rest.first() {
                Some(&"ls-files") => !has(&["-s", "--stage", "--debug", "--format"]),
                Some(&"diff" | &"diff-tree" | &"diff-index") => has(&["--name-only"]),
                Some(&"show" | &"log") => has(&["--name-only"]) && bare,
                Some(&"grep") => short('l') || has(&["--name-only", "--files-with-matches"]),
                Some(_) | None => false,
            }
        }
        "find" => {
            let odd = ["-exec", "-ok", "-printf", "-fprint", "-fls", "-ls", "-delete", "-files0"];
            !rest.iter().any(|word| odd.iter().any(|start| word.starts_with(start)))
        }
        "fd" | "fdfind" => {
            let odd = ["-x", "-X", "--exec", "--format", "-l", "--list-details"];
            !rest.iter().any(|word| odd.iter().any(|start| word.starts_with(start)))
        }
        "rg" => {
            (has(&["--files", "--files-with-matches"]) || short('l'))
                && !rest.iter().any(|word| word.starts_with("--pre") || word.starts_with("--hostname-bin"))
        }
        "grep" | "egrep" | "fgrep" => {
            has(&["--files-with-matches", "--files-without-match"]) || short('l') || short('L')
        }
        // A long listing has more than names in it.
        "ls" => !rest.iter().any(|word| {
            word.starts_with("--") || word.starts_with('-') && word.contains(['l', 'g', 'o', 'n', 's', 'i'])
        }),
        _ => false,
    };
    // Names from elsewhere, and those that a file lists.
    let odd = |word: &&&str| {
        word.starts_with(['/', '~']) || word.contains("..") || word.contains("=/") || **word == "-C"
    };
    found && !rest.iter().any(|word| odd(&word))
}

/// What takes lines away or puts them in another order, and leaves each as it is.
fn only_filters(words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some((program, rest)) = words.split_first() else { return false };
    let named = rest.iter().filter(|word| !word.starts_with('-')).count();
    match *program {
        "grep" | "egrep" | "fgrep" => {
            let odd = |word: &&str| {
                word.starts_with("--only")
                    || word.starts_with('-')
                        && !word.starts_with("--")
                        && word.contains(['o', 'f', 'r', 'c', 'n', 'b'])
            };
            // The pattern alone, or patterns behind `-e`.
            !rest.iter().any(odd) && (named <= 1 || rest.contains(&"-e") && named <= rest.len() / 2)
        }
        "sort" => named == 0 && !rest.iter().any(|word| word.starts_with("-o") || word.starts_with("--")),
        "uniq" => rest.is_empty(),
        "head" | "tail" => rest.iter().all(|word| {
            word.trim_start_matches("-n").trim_start_matches(['-', '+']).chars().all(|c| c.is_ascii_digit())
        }),
        _ => false,
    }
}

/// The words of each stage of a pipeline that is plain enough: quotes, and no expansion, redirection or list.
fn stages(text: &str) -> Option<Vec<Vec<String>>> {
    let mut stages = vec![Vec::new()];
    let mut word: Option<String> = None;
    let text = text.replace("2>/dev/null", " ");
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\'' => {
                let inside = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '\'' => break,
                        c => inside.push(c),
                    }
                }
            }
            '"' => {
                let inside = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '"' => break,
                        '$' | '`' | '!' => return None,
                        c => inside.push(c),
                    }
                }
            }
            ' ' | '\t' => stages.last_mut()?.extend(word.take()),
            '|' => {
                stages.last_mut()?.extend(word.take());
                stages.push(Vec::new());
            }
            '\\' => word.get_or_insert_default().push(rest.next().filter(|c| *c != '\n')?),
            // `$'\r'`: a sign that names nothing.
            '$' => {
                let sign: String = rest.by_ref().take(4).collect();
                if !matches!(sign.as_str(), r"'\r'" | r"'\n'" | r"'\t'") {
                    return None;
                }
                word.get_or_insert_default().push(' ');
            }
            '`' | ';' | '&' | '<' | '>' | '(' | ')' | '{' | '}' | '\n' | '#' | '!' => return None,
            c => word.get_or_insert_default().push(c),
        }
    }
    stages.last_mut()?.extend(word);
    // Two bars are no pipe.
    stages.iter().all(|words| !words.is_empty()).then_some(stages)
}

#[cfg(test)]
mod tests {
    use super::{lists_own_names, prints_a_path, prints_where_a_program_lies};

    #[test]
    fn whole_paths_are_told_from_other_texts() {
        for text in ["$(which git)", "\"$(readlink -f \"$(which git)\")\"", "$(realpath ./x)", "\"$(pwd)\""] {
            assert!(prints_a_path(text), "{text}");
        }
        for text in [
            "$(which git; echo --gc)",
            "$(which $x)",
            "$(readlink x)",
            "$(which --help)",
            "$(cat x)",
            "$(which )",
            "$(which a || echo --gc)",
            "$(realpath -m x)",
        ] {
            assert!(!prints_a_path(text), "{text}");
        }
        assert!(prints_where_a_program_lies("\"$(command -v ls)\""));
        assert!(!prints_where_a_program_lies("$(readlink -f .ssh/id_rsa)"));
    }

    #[test]
    fn names_of_the_project_are_told_from_others() {
        for text in [
            "$(git diff --name-only main)",
            r"$(git diff --name-only --diff-filter=AM HEAD | grep -E '\.(cc|h)$')",
            "$(grep -rlw getCwd src test)",
            "$(find src -name '*.ts' -not -path '*/node_modules/*' | head -20)",
            "<(find test -name '*.spec.js')",
            "$(git ls-files '*.rs' | sort | uniq)",
            "$(rg --files -g '*.proto')",
            "$(rg -l 'old_name' src 2>/dev/null)",
            "$(ls *.md)",
            "$(ls -t | head -1)",
            "$(git grep -l foo)",
            r"$(git grep -Il $'\r')",
            "$(fd -e rs)",
        ] {
            assert!(lists_own_names(text), "{text}");
        }
        for text in [
            "$(cat list.txt)",
            "$(find / -name x)",
            "$(find .. -name x)",
            "$(find ~ -name x)",
            "$(find . -name '.env')",
            "$(find . -printf '/etc/%f')",
            "$(find . -exec echo /etc/passwd ;)",
            "$(git show --name-only HEAD)",
            "$(git -C / ls-files)",
            "$(git ls-files | sed 's|^|/|')",
            "$(git ls-files | xargs echo)",
            "$(git ls-files | grep -o '/etc/.*')",
            "$(git ls-files || cat x)",
            "$(git ls-files; cat x)",
            "$(git ls-files $x)",
            r"$(git ls-files $'\x2fetc')",
            r"$(git ls-files $'\r$x')",
            "$(ls -l)",
            "$(ls /etc)",
            "$(grep foo src)",
            "$(grep -rn foo src)",
            "$(git ls-files | cat - x)",
            "$(git ls-files | head x)",
            "$(rg --files --pre sh)",
            "git ls-files",
        ] {
            assert!(!lists_own_names(text), "{text}");
        }
    }
}
