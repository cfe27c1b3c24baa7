//! Titles of the commands that pages are full of: "Commit “First peas”" rather than "Run git commit --quiet -m First
//! peas". Knows words only, for display; whatever it does not know gets a plain title from [`super::describe`].

/// A title for a command that is known here, given as its words without quotes; `program` is its name without a path.
pub(super) fn known(program: &str, words: &[String]) -> Option<String> {
    let call = Call::of(words);
    match program {
        "git" => git(&call),
        "npm" | "pnpm" | "yarn" | "bun" => node(program, &call),
        "pip" | "pip3" => pip(&call),
        "python" | "python3" => python(words),
        "cargo" | "go" => toolchain(program, &call),
        "make" | "just" | "cmake" | "pytest" | "ctest" | "tox" => build(program, &call),
        "apt" | "apt-get" | "dnf" | "yum" | "zypper" | "apk" | "brew" | "pacman" | "snap" => {
            packages(program, &call)
        }
        "systemctl" | "service" => services(program, &call),
        "docker" | "podman" | "docker-compose" => containers(program, &call),
        _ => files(program, &call),
    }
}

/// The words after the program, apart: what is an option and what it is about.
struct Call<'a> {
    options: Vec<&'a str>,
    objects: Vec<&'a str>,
    words: &'a [String],
}

impl<'a> Call<'a> {
    fn of(words: &'a [String]) -> Self {
        let shown = words.iter().skip(1).map(String::as_str).take_while(|word| !word.starts_with(['<', '>']));
        let (options, objects) = shown.partition(|word| word.starts_with('-') && *word != "-");
        Self { options, objects, words }
    }

    fn has(&self, options: &[&str]) -> bool {
        self.options.iter().any(|given| options.contains(given))
    }

    /// The word after one of these options, or what follows its "=".
    fn value(&self, options: &[&str]) -> Option<&'a str> {
        self.words.iter().enumerate().find_map(|(place, word)| match word.split_once('=') {
            Some((name, value)) if options.contains(&name) => Some(value),
            _ if options.contains(&word.as_str()) => self.words.get(place + 1).map(String::as_str),
            _ => None,
        })
    }

    fn object(&self, place: usize) -> Option<&'a str> {
        self.objects.get(place).copied()
    }

    /// "a", "a and b", "3 files": the objects from `first` on.
    fn list(&self, first: usize, many: &str) -> Option<String> {
        match self.objects.get(first..)? {
            [] => None,
            [one] => Some((*one).to_owned()),
            [one, two] => Some(format!("{one} and {two}")),
            more => Some(format!("{} {many}", more.len())),
        }
    }
}

fn git(call: &Call<'_>) -> Option<String> {
    // An option before the sub-command may take a word; what follows is then not what it seems.
    if call
        .words
        .get(1)
        .is_some_and(|word| matches!(word.as_str(), "-C" | "-c" | "--git-dir" | "--work-tree"))
    {
        return known("git", &[&call.words[..1], call.words.get(3..)?].concat());
    }
    let object = call.object(1);
    Some(match call.object(0)? {
        "init" => match object.filter(|folder| *folder != ".") {
            Some(folder) => format!("Make the repository {folder}"),
            None => "Make this folder a repository".to_owned(),
        },
        "add" if call.has(&["-A", "--all"]) || matches!(object, Some("." | "*")) => {
            "Stage every change".into()
        }
        "add" => format!("Stage {}", call.list(1, "files")?),
        "commit" if call.has(&["--amend"]) => "Amend the last commit".into(),
        "commit" => match call.value(&["-m", "-am", "--message"]) {
            Some(message) => format!("Commit “{}”", message.lines().next().unwrap_or(message)),
            None => "Commit the changes".into(),
        },
        "config" => git_config(call)?,
        "switch" | "checkout" => git_switch(call)?,
        "branch" => match object {
            _ if call.has(&["-m", "-M", "--move"]) => "Rename the branch".into(),
            Some(branch) if call.has(&["-d", "-D", "--delete"]) => format!("Delete the branch {branch}"),
            Some(branch) if call.options.is_empty() => format!("Make the branch {branch}"),
            Some(_) => return None,
            None => "List the branches".into(),
        },
        "remote" => match object {
            Some("add") => format!("Add the remote {}", call.object(2)?),
            Some("remove" | "rm") => format!("Remove the remote {}", call.object(2)?),
            Some("set-url") => format!("Change where {} is", call.object(2)?),
            Some(_) => return None,
            None => "List the remotes".into(),
        },
        "push" => match (object, call.object(2)) {
            _ if call.has(&["--mirror"]) => format!("Make {} a mirror of this", object?),
            (Some(remote), Some(gone)) if call.has(&["--delete", "-d"]) || gone.starts_with(':') => {
                format!("Delete {} at {remote}", gone.trim_start_matches(':'))
            }
            (Some(remote), branch) if call.has(&["--force", "-f"]) => {
                format!("Overwrite {} at {remote}", branch.unwrap_or("the branch"))
            }
            _ if call.has(&["--tags"]) => "Push the tags".into(),
            (Some(remote), Some(branch)) => format!("Push {branch} to {remote}"),
            (Some(remote), None) => format!("Push to {remote}"),
            (None, _) => "Push the commits".into(),
        },
        "pull" => "Pull the latest commits".into(),
        "fetch" => "Fetch the latest commits".into(),
        "merge" => format!("Merge {}", object?),
        "rebase" => format!("Rebase onto {}", object?),
        "status" => "See what has changed".into(),
        "diff" => "See the changes".into(),
        "log" => "Read the history".into(),
        "tag" => match call.value(&["-a", "-s"]).or(object) {
            Some(_) if call.has(&["-d", "--delete"]) => format!("Delete the tag {}", object?),
            Some(tag) => format!("Make the tag {tag}"),
            None => "List the tags".into(),
        },
        "stash" => match object {
            Some("pop" | "apply") => "Bring the stashed changes back".into(),
            Some("push" | "save") | None => "Stash the changes".into(),
            Some(_) => return None,
        },
        "restore" => format!("Restore {}", call.list(1, "files")?),
        "rm" => format!("Remove {} from the repository", call.list(1, "files")?),
        "mv" => format!("Move {} to {}", object?, call.object(2)?),
        "submodule" if matches!(object, Some("update")) => "Fetch the submodules".into(),
        _ => return None,
    })
}

fn git_config(call: &Call<'_>) -> Option<String> {
    if call.has(&["--list", "-l"]) {
        return Some("List the settings of git".to_owned());
    }
    let key = call.object(1)?;
    let sets = call.object(2).is_some() && !call.has(&["--get", "--get-all"]);
    Some(match key {
        _ if call.has(&["--unset", "--unset-all"]) => format!("Unset {key} in git"),
        "user.name" if sets => "Name the author".to_owned(),
        "user.email" if sets => "Give the author's address".to_owned(),
        _ if sets => format!("Set {key} in git"),
        _ => format!("Look up {key} in git"),
    })
}

fn git_switch(call: &Call<'_>) -> Option<String> {
    if let Some(branch) = call.value(&["-c", "-C", "--create", "-b", "-B", "--orphan"]) {
        return Some(format!("Start the branch {branch}"));
    }
    if call.words.iter().any(|word| word == "--") {
        return Some(format!("Restore {}", call.objects.last()?));
    }
    Some(match call.object(1)? {
        "-" => "Switch back".to_owned(),
        branch => format!("Switch to {branch}"),
    })
}

fn node(program: &str, call: &Call<'_>) -> Option<String> {
    Some(match (call.object(0), call.object(1)) {
        (Some("install" | "i" | "ci"), None) => "Install the packages".into(),
        (None, None) if program == "yarn" && call.options.is_empty() => "Install the packages".into(),
        (Some("install" | "i" | "add"), Some(_)) => format!("Install {}", call.list(1, "packages")?),
        (Some("update" | "upgrade"), None) => "Update the packages".into(),
        (Some("test" | "t"), _) | (Some("run"), Some("test")) => "Run the tests".into(),
        (Some("run"), Some("build")) | (Some("build"), None) => "Build".into(),
        (Some("run"), Some(script)) => format!("Run the script {script}"),
        (Some("start"), None) => "Start the program".into(),
        (Some("init"), _) => "Make a package".into(),
        _ => return None,
    })
}

fn pip(call: &Call<'_>) -> Option<String> {
    Some(match call.object(0)? {
        "install" => match call.value(&["-r", "--requirement"]) {
            Some(list) => format!("Install what {list} lists"),
            None if call.value(&["-e", "--editable"]).is_some_and(|from| from.starts_with('.')) => {
                "Install this project".into()
            }
            None if call.object(1) == Some(".") => "Install this project".into(),
            None if call.has(&["--upgrade", "-U"]) => format!("Upgrade {}", call.list(1, "packages")?),
            None => format!("Install {}", call.list(1, "packages")?),
        },
        "uninstall" => format!("Remove {}", call.list(1, "packages")?),
        "list" | "freeze" => "List the packages".into(),
        "check" => "Check the packages".into(),
        _ => return None,
    })
}

fn python(words: &[String]) -> Option<String> {
    match words.get(1)?.as_str() {
        "-m" => match words.get(2)?.as_str() {
            "pip" => pip(&Call::of(&words[2..])),
            "venv" | "virtualenv" => {
                let folder = words[3..].iter().rfind(|word| !word.starts_with('-'))?;
                Some(format!("Make the Python environment {folder}"))
            }
            "pytest" | "unittest" => Some("Run the tests".to_owned()),
            "http.server" => Some("Serve this folder".to_owned()),
            module => Some(format!("Run the Python module {module}")),
        },
        "-c" => Some("Run a line of Python".to_owned()),
        _ => None,
    }
}

fn toolchain(program: &str, call: &Call<'_>) -> Option<String> {
    Some(match (program, call.object(0)?) {
        (_, "build") => "Build".into(),
        (_, "test") => "Run the tests".into(),
        (_, "run") => "Build and start the program".into(),
        ("cargo", "check" | "clippy") | ("go", "vet") => "Check the code".into(),
        (_, "fmt") => "Format the code".into(),
        ("cargo", "new" | "init") => "Make a package".into(),
        ("cargo", "add") | ("go", "get") => format!("Add {}", call.list(1, "packages")?),
        (_, "install") => match call.value(&["--path"]) {
            Some(_) => "Install this project".into(),
            None => format!("Install {}", call.list(1, "programs")?),
        },
        ("go", "mod") => match call.object(1)? {
            "tidy" => "Tidy the modules up".into(),
            "download" => "Download the modules".into(),
            "init" => "Make a module".into(),
            _ => return None,
        },
        _ => return None,
    })
}

fn build(program: &str, call: &Call<'_>) -> Option<String> {
    Some(match (program, call.object(0)) {
        ("pytest" | "ctest" | "tox", _) | ("make" | "just", Some("test" | "check")) => "Run the tests".into(),
        ("cmake", _) if call.has(&["--build"]) => "Build".into(),
        ("cmake", _) if call.has(&["--install"]) => "Install what was built".into(),
        ("cmake", _) if call.has(&["-S", "-B"]) || call.object(0).is_some() => "Configure the build".into(),
        ("make", None) | ("make" | "just", Some("build" | "all")) => "Build".into(),
        ("make", Some("install")) => "Install what was built".into(),
        ("make", Some("clean")) => "Clear the build away".into(),
        _ => return None,
    })
}

fn packages(program: &str, call: &Call<'_>) -> Option<String> {
    if program == "pacman" {
        return call
            .has(&["-S", "-Sy"])
            .then(|| call.list(0, "packages"))
            .flatten()
            .map(|list| format!("Install {list}"));
    }
    Some(match call.object(0)? {
        "update" => "Refresh the package lists".into(),
        "upgrade" | "full-upgrade" | "dist-upgrade" => "Upgrade the packages".into(),
        "install" | "add" => format!("Install {}", call.list(1, "packages")?),
        "remove" | "purge" | "del" | "uninstall" => format!("Remove {}", call.list(1, "packages")?),
        "autoremove" => "Remove packages that nothing needs".into(),
        "search" => format!("Look for {}", call.list(1, "packages")?),
        _ => return None,
    })
}

fn services(program: &str, call: &Call<'_>) -> Option<String> {
    let (verb, service) = if program == "service" { (1, 0) } else { (0, 1) };
    let verb = match call.object(verb)? {
        "start" => "Start",
        "stop" => "Stop",
        "restart" => "Restart",
        "reload" => "Reload",
        "enable" if call.has(&["--now"]) => "Enable and start",
        "enable" => "Enable",
        "disable" => "Disable",
        "status" | "is-active" => "Look at",
        "daemon-reload" => return Some("Read the unit files again".to_owned()),
        _ => return None,
    };
    Some(format!("{verb} {}", call.object(service)?))
}

fn containers(program: &str, call: &Call<'_>) -> Option<String> {
    let first = if program != "docker-compose" && call.object(0) == Some("compose") { 1 } else { 0 };
    let composed = first == 1 || program == "docker-compose";
    Some(match call.object(first)? {
        "up" if composed => "Start the containers".into(),
        "down" if composed => "Stop the containers".into(),
        "build" => match call.value(&["-t", "--tag"]) {
            Some(image) => format!("Build the image {image}"),
            None => "Build the image".into(),
        },
        "run" => match call.value(&["--name"]) {
            Some(name) => format!("Start the container {name}"),
            None => "Start a container".into(),
        },
        "exec" => "Run a command in a container".into(),
        "pull" if !composed => format!("Fetch the image {}", call.object(1)?),
        "ps" => "List the containers".into(),
        "logs" => "Read the logs".into(),
        _ => return None,
    })
}

fn files(program: &str, call: &Call<'_>) -> Option<String> {
    let last = call.objects.last().copied();
    let several = call.objects.len() >= 2;
    Some(match program {
        "cp" | "rsync" | "scp" if several => match call.objects.as_slice() {
            [from, to] => format!("Copy {from} to {to}"),
            all => format!("Copy {} files to {}", all.len() - 1, last?),
        },
        "mv" if several => match call.objects.as_slice() {
            [from, to] => format!("Move {from} to {to}"),
            all => format!("Move {} files to {}", all.len() - 1, last?),
        },
        "rm" | "rmdir" => format!("Delete {}", call.list(0, "files")?),
        "ln" if several => format!("Link {} to {}", call.object(1)?, call.object(0)?),
        "touch" => format!("Make {}", call.list(0, "files")?),
        "chmod" if several => match call.object(0)? {
            "+x" | "u+x" | "a+x" | "755" => format!("Allow {} to run", call.list(1, "files")?),
            _ => format!("Change who may use {}", call.list(1, "files")?),
        },
        "chmod" if call.has(&["-x"]) => format!("Forbid {} to run", call.list(0, "files")?),
        "chown" if several => format!("Change the owner of {}", call.list(1, "files")?),
        "ls" => match call.list(0, "folders") {
            Some(folder) => format!("List {folder}"),
            None => "List the files".into(),
        },
        "cat" => format!("Show {}", call.list(0, "files")?),
        "head" if call.objects.len() == 1 => format!("Show the start of {}", last?),
        "tail" if call.objects.len() == 1 => format!("Show the end of {}", last?),
        "grep" | "rg" if call.objects.len() == 2 => format!("Search {}", last?),
        "sed" if call.has(&["-i", "--in-place"]) => format!("Edit {}", last?),
        "diff" | "cmp" if several => format!("Compare {} with {}", call.object(0)?, call.object(1)?),
        "sort" if call.objects.len() == 1 => format!("Sort {}", last?),
        "wc" if call.objects.len() == 1 => format!("Count {}", last?),
        "tar" => tar(call)?,
        "unzip" | "gunzip" => format!("Unpack {}", call.object(0)?),
        "curl" | "wget" => {
            let address = call.objects.iter().find(|word| word.contains("://") || word.contains('.'))?;
            let path = address.split_once("://").map_or(*address, |(_, rest)| rest);
            let name = path.split(['?', '#']).next().unwrap_or(path).trim_end_matches('/');
            format!("Fetch {}", name.rsplit('/').next().unwrap_or(name))
        }
        "sleep" => format!("Wait {} s", call.object(0)?.trim_end_matches('s')),
        "pwd" => "Show where we are".into(),
        "which" => format!("Look for {}", call.list(0, "programs")?),
        "ssh-keygen" if call.has(&["-y"]) => "Show the public half of an SSH key".into(),
        "ssh-keygen" if call.has(&["-R"]) => "Forget the key of a host".into(),
        "ssh-keygen" if call.has(&["-l", "-lf"]) => "Show the fingerprint of a key".into(),
        "ssh-keygen" => "Make an SSH key".into(),
        "useradd" | "adduser" => format!("Add the user {}", last?),
        _ if call.objects.is_empty() && call.has(&["--version", "-V"]) => {
            format!("Look at the version of {program}")
        }
        _ => return None,
    })
}

fn tar(call: &Call<'_>) -> Option<String> {
    let letters = call.words.get(1)?.trim_start_matches('-');
    let file = call.words.iter().skip(1).find(|word| word.contains(".t") || word.ends_with(".tar"))?;
    match letters {
        _ if letters.contains('x') || call.has(&["--extract"]) => Some(format!("Unpack {file}")),
        _ if letters.contains('c') || call.has(&["--create"]) => Some(format!("Pack {file}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::runbook::describe::title;

    #[test]
    fn git_reads_like_what_it_does() {
        for (command, wanted) in [
            ("git init --quiet --initial-branch=main .", "Make this folder a repository"),
            ("git init --quiet --bare server.git", "Make the repository server.git"),
            ("git add -A", "Stage every change"),
            ("git add a.txt b.txt", "Stage a.txt and b.txt"),
            ("git commit --quiet -m \"Say hello\"", "Commit “Say hello”"),
            ("git commit --quiet --all --message='Say it'", "Commit “Say it”"),
            ("git commit", "Commit the changes"),
            ("git config user.name \"Example\"", "Name the author"),
            ("git config --global user.email a@b.c", "Give the author's address"),
            ("git config user.email", "Look up user.email in git"),
            ("git config core.editor vi", "Set core.editor in git"),
            ("git switch --quiet -c spring", "Start the branch spring"),
            ("git checkout -b spring", "Start the branch spring"),
            ("git switch --quiet main", "Switch to main"),
            ("git branch -d old", "Delete the branch old"),
            ("git branch --format='%(refname:short)'", "List the branches"),
            ("git remote add origin ./server.git", "Add the remote origin"),
            ("git push", "Push the commits"),
            ("git push -u origin main", "Push main to origin"),
            ("git --git-dir=server.git log --format=%s spring", "Read the history"),
            ("git -C app status", "See what has changed"),
            ("git frobnicate now", "Run git frobnicate now"),
        ] {
            assert_eq!(title(command), wanted, "{command}");
        }
    }

    #[test]
    fn other_programs_too() {
        for (command, wanted) in [
            ("npm ci", "Install the packages"),
            ("npm install left-pad", "Install left-pad"),
            ("npm run lint", "Run the script lint"),
            ("pip install -r requirements.txt", "Install what requirements.txt lists"),
            ("pip install --upgrade pip", "Upgrade pip"),
            ("python3 -m pip install -e .", "Install this project"),
            ("python3 -m venv --without-pip .venv", "Make the Python environment .venv"),
            ("python -c 'print(1)'", "Run a line of Python"),
            ("python -m photonotes < a >> b", "Run the Python module photonotes"),
            ("sudo apt-get install -y git curl jq", "Install 3 packages"),
            ("sudo systemctl enable --now nginx", "Enable and start nginx"),
            ("docker compose up -d", "Start the containers"),
            ("make", "Build"),
            ("cargo test", "Run the tests"),
            ("cp index.html public/index.html", "Copy index.html to public/index.html"),
            ("rm -r old-build", "Delete old-build"),
            ("chmod +x ./run.sh", "Allow ./run.sh to run"),
            ("ls", "List the files"),
            ("ls public", "List public"),
            ("tar -xzf a.tar.gz", "Unpack a.tar.gz"),
            ("curl -fsSL https://example.org/tool/install.sh -o i.sh", "Fetch install.sh"),
            ("node --version", "Look at the version of node"),
            ("echo more >> notes.md", "Add to notes.md"),
            ("echo more > notes.md", "Write notes.md"),
        ] {
            assert_eq!(title(command), wanted, "{command}");
        }
    }

    #[test]
    fn nothing_odd_breaks_it() {
        for program in
            ["git", "npm", "pip", "python", "cargo", "make", "apt", "service", "docker", "tar", "cp"]
        {
            for rest in [
                "",
                " ",
                " -",
                " --",
                " -c",
                " -m",
                " -C",
                " -C x",
                " config",
                " commit -m",
                " -m venv",
                " >",
            ] {
                assert!(!title(&format!("{program}{rest}")).is_empty(), "{program}{rest}");
            }
        }
    }
}
