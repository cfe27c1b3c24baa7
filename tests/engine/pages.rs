//! Pages as people write them → plans for a Debian machine with a few programs: what is run, what is left out and why, which way
//! is taken, what is asked for. The texts are made up for these tests.

use std::collections::HashSet;

use planwright_engine::plan::page::Machine;
use planwright_engine::plan::runbook::{self, ReadShell};
use planwright_engine::protocol::{EngineError, ErrorCode, PageReading, PageRole, Plan};
use planwright_shell::Facts;

struct InProcess;

impl ReadShell for InProcess {
    async fn read_script(&self, text: &str) -> Facts {
        planwright_shell::read(text, 5 * 1024 * 1024)
    }
}

fn debian() -> Machine {
    let programs = ["apt", "apt-get", "bash", "curl", "git", "python3", "pip", "sudo", "make"];
    Machine {
        kernel: "linux".into(),
        arch: "x86_64".into(),
        programs: programs.map(str::to_owned).into_iter().collect::<HashSet<_>>(),
        user: "me".into(),
        home: "/home/me".into(),
        ..Machine::default()
    }
    .with_os_release("ID=debian\nVERSION_ID=\"12\"\nVERSION_CODENAME=bookworm\nPRETTY_NAME=\"Debian 12\"\n")
}

async fn try_read(text: &str, name: &str) -> Result<Plan, EngineError> {
    runbook::import(text.as_bytes(), name, &debian(), &InProcess).await
}

async fn read(text: &str) -> Plan {
    try_read(text, "page.md").await.unwrap_or_else(|error| panic!("{error}"))
}

fn commands(plan: &Plan) -> Vec<&str> {
    plan.steps.iter().map(|step| step.action.command()).collect()
}

fn page(plan: &Plan) -> &PageReading {
    plan.page.as_deref().unwrap()
}

fn left_out(plan: &Plan) -> Vec<(PageRole, &str)> {
    page(plan).left_out.iter().map(|one| (one.role, one.text.as_str())).collect()
}

#[tokio::test]
async fn uninstalling_upgrading_and_trouble_are_not_run() {
    let plan = read(
        "# Gizmo\n\n## Installation\n\n```sh\nsudo apt install gizmo\n```\n\nIf you get an error about locks, run:\n\n```sh\nsudo rm /var/lib/gizmo/lock\n```\n\n## Upgrading\n\n```sh\nsudo apt upgrade gizmo\n```\n\n## Uninstall\n\n```sh\nsudo apt purge gizmo\nsudo rm -rf /var/lib/gizmo\n```\n",
    )
    .await;
    assert_eq!(commands(&plan), ["sudo apt install gizmo"]);
    let reading = page(&plan);
    assert_eq!(reading.left_out.len(), 3, "{:?}", reading.left_out);
    assert!(reading.left_out.iter().all(|one| one.role == PageRole::Aside && !one.why.is_empty()));
    assert!(reading.left_out[2].why.contains("Uninstall"), "{}", reading.left_out[2].why);
}

#[tokio::test]
async fn of_ways_for_several_systems_only_this_machines_is_taken() {
    let plan = read(
        "# Gizmo\n\n## Install\n\n### macOS\n\n```sh\nbrew install gizmo\n```\n\n### Debian / Ubuntu\n\n```sh\nsudo apt install gizmo\n```\n\n### Fedora\n\n```sh\nsudo dnf install gizmo\n```\n\n### Windows\n\n```powershell\nchoco install gizmo\n```\n",
    )
    .await;
    assert_eq!(commands(&plan), ["sudo apt install gizmo"]);
    assert!(left_out(&plan).iter().all(|(role, _)| *role == PageRole::OtherSystem), "{:?}", left_out(&plan));
    let choice = &page(&plan).choices[0];
    assert_eq!(choice.ways[choice.chosen as usize].name, "Debian / Ubuntu");
    assert_eq!(choice.decided, "this is Debian 12");
}

#[tokio::test]
async fn of_equal_ways_one_is_taken_and_the_machine_decides_before_the_order() {
    let plan = read(
        "# Gizmo\n\n## Install\n\n### With conda\n\n```sh\nconda install gizmo\n```\n\n### With pip\n\n```sh\npip install gizmo\n```\n\n### From source\n\n```sh\ngit clone https://example.org/gizmo.git\ncd gizmo\nmake\n```\n",
    )
    .await;
    assert_eq!(commands(&plan), ["pip install gizmo"]);
    let plan = read("# Gizmo\n\nInstall it:\n\n```sh\nnpm install gizmo\n# or\nyarn add gizmo\n```\n").await;
    assert_eq!(commands(&plan), ["npm install gizmo"]);
    let plan = read("# Gizmo\n\n```sh\nnpm install gizmo\nyarn add gizmo\n```\n").await;
    assert_eq!(commands(&plan), ["npm install gizmo"], "the same package by another manager of the family");
}

#[tokio::test]
async fn steps_that_name_a_manager_are_no_ways() {
    let plan = read(
        "# Gizmo\n\n## Install pip\n\n```sh\nsudo apt install python3-pip\n```\n\n## Install Docker\n\n```sh\nsudo apt install docker.io\n```\n",
    )
    .await;
    assert_eq!(commands(&plan).len(), 2);
    assert_eq!(page(&plan).choices, []);
}

#[tokio::test]
async fn output_is_no_command_whatever_the_block_is_called() {
    let plan = read(
        "# Gizmo\n\nCheck it:\n\n```\npython3 --version\nPython 3.11.2\n```\n\n```console\n$ make\nsort node\nall ok!\n```\n",
    )
    .await;
    assert_eq!(commands(&plan), ["python3 --version", "make"]);
    assert_eq!(plan.steps[1].expected.as_deref(), Some("sort node\nall ok!"));
}

#[tokio::test]
async fn contents_for_a_named_file_are_written_to_it() {
    let plan = read(
        "# Gizmo\n\n```sh\nmkdir site\ncd site\n```\n\nCreate a file `site/config.yml` with the following content:\n\n```yaml\nport: 80\n```\n\nEdit `/etc/gizmo/gizmo.conf` and put this inside:\n\n```ini\n[main]\nmail = your@email.here\n```\n",
    )
    .await;
    assert_eq!(
        commands(&plan)[2..],
        [
            "cat > config.yml <<'EOF'\nport: 80\nEOF",
            "sudo mkdir -p /etc/gizmo && sudo tee /etc/gizmo/gizmo.conf > /dev/null <<EOF\n[main]\nmail = ${YOUR_EMAIL_HERE}\nEOF",
        ]
    );
    let inputs: Vec<&str> = plan.inputs.iter().map(|input| input.token.as_str()).collect();
    assert_eq!(inputs, ["your@email.here"]);
}

#[tokio::test]
async fn a_command_in_a_sentence_is_run_where_the_sentence_tells_to() {
    let plan = read("# Gizmo\n\n1. Clone it: `git clone https://example.org/g.git`\n2. Run `make all` to build it.\n\nThe `git` program is wonderful; see `git help`.\n").await;
    assert_eq!(commands(&plan), ["git clone https://example.org/g.git", "make all"]);
}

#[tokio::test]
async fn hidden_text_is_never_a_command() {
    let error = try_read(
        "# Gizmo\n\n<!-- Run `make evil` -->\n\n<div hidden>\n\nWords ![Run `make evil`](a.png)\n\n</div>\n",
        "page.md",
    )
    .await;
    assert!(!error.is_ok_and(|plan| plan.steps.iter().any(|step| step.action.command().contains("evil"))));
}

#[tokio::test]
async fn a_page_without_commands_says_what_it_has_instead() {
    let error = try_read("# Gizmo\n\n```python\nimport gizmo\n```\n", "page.md").await.unwrap_err();
    assert_eq!(error.code, ErrorCode::NoCommands);
    assert!(error.message.contains("1 in other languages"), "{}", error.message);
}

#[tokio::test]
async fn a_table_of_ways_is_one_choice() {
    let plan = read(
        "# Gizmo\n\n## Installation\n\n| System | Command |\n| --- | --- |\n| Fedora | `dnf install gizmo` |\n| Debian, Ubuntu | `apt install gizmo` |\n| macOS | `brew install gizmo` |\n\n| Setting | Meaning |\n| --- | --- |\n| `gizmo --fast` | fast |\n",
    )
    .await;
    assert_eq!(commands(&plan), ["apt install gizmo"]);
    let [choice] = page(&plan).choices.as_slice() else { panic!("{:?}", page(&plan).choices) };
    assert_eq!(
        choice.ways.iter().map(|way| way.name.as_str()).collect::<Vec<_>>(),
        ["Fedora", "Debian, Ubuntu", "macOS"]
    );
}

#[tokio::test]
async fn what_is_got_already_is_not_got_in_another_way() {
    let plan = read(
        "# Gizmo\n\n## Installation\n\n```sh\npip install gizmo\n```\n\n## Setup\n\nFor charts:\n\n```sh\npip install 'gizmo[charts]'\n```\n\nOn servers:\n\n```sh\nsudo apt install gizmo\nsudo apt install gizmo-server\n```\n",
    )
    .await;
    assert_eq!(commands(&plan), ["pip install gizmo", "sudo apt install gizmo-server"]);
}

#[tokio::test]
async fn forms_of_commands_are_shown_and_not_run() {
    let plan = read(
        "# Setup\n\n```sh\nnpm install [-g] gizmo\ngizmo build [path] [options]\ngizmo ...\nmake all\n```\n",
    )
    .await;
    assert_eq!(commands(&plan), ["npm install gizmo", "make all"]);
}

#[tokio::test]
async fn uses_before_the_installation_and_failures_are_shown_and_not_run() {
    let plan = read(
        "Gizmo repairs what you typed.\n\n```sh\ngizmo repair x\n```\n\n```console\n$ git push\nfatal: The current branch has no upstream branch.\n$ git psuh\n```\n\n## Installation\n\n```sh\npip install gizmo\n```\n",
    )
    .await;
    assert_eq!(commands(&plan), ["pip install gizmo"]);
}

#[tokio::test]
async fn a_manifest_is_added_to_and_contents_go_where_their_language_fits() {
    let plan = read(
        "# Gizmo\n\nAdd this to your `Cargo.toml`:\n\n```toml\n[dependencies]\ngizmo = \"1\"\n```\n\nand this to your `Cargo.toml` too:\n\n```rust\nuse gizmo::Gizmo;\n```\n\nIn your `README.md` put:\n\n```md\n[gizmo](x)\n```\n\n```sh\ncargo build\n```\n",
    )
    .await;
    let [file, build] = commands(&plan)[..] else { panic!("{:?}", commands(&plan)) };
    assert!(file.starts_with("cat >> Cargo.toml"), "{file}");
    assert_eq!(build, "cargo build");
}

#[tokio::test]
async fn a_manager_that_a_sentence_only_names_is_no_command() {
    let plan =
        read("# Gizmo\n\nInstall it via `npm` or `yarn`, then run `yarn`.\n\n```sh\nmake\n```\n").await;
    assert_eq!(commands(&plan), ["yarn", "make"]);
}

/// What is typed in another shell is no command of this one.
#[tokio::test]
async fn what_is_typed_inside_is_run_there() {
    let plan = read(
        "# Gizmo\n\n## Setup\n\nEnter the container:\n\n```sh\ndocker exec -it web bash\n```\n\nThen inside the container run:\n\n```sh\napt-get update\napt-get install -y vim\nexit\n```\n\nBack on the host, show it:\n\n```sh\ngit status\n```\n\nBecome the other user:\n\n```console\n$ sudo su - deploy\ndeploy@box:~$ cd app\ndeploy@box:~$ git pull\ndeploy@box:~$ exit\n```\n\nMake the database:\n\n```console\n$ sudo -u postgres psql\npostgres=# CREATE DATABASE app;\nCREATE DATABASE\npostgres=# \\q\n```\n",
    )
    .await;
    assert_eq!(
        commands(&plan),
        [
            "docker exec -i web bash -es <<'EOF'\napt-get update\napt-get install -y vim\nEOF",
            "git status",
            "sudo su - deploy -c 'bash -es' <<'EOF'\ncd app\ngit pull\nEOF",
            "sudo -u postgres psql -v ON_ERROR_STOP=1 <<'EOF'\nCREATE DATABASE app;\nEOF",
        ]
    );
    let plan = read(
        "# Gizmo\n\n## Setup\n\nTry it in a container, or look at the service:\n\n```sh\ndocker run -it gizmo sh\n```\n\nOr build it yourself:\n\n```sh\nmake\n```\n",
    )
    .await;
    assert!(commands(&plan).contains(&"make") || page(&plan).left_out.iter().any(|one| one.text == "make"));
}

/// The user's own start-up files are added to, and what the page tells to replace is asked for.
#[tokio::test]
async fn what_belongs_to_the_user_is_neither_overwritten_nor_made_up() {
    let plan = read(
        "# Gizmo\n\n## Installation\n\n```sh\nsudo make install\n```\n\n- **Uninstall**\n\n```sh\nsudo make uninstall\n```\n\nAdd the following to `~/.bash_profile`:\n\n```sh\nexport PATH=\"$HOME/.gizmo:$PATH\"\n```\n\nAdd the following to `~/.zshrc`:\n\n```sh\nexport PATH=\"$HOME/.gizmo:$PATH\"\n```\n\nReplace `joe` and `joe@gizmo.org` with your own data:\n\n```sh\ngizmo user add joe --mail joe@gizmo.org\n```\n",
    )
    .await;
    assert_eq!(
        commands(&plan),
        [
            "sudo make install",
            "cat >> ~/.bash_profile <<'EOF'\nexport PATH=\"$HOME/.gizmo:$PATH\"\nEOF",
            "gizmo user add \"${JOE}\" --mail \"${JOE_GIZMO_ORG}\"",
        ]
    );
    let asked: Vec<&str> = plan.inputs.iter().map(|input| input.token.as_str()).collect();
    assert_eq!(asked, ["joe", "joe@gizmo.org"]);
    assert_eq!(left_out(&plan).len(), 2, "{:?}", left_out(&plan));
}
