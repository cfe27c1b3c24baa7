//! Programs by whose name alone one knows what they are for: getting in, getting more rights, working for strangers.

use super::judge::Judge;
use super::words::Arg;
use crate::protocol::Risk;

/// Long enough to stand for nothing else, wherever they stand in the name of a program.
const PARTS: [&str; 26] = [
    "cve-20",
    "linpeas",
    "winpeas",
    "linenum",
    "lazagne",
    "mimipenguin",
    "mimikatz",
    "pwnkit",
    "dirtycow",
    "dirty_cow",
    "dirtypipe",
    "dirty_pipe",
    "exploit-suggester",
    "xmrig",
    "cryptominer",
    "meterpreter",
    "reverse_shell",
    "reverse-shell",
    "revshell",
    "rootkit",
    "keylogger",
    "backdoor",
    "ransomware",
    "secretsdump",
    "privesc",
    "impacket",
];
/// A name of its own, with or without an ending.
const STEMS: [&str; 17] = [
    "psexec",
    "wmiexec",
    "smbexec",
    "atexec",
    "dcomexec",
    "crackmapexec",
    "netexec",
    "pspy",
    "pspy32",
    "pspy64",
    "chisel",
    "ligolo",
    "pwncat",
    "exploit",
    "bettercap",
    "responder",
    "sliver",
];

impl Judge<'_> {
    /// Notes that `arg`, which runs, has such a name.
    pub(super) fn notorious(&mut self, arg: &Arg) {
        let Some(text) = arg.known().filter(|text| text.len() < 256) else { return };
        let lower = text.to_lowercase();
        let name = lower.rsplit('/').next().unwrap_or(&lower);
        let stem = name.split(['.', ':', '@']).next().unwrap_or(name);
        if PARTS.iter().any(|part| name.contains(part)) || STEMS.contains(&stem) {
            self.found.add(Risk::Dangerous, "is known as a program of intruders", arg.span);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::protocol::Risk;

    #[test]
    fn a_name_can_be_enough() {
        check(
            Risk::Dangerous,
            "./linpeas.sh\npython3 mimipenguin.py\n./dirtypipe /usr/bin/sudo\ndocker run -d metal3d/xmrig -o pool:1\n./pspy64\nbash exploit.sh\nperl linux-exploit-suggester.pl",
        );
        check(Risk::Safe, "ps aux | grep -i xmrig\nls linpeas.sh\ncat docs/backdoor.md");
        check(Risk::Caution, "./explorer\npython3 exploitation_report.py");
    }
}
