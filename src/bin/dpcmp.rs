//! The `dpcmp` program: everything lives in [`dpcmp::command`].

fn main() -> std::process::ExitCode {
    dpcmp::command::main(std::env::args_os()).into()
}
