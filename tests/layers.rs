//! The import order of the rooms: each imports only from rooms above it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// From the top, which imports nothing, to the binding, which may import everything. `lib.rs`
/// stands outside: it only re-exports.
const ROOMS: [&str; 19] = [
    "stored",
    "time",
    "ids",
    "message",
    "authority",
    "config",
    "wire",
    "validate",
    "deadline",
    "journal",
    "effect",
    "request",
    "member",
    "waits",
    "gate",
    "snapshot",
    "error",
    "engine",
    "wasm",
];

struct Import {
    file: PathBuf,
    line: usize,
    from: String,
    of: String,
}

#[test]
fn a_room_imports_only_from_rooms_above_it() {
    let place = |room: &str| {
        let place = ROOMS.iter().position(|other| *other == room);
        place.unwrap_or_else(|| panic!("the room `{room}` has no place in the order"))
    };
    let mut wrong = Vec::new();
    for Import { file, line, from, of } in imports() {
        if from != of && place(&of) >= place(&from) {
            wrong.push(format!("{}:{line}: `{from}` imports `{of}`", file.display()));
        }
    }
    assert_eq!(wrong, [] as [&str; 0]);
}

#[test]
fn every_room_has_a_place_and_every_place_a_room() {
    let rooms: BTreeSet<String> = sources().iter().filter_map(|file| room(file)).collect();
    let listed: BTreeSet<String> = ROOMS.iter().map(|room| (*room).to_owned()).collect();
    assert_eq!(rooms, listed);
}

#[test]
fn the_reader_of_imports_sees_what_is_there() {
    let of_engine: BTreeSet<String> = imports()
        .into_iter()
        .filter(|import| import.from == "engine")
        .map(|import| import.of)
        .collect();
    for used in ["request", "wire", "validate", "member", "journal", "error"] {
        assert!(of_engine.contains(used), "{used} is not seen in {of_engine:?}");
    }
    assert!(imports().len() > 100);
}

#[test]
fn the_core_below_the_binding_knows_no_javascript() {
    for file in sources() {
        if room(&file).as_deref() == Some("wasm") {
            continue;
        }
        let text = code_of(&file);
        for foreign in ["wasm_bindgen", "js_sys", "serde_wasm_bindgen", "getrandom", "uuid::"] {
            assert!(!text.contains(foreign), "{} uses {foreign}", file.display());
        }
    }
}

fn imports() -> Vec<Import> {
    let mut found = Vec::new();
    for file in sources() {
        let Some(from) = room(&file) else { continue };
        for (line, text) in code_of(&file).lines().enumerate() {
            for part in text.split("crate::").skip(1) {
                let of: String =
                    part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                // A group import would hide its rooms from this reader.
                assert!(!part.starts_with('{'), "{}:{}: name the room", file.display(), line + 1);
                if !of.is_empty() && of.chars().next().is_some_and(char::is_lowercase) {
                    let (file, from) = (file.clone(), from.clone());
                    found.push(Import { file, line: line + 1, from, of });
                }
            }
        }
    }
    found
}

/// The text of a file without comments.
fn code_of(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let code = text.lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    code.collect::<Vec<_>>().join("\n")
}

/// The room that a file belongs to; none for `lib.rs`.
fn room(file: &Path) -> Option<String> {
    let inside = file.strip_prefix(root()).unwrap();
    let first = inside.components().next()?.as_os_str().to_str()?;
    let name = first.strip_suffix(".rs").unwrap_or(first);
    (name != "lib").then(|| name.to_owned())
}

fn sources() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}
