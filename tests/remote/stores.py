#!/usr/bin/env python3
"""stores.py TENON: s3:// at a store that verifies signatures, hf:// at a hub.

The store needs s3rver, @smithy/signature-v4 and @aws-crypto/sha256-js in the
node_modules of $ENGINES; without them only the hub is tried.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

from servers import fetch_json, node, noise, run, safetensors, skip

TENSORS = {"b": noise(3000000, 1)}


def check(tenon, bad, url, is_good, **environment):
    done = run(tenon, "get", url, "b", "--raw", "-o", "-", **environment)
    holds = (done.stdout == TENSORS["b"] and done.returncode == 0
             if is_good else done.returncode == 7 and not done.stdout)
    secrets = [value for name, value in environment.items()
               if "SECRET" in name or "TOKEN" in name]
    if not holds or any(s.encode() in done.stderr for s in secrets):
        bad.append(f"{url}: {done.returncode} {done.stderr.decode()[-300:]}")


def hub(tenon, bad, folder):
    for owner in ("acme", "gated"):
        os.makedirs(f"{folder}/{owner}/m")
        safetensors(f"{folder}/{owner}/m/x.safetensors", TENSORS)
    with node("hub.mjs", folder) as server:
        at = f"http://127.0.0.1:{server.line[1]}"
        check(tenon, bad, "hf://acme/m/x.safetensors", True, HF_ENDPOINT=at)
        check(tenon, bad, "hf://acme/m@v1/x.safetensors", True, HF_ENDPOINT=at,
              HF_TOKEN="hf_tenon")
        check(tenon, bad, "hf://gated/m/x.safetensors", False, HF_ENDPOINT=at)
        check(tenon, bad, "hf://gated/m/x.safetensors", False, HF_ENDPOINT=at,
              HF_TOKEN="hf_other")
        check(tenon, bad, "hf://gated/m/x.safetensors", True, HF_ENDPOINT=at,
              HF_TOKEN="hf_tenon")
        if any(row["at"] == "cdn" and row.get("auth")
               for row in fetch_json(f"{at}/__log")):
            bad.append("the token went to another host")


def store(tenon, bad, folder, path):
    with node("s3_store.cjs", folder, "34568", "34569"):
        with open(path, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        at = "http://127.0.0.1:34569"
        subprocess.run(
            ["curl", "-s", "--noproxy", "*", "--aws-sigv4",
             "aws:amz:us-east-1:s3", "--user", "AKIDTENON:SECRETTENON", "-H",
             f"x-amz-content-sha256: {digest}", "-T", path,
             f"{at}/models/d/x.safetensors"], check=True, timeout=60)
        url = "s3://models/d/x.safetensors"
        keys = {"AWS_ENDPOINT_URL": at, "AWS_ACCESS_KEY_ID": "AKIDTENON"}
        check(tenon, bad, url, True, AWS_SECRET_ACCESS_KEY="SECRETTENON",
              **keys)
        check(tenon, bad, url, False, AWS_SECRET_ACCESS_KEY="wrong", **keys)
        check(tenon, bad, url, False, AWS_ENDPOINT_URL=at)
        profile = os.path.join(folder, "credentials")
        with open(profile, "w", encoding="utf-8") as file:
            file.write("[default]\naws_access_key_id = no\n[p]\n"
                       "aws_access_key_id = AKIDTENON\n"
                       "aws_secret_access_key = SECRETTENON\n")
        check(tenon, bad, url, True, AWS_ENDPOINT_URL_S3=at, AWS_PROFILE="p",
              AWS_SHARED_CREDENTIALS_FILE=profile)


def main():
    tenon, bad = os.path.abspath(sys.argv[1]), []
    if not shutil.which("node"):
        skip("no node")
    engines = os.environ.get("ENGINES", "")
    with tempfile.TemporaryDirectory() as folder:
        hub(tenon, bad, folder)
        if os.path.isdir(f"{engines}/node_modules/s3rver"):
            store(tenon, bad, f"{folder}/s3",
                  f"{folder}/acme/m/x.safetensors")
    for line in bad:
        print(line)
    print(f"{len(bad)} claims do not hold")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
