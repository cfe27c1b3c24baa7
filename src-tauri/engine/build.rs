//! Turns the tables of what is known from TOML, which people write, into JSON, which the program reads many times faster
//! when it starts. A table that is no TOML stops the build.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

/// Folders of tables; each is written to a folder of its last name.
const FOLDERS: [&str; 5] = [
    "src/knowledge/programs",
    "src/knowledge/meanings",
    "src/guide/rules",
    "src/keyboard/table",
    "src/plan/page/words",
];

fn main() -> Result<(), Box<dyn Error>> {
    let out = env::var("OUT_DIR")?;
    for folder in FOLDERS.map(Path::new) {
        println!("cargo::rerun-if-changed={}", folder.display());
        let to = Path::new(&out).join(folder.file_name().ok_or("a folder without a name")?);
        fs::create_dir_all(&to)?;
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let (Some("toml"), Some(name)) =
                (path.extension().and_then(|end| end.to_str()), path.file_stem())
            else {
                continue;
            };
            let table: toml::Table = toml::from_str(&fs::read_to_string(&path)?)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            fs::write(to.join(name).with_extension("json"), serde_json::to_string(&table)?)?;
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
    Ok(())
}
