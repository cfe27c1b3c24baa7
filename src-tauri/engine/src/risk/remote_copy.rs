//! Programs that reach another machine or a store in a cloud with files of this one: ssh, scp, rsync, buckets. What leaves
//! is judged by where it lies here; what is run there is judged like any other command. Never opens a connection.

use std::path::Path;

use planwright_shell::Span;

use super::args::Parsed;
use super::judge::{CallContext, Judge};
use super::place::{Place, is_foundation, place};
use super::secrets::is_secret;
use super::targets::Target;
use super::words::Arg;
use crate::protocol::Risk;

/// Settings of ssh that neither run a program nor weaken who is trusted.
const TAME_SETTINGS: [&str; 25] = [
    "reconnect",
    "idmap",
    "follow_symlinks",
    "ro",
    "connecttimeout",
    "connectionattempts",
    "serveraliveinterval",
    "serveralivecountmax",
    "port",
    "user",
    "hostname",
    "identityfile",
    "identitiesonly",
    "batchmode",
    "loglevel",
    "compression",
    "addressfamily",
    "preferredauthentications",
    "pubkeyauthentication",
    "requesttty",
    "tcpkeepalive",
    "controlmaster",
    "controlpath",
    "controlpersist",
    "exitonforwardfailure",
];

/// Parts of a path at the other end that decide who gets in there or what runs.
const KEEPERS: [&str; 10] = [
    "authorized_keys",
    ".ssh/",
    "/etc/",
    "cron",
    "sudoers",
    "/shadow",
    ".bashrc",
    ".profile",
    "/usr/",
    ".aws/",
];

pub(super) fn judge(
    j: &mut Judge<'_>,
    name: &str,
    parsed: &Parsed<'_, '_>,
    span: Span,
    how: CallContext<'_>,
) {
    j.found.effects.uses_network |= !matches!(name, "rsync");
    settings(j, parsed);
    match name {
        "ssh" | "mosh" | "autossh" => shell(j, parsed, span, how),
        "rsync" => {
            ways(j, parsed);
            if !parsed.reports() {
                copies(j, parsed);
            }
        }
        "ssh-copy-id" => {}
        _ => copies(j, parsed),
    }
}

fn settings(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    for given in parsed.flags.iter().filter(|given| given.flag.names.iter().any(|name| name == "-o")) {
        if !given.value.as_ref().and_then(Arg::known).is_some_and(is_tame) {
            let text = "a setting that can run programs or trust whoever answers";
            j.found.add(Risk::Dangerous, text, given.span);
        }
    }
}

fn is_tame(setting: &str) -> bool {
    let (name, value) = setting.split_once(['=', ' ']).unwrap_or((setting, ""));
    let name = name.trim().to_lowercase();
    TAME_SETTINGS.contains(&name.as_str())
        || name == "stricthostkeychecking" && matches!(value.trim(), "yes" | "ask" | "accept-new")
}

fn shell(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span, how: CallContext<'_>) {
    match super::special::comes_in(j, how).filter(|_| !parsed.has("-n")) {
        Some(Some(text)) => j.shell_text(&text, span),
        // In a loop over lines what comes in is the list that the loop reads.
        Some(None) if how.context.conditional && how.context.stage == 0 && how.redirects.is_empty() => {}
        Some(None) if j.own_files && parsed.inner.first().is_some_and(|inner| !inner.is_empty()) => {
            j.found.add(Risk::Caution, "sends files to another machine", span);
        }
        Some(None) => j.unread("sends what comes in to another machine", span),
        None => {}
    }
    for given in &parsed.flags {
        let opens = given.flag.names.iter().any(|name| name == "-L")
            && given.value.as_ref().and_then(Arg::known).is_none_or(|text| {
                text.starts_with("0.0.0.0:") || text.starts_with("*:") || text.starts_with(':')
            });
        if opens {
            j.found.add(Risk::Dangerous, "lets other machines in through this one", given.span);
        }
    }
    // Options may stand behind the host as well.
    let late = parsed.inner.first().and_then(|inner| inner.first());
    if let Some(option) = late.filter(|arg| arg.known().is_some_and(|text| text.starts_with('-'))) {
        let harmless = option.known().is_some_and(|text| {
            ["-p", "-i", "-l", "-t", "-v", "-L", "-N", "-A", "-X", "-4", "-6", "-q"]
                .iter()
                .any(|known| text.starts_with(known))
        });
        if !harmless {
            j.found.add(Risk::Dangerous, "an option behind the name of the machine", option.span);
        }
    }
}

/// What rsync reaches the other machine with.
fn ways(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let odd =
        |text: &str| text.contains(['`', '$', ';', '|', '&']) || text.contains("-F") || text.contains("-R");
    if let Some(way) = parsed.value("-e") {
        let plain = way.known().is_some_and(|text| {
            let mut words = text.split_whitespace();
            words.next() == Some("ssh")
                && !odd(text)
                && text
                    .split("-o")
                    .skip(1)
                    .all(|setting| is_tame(setting.split_whitespace().next().unwrap_or_default()))
        });
        if !plain {
            j.found.add(Risk::Dangerous, "runs another program to reach the machine", way.span);
        }
    }
    if let Some(path) = parsed.value("--rsync-path")
        && !matches!(path.known(), Some("rsync" | "sudo rsync" | "/usr/bin/rsync"))
    {
        j.found.add(Risk::Dangerous, "runs another program there", path.span);
    }
}

/// A file of another machine or of a store: `host:path`, `s3://…`, `remote:`.
pub(super) fn is_far(text: &str) -> bool {
    if text.contains("://") {
        return !text.starts_with("file://") && !text.starts_with("fileb://");
    }
    text.split_once(':')
        .is_some_and(|(host, _)| !host.is_empty() && !host.contains('/') && !host.starts_with(['.', '~']))
}

/// Addresses at which a cloud tells a machine its own keys.
pub(super) fn hands_out_keys(address: &str) -> bool {
    let metadata = ["169.254.169.254", "169.254.170.2", "metadata.google.internal", "100.100.100.200"];
    let keys = ["credential", "token", "user-data", "identity", "startup-script", "ssh-keys"];
    metadata.iter().any(|host| address.contains(host)) && keys.iter().any(|part| address.contains(part))
}

/// All words but the last are copied to the last.
fn copies(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let Some((last, sources)) = parsed.words.split_last() else { return };
    let whole = ["-r", "-a"].iter().any(|name| parsed.has(name));
    copied(j, whole, last, sources);
}

fn copied(j: &mut Judge<'_>, whole: bool, last: &Arg, sources: &[&Arg]) {
    let far = |arg: &Arg| arg.known().is_none_or(is_far) && !matches!(arg.text, super::Text::Glob { .. });
    for arg in sources.iter().copied().chain([last]).filter(|arg| far(arg)) {
        j.found.effects.uses_network = true;
        if arg.known().is_none_or(|text| KEEPERS.iter().any(|keeper| text.contains(keeper))) {
            let text = "reaches files at the other end that decide who gets in or what runs there";
            j.found.add(Risk::Dangerous, text, arg.span);
        }
    }
    if sources.is_empty() {
        return;
    }
    if far(last) {
        for arg in sources.iter().filter(|arg| !far(arg)) {
            send(j, arg, whole);
        }
    } else {
        j.write(last);
    }
}

/// `arg` leaves this machine.
pub(super) fn send(j: &mut Judge<'_>, arg: &Arg, whole: bool) {
    j.read(arg);
    let (paths, glob) = match j.target(arg) {
        Target::At(paths) => (paths, false),
        Target::Inside { folders, .. } => (folders, true),
        Target::Unknown => {
            j.found.add(Risk::Dangerous, "what it sends is only known when it runs", arg.span);
            return;
        }
    };
    for path in &paths {
        let risk = match place(path, &j.anchors) {
            _ if is_secret(path) || is_foundation(path, &j.anchors) => Risk::Dangerous,
            Place::Workspace | Place::Temporary | Place::Nowhere => Risk::Caution,
            Place::Home if !whole && !glob => Risk::Caution,
            Place::Home
            | Place::Guarded
            | Place::Hidden
            | Place::OtherHome
            | Place::Mounted
            | Place::System
            | Place::Spare
            | Place::Disk
            | Place::Device
            | Place::Connection
            | Place::Outside => Risk::Dangerous,
        };
        j.found.add(risk, "sends files to another machine", arg.span);
    }
}

/// `aws s3 cp`, `gsutil rsync`, `rclone copy`: like scp behind a verb.
pub(super) fn bucket(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    if parsed.reports() {
        return;
    }
    const COPIES: [&str; 12] = [
        "cp", "sync", "mv", "copy", "copyto", "move", "moveto", "rsync", "put", "upload", "mirror", "bisync",
    ];
    let Some(at) =
        parsed.words.iter().take(3).position(|arg| arg.known().is_some_and(|text| COPIES.contains(&text)))
    else {
        return;
    };
    let rest = parsed.words.get(at + 1..).unwrap_or_default();
    if let Some((last, sources)) = rest.split_last()
        && rest.iter().any(|arg| arg.known().is_some_and(is_far))
    {
        // A name with no ending is taken for a folder: it goes with everything in it.
        let folder = |arg: &Arg| arg.known().is_some_and(|text| Path::new(text).extension().is_none());
        let whole = sources.iter().any(|arg| folder(arg));
        copied(j, whole, last, sources);
    }
}

/// `kubectl -n production set image …`: what everybody uses is another matter than what one tries out.
pub(super) fn changes_production(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    const CHANGES: [&str; 14] = [
        "apply",
        "set",
        "patch",
        "replace",
        "scale",
        "edit",
        "create",
        "run",
        "autoscale",
        "install",
        "upgrade",
        "sync",
        "deploy",
        "rollback",
    ];
    if parsed.reports()
        || !parsed.words.first().and_then(|verb| verb.known()).is_some_and(|verb| CHANGES.contains(&verb))
    {
        return;
    }
    let names = ["-n", "--namespace", "--context", "--kube-context", "--cluster"];
    let named = parsed.flags.iter().find(|given| {
        given.flag.names.iter().any(|name| names.contains(&name.as_str()))
            && given.value.as_ref().is_some_and(is_live)
    });
    if let Some(given) = named {
        j.found.add(Risk::Dangerous, "changes what runs for everybody", given.span);
    }
}

/// `aws lambda update-function-code --function-name shop-prod`: what a cloud runs for everybody is changed, or more of it is
/// rented.
pub(super) fn changes_live(j: &mut Judge<'_>, name: &str, parsed: &Parsed<'_, '_>) {
    const CLOUDS: [&str; 19] = [
        "aws",
        "gcloud",
        "az",
        "oci",
        "ibmcloud",
        "aliyun",
        "doctl",
        "gh",
        "glab",
        "firebase",
        "flyctl",
        "fly",
        "wrangler",
        "supabase",
        "railway",
        "serverless",
        "sls",
        "amplify",
        "heroku",
    ];
    const CHANGES: [&str; 16] = [
        "update", "put", "create", "start", "stop", "modify", "deploy", "set", "register", "run", "restart",
        "scale", "publish", "invoke", "patch", "swap",
    ];
    const LOOKS: [&str; 9] = ["list", "describe", "get", "view", "show", "ls", "status", "watch", "wait"];
    // These make what nobody sees yet unless they are told otherwise.
    let drafts = matches!(name, "vercel" | "netlify");
    let said = || parsed.all.iter().any(|arg| arg.known() == Some("--prod"));
    if !(CLOUDS.contains(&name) || drafts && said()) {
        return;
    }
    let begins = |arg: &Arg, verbs: &[&str]| {
        arg.known().is_some_and(|text| {
            !matches!(text, "start-query" | "start-live-tail")
                && text.split('-').next().is_some_and(|verb| verbs.contains(&verb))
        })
    };
    // Far enough for the service, its parts and the verb. What is run in one place is a kind of thing in another:
    // `gh run list`.
    let asked: Vec<&&Arg> = parsed.words.iter().take(4).collect();
    let verb = asked.iter().find(|arg| begins(arg, &CHANGES));
    if verb.is_none() && !asked.is_empty() || asked.iter().any(|arg| begins(arg, &LOOKS)) || parsed.reports()
    {
        return;
    }
    // The kind of thing stands before the verb, or in it.
    let machines = |arg: &Arg| {
        arg.known().is_some_and(|text| {
            matches!(
                text,
                "instances" | "vm" | "vmss" | "droplet" | "clusters" | "node-pools" | "run-instances"
            )
        })
    };
    let creates = |arg: &Arg| matches!(arg.known(), Some("run-instances" | "create"));
    if let Some(verb) = verb.filter(|verb| creates(verb) && asked.iter().any(|arg| machines(arg))) {
        j.found.add(Risk::Dangerous, "rents machines that cost money", verb.span);
    }
    names_live(j, parsed);
}

/// What is changed is named as the one that everybody uses.
pub(super) fn names_live(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    if let Some(live) = parsed.all.iter().find(|arg| is_live(arg)) {
        j.found.add(Risk::Dangerous, "changes what runs for everybody", live.span);
    }
}

/// `ffmpeg … rtmp://host/live`: what it makes goes to another machine.
pub(super) fn streams(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    for word in parsed.words.iter().filter(|word| word.known().is_some_and(|text| text.contains("://"))) {
        j.found.add(Risk::Dangerous, "sends what it makes to another machine", word.span);
    }
}

/// Whether a name says that it is the one that everybody uses.
pub(super) fn is_live(name: &Arg) -> bool {
    name.known().is_some_and(|text| {
        text.split(['-', '_', '.', '/', ':', '@', '='])
            .any(|part| matches!(part, "prod" | "production" | "prd" | "live"))
    })
}

/// `minikube kubectl -- get pods`: the same program, brought along by another.
pub(super) fn kubectl_of(name: &str, rest: &[Arg]) -> Option<Vec<Arg>> {
    let brings = matches!(name, "minikube" | "microk8s" | "k3s" | "k0s" | "rke2");
    let (kubectl, words) = rest.split_first().filter(|_| brings)?;
    let words = match words.split_first() {
        Some((first, words)) if first.known() == Some("--") => words,
        Some(_) | None => words,
    };
    (kubectl.known() == Some("kubectl")).then(|| [std::slice::from_ref(kubectl), words].concat())
}

/// `kubectl exec POD -- command`: the command is judged like any other.
pub(super) fn cluster(j: &mut Judge<'_>, name: &str, parsed: &Parsed<'_, '_>, how: CallContext<'_>) {
    let verb = parsed.words.first().and_then(|arg| arg.known());
    changes_production(j, parsed);
    let weighty = |arg: &Arg| arg.is_unknown() || arg.known().is_some_and(|text| text.ends_with("-system"));
    match verb {
        Some("delete" | "edit") if !parsed.reports() => {
            let space = parsed.value("-n").into_iter();
            for arg in parsed.words.iter().skip(1).copied().chain(space).filter(|arg| weighty(arg)) {
                let text = "what it changes is only known when it runs, or is what the cluster rests on";
                j.found.add(Risk::Dangerous, text, arg.span);
            }
            super::packages::packages(j, parsed, name, how);
        }
        Some("exec" | "rsh") => {
            let inner: Vec<Arg> = parsed.words.iter().skip(2).map(|arg| (*arg).clone()).collect();
            if inner.is_empty() {
                return;
            }
            super::containers::inside(j, &inner, how);
            if how.context.piped_from {
                let span = inner.first().map_or(Span { start: 0, end: 0 }, |arg| arg.span);
                j.found.add(Risk::Caution, "hands whatever comes in to a container", span);
            }
        }
        Some("cp") => {
            let rest = parsed.words.get(1..).unwrap_or_default();
            if let Some((last, sources)) = rest.split_last() {
                copied(j, true, last, sources);
            }
        }
        Some(_) | None => super::packages::packages(j, parsed, name, how),
    }
}
