//! Makes the JavaScript bindings of the compiled core: `xtask <input.wasm> <output directory>`.
//!
//! `scripts/build.mjs` calls it. A build crate instead of an installed `wasm-bindgen` command: the
//! version comes from `Cargo.lock`, so nobody has to install a matching one.

use std::env;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [input, output] = arguments.as_slice() else {
        eprintln!("usage: xtask <input.wasm> <output directory>");
        return ExitCode::from(2);
    };
    match bind(input, output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wasm-bindgen failed on `{input}`: {error:?}");
            ExitCode::FAILURE
        }
    }
}

fn bind(input: &str, output: &str) -> Result<(), Box<dyn std::error::Error>> {
    Bindgen::new()
        .input_path(input)
        .out_name("team_protocols")
        .web(true)?
        .typescript(true)
        // Bundlers copy every file named by `new URL(…, import.meta.url)`; the package never loads
        // its wasm that way.
        .omit_default_module_path(true)
        .remove_producers_section(true)
        .generate(output)?;
    Ok(())
}
