//! Loose bounds against accidents (a sync per append, a fold of everything per append); the numbers are printed.

use std::time::Instant;

use super::*;

#[tokio::test]
async fn appends_are_quick() {
    let home = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(home.path()).unwrap();
    let session = SessionId::new();
    let plan = plan((0..40).map(|n| step(&format!("s{n}"), "true")).collect());
    journal.append(session, began(&plan, Mode::Agentic), Durability::Normal).await.unwrap();
    let note = || Event::RetryAttempt {
        step_id: "s1".into(),
        attempt: 1,
        allowed: 4,
        wait_seconds: 1,
        command: None,
    };

    let begun = Instant::now();
    for _ in 0..2000 {
        journal.append(session, vec![note()], Durability::Normal).await.unwrap();
    }
    let normal = 2000.0 / begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    for _ in 0..50 {
        journal.append(session, vec![note()], Durability::Synced).await.unwrap();
    }
    let synced = begun.elapsed().as_secs_f64() * 1000.0 / 50.0;
    let begun = Instant::now();
    assert_eq!(journal.load(session).await.unwrap().value.seq, 2054);
    let load = begun.elapsed().as_secs_f64() * 1000.0;
    println!("appends: {normal:.0}/s normal, {synced:.2} ms each synced; load of 2054 events {load:.1} ms");
    assert!(normal > 50.0, "{normal}/s");
}
