//! Who is let in, or gets the rights of somebody else: by a debugger that listens, a key, a mode, or a shell that the
//! administrator leaves open.

use planwright_shell::Span;

use crate::protocol::Risk;
use crate::risk::args::{Parsed, behind};
use crate::risk::judge::Judge;
use crate::risk::words::Arg;

pub(super) fn check(j: &mut Judge<'_>, name: &str, parsed: &Parsed<'_, '_>, args: &[Arg], span: Span) {
    if let Some(span) = args.iter().find(|arg| lets_debug(arg.sure())).map(|arg| arg.span) {
        j.found.add(Risk::Dangerous, "lets others on the network steer the program", span);
    }
    // `xterm -display 192.0.2.1:1`
    if let Some(screen) = behind(args, &["-display", "--display"]).filter(|screen| is_elsewhere(screen)) {
        j.found.add(Risk::Dangerous, "lets another machine see and steer it", screen.span);
    }
    match name {
        // `php -S 0.0.0.0:80 -t /home`
        "php" => {
            let near = |arg: &&Arg| {
                arg.known().is_some_and(|text| {
                    ["localhost:", "127.0.0.1:", "[::1]:"].iter().any(|own| text.starts_with(own))
                })
            };
            if let Some(folder) =
                parsed.value("-t").filter(|_| parsed.value("-S").is_some_and(|at| !near(&at)))
            {
                crate::risk::code::lets_read(j, &folder.clone());
            }
        }
        // `npx serve /home`: they listen to everybody.
        "serve" | "http-server" | "live-server" => {
            for folder in parsed.words.iter().filter(|word| !word.sure().contains("://")) {
                crate::risk::code::lets_read(j, folder);
            }
        }
        "kwriteconfig5" | "kwriteconfig6" => {
            let locks = |arg: &Arg| matches!(arg.known(), Some("Autolock" | "LockOnResume"));
            let off = args.last().and_then(Arg::known) == Some("false");
            if let Some(span) = args.iter().find(|arg| off && locks(arg)).map(|arg| arg.span) {
                j.found.add(Risk::Dangerous, "leaves the screen open to whoever comes by", span);
            }
        }
        // A key of somebody else, whoever's it is.
        "ssh-copy-id" => {
            let own =
                |key: &Arg| key.known().is_some_and(|text| text.contains(".ssh/") || !text.contains('/'));
            if let Some(key) = parsed.value("-i").filter(|key| !own(key)) {
                j.found.add(
                    Risk::Dangerous,
                    "lets somebody's key into an account on another machine",
                    key.span,
                );
            }
        }
        "tmux" | "screen" | "byobu" | "zellij" | "abduco" | "dtach" if j.elevated => {
            j.found.add(Risk::Dangerous, "keeps a shell of the administrator open", span);
        }
        "irb" | "pry" | "tclsh" | "wish" | "script" | "ghci" | "jshell" | "guile" | "octave" | "gnuplot"
            if j.elevated =>
        {
            j.found.add(Risk::Dangerous, "gives other rights to whatever is typed", span);
        }
        // `install -m 4755 bash /tmp/x`
        "install" => {
            let mode = parsed.value("-m").filter(|mode| mode.known().is_some_and(is_special));
            if let Some(span) = mode.map(|mode| mode.span) {
                j.found.add(Risk::Dangerous, "lets whoever runs it have the rights of its owner", span);
            }
        }
        // `vncserver -SecurityTypes None`
        "vncserver" | "tigervncserver" | "x0vncserver" | "x0tigervncserver" | "Xvnc" | "Xtigervnc" => {
            let known: Vec<String> = args
                .iter()
                .filter_map(Arg::known)
                .map(|text| text.trim_start_matches('-').to_lowercase())
                .collect();
            let open = known.iter().enumerate().any(|(at, word)| match word.strip_prefix("securitytypes") {
                Some("") => known.get(at + 1).is_some_and(|types| types.contains("none")),
                Some(types) => types.contains("none"),
                None => false,
            });
            if open {
                j.found.add(Risk::Dangerous, "lets whoever asks see and steer this desktop", span);
            }
        }
        "syncthing" => {
            let words: Vec<&str> = parsed.words.iter().filter_map(|word| word.known()).collect();
            if words.contains(&"devices") && words.contains(&"add") {
                j.found.add(Risk::Dangerous, "lets another machine in on what is shared", span);
            }
        }
        _ => {}
    }
}

/// The name of a screen that begins with another machine's.
fn is_elsewhere(screen: &Arg) -> bool {
    let host = screen.known().and_then(|text| text.split_once(':')).map_or("", |(host, _)| host);
    !matches!(host, "" | "localhost" | "unix" | "127.0.0.1") && !host.contains('/')
}

/// A mode by which a program runs as its owner or group. In letters each `s` counts: a file that is new has none to lose.
fn is_special(mode: &str) -> bool {
    let digits = mode.trim_start_matches('0');
    digits.len() == 4 && digits.starts_with(['2', '4', '6'])
        || mode.contains(['+', '=']) && mode.contains('s')
}

/// `--inspect=0.0.0.0`, `-agentlib:jdwp=…,address=*:5005`: whoever reaches a debugger runs what they like.
fn lets_debug(text: &str) -> bool {
    // Who asks is not checked, or may be any page.
    if text.contains("jmxremote.authenticate=false") || text == "--remote-allow-origins=*" {
        return true;
    }
    let open = ["=0.0.0.0", "=[::]", "=*:"].iter().any(|host| text.contains(host));
    let debugs = ["--inspect", "jdwp", "--remote-debugging-address"].iter().any(|name| text.contains(name));
    open && debugs && text.starts_with('-')
}

#[cfg(test)]
mod tests {
    use crate::protocol::Risk;
    use crate::risk::tests::check;

    #[test]
    fn others_are_let_in() {
        check(
            Risk::Dangerous,
            "java -Dcom.sun.management.jmxremote.authenticate=false -jar build/app.jar
            vncserver :1 -SecurityTypes None
            x0vncserver -SecurityTypes=VncAuth,None",
        );
        check(Risk::Caution, "vncserver :1 -SecurityTypes VncAuth -localhost");
    }
}
