//! What was typed, where and as whom; what it leaves to the reader; which folder and which file it is about.

use super::*;

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
fn a_line_for_a_file_of_the_system_is_added() {
    let page = "# Wick\n\nEdit `/etc/wick/main.conf` so that it includes the line:\n\n```\nport = 80\n```\n";
    assert_eq!(taken(page), ["Append /etc/wick/main.conf"]);
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
fn a_terminal_that_only_looks_is_shown() {
    let page = "# Box\n\n## Install\n\n```sh\nmake install\n```\n\nThe folder could look like this:\n\n```\n$ cd /usr/local\n$ ls -l\ntotal 12\n```\n";
    assert_eq!(taken(page), ["make install"]);
    let page = "# Box\n\nIt has a `box.service`. Start it:\n\n```\n# systemctl enable --now box\n```\n";
    assert_eq!(taken(page), ["systemctl enable --now box"]);
    let page = "# Box\n\n## Install\n\n```sh\n[sudo] npm install -g box\n```\n";
    assert_eq!(taken(page), ["sudo npm install -g box"]);
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
    let typed = taken_of(read(&Document::read_text(page, "page.txt"), &machine()));
    assert_eq!(typed, ["/usr/local/box/sbin/box -z", "box-setup --all"]);
}
