//! Pairs with finitely many losses: exact formal losses, masses exact or computable, profile in either order.

mod increasing;
mod keyed;
mod law;
mod loss;
mod losses;
mod mass;
mod profile;
mod table;

pub use keyed::{Key, Keyed};
pub(crate) use keyed::{multiple_of_key, sum_of_keys};
pub use law::{Atom, FiniteLaw, MassTable};
pub use loss::Loss;
pub(crate) use loss::gcd;
pub use mass::Mass;
pub use profile::FiniteProfile;
pub use table::Numbers;
