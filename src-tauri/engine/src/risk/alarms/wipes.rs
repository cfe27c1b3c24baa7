//! Whether a text that is written deletes the home folder, the system's, or a disk.

/// Whether the text deletes what everything else stands on. `lower` is the same text in small letters.
pub(super) fn deletes(text: &str, lower: &str) -> bool {
    text.lines().any(wipes) || deletes_home(lower)
}

/// Whether the text finds out where the home folder is, and deletes a tree.
fn deletes_home(lower: &str) -> bool {
    let home = [
        "userhomedir()",
        "homedir()",
        "path.home()",
        "home_dir()",
        "expanduser('~')",
        "expanduser(\"~\")",
        "dir.home",
    ];
    TREE_DELETERS.iter().any(|call| lower.contains(call)) && home.iter().any(|found| lower.contains(found))
}

/// Calls that delete a folder with all that is in it.
const TREE_DELETERS: [&str; 5] = ["rmtree(", "rmsync(", "rm_rf(", "remove_dir_all(", "removeall("];

/// Whether a test of a program only has such a line among its data: nothing in the text runs another program, or deletes.
pub(super) fn only_names_it(file: &str, path: &str, lower: &str) -> bool {
    const RUNS: [&str; 25] = [
        "system",
        "subprocess",
        "popen",
        "exec",
        "spawn",
        "child_process",
        "shell",
        "rmtree",
        "rmsync",
        "rm_rf",
        "remove",
        "unlink",
        "eval",
        "run(",
        "command::",
        "command(",
        "`",
        "processbuilder",
        "import sh",
        "fabric",
        "invoke",
        "getattr",
        "__dict__",
        "globals",
        "builtins",
    ];
    let code = [".py", ".js", ".mjs", ".ts", ".tsx", ".jsx", ".rb", ".go", ".rs", ".java", ".kt", ".php"]
        .iter()
        .any(|end| file.ends_with(end));
    let test = file.starts_with("test_")
        || file.contains("_test.")
        || file.contains(".test.")
        || file.contains(".spec.")
        || file.contains("_spec.")
        || path.split('/').any(|part| matches!(part, "tests" | "test" | "__tests__" | "spec"));
    code && test && !RUNS.iter().any(|word| lower.contains(word))
}

/// Whether a line deletes a tree that is the home folder's or the system's: `rm -rf $(HOME)/$(PROJECT)`.
fn wipes(line: &str) -> bool {
    let lower = line.to_lowercase();
    let whole = [
        "expanduser('~')",
        "expanduser(\"~\")",
        "path.home())",
        "homedir())",
        "homedir(),",
        "dir.home)",
        "home_dir()",
        "'/')",
        "\"/\")",
        "'/',",
        "\"/\",",
    ];
    let disks = ["/dev/sd", "/dev/nvme", "/dev/hd", "/dev/vd", "/dev/mmcblk"];
    let overwrites = disks.iter().any(|disk| {
        lower.contains(&format!("of={disk}"))
            || lower.contains(&format!("> {disk}"))
            || lower.contains("mkfs") && lower.contains(disk)
    });
    if overwrites {
        return true;
    }
    if TREE_DELETERS.iter().any(|call| lower.contains(call))
        && whole.iter().any(|target| lower.contains(target))
    {
        return true;
    }
    line.match_indices("rm ").any(|(at, found)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-') {
            return false;
        }
        let rest = line.get(at + found.len()..).unwrap_or_default();
        let end = rest.find([';', '&', '|', '\n']).unwrap_or(rest.len());
        let words: Vec<&str> = rest
            .get(..end)
            .unwrap_or_default()
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '\'', ')', '`', ',', '\\', '}', ']']))
            .collect();
        let deep = words.iter().any(|word| {
            word.starts_with('-') && !word.starts_with("--") && word.contains(['r', 'R'])
                || *word == "--recursive"
        });
        deep && words.iter().any(|word| is_foundation(word))
    })
}

fn is_foundation(word: &str) -> bool {
    let word = word.trim_end_matches('/');
    let home = ["~", "$HOME", "${HOME}", "$$HOME", "$(HOME", "$$(HOME"];
    let rest = home.iter().find_map(|name| word.strip_prefix(name)).map(|rest| rest.trim_start_matches(')'));
    // Below it a name that is put in may be empty; a name that stands there is no more than that.
    let below = |rest: &str| {
        let rest = rest.trim_start_matches('/');
        rest.is_empty() || rest == "*" || rest.starts_with('$') || rest.starts_with('.') && rest.len() < 3
    };
    let roots = [
        "", "/*", "/home", "/home/*", "/etc", "/usr", "/usr/*", "/var", "/lib", "/bin", "/boot", "/opt",
        "/root", "/srv",
    ];
    rest.is_some_and(below) || roots.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_below_a_folder_are_no_foundation() {
        let all =
            ["rm -rf ~/", "rm -fr $HOME", "rm -rf $(HOME)/$(X)", "rm -r -f /", "os.system(\"rm -rf ~\")"];
        assert!(all.iter().all(|line| wipes(line)));
        let none = [
            "rm -rf build",
            "rm -rf $(BUILD)",
            "rm -f /",
            "confirm -r ~",
            "rm -rf ~/.cache/app",
            "rm -rf /tmp/x",
        ];
        assert!(!none.iter().any(|line| wipes(line)));
    }
}
