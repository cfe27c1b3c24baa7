//! Sites that show a file in a page of theirs: the file itself says the same with nothing around it.

use url::Url;

use super::Address;

const RAW_OF_GITHUB: &str = "raw.githubusercontent.com";

/// Names that a folder's page is kept under, in the order in which they are tried.
const READMES: &[&str] = &["README.md", "readme.md", "README.rst", "README.adoc", "README"];

/// First parts of GitHub's paths that are no owner of a repository.
const NO_OWNERS: &[&str] = &[
    "about",
    "apps",
    "collections",
    "customer-stories",
    "enterprise",
    "events",
    "explore",
    "features",
    "issues",
    "login",
    "marketplace",
    "notifications",
    "orgs",
    "pricing",
    "pulls",
    "search",
    "security",
    "settings",
    "signup",
    "site",
    "sponsors",
    "stars",
    "topics",
    "trending",
    "users",
];

/// Where the text of an address is, likeliest first: the address itself unless it is a site's page about a file.
pub fn text_of(address: &Address) -> Vec<Address> {
    let url = address.url();
    let parts: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
    let host = url.host_str().unwrap_or_default();
    let files = match (host, parts.as_slice()) {
        ("github.com" | "www.github.com", [owner, ..]) if NO_OWNERS.contains(owner) => Vec::new(),
        ("github.com" | "www.github.com", [owner, name]) => {
            readmes(url, &[owner, name.trim_end_matches(".git"), "HEAD"])
        }
        ("github.com" | "www.github.com", [owner, name, "tree", folder @ ..]) if !folder.is_empty() => {
            let folder: Vec<&str> = [owner, name].into_iter().chain(folder).copied().collect();
            readmes(url, &folder)
        }
        ("github.com" | "www.github.com", [owner, name, "blob" | "raw", reference, file @ ..])
            if !file.is_empty() =>
        {
            let path: Vec<&str> = [owner, name, reference].into_iter().chain(file).copied().collect();
            at(url, Some(RAW_OF_GITHUB), &path.join("/")).into_iter().collect()
        }
        ("gist.github.com", [owner, gist]) if *gist != "raw" => {
            at(url, None, &format!("{owner}/{gist}/raw")).into_iter().collect()
        }
        // Others may run GitLab under a name of their own; this part of a path is its alone.
        _ if url.path().contains("/-/blob/") => {
            at(url, None, &url.path().replacen("/-/blob/", "/-/raw/", 1)).into_iter().collect()
        }
        _ => Vec::new(),
    };
    if files.is_empty() { vec![address.clone()] } else { files }
}

fn readmes(url: &Url, folder: &[&str]) -> Vec<Address> {
    let folder = folder.join("/");
    READMES.iter().filter_map(|name| at(url, Some(RAW_OF_GITHUB), &format!("{folder}/{name}"))).collect()
}

/// The same address with another host and path, and without its question.
fn at(url: &Url, host: Option<&str>, path: &str) -> Option<Address> {
    let mut url = url.clone();
    if let Some(host) = host {
        url.set_host(Some(host)).ok()?;
    }
    url.set_path(path);
    url.set_query(None);
    Address::of(url).ok()
}
