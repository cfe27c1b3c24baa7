//! `outline FILE…`: what the reader makes of pages, for reading by eye.
use planwright_page::{Block, BlockKind, Container, Document};

fn main() {
    for name in std::env::args().skip(1) {
        match std::fs::read(&name) {
            Ok(bytes) => print(&name, &Document::read(&bytes, &name)),
            Err(error) => eprintln!("{name}: {error}"),
        }
    }
}

fn print(name: &str, document: &Document) {
    println!("=== {name}: {:?}, {}, title {:?}", document.form, document.encoding.name, document.title);
    if let Some(matter) = &document.front_matter {
        println!("    front matter {:?}", matter.values);
    }
    for section in &document.sections {
        if let Some(heading) = &section.heading {
            println!("{} {}   {:?}", "#".repeat(heading.level as usize), heading.text, section.within);
        }
        for block in &section.blocks {
            show(block, &document.text);
        }
    }
}

fn show(block: &Block, _text: &str) {
    let within: Vec<String> = block.within.iter().map(container).collect();
    let within = if within.is_empty() { String::new() } else { format!("[{}] ", within.join(" > ")) };
    match &block.kind {
        BlockKind::Prose { text, inline } => {
            println!("    {within}P {text:?}");
            for one in inline {
                println!("          {:?} {:?}", one.kind, one.text);
            }
        }
        BlockKind::Code(code) => {
            println!(
                "    {within}CODE {:?} {:?} {:?} {:?}",
                code.style, code.language, code.title, code.attributes
            );
            for line in code.text.lines() {
                println!("        | {line}");
            }
        }
        BlockKind::Table { rows, .. } => {
            println!("    {within}TABLE");
            for row in rows {
                println!("        {:?}", row.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>());
            }
        }
        BlockKind::Comment { text } => println!("    {within}COMMENT {text:?}"),
    }
}

fn container(container: &Container) -> String {
    match container {
        Container::Item { ordered, number, list } => {
            format!("{}{number}@{list}", if *ordered { "#" } else { "-" })
        }
        Container::Tab { group, label } => format!("tab {label:?}@{group}"),
        Container::Admonition { kind, title } => format!("!{kind} {}", title.as_deref().unwrap_or("")),
        Container::Details { summary } => format!("details {summary:?}"),
        Container::Quote => ">".to_owned(),
    }
}
