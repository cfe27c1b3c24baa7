//! Ports, machines, addresses and what leads from one to another.

use super::shortened;

/// What usually listens on a port.
fn usual(port: u16) -> Option<&'static str> {
    Some(match port {
        20 | 21 => "FTP",
        22 => "SSH",
        23 => "Telnet",
        25 => "mail, SMTP",
        53 => "DNS",
        67 | 68 => "DHCP",
        80 => "web pages, HTTP",
        123 => "the time, NTP",
        143 => "mail, IMAP",
        443 => "web pages, HTTPS",
        445 => "Windows shares",
        465 | 587 => "mail, SMTP",
        631 => "printing",
        993 => "mail, IMAP",
        2049 => "NFS",
        3306 => "MySQL",
        3389 => "remote desktop",
        5432 => "PostgreSQL",
        5900 => "VNC",
        6379 => "Redis",
        27017 => "MongoDB",
        51820 => "WireGuard",
        _ => return None,
    })
}

fn number(value: &str) -> Option<u16> {
    value.parse().ok().filter(|port| *port > 0)
}

/// `22`, `6000:6010`, `6000-6010`, `80,443`.
pub(super) fn port(value: &str) -> Option<String> {
    if let Some((first, last)) = value.split_once([':', '-']) {
        return Some(format!("the ports {} to {}", number(first)?, number(last)?));
    }
    if value.contains(',') {
        let all: Option<Vec<String>> = value
            .split(',')
            .map(|one| match one.split_once(['-', ':']) {
                Some((first, last)) => Some(format!("{} to {}", number(first)?, number(last)?)),
                None => number(one).map(|port| port.to_string()),
            })
            .collect();
        return Some(format!("the ports {}", super::listed(&all?)));
    }
    let port = number(value)?;
    Some(match usual(port) {
        Some(usual) => format!("port {port} ({usual})"),
        None => format!("port {port}"),
    })
}

/// `22/tcp`, or the name of a service.
pub(super) fn service(value: &str) -> Option<String> {
    if let Some((protocol @ ("tcp" | "TCP" | "udp" | "UDP"), port)) = value.split_once(':') {
        return service(&format!("{port}/{}", protocol.to_ascii_lowercase()));
    }
    let value = value.strip_prefix(':').unwrap_or(value);
    let (name, protocol) = value.split_once('/').map_or((value, None), |(name, kind)| (name, Some(kind)));
    let protocol = match protocol {
        Some("tcp") => " for TCP",
        Some("udp") => " for UDP",
        None => "",
        Some(_) => return None,
    };
    let what = match port(name) {
        Some(port) => port,
        None if name.starts_with(|c: char| c.is_ascii_alphabetic()) => format!("the service {name}"),
        None => return None,
    };
    Some(format!("{what}{protocol}"))
}

/// `8080:80`, `127.0.0.1:8080:80/udp`, `80`.
pub(super) fn port_map(value: &str) -> Option<String> {
    let (ports, protocol) = value.split_once('/').map_or((value, ""), |(ports, kind)| (ports, kind));
    let protocol = match protocol {
        "" | "tcp" => "",
        "udp" => ", for UDP",
        _ => return None,
    };
    let plain = |text: &str| {
        let text = text.replace('-', " to ");
        text.split(" to ").all(|part| number(part).is_some()).then_some(text)
    };
    let fields: Vec<&str> = ports.rsplitn(3, ':').collect();
    match fields.as_slice() {
        [inside] => Some(format!(
            "a free port of this machine leads to port {} of the container{protocol}",
            plain(inside)?
        )),
        [inside, outside] => Some(format!(
            "port {} of this machine leads to port {} of the container{protocol}",
            plain(outside)?,
            plain(inside)?
        )),
        [inside, outside, address] => {
            let reach = if matches!(*address, "127.0.0.1" | "localhost" | "[::1]") {
                ", for programs on this machine alone".to_owned()
            } else {
                format!(", at the address {address}")
            };
            let outside = if outside.is_empty() {
                "a free port".to_owned()
            } else {
                format!("port {}", plain(outside)?)
            };
            let inside = plain(inside)?;
            Some(format!(
                "{outside} of this machine leads to port {inside} of the container{reach}{protocol}"
            ))
        }
        _ => None,
    }
}

/// `/srv/data:/data:ro`, `data:/data`.
pub(super) fn volume(value: &str) -> Option<String> {
    let fields: Vec<&str> = value.split(':').collect();
    let (outside, inside, options) = match fields.as_slice() {
        [inside] => return Some(format!("a new store of its own is {inside} in the container")),
        [outside, inside] => (*outside, *inside, ""),
        [outside, inside, options] => (*outside, *inside, *options),
        _ => return None,
    };
    let is_path = outside.starts_with(['/', '.', '~', '$']);
    let what = match (is_path, outside) {
        (true, "." | "./" | "$PWD" | "${PWD}" | "$(pwd)") => "this folder".to_owned(),
        (true, path) => format!("{path} of this machine"),
        (false, name) => format!("the store named {name}"),
    };
    let only = if options.split(',').any(|option| option == "ro") { ", which may only read it" } else { "" };
    Some(format!("{what} is {inside} in the container{only}"))
}

/// `8080:localhost:80`
pub(super) fn tunnel(value: &str, from_here: bool) -> Option<String> {
    let fields: Vec<&str> = value.rsplitn(4, ':').collect();
    let (target_port, target, port, address) = match fields.as_slice() {
        [target_port, target, port] => (*target_port, *target, *port, None),
        [target_port, target, port, address] => (*target_port, *target, *port, Some(*address)),
        _ => return None,
    };
    let (target_port, port) = (number(target_port)?, number(port)?);
    let (near, far) =
        if from_here { ("this machine", "the other machine") } else { ("the other machine", "this machine") };
    let target = if matches!(target, "localhost" | "127.0.0.1") {
        far.to_owned()
    } else {
        format!("{target}, as seen from {far}")
    };
    let address = match address {
        None | Some("localhost" | "127.0.0.1") => String::new(),
        Some("" | "*" | "0.0.0.0") => ", open to every machine that reaches it,".to_owned(),
        Some(address) => format!(" at {address}"),
    };
    Some(format!("port {port} of {near}{address} leads to port {target_port} of {target}"))
}

pub(super) fn url(value: &str) -> String {
    let plain = value.split(['?', '#']).next().unwrap_or(value);
    let told = shortened(plain);
    if told.len() < plain.len() || plain.len() < value.len() { format!("{told} (shortened)") } else { told }
}

/// `user@host`, `host:port`, an address.
pub(super) fn host(value: &str) -> Option<String> {
    let plain =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "-_.:[]%".contains(c));
    let (user, machine) = value.split_once('@').map_or((None, value), |(user, host)| (Some(user), host));
    let machine = machine.strip_prefix("ssh://").unwrap_or(machine);
    if !plain(machine) || !user.is_none_or(plain) {
        return None;
    }
    let name = if matches!(machine, "localhost" | "127.0.0.1" | "::1") {
        "this very machine".to_owned()
    } else {
        format!("the machine {machine}")
    };
    Some(match user {
        Some(user) => format!("{name}, as the user {user}"),
        None => name,
    })
}

/// `user@host:path`, `host::module`, or a path here.
pub(super) fn remote_path(value: &str) -> String {
    let Some((machine, path)) = value.split_once(':') else { return super::files::path(value) };
    if machine.contains('/') || machine.is_empty() || path.starts_with("//") {
        return shortened(value);
    }
    let Some(machine) = host(machine) else { return shortened(value) };
    let path = match path {
        "" | "~" | "~/" | "." => "the home folder".to_owned(),
        path => match path.strip_prefix(':') {
            Some(module) => format!("the module {module}"),
            None => shortened(path),
        },
    };
    format!("{path} on {machine}")
}

/// `192.168.1.0/24`, `10.0.0.1`, `any`.
pub(super) fn address(value: &str) -> Option<String> {
    match value {
        "any" | "anywhere" | "0.0.0.0/0" | "::/0" => return Some("any address".to_owned()),
        "default" => return Some("every network that has no way of its own".to_owned()),
        "0.0.0.0" | "::" | "*" => return Some("every address of this machine".to_owned()),
        "localhost" | "127.0.0.1" | "::1" => return Some("this machine alone".to_owned()),
        _ => {}
    }
    let (address, prefix) = value.split_once('/').map_or((value, None), |(a, prefix)| (a, Some(prefix)));
    let is_address = address.parse::<std::net::IpAddr>().is_ok();
    match prefix {
        None if is_address => Some(format!("the address {address}")),
        None => host(address),
        Some(prefix) => {
            let bits: u8 = prefix.parse().ok().filter(|_| is_address)?;
            Some(format!("{address}, in a network whose first {bits} bits are fixed"))
        }
    }
}
