use std::collections::BTreeMap;

use planwright_shell::{Doubt, DoubtKind, Facts};

use super::super::fixture::{TestPaths, read, workspace};
use super::super::{DiskPaths, Paths, assess, runs};
use super::{check, judged};
use crate::protocol::{Risk, UndoOutlook};

#[test]
fn doubt_is_dangerous() {
    let (paths, environment, functions) = (TestPaths::default(), BTreeMap::new(), BTreeMap::new());
    let facts = Facts {
        doubts: vec![Doubt { kind: DoubtKind::Syntax, text: "not bash".into(), line: Some(1) }],
        ..read("ls")
    };
    assert_eq!(assess("ls", &facts, &workspace(&paths, &environment, &functions)).risk, Risk::Dangerous);
    let nothing = assess("ls", &Facts::default(), &workspace(&paths, &environment, &functions));
    assert_eq!(nothing.risk, Risk::Dangerous);
}

#[test]
fn a_database_is_asked_no_more_at_once_than_can_be_looked_at() {
    let asks = |times: usize| judged(&format!("mysql {}", "-e 'select 1' ".repeat(times))).risk;
    assert_eq!(asks(64), asks(1));
    assert!(asks(1) < Risk::Dangerous);
    assert_eq!(asks(65), Risk::Dangerous);
}

#[test]
fn reasons_point_at_their_part() {
    let assessment = judged("é; ls && rm -rf 'my build'");
    let reason = &assessment.reasons[0];
    assert_eq!((reason.fragment.as_str(), reason.start), ("'my build'", Some(16)));
    assert_eq!(reason.risk, assessment.risk);
    for reason in &judged("sudo rm -rf / | tee x > ~/.bashrc").reasons {
        assert!(!reason.fragment.is_empty() && !reason.text.ends_with('.'), "{reason:?}");
    }
}

#[test]
fn effects_say_what_would_happen() {
    let effects = judged("sudo rm -rf build").effects;
    assert!(effects.deletes && effects.raises_privilege && !effects.writes_outside);
    assert_eq!(effects.touches, ["/home/u/work/app/build"]);
    assert!(judged("chmod -R u+w src").effects.changes_tree_ownership);
    assert!(judged("echo x > /tmp/a").effects.writes_outside);
    let effects = judged("npm install").effects;
    assert!(effects.uses_network && effects.installs_packages && !effects.deletes);
    assert!(!judged("git clone ~/mirrors/a.git").effects.uses_network);
    assert_eq!(judged("cd sub && mkdir a").effects.touches[0], "/home/u/work/app/sub/a");
}

#[test]
fn undo_is_told_honestly() {
    assert_eq!(judged("ls").undo, UndoOutlook::NotNeeded);
    assert_eq!(
        judged("rm a").undo,
        UndoOutlook::Cannot { why: "deleted files do not go to a trash folder".into() }
    );
    assert_eq!(
        judged("git clone https://example.org/a.git").undo,
        UndoOutlook::ByHand { how: "move that folder to the trash".into() }
    );
}

#[test]
fn links_are_followed_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    std::fs::create_dir(real.join("a")).unwrap();
    std::os::unix::fs::symlink("/etc", real.join("a/out")).unwrap();
    let paths = DiskPaths;
    // Where this process's own streams lead says nothing of a command's.
    for stream in ["/dev/stderr", "/dev/stdout", "/dev/fd/2", "/dev/null"] {
        assert_eq!(paths.resolve(std::path::Path::new(stream)), std::path::Path::new(stream));
    }
    assert_eq!(paths.resolve(&real.join("a/out/new/../x")), std::path::Path::new("/etc/x"));
    assert_eq!(paths.resolve(&real.join("none/../b")), real.join("b"));
}

#[test]
fn a_link_to_nothing_leads_where_it_points() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, real.join(name)).unwrap();
    link("/etc/not-there-yet", "late");
    link("late", "later");
    link("../up", "beside");
    link("round", "round");
    std::fs::create_dir(real.join("a")).unwrap();
    std::os::unix::fs::symlink("/etc", real.join("a/out")).unwrap();
    let paths = DiskPaths;
    assert_eq!(paths.resolve(&real.join("late")), std::path::Path::new("/etc/not-there-yet"));
    assert_eq!(paths.resolve(&real.join("later/x")), std::path::Path::new("/etc/not-there-yet/x"));
    assert_eq!(paths.resolve(&real.join("beside")), real.parent().unwrap().join("up"));
    // Behind a folder that is not there, too, a link is a link.
    assert_eq!(paths.resolve(&real.join("none/../a/out/x")), std::path::Path::new("/etc/x"));
    assert_eq!(paths.resolve(&real.join("round")), real.join("round"));
}

#[test]
fn is_quick() {
    let command = "cd src && grep -rn TODO . | sort | uniq -c > /tmp/out.txt && git commit -am 'x'";
    let facts = read(command);
    let (paths, environment, functions) = (TestPaths::default(), BTreeMap::new(), BTreeMap::new());
    let place = workspace(&paths, &environment, &functions);
    assess(command, &facts, &place);
    let started = std::time::Instant::now();
    for _ in 0..1000 {
        assess(command, &facts, &place);
    }
    println!("one assessment takes {} µs", started.elapsed().as_micros() / 1000);
}

/// What would run, as one line a command; `?` is a word that nobody knows.
fn what_runs(text: &str) -> Vec<String> {
    let (paths, environment, functions) = (TestPaths::default(), BTreeMap::new(), BTreeMap::new());
    runs(text, &read(text), &workspace(&paths, &environment, &functions))
        .into_iter()
        .map(|run| {
            let words: Vec<String> =
                run.words.into_iter().map(|word| word.unwrap_or_else(|| "?".into())).collect();
            let marks = [(run.assigned, "="), (run.redirected, ">")];
            let marks: String = marks.iter().filter(|(there, _)| *there).map(|(_, mark)| *mark).collect();
            format!("{marks}{}", words.join(" "))
        })
        .collect()
}

#[test]
fn every_command_that_runs_is_told_outer_first() {
    for (text, expected) in [
        ("git fetch && rm -rf ~", vec!["git fetch", "rm -rf ~"]),
        ("sudo -u root git push", vec!["sudo -u root git push", "git push"]),
        ("bash -c 'git push; ls'", vec!["bash -c git push; ls", "git push", "ls"]),
        ("echo \"$(git push)\"", vec!["echo ?", "git push"]),
        ("find . -exec git push {} \\;", vec!["find . -exec git push {} ;", "git push ?"]),
        ("env A=1 git push > log", vec![">env A=1 git push", "=>git push"]),
        ("A=1 git push 2>/dev/null 2>&1", vec!["=git push"]),
        ("git push $x", vec!["git push ?"]),
        ("eval \"$x\"", vec!["eval ?", "?"]),
        ("curl -s https://a.example | sh", vec!["curl -s https://a.example", "sh", "?"]),
        ("A=1", vec!["="]),
        ("> log", vec![">"]),
        ("f() { git push; }; f", vec!["git push", "f"]),
        ("if then", vec!["?"]),
    ] {
        assert_eq!(what_runs(text), expected, "{text}");
    }
}

#[test]
fn what_grows_as_it_is_put_in_is_as_good_as_unknown() {
    let doubled = format!("a=xxxxxxxx; {}rm $a", "a=$a$a; ".repeat(60));
    let named_often = format!("x='{}'; {}", "a ".repeat(3000), "rm $x; ".repeat(600));
    let in_one_word = format!("x={}; rm {}", "a".repeat(8000), "$x".repeat(4000));
    for text in [doubled, named_often, in_one_word] {
        check(Risk::Dangerous, &text);
    }
    check(Risk::Caution, "x='a b'; rm $x; rm $x");
}

#[test]
fn who_edits_a_link_in_place_is_told_that_it_becomes_a_file() {
    let app = std::path::Path::new("/home/u/work/app");
    let paths = TestPaths {
        links: std::collections::BTreeMap::from([(app.join("link"), app.join("real"))]),
        ..TestPaths::default()
    };
    let (environment, functions) = (std::collections::BTreeMap::new(), std::collections::BTreeMap::new());
    let told = |command: &str| {
        let judged = assess(command, &read(command), &workspace(&paths, &environment, &functions));
        judged.reasons.iter().any(|reason| reason.text.contains("in the place of the link"))
    };
    assert!(told("sed -i s/a/b/ link") && told("sed -i.bak -e s/a/b/ real link"));
    assert!(
        !told("sed -i s/a/b/ real")
            && !told("sed -i --follow-symlinks s/a/b/ link")
            && !told("sed s/a/b/ link")
    );
}
