//! Any line as what an external accountant says.

pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = (
        dpcmp::accountant::read_answer(&text, 1),
        dpcmp::accountant::read_hello(&text),
    );
}
