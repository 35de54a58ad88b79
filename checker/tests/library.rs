//! What is not in the examples of the library: bytes that are no text, and a check that is stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dpcmp_check::{Options, Place, Reason, check};

#[test]
fn bytes_that_are_no_text() {
    let rejected = check(b"{\"\xff\":1}", &Options::default()).unwrap_err();
    assert_eq!((rejected.reason, rejected.place), (Reason::Unreadable, Place::Certificate));
    assert_eq!(check(&[b' '; (4 << 20) + 1], &Options::default()).unwrap_err().reason, Reason::Limit);
}

/// A second or so of work, stopped after a moment; and the next check is none the worse.
#[test]
fn a_check_is_stopped() {
    let example = std::fs::read_to_string("examples/answers.json").unwrap();
    let long = example.replace("\"first\":-1,\"last\":1,", "\"first\":-16000,\"last\":16000,");
    let long = long.replace("\"step\":\"1/2\"", "\"step\":\"1/16000\"");
    assert_ne!(long, example);
    for moment in [0, 50, 200] {
        let flag = Arc::new(AtomicBool::new(moment == 0));
        let options = Options::default().stop(flag.clone());
        std::thread::scope(|scope| {
            let checking = scope.spawn(|| check(long.as_bytes(), &options));
            std::thread::sleep(Duration::from_millis(moment));
            let start = Instant::now();
            flag.store(true, Ordering::Relaxed);
            let rejected = checking.join().unwrap().unwrap_err();
            assert_eq!(rejected.reason, Reason::Stopped);
            assert!(!rejected.reason.is_unreadable());
            assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
        });
    }
    assert!(check(example.as_bytes(), &Options::default()).is_ok());
}

/// Every certificate of a true statement that the engine wrote is accepted: rounding to the safe side costs none of them.
#[test]
fn true_certificates_are_accepted() {
    let mut count = 0;
    for folder in ["../tests/forgeries/true", "../examples/certificates"] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let certificate = std::fs::read(&path).unwrap();
            if let Err(no) = check(&certificate, &Options::default()) {
                panic!("{}: {no}", path.display());
            }
            count += 1;
        }
    }
    assert!(count > 40, "{count}");
}
