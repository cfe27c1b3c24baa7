//! What stands beside the way, and what only seems to.

use super::*;

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
