use super::*;

fn machine() -> Machine {
    let programs = ["bash", "apt", "apt-get", "curl", "wget", "git", "make", "python3", "pip"];
    Machine {
        kernel: "linux".into(),
        arch: "x86_64".into(),
        user: "me".into(),
        programs: programs.map(str::to_owned).into(),
        ..Machine::default()
    }
    .with_os_release("ID=debian\nVERSION_ID=12\nVERSION_CODENAME=bookworm\nPRETTY_NAME=\"Debian 12\"\n")
}

fn reading(page: &str) -> Reading {
    read(&Document::read_text(page, "page.md"), &machine())
}

/// What is run, a command a line; files by their paths.
fn taken(page: &str) -> Vec<String> {
    let units = reading(page).units.into_iter().filter(Unit::is_taken);
    units
        .flat_map(|unit| match unit.act {
            Act::Shell { typed, .. } => typed.into_iter().map(|one| one.text).collect(),
            Act::File { path, mode, .. } => vec![format!("{mode:?} {path}")],
            Act::Manual { .. } | Act::Shown { .. } => Vec::new(),
        })
        .collect()
}

fn code(lines: &str) -> String {
    format!("```sh\n{lines}\n```\n\n")
}

#[test]
fn the_same_thing_got_in_two_manners_is_a_choice() {
    let page = [
        "# Wick\n\n## Install\n\nFetch it and put it in its place:\n\n",
        &code("curl -fsSL https://get.wick.dev/install.sh | sh"),
        "It is in the index of Python, too:\n\n",
        &code("pip install wick"),
        "The newest state:\n\n",
        &code("git clone https://host.dev/me/wick\ncd wick\nmake"),
    ]
    .concat();
    assert_eq!(taken(&page), ["curl -fsSL https://get.wick.dev/install.sh | sh"]);
    assert_eq!(reading(&page).choices.len(), 1);
    // Steps that go on with what was got are none.
    let page = [
        "# Wick\n\n",
        &code("git clone https://host.dev/me/wick\ncd wick\npip install ."),
        &code("pip install wax"),
    ];
    assert_eq!(taken(&page.concat()).len(), 4);
}

#[test]
fn ways_are_told_by_their_headings_whatever_they_are_to() {
    let two = |one: &str, other: &str| {
        taken(
            &[
                "# Guide\n\n## ",
                one,
                "\n\n",
                &code("wget https://host.dev/a.deb\nsudo apt install ./a.deb"),
                "## ",
                other,
                "\n\n",
                &code("make all"),
            ]
            .concat(),
        )
        .len()
    };
    assert_eq!(two("Install Wick using a pre-built binary", "Manual installation from source"), 2);
    assert_eq!(two("Install Wick with apt", "Build Wick from source"), 2);
    assert_eq!(two("Install Wick with apt", "Build Wax from source"), 3);
}

#[test]
fn a_label_above_a_sentence_names_the_way() {
    let page = [
        "# Wick\n\nUsing `apt`:\n\n",
        &code("sudo apt install ./wick.deb"),
        "Using `dpkg`:\n\nInstall it, then what it needs:\n\n",
        &code("sudo dpkg -i ./wick.deb\nsudo apt install -f"),
    ];
    assert_eq!(taken(&page.concat()), ["sudo apt install ./wick.deb"]);
}

#[test]
fn one_of_several_commands_is_enough() {
    let page = ["# Wick\n\nRun either of the following commands:\n\n", &code("make wick\nmake all-wick")];
    assert_eq!(taken(&page.concat()), ["make wick"]);
    assert_eq!(taken("# Wick\n\nType:\n\n    ./setup.sh or ./setup.py\n"), ["./setup.sh"]);
    let page = [
        "# Wick\n\nIf you use make, run:\n\n",
        &code("make wick"),
        "If you use ninja, run:\n\n",
        &code("ninja wick"),
    ];
    assert_eq!(taken(&page.concat()), ["make wick"]);
}

#[test]
fn what_a_later_step_uses_is_kept_whatever_its_heading_says() {
    let page = [
        "# Wick\n\n## Customising the image\n\n",
        &code("mkdir -p image/src\ngit clone https://host.dev/me/base image/src"),
        "## Start it\n\n",
        &code("make -C image/src"),
    ];
    assert_eq!(taken(&page.concat()).len(), 3);
    let page =
        ["# Wick\n\n## Customising the look\n\n", &code("wick theme dark"), "## Start it\n\n", &code("make")];
    assert_eq!(taken(&page.concat()), ["make"]);
}

#[test]
fn a_condition_that_only_describes_leaves_nothing_out() {
    let page =
        |said: &str| taken(&["# Wick\n\n", &code("make"), said, "\n\n", &code("make install")].concat());
    assert_eq!(page("If a server listens already, the second one will be put behind it.").len(), 2);
    assert_eq!(page("If all of it is built, you are ready to install it.").len(), 2);
    assert_eq!(page("First remove what is there (if it exists), then install the new one:").len(), 2);
    let page = [
        "# Wick\n\n",
        &code("make"),
        "If you are on a slow machine, run this as well:\n\n",
        &code("sh tune.sh"),
    ];
    assert_eq!(taken(&page.concat()), ["make"]);
}

#[test]
fn words_of_looking_leave_out_only_what_looks() {
    let page = |command: &str| {
        taken(&["# Wick\n\nMake a file to list what it needs:\n\n", &code(command), &code("make")].concat())
    };
    assert_eq!(page("bundle init").len(), 2);
    assert_eq!(page("echo a > list.txt").len(), 2);
    assert_eq!(page("ls wick").len(), 1);
}

#[test]
fn what_is_told_again_or_in_another_form_is_run_once() {
    let page = [
        "# Wick\n\n## Make it\n\n",
        &code("wick new site\ncd site\nwick add theme\nmake"),
        "## Each command\n\nThis makes the folder.\n\n",
        &code("wick new site"),
        "This goes into it.\n\n",
        &code("cd site"),
        "This gets the look.\n\n",
        &code("wick add theme"),
    ];
    assert_eq!(taken(&page.concat()).len(), 4);
    let page = [
        "# Wick\n\n",
        &code("./configure\nmake"),
        "With parts:\n\n",
        &code("./configure --with-parts"),
        &code("make install"),
    ];
    assert_eq!(taken(&page.concat()), ["./configure", "make", "make install"]);
    // The same in a folder of its own is another one.
    let page = ["# Wick\n\n", &code("cd ~/one\npython3 -m venv env"), &code("cd ~/two\npython3 -m venv env")];
    assert_eq!(taken(&page.concat()).len(), 4);
}

#[test]
fn text_of_other_shells_lists_and_watchers_are_no_steps() {
    for lines in [
        "$env.PATH = ($env.PATH | prepend x)",
        "set -gx WICK_HOME ~/.wick",
        "$env:WICK_HOME = \"x\"",
        "wick 16.5.0",
        "journalctl -u wick -f",
        "docker compose logs -f web",
        "docker compose down",
        "sudo snap remove wick",
        "kill -9 7564",
        "sudo add-apt-repository universe",
    ] {
        assert_eq!(taken(&["# Wick\n\n", &code(lines), &code("make")].concat()), ["make"], "{lines}");
    }
    assert_eq!(
        taken(&["# Wick\n\n", &code("docker compose down && docker compose up -d")].concat()).len(),
        1
    );
}

#[test]
fn prompts_without_their_space_and_before_paths() {
    assert_eq!(taken(&["# Wick\n\n", &code("$sudo make install")].concat()), ["sudo make install"]);
    let page = "# Wick\n\n```\n> bin/start conf/a.conf\n[12:00] started\n...\n```\n";
    assert_eq!(taken(page), ["bin/start conf/a.conf"]);
}

#[test]
fn a_value_that_the_page_leaves_empty_is_asked_for() {
    let page = [
        "# Wick\n\n",
        &code("WICK_VERSION=\"\" # see above, e.g. \"X.Y\"\nwget https://host.dev/v${WICK_VERSION}/wick.deb"),
    ];
    assert_eq!(taken(&page.concat())[0], "WICK_VERSION=\"<WICK_VERSION>\"");
    // Filled in later on, it is the script's own.
    let page = ["# Wick\n\n", &code("ALL=\"\"\nALL=\"$ALL x\"\necho $ALL")];
    assert_eq!(taken(&page.concat())[0], "ALL=\"\"");
}

#[test]
fn calls_before_the_program_is_got_are_demonstrations() {
    let page = [
        "# wick\n\n",
        &code("wi foo\nwi bar"),
        "## Install\n\n",
        &code("pip install wick"),
        "## Set up\n\n",
        &code("wi init"),
    ];
    assert_eq!(taken(&page.concat()), ["pip install wick", "wi init"]);
}

#[test]
fn a_sentence_for_a_relative_is_not_for_here_where_the_page_names_this_system() {
    let page = "# Wick\n\nOn Ubuntu, just run `apt install wick-all`. On Debian, you need to install it by hand.\n\n```sh\nmake\n```\n";
    assert_eq!(taken(page), ["make"]);
}

#[test]
fn the_first_of_several_parts_is_a_part_though_it_is_named_like_the_page() {
    let page = "Quickstart\n----------\n\nRun::\n\n    make all\n\nDeployment with Docker\n----------------------\n\nRun::\n\n    docker-compose up -d db\n";
    let document = Document::read_text(page, "page.rst");
    let reading = read(&document, &machine());
    assert_eq!(reading.choices.len(), 1, "{:?}", reading.choices);
}

#[test]
fn a_line_for_a_file_of_the_system_is_added() {
    let page = "# Wick\n\nEdit `/etc/wick/main.conf` so that it includes the line:\n\n```\nport = 80\n```\n";
    assert_eq!(taken(page), ["Append /etc/wick/main.conf"]);
}

#[test]
fn two_containers_that_hold_one_port_or_name_are_ways() {
    let page = |second: &str| {
        let first = code("docker run -d -p 8080:80 --name wick -v data:/data acme/wick:latest");
        taken(&["# Wick\n\n## All in one\n\n", &first, "## In parts\n\n", &code(second)].concat())
    };
    let parts = "docker run -d \\\n  -p 127.0.0.1:8080:80 \\\n  acme/wick:web";
    assert_eq!(page(parts).len(), 1, "the same port");
    assert_eq!(page("docker run -d --name wick acme/web").len(), 1, "the same name");
    assert_eq!(page("docker run -d -p 9090:80 acme/web").len(), 2);
}

#[test]
fn numbered_options_ways_said_to_be_several_and_alternatives_are_choices() {
    let sections = |one: &str, said: &str, other: &str| {
        let page = ["# Wick\n\n## Building\n\n", said, "\n\n", one, &code("make"), other, &code("ninja")];
        taken(&page.concat())
    };
    assert_eq!(
        sections(
            "**Option 1.** Build it, with this command:\n\n",
            "",
            "**Option 2.** Or so.\n\nRun this:\n\n"
        ),
        ["make"]
    );
    assert_eq!(sections("### Acme\n\n", "There are two ways to build it.", "### Nadir\n\n"), ["make"]);
    assert_eq!(sections("### Acme\n\n", "It is built so.", "### Nadir\n\n"), ["make", "ninja"]);
    assert_eq!(sections("### Usual installation\n\n", "", "### Alternative installation\n\n"), ["make"]);
    let said = sections("### On a server of one's own\n\n", "", "### On rented space (recommended way)\n\n");
    assert_eq!(said, ["ninja"]);
}

#[test]
fn a_title_that_is_the_first_of_several_parts_is_not_what_the_page_is_about() {
    let page =
        ["## About\n\nA tool.\n\n## Install\n\n", &code("make install"), "## Usage\n\n", &code("wick --all")];
    assert_eq!(taken(&page.concat()), ["make install"]);
}

#[test]
fn a_remark_in_brackets_is_about_something_else() {
    let run = |lead: &str| {
        taken(&["# Wick\n\n", &code("./configure"), lead, "\n\n", &code("make")].concat()).len() - 1
    };
    assert_eq!(run("Go into the folder and build (the option is needed to get by on Windows):"), 1);
    assert_eq!(run("Build it (on Windows):"), 0);
    assert_eq!(run("(Only if you want to do it all by hand.) If you like, build it:"), 0);
}

#[test]
fn what_stands_around_another_form_as_around_the_first_goes_with_it() {
    let page = [
        "# Wick\n\nBuild it:\n\n",
        &code("./configure\nmake"),
        "With another library:\n\n",
        &code("./configure --with-wax\nmake"),
        "As root:\n\n",
        &code("sudo -E make install"),
        "To install with the environment:\n\n",
        &code("sudo --preserve-env=CC make install"),
    ];
    assert_eq!(taken(&page.concat()), ["./configure", "make", "sudo -E make install"]);
}

#[test]
fn settings_that_nothing_uses_and_variables_that_are_shown_are_no_steps() {
    let page =
        ["# Wick\n\nThe theme:\n\n", &code("WICK_THEME=\"a b\" # a fine one"), "Then:\n\n", &code("make")];
    assert_eq!(taken(&page.concat()), ["make"]);
    let used =
        ["# Wick\n\nThe place:\n\n", &code("PLACE=/opt/wick"), "Then:\n\n", &code("make DIR=\"$PLACE\"")];
    assert_eq!(taken(&used.concat()).len(), 2);
    let shown = ["# Wick\n\n", &code("make"), "See:\n\n", &code("echo \"$WICK_HOME\"")];
    assert_eq!(taken(&shown.concat()), ["make"]);
}

#[test]
fn sentences_tell_to_copy_and_to_run_what_has_been_cloned() {
    let page = [
        "# Wick\n\n",
        &code("git clone https://host.dev/me/wick ~/.wick"),
        "1. Copy `/docker/.env.example` to `/docker/.env` and fill it in.\n",
        "2. Run `~/.wick/install.sh`\n",
    ];
    assert_eq!(taken(&page.concat())[1..], ["cp docker/.env.example docker/.env", "~/.wick/install.sh"]);
    let nothing_got = "# Wick\n\nUnpack it. Copy `config-dist.php` to `data/config.php`.\n";
    assert_eq!(taken(nothing_got), [""; 0]);
}

#[test]
fn a_part_of_a_compose_file_is_not_the_file() {
    let page = |contents: &str| {
        let block = format!("Change `docker-compose.yml` so that it has:\n\n```yaml\n{contents}\n```\n");
        taken(&["# Wick\n\n", &code("make"), &block].concat()).len()
    };
    assert_eq!(page("image: acme/wick:v1"), 1);
    assert_eq!(page("services:\n  wick:\n    image: acme/wick:v1"), 2);
}

#[test]
fn what_goes_into_the_clone_is_kept_with_it() {
    let page = [
        "# Wick\n\n## Usage\n\nFirst clone it:\n\n",
        &code("git clone https://host.dev/me/wick"),
        "Then try it:\n\n",
        &code("cd wick\nmake demo"),
        "## Install\n\n",
        &code("sudo make -C wick install"),
    ];
    assert_eq!(taken(&page.concat()).len(), 4);
}

#[test]
fn what_was_cloned_is_gone_into_before_what_uses_its_files() {
    let clone = "git clone https://host.dev/me/wick";
    let page = ["# Wick\n\nFetch it:\n\n", &code(clone), "Build it:\n\n", &code("make\nsudo make install")];
    assert_eq!(taken(&page.concat()), [clone, "cd wick", "make", "sudo make install"]);
    let gone = ["# Wick\n\n", &code(&format!("{clone}\ncd wick")), &code("make")];
    assert_eq!(taken(&gone.concat()), [clone, "cd wick", "make"]);
    // What is got by its name needs no folder, nor what names the folder.
    for other in ["npm install -g wax", "make -C wick", "pip install wax"] {
        let page = ["# Guide\n\n", &code(clone), &code(other)];
        assert_eq!(taken(&page.concat()), [clone, other]);
    }
    // Of two it is not known which one is meant.
    let both = ["# Guide\n\n", &code(clone), &code("git clone https://host.dev/me/wax"), &code("make")];
    assert_eq!(taken(&both.concat()).len(), 3);
}

#[test]
fn or_between_two_blocks_makes_ways_of_them() {
    let page = [
        "# Wick\n\nMake a table with one of the engines:\n\n",
        &code("wick table --engine small"),
        "or\n\n",
        &code("wick table --engine big"),
    ];
    assert_eq!(taken(&page.concat()), ["wick table --engine small"]);
}

#[test]
fn all_is_typed_inside_until_it_is_left() {
    let page = [
        "# Wick\n\nBecome the user of the database:\n\n",
        &code("sudo -u postgres -i"),
        "Make the role:\n\n",
        &code("createuser wick"),
        "Leave again:\n\n",
        &code("exit"),
        "Start:\n\n",
        &code("make start"),
    ];
    let inside = "sudo -u postgres -i bash -es <<'EOF'\ncreateuser wick\nEOF";
    assert_eq!(taken(&page.concat()), [inside, "make start"]);
}

#[test]
fn a_block_for_another_shell_is_not_typed_into_this_one() {
    let page = ["# Wick\n\n", &code("make install"), "```fish\nset -q WICK; or set WICK 1\n```\n"];
    assert_eq!(taken(&page.concat()), ["make install"]);
}

#[test]
fn a_composition_and_a_container_of_one_image_are_ways() {
    let run = "docker run -d -p 8080:80 me/wick:latest";
    let page = [
        "# Wick\n\n## Install\n\nWith compose:\n\n",
        &code("docker compose up -d"),
        "Alone:\n\n",
        &code(run),
    ];
    assert_eq!(taken(&page.concat()), ["docker compose up -d"]);
    let file = "```yaml\nservices:\n  wick:\n    image: me/wick:latest\n```\n\n";
    let page = [
        "# Wick\n\n## Install\n\n",
        &code(run),
        "Or create a `compose.yaml`:\n\n",
        file,
        "Start it:\n\n",
        &code("docker compose up -d"),
    ];
    assert_eq!(taken(&page.concat()), [run]);
    // A database beside the program is none of its ways.
    let base = "docker run -d -p 5432:5432 postgres";
    let page = ["# Wick\n\n## Install\n\n", &code(base), "Then:\n\n", &code("docker compose up -d")];
    assert_eq!(taken(&page.concat()), [base, "docker compose up -d"]);
}

#[test]
fn one_build_with_other_options_is_another_form_of_it() {
    let page = [
        "# Wick\n\n## Building\n\n",
        &code("cargo build --release"),
        "With all parts:\n\n",
        &code("cargo build --release --features all"),
        "One part:\n\n",
        &code("cargo build -p wick-core"),
    ];
    assert_eq!(taken(&page.concat()), ["cargo build --release"]);
    let page = ["# Wick\n\n", &code("cargo install wick"), "Then:\n\n", &code("cargo install --path wax")];
    assert_eq!(taken(&page.concat()).len(), 2);
}

#[test]
fn what_comes_behind_the_way_is_offered() {
    let page = |first: &str| {
        ["# Wick\n\n## ", first, "\n\n", &code("make install"), "## Deployment\n\n", &code("terraform apply")]
            .concat()
    };
    assert_eq!(taken(&page("Installation")), ["make install"]);
    // With no way before it, it is the way.
    assert_eq!(taken(&page("Licences and more")).len(), 2);
}

#[test]
fn calls_before_the_page_has_got_the_program_show_what_it_is_like() {
    let page = ["Wick burns.\n\n", &code("wick --bright 3"), "Get it:\n\n", &code("pip install wick")];
    assert_eq!(taken(&page.concat()), ["pip install wick"]);
}

#[test]
fn what_is_the_way_for_want_of_another_has_its_choices() {
    let page = [
        "# Wick\n\n## Usage\n\n### Docker\n\n",
        &code("docker run -d me/wick"),
        "### Docker Compose\n\nCreate a `compose.yaml`:\n\n```yaml\nservices:\n  wick:\n    image: me/wick\n```\n",
    ];
    assert_eq!(taken(&page.concat()), ["docker run -d me/wick"]);
}

#[test]
fn dots_in_the_place_of_a_value_are_asked_for() {
    let page =
        ["# Wick\n\n", &code("export WICK_KEY=\"...\"\ncurl -H \"Key: $WICK_KEY\" https://host.dev/a -O")];
    assert_eq!(taken(&page.concat())[0], "export WICK_KEY=\"<WICK_KEY>\"");
}

#[test]
fn what_is_typed_in_a_shell_of_the_superuser_runs_by_sudo() {
    let page = "# Box\n\n## Install\n\n```sh\nsu\numask 0022\ncd /opt\ngit clone https://host/box\ncd box\necho on > flag\nexit\n```\n\n\
                Then:\n\n```sh\n./generate.sh\n```\n";
    assert_eq!(
        taken(page),
        [
            "umask 0022",
            "cd /opt",
            "sudo git clone https://host/box",
            "cd box",
            "sudo bash -es <<'EOF'\necho on > flag\nEOF",
            "./generate.sh",
        ]
    );
}

#[test]
fn a_remark_beside_the_way_takes_nothing_from_it() {
    let said = "Run `make` (or `make RUNTIME=old` if you have the old one).";
    let page = format!("# Box\n\n## Build\n\n{said}\n\n{}", code("./configure"));
    assert_eq!(taken(&page), ["make", "./configure"]);
    let note = "**Note**: if you get errors on an old system, take a newer one.";
    let page = format!(
        "# Box\n\n## Install\n\nIt needs little.\n\n{note}\n\n{}",
        code("git clone https://host/box")
    );
    assert_eq!(taken(&page), ["git clone https://host/box"]);
    let page = format!(
        "# Box\n\n## Build\n\n{}## Recommended (extra speed)\n\n{}",
        code("./configure"),
        code("make fast")
    );
    assert_eq!(taken(&page), ["./configure", "make fast"]);
    let page = format!(
        "# Box\n\n## Data\n\nIf you decide for files, run:\n\n{}Either way, in all cases, run:\n\n{}",
        code("touch box.db"),
        code("./box migrate")
    );
    assert_eq!(taken(&page), ["./box migrate"]);
}

#[test]
fn a_terminal_that_only_looks_is_shown() {
    let page = "# Box\n\n## Install\n\n```sh\nmake install\n```\n\nThe folder could look like this:\n\n```\n$ cd /usr/local\n$ ls -l\ntotal 12\n```\n";
    assert_eq!(taken(page), ["make install"]);
    let page = "# Box\n\nIt has a `box.service`. Start it:\n\n```\n# systemctl enable --now box\n```\n";
    assert_eq!(taken(page), ["systemctl enable --now box"]);
    let page = "# Box\n\n## Install\n\n```sh\n[sudo] npm install -g box\n```\n";
    assert_eq!(taken(page), ["sudo npm install -g box"]);
}

#[test]
fn a_numbered_list_ends_a_section_of_another_system_and_no_other() {
    let list = "1. `git clone https://host/box`\n2. `cd box`\n\n";
    let install = format!("# Box\n\n## Install\n\n{}", code("apt install box"));
    let page =
        format!("{install}## Developer setup (for contributing)\n\n{list}To try it:\n\n- `pnpm link`\n");
    assert_eq!(taken(&page), ["apt install box"]);
}

#[test]
fn a_program_that_was_put_in_its_place_is_shown_in_use_behind_that() {
    let page = [
        "# brewer\n\n## Install\n\n",
        &code("curl -LO https://host/brewer\nsudo mv brewer /usr/local/bin/brewer"),
        "## Initial setup\n\n",
        &code("brewer init"),
        "## Variants\n\nTo have one with tea:\n\n",
        &code("brewer install +tea"),
        "With debug messages:\n\n",
        &code("brewer -d install +tea"),
    ]
    .concat();
    assert_eq!(
        taken(&page),
        ["curl -LO https://host/brewer", "sudo mv brewer /usr/local/bin/brewer", "brewer init"]
    );
}

#[test]
fn another_terminal_and_another_part_begin_where_the_page_began() {
    let backend = code("cd backend\nnpm install\nnpm start");
    let page =
        ["# Shop\n\n## Run\n\n", &backend, "In another terminal:\n\n", &code("cd frontend\nnpm start")]
            .concat();
    assert_eq!(taken(&page), ["cd backend", "npm install", "npm start", "cd ..", "cd frontend", "npm start"]);
    let start = format!("# Shop\n\n## Get it\n\n{}", code("git clone https://host/shop\ncd shop"));
    let parts = ["## Backend\n\n", &backend, "## Frontend\n\n", &code("cd frontend/app\nnpm start")].concat();
    assert_eq!(
        taken(&format!("{start}{parts}"))[2..],
        ["cd backend", "npm install", "npm start", "cd ..", "cd frontend/app", "npm start"]
    );
    let named =
        ["## Run\n\n", &backend, "In a new terminal:\n\n", &code("cd shop/frontend\nnpm start")].concat();
    assert_eq!(taken(&format!("{start}{named}"))[5..], ["cd ../..", "cd shop/frontend", "npm start"]);
    // What the page has made lies where it was made.
    let nested = [
        "# Shop\n\n## Make\n\n",
        &code("mkdir shop\ncd shop"),
        "## Source\n\n",
        &code("mkdir src\ncd src\nls"),
    ]
    .concat();
    assert_eq!(taken(&nested), ["mkdir shop", "cd shop", "mkdir src", "cd src", "ls"]);
}

#[test]
fn what_is_there_is_not_got_or_unpacked_again() {
    let page = [
        "# Box\n\n## Install\n\nUnpack it:\n\n",
        &code("unzip box-%VERSION.zip -d /srv/box"),
        "The other archive:\n\n",
        &code("tar -xf box-%VERSION.tar.gz -C /srv/box"),
    ]
    .concat();
    assert_eq!(taken(&page).len(), 1, "{:?}", taken(&page));
    let page = [
        "# Box\n\n## Build\n\nClone it:\n\n",
        &code("git clone https://host/box"),
        "A certain release:\n\n",
        &code("git clone --branch 1.2 https://host/box"),
        &code("cd box"),
    ]
    .concat();
    assert_eq!(taken(&page), ["git clone https://host/box", "cd box"]);
    let page = "# Box\n\n## Install\n\n| System | How |\n|---|---|\n| Debian | apt install libbox-dev box |\n| Fedora | dnf install box |\n\n```sh\nmake\n```\n";
    assert_eq!(taken(page), ["apt install libbox-dev box", "make"]);
    let page = "# Box\n\n## Set up\n\n```\necho_box_conf > /etc/box.conf\n```\n";
    assert_eq!(taken(page), ["echo_box_conf > /etc/box.conf"]);
}

#[test]
fn names_of_packages_are_no_placeholders() {
    let page = "# Box\n\n## Install\n\n```sh\nsudo apt install mysql-server mysql-client\nsudo service mysql-server start\n```\n";
    let commands = taken(page).join("\n");
    assert!(placeholder::blanks(&commands, true).is_empty(), "{commands}");
    for token in ["my-domain.tld", "yourserver", "your.own.host", "my_app"] {
        assert_eq!(placeholder::blanks(&format!("ping {token}"), true).len(), 1, "{token}");
    }
}

#[test]
fn percents_before_every_line_are_prompts() {
    let page =
        "Start\n=====\n\nThen run:\n\n    % /usr/local/box/sbin/box -z\n\nand\n\n    % box-setup --all\n";
    let document = Document::read_text(page, "page.txt");
    let units = read(&document, &machine()).units;
    let typed: Vec<String> = units
        .into_iter()
        .filter_map(|unit| match unit.act {
            Act::Shell { typed, .. } => Some(typed.into_iter().map(|one| one.text)),
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(typed, ["/usr/local/box/sbin/box -z", "box-setup --all"]);
}

#[test]
fn a_key_is_not_the_package_and_a_form_is_not_another_way() {
    let page = [
        "# Box\n\n## Debian\n\nGet its key:\n\n",
        &code("sudo curl -fsSL https://www.box.dev/keys/box-security.gpg -o /usr/share/keyrings/box.gpg"),
        "Install it:\n\n",
        &code("sudo apt update && sudo apt install box"),
    ]
    .concat();
    assert_eq!(taken(&page).len(), 2, "{:?}", taken(&page));
    let page = [
        "# Box\n\n## Install\n\nRun the script:\n\n",
        &code("curl -sSf https://get.box.dev | sh"),
        "To skip its questions:\n\n",
        &code("curl -sSf https://get.box.dev | sh -s -- --quiet"),
    ]
    .concat();
    assert_eq!(taken(&page), ["curl -sSf https://get.box.dev | sh"]);
    let page = [
        "# Box\n\n## Install\n\n### Autotools\n\n",
        &code("./configure\nmake"),
        "### Meson\n\n",
        &code("meson setup build\nninja -C build"),
    ]
    .concat();
    assert_eq!(taken(&page), ["./configure", "make"]);
    let page =
        "# Box\n\n## Installing and upgrading Box\n\n```sh\npip install box\necho 'x' >> ~/.zshrc\n```\n";
    assert_eq!(taken(page), ["pip install box"]);
}

#[test]
fn what_is_for_this_very_version_is_taken_and_what_is_for_another_processor_is_not() {
    let page = [
        "# Box\n\n## Debian 12 (bookworm)\n\nIf you like it otherwise, do it at your own risk:\n\n",
        &code("apt install box-extras"),
        "Then:\n\n",
        &code("apt install box"),
        "## Debian 10 (buster)\n\nRun:\n\n",
        &code("apt install box-old"),
    ]
    .concat();
    assert_eq!(taken(&page), ["apt install box"]);
    let here = Machine { arch: "x86_64".into(), ..machine() };
    let page = [
        "# Box\n\n## Install\n\nRun:\n\n",
        &code("apt install box"),
        "On ARMv7 more may be needed:\n\n",
        &code("apt install libbox-dev"),
        "Users of macOS may need to run `xattr -d com.apple.quarantine ./box` first.\n",
    ]
    .concat();
    let units = read(&Document::read_text(&page, "page.md"), &here).units;
    let runs = units.iter().filter(|unit| unit.is_taken()).count();
    assert_eq!(runs, 1, "{units:?}");
}
