//! Which name did somebody mean? One answer or none: a guess between two names is worse than silence.

use strsim::osa_distance;

/// The one name of `pool` that `typed` is a slip of. `None` when no name or more than one is near.
pub(super) fn nearest<'a>(typed: &str, pool: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = slips_allowed(typed);
    let mut best: Vec<&str> = Vec::new();
    let mut least = usize::MAX;
    for name in pool {
        if name == typed || differ_in_numbers_only(typed, name) {
            continue;
        }
        let distance = if name.eq_ignore_ascii_case(typed) { 0 } else { osa_distance(typed, name) };
        if distance > allowed || distance > least {
            continue;
        }
        if distance < least {
            best.clear();
        }
        least = distance;
        if !best.contains(&name) {
            best.push(name);
        }
    }
    match best.as_slice() {
        [one] => Some(one),
        // Letters swapped or doubled are slips of the hand; another letter may be another word.
        several => {
            let sole = |fits: &dyn Fn(&str) -> bool| match several
                .iter()
                .filter(|name| fits(name))
                .collect::<Vec<_>>()[..]
            {
                [one] => Some(*one),
                _ => None,
            };
            // An end left out (`get-context` of `get-contexts`) is likelier than another beginning.
            let grown = typed.chars().count() > 5;
            sole(&|name: &str| same_letters_swapped(typed, name))
                .or_else(|| sole(&|name: &str| same_letters(typed, name)))
                .or_else(|| sole(&|name: &str| grown && name.starts_with(typed)))
        }
    }
}

/// The name of a list that lacks one letter inside: `rn` of `run`. For a list that the program itself gives.
pub(super) fn sole_with_one_more<'a>(
    typed: &str,
    pool: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let (first, last) = (typed.chars().next()?, typed.chars().next_back()?);
    let mut fits = pool.into_iter().filter(|name| {
        name.chars().count() == 3
            && name.starts_with(first)
            && name.ends_with(last)
            && osa_distance(typed, name) == 1
    });
    fits.next().filter(|_| fits.next().is_none())
}

/// How many letters may be wrong. Short names lie too close together to allow any but a swap.
fn slips_allowed(typed: &str) -> usize {
    match typed.chars().count() {
        0..=2 => 0,
        3..=6 => 1,
        _ => 2,
    }
}

/// `report-2023` and `report-2024` are two things, not a slip.
pub(super) fn differ_in_numbers_only(left: &str, right: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    left != right && letters(left) == letters(right)
}

pub(super) fn same_letters(left: &str, right: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    let mut once = sorted(left);
    let mut other = sorted(right);
    if once == other {
        return true;
    }
    once.dedup();
    other.dedup();
    once == other
}

/// As [`nearest`] for file names: the ending must stay and the stem must be long enough to be a name of its own.
pub(super) fn nearest_file<'a>(typed: &str, pool: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let (stem, ending) = split(typed);
    let pool: Vec<&str> =
        pool.into_iter().filter(|name| name.starts_with('.') == typed.starts_with('.')).collect();
    if stem.chars().count() < 3 {
        return swapped_ending(typed, &pool).or_else(|| sole_of_its_ending(typed, pool));
    }
    let same_ending = pool.iter().copied().filter(|name| split(name).1.eq_ignore_ascii_case(ending));
    if let Some(name) = nearest(typed, same_ending) {
        // With a stem of three or four letters another letter is another word (`data`, `date`).
        let (near_stem, _) = split(name);
        let short = stem.chars().count() < 5 && near_stem.chars().count() < 5;
        return (!short || same_letters(stem, near_stem) || stem.eq_ignore_ascii_case(near_stem))
            .then_some(name)
            .or_else(|| sole_of_its_ending(typed, pool));
    }
    // `archive.tar.g`: the stem is whole, and the ending lacks a letter or has one too many.
    let cut = pool.iter().copied().filter(|name| {
        let (near_stem, near_ending) = split(name);
        near_stem == stem
            && ending.len().abs_diff(near_ending.len()) == 1
            && osa_distance(ending, near_ending) == 1
    });
    if let [one] = cut.collect::<Vec<_>>()[..] {
        return (ending.len() > 1).then_some(one);
    }
    if let Some(name) = swapped_ending(typed, &pool) {
        return Some(name);
    }
    // `main` for `main.py`: the ending left out, where one file alone has that stem.
    let same_stem = pool.iter().copied().filter(|name| ending.is_empty() && split(name).0 == stem);
    if let [one] = same_stem.collect::<Vec<_>>()[..] {
        return Some(one);
    }
    // `READEM.md` typed as `README.dm`: the whole name, letters swapped only.
    let swapped: Vec<&str> = pool.into_iter().filter(|name| same_letters_swapped(typed, name)).collect();
    match swapped[..] {
        [one] => Some(one),
        _ => None,
    }
}

/// `in.pgn` for `in.png`: two letters of the ending changed places.
fn swapped_ending<'a>(typed: &str, pool: &[&'a str]) -> Option<&'a str> {
    let (stem, ending) = split(typed);
    let swapped = |name: &&&str| {
        let (near_stem, near_ending) = split(name);
        near_stem == stem
            && ending != near_ending
            && ending.len() > 3
            && same_letters_swapped(ending, near_ending)
    };
    match pool.iter().filter(swapped).collect::<Vec<_>>()[..] {
        [one] => Some(one),
        _ => None,
    }
}

/// `ap.py` where `app.py` is the only Python file: a letter too few or too many, and nothing else that it can be.
fn sole_of_its_ending<'a>(typed: &str, pool: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let (stem, ending) = split(typed);
    let mut same = pool.into_iter().filter(|name| split(name).1.eq_ignore_ascii_case(ending));
    let sole = same.next().filter(|_| same.next().is_none() && !ending.is_empty())?;
    let (near_stem, _) = split(sole);
    let grown = stem.chars().count().abs_diff(near_stem.chars().count()) == 1;
    (grown
        && stem.chars().count() >= 2
        && osa_distance(stem, near_stem) == 1
        && !differ_in_numbers_only(typed, sole))
    .then_some(sole)
}

pub(super) fn same_letters_swapped(left: &str, right: &str) -> bool {
    left != right && left.len() == right.len() && osa_distance(left, right) == 1 && same_letters(left, right)
}

fn split(name: &str) -> (&str, &str) {
    match name.rfind('.') {
        Some(at) if at > 0 => name.split_at(at),
        _ => (name, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_is_found() {
        assert_eq!(nearest("gti", ["git", "gcc", "grep"]), Some("git"));
        assert_eq!(nearest("pyhton3", ["python3", "perl"]), Some("python3"));
        assert_eq!(nearest("fsp", ["fps", "fspp"]), Some("fps"));
        assert_eq!(nearest("biuld", ["build", "test", "lint"]), Some("build"));
        assert_eq!(nearest("READme.md", ["README.md"]), Some("README.md"));
    }

    #[test]
    fn two_candidates_mean_silence() {
        assert_eq!(nearest("tesk", ["test", "task"]), None);
        assert_eq!(nearest("cat", ["bat", "cut"]), None);
        assert_eq!(nearest("xy", ["xz", "xx"]), None);
    }

    #[test]
    fn numbers_are_never_a_slip() {
        assert_eq!(nearest("report-2023", ["report-2024"]), None);
        assert_eq!(nearest_file("photo1.jpg", ["photo2.jpg"]), None);
    }

    #[test]
    fn files_keep_their_ending_and_short_stems_their_letters() {
        assert_eq!(
            nearest_file("requirement.txt", ["requirements.txt", "setup.py"]),
            Some("requirements.txt")
        );
        assert_eq!(nearest_file("mian.py", ["main.py"]), Some("main.py"));
        assert_eq!(nearest_file("notes.txt", ["notes.md"]), None);
        assert_eq!(nearest_file("a.txt", ["b.txt"]), None);
        assert_eq!(nearest_file("data.csv", ["date.csv"]), None);
        assert_eq!(nearest_file("ap.py", ["app.py", "ape.txt"]), Some("app.py"));
        assert_eq!(nearest_file("ap.py", ["app.py", "map.py"]), None);
        assert_eq!(nearest_file("in.pgn", ["in.png", "in.jpg"]), Some("in.png"));
        assert_eq!(nearest_file("in.ts", ["in.st"]), None);
        assert_eq!(nearest_file("main", ["main.py", "test.py"]), Some("main.py"));
        assert_eq!(nearest_file("main", ["main.py", "main.c"]), None);
        assert_eq!(nearest_file("v1.py", ["v12.py"]), None);
    }
}
