//! Programs in languages that are compiled, whose whole source stands in the command.

/// Whether a program in a language that is compiled names nothing that reaches files, processes or the network.
pub(super) fn only_prints(source: &str) -> bool {
    const REACHES: &[&str] = &[
        "process",
        "fs::",
        "command",
        "net::",
        "net.",
        "env::",
        "unsafe",
        "extern",
        "asm",
        "syscall",
        "dlopen",
        "fstream",
        "fopen",
        "freopen",
        "creat",
        "open(",
        "filesystem",
        "socket",
        "connect",
        "os.",
        "ioutil",
        "http",
        "cgo",
        "plugin",
        "include!",
        "include_",
        "include \"",
        "ptrace",
        "kill",
        "fork",
        "exec",
        "system",
        "unlink",
        "remove",
        "rename",
        "rmdir",
        "mkdir",
        "chmod",
        "chown",
        "setuid",
        "mount",
        "reboot",
        "getenv",
        "environ",
        "##",
    ];
    // Of the standard library's headers and modules only those that hold values.
    const HEADERS: &[&str] = &[
        "stdio.h",
        "stdlib.h",
        "string.h",
        "math.h",
        "stdint.h",
        "stdbool.h",
        "limits.h",
        "float.h",
        "ctype.h",
        "assert.h",
        "stddef.h",
        "inttypes.h",
        "time.h",
        "errno.h",
        "iostream",
        "vector",
        "string",
        "map",
        "set",
        "unordered_map",
        "algorithm",
        "numeric",
        "cmath",
        "iomanip",
        "optional",
        "variant",
        "memory",
        "cstdio",
        "cstdint",
        "functional",
    ];
    let headers = source.lines().filter_map(|line| line.trim().strip_prefix("#")).all(|line| {
        let Some(name) = line.trim().strip_prefix("include") else { return false };
        let name = name.trim().strip_prefix('<').and_then(|name| name.strip_suffix('>'));
        name.is_some_and(|name| HEADERS.contains(&name))
    });
    // `#[derive(…)]` begins a line of Rust as well.
    let attributes =
        source.lines().all(|line| !line.trim().starts_with("#[") || line.trim().starts_with("#[derive"));
    let rust = source.contains("fn main()") && !source.contains("#include");
    let text = source.to_lowercase();
    (headers || rust && attributes) && !text.contains("#!") && !REACHES.iter().any(|word| text.contains(word))
}
