//! Turns a value into words, by what kind of value it is. What does not have the form of its kind is not guessed at: `None`.

mod cron;
mod files;
mod network;
mod numbers;
mod patterns;
mod scripts;
mod sets;
#[cfg(test)]
mod tests;
mod versions;

use crate::knowledge::{Kind, named_value};

/// The longest value that is repeated in words, in characters.
const REPEATED: usize = 60;

/// `value` in words; `None` when it is not of this kind.
pub(super) fn in_words(kind: &Kind, value: &str) -> Option<String> {
    match kind {
        Kind::Text => Some(shortened(value)),
        Kind::Path => Some(files::path(value)),
        Kind::OutPath => Some(files::out_path(value)),
        Kind::Mode => files::mode(value),
        Kind::Umask => files::umask(value),
        Kind::Owner => files::owner(value),
        Kind::Acl => files::acl(value),
        Kind::Glob => Some(patterns::glob(value)),
        Kind::Age => numbers::age(value),
        Kind::FindSize => numbers::find_size(value),
        Kind::FindPermission => files::find_permission(value),
        Kind::Number => numbers::number(value),
        Kind::Seconds => numbers::duration(value, "second"),
        Kind::Minutes => numbers::duration(value, "minute"),
        Kind::Milliseconds => numbers::milliseconds(value),
        Kind::Size => numbers::size(value, ""),
        Kind::Kibibytes => numbers::size(value, "K"),
        Kind::HeadCount => numbers::head_count(value),
        Kind::TailCount => numbers::tail_count(value),
        Kind::Signal => numbers::signal(value),
        Kind::Process => numbers::process(value),
        Kind::Port => network::port(value),
        Kind::Service => network::service(value),
        Kind::PortMap => network::port_map(value),
        Kind::Volume => network::volume(value),
        Kind::TunnelLocal => network::tunnel(value, true),
        Kind::TunnelRemote => network::tunnel(value, false),
        Kind::Url => Some(network::url(value)),
        Kind::Host => network::host(value),
        Kind::RemotePath => Some(network::remote_path(value)),
        Kind::Address => network::address(value),
        Kind::Regex => Some(patterns::regex(value, false)),
        Kind::ExtendedRegex => Some(patterns::regex(value, true)),
        Kind::Sed => Some(scripts::sed(value)),
        Kind::Awk => Some(scripts::awk(value)),
        Kind::Jq => Some(scripts::jq(value)),
        Kind::Sql => Some(scripts::sql(value)),
        Kind::Filter => Some(scripts::filter(value)),
        Kind::Cron => cron::times(value),
        Kind::MaybeCron => Some(cron::line(value).unwrap_or_else(|| shortened(value))),
        Kind::When => cron::when(value),
        Kind::DateFormat => cron::date_format(value),
        Kind::Revision => versions::revision(value),
        Kind::Difference => versions::difference(value),
        Kind::Refspec => versions::refspec(value),
        Kind::Image => versions::image(value),
        Kind::Package => versions::package(value),
        Kind::Setting => files::setting(value),
        Kind::Characters => Some(sets::characters(value)),
        Kind::Fields => sets::fields(value),
        Kind::SortKey => sets::sort_key(value),
        Kind::Named(list) => Some(named(list, value)),
    }
}

/// As the list has it; another in the words that the list has for others (`*`), or as it is.
fn named(list: &str, value: &str) -> String {
    match (named_value(list, value), named_value(list, "*")) {
        (Some(known), _) => known.to_owned(),
        (None, Some(other)) => other.replace("{}", &shortened(value)),
        (None, None) => shortened(value),
    }
}

/// The value itself, on one line and not too long.
pub(super) fn shortened(value: &str) -> String {
    let line = value.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= REPEATED {
        return line;
    }
    let cut: String = line.chars().take(REPEATED).collect();
    format!("{}…", cut.trim_end())
}

/// `a`, `a and b`, `a, b and c`.
fn listed(words: &[String]) -> String {
    match words.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}
