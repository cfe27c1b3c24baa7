//! The way of a question and its answer over the real socket, without a program behind it.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::SocketAddr;

use secrecy::SecretString;

use super::*;
use crate::protocol::{SecretKind, SecretRequest};

struct Command {
    askpass: Askpass,
    leave: Option<Leave>,
    events: mpsc::UnboundedReceiver<Event>,
    session: SessionId,
    name: String,
}

fn own() -> i32 {
    i32::try_from(std::process::id()).unwrap()
}

fn about(session_id: SessionId) -> About {
    About {
        session_id,
        step_id: "s1".into(),
        command: "sudo true".into(),
        cwd: "/tmp".into(),
        wall_limit: Duration::from_secs(60),
        silence_limit: Duration::from_secs(60),
    }
}

impl Command {
    fn new(askpass: &Askpass) -> Self {
        Self::of(askpass, about(SessionId::new()), own())
    }

    /// One whose worker this is.
    fn of(askpass: &Askpass, about: About, worker: i32) -> Self {
        let session = about.session_id;
        let (tell, events) = mpsc::unbounded_channel();
        let leave = askpass.allow(about, tell);
        let name = format!("planwright-test-{}", Uuid::new_v4().simple());
        leave.door().open_at(&name, worker);
        Self { askpass: askpass.clone(), leave: Some(leave), events, session, name }
    }

    async fn connect(&self) -> UnixStream {
        let address = SocketAddr::from_abstract_name(&self.name).unwrap();
        let stream = std::os::unix::net::UnixStream::connect_addr(&address).unwrap();
        stream.set_nonblocking(true).unwrap();
        UnixStream::from_std(stream).unwrap()
    }

    async fn ask(&self, prompt: &str) -> UnixStream {
        self.say(&serde_json::json!({"prompt": prompt, "confirm": false}).to_string()).await
    }

    async fn say(&self, line: &str) -> UnixStream {
        let mut stream = self.connect().await;
        stream.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        stream
    }

    async fn event(&mut self) -> Event {
        tokio::time::timeout(Duration::from_secs(10), self.events.recv()).await.unwrap().unwrap()
    }

    async fn request(&mut self) -> SecretRequest {
        match self.event().await {
            Event::SecretNeeded { request } => request,
            other => panic!("{other:?}"),
        }
    }

    async fn outcome(&mut self) -> SecretOutcome {
        match self.event().await {
            Event::SecretResolved { outcome, .. } => outcome,
            other => panic!("{other:?}"),
        }
    }

    fn answer(&self, id: SecretRequestId, text: &str) -> Result<(), EngineError> {
        self.askpass.answer(self.session, id, Some(SecretString::from(text)))
    }
}

async fn heard(mut stream: UnixStream) -> String {
    let mut text = String::new();
    match tokio::time::timeout(Duration::from_secs(10), stream.read_to_string(&mut text)).await.unwrap() {
        Ok(_) => text,
        // What was not even read to its end.
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => text,
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn an_answer_goes_to_who_asked_and_nowhere_else() {
    let learnt = Arc::new(Mutex::new(Vec::new()));
    let askpass = Askpass::new(true, {
        let learnt = Arc::clone(&learnt);
        move |secret| learnt.lock().unwrap().push(secret.to_owned())
    });
    let mut command = Command::new(&askpass);
    let stream = command.ask("[sudo] password for ada: ").await;
    let request = command.request().await;
    assert_eq!((request.kind, request.attempt), (SecretKind::Password, 1));
    assert_eq!(
        (request.command.as_str(), request.prompt.as_str()),
        ("sudo true", "[sudo] password for ada:")
    );
    // Another session cannot answer it.
    let elsewhere = askpass.answer(SessionId::new(), request.id, None);
    assert_eq!(elsewhere.unwrap_err().code, ErrorCode::NotNow);
    for wrong in ["two\nlines", "nul\0", &"x".repeat(ANSWER_BYTES + 1)] {
        assert_eq!(command.answer(request.id, wrong).unwrap_err().code, ErrorCode::InvalidInput);
    }
    command.answer(request.id, "pässword").unwrap();
    assert_eq!(heard(stream).await, "Apässword");
    assert_eq!(command.outcome().await, SecretOutcome::Answered);
    assert_eq!(command.answer(request.id, "again").unwrap_err().code, ErrorCode::NotNow);
    assert_eq!(*learnt.lock().unwrap(), ["pässword"]);
    assert!(!format!("{askpass:?}").contains("pässword"));
    assert_eq!(rustix::process::dumpable_behavior().unwrap(), rustix::process::DumpableBehavior::NotDumpable);
}

#[tokio::test]
async fn a_name_or_a_yes_is_no_secret_to_hide() {
    let askpass = Askpass::new(true, |secret| panic!("{secret}"));
    let mut command = Command::new(&askpass);
    for (prompt, answer) in [("Username for 'https://h': ", "git"), ("connect (yes/no)? ", "yes")] {
        let stream = command.ask(prompt).await;
        let request = command.request().await;
        command.answer(request.id, answer).unwrap();
        assert_eq!(heard(stream).await, format!("A{answer}"));
        assert_eq!(command.outcome().await, SecretOutcome::Answered);
    }
}

#[tokio::test]
async fn who_is_no_descendant_of_the_commands_worker_is_not_heard() {
    let askpass = Askpass::new(true, |_| {});
    let mut command = Command::new(&askpass);
    for line in [r#"{"prompt":1,"confirm":false}"#, "no json", &"x".repeat(20_000)] {
        assert_eq!(heard(command.say(line).await).await, "", "{line:.20}");
    }
    let mut below = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let mut strange = Command::of(&askpass, about(SessionId::new()), i32::try_from(below.id()).unwrap());
    assert_eq!(heard(strange.ask("p").await).await, "");
    below.kill().unwrap();
    below.wait().unwrap();
    strange.leave = None;
    assert!(strange.events.recv().await.is_none());
    // Nobody listens for a command that is over.
    command.leave = None;
    let address = SocketAddr::from_abstract_name(&command.name).unwrap();
    let refused = || std::os::unix::net::UnixStream::connect_addr(&address).is_err();
    while !refused() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(command.events.recv().await.is_none());
}

#[tokio::test]
async fn the_fourth_try_is_declined_with_words() {
    let askpass = Askpass::new(true, |_| {});
    let mut command = Command::new(&askpass);
    for attempt in 1..=3 {
        let stream = command.ask("Enter passphrase for /k: ").await;
        let request = command.request().await;
        assert_eq!(request.attempt, attempt);
        command.answer(request.id, "wrong").unwrap();
        assert_eq!(heard(stream).await, "Awrong");
        command.outcome().await;
    }
    let words = heard(command.ask("Bad passphrase, try again for /k: ").await).await;
    assert_eq!(words, "NThree answers were wrong, so this one was declined.");
    command.request().await;
    assert_eq!(command.outcome().await, SecretOutcome::TooManyTries);
    // Another question of the same program is another matter.
    let _open = command.ask("Enter passphrase for /other: ").await;
    assert_eq!(command.request().await.attempt, 1);
}

#[tokio::test]
async fn what_nobody_answers_is_declined_or_withdrawn() {
    let askpass = Askpass::new(false, |_| {});
    let mut command = Command::new(&askpass);
    assert!(heard(command.ask("p").await).await.starts_with("NNobody is here to answer."));
    command.request().await;
    assert_eq!(command.outcome().await, SecretOutcome::NobodyThere);

    askpass.set_attended(true);
    let stream = command.ask("p").await;
    let request = command.request().await;
    askpass.answer(command.session, request.id, None).unwrap();
    assert_eq!(heard(stream).await, "NYou declined to answer.");
    assert_eq!(command.outcome().await, SecretOutcome::Declined);

    let gone = command.ask("q").await;
    command.request().await;
    drop(gone);
    assert_eq!(command.outcome().await, SecretOutcome::Withdrawn);

    let ended = command.ask("r").await;
    command.request().await;
    command.leave = None;
    assert_eq!(command.outcome().await, SecretOutcome::Withdrawn);
    assert_eq!(heard(ended).await, "");
}

#[tokio::test]
async fn a_question_times_out_before_the_command_is_ended_for_its_silence() {
    let askpass = Askpass::new(true, |_| {});
    let about = About { silence_limit: MARGIN + Duration::from_millis(50), ..about(SessionId::new()) };
    let mut command = Command::of(&askpass, about, own());
    let stream = command.ask("p").await;
    command.request().await;
    assert_eq!(heard(stream).await, "NNobody answered in time.");
    assert_eq!(command.outcome().await, SecretOutcome::TimedOut);
}
