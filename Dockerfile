# Contains only the program, with all features, run by an unprivileged user. Crawl directories belong below /data.
# Images are named by digest, because a tag can be moved; docs/how-to/install.md says how to renew them.
FROM rust:1.90-bookworm@sha256:3914072ca0c3b8aad871db9169a651ccfce30cf58303e5d6f2db16d1d8a7e58f AS build
WORKDIR /build
COPY . .
RUN rustup component add llvm-tools && packaging/train.sh --features full
RUN RUSTFLAGS=-Cprofile-use=/build/target/train/harvestman.profdata \
    cargo build --locked --profile dist --features full --bin harvestman

FROM debian:bookworm-slim@sha256:7b140f374b289a7c2befc338f42ebe6441b7ea838a042bbd5acbfca6ec875818
# Further packages: chromium-headless-shell renders pages.
ARG PACKAGES=""
RUN if [ -n "$PACKAGES" ]; then \
        apt-get update && apt-get install --yes --no-install-recommends $PACKAGES && rm -rf /var/lib/apt/lists/*; \
    fi
RUN useradd --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin harvestman \
    && install --directory --owner=harvestman --group=harvestman /data
COPY --from=build /build/target/dist/harvestman /usr/local/bin/harvestman
USER harvestman
WORKDIR /data
VOLUME /data
# Where a crawl without --out writes to, and the crawl that is asked whether it is alive.
ENV HARVESTMAN_CRAWL_OUT=/data/crawl
# The control socket answers without a port.
HEALTHCHECK --interval=30s --timeout=10s --start-period=1m --retries=3 \
    CMD ["/bin/sh", "-c", "exec harvestman ctl \"$HARVESTMAN_CRAWL_OUT\" status"]
EXPOSE 9900
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/harvestman"]
CMD ["--help"]
