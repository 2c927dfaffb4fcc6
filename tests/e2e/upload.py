#!/usr/bin/env python3
"""Crawls with uploads to an S3-compatible server (moto), reads the objects back with another client (boto3), and injects faults.

Usage: upload.py HARVESTMAN WORK

WORK is recreated. HARVESTMAN is a binary with the feature `upload`.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import boto3

from sim import CRAWL, end_on_sigterm, served

SECONDS_MAX = 300
READY_SECONDS_MAX = 30
BUCKET = "archives"
MIB = 2**20
# Bypasses any configured proxy.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def storage(port):
    """Storage whose contents are lost when it ends."""
    command = [os.path.join(os.path.dirname(sys.executable), "moto_server"), "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + READY_SECONDS_MAX
        while not _answers(port):
            assert server.poll() is None, "the storage ended"
            assert time.monotonic() < deadline, "the storage does not respond"
            time.sleep(0.1)
        yield
    finally:
        server.kill()
        server.wait()


def _answers(port):
    try:
        _OPENER.open(f"http://127.0.0.1:{port}/", timeout=5).close()
        return True
    except OSError:
        return False


class Upload:
    """The upload destination, and the programs that write to it and read from it."""

    def __init__(self, binary, work, port):
        self.binary, self.work = binary, work
        url = f"http://127.0.0.1:{port}"
        keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test-secret", "AWS_REGION": "us-east-1"}
        self.environment = {**os.environ, **keys, "AWS_ENDPOINT_URL": url}
        self.client = boto3.client("s3", endpoint_url=url, aws_access_key_id="test", aws_secret_access_key="test-secret",
                                   region_name="us-east-1")

    def run(self, *arguments, code=0, **environment):
        done = subprocess.run([self.binary, *arguments], env={**self.environment, **environment}, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=SECONDS_MAX)
        assert done.returncode == code, f"{arguments}: exit code {done.returncode} instead of {code}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def crawl(self, seed, name, *more, code=0, **environment):
        out = os.path.join(self.work, name)
        place = f"archive.upload=s3://{BUCKET}/{name}"
        return out, self.run("crawl", seed, "--out", out, *CRAWL, "--set", place, *more, code=code, **environment)

    def check(self, out, name):
        """Checks that the storage contains exactly the local files, byte for byte."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=f"{name}/")
        there = {row["Key"].removeprefix(f"{name}/"): row["Size"] for page in pages for row in page.get("Contents", [])}
        warc = os.path.join(out, "warc")
        here = {file: os.path.getsize(os.path.join(warc, file)) for file in os.listdir(warc)}
        assert there == here, f"the storage contains {there} instead of {here}"
        for file in here:
            with open(os.path.join(warc, file), "rb") as one:
                body = self.client.get_object(Bucket=BUCKET, Key=f"{name}/{file}")["Body"].read()
                assert one.read() == body, f"the uploaded {file} has different bytes"
        print(f"{name}: {len(here)} files of {sum(here.values()) / MIB:.1f} MiB were uploaded byte for byte")
        return here


def small_and_large(upload, seed):
    """Files uploaded in one request, and a file uploaded in parts."""
    out, _ = upload.crawl(seed, "small", "--set", "archive.file_size_max=1MiB")
    assert len(upload.check(out, "small")) > 2, "too few files"
    out, _ = upload.crawl(seed, "large", "--set", "archive.compress=false")
    assert max(upload.check(out, "large").values()) > 9 * MIB, "no file was large enough for a multipart upload"


def again_and_taken(upload):
    """Uploaded files are not sent again; foreign objects with the same name are not overwritten."""
    out = os.path.join(upload.work, "small")
    said = upload.run("upload", out, "--to", f"s3://{BUCKET}/small")
    assert "0 WARC files" in said and "had been uploaded before" in said, said
    first, second, *_ = sorted(os.listdir(os.path.join(out, "warc")))
    upload.client.put_object(Bucket=BUCKET, Key=f"small/{first}", Body=b"somebody else's")
    upload.client.delete_object(Bucket=BUCKET, Key=f"small/{second}")
    said = upload.run("upload", out, "--to", f"s3://{BUCKET}/small", code=1)
    assert "use another prefix" in said, said
    assert upload.client.get_object(Bucket=BUCKET, Key=f"small/{first}")["Body"].read() == b"somebody else's"
    upload.client.head_object(Bucket=BUCKET, Key=f"small/{second}")
    print("uploaded files are kept, missing files are uploaded, foreign objects are reported")


def refused_at_the_start(upload, seed):
    """Unreachable and invalid destinations are reported before anything is created."""
    out, said = upload.crawl(seed, "nowhere", code=2, AWS_ENDPOINT_URL=f"http://127.0.0.1:{free_port()}")
    assert "archive.upload: listing s3://" in said and not os.path.exists(out), said
    said = upload.run("crawl", seed, "--out", out, *CRAWL, "--set", "archive.upload=s3:archives", code=2)
    assert "write s3://BUCKET/PREFIX" in said and not os.path.exists(out), said
    said = upload.run("upload", upload.work, code=2)
    assert "no destination is given" in said, said
    print("invalid destinations are reported, and nothing is created")


def storage_goes_away(binary, work, seed):
    """The crawl ends normally and reports the missing uploads, which can be done later."""
    port = free_port()
    upload = Upload(binary, work, port)
    with storage(port):
        upload.client.create_bucket(Bucket=BUCKET)
        out = os.path.join(work, "away")
        command = [binary, "crawl", seed, "--out", out, *CRAWL, "--set", f"archive.upload=s3://{BUCKET}/away", "--set", "archive.file_size_max=1MiB"]
        with open(os.path.join(work, "away.log"), "wb") as log:
            crawl = subprocess.Popen(command, env=upload.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            deadline = time.monotonic() + SECONDS_MAX
            while not os.path.exists(os.path.join(out, "pages.jsonl")):
                assert time.monotonic() < deadline and crawl.poll() is None, "the crawl did not start"
                time.sleep(0.01)
    try:
        code = crawl.wait(timeout=SECONDS_MAX)
    finally:
        crawl.kill()
    with open(os.path.join(work, "away.log"), encoding="utf-8") as log:
        said = log.read()
    assert code == 0, f"exit code {code}\n{said}"
    assert "WARC files were not uploaded" in said and "harvestman upload" in said, said
    with storage(port):
        upload.client.create_bucket(Bucket=BUCKET)
        upload.run("upload", out, "--to", f"s3://{BUCKET}/away")
        upload.check(out, "away")
    print("after the storage went away, a later upload was sufficient")


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    binary, work = map(os.path.abspath, sys.argv[1:])
    end_on_sigterm()
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    port = free_port()
    with served(binary, "--pages", "1500", "--hosts", "6", seconds_max=SECONDS_MAX) as seed, storage(port):
        upload = Upload(binary, work, port)
        upload.client.create_bucket(Bucket=BUCKET)
        small_and_large(upload, seed)
        again_and_taken(upload)
        refused_at_the_start(upload, seed)
        storage_goes_away(binary, work, seed)
    shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
