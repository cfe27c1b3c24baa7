//! Nothing that a command tries gets out of the sandbox, lasts, or takes the machine with it.

use std::io::Read;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use super::{Try, fs, running};

#[tokio::test]
async fn there_is_no_network_and_no_socket_of_a_service() {
    let it = Try::new();
    let network = TcpListener::bind("127.0.0.1:0").unwrap();
    network.set_nonblocking(true).unwrap();
    let service = UnixListener::bind(it.work("service")).unwrap();
    service.set_nonblocking(true).unwrap();
    let port = network.local_addr().unwrap().port();
    let command = format!(
        "(exec 3<>/dev/tcp/127.0.0.1/{port}) && touch reached-network
        python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"service\")' && touch reached-service
        for path in /run/*; do touch \"run-${{path##*/}}\"; done
        for path in /dev/*; do touch \"dev-${{path##*/}}\"; done
        touch done"
    );
    let Some(made) = it.made(&command).await else { return };
    let mut expected: Vec<String> = ["done"].map(|name| format!("+ work/{name}")).to_vec();
    expected.extend(
        ["fd", "full", "null", "random", "shm", "stderr", "stdin", "stdout", "urandom", "zero"]
            .map(|name| format!("+ work/dev-{name}")),
    );
    expected.extend(["lock", "shell-state", "user"].map(|name| format!("+ work/run-{name}")));
    expected.sort();
    assert_eq!(made.files, expected);
    assert!(network.accept().is_err() && service.accept().is_err());
}

/// Calls that were ways out of other sandboxes. Each makes a file when it is *not* refused.
const CALLS: &str = r#"
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, *arguments):
    if libc.syscall(*arguments) >= 0:
        open("allowed-" + name, "w").close()
machine = os.uname().machine
if machine == "x86_64":
    numbers = dict(unshare=272, mount=165, umount=166, chroot=161, ptrace=101, keyctl=250, add_key=248, setns=308,
                   io_uring=425, bpf=321, userfaultfd=323, handle=304, socket=41, memfd=319, clone3=435, perf=298)
    attempt("unshare", numbers["unshare"], 0x10000000)
    attempt("mount", numbers["mount"], b"x", b"/tmp", b"tmpfs", 0, 0)
    attempt("umount", numbers["umount"], b"/run", 2)
    attempt("chroot", numbers["chroot"], b"/tmp")
    attempt("ptrace", numbers["ptrace"], 16, os.getppid(), 0, 0)
    attempt("keyctl", numbers["keyctl"], 0, -3, 0)
    attempt("add_key", numbers["add_key"], b"user", b"n", b"x", 1, -4)
    attempt("io_uring", numbers["io_uring"], 8, ctypes.create_string_buffer(256))
    attempt("socket", numbers["socket"], 1, 1, 0)
    attempt("netlink", numbers["socket"], 16, 3, 0)
    attempt("memfd", numbers["memfd"], b"x", 0)
    attempt("userfaultfd", numbers["userfaultfd"], 0)
    attempt("x32", 0x40000000 + 39) if os.fork() == 0 else os.wait()
for path in ["/proc/1/root/etc/hostname", "/proc/1/environ", "/proc/kcore", "/dev/mem", "/dev/sda"]:
    try:
        open(path, "rb").read(1)
        open("allowed-read-" + path.replace("/", "-"), "w").close()
    except OSError:
        pass
for path in ["/proc/sys/kernel/hostname", "/proc/self/oom_score_adj", "/proc/sysrq-trigger", "/sys/power/state"]:
    try:
        open(path, "w").close()
        open("allowed-write-" + path.replace("/", "-"), "w").close()
    except OSError:
        pass
status = dict(line.split(":\t") for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
wanted = dict(CapInh="0" * 16, CapPrm="0" * 16, CapEff="0" * 16, CapBnd="0" * 16, CapAmb="0" * 16, NoNewPrivs="1", Seccomp="2")
for name, value in wanted.items():
    if status[name].strip() != value:
        open("wrong-" + name, "w").close()
if any(int(fd) > 3 for fd in os.listdir("/proc/self/fd")):
    open("wrong-descriptors", "w").close()
open("done", "w").close()
"#;

#[tokio::test]
async fn no_known_way_out_is_open() {
    let it = Try::new();
    it.write("calls.py", CALLS);
    let Some(made) = it.made("python3 calls.py").await else { return };
    assert_eq!((made.files, made.exit_status), (vec!["+ work/done".to_owned()], Some(0)));
}

#[tokio::test]
async fn a_named_pipe_of_a_service_is_not_reached() {
    let it = Try::new();
    let pipe = it.work("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Both ends, so that neither side waits for the other.
    let mut held = fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    let Some(_) = it.made("timeout 1 bash -c 'echo out > pipe'").await else { return };
    rustix::io::ioctl_fionbio(&held, true).unwrap();
    assert!(held.read(&mut [0; 8]).is_err());
}

#[tokio::test]
async fn a_loop_without_end_is_stopped_with_everything_it_started() {
    let it = Try::new();
    let started = Instant::now();
    let command =
        "sleep 7654.321 & setsid -f sleep 7654.321; (nohup sleep 7654.321 &); touch a; while :; do :; done";
    let Some(made) = it.made(command).await else { return };
    let took = started.elapsed();
    assert!(took >= Duration::from_secs(5) && took < Duration::from_secs(12), "{took:?}");
    assert_eq!((made.files, made.exit_status), (vec!["+ work/a".to_owned()], None));
    assert!(made.notes[0].contains("stopped after 5 seconds"), "{:?}", made.notes);
    assert_eq!(running("7654.321"), 0);
}

#[tokio::test]
async fn what_is_left_in_the_background_is_ended_at_once() {
    let it = Try::new();
    let Some(made) = it.made("setsid -f sleep 8765.432; sleep 8765.432 & exit 3").await else { return };
    assert_eq!((made.files, made.exit_status), (vec![], Some(3)));
    assert_eq!(running("8765.432"), 0);
}

#[tokio::test]
async fn a_fork_bomb_stays_small() {
    let it = Try::new();
    let command = "bomb() { sleep 9876.543 & bomb | bomb & }; bomb; while :; do sleep 0.1; done";
    let trying = it.made(command);
    let watching = async {
        let mut most = 0;
        loop {
            most = most.max(running("9876.543"));
            if most > 1000 {
                return most;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::select! {
        made = trying => {
            let Some(made) = made else { return };
            assert_eq!(made.exit_status, None);
        }
        most = watching => panic!("{most} processes"),
    }
    assert_eq!(running("9876.543"), 0);
}

#[tokio::test]
async fn a_file_without_end_fills_no_disk() {
    let it = Try::new();
    let Some(made) = it.made("yes > big; yes > ~/big; yes > /dev/shm/big").await else { return };
    assert!(made.notes.iter().any(|note| note.contains("more room")), "{:?}", made.notes);
    assert!(made.files.contains(&"+ work/big".to_owned()) && !it.work("big").exists());
}

#[tokio::test]
async fn memory_without_end_is_stopped() {
    let it = Try::new();
    let command = "python3 -c 'x = []\nwhile True: x.append(b\"x\" * (64 << 20))'; touch after";
    let Some(made) = it.made(command).await else { return };
    assert_eq!((made.files, made.exit_status), (vec![], None));
    assert!(made.notes[0].contains("memory"), "{:?}", made.notes);
}

#[tokio::test]
async fn what_it_prints_and_what_is_in_its_environment_goes_nowhere() {
    let mut it = Try::new();
    it.shell.environment.insert("TOKEN".to_owned(), Some("s3cret-value".to_owned()));
    let forecast = it.forecast("echo $TOKEN; echo $TOKEN >&2; echo $TOKEN > file; sh -c 'exit 4'").await;
    assert!(!serde_json::to_string(&forecast).unwrap().contains("s3cret"), "{forecast:?}");
    assert_eq!(it.there(), ["home", "work"]);
}
