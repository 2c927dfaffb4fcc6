"""What the forums of the test beds have in common: their scripts, and how Django stores times."""

import os
import shutil
import subprocess

SETUP_SECONDS_MAX = 1_500


def set_up(site, name):
    """Makes a forum, unless the folder holds one. An environment of Python that another setup made may be given."""
    if os.path.exists(os.path.join(site.home, "data", "db.sqlite3")):
        return
    os.makedirs(site.home, exist_ok=True)
    if site.environment:
        os.symlink(os.path.abspath(site.environment), os.path.join(site.home, "venv"))
    try:
        subprocess.run(["sh", os.path.join(site.beds, name, "setup.sh")], env=environment(site), check=True, timeout=SETUP_SECONDS_MAX)
    except BaseException:
        shutil.rmtree(site.home)
        raise


def server(site, name):
    return ["sh", os.path.join(site.beds, name, "serve.sh")], environment(site)


def environment(site):
    return {**os.environ, "BED_HOME": site.home, "PORT": str(site.port), "WORKERS": "2", "SCALE": f"{site.scale:.3f}", "SEED": "1"}


def utc(stored):
    """A time as Django stores it in SQLite, to the second and with its zone."""
    return stored[:19].replace(" ", "T") + "+00:00"
