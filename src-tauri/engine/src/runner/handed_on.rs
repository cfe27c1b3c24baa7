//! What a command hands on (P7): lines `name=value` in the file that `$PLANWRIGHT_OUTPUT` names are variables of the commands
//! after it. For programs and scripts that a step starts, which cannot set a variable of its shell.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use super::environment::{BaseEnvironment, is_forbidden, is_kept_by_bash, is_variable_name};
use crate::plan::inputs::{declaration, is_of_the_shell};
use crate::protocol::ShellState;

pub(crate) const VARIABLE: &str = "PLANWRIGHT_OUTPUT";
/// Bytes of the file that are read.
const MOST: u64 = 1024 * 1024;

/// Where the file lies, for whoever judges a command before there is one.
pub(crate) fn place() -> PathBuf {
    std::env::temp_dir().join("planwright-output")
}

/// The file of one run, which nobody else can read. It is gone with this.
#[derive(Debug)]
pub(super) struct HandedOn(Option<TempPath>);

impl HandedOn {
    /// Makes the file and names it in the environment. Where none can be made the name leads to nothing: what was judged is
    /// a path below the temporary folder, and never an empty word.
    pub(super) fn begin(environment: &mut BTreeMap<OsString, OsString>) -> Self {
        let made = tempfile::Builder::new().prefix("planwright-output-").tempfile();
        let file = made.map(NamedTempFile::into_temp_path).ok();
        let path = file.as_deref().map_or_else(|| place().join("none"), Path::to_path_buf);
        environment.insert(VARIABLE.into(), path.into());
        Self(file)
    }

    /// Reads the values, a later line with the same name wins and other lines say nothing, and removes the file. Blocks.
    pub(super) fn read(self) -> Values {
        let Some(file) = self.0.as_deref().and_then(|path| std::fs::File::open(path).ok()) else {
            return Values::default();
        };
        let mut bytes = Vec::new();
        if file.take(MOST).read_to_end(&mut bytes).is_err() {
            return Values::default();
        }
        let text = String::from_utf8_lossy(&bytes);
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        let values = pairs
            .filter(|(name, value)| may_be_handed_on(name) && !value.contains('\0'))
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        Values(values.collect())
    }
}

/// What was handed on, by name.
#[derive(Debug, Default)]
pub(super) struct Values(BTreeMap<String, String>);

impl Values {
    /// Puts the values into the state that the command left; true where there were any. One that is in the environment
    /// stays there, any other is a variable of the shell.
    pub(super) fn take_into(self, shell: &mut ShellState, base: &BaseEnvironment) -> bool {
        let any = !self.0.is_empty();
        for (name, value) in self.0 {
            if shell.environment.contains_key(&name) || base.get(&name).is_some() {
                shell.environment.insert(name, Some(value));
            } else {
                let statement = declaration(&name, &value);
                shell.variables.insert(name, statement);
            }
        }
        any
    }
}

fn may_be_handed_on(name: &str) -> bool {
    is_variable_name(name) && !is_forbidden(name) && !is_kept_by_bash(name) && !is_of_the_shell(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handed(text: &str) -> ShellState {
        let mut environment = BTreeMap::new();
        let file = HandedOn::begin(&mut environment);
        std::fs::write(&environment[&OsString::from(VARIABLE)], text).unwrap();
        let mut shell = ShellState {
            environment: [("EXPORTED".to_owned(), Some("a".to_owned()))].into(),
            ..ShellState::default()
        };
        let base = BaseEnvironment::from_variables([("LANG".into(), "C".into())]);
        file.read().take_into(&mut shell, &base);
        shell
    }

    #[test]
    fn lines_are_variables_and_nothing_else_is() {
        let shell = handed(
            "port=8080\nempty=\nport=9090\nurl=http://h/?a=b\nit is=no\n1st=no\nnoise\nEXPORTED=b\nLANG=de\nsaid=$(touch x) \"`'\n",
        );
        let variables: Vec<(&str, &str)> =
            shell.variables.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        assert_eq!(
            variables,
            [
                ("empty", "declare -- empty=\"\""),
                ("port", "declare -- port=\"9090\""),
                ("said", "declare -- said=\"\\$(touch x) \\\"\\`'\""),
                ("url", "declare -- url=\"http://h/?a=b\""),
            ]
        );
        let environment: Vec<(&str, Option<&str>)> =
            shell.environment.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect();
        assert_eq!(environment, [("EXPORTED", Some("b")), ("LANG", Some("de"))]);
    }

    #[test]
    fn nothing_that_decides_what_runs_is_handed_on() {
        let shell = handed(
            "PATH=/evil\nIFS=x\nBASH_ENV=/evil\nLD_PRELOAD=/evil\nHOME=/evil\nPS4=$(x)\nPLANWRIGHT_OUTPUT=/etc\nENV=/evil\n",
        );
        assert!(shell.variables.is_empty(), "{shell:?}");
        assert_eq!(shell.environment.len(), 1);
    }
}
