# Contains only the program, run by an unprivileged user. Crawl directories belong below /data.
FROM rust:1.90-bookworm AS build
WORKDIR /build
COPY . .
RUN cargo build --locked --release --bin harvestman

FROM debian:bookworm-slim
RUN useradd --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin harvestman \
    && install --directory --owner=harvestman --group=harvestman /data
COPY --from=build /build/target/release/harvestman /usr/local/bin/harvestman
USER harvestman
WORKDIR /data
VOLUME /data
EXPOSE 9900
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/harvestman"]
CMD ["--help"]
