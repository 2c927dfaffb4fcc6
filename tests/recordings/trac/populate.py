"""Fill the Trac environment: python populate.py ENV_DIR TEXT_DIR (SEED, SCALE from the environment)."""
import glob
import os
import random
import sys

from trac.env import open_environment
from trac.ticket.model import Component, Milestone, Report, Version
from trac.util.datefmt import to_utimestamp

import corpus
import people
import tickets
import wiki

SEED = int(os.environ.get("SEED", "1"))
SCALE = float(os.environ.get("SCALE", "1"))
ENV, TEXT = sys.argv[1:3]

MILESTONES = [("3.%d" % n, n / 8) for n in range(1, 7)] + [("docs-refresh", 0.45), ("4.0", 1.15), ("someday", None)]

REPORTS = [
    ("Tickets by reporter", "Number of tickets of every reporter, open and closed.",
     "SELECT reporter, COUNT(*) AS tickets, SUM(CASE WHEN status<>'closed' THEN 1 ELSE 0 END) AS open_tickets\n"
     "FROM ticket GROUP BY reporter ORDER BY tickets DESC"),
    ("Recently closed tickets", "The last 60 tickets that were closed, newest first.",
     "SELECT id AS ticket, summary, component, resolution, changetime AS modified\n"
     "FROM ticket WHERE status='closed' ORDER BY changetime DESC LIMIT 60"),
    ("Tickets with most comments", "Where the long discussions are.",
     "SELECT t.id AS ticket, t.summary, t.component, COUNT(*) AS comments FROM ticket t\n"
     "JOIN ticket_change c ON c.ticket=t.id AND c.field='comment' AND c.newvalue<>''\n"
     "GROUP BY t.id ORDER BY comments DESC, t.id LIMIT 50"),
]


def main():
    rng = random.Random(SEED)
    env = open_environment(ENV)
    if env.db_query("SELECT COUNT(*) FROM ticket")[0][0]:
        sys.exit("already filled")
    streams = corpus.rst_streams(os.path.join(TEXT, "doc/python3.11/html/_sources"))
    who = people.People(rng, max(12, int(60 * SCALE ** 0.5)))

    # The pages that Trac brings along get a date at the start of the project.
    with env.db_transaction as db:
        db("UPDATE wiki SET time=%s", (to_utimestamp(people.START),))

    for c in list(Component.select(env)):
        c.delete()
    for v in list(Version.select(env)):
        v.delete()
    for m in list(Milestone.select(env)):
        m.delete()
    folders = {}
    for folder, files in streams.items():
        pool = [corpus.Stream(*f) for f in files]
        if sum(s.left() for s in pool) >= 100:
            folders[folder] = pool
    for folder in folders:
        c = Component(env)
        c.name, c.owner = folder, who.member()
        c.insert()
    notes = corpus.Stream("", [p for f in folders.values() for s in f[-2:] for p in s.prose[-30:]], [])
    for f in folders.values():        # the notes serve descriptions and profiles only
        for s in f[-2:]:
            del s.prose[-30:]
    rng.shuffle(notes.prose)

    milestones = []
    for name, part in MILESTONES:
        m = Milestone(env)
        m.name, m.description = name, notes.take(people.length(rng, 60))
        if part is not None:
            m.due = people.day(rng, part)
            if part < 0.85:
                m.completed = people.later(rng, m.due, 9)
                v = Version(env)
                v.name, v.time, v.description = name, m.completed, notes.take(25)
                if name[0].isdigit():
                    v.insert()
        m.insert()
        milestones.append((name, m.due, m.completed))
    for title, description, query in REPORTS:
        r = Report(env)
        r.title, r.description, r.query = title, description, query
        r.insert()

    pods = os.path.join(TEXT, "perl")
    pod_files = sorted(glob.glob(pods + "/*/pod/*.pod"))
    images = sorted(glob.glob(os.path.join(TEXT, "doc/python3.11/html/_images/*.png")))
    pages = wiki.fill(env, rng, who, notes, pod_files, images, int(208 * SCALE), int(30 * SCALE ** 0.5),
                      list(folders))
    with env.db_transaction:
        tickets.fill(env, rng, who, folders, milestones, pages, int(380 * SCALE))
    print("users %d, wiki pages %d, tickets %d, changes %d, attachments %d" % (
        len(who.names), env.db_query("SELECT COUNT(DISTINCT name) FROM wiki")[0][0],
        env.db_query("SELECT COUNT(*) FROM ticket")[0][0],
        env.db_query("SELECT COUNT(DISTINCT ticket||' '||time) FROM ticket_change")[0][0],
        env.db_query("SELECT COUNT(*) FROM attachment")[0][0]))


main()
