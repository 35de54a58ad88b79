//! The `dpcmp` program: everything lives in [`dpcmp::command`].

fn main() {}
