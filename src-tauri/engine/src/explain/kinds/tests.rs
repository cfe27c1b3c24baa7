use super::in_words;
use crate::knowledge::Operand;

/// Kind, value, what is said; empty: not of this kind.
const CASES: &str = r##"
mode | 640 | the owner reads and writes, the group reads, others nothing
mode | 755 | the owner reads, writes and runs, all others read and run
mode | 777 | everyone: read, write and run
mode | 4755 | the owner reads, writes and runs, all others read and run; run as its owner
mode | u+x | the owner may run
mode | go-w | the group and others may no longer write
mode | +x | everyone may run
mode | a=r | everyone may read and nothing else
mode | 888 |
mode | ux |
umask | 022 | the owner reads, writes and runs, all others read and run
owner | a:b | to the user a and the group b
owner | www-data | to the user www-data
owner | :staff | to the group staff
owner | a b |
acl | u:alice:rwX | the user alice may read, write and enter folders (and run what is a program already)
port | 22 | port 22 (SSH)
port | 0 |
port | 99999 |
service | 22/tcp | port 22 (SSH) for TCP
service | OpenSSH | the service OpenSSH
service | 60000:61000/udp | the ports 60000 to 61000 for UDP
port-map | 8080:80 | port 8080 of this machine leads to port 80 of the container
port-map | 127.0.0.1:5432:5432 | port 5432 of this machine leads to port 5432 of the container, for programs on this machine alone
port-map | x:80 |
volume | ./data:/data:ro | ./data of this machine is /data in the container, which may only read it
volume | pg:/var/lib | the store named pg is /var/lib in the container
tunnel-local | 8080:localhost:80 | port 8080 of this machine leads to port 80 of the other machine
tunnel-local | 5433:db:5432 | port 5433 of this machine leads to port 5432 of db, as seen from the other machine
tunnel-remote | 9000:localhost:3000 | port 9000 of the other machine leads to port 3000 of this machine
signal | 9 | KILL: ends at once; the program cannot tidy up
signal | SIGTERM | TERM: a request to end, with time to tidy up
signal | 77 |
seconds | 90 | 90 seconds
seconds | 1h30m | 1 hour 30 minutes
seconds | soon |
size | 10M | 10 MiB
size | 5GB | 5 GB
size | 512 | 512 bytes
size | many |
find-size | +100M | larger than 100 MiB
age | +7 | more than 7
head-count | -5 | all but the last 5 lines
tail-count | +2 | all from line 2 on
tail-count | 20 | the last 20 lines
host | ada@example.org | the machine example.org, as the user ada
remote-path | ada@host:/srv | /srv on the machine host, as the user ada
remote-path | src/ | src/
address | 192.168.1.0/24 | 192.168.1.0, in a network whose first 24 bits are fixed
regex | ^error | "error" at the beginning
regex | a.*b$ |= text that fits the pattern a.*b$
regex | TODO\|FIXME | "TODO", or "FIXME"
regex | foo.bar | "foo.bar" (a dot fits any character)
extended-regex | [0-9]+ | a run of digits
extended-regex | (a|b)c | text that fits the pattern (a|b)c
glob | *.log | whose name ends with ".log"
glob | a*b | whose name begins with "a" and ends with "b"
glob | Makefile | named Makefile
sed | s/foo/bar/g | puts "bar" in the place of every "foo" in each line
sed | s\|/usr\|/opt\| | puts "/opt" in the place of the first "/usr" in each line
sed | /^#/d | deletes lines with "#" at the beginning
sed | 1,10p | prints line 1 to line 10
sed | $d | deletes the last line
sed | s/ *$// | takes the first run of blanks, or none at the end away in each line
sed | s/a/b/;s/c/d/ | puts "b" in the place of the first "a" in each line; then puts "d" in the place of the first "c" in each line
sed | :a;N;$!ba;s/\n/,/g | editing commands for each line
awk | {print $1} | prints the first field of each line
awk | {print $1, $NF} | prints the first field and the last field of each line
awk | /error/ {print $2} | prints the second field of lines with "error"
awk | NR==1 | prints lines whose number is equal to 1
awk | $3 > 100 {print $1} | prints the first field of lines where the third field is more than 100
awk | {s+=$1} END {print s} | adds up the first field and prints the sum
awk | {x[$1]++} | a small program that is run on each line
jq | .items[].name | "name" of each entry of "items"
jq | . | everything, laid out to be read
sql | SELECT * FROM users; | reads rows of users
sql | DROP TABLE x | deletes the table x
cron | 30 2 * * * | at 02:30 every day
cron | */5 * * * * | every 5 minutes
cron | 0 9 * * 1-5 | at 09:00 on Mondays to Fridays
cron | 0 0 1 * * | at 00:00 on day 1 of the month
cron | @reboot | each time the machine starts
cron | 61 2 * * * |
maybe-cron | 0 3 * * * /opt/b.sh | a line for cron: at 03:00 every day, runs /opt/b.sh
maybe-cron | hello there | hello there
when | +10 | in 10 minutes
when | now | at once
date-format | +%Y-%m-%d | year-month-day
revision | HEAD~3 | 3 commits before the current commit
revision | HEAD^ | the commit before the current commit
revision | v1..v2 | what v2 has and v1 has not
revision | stash@{0} | the newest of what is put aside
revision | HEAD@{2} | the current commit as it was 2 moves ago
refspec | main:release | main, as release at the other end
refspec | :old | the branch old at the other end, which is deleted
image | nginx:1.25 | nginx, version 1.25
image | localhost:5000/app | localhost:5000/app
package | requests==2.31 | requests, version 2.31
package | @types/node@20 | @types/node, version 20
package | ./a.deb | the file ./a.deb
fields | 1,3-5 | 1 and 3 to 5
fields | 2- | all from 2 on
sort-key | 2,2nr | field 2, as numbers, the largest first
filter | scale=1280:-1 | width 1280 points, height in proportion
process | 1234 | the process with the number 1234
process | %1 | the job 1 of this shell
setting | A=b c | A set to b c
"##;

#[test]
fn explain_turns_values_into_words() {
    let mut wrong = Vec::new();
    for line in CASES.lines().filter(|line| !line.is_empty()) {
        let (kind, rest) = line.split_once(" | ").unwrap();
        // `\|` is a bar of the value, except where a pattern means it so.
        let (value, says) = rest.rsplit_once(" |").unwrap();
        let value = if kind == "sed" { value.replace(r"\|", "|") } else { value.to_owned() };
        let says = says.trim_start_matches('=').trim();
        let operand = Operand::try_from(format!("<{kind}>")).unwrap();
        let told = in_words(&operand.kind, &value).unwrap_or_default();
        if told.trim() != says {
            wrong.push(format!("{kind} {value}: {told}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn explain_reads_any_value_without_harm() {
    let odd = [
        "", " ", "'", "s", "s/", "s/é", "y\\", "/", "{", "$", "+", "-", "%", ":::", "é:é", "[", "@{", "..",
        "...",
    ];
    let kinds = "text path out-path number mode umask owner acl port service port-map volume tunnel-local tunnel-remote \
        signal seconds minutes milliseconds size kibibytes url host remote-path address regex extended-regex sed awk jq \
        maybe-cron cron revision refspec image package setting glob age find-size find-permission head-count tail-count \
        date-format filter sql characters fields sort-key process when";
    for kind in kinds.split_whitespace() {
        let operand = Operand::try_from(format!("<{kind}>")).unwrap();
        for value in odd {
            drop(in_words(&operand.kind, value));
        }
    }
}
