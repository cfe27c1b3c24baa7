//! Passwords and keys that are shown by a word, and what somebody types at a program that is listened to.

use std::path::Path;

use planwright_shell::{RedirectKind, Span};

use crate::protocol::Risk;
use crate::risk::args::Parsed;
use crate::risk::judge::{CallContext, Judge};
use crate::risk::secrets::{is_secret, is_secret_name, shows_secret_variable};
use crate::risk::words::Arg;

pub(super) fn check(
    j: &mut Judge<'_>,
    name: &str,
    parsed: &Parsed<'_, '_>,
    args: &[Arg],
    span: Span,
    how: CallContext<'_>,
) {
    j.says_a_secret(name, args, span, how);
    // `npm config get //registry.npmjs.org/:_authToken`
    let secret = |arg: &Arg| {
        let lower = arg.known().unwrap_or_default().to_lowercase();
        ["token", "password", "passwd", "secret", ":_auth"].iter().any(|sign| lower.contains(sign))
    };
    let shows = args.windows(3).any(|own| match own {
        [config, get, key] => config.known() == Some("config") && get.known() == Some("get") && secret(key),
        _ => false,
    });
    if shows {
        j.found.add(Risk::Dangerous, "shows a password or key", span);
    }
    match name {
        "strace" | "ltrace" => {
            // What a program reads and writes is what somebody types there.
            if let Some(given) = parsed.value("-p").filter(|_| {
                args.iter().any(|arg| {
                    arg.known().is_some_and(|text| text.contains("read") || text.contains("write"))
                })
            }) {
                j.found.add(
                    Risk::Dangerous,
                    "listens to what a running program reads and writes",
                    given.span,
                );
            }
        }
        "openssl" => {
            let words: Vec<&str> = args.iter().filter_map(Arg::known).collect();
            let keys = match words.first() {
                Some(&("rsa" | "pkey" | "ec" | "dsa" | "pkcs8")) => true,
                // A bundle shows its key unless it is told not to.
                Some(&"pkcs12") => {
                    words.iter().any(|word| matches!(*word, "-nodes" | "-noenc"))
                        && !words.contains(&"-nokeys")
                }
                Some(_) | None => false,
            };
            let kept = ["-out", "-pubout", "-pubin"].iter().any(|flag| words.contains(flag))
                || words.contains(&"-noout") && !words.contains(&"-text");
            if keys && !kept && words.contains(&"-in") {
                j.found.add(Risk::Dangerous, "prints a private key", span);
            }
            // `openssl rsa -in locked.key -out open.key`
            let opens = match words.first() {
                Some(&("rsa" | "pkey" | "ec" | "dsa")) => {
                    let locks = |word: &&str| {
                        ["-aes", "-des", "-camellia", "-aria", "-cipher", "-pubout", "-pubin", "-noout"]
                            .iter()
                            .any(|start| word.starts_with(start))
                    };
                    words.contains(&"-in") && words.contains(&"-out") && !words.iter().any(locks)
                }
                Some(&"pkcs8") => words.contains(&"-nocrypt") && words.contains(&"-out"),
                Some(_) | None => false,
            };
            if opens {
                j.found.add(Risk::Dangerous, "writes a private key without a password", span);
            }
        }
        "steghide" | "outguess" | "openstego" => {
            let secret = |arg: &&Arg| arg.known().is_some_and(|text| is_secret(Path::new(text)));
            if let Some(span) = args.iter().find(secret).map(|arg| arg.span) {
                j.found.add(Risk::Dangerous, "hides passwords or keys in another file", span);
            }
        }
        "glab" => {
            let words: Vec<&str> = parsed.words.iter().filter_map(|word| word.known()).take(2).collect();
            if matches!(
                words.as_slice(),
                ["variable", "list" | "ls" | "export" | "get" | "set" | "update" | "delete"]
            ) {
                j.found.add(Risk::Dangerous, "shows or changes passwords and keys of the project", span);
            }
        }
        // What is kept encrypted is kept so for a reason.
        "ansible-vault" | "age" | "rage" => {
            let words: Vec<&str> = args.iter().filter_map(Arg::known).collect();
            let opens = words.iter().any(|word| matches!(*word, "view" | "decrypt" | "-d" | "--decrypt"));
            let kept = name == "ansible-vault"
                || words.iter().any(|word| {
                    let lower = word.to_lowercase();
                    lower.contains("secret") || lower.contains("prod") || lower.contains("passw")
                });
            if opens && kept {
                j.found.add(Risk::Dangerous, "shows what is kept encrypted", span);
            }
        }
        _ => {}
    }
}

/// Programs that show what comes in, whole or in another form.
const SHOWERS: [&str; 18] = [
    "cat", "tac", "tail", "tee", "less", "more", "rev", "base64", "base32", "xxd", "hexdump", "od", "tr",
    "fold", "sed", "awk", "nl", "xargs",
];

impl Judge<'_> {
    /// `echo $GITHUB_TOKEN`, where nothing takes it in that would not show it.
    fn says_a_secret(&mut self, name: &str, args: &[Arg], span: Span, how: CallContext<'_>) {
        let ends = !how.context.piped_into
            && !how
                .redirects
                .iter()
                .any(|redirect| redirect.fd == 1 && redirect.kind != RedirectKind::Duplicate);
        if ends && self.passes_secret && SHOWERS.contains(&name) {
            self.found.add(Risk::Dangerous, "shows a password or key", span);
        }
        if !matches!(name, "echo" | "printf" | "printenv") {
            return;
        }
        let secret = |j: &mut Self, arg: &&Arg| {
            name == "printenv" && is_secret_name(arg.sure()) || j.puts_in_secret(arg.span)
        };
        let Some(span) = args.iter().find(|arg| secret(self, arg)).map(|arg| arg.span) else { return };
        if ends {
            self.found.add(Risk::Dangerous, "shows a password or key", span);
        }
        self.passes_secret |= how.context.piped_into;
    }

    /// Whether a word has a variable put in whose name says that it is a password or key. All words of a text within a text
    /// stand for the text around them, which is looked through once.
    fn puts_in_secret(&mut self, span: Span) -> bool {
        match self.looked_through {
            Some((before, secret)) if before == span => secret,
            Some(_) | None => {
                let secret = shows_secret_variable(self.found.fragment(span));
                self.looked_through = Some((span, secret));
                secret
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::protocol::Risk;
    use crate::risk::tests::check;

    #[test]
    fn passwords_and_keys_are_shown() {
        check(
            Risk::Dangerous,
            r#"
            strace -f -e trace=read,write -s 4096 -p 812
            ansible-vault view group_vars/all/vault.yml
            age --decrypt -i key.txt secrets/prod.env.age
            openssl rsa -in ~/.ssl/mail.key -text
            openssl rsa -in ~/certs/prod.key -text -noout
            openssl pkcs12 -in me.p12 -nodes
            openssl rsa -in prod.key -out open.key
            openssl pkcs8 -topk8 -nocrypt -in prod.key -out open.key
            npm config get //registry.npmjs.org/:_authToken
            glab config get token --host gitlab.com
            glab variable update DEPLOY_KEY x
            printenv NPM_TOKEN
            printenv NPM_TOKEN | cat
            echo "$NPM_TOKEN" | tr -d x | base64"#,
        );
        check(
            Risk::Caution,
            r#"
            openssl rsa -in prod.key -pubout -out prod.pub
            openssl rsa -in open.key -aes256 -out prod.key"#,
        );
        check(
            Risk::Safe,
            "printenv NPM_TOKEN | wc -c\nprintenv NPM_TOKEN >/dev/null\nprintenv NPM_TOKEN | wc -c; ls | cat",
        );
    }
}
