use super::*;

/// Messages that ask for work of several steps.
const PLAN: &[&str] = &[
    "Refactor the parser",
    "refactor src/main.rs to use async",
    "Please refactor the login code",
    "Could you refactor the settings page?",
    "Can you install Docker and start it?",
    "Install PostgreSQL 16 and create a database called shop",
    "install nginx",
    "Upgrade the project to Node 22",
    "Upgrade all npm packages to their newest versions",
    "Migrate the database from MySQL to PostgreSQL",
    "I want you to migrate our tests to vitest",
    "Set up a Python virtual environment with Flask",
    "setup a cron job that backs up my photos",
    "Set the project up on this machine",
    "Setting up a new web server is what I need today",
    "Implement a dark mode",
    "Implementing pagination for the list would be good",
    "Restructure the repository into packages",
    "Deploy the site to the staging server",
    "Port this script to Windows",
    "Scaffold a new React app with TypeScript",
    "Extract the date helpers from utils.ts into dates.ts",
    "Move the helper functions from a.py to b.py and c.py",
    "Move config.yaml to settings/config.yaml",
    "Fix the bug in parser.rs and lexer.rs",
    "Fix the failing tests, then commit",
    "Clone the repository, build it and run the tests",
    "Create a folder, put a README in it and commit it",
    "1. create a branch\n2. bump the version\n3. publish",
    "Download the archive, then unpack it, then compress the photos and upload them",
    "Rename all the files in photos/ by date and move them to archive/",
    "Split app.js into modules and fix the imports",
    "Clean up my downloads folder and compress what is older than a year",
    "Convert all images to webp and update the links in index.html",
    "Redesign the architecture of the plugin system",
    "Decouple the billing layer; extract an abstraction for payments",
    "The schema must be migrated to version 3",
    "The old module should be rewritten",
    "Make a plan for getting my laptop ready for Rust",
    "Walk me through it step by step: I need a backup of my home folder",
    "Merge the two config files config.toml and local.toml",
    "Why does the build fail? Fix the Makefile and run the tests again.",
    "Hey, could you please upgrade Django for me",
    "Let's set up continuous integration",
    "Configure the firewall and restart it",
    "Add a login form, write tests for it and update the documentation",
    "We need to upgrade OpenSSL on this machine",
    "Find out which packages would break if we remove lodash, then remove it",
    "Automate the release: build, sign and publish",
    "Bootstrap a Django project called shop",
    "I'd like you to implement caching in server.go",
    "Get rid of the circular import between models.py and views.py",
    "Roll out the new config to every server",
    "Dockerize this app",
    "Optimise the queries in report.sql and dashboard.sql",
    "How are you? Install git please.",
    "Build me a todo app in React",
    "Create a REST API with Express",
    "please make a small website for my band",
    "Reinstall the graphics driver",
    "Containerize the backend",
    "Could we develop a chat bot?",
    "Integrate Stripe, write the webhook handler and test it",
];

/// Messages that a conversation answers.
const CHAT: &[&str] = &[
    "",
    "   ",
    "hello",
    "Thanks!",
    "What is a symlink?",
    "Build the app",
    "Make the site faster",
    "Create a test for the app",
    "Write a script that prints primes",
    "start the server",
    "Is a REST API better than GraphQL?",
    "what's the difference between grep and ripgrep",
    "Explain how git rebase works",
    "Explain main.rs",
    "Explain a.rs, b.rs and c.rs",
    "Can you explain what `npm install` does?",
    "How do I install Rust?",
    "How can I migrate to PostgreSQL?",
    "Should I upgrade to Node 22?",
    "Is it safe to upgrade OpenSSL?",
    "Why did the install fail?",
    "What does refactor mean?",
    "Which files import utils.ts?",
    "Tell me about the architecture of Linux",
    "Describe the design of this project",
    "Show me the install log",
    "Does this project depend on lodash?",
    "Who wrote Makefile?",
    "When was Docker installed?",
    "List the files in this folder",
    "list files",
    "Run the tests",
    "Run the tests and show me the output",
    "git status",
    "What is using port 8080?",
    "The fix worked, thank you",
    "The setup is fine now",
    "I installed Node yesterday",
    "We refactored that last week",
    "npm install fails with EACCES",
    "`cargo install ripgrep` was slow",
    "Do not install anything",
    "Don't move the files",
    "How much disk space is left?",
    "delete tmp.log",
    "rename a to b",
    "Fix the typo in the title",
    "Create a file called notes.txt",
    "Compare vue.js and next.js",
    "Where is the config file of nginx?",
    "I would like to know how to install Docker",
    "Could you tell me which version of Python I have?",
    "Can you show me how migrations work?",
    "What time is it?",
    "Search for TODO in src",
    "Summarise README and LICENSE",
    "the movement was installment free, prefix and suffix",
    "What would you refactor first?",
    "I am looking for a way to understand the report",
    "Open the settings",
];

#[test]
fn messages_are_told_apart() {
    let decided = |message: &&str| should_create_plan(message);
    let mut wrong = Vec::new();
    for message in PLAN.iter().filter(|message| !decided(message).should_plan) {
        wrong.push(format!("chat instead of plan: {message:?} {:?}", decided(message).reasons));
    }
    for message in CHAT.iter().filter(|message| decided(message).should_plan) {
        wrong.push(format!("plan instead of chat: {message:?} {:?}", decided(message).reasons));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(PLAN.len() + CHAT.len() >= 80);
}

#[test]
fn the_score_is_the_sum_of_its_reasons_and_they_are_in_words() {
    for message in PLAN.iter().chain(CHAT) {
        let found = should_create_plan(message);
        assert_eq!(found.score, found.reasons.iter().map(|reason| reason.points).sum::<u32>(), "{message}");
        assert_eq!((found.threshold, found.should_plan), (THRESHOLD, found.score >= THRESHOLD));
    }
    let found = should_create_plan("Move the parser from a.rs to b.rs");
    let reasons: Vec<_> = found.reasons.iter().map(|reason| (reason.text.as_str(), reason.points)).collect();
    assert_eq!(reasons, [("it says \"move\"", 2), ("it names two files", 2)]);
    let found = should_create_plan("What is a symlink?");
    assert_eq!((found.score, found.reasons[0].text.as_str()), (0, "it only asks something"));
}

#[test]
fn whole_words_in_their_forms() {
    use super::words::form_of;
    for (word, verb) in [
        ("migrate", "migrate"),
        ("migrates", "migrate"),
        ("migrating", "migrate"),
        ("splitting", "split"),
        ("setting", "set"),
        ("fixes", "fix"),
        ("tidies", "tidy"),
    ] {
        assert_eq!(form_of(word, verb), Some(Form::Base), "{word}");
    }
    for (word, verb) in [("migrated", "migrate"), ("installed", "install"), ("tidied", "tidy")] {
        assert_eq!(form_of(word, verb), Some(Form::Past), "{word}");
    }
    for (word, verb) in
        [("prefix", "fix"), ("movement", "move"), ("installer", "install"), ("airport", "port")]
    {
        assert_eq!(form_of(word, verb), None, "{word}");
    }
}

#[test]
fn nothing_that_can_be_typed_breaks_it() {
    let long = "refactor é ".repeat(10_000);
    assert!(should_create_plan(&long).should_plan);
    for message in ["`", "```", "?!.", "\u{202e}\0", "' - . / &", "…", "ﬁx İnstall"] {
        let found = should_create_plan(message);
        assert!(!found.should_plan, "{message:?} {:?}", found.reasons);
    }
}
