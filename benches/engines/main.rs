//! What can be measured without HTTP: the two engines, the actors' runtime, the writer.
//!
//! `cargo bench --bench engines -- NAME […]` runs one of them, each described where it is; without a name all run.
//! `--small` takes seconds and shows that they still run; its figures mean nothing.

mod actor_hop;
mod coding_quality;
mod recon_matcher;
mod recon_quality;
mod writer;

/// Runs one bench with the words behind its name.
type Bench = fn(Vec<String>);

const BENCHES: [(&str, Bench); 5] = [
    ("recon_matcher", recon_matcher::measure_shapes),
    ("recon_quality", recon_quality::measure_pairs),
    ("coding_quality", coding_quality::measure_businesses),
    ("actor_hop", actor_hop::measure_hops),
    ("writer", writer::measure_writer),
];

fn main() {
    let (added, words): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|word| word == "--bench");
    if let Some((name, words)) = words.split_first()
        && let Some((_, bench)) = BENCHES.iter().find(|(known, _)| known == name)
    {
        return bench(words.to_vec());
    }
    // `cargo test --benches` adds nothing and only asks whether the program starts.
    if added.is_empty() {
        return;
    }
    for (name, bench) in BENCHES {
        println!("\n{name}");
        bench(words.clone());
    }
}
