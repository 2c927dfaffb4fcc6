"""Makes accounts and posts by the server's own functions: populate.py TEXT_DIR (SITE_HOME, PORT, SEED, SCALE)."""
import datetime as dt
import os
import random
import re
import sys
from pathlib import Path

APP = os.environ["SITE_HOME"] + "/app"
sys.path.insert(0, APP)
os.chdir(APP)

import follow  # noqa: E402
import inbox  # noqa: E402
import person  # noqa: E402
import posts  # noqa: E402
import skills  # noqa: E402
import utils  # noqa: E402

HOST, PORT = "127.0.0.1", int(os.environ["PORT"])
FULL = "%s:%d" % (HOST, PORT)
START = dt.datetime(2019, 4, 1, 6, 0)
DAYS = 1500
FIRST = """ada aldo alba bice carlo cinzia dario delia elsa enea fabio fosca gaia gino ilaria irene lapo lella mario
mirna nanda nino olga oreste piera pino rina rocco sara sesto tea tullio ugo vanna vito zeno agata bruna
cosimo donata egidio flavia gemma iole lidia mattia noemi ottavio perla quinto""".split()
LAST = """abate berti conti donati esposito ferri galli longo marini neri orsi pace riva serra testa urso valli zanon
bassi corsi""".split()
TRADES = """cucina ciclismo fotografia scacchi giardinaggio musica cinema lettura programmazione viaggi disegno nuoto
falegnameria astronomia traduzione""".split()
TAGS = """amore donna donne uomini vita morte tempo mondo lavoro amico amici computer linux windows internet telefono
scuola libro libri lettura scrittore cinema film musica politica stato governo guerra pace soldi denaro fortuna
felicita verita umorismo barzellette carabinieri medico dottore matrimonio moglie marito figli bambini mamma padre
natale mare terra acqua fuoco notte giorno cielo spazio universo scienza matematica natura animali cane gatto cuore
cervello testa paura successo errore errori problema problemi legge leggi regola calcio sport roma milano bologna
napoli italia america proverbio saggezza futuro storia arte filosofia religione chiesa pensieri parole
silenzio""".split()


def power(rng, alpha, top):
    """0, 1, 2 ... with a heavy tail: P(at least n) = 1 / (n + 1) ** alpha."""
    return min(top, int(rng.random() ** (-1 / alpha)) - 1)


def texts(folder):
    out, seen = [], set()
    for path in sorted(Path(folder).iterdir()):
        if path.suffix == ".dat" or path.name == "banner":
            continue
        raw = path.read_bytes()
        try:
            source = raw.decode("utf-8")
        except UnicodeDecodeError:
            source = raw.decode("latin-1")
        for item in re.split(r"\n%\n", source):
            item = re.sub(r"\s*\n\s*--+\s*", " (", item.strip()) + (")" if re.search(r"\n\s*--", item) else "")
            item = re.sub(r"\s+", " ", item).replace("#", "").replace("@", " ")
            key = re.sub(r"\W+", "", item.lower())
            if 45 < len(item) < 460 and len(item.split()) > 8 and key not in seen and "http" not in item:
                seen.add(key)
                out.append(item)
    return out


def tags_of(text, rng):
    words = set(re.findall(r"[a-z]+", text.lower()))
    return sorted(w for w in TAGS if w in words)[:3] or [rng.choice(TAGS)]


class Clock:
    """The server dates a post by the time at which it is made."""
    now = START


def main(folder):
    rng = random.Random(int(os.environ.get("SEED", "1")))
    scale = float(os.environ.get("SCALE", "1"))
    stock = texts(folder)
    rng.shuffle(stock)
    original = utils.getStatusNumber
    posts.getStatusNumber = lambda published=None: original(Clock.now.strftime("%Y-%m-%dT%H:%M:%SZ"))

    names = []
    while len(names) < min(700, max(12, round(230 * scale))):
        name = rng.choice(FIRST) + rng.choice(["", "", "7", "80"]) + rng.choice(LAST + [""] * 6)
        if name not in names:
            names.append(name)
    for name in names:
        person.createPerson(APP, name, HOST, PORT, "http", True, False, "solo per registrazioni")
        path = "%s/accounts/%s@%s.json" % (APP, name, HOST)
        actor = utils.loadJson(path)
        actor["name"] = name.rstrip("0123456789").title()
        actor["summary"] = "<p>%s</p>" % stock.pop()
        utils.saveJson(actor, path)
        for skill in rng.sample(TRADES, rng.choice((0, 1, 2, 3))):
            skills.setSkillLevel(APP, name, HOST, skill, rng.randint(20, 100))
    weights = [1 / (i + 1) ** 0.75 for i in range(len(names))]
    for name in names:
        for other in {rng.choices(names, weights)[0] for _ in range(2 + power(rng, 0.9, 60))} - {name}:
            follow.followPerson(APP, name, HOST, other, FULL, [], False)
            follow.followerOfPerson(APP, other, HOST, name, FULL, [], False)

    def publish(name, text, parent=None):
        post = posts.createPublicPost(APP, name, HOST, PORT, "http", text, False, True, False, True, None, None, None,
                                      inReplyTo=parent, inReplyToAtomUri=parent)
        address = post["object"]["id"]
        index.setdefault(name, []).append((Clock.now, address.replace("/", "#") + ".json"))
        if parent:
            inbox.populateReplies(APP, "http", FULL, post, 64, False)
        return address

    index, total, wanted = {}, 0, round(950 * scale)
    while total < wanted:
        first = START + dt.timedelta(days=DAYS * rng.random(), seconds=rng.randrange(86000))
        author, text = rng.choices(names, weights)[0], stock.pop()
        Clock.now = first
        thread = [(author, publish(author, text + " " + " ".join("#" + t for t in tags_of(text, rng))), first)]
        for _ in range(power(rng, 0.95, 40)):
            to, parent, when = thread[0] if rng.random() < 0.55 else rng.choice(thread)
            who, text = rng.choices(names, weights)[0], stock.pop()
            Clock.now = max(when, thread[-1][2]) + dt.timedelta(seconds=40 + int(rng.expovariate(1 / 9000)))
            mark = " " + " ".join("#" + t for t in tags_of(text, rng)) if rng.random() < 0.85 else ""
            thread.append((who, publish(who, "@%s@%s %s%s" % (to, FULL, text, mark), parent), Clock.now))
        total += len(thread)
    for name, entries in index.items():        # the newest first
        Path("%s/accounts/%s@%s/outbox.index" % (APP, name, HOST)).write_text(
            "".join(file + "\n" for _, file in sorted(entries, reverse=True)))
    for name in names:                         # some functions look for the account with the port in its name
        os.symlink("%s@%s" % (name, HOST), "%s/accounts/%s@%s" % (APP, name, FULL))
    print(len(names), "members", total, "posts", len(list(Path(APP, "tags").iterdir())), "tags")


if __name__ == "__main__":
    main(os.path.join(os.environ["SITE_HOME"], sys.argv[1]))
