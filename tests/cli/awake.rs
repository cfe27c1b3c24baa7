//! The lock that keeps the machine awake, at a bus of the test's own with a logind that only counts.

use std::io::{ErrorKind, PipeReader, Read as _};
use std::os::fd::OwnedFd as Descriptor;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use planwright_tests::chat_server::Say;
use rustix::process::Signal;
use serde_json::json;
use zbus::zvariant::OwnedFd;

use crate::Desk;
use crate::agent::signal;
use crate::life::Running;
use crate::talk::Server;

const CONFIG: &str = r#"<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default">
    <allow send_destination="*"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#;

struct Bus {
    daemon: Child,
    address: String,
    logind: Logind,
    _connection: zbus::blocking::Connection,
}

/// Whoever asked, and this side of each lock.
#[derive(Clone, Default)]
struct Logind(Arc<Mutex<Vec<(String, PipeReader)>>>);

#[zbus::interface(name = "org.freedesktop.login1.Manager")]
impl Logind {
    fn inhibit(&self, what: String, who: String, _why: String, mode: String) -> zbus::fdo::Result<OwnedFd> {
        let (reader, writer) =
            std::io::pipe().map_err(|error| zbus::fdo::Error::Failed(error.to_string()))?;
        rustix::io::ioctl_fionbio(&reader, true).unwrap();
        self.0.lock().unwrap().push((format!("{what} {who} {mode}"), reader));
        Ok(OwnedFd::from(Descriptor::from(writer)))
    }
}

impl Logind {
    fn asked(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().map(|(asked, _)| asked.clone()).collect()
    }

    /// Locks whose other end somebody still has.
    fn held(&self) -> usize {
        let open = |reader: &mut PipeReader| match reader.read(&mut [0]) {
            Err(error) => error.kind() == ErrorKind::WouldBlock,
            Ok(_) => false,
        };
        self.0.lock().unwrap().iter_mut().filter_map(|(_, reader)| open(reader).then_some(())).count()
    }

    fn until_held(&self, locks: usize) {
        let start = Instant::now();
        while self.held() != locks {
            assert!(start.elapsed() < Duration::from_secs(20), "never {locks} locks: {:?}", self.asked());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Bus {
    /// `None`, said aloud, where there is no dbus-daemon.
    fn start(desk: &Desk) -> Option<Self> {
        use std::io::BufRead as _;

        let config = desk.write("bus.conf", CONFIG);
        let daemon = Command::new("dbus-daemon")
            .arg(format!("--config-file={}", config.display()))
            .args(["--nofork", "--nopidfile", "--print-address"])
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut daemon) = daemon else {
            eprintln!("skipped: there is no dbus-daemon here");
            return None;
        };
        let mut address = String::new();
        std::io::BufReader::new(daemon.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let address = address.trim().to_owned();
        let logind = Logind::default();
        let connection = zbus::blocking::connection::Builder::address(address.as_str())
            .unwrap()
            .name("org.freedesktop.login1")
            .unwrap()
            .serve_at("/org/freedesktop/login1", logind.clone())
            .unwrap()
            .build()
            .unwrap();
        Some(Self { daemon, address, logind, _connection: connection })
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        drop(self.daemon.kill());
        drop(self.daemon.wait());
    }
}

const WAITS: &str = "while [ ! -e go ]; do sleep 0.02; done";

fn run(desk: &Desk, bus: &Bus) -> Running {
    let page = desk.page(&[WAITS]);
    let mut command = desk.command(&["--json", "run", page.to_str().unwrap()]);
    command.env("DBUS_SYSTEM_BUS_ADDRESS", &bus.address);
    Running::of(command)
}

#[test]
fn a_run_holds_one_lock_of_logind_to_its_end() {
    let desk = Desk::new();
    let Some(bus) = Bus::start(&desk) else { return };
    let running = run(&desk, &bus);
    bus.logind.until_held(1);
    desk.write("go", "");
    assert_eq!(running.end().code, Some(0));
    bus.logind.until_held(0);
    assert_eq!(bus.logind.asked(), ["idle:sleep Planwright block"]);
}

#[test]
fn a_cancelled_run_gives_it_up_and_so_does_a_program_that_is_killed() {
    let desk = Desk::new();
    let Some(bus) = Bus::start(&desk) else { return };
    for signal in [Signal::INT, Signal::KILL] {
        let running = run(&desk, &bus);
        bus.logind.until_held(1);
        running.signal(signal);
        bus.logind.until_held(0);
        assert_ne!(running.end().code, Some(0));
    }
    assert_eq!(bus.logind.asked().len(), 2);
}

/// The call at work with its model, its command begun and the lock held.
fn at_work(desk: &Desk, bus: &Bus, server: &Server, call: &[&str]) -> Running {
    let mut url = String::new();
    let mut command = desk.command(&server.args(&mut url, call));
    command.env("DBUS_SYSTEM_BUS_ADDRESS", &bus.address);
    let running = Running::of(command);
    let begun = if call.contains(&"do") { "step-started" } else { "call-started" };
    running.wait_for(begun);
    bus.logind.until_held(1);
    running
}

/// A model for `do`.
fn doer() -> Server {
    let step = json!({ "title": "Wait", "command": WAITS, "why": "You asked for it." });
    Server::new(move |_, _| Say::text(step.to_string()))
}

/// A model for `agent`, which waits so many times before it is done.
fn worker(waits: usize) -> Server {
    Server::new(move |number, _| {
        let wait = format!("true {number}; {WAITS}");
        if number < waits { signal("executing", Some(("shell", &wait))) } else { signal("complete", None) }
    })
}

type Model = fn() -> Server;

const WORK: [(&[&str], Model); 2] =
    [(&["--json", "do", "wait"], doer), (&["--json", "agent", "wait"], || worker(1))];

#[test]
fn what_a_model_works_at_holds_one_lock_to_its_end() {
    for (call, model) in WORK {
        let desk = Desk::new();
        let Some(bus) = Bus::start(&desk) else { return };
        let server = model();
        let running = at_work(&desk, &bus, &server, call);
        desk.write("go", "");
        let ended = running.end();
        assert_eq!(ended.code, Some(0), "{call:?}: {}", ended.all());
        bus.logind.until_held(0);
    }
}

#[test]
fn what_a_model_works_at_gives_it_up_when_it_is_cancelled_or_killed() {
    for (call, model) in WORK {
        for signal in [Signal::INT, Signal::KILL] {
            let desk = Desk::new();
            let Some(bus) = Bus::start(&desk) else { return };
            let server = model();
            let running = at_work(&desk, &bus, &server, call);
            running.signal(signal);
            bus.logind.until_held(0);
            assert_ne!(running.end().code, Some(0), "{call:?} {signal:?}");
        }
    }
}

#[test]
fn a_goal_that_is_resumed_holds_it_again_each_time() {
    let desk = Desk::new();
    let Some(bus) = Bus::start(&desk) else { return };
    let server = worker(4);
    let calls: [(&[&str], _); 3] = [
        (&["--json", "agent", "wait"], Signal::KILL),
        (&["--json", "resume", "last"], Signal::KILL),
        (&["--json", "resume", "last"], Signal::INT),
    ];
    for (call, signal) in calls {
        let running = at_work(&desk, &bus, &server, call);
        running.signal(signal);
        bus.logind.until_held(0);
        assert_ne!(running.end().code, Some(0), "{call:?} {signal:?}");
    }
    let running = at_work(&desk, &bus, &server, &["--json", "resume", "last"]);
    desk.write("go", "");
    let ended = running.end();
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    bus.logind.until_held(0);
}

#[test]
fn without_a_bus_nothing_is_said_and_nothing_waits() {
    let desk = Desk::new();
    let page = desk.page(&["true"]);
    let mut command = desk.command(&["run", page.to_str().unwrap()]);
    command.env("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nowhere/at/all");
    let ended = crate::ended(command.spawn().unwrap());
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for word in ["bus", "awake", "logind"] {
        assert!(!ended.stderr.contains(word), "{}", ended.stderr);
    }
}

/// As a descriptor is that came in and is not marked yet when a helper is started.
#[test]
fn a_helper_holds_nothing_that_it_was_not_given() {
    let (mut reader, writer) = std::io::pipe().unwrap();
    rustix::io::fcntl_setfd(&writer, rustix::io::FdFlags::empty()).unwrap();
    let mut helper = Command::new(planwright_tests::worker())
        .arg("parse")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    drop(writer);
    assert_eq!(reader.read(&mut [0]).unwrap(), 0, "closed while the helper still waits for its first order");
    assert_eq!(helper.try_wait().unwrap(), None);
    drop(helper.stdin.take());
    helper.wait().unwrap();
}
