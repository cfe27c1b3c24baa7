//! Packages whose name is that of a well-known one with a slip of the finger in it: `reqeusts`. People who want theirs
//! installed by mistake call them so.

/// What is installed most, by names long enough that a slip is none by chance.
#[rustfmt::skip]
const KNOWN: [&str; 64] = [
    "requests", "urllib3", "setuptools", "cryptography", "tensorflow", "pandas", "matplotlib", "scikit-learn",
    "beautifulsoup4", "selenium", "sqlalchemy", "django", "fastapi", "uvicorn", "pydantic", "pillow", "pytest",
    "ansible", "paramiko", "colorama", "python-dateutil", "dotenv", "python-dotenv", "certifi", "boto3", "openai",
    "langchain", "transformers", "jupyter", "virtualenv", "lodash", "express", "typescript", "webpack", "eslint",
    "prettier", "mongoose", "electron", "puppeteer", "cross-env", "commander", "nodemon", "socket.io", "bootstrap",
    "jquery", "discord.js", "body-parser", "jsonwebtoken", "tailwindcss", "node-fetch", "bcrypt", "bcryptjs",
    "serialize", "request", "colors", "minimist", "rustdecimal", "serde_json", "reqwest", "chrono", "tokio-util",
    "anyhow", "thiserror", "activesupport",
];

/// Whether one part of `name`, which may be an address, is such a name.
pub(super) fn is_near(name: &str) -> bool {
    let end = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
    let end = end.split(['@', '=', '<', '>', '[', '#', '?', '~', '!']).next().unwrap_or(end);
    let whole = end.strip_suffix(".git").unwrap_or(end).to_lowercase();
    if whole.len() > 60 || KNOWN.contains(&whole.as_str()) {
        return false;
    }
    // `reqeusts-fork`, and no more than its first part: what follows says what it is for.
    let first = whole.split(['-', '_']).next().unwrap_or_default();
    [whole.as_str(), first].iter().any(|part| {
        part.len() > 5
            && !KNOWN.contains(part)
            && KNOWN.iter().any(|known| known.len() > 5 && slips(part, known))
    })
}

/// Whether two letters next to each other are exchanged, or one inside is left out or doubled.
fn slips(name: &str, known: &str) -> bool {
    let (name, known): (Vec<char>, Vec<char>) = (name.chars().collect(), known.chars().collect());
    let same = name.iter().zip(&known).take_while(|(a, b)| a == b).count();
    let rest = |text: &[char], at: usize| text.get(at..).unwrap_or_default().to_vec();
    if name.len() == known.len() {
        let exchanged = name.get(same) == known.get(same + 1) && name.get(same + 1) == known.get(same);
        return exchanged && same + 1 < name.len() && rest(&name, same + 2) == rest(&known, same + 2);
    }
    if name.len() + 1 == known.len() {
        return same > 0 && same + 1 < known.len() && rest(&name, same) == rest(&known, same + 1);
    }
    name.len() == known.len() + 1
        && same > 0
        && name.get(same) == name.get(same - 1)
        && rest(&name, same + 1) == rest(&known, same)
}

#[cfg(test)]
mod tests {
    use super::is_near;

    #[test]
    fn a_slip_is_told_from_a_name_of_its_own() {
        for name in [
            "reqeusts",
            "requsts",
            "requessts",
            "loadsh",
            "expresss",
            "djnago",
            "colorma",
            "git+https://host.example/a/reqeusts-fork.git@main",
            "typescirpt@5",
        ] {
            assert!(is_near(name), "{name}");
        }
        for name in [
            "requests",
            "request",
            "requests-mock",
            "requests==2.31",
            "pytest-django",
            "preact",
            "express-session",
            "colorlog",
            "lodash-es",
            "types-requests",
            "bcrypt",
            "pillow-heif",
            "expressive",
            "chronos",
            "color",
            "./app",
            "-r",
        ] {
            assert!(!is_near(name), "{name}");
        }
    }
}
