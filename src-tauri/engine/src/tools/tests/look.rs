use serde_json::json;

use super::*;
use crate::protocol::Risk;

#[test]
fn lines_come_with_their_numbers_in_pieces() {
    let ground = Ground::new();
    ground.write("a", "\u{feff}one\r\ntwo\nthree");
    let told = |input| ground.call("read_file", input).map(|done| done.content);
    assert_eq!(told(json!({ "path": "a" })).as_deref(), Ok("1\tone\n2\ttwo\n3\tthree\n"));
    assert_eq!(
        told(json!({ "path": "a", "offset": 2, "limit": 1 })).as_deref(),
        Ok("2\ttwo\n[More lines follow. Go on with offset 3.]\n")
    );
    assert_eq!(told(json!({ "path": "a", "offset": 3, "limit": 9 })).as_deref(), Ok("3\tthree\n"));
    assert_eq!(
        told(json!({ "path": "a", "offset": 4 })),
        Err(ToolFailure::PastEnd { path: "a".into(), offset: 4, lines: 3 })
    );
    ground.write("empty", "");
    assert_eq!(told(json!({ "path": "empty" })).as_deref(), Ok("[The file is empty.]\n"));
}

#[test]
fn what_is_told_of_a_long_file_or_line_is_bounded() {
    let ground = Ground::new();
    let lines: String = (1..=20_000).map(|number| format!("line {number}\n")).collect();
    ground.write("long", lines);
    let told = ground.call("read_file", json!({ "path": "long" })).unwrap().content;
    assert!(told.len() <= 64 * 1024 + 64);
    let (_, next) = told.rsplit_once("Go on with offset ").unwrap();
    let next: u32 = next.trim_end().trim_end_matches(".]").parse().unwrap();
    let rest = ground.call("read_file", json!({ "path": "long", "offset": next, "limit": 1 })).unwrap();
    assert!(rest.content.starts_with(&format!("{next}\tline {next}\n")));
    ground.write("wide", format!("{}\nnext\n", "ß".repeat(5000)));
    let told = ground.call("read_file", json!({ "path": "wide" })).unwrap().content;
    assert_eq!(told, format!("1\t{} [cut: this line has 10000 bytes]\n2\tnext\n", "ß".repeat(1000)));
}

#[test]
fn a_folder_is_listed_in_order_and_within_bounds() {
    let ground = Ground::new();
    ground.write("b.txt", "12345");
    ground.write("a/x", "");
    ground.link("b.txt", "link");
    ground.link("/nowhere", "broken");
    let told = ground.call("list_dir", json!({ "path": "." })).unwrap().content;
    assert_eq!(told, "a/\nb.txt\t5 bytes\nbroken -> /nowhere\nlink -> b.txt\n");
    fs::create_dir(ground.path("empty")).unwrap();
    assert_eq!(
        ground.call("list_dir", json!({ "path": "empty" })).unwrap().content,
        "[The folder is empty.]\n"
    );
    for number in 0..510 {
        ground.write(&format!("many/{number:03}"), "");
    }
    let told = ground.call("list_dir", json!({ "path": "many" })).unwrap().content;
    assert!(told.starts_with("000\t0 bytes\n") && told.ends_with("[10 more names are left out.]\n"));
    assert_eq!(
        ground.call("list_dir", json!({ "path": "b.txt" })),
        Err(ToolFailure::NotFolder { path: "b.txt".into() })
    );
    assert_eq!(
        ground.call("read_file", json!({ "path": "a" })),
        Err(ToolFailure::IsFolder { path: "a".into() })
    );
}

#[test]
fn a_search_leaves_out_what_git_and_the_user_hide() {
    let ground = Ground::new();
    ground.write(".gitignore", "ignored/\n");
    ground.write("ignored/a.rs", "needle\n");
    ground.write(".hidden/a.rs", "needle\n");
    ground.write("src/a.rs", "x\nneedle one\nx\nNeedle two\n");
    ground.write("src/b.txt", "needle\n");
    ground.write("src/bin", b"needle\0");
    ground.write("server.key", "needle\n");
    let outside = ground.surroundings.home.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a.rs"), "needle\n").unwrap();
    ground.link(&outside, "src/out");
    let told = |input| ground.call("search", input).unwrap().content;
    let passed = "[Files that usually hold passwords or keys, passed over: 1.]\n";
    assert_eq!(
        told(json!({ "pattern": "needle" })),
        format!("src/a.rs:2: needle one\nsrc/b.txt:1: needle\n{passed}")
    );
    assert_eq!(
        told(json!({ "pattern": "^needle", "path": "src", "glob": "*.rs", "ignore_case": true })),
        "src/a.rs:2: needle one\nsrc/a.rs:4: Needle two\n"
    );
    // A glob lets nothing in that the other rules leave out.
    assert_eq!(told(json!({ "pattern": "needle", "glob": "**/a.rs" })), "src/a.rs:2: needle one\n");
    assert_eq!(told(json!({ "pattern": "needle", "path": "src/b.txt" })), "src/b.txt:1: needle\n");
    assert_eq!(told(json!({ "pattern": "haystack", "path": "src" })), "[No match. Files searched: 2.]\n");
}

#[test]
fn a_named_secret_is_searched_once_it_is_allowed() {
    let ground = Ground::new();
    ground.write(".env", "KEY=1\n");
    let prepared = ground.prepare("search", json!({ "pattern": "KEY", "path": ".env" })).unwrap();
    assert_eq!(prepared.assessment().risk, Risk::Dangerous);
    assert_eq!(allowed(prepared).unwrap().content, ".env:1: KEY=1\n");
    let plain = ground.prepare("search", json!({ "pattern": "KEY" })).unwrap();
    assert_eq!(plain.assessment().risk, Risk::Safe);
    assert!(!allowed(plain).unwrap().content.contains("KEY=1"));
}

#[test]
fn a_search_is_bounded_and_tells_where_lines_are() {
    let ground = Ground::new();
    ground.write("many", "x\n".repeat(1000));
    let told = ground.call("search", json!({ "pattern": "x" })).unwrap().content;
    assert_eq!(told.lines().count(), 201);
    assert!(told.starts_with("many:1: x\nmany:2: x\n") && told.contains("There are more matches."));
    ground.write("odd", "\n\nend");
    let odd =
        |pattern: &str| ground.call("search", json!({ "pattern": pattern, "path": "odd" })).unwrap().content;
    assert_eq!(odd("^$"), "odd:1: \nodd:2: \n");
    assert_eq!(odd("d$"), "odd:3: end\n");
    ground.write("wide", "y".repeat(1000));
    let wide = ground.call("search", json!({ "pattern": "y", "path": "wide" })).unwrap().content;
    assert_eq!(wide, format!("wide:1: {} [cut]\n", "y".repeat(300)));
}
