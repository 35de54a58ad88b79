//! The `dpcmp` program: everything lives in [`dpcmp::command`].

fn main() -> std::process::ExitCode {
    dpcmp::command::run(std::env::args_os()).into()
}
