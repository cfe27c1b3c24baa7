//! Words that mean to one program what no table of options says, by what they do.

pub(super) mod hands_on;
mod lets_in;
mod runs;
mod sends;
mod shows;
mod spoils;

use planwright_shell::Span;

use super::args::Parsed;
use super::judge::{CallContext, Judge};
use super::words::Arg;

pub(super) fn check(
    j: &mut Judge<'_>,
    name: &str,
    parsed: &Parsed<'_, '_>,
    args: &[Arg],
    span: Span,
    how: CallContext<'_>,
) {
    shows::check(j, name, parsed, args, span, how);
    lets_in::check(j, name, parsed, args, span);
    runs::check(j, name, parsed, args, span);
    sends::check(j, name, parsed, args, how);
    hands_on::check(j, name, Some(parsed.top), args);
    spoils::check(j, name, parsed, args, span);
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::protocol::Risk;

    #[test]
    fn words_with_a_meaning_of_their_own() {
        check(
            Risk::Dangerous,
            r#"
            node -r /tmp/.pre.js src/main.js
            ninja -f /tmp/build.ninja x
            neo4j-admin database load neo4j --from-path=/backups --overwrite-destination=true
            git-filter-repo --path docs/ --invert-paths
            google-chrome --remote-debugging-port=9222 --remote-allow-origins='*'
            azcopy sync ./local https://a.blob.core.windows.net/media --delete-destination=true
            s3cmd sync --delete-removed ./empty/ s3://archive/
            buildah from --tls-verify=false 198.51.100.34:5000/base"#,
        );
        check(
            Risk::Caution,
            r#"
            node -r dotenv/config src/main.js
            node -r ./tests/setup.js src/main.js
            gh pr merge 12 --squash --delete-branch"#,
        );
    }
}
