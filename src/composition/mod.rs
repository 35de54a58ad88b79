//! A mechanism as one closed form, a finite law, or a pair of laws.
