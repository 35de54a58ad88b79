# make verify   set up, build, verify the main example
# make test     set up, run the tests; DPCMP_TEST_SCALE=10 for ten times as many random cases (tests/README.md)
# make bench    run the benchmarks
# make instructions  count the instructions of small questions (needs Valgrind), against those of this machine in benches/instructions.json
# make proofs   compile the proofs in proofs/ from clean and compare their axioms with the allow-list; needs Coq (proofs/README.md)
# make proved   build target/proved/dpcmp-proved, a checker of certificates that is proved; needs Coq and Zarith (proofs/README.md)
# make mutants  break the trusted code on purpose and say what no test sees; hours, can be stopped and taken up (tests/mutants/README.md)
# make coverage which lines of the trusted modules the tests run; ten minutes, needs llvm-tools of the compiler's version (tests/coverage/README.md)
# make campaign random mechanisms through the program, every answer against an independent truth; a quarter of an hour (tests/campaign/README.md)
# make claims   random claims near the truth, certified, the certificates forged; can be stopped and taken up (tests/campaign/README.md)
# make install  build and copy programs, manual pages and completions below PREFIX, /usr/local by default
# make release  pack stripped static binaries, manual pages and completions into target/
# make deb      pack programs, manual pages and completions as a Debian package into target/
# make python   build the Python package in a virtual environment and run its tests (python/README.md)
# make peers    run other accountants beside this one and print the table; PEERS_OPTIONS="--only deep --repeat 1" and so on
# make size     build what packages hold, which stays below 10 MB
# make cluster  a grid of settings on a local cluster that is killed and resumed (benches/cluster/README.md); CLUSTER_OPTIONS=--full
# make certificates  certify all examples, check them, and say which decided claims have no certificate; CLAIMS="a,b c" for other inputs

CARGO ?= cargo

# GMP and MPFR are configured by scripts of many small commands, which dash runs in two thirds of the time that bash takes.
ifneq ($(wildcard /bin/dash),)
export CONFIG_SHELL ?= /bin/dash
endif

PROGRAM = $(or $(CARGO_TARGET_DIR),target)/release/dpcmp

.PHONY: size cluster verify test instructions bench proofs proved mutants coverage campaign claims peers certificates python install release deb set-up set-up-proofs

CLAIMS ?= examples/claims/de-et-al.toml examples/claims/published,examples/claims/deployments examples/claims

# The example contains false claims on purpose, so "something was refuted" (1) is what it should say.
verify: set-up
	$(CARGO) build --release --locked --bins
	@$(PROGRAM) verify examples/claims/de-et-al.toml; code=$$?; \
	if [ $$code -le 1 ]; then exit 0; else exit $$code; fi

test: set-up
	$(CARGO) test --release --locked --bins --test '*'
	$(CARGO) test --release --locked --doc
	$(CARGO) test --profile bench --locked --lib

instructions: set-up
	$(CARGO) build --release --locked --bin dpcmp
	benches/instructions $(PROGRAM) --check

bench: set-up
	$(CARGO) bench --profile release --locked --package dpcmp-benches

proofs: set-up-proofs
	proofs/build

proved: set-up-proofs
	proofs/program/build

MUTANTS = $(CARGO) run --release --locked --quiet --manifest-path tests/mutants/Cargo.toml --target-dir target/mutants/tool --

mutants: set-up
	test -e target/mutants/tests.tsv || $(MUTANTS) prepare
	$(MUTANTS) run $(MUTANTS_OPTIONS)
	$(MUTANTS) report --write tests/mutants/RECORD.md

coverage: set-up
	tests/coverage/run $(COVERAGE_OPTIONS)

campaign: set-up
	$(CARGO) build --release --locked --bin dpcmp
	tests/campaign/run --program $(PROGRAM) $(CAMPAIGN_OPTIONS)

claims: set-up
	$(CARGO) build --release --locked --bin dpcmp
	tests/campaign/run claims --program $(PROGRAM) $(CLAIMS_OPTIONS)

peers: set-up
	$(CARGO) build --release --locked --bin dpcmp
	benches/peers/run $(PEERS_OPTIONS)

cluster: set-up
	benches/cluster/run $(CLUSTER_OPTIONS)

certificates: set-up
	$(CARGO) build --release --locked --bin dpcmp
	python3 benches/certificates.py $(PROGRAM) $(CLAIMS)

PREFIX ?= /usr/local
SHARE = $(DESTDIR)$(PREFIX)/share

# `make install PROFILE=dist` installs the smallest program (Cargo.toml), which packages have. The checker goes on after a panic, so it is built to unwind.
PROFILE ?= release
BUILT = $(or $(CARGO_TARGET_DIR),target)/$(PROFILE)/dpcmp

install: set-up
	$(CARGO) build --profile $(PROFILE) --locked --bin dpcmp
	$(CARGO) build --release --locked --package dpcmp-check
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/man/man1 $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	install -s $(BUILT) $(dir $(PROGRAM))dpcmp-check $(DESTDIR)$(PREFIX)/bin
	$(BUILT) manual $(SHARE)/man/man1
	$(BUILT) completions bash >$(SHARE)/bash-completion/completions/dpcmp
	$(BUILT) completions zsh >$(SHARE)/zsh/site-functions/_dpcmp
	$(BUILT) completions fish >$(SHARE)/fish/vendor_completions.d/dpcmp.fish

# What packages hold stays below ten million bytes.
size: set-up
	$(CARGO) build --profile dist --locked --bin dpcmp
	@wc -c $(or $(CARGO_TARGET_DIR),target)/dist/dpcmp | tee /dev/stderr | awk '{ exit $$1 >= 10000000 }'

release:
	.ci/release

deb: set-up
	.ci/deb

python: set-up
	python/build

set-up:
	@.ci/set-up

set-up-proofs:
	@.ci/set-up proofs

# The guide as pages, where mdBook is installed (`cargo install mdbook`); it is Markdown otherwise.
.PHONY: guide
guide:
	docs/guide/build
