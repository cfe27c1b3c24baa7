//! What only shows something, or stays with this machine and the workspace, where that hangs on more than a word or a flag:
//! an order in another program's own words, both ends of a connection.

use super::args::Parsed;
use super::judge::{CallContext, Judge};
use super::place::Place;
use super::targets::Target;
use super::words::{Arg, Text};
use crate::protocol::Risk;

/// Whether the call only shows something, although its program can do more.
pub(super) fn only_shows(j: &Judge<'_>, name: &str, parsed: &Parsed<'_, '_>, how: CallContext<'_>) -> bool {
    match name {
        "dd" => prints_blocks(parsed),
        "split" => prints_a_part(parsed),
        "kill" => only_asks_for(j, parsed),
        "http" | "https" | "xh" | "xhs" => asks_this_machine(parsed, how),
        "setcap" => checks_rights(parsed),
        "debugfs" => super::images::looks_into(parsed),
        "nsenter" => joins_the_network(parsed),
        "python" | "python3" | "php" | "ruby" => !how.assigned && framework_shows(j, parsed),
        _ => false,
    }
}

/// Whether the call is no more than a change of what the workspace has, or of what this machine alone can reach.
pub(super) fn stays_here(j: &Judge<'_>, name: &str, parsed: &Parsed<'_, '_>) -> bool {
    match name {
        "socat" => joins_own_ports(parsed),
        "nc" | "ncat" | "netcat" => listens_to_itself(parsed),
        "ansible-playbook" => plays_here(j, parsed),
        "setfacl" => shares_own_files(j, parsed),
        "lftp" => lists_or_gets(j, parsed),
        _ => super::images::changes_own(j, name, parsed),
    }
}

/// What a known option or word turns into something worse.
pub(super) fn check(j: &mut Judge<'_>, name: &str, parsed: &Parsed<'_, '_>) {
    match name {
        // `qemu+ext:///system?command=…` runs a program.
        "virsh" => {
            let near = |text: &str| {
                ["qemu:///", "lxc:///", "xen:///", "test:///", "vbox:///"].iter().any(|start| {
                    text.strip_prefix(start)
                        .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_alphanumeric()))
                })
            };
            if let Some(place) =
                parsed.value("-c").filter(|place| !place.known().is_some_and(near)).map(|place| place.span)
            {
                j.found.add(Risk::Caution, "reaches machines elsewhere", place);
            }
        }
        "gdalinfo" => {
            let loads = |text: &str| {
                let text = text.to_ascii_uppercase();
                text.contains("_PATH") || text.contains("PYTHON") || text.starts_with("CPL_DEBUG=")
            };
            let keys: Vec<_> = parsed
                .flags
                .iter()
                .filter(|given| given.flag.names.iter().any(|own| own == "--config"))
                .filter(|given| given.value.as_ref().and_then(Arg::known).is_none_or(loads))
                .map(|given| given.span)
                .collect();
            for span in keys {
                j.found.add(Risk::Dangerous, "a setting that makes it run other files", span);
            }
        }
        // What these ask of another machine, or who that is, would tell what is put in.
        "yt-dlp" | "youtube-dl" | "pg_dump" | "pg_restore" | "mysqladmin" | "stern" => {
            if let Some(span) = parsed.all.iter().find(|arg| arg.is_unknown()).map(|arg| arg.span) {
                j.found.add(Risk::Caution, "what it asks for is only known when it runs", span);
            }
        }
        "vault" | "bao" => {
            for arg in &parsed.given {
                let open = arg.known().and_then(|text| text.split_once("listen-address=")).is_some_and(
                    |(_, place)| {
                        !["127.0.0.1:", "localhost:", "[::1]:"].iter().any(|own| place.starts_with(own))
                    },
                );
                if open {
                    j.found.add(Risk::Dangerous, "lets other machines in", arg.span);
                }
            }
        }
        _ => {}
    }
}

/// `rename .jpeg .jpg *`: plain text for one program of that name, and nothing that another one of it could run.
pub(super) fn renames_text(name: &str, parsed: &Parsed<'_, '_>) -> bool {
    let plain = |text: &str| {
        let ending = |rest: &str| {
            rest.starts_with(|c: char| c.is_ascii_lowercase())
                && rest.chars().all(|c| c.is_ascii_alphanumeric())
        };
        text.strip_prefix('.').is_some_and(ending)
            || text.starts_with(|c: char| c.is_ascii_uppercase())
                && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    name == "rename"
        && parsed.value("-e").is_none()
        && parsed.words.len() + parsed.inner.first().map_or(0, |rest| rest.len()) > 2
        && parsed.words.first().and_then(|word| word.known()).is_some_and(plain)
}

/// `dd if=x bs=1 count=64`: without a file to write to it prints.
fn prints_blocks(parsed: &Parsed<'_, '_>) -> bool {
    const TAME: [&str; 9] = ["if", "bs", "ibs", "count", "skip", "status", "conv", "iflag", "cbs"];
    let plain = |word: &&Arg| {
        word.known().and_then(|text| text.split_once('=')).is_some_and(|(name, value)| {
            TAME.contains(&name)
                && (name != "if" || !value.starts_with("/dev/") && !value.starts_with("/proc/"))
        })
    };
    parsed.given.is_empty() && !parsed.words.is_empty() && parsed.words.iter().all(plain)
}

/// `split -n l/2/5 x`: one part of several is printed.
fn prints_a_part(parsed: &Parsed<'_, '_>) -> bool {
    let number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let one = |text: &str| {
        let text = text.strip_prefix("l/").or_else(|| text.strip_prefix("r/")).unwrap_or(text);
        text.split_once('/').is_some_and(|(part, all)| number(part) && number(all))
    };
    parsed.flags.len() == 1
        && parsed.doubtful.is_empty()
        && parsed.words.len() <= 1
        && parsed.value("-n").and_then(Arg::known).is_some_and(one)
}

/// `kill -0 PID`: only asks whether there is such a process.
pub(super) fn only_asks_for(j: &Judge<'_>, parsed: &Parsed<'_, '_>) -> bool {
    let [first, rest @ ..] = parsed.all else { return false };
    let rest = match (first.known(), rest) {
        (Some("-0"), rest) => rest,
        (Some("-s"), [zero, rest @ ..]) if zero.known() == Some("0") => rest,
        _ => return false,
    };
    // What is put in as one word stays a process; to other programs of that name a second word could be another signal.
    let process = |arg: &Arg| match &arg.text {
        Text::Known { text, .. } => !text.starts_with('-'),
        Text::Unknown { split, .. } => !split && !j.elevated && !j.defines("kill"),
        Text::Glob { .. } => false,
    };
    !rest.is_empty() && rest.iter().all(process)
}

/// `setcap -v cap_net_raw=ep FILE`. Rights that stand before the `-v` would be given.
fn checks_rights(parsed: &Parsed<'_, '_>) -> bool {
    matches!(parsed.all, [flag, _, _] if flag.known() == Some("-v")) && parsed.words.len() == 2
}

/// `nsenter -t 4312 -n ss -ltn`: only the network is the other's; the program is this machine's.
fn joins_the_network(parsed: &Parsed<'_, '_>) -> bool {
    let number = |arg: &Arg| arg.known().is_some_and(|text| text.chars().all(|c| c.is_ascii_digit()));
    let tame = parsed.flags.iter().all(|given| {
        let named = |name: &str| given.flag.names.iter().any(|own| own == name);
        named("-t") && given.value.as_ref().is_some_and(number) || named("-n") && given.value.is_none()
    });
    let plain =
        parsed.given.iter().all(|arg| matches!(arg.known(), Some("-t" | "--target" | "-n" | "--net")));
    tame && plain && parsed.has("-n") && parsed.inner.iter().any(|inner| !inner.is_empty())
}

/// `python manage.py showmigrations`, `php artisan route:list`: what the framework itself tells of the project.
fn framework_shows(j: &Judge<'_>, parsed: &Parsed<'_, '_>) -> bool {
    let Some(script) = parsed.words.first() else { return false };
    let rest = parsed.inner.first().copied().unwrap_or_default();
    parsed.given.is_empty() && tells_of_project(j, script, rest)
}

/// Whether a framework's own program of the workspace, which nothing in this text can have changed, is asked to show
/// something. Settings are left out: passwords are among them.
pub(super) fn tells_of_project(j: &Judge<'_>, script: &Arg, rest: &[Arg]) -> bool {
    const DJANGO: [&str; 6] = ["showmigrations", "check", "sqlmigrate", "inspectdb", "show_urls", "version"];
    const LARAVEL: [&str; 7] =
        ["route:list", "about", "migrate:status", "schedule:list", "event:list", "db:show", "list"];
    const RAILS: [&str; 11] = [
        "routes",
        "about",
        "stats",
        "notes",
        "middleware",
        "initializers",
        "db:migrate:status",
        "db:version",
        "zeitwerk:check",
        "-T",
        "--tasks",
    ];
    const SYMFONY: [&str; 8] = [
        "debug:router",
        "debug:event-dispatcher",
        "debug:autowiring",
        "router:match",
        "lint:yaml",
        "lint:twig",
        "about",
        "doctrine:migrations:status",
    ];
    const FORMS: [&str; 22] = [
        "-v",
        "-p",
        "-l",
        "-g",
        "-c",
        "-E",
        "-A",
        "--plan",
        "--list",
        "--json",
        "--deploy",
        "--path",
        "--method",
        "--name",
        "--sort",
        "--reverse",
        "--except-vendor",
        "--only-vendor",
        "--expanded",
        "--grep",
        "--verbosity",
        "--pending",
    ];
    let Some(path) = script.known() else { return false };
    let (folder, file) = path.rsplit_once('/').unwrap_or((".", path));
    let known: &[&str] = match (folder.trim_start_matches("./"), file) {
        (_, "manage.py") => &DJANGO,
        (_, "artisan") => &LARAVEL,
        ("bin", "rails" | "rake") => &RAILS,
        ("bin", "console") => &SYMFONY,
        _ => return false,
    };
    let texts: Option<Vec<&str>> = rest.iter().map(Arg::known).collect();
    let Some((task, others)) = texts.as_deref().and_then(<[&str]>::split_first) else { return false };
    // `rails about db:migrate` runs both.
    let alone = folder.trim_start_matches("./") != "bin"
        || others.iter().enumerate().all(|(at, text)| {
            text.starts_with('-')
                || at.checked_sub(1).and_then(|before| others.get(before)).is_some_and(|before| {
                    matches!(*before, "-g" | "-c" | "--grep") && *task == "routes" && !text.contains(':')
                })
        });
    let plain = |text: &&str| {
        text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:=#".contains(c))
            && (!text.starts_with('-') || FORMS.contains(&text.split('=').next().unwrap_or(text)))
            && !text.contains("..")
            && !text.starts_with('/')
    };
    known.contains(task)
        && others.iter().all(plain)
        && alone
        && (file != "rake" || others.is_empty())
        && j.script_place(script) == Some(Place::Workspace)
        && !j.is_fresh(script)
        && j.written.iter().all(|path| path.starts_with("/dev/null"))
        && !j.elevated
        && !j.fetched
}

/// `http --ignore-stdin GET :8000/items limit==5`: asks this machine, and sends nothing but the question.
fn asks_this_machine(parsed: &Parsed<'_, '_>, how: CallContext<'_>) -> bool {
    const TAME: [&str; 12] = [
        "--check-status",
        "--ignore-stdin",
        "-I",
        "-b",
        "-h",
        "-v",
        "--body",
        "--headers",
        "--follow",
        "-F",
        "--verbose",
        "--json",
    ];
    const ORDERS: [&str; 10] =
        ["shutdown", "delete", "remove", "kill", "quit", "restart", "exec", "eval", "reset", "destroy"];
    let words: Option<Vec<&str>> = parsed.words.iter().map(|word| word.known()).collect();
    let Some(words) = words else { return false };
    let words = match words.as_slice() {
        ["GET" | "HEAD", rest @ ..] => rest,
        rest => rest,
    };
    let Some((address, items)) = words.split_first() else { return false };
    let rest = address.strip_prefix("http://").unwrap_or(address);
    let near = rest.starts_with(":/")
        || ["", "localhost", "127.0.0.1"].iter().any(|host| {
            rest.strip_prefix(host)
                .and_then(|rest| rest.strip_prefix(':'))
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        });
    let given = |name: &str| parsed.given.iter().any(|arg| arg.known() == Some(name));
    let fed = how.context.piped_from || how.redirects.iter().any(|redirect| redirect.fd == 0);
    near && !rest.contains('@')
        && !ORDERS.iter().any(|order| rest.to_lowercase().contains(order))
        && items.iter().all(|item| item.contains("==") && !item.contains(['@', '$']))
        && parsed.given.iter().all(|arg| arg.known().is_some_and(|text| TAME.contains(&text)))
        && (!fed || given("--ignore-stdin") || given("-I"))
}

/// `socat TCP-LISTEN:8080,bind=127.0.0.1,fork TCP:127.0.0.1:3000`
fn joins_own_ports(parsed: &Parsed<'_, '_>) -> bool {
    const TAME: [&str; 6] = ["fork", "reuseaddr", "nodelay", "keepalive", "so-reuseaddr", "reuseport"];
    let listens = |text: &str| {
        let Some((kind, rest)) = text.split_once(':') else { return false };
        let mut options = rest.split(',');
        let port = options.next().is_some_and(is_port);
        let options: Vec<&str> = options.collect();
        matches!(kind.to_ascii_lowercase().as_str(), "tcp-listen" | "tcp4-listen" | "tcp-l" | "tcp4-l")
            && port
            && options.iter().any(|option| option.strip_prefix("bind=").is_some_and(is_near))
            && options
                .iter()
                .all(|option| TAME.contains(option) || option.strip_prefix("bind=").is_some_and(is_near))
    };
    let connects = |text: &str| {
        let mut parts = text.split(':');
        let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
        matches!(kind.as_str(), "tcp" | "tcp4" | "tcp-connect" | "tcp4-connect")
            && parts.next().is_some_and(is_near)
            && parts.next().is_some_and(is_port)
            && parts.next().is_none()
    };
    let [from, to] = parsed.words.as_slice() else { return false };
    parsed.given.iter().all(|arg| matches!(arg.known(), Some("-d" | "-dd" | "-v" | "-4")))
        && from.known().is_some_and(listens)
        && to.known().is_some_and(connects)
}

/// `ncat --listen 127.0.0.1 9000`: only this machine can reach it, and nothing is run.
fn listens_to_itself(parsed: &Parsed<'_, '_>) -> bool {
    const TAME: [&str; 10] = ["-l", "--listen", "-k", "--keep-open", "-lk", "-kl", "-v", "-lv", "-lkv", "-4"];
    let [host, port] = parsed.words.as_slice() else { return false };
    parsed.given.iter().all(|arg| arg.known().is_some_and(|text| TAME.contains(&text)))
        && host.known().is_some_and(is_near)
        && port.known().is_some_and(is_port)
}

fn is_near(host: &str) -> bool {
    matches!(host, "127.0.0.1" | "localhost")
}

fn is_port(text: &str) -> bool {
    text.parse::<u16>().is_ok_and(|port| port > 0)
}

/// `ansible-playbook --connection=local -i 'localhost,' play.yml`: what a play of the workspace does here.
fn plays_here(j: &Judge<'_>, parsed: &Parsed<'_, '_>) -> bool {
    let all: Option<Vec<&str>> = parsed.all.iter().map(Arg::known).collect();
    let Some(all) = all else { return false };
    let mut local = false;
    let mut here = false;
    let mut plays = 0;
    let mut rest = all.iter().copied().peekable();
    while let Some(text) = rest.next() {
        match text {
            "--connection=local" => local = true,
            "-c" | "--connection" => local |= rest.next() == Some("local"),
            "-i" | "--inventory" => {
                if rest.next() != Some("localhost,") {
                    return false;
                }
                here = true;
            }
            "-ilocalhost," | "--inventory=localhost," => here = true,
            "-v" | "-vv" | "--diff" | "-D" | "--check" | "-C" => {}
            play if !play.starts_with('-') => plays += 1,
            _ => return false,
        }
    }
    let own = |word: &&&Arg| j.script_place(word) == Some(Place::Workspace) && !j.is_fresh(word);
    let named =
        |word: &&&Arg| word.known().is_some_and(|text| text.ends_with(".yml") || text.ends_with(".yaml"));
    local
        && here
        && plays > 0
        && !j.elevated
        && j.written.iter().all(|path| path.starts_with("/dev/null"))
        && parsed.words.iter().filter(named).filter(own).count() == plays
}

/// `setfacl -m g:dev:rwX build`: files of the workspace, for somebody who is named and not for everybody.
fn shares_own_files(j: &Judge<'_>, parsed: &Parsed<'_, '_>) -> bool {
    let named = |part: &str| {
        let mut fields = part.trim_start_matches("d:").trim_start_matches("default:").split(':');
        let kind = fields.next().unwrap_or_default();
        matches!(kind, "u" | "user" | "g" | "group")
            && fields.next().is_some_and(|name| !name.is_empty() && name != "nobody" && name != "nogroup")
            && fields.all(|rights| rights.chars().all(|c| "rwxX-".contains(c)))
    };
    let spec = parsed.value("-m").and_then(Arg::known);
    let tame = parsed.given.iter().all(|arg| {
        matches!(
            arg.known(),
            Some("-m" | "--modify" | "-R" | "--recursive" | "-d" | "--default" | "-dm" | "-Rm" | "-Rdm")
        )
    });
    let open = |word: &&Arg| match j.target(word) {
        Target::At(paths) => paths.iter().all(|path| {
            let hidden = path.strip_prefix(j.workspace.root.as_path()).is_ok_and(|inside| {
                inside.as_os_str().is_empty()
                    || inside.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
            });
            super::place::place(path, &j.anchors) == Place::Workspace
                && !hidden
                && !super::secrets::is_secret(path)
        }),
        Target::Inside { .. } | Target::Unknown => false,
    };
    tame && !j.elevated
        && spec.is_some_and(|spec| spec.split(',').all(named))
        && !parsed.words.is_empty()
        && parsed.words.iter().all(open)
}

/// `lftp -c 'open https://…; get x -o build/'`: what it is told lists, or fetches into the workspace.
fn lists_or_gets(j: &Judge<'_>, parsed: &Parsed<'_, '_>) -> bool {
    let [flag, orders, rest @ ..] = parsed.all else { return false };
    let host = match rest {
        [] => true,
        [host] => host
            .known()
            .is_some_and(|text| text.starts_with(|c: char| c.is_ascii_alphanumeric()) && !text.contains('@')),
        _ => false,
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || " ;/._-:~".contains(c);
    let Some(text) = orders.known().filter(|text| text.chars().all(plain)) else { return false };
    let mut orders_read = text.split(';').map(str::trim).filter(|order| !order.is_empty()).peekable();
    let order = |order: &str| {
        let words: Vec<&str> = order.split_whitespace().collect();
        match words.as_slice() {
            ["open", others @ ..] => others.iter().all(|word| !word.starts_with('-')),
            [
                "cls" | "ls" | "nlist" | "rels" | "recls" | "cd" | "pwd" | "du" | "find" | "bye" | "exit"
                | "quit",
                ..,
            ] => true,
            ["get" | "get1", others @ ..] => {
                let mut others = others.iter().peekable();
                let mut fine = true;
                while let Some(word) = others.next() {
                    fine &= match *word {
                        "-c" => true,
                        "-o" => others.next().is_some_and(|to| {
                            !to.starts_with(['/', '~', '.']) && !to.contains("..") && !to.contains("/.")
                        }),
                        word => {
                            let file = word.rsplit('/').next().unwrap_or(word);
                            !word.starts_with('-') && !file.starts_with('.')
                        }
                    };
                }
                fine && j.script_place(&orders.with("x".to_owned())) == Some(Place::Workspace)
            }
            _ => false,
        }
    };
    matches!(flag.known(), Some("-c" | "-e"))
        && host
        && orders_read.peek().is_some()
        && orders_read.all(order)
}
