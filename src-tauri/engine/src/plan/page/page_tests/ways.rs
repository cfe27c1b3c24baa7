//! Ways that exclude each other, and what is shown more than once.

use super::*;

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
fn what_is_the_way_for_want_of_another_has_its_choices() {
    let page = [
        "# Wick\n\n## Usage\n\n### Docker\n\n",
        &code("docker run -d me/wick"),
        "### Docker Compose\n\nCreate a `compose.yaml`:\n\n```yaml\nservices:\n  wick:\n    image: me/wick\n```\n",
    ];
    assert_eq!(taken(&page.concat()), ["docker run -d me/wick"]);
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
    let read = read(&Document::read_text(&page, "page.md"), &here);
    assert_eq!(taken_of(read), ["apt install box"]);
}
