//! Every wrapper × every way to write a command × every kernel: the verdict is never better than the kernel's. Each line
//! is first run by real bash, where only harmless stand-ins can be found, and counts only if bash really ran the kernel.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::assess;
use super::fixture::{TestPaths, read, workspace};
use crate::protocol::Risk;

/// A place that is not there, so that nothing could be lost even if a real program ran.
const TARGET: &str = "/srv/planwright-nowhere";
const HARMFUL: [&str; 3] = [
    "rm -rf /srv/planwright-nowhere",
    "dd if=/dev/null of=/srv/planwright-nowhere",
    "shred -u /srv/planwright-nowhere",
];
const READING: [&str; 3] = ["cat notes.txt", "wc -l notes.txt", "stat notes.txt"];
/// Real programs that only start others or turn text around; everything else in the folder is a stand-in.
const REAL: [&str; 19] = [
    "bash", "sh", "dash", "env", "nohup", "nice", "timeout", "setsid", "stdbuf", "xargs", "find", "flock",
    "base64", "xxd", "rev", "tr", "awk", "sed", "perl",
];
const STAND_INS: [&str; 24] = [
    "sudo",
    "doas",
    "ionice",
    "chrt",
    "taskset",
    "parallel",
    "watch",
    "busybox",
    "toybox",
    "runuser",
    "su",
    "nsenter",
    "chroot",
    "unshare",
    "systemd-run",
    "ssh",
    "script",
    "zsh",
    "pkexec",
    "prlimit",
    "numactl",
    "setarch",
    "flatpak-spawn",
    "distrobox",
];

/// Where the command stands in a wrapper: `@` as words, `%` as one quoted text. `skip` and `mode` tell a stand-in where
/// its rest begins and what to do with it.
struct Wrap {
    line: &'static str,
    skip: usize,
    mode: &'static str,
    /// Whether a harmless command in it can be told from a harmful one.
    readable: bool,
}

const fn real(line: &'static str) -> Wrap {
    Wrap { line, skip: 0, mode: "exec", readable: true }
}

const fn opaque(line: &'static str) -> Wrap {
    Wrap { line, skip: 0, mode: "exec", readable: false }
}

const fn stand_in(line: &'static str, skip: usize, mode: &'static str) -> Wrap {
    Wrap { line, skip, mode, readable: true }
}

const WRAPS: [Wrap; 125] = [
    real("@"),
    stand_in("sudo @", 0, "exec"),
    stand_in("sudo -u root @", 2, "exec"),
    stand_in("sudo -EH --user=root -g adm -- @", 5, "exec"),
    stand_in("sudo -C 3 -p 'your turn' A=1 @", 5, "exec"),
    stand_in("doas -u root @", 2, "exec"),
    stand_in("pkexec --user root @", 2, "exec"),
    real("env @"),
    real("env -u A B=1 @"),
    real("env -C . A=1 @"),
    opaque("env -S %"),
    real("nohup @"),
    real("nice @"),
    real("nice -n 5 @"),
    real("nice --adjustment 5 @"),
    real("nice -5 @"),
    stand_in("ionice -c 2 -n 7 @", 4, "exec"),
    stand_in("chrt -f 10 @", 2, "exec"),
    stand_in("chrt -T 1000 -d 0 @", 4, "exec"),
    stand_in("taskset -c 0,1 @", 2, "exec"),
    stand_in("prlimit --nofile=64 @", 1, "exec"),
    stand_in("numactl -N 0 --membind 0 @", 4, "exec"),
    stand_in("setarch x86_64 -R @", 2, "exec"),
    real("timeout 5 @"),
    real("timeout -s KILL 5 @"),
    real("timeout --signal=9 -k 3 5s @"),
    real("timeout --foreground 5 @"),
    real("stdbuf -o L -e0 @"),
    real("setsid -w @"),
    real("echo x | xargs @"),
    real("echo x | xargs -n 1 -P 4 @"),
    real("echo x | xargs -I{} -P4 @"),
    real("echo x | xargs -d '\\n' -r -L 1 @"),
    real("echo x | xargs sh -c %"),
    stand_in("parallel -j 2 @ ::: x", 2, "exec"),
    stand_in("parallel --delay 1 @ {} ::: x", 2, "exec"),
    stand_in("parallel % ::: x", 0, "text"),
    real("find . -maxdepth 0 -exec @ \\;"),
    real("find . -maxdepth 0 -exec @ {} +"),
    real("find . -maxdepth 0 -execdir @ \\;"),
    real("echo y | find . -maxdepth 0 -ok @ \\;"),
    real("find . -maxdepth 0 -type d -exec sh -c % \\;"),
    stand_in("watch -n 1 @", 2, "sh"),
    stand_in("watch -n1 -x @", 2, "exec"),
    stand_in("watch -d --interval 2 %", 3, "sh"),
    stand_in("script -q -c % /dev/null", 2, "text"),
    stand_in("script -qc %", 1, "text"),
    real("flock -w 5 lock @"),
    real("flock lock -c %"),
    real("flock -n -E 3 lock --command %"),
    stand_in("busybox @", 0, "exec"),
    stand_in("toybox @", 0, "exec"),
    stand_in("busybox sh -c %", 2, "text"),
    stand_in("su -c %", 1, "text"),
    stand_in("su root -c %", 2, "text"),
    stand_in("su -s /bin/sh - root --command %", 5, "text"),
    stand_in("runuser -u root -- @", 3, "exec"),
    stand_in("runuser -g adm -u root @", 4, "exec"),
    stand_in("runuser root -c %", 2, "text"),
    stand_in("nsenter -t 1 -m -- @", 4, "exec"),
    stand_in("nsenter --target 1 --mount -S 0 @", 5, "exec"),
    stand_in("chroot --userspec=root . @", 2, "exec"),
    stand_in("unshare -r -S 0 --map-user 0 @", 5, "exec"),
    stand_in("systemd-run --user -p A=b --unit x @", 5, "exec"),
    stand_in("flatpak-spawn --host --env=A=b @", 2, "exec"),
    stand_in("distrobox enter box -- @", 3, "exec"),
    stand_in("ssh host @", 1, "sh"),
    stand_in("ssh -p 22 -i key host %", 5, "sh"),
    stand_in("ssh -o BatchMode=yes user@host -q @", 4, "sh"),
    stand_in("zsh -c %", 1, "text"),
    real("time @"),
    real("time -p @"),
    real("! @"),
    real("command @"),
    real("builtin command @"),
    real("exec @"),
    real("exec -a x @"),
    real("coproc @\nwait"),
    real("{ @; }"),
    real("( @ )"),
    opaque("( ( @ ) )"),
    real("if true; then @; fi"),
    real("if @; then :; fi"),
    real("while @; do break; done"),
    real("until @; do break; done"),
    real("for i in 1; do @; done"),
    real("for ((i=0;i<1;i++)); do @; done"),
    real("case x in x) @;; esac"),
    real("true && @"),
    real("false || @"),
    real("true; @"),
    real("true\n@"),
    real("true & @"),
    real("@ &\nwait"),
    real("true | @"),
    real("@ | true"),
    real("f() { @; }; f"),
    real("function f { @; }; f"),
    real("f() ( @ ); f"),
    real("x=$(@)"),
    real("echo \"$(@)\""),
    real("echo `@`"),
    real("read x < <(@)"),
    real(": <<E\n$(@)\nE"),
    real(": ${x:-$(@)}"),
    real("[[ -z $(@) ]]"),
    opaque("a[$(@)0]=1"),
    opaque("echo $((a[$(@)0]))"),
    real("trap % EXIT"),
    real("shopt -s expand_aliases\nalias zz=%\nzz"),
    real("eval %"),
    real("bash -c %"),
    real("sh -c %"),
    real("bash -e -o pipefail -c %"),
    real("bash <<< %"),
    real("bash <<'E'\n@\nE"),
    real("bash -s <<< %"),
    real("bash <<< % >out"),
    real("bash >out 2>&1 <<< %"),
    real("bash -s &>out <<< %"),
    real("sh <<'E' >>out 2>&1\n@\nE"),
    real("@ >out 2>&1 </dev/null"),
    real("{ @; } &>out"),
    real("if true; then @; fi >out <<< y"),
    real("f() { @; } >out; f"),
];

/// Those in which nobody can tell what runs: always dangerous.
const OPAQUE: [&str; 15] = [
    "echo % | sh",
    "printf '%%s' % | bash",
    "source /dev/stdin <<< %",
    ". <(echo %)",
    "bash <(echo %)",
    "echo % | tee x | bash",
    "echo % | xargs -0 bash -c",
    "echo % | { bash; }",
    "{ bash; } <<< %",
    "{ bash; } >out <<< %",
    "bash <(echo %) >out",
    "echo % | base64 | base64 -d | sh",
    "echo % | rev | rev | sh",
    "x=%; eval \"$x\"",
    "perl -e 'system shift' -- %",
];

/// A command written in some way: what comes before it, and its words.
struct Written {
    before: String,
    words: String,
    /// A person could tell what it is.
    readable: bool,
}

fn written(kernel: &str) -> Vec<Written> {
    let (program, rest) = kernel.split_once(' ').unwrap();
    let first = program.chars().next().unwrap();
    let tail = &program[first.len_utf8()..];
    let escaped: String = program.chars().map(|c| format!("\\{c}")).collect();
    let code = |form: fn(u32) -> String| program.chars().map(|c| form(u32::from(c))).collect::<String>();
    let hex = code(|c| format!("\\x{c:02x}"));
    let octal = code(|c| format!("\\{c:03o}"));
    let unicode = code(|c| format!("\\u{c:04x}"));
    let each = |mark: char| {
        kernel.split(' ').map(|word| format!("{mark}{word}{mark}")).collect::<Vec<_>>().join(" ")
    };
    let by = |mark: &str| kernel.replace(' ', mark);
    let plain = |words: String| (String::new(), words, true);
    let told = |before: String, words: &str| (before, format!("{words} {rest}"), true);
    let dark = |before: String, words: &str| (before, format!("{words} {rest}"), false);
    let all = [
        plain(kernel.to_owned()),
        plain(each('\'')),
        plain(each('"')),
        plain(format!("{escaped} {rest}")),
        plain(format!("{first}''{tail} {rest}")),
        plain(format!("{first}\"{tail}\" {rest}")),
        plain(format!("'{first}'{tail} {rest}")),
        plain(format!("$'{hex}' {rest}")),
        plain(format!("$'{octal}' {rest}")),
        plain(format!("$'{unicode}' {rest}")),
        plain(format!("{first}$'{tail}' {rest}")),
        plain(format!("{{{}}}", by(","))),
        plain(by(" \\\n ")),
        plain(format!("{first}\\\n{tail} {rest}")),
        plain(by("\t")),
        (": # it's a note\n".into(), kernel.to_owned(), true),
        told(format!("c={program}; "), "$c"),
        told(format!("c={program}; "), "\"$c\""),
        told(format!("c='{program}'\n"), "${c}"),
        told(format!("a={first} b={tail}; "), "$a$b"),
        told(format!("a={first}; "), &format!("${{a}}{tail}")),
        (format!("c='{kernel}'; "), "$c".into(), true),
        (format!("c=$'{}'; ", by("\\t")), "$c".into(), false),
        (format!("IFS=_; c={}; ", by("_")), "$c".into(), false),
        (String::new(), by("${IFS}"), false),
        (String::new(), by("$IFS"), false),
        dark(String::new(), &format!("${{nothing:-{program}}}")),
        dark(String::new(), &format!("${{nothing-{program}}}")),
        dark(format!("d={program}; x=d; "), "${!x}"),
        dark(format!("x=a{program}z; "), &format!("${{x:1:{}}}", program.len())),
        dark(format!("x={program}zz; "), "${x%zz}"),
        dark(format!("x={}; ", program.to_uppercase()), "${x,,}"),
        dark(format!("x={first}+{tail}; "), "${x/+/}"),
        dark(format!("c={first}; c+={tail}; "), "$c"),
        dark(format!("declare c={program}; "), "$c"),
        dark(format!("printf -v c {program}; "), "$c"),
        dark(format!("read c <<< {program}; "), "$c"),
        dark(format!("declare -n c=d; d={program}; "), "$c"),
        dark(String::new(), &format!("$(echo {program})")),
        dark(String::new(), &format!("\"$(printf '{hex}')\"")),
        dark(String::new(), &format!("`echo {program}`")),
        dark(String::new(), &format!("$\"{program}\"")),
        (format!("a=({kernel}); "), "\"${a[@]}\"".into(), false),
        (format!("set -- {kernel}; "), "\"$@\"".into(), false),
        (format!("c={program}; written() {{ $c {rest}; }}; "), "written".into(), false),
        // Whoever knows neither functions nor aliases of the text still runs the program.
        (format!("{program}() {{ :; }}; "), kernel.to_owned(), true),
        (format!("function {program} {{ :; }}\n"), kernel.to_owned(), true),
        (format!("alias {program}=true\n"), kernel.to_owned(), true),
        (format!("{program}() {{ :; }}; unset -f {program}; "), kernel.to_owned(), true),
        (format!("{program}() {{ :; }}; "), format!("command {kernel}"), true),
        (format!("{program}() {{ command {program} \"$@\"; }}; "), kernel.to_owned(), false),
    ];
    all.into_iter().map(|(before, words, readable)| Written { before, words, readable }).collect()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn line(form: &str, written: &Written) -> String {
    let form = form.replace("%%", "\u{1}");
    let line = if form.contains('%') {
        form.replace('%', &quoted(&format!("{}{}", written.before, written.words)))
    } else if form.contains("<<'E'") {
        form.replace('@', &format!("{}{}", written.before, written.words))
    } else {
        format!("{}{}", written.before, form.replace('@', &written.words))
    };
    line.replace('\u{1}', "%")
}

fn judged(command: &str) -> Risk {
    let environment = BTreeMap::from([("HOME".to_owned(), "/home/u".to_owned())]);
    let (paths, functions) = (TestPaths::default(), BTreeMap::new());
    assess(command, &read(command), &workspace(&paths, &environment, &functions)).risk
}

/// A folder with stand-ins, and a place to run lines in.
struct Stage {
    bin: PathBuf,
    work: PathBuf,
    log: PathBuf,
}

impl Stage {
    fn set(root: &Path) -> Self {
        let stage = Self { bin: root.join("bin"), work: root.join("work"), log: root.join("log") };
        fs::create_dir_all(&stage.bin).unwrap();
        fs::create_dir_all(&stage.work).unwrap();
        let kernels = HARMFUL.iter().chain(&READING).map(|kernel| kernel.split(' ').next().unwrap());
        let log = stage.log.display();
        kernels.for_each(|name| {
            stage.script(name, &format!("printf '%s\\n' \"{name} $*\" >> '{log}'"));
        });
        let rest = "shift \"$SKIP\"\ncase $MODE in exec) exec \"$@\" ;; sh) exec sh -c \"$*\" ;; text) exec sh -c \"$1\" ;; esac";
        STAND_INS.iter().for_each(|name| stage.script(name, rest));
        stage.script("tee", "while IFS= read -r line; do printf '%s\\n' \"$line\"; done");
        for name in REAL {
            let found = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(name));
            if let Some(found) = found.iter().find(|path| path.exists()) {
                symlink(found, stage.bin.join(name)).unwrap();
            }
        }
        stage
    }

    fn script(&self, name: &str, body: &str) {
        let path = self.bin.join(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Whether bash, given `line`, ran exactly `kernel`, perhaps with more words behind.
    fn runs(&self, line: &str, kernel: &str, skip: usize, mode: &str) -> bool {
        fs::write(&self.log, "").unwrap();
        let status = Command::new("/bin/bash")
            .args(["--noprofile", "--norc", "+O", "extglob", "-c", line])
            .env_clear()
            .env("PATH", &self.bin)
            .env("HOME", &self.work)
            .env("SKIP", skip.to_string())
            .env("MODE", mode)
            .current_dir(&self.work)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let ran = fs::read_to_string(&self.log).unwrap();
        status.is_ok() && ran.lines().any(|said| said == kernel || said.starts_with(&format!("{kernel} ")))
    }
}

#[derive(Default)]
struct Count {
    tried: usize,
    ran: usize,
    wrong: Vec<String>,
}

impl Count {
    fn of(&mut self, stage: &Stage, wrap: &Wrap, kernel: &str, harmful: bool) {
        for written in written(kernel) {
            let line = line(wrap.line, &written);
            let readable = wrap.readable && written.readable;
            if !harmful && !readable {
                continue;
            }
            self.tried += 1;
            if !stage.runs(&line, kernel, wrap.skip, wrap.mode) {
                continue;
            }
            self.ran += 1;
            let risk = judged(&line);
            if (risk >= Risk::Dangerous) != harmful {
                self.wrong.push(format!("{risk:?}: {line:?}"));
            }
            // The floor holds wherever the words can be read.
            let ends = line.replace(TARGET, "/etc");
            if harmful && wrap.readable && written.readable && kernel.starts_with("rm") {
                let risk = judged(&ends);
                if risk != Risk::Blocked && !wrap.line.starts_with("ssh") {
                    self.wrong.push(format!("not blocked, {risk:?}: {ends:?}"));
                }
            }
        }
    }
}

/// Two halves at once: most of the time goes into starting bash. `every` kernel in each wrapper, or one in its turn.
fn all(kernels: [&str; 3], harmful: bool, every: bool) -> Count {
    let chosen = move |at: usize| {
        kernels.into_iter().enumerate().filter(move |(turn, _)| every || at / 2 % 3 == *turn)
    };
    let count = |half: usize| {
        let folder = tempfile::tempdir().unwrap();
        let stage = Stage::set(folder.path());
        let mut count = Count::default();
        let opaque = OPAQUE.iter().map(|form| opaque(form)).filter(|_| harmful);
        for (at, wrap) in WRAPS.into_iter().chain(opaque).enumerate().filter(|(at, _)| at % 2 == half) {
            chosen(at).for_each(|(_, kernel)| count.of(&stage, &wrap, kernel, harmful));
        }
        count
    };
    let (mut one, two) = std::thread::scope(|scope| {
        let other = scope.spawn(|| count(1));
        (count(0), other.join().unwrap())
    });
    one.tried += two.tried;
    one.ran += two.ran;
    one.wrong.extend(two.wrong);
    one.wrong.sort();
    one
}

fn hold(kernels: [&str; 3], harmful: bool, every: bool, least: usize) {
    let count = all(kernels, harmful, every);
    println!("{}", count.wrong.join("\n"));
    println!("bash ran {} of {} lines, {} judged wrongly", count.ran, count.tried, count.wrong.len());
    assert!(count.ran >= least, "bash ran {} lines, too few to mean anything", count.ran);
    assert_eq!(count.wrong.len(), 0);
}

#[test]
fn what_a_wrapper_carries_is_judged_as_it_is() {
    hold(HARMFUL, true, false, 3500);
}

#[test]
fn what_only_reads_stays_harmless_in_every_wrapper() {
    hold(READING, false, false, 1500);
}

/// Three times as many lines, 25 000 times bash: `npm run fuzz` runs it, and so does
/// `cargo test -p planwright-engine --lib wrapped -- --ignored`.
#[test]
#[ignore = "takes 80 s; npm run fuzz runs it"]
fn every_kernel_in_every_wrapper() {
    hold(HARMFUL, true, true, 10_000);
    hold(READING, false, true, 4500);
}
