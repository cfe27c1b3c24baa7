//! Own work that is lost by a slip, by programs that nobody thinks of as deleting: cut to a size, replaced by a link, laid
//! over a whole home folder, written over while it is read, ended before it could save.

use super::args::{Parsed, behind};
use super::judge::Judge;
use super::overwrites::is_written;
use super::place::{Place, place};
use super::remote_copy::is_live;
use super::targets::Target;
use super::words::{Arg, Text};
use crate::protocol::Risk;

/// Endings of files that hold what nothing makes again.
const STORES: [&str; 14] = [
    "db", "sqlite", "sqlite3", "mbox", "qcow2", "vdi", "vmdk", "kdbx", "mdb", "ldb", "rdb", "wal", "parquet",
    "h5",
];
/// Programs that read their input while they write their output.
const STREAMS: [&str; 9] =
    ["samtools", "bcftools", "bedtools", "ffmpeg", "sox", "gdal_translate", "gdalwarp", "pdftk", "gs"];
/// What much of what a person has open at a time runs in.
const RUNTIMES: [&str; 22] = [
    "node",
    "python",
    "python3",
    "java",
    "ruby",
    "php",
    "code",
    "electron",
    "chrome",
    "chromium",
    "firefox",
    "vim",
    "nvim",
    "emacs",
    "nano",
    "docker",
    "tmux",
    "screen",
    "ssh",
    "thunderbird",
    "libreoffice",
    "soffice",
];

const EVERY_FILE: &str = "changes every file there, pictures and the history of git among them";

pub(super) fn check(j: &mut Judge<'_>, name: &str, parsed: &Parsed<'_, '_>, args: &[Arg]) {
    match name {
        "truncate" => truncate(j, parsed),
        "ln" => ln(j, parsed),
        "cp" | "rsync" => {
            over_home(j, name, parsed);
            empties(j, parsed);
        }
        "unzip" | "tar" | "bsdtar" => unpacks_over(j, name, parsed, args),
        "pkill" | "killall" => ends_runtimes(j, parsed),
        "qpdf" => {
            let last = parsed.words.last().copied().filter(|_| says(args, "--replace-input"));
            in_place(j, last);
        }
        "perl" | "ruby" => {
            // `-ne`: prints some of the lines only.
            let some =
                args.iter().filter_map(Arg::known).any(|text| text.starts_with("-n") && !text.contains('i'));
            let file = parsed.inner.iter().copied().flatten().next_back().or(parsed.words.last().copied());
            in_place(j, file.filter(|_| some && parsed.has("-i")));
        }
        "mv" => mv(j, parsed),
        "install" => empties(j, parsed),
        // `convert xc:white ~/Pictures/a.jpg`, `sox -n ~/Music/a.wav`: nothing, over what may be there.
        "convert" | "magick" | "sox" => {
            let nothing = args.iter().any(|arg| {
                let text = arg.sure();
                text.starts_with("xc:")
                    || text.starts_with("canvas:")
                    || text == "null:"
                    || name == "sox" && text == "-n"
            });
            let over = args.iter().find(|arg| {
                nothing && arg.sure().contains('.') && arg.sure().contains('/') && is_home(j, arg)
            });
            if let Some(span) = over.map(|arg| arg.span) {
                j.found.add(Risk::Dangerous, "writes nothing over a file that may be there", span);
            }
        }
        // `sed -i … ~/work/infra/prod/api.yaml`
        "sed" | "gsed" | "yq" => {
            let inside = args.iter().any(|arg| arg.known().is_some_and(|text| text.starts_with("-i")));
            let live = |arg: &&Arg| is_live(arg) && arg.known().is_some_and(|text| text.contains('/'));
            let file = args.iter().skip(1).filter(|_| inside).find(live).filter(|file| {
                matches!(j.target(file), Target::At(paths)
                    if paths.iter().any(|path| place(path, &j.anchors) != Place::Workspace))
            });
            if let Some(span) = file.map(|file| file.span) {
                j.found.add(Risk::Dangerous, "changes what runs for everybody", span);
            }
            // `-n`: prints some of the lines only.
            let last = args.last().filter(|_| inside && name != "yq" && says(args, "-n"));
            in_place(j, last);
            if let Some(span) =
                args.iter().find(|arg| inside && lists_all(j.found.fragment(arg.span))).map(|arg| arg.span)
            {
                j.found.add(Risk::Dangerous, EVERY_FILE, span);
            }
        }
        // `exiftool -all= -overwrite_original ~/Pictures`
        "exiftool" => {
            let last = args.last().filter(|_| says(args, "-overwrite_original"));
            in_place(j, last);
        }
        // `gzip -r .`
        // `zstd --rm x -o /dev/null`
        "zstd" if parsed.has("--rm") && parsed.value("-o").and_then(Arg::known) == Some("/dev/null") => {
            let span = parsed.value("-o").map(|out| out.span);
            span.into_iter()
                .for_each(|span| j.found.add(Risk::Dangerous, "keeps nothing of what it deletes", span));
        }
        "gzip" | "zstd" if parsed.has("-r") => {
            let all = parsed.words.iter().find(|word| {
                matches!(j.target(word), Target::At(paths)
                    if paths.iter().any(|path| j.anchors.root.starts_with(path)))
            });
            if let Some(span) = all.map(|word| word.span) {
                j.found.add(Risk::Dangerous, EVERY_FILE, span);
            }
        }
        // `ogr2ogr -overwrite PG:'host=…'`
        "ogr2ogr" => {
            let server = args.iter().find(|arg| {
                arg.known().is_some_and(|text| text.contains(":host=") || text.contains(" host="))
            });
            if let Some(span) = server.filter(|_| says(args, "-overwrite")).map(|arg| arg.span) {
                j.found.add(Risk::Dangerous, "replaces a table of a database", span);
            }
        }
        "mmv" => {
            if let Some(given) = args.iter().find(|arg| arg.known() == Some("-d")) {
                j.found.add(Risk::Dangerous, "renames over files that are there", given.span);
            }
        }
        _ => {}
    }
    if name == "ffmpeg" && says(args, "-y") {
        let last = args.last().filter(|last| is_home(j, last));
        in_place(j, last);
    }
    if STREAMS.contains(&name) {
        onto_itself(j, args);
    }
}

/// `$(find . -type f)`: by no name and no ending.
fn lists_all(fragment: &str) -> bool {
    let Some(inner) = fragment.strip_prefix("$(") else { return false };
    let mut words = inner.split_whitespace();
    let (program, folder) = (words.next(), words.next());
    let limits = ["name", "path", "regex", "grep", "maxdepth", "prune", "newer", "|"];
    program == Some("find")
        && matches!(folder, Some("." | "./" | "~" | "$HOME"))
        && !limits.iter().any(|limit| fragment.contains(limit))
}

fn says(args: &[Arg], option: &str) -> bool {
    args.iter().any(|arg| arg.known() == Some(option))
}

fn ending(arg: &Arg) -> Option<&str> {
    let (Text::Known { text, .. } | Text::Glob { pattern: text, .. }) = &arg.text else { return None };
    text.rsplit_once('.').map(|(_, ending)| ending)
}

/// Below the home folder and outside the workspace.
fn is_home(j: &Judge<'_>, arg: &Arg) -> bool {
    matches!(j.target(arg), Target::At(paths) if paths.iter().any(|path| j.is_kept_at_home(path)))
}

/// `cp /dev/null ~/x.kdbx`
fn empties(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let nothing = parsed.words.first().and_then(|word| word.known()) == Some("/dev/null");
    let store = |arg: &Arg| ending(arg).is_some_and(|ending| STORES.contains(&ending));
    let over = parsed
        .words
        .last()
        .copied()
        .filter(|last| nothing && (store(last) || is_written(j, last) || is_home(j, last)));
    if let Some(span) = over.map(|last| last.span) {
        j.found.add(Risk::Dangerous, "empties a file that nothing makes again", span);
    }
}

/// `truncate -s 0 data/*.db`: what is beyond the size is gone.
fn truncate(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let size = parsed.value("-s").and_then(Arg::known).unwrap_or_default();
    if size.starts_with(['+', '>', '%']) {
        return;
    }
    let empties = size.trim_end_matches(char::is_alphabetic) == "0";
    for word in &parsed.words {
        let store = empties && ending(word).is_some_and(|ending| STORES.contains(&ending));
        let pattern = matches!(&word.text, Text::Glob { .. }) && ending(word) != Some("log");
        let written = empties && is_written(j, word);
        if store || pattern && empties || written || is_home(j, word) {
            j.found.add(
                Risk::Dangerous,
                "cuts off what stands in a file that nothing makes again",
                word.span,
            );
        }
    }
}

/// `mv src/*.js`: the last of them is what the others go onto. `mv * ..`: nothing is left here.
fn mv(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let one = parsed.words.first().copied().filter(|_| parsed.words.len() == 1 && !parsed.has("-t"));
    if let Some(word) = one.filter(|word| matches!(&word.text, Text::Glob { .. })) {
        j.found.add(Risk::Dangerous, "moves files onto the last of them", word.span);
    }
    let Some((last, sources)) = parsed.words.split_last() else { return };
    // What `find` puts in for `{}` is what it was told to look for.
    let sources: Vec<&Arg> =
        sources.iter().copied().filter(|word| j.found.fragment(word.span) != "{}").collect();
    let all = |word: &&&Arg| matches!(&word.text, Text::Glob { pattern, .. } if matches!(pattern.as_str(), "*" | "./*"));
    let elsewhere = matches!(j.target(last), Target::At(paths)
        if paths.iter().any(|path| place(path, &j.anchors) != Place::Workspace));
    if let Some(span) = sources.iter().find(all).map(|word| word.span).filter(|_| elsewhere) {
        j.found.add(Risk::Dangerous, "moves all that is here somewhere else", span);
    }
    // `mv src/* /tmp/`: gone with the next start of the machine.
    let own = |word: &&&Arg| {
        matches!(&word.text, Text::Glob { pattern, .. } if pattern.ends_with("/*"))
            && matches!(j.target(word), Target::At(paths) | Target::Inside { folders: paths, .. }
            if paths.iter().any(|path| {
                place(path, &j.anchors) == Place::Workspace && !super::is_build_product(path)
            }))
    };
    let fleeting = matches!(j.target(last), Target::At(paths)
        if paths.iter().any(|path| place(path, &j.anchors) == Place::Temporary));
    if let Some(span) = sources.iter().find(own).map(|word| word.span).filter(|_| fleeting) {
        j.found.add(Risk::Dangerous, "moves what is yours to where nothing is kept", span);
    }
}

/// `ln -f a b`: what was called so is gone, and both names are one file from then on.
fn ln(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let Some(last) = parsed.words.last().filter(|_| parsed.has("-f") && parsed.words.len() > 1) else {
        return;
    };
    let replaces = if parsed.has("-s") {
        is_home(j, last) && is_written(j, last)
    } else {
        ending(last).is_some()
            && !matches!(j.target(last), Target::At(paths)
            if paths.iter().all(|path| j.is_in_made(path) || super::is_build_product(path)))
    };
    if replaces {
        j.found.add(Risk::Dangerous, "replaces a file by another name of another one", last.span);
    }
}

/// `cp -r build/. ~/`: all that is in one folder, over what is in the home folder or in another project.
fn over_home(j: &mut Judge<'_>, name: &str, parsed: &Parsed<'_, '_>) {
    let Some((last, sources)) = parsed.words.split_last() else { return };
    let deep = name == "rsync" || parsed.has("-r") || parsed.has("-a");
    let careful =
        ["-n", "-u", "-i", "--ignore-existing", "--update", "--dry-run"].iter().any(|own| parsed.has(own));
    let content = |arg: &&Arg| {
        let text = match &arg.text {
            Text::Known { text, .. } | Text::Glob { pattern: text, .. } => text.as_str(),
            Text::Unknown { .. } => "",
        };
        text.ends_with("/.") || text.ends_with("/*") || name == "rsync" && text.ends_with('/')
    };
    if !deep || careful || !sources.iter().any(content) {
        return;
    }
    let Target::At(paths) = j.target(last) else { return };
    if paths.contains(&j.anchors.home) {
        j.found.add(Risk::Dangerous, "lays a whole folder over the home folder", last.span);
    } else if name == "cp"
        && parsed.has("-f")
        && paths.iter().any(|path| place(path, &j.anchors) == Place::Home && !j.is_in_made(path))
    {
        j.found.add(Risk::Dangerous, "lays a whole folder over another one outside the workspace", last.span);
    }
}

/// `unzip -o ~/old.zip`: an archive from elsewhere over the workspace itself, whatever is there.
fn unpacks_over(j: &mut Judge<'_>, name: &str, parsed: &Parsed<'_, '_>, args: &[Arg]) {
    let (forced, folder, archive) = if name == "unzip" {
        (
            says(args, "-o") || says(args, "-qo") || says(args, "-oq"),
            behind(args, &["-d"]),
            parsed.words.first().copied(),
        )
    } else {
        (says(args, "--overwrite"), parsed.value("-C").or_else(|| behind(args, &["-C"])), args.get(1))
    };
    let Some(archive) = archive.filter(|_| forced) else { return };
    let root = folder.is_none_or(
        |folder| matches!(j.target(folder), Target::At(paths) if paths.contains(&j.anchors.root)),
    );
    if root && is_home(j, archive) {
        j.found.add(Risk::Dangerous, "unpacks over the workspace, whatever is there", archive.span);
    }
}

/// A document outside the workspace that is changed or written over where it is.
fn in_place(j: &mut Judge<'_>, file: Option<&Arg>) {
    if let Some(file) = file.filter(|file| is_home(j, file)) {
        j.found.add(Risk::Dangerous, "writes over a file of yours outside the workspace", file.span);
    }
}

/// `samtools view a.bam -o a.bam`
fn onto_itself(j: &mut Judge<'_>, args: &[Arg]) {
    let known: Vec<&str> = args.iter().filter_map(Arg::known).collect();
    let output = args.iter().enumerate().find_map(|(at, arg)| {
        matches!(arg.known(), Some("-o" | "--output")).then(|| args.get(at + 1)).flatten()
    });
    let Some(output) = output.or(args.last()) else { return };
    let twice = output.known().is_some_and(|text| {
        let named = text.rsplit_once('.').is_some_and(|(_, ending)| ending.starts_with(char::is_alphabetic));
        named && !text.starts_with('-') && known.iter().filter(|own| **own == text).count() > 1
    });
    if twice {
        j.found.add(Risk::Dangerous, "writes over the file that it reads", output.span);
    }
}

/// `pkill -9 -f 'code|nvim'`: half of what is open ends, and nothing of it can save.
fn ends_runtimes(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let at_once = parsed.given.iter().any(|arg| {
        matches!(arg.known(), Some("-9" | "-KILL" | "-SIGKILL" | "-s9" | "--signal=KILL" | "--signal=9"))
    });
    let all = |text: &str| matches!(text, "" | "." | ".*" | "^" | "$");
    if let Some(word) = parsed.words.iter().find(|word| parsed.has("-f") && word.known().is_some_and(all)) {
        j.found.add(Risk::Dangerous, "ends all of your programs at once, unsaved", word.span);
    }
    let broad =
        |text: &str| text.trim_matches(['^', '$', '(', ')']).split('|').any(|part| RUNTIMES.contains(&part));
    let stores = |text: &str| {
        text.trim_matches(['^', '$', '(', ')']).split('|').any(|part| {
            matches!(part, "postgres" | "mysqld" | "mariadbd" | "mongod" | "redis-server" | "etcd")
        })
    };
    if let Some(word) = parsed.words.iter().find(|word| at_once && word.known().is_some_and(stores)) {
        j.found.add(Risk::Dangerous, "ends a store of data before it could save", word.span);
    }
    if let Some(word) = parsed.words.iter().find(|word| at_once && word.known().is_some_and(broad)) {
        j.found.add(Risk::Dangerous, "ends all of your programs of a kind at once, unsaved", word.span);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::protocol::Risk;

    #[test]
    fn own_work_is_not_lost_by_a_slip() {
        check(
            Risk::Dangerous,
            r#"
            truncate -s 0 data/*.db
            truncate --size=1M ~/vm/disk.qcow2
            truncate -s0 ~/notes/journal.md
            truncate -s 0 src/main.rs
            ln -f src/config.default.json src/config.json
            ln -sfn /mnt/usb/docs ~/Documents/report.odt
            cp -rf build/. ~/
            cp -a dist/* ~
            rsync -a build/ ~/
            cp -rf src/. ../billing/src/
            unzip -o ~/Downloads/site-old.zip -d .
            tar xzf ~/backups/app.tgz -C /home/u/work/app --overwrite
            qpdf --replace-input --pages . 1 -- ~/Documents/contract.pdf
            perl -i -ne 'print unless $. > 1000' ~/mail/archive.mbox
            cd ~/work/infra && sed -i 's/replicas: 3/replicas: 1/' prod/api.yaml
            ogr2ogr -overwrite PG:'host=gis.acme.example dbname=gis' data/parcels.shp -nln parcels
            mmv -d '*.txt' notes.txt
            mv src/*.js
            sed -i -n '/ERROR/p' ~/notes/journal.md
            ffmpeg -y -i talk.mp4 -crf 40 ~/Videos/talk-master.mp4
            samtools view -b -s 42.01 data/p.bam -o data/p.bam
            killall -9 node
            exiftool -all= -overwrite_original ~/Pictures/trip.jpg
            mv * ..
            mv src/* /tmp/
            pkill -f ''
            gzip -r .
            gzip -r ~/work/app
            sed -i 's/foo/bar/g' $(find . -type f)
            pkill -9 -f 'code|nvim|python'"#,
        );
        check(
            Risk::Caution,
            r#"
            sed -i 's/replicas: 3/replicas: 1/' deploy/prod/api.yaml
            mv src/*.js lib/
            sed -i -n '1,20p' notes.md
            truncate -s 0 logs/app.log
            truncate -s 0 logs/*.log
            truncate -s 64M build/disk.img
            truncate -s +1G data/disk.qcow2
            ln -sf ../shared/config.json config.json
            ln -f build/app build/app-latest
            cp -r build/. dist/
            cp notes.txt ~/
            unzip -o vendor.zip
            unzip -o ~/Downloads/fonts.zip -d public/fonts
            ffmpeg -y -i talk.mp4 -crf 40 talk-small.mp4
            samtools view -b -s 42.01 data/p.bam -o data/q.bam
            killall node
            exiftool -all= -overwrite_original public/photo.jpg
            mv * src/
            mv build/* /tmp/old/
            find . -name '*.orig' -exec mv {} /tmp/ \;
            mv /tmp/new/* src/
            pkill -f 'vite dev'
            gzip -r build/logs
            sed -i 's/foo/bar/g' $(find . -name '*.ts')
            pkill -9 -f 'vite --port 5173'"#,
        );
    }
}
