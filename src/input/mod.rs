//! Claim and mechanism files: text to mechanism and claims, errors with their place.
