# docker build -t dpcmp . && docker run --rm -v "$PWD:/claims:ro" dpcmp verify /claims
FROM rust:1.88-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev m4 make && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN cargo build --profile dist --locked --bin dpcmp && cargo build --release --locked --package dpcmp-check \
    && strip target/release/dpcmp-check

FROM debian:bookworm-slim
COPY --from=build /source/target/dist/dpcmp /source/target/release/dpcmp-check /usr/local/bin/
USER nobody
WORKDIR /claims
ENTRYPOINT ["dpcmp"]
