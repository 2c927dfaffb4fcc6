"""What the sites of tests/recordings have in common: their scripts."""

import os
import subprocess

SETUP_SECONDS_MAX = 1_500


def set_up(site, name):
    """Makes a site, unless the folder holds one of this size."""
    os.makedirs(site.home, exist_ok=True)
    script = ["sh", os.path.join(site.recordings, name, "setup.sh")]
    with open(os.path.join(site.home, "setup.log"), "w", encoding="utf-8") as log:
        subprocess.run(script, env=environment(site), check=True, timeout=SETUP_SECONDS_MAX, stdout=log, stderr=log)


def server(site, name):
    return ["sh", os.path.join(site.recordings, name, "serve.sh")], environment(site)


def environment(site):
    return {**os.environ, "SITE_HOME": site.home, "PORT": str(site.port), "BASE_URL": site.base, "SCALE": f"{site.scale:g}", "SEED": "1"}
