# Contains only the program, with all features, run by an unprivileged user. Crawl directories belong below /data.
FROM rust:1.90-bookworm AS build
WORKDIR /build
COPY . .
RUN cargo build --locked --profile dist --all-features --bin harvestman

FROM debian:bookworm-slim
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
    CMD ["/bin/sh", "-c", "exec harvestman status \"$HARVESTMAN_CRAWL_OUT\""]
EXPOSE 9900
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/harvestman"]
CMD ["--help"]
