/// What kind of value a word is; `explain::kinds` turns one into words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Path,
    /// A file that is written; `-` is what the program prints.
    OutPath,
    Number,
    Mode,
    Umask,
    Owner,
    Acl,
    Port,
    /// `22/tcp`, `60000:61000/udp`, or the name of a service.
    Service,
    PortMap,
    Volume,
    TunnelLocal,
    TunnelRemote,
    Signal,
    /// A bare number counts seconds.
    Seconds,
    /// A bare number counts minutes.
    Minutes,
    Milliseconds,
    Size,
    /// A bare number counts KiB.
    Kibibytes,
    Url,
    Host,
    /// `user@host:path`, or a path here.
    RemotePath,
    Address,
    Regex,
    ExtendedRegex,
    Sed,
    Awk,
    Jq,
    /// A line for cron, or any other text.
    MaybeCron,
    Cron,
    Revision,
    /// What is compared: `main..topic`.
    Difference,
    Refspec,
    Image,
    Package,
    /// `NAME=value`
    Setting,
    Glob,
    Age,
    FindSize,
    FindPermission,
    HeadCount,
    TailCount,
    DateFormat,
    Filter,
    Sql,
    Characters,
    Fields,
    SortKey,
    Process,
    When,
    /// From a list in `meanings/values.toml`; others are shown as they are.
    Named(String),
}

impl Kind {
    pub(super) fn named(name: &str) -> Result<Self, String> {
        Ok(match name {
            "text" => Self::Text,
            "path" => Self::Path,
            "out-path" => Self::OutPath,
            "number" => Self::Number,
            "mode" => Self::Mode,
            "umask" => Self::Umask,
            "owner" => Self::Owner,
            "acl" => Self::Acl,
            "port" => Self::Port,
            "service" => Self::Service,
            "port-map" => Self::PortMap,
            "volume" => Self::Volume,
            "tunnel-local" => Self::TunnelLocal,
            "tunnel-remote" => Self::TunnelRemote,
            "signal" => Self::Signal,
            "seconds" => Self::Seconds,
            "minutes" => Self::Minutes,
            "milliseconds" => Self::Milliseconds,
            "size" => Self::Size,
            "kibibytes" => Self::Kibibytes,
            "url" => Self::Url,
            "host" => Self::Host,
            "remote-path" => Self::RemotePath,
            "address" => Self::Address,
            "regex" => Self::Regex,
            "extended-regex" => Self::ExtendedRegex,
            "sed" => Self::Sed,
            "awk" => Self::Awk,
            "jq" => Self::Jq,
            "maybe-cron" => Self::MaybeCron,
            "cron" => Self::Cron,
            "revision" => Self::Revision,
            "difference" => Self::Difference,
            "refspec" => Self::Refspec,
            "image" => Self::Image,
            "package" => Self::Package,
            "setting" => Self::Setting,
            "glob" => Self::Glob,
            "age" => Self::Age,
            "find-size" => Self::FindSize,
            "find-permission" => Self::FindPermission,
            "head-count" => Self::HeadCount,
            "tail-count" => Self::TailCount,
            "date-format" => Self::DateFormat,
            "filter" => Self::Filter,
            "sql" => Self::Sql,
            "characters" => Self::Characters,
            "fields" => Self::Fields,
            "sort-key" => Self::SortKey,
            "process" => Self::Process,
            "when" => Self::When,
            list => {
                let name = list.strip_prefix("of-").ok_or(format!("no kind of value is named \"{list}\""))?;
                Self::Named(name.to_owned())
            }
        })
    }
}
