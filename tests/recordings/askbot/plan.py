"""Plans the site without touching the database: users, threads, and events in time order.

plan(sections, seed, scale) returns (users, threads, events).  An event is
(time, order, kind, data); populate.py plays the events through Askbot's own methods in
the order of time, so that ids, revisions, karma and badges grow as on a real site.
"""
import collections
import datetime
import random
import re

from corpus import TAG_RE, names
from topics import INTEREST, choose_interests, topic_of_words, topics_of

BASE = datetime.datetime(2023, 1, 9, 8, 0)  # without a zone, as the installer sets Django up
DAYS = 700
COMMON = set("""foo bar user group file files read find command remove info echo sort less top diff
login root control main script make patch shutdown sdb sdc sdf eth0 hostname shadow prerm postrm
disk.img read write true false www-data falcot.com free path name type test time date who host
install package source deb yes local address option options root share default list
salsa.debian.org debian""".split())
FIRST = """Adrien Agnes Bela Carla Chidi Dario Edith Farid Goran Hanna Ines Ivo Jonas Kari Lena
Luc Maja Milan Nadia Nils Olga Paulo Petra Quentin Rosa Sami Tilda Uwe Vera Wim Yara Zoltan""".split()
LAST = """Abbot Bergen Castel Dahl Egger Forsyth Galli Holm Ivers Jansky Kovac Lund Marek Novy
Ortega Pohl Quist Rossi Sorel Toth Urban Vidal Weiss Ylonen Zeller""".split()
CITIES = [("Oslo", "NO"), ("Lyon", "FR"), ("Graz", "AT"), ("Porto", "PT"), ("Brno", "CZ"),
          ("Turku", "FI"), ("Bath", "GB"), ("Ghent", "BE"), ("Davis", "US"), ("Kyoto", "JP")]


def zipf(rng, n, a=1.0):
    """Index below n with the weight of rank r being 1 / r**a."""
    return rng.choices(range(n), [1 / (i + 1) ** a for i in range(n)])[0]


def power(rng, low, high, a):
    """Whole number between low and high from a bounded power law."""
    u = rng.random()
    p = 1 - a
    return int((u * ((high + 1) ** p - low ** p) + low ** p) ** (1 / p))


def wait(rng, shape, cap=400.0):
    """Days until an event: heavy tail, but within the life of the site."""
    return min(cap, rng.paretovariate(shape) - 1)


def sentences(text):
    return [s for s in re.split(r"(?<=[.!?])\s+(?=[A-Z`])", text) if s]


def make_users(rng, n, abouts):
    users, seen = [], set()
    for i in range(n):
        f, l = rng.choice(FIRST), rng.choice(LAST)
        name = rng.choice([f.lower() + l[0].lower(), l.lower(), f + l, f.lower() + "." + l.lower(),
                           f, f.lower() + str(rng.randint(2, 99)), "%s %s" % (f, l)])
        while name.lower() in seen:
            name += str(rng.randint(0, 9))
        seen.add(name.lower())
        u = {"name": name, "joined": BASE + datetime.timedelta(days=DAYS * rng.random() ** 2 * 0.6)}
        if rng.random() < 0.5 and abouts:
            u["about"] = abouts.pop()
        if rng.random() < 0.4:
            u["real_name"] = "%s %s" % (f, l)
        if rng.random() < 0.35:
            u["city"], u["country"] = rng.choice(CITIES)
        if rng.random() < 0.2:
            u["website"] = "http://%s.example.org/" % re.sub(r"\W", "", name.lower())
        users.append(u)
    return users


def tag_vocabulary(sections, size):
    count = collections.Counter()
    for s in sections:
        count.update({n for p in s["paras"] for n in names(p) if TAG_RE.match(n)} - COMMON)
    return sorted(count, key=lambda t: (-count[t], t))[:size]


def title_for(section, para, used):
    """The heading of the section, else the beginning of the paragraph."""
    clean = re.sub(r"[`*_]", "", sentences(para)[0])
    clean = clean.replace("&lt;", "").replace("<", "")
    words = clean.split()
    for t in (section["title"], " ".join(words[:11]) + ("" if len(words) <= 11 else " ..."), clean):
        t = t.strip(" :.")[:180]
        if len(t) >= 14 and len(t.split()) >= 2 and not t[0].islower() and t.lower() not in used:
            used.add(t.lower())
            return t
    return None


def take_posts(rng, sections, n_threads):
    """Cuts the stream of sections into threads of one question, answers and comments."""
    threads, used = [], set()
    stream = [(s, p) for s in sections for p in s["paras"]]
    pos = 0
    while pos < len(stream) and len(threads) < n_threads:
        n_ans = 0 if rng.random() < 0.13 else power(rng, 1, 24, 2.4)
        q_len = 1 + (rng.random() < 0.3)
        section, first = stream[pos]
        title = title_for(section, first, used)
        if title is None or len(first.split()) < 8:
            pos += 1
            continue
        t = {"title": title, "manual": section["manual"], "answers": [], "comments": []}
        t["body"] = "\n\n".join(p for _, p in stream[pos:pos + q_len])
        pos += q_len
        while len(t["answers"]) < n_ans and pos < len(stream):
            k = power(rng, 1, 5, 2.2)
            part = [p for _, p in stream[pos:pos + k]]
            pos += k
            t["answers"].append("\n\n".join(part))
        # Short paragraphs that follow become comments, up to a power law count.
        budget = power(rng, 1, 14, 1.7) - 1
        while budget and pos < len(stream):
            p = stream[pos][1]
            words = len(p.split())
            if words > 60 or "\n" in p:
                break
            t["comments"].append(p)
            pos += 1
            budget -= 1
        threads.append(t)
    return threads, pos / max(1, len(stream))


def tags_for(rng, thread, vocab):
    text = " ".join([thread["title"], thread["body"]] + thread["answers"]).lower()
    words = collections.Counter(re.findall(r"[a-z][a-z0-9.+-]*[a-z0-9+]", text))
    found = sorted((t for t in vocab if words[t]), key=lambda t: (-words[t], t))
    k = 1 + min(3, power(rng, 1, 4, 1.5))
    tags = found[:k]
    if not topics_of(tags):
        topic = topic_of_words(words)
        tags = tags[:3] + ([topic] if topic else [])
    if len(tags) < 2 or rng.random() < 0.4:
        tags.append(thread["manual"])
    return list(dict.fromkeys(tags))[:5]


def plan(sections, seed, scale):
    rng = random.Random(seed)
    # Sections of one manual stay together in runs of five, so neighbours speak of one matter.
    runs = [sections[i:i + 5] for i in range(0, len(sections), 5)]
    rng.shuffle(runs)
    sections = [s for r in runs for s in r]
    # Texts for profiles come from a reserve that no thread uses.
    reserve, rest = [], []
    for s in sections:
        keep = []
        for p in s["paras"]:
            if len(reserve) < 400 and 5 <= len(p.split()) <= 60 and "\n" not in p and rng.random() < 0.06:
                reserve.append(p)
            else:
                keep.append(p)
        if keep:
            rest.append(dict(s, paras=keep))
    users = make_users(rng, max(12, int(400 * scale)), reserve)
    threads, used = take_posts(rng, rest, max(20, int(410 * scale)))
    vocab = tag_vocabulary(rest, 70)
    for t in threads:
        t["tags"] = tags_for(rng, t, vocab)
    choose_interests(random.Random(seed + 3), users, threads)
    return users, threads, events_for(rng, users, threads), used


def events_for(rng, users, threads):
    ev = []
    n_active = int(len(users) * 0.88)
    order = list(range(len(users)))
    rng.shuffle(order)
    step = DAYS / len(threads)
    day = datetime.timedelta(days=1)

    activity = [1 / (i + 1) ** 0.8 for i in range(n_active)]

    def who(not_user=None, topics=frozenset()):
        weights = [a * (INTEREST if users[u]["interests"] & topics else 1) for a, u in zip(activity, order)]
        while True:
            u = rng.choices(order[:n_active], weights)[0]
            if u != not_user:
                return u

    def add(when, kind, **data):
        ev.append((when, len(ev), kind, data))

    popular = [power(rng, 1, 400, 1.7) for _ in threads]
    for i, t in enumerate(threads):
        topics = topics_of(t["tags"])
        start = BASE + day * (step * (i + rng.random()))
        asker = who(topics=topics)
        key = "q%d" % i
        add(start, "question", key=key, user=asker, thread=i, wiki=rng.random() < 0.02)
        posts = [(key, start, asker)]
        authors = {asker}
        for j, a in enumerate(t["answers"]):
            when = start + day * (0.05 + 0.12 * j + wait(rng, 0.8, 90) * 0.3)
            u = who(asker, topics)
            for _ in range(6):
                if u in authors:   # one answer a person, as the default setting asks
                    u = who(asker, topics)
            authors.add(u)
            akey = "q%da%d" % (i, j)
            add(when, "answer", key=akey, to=key, user=u, thread=i, index=j, quote=rng.random() < 0.15,
                link=rng.randrange(i) if i and rng.random() < 0.14 else None)
            posts.append((akey, when, u))
        for j, c in enumerate(t["comments"]):
            pkey, when, author = posts[zipf(rng, len(posts), 0.8)]
            add(when + day * (0.02 + wait(rng, 1.0) * 0.05), "comment", key="q%dc%d" % (i, j), to=pkey,
                user=who(), text=c)
        for pkey, when, author in posts:
            for e in range(power(rng, 1, 5, 2.6) - 1):
                add(when + day * (0.1 + wait(rng, 0.7) * (e + 1)), "edit", to=pkey,
                    user=author if rng.random() < 0.7 else who(author), n=e)
            for v in range(power(rng, 1, 30, 2.0 if pkey == key else 2.3) - 1):
                add(when + day * (0.1 + wait(rng, 0.6)), "vote", to=pkey, user=who(author),
                    up=rng.random() < 0.9)
        for f in range(power(rng, 1, 15, 2.2) - 1):
            add(start + day * (0.1 + wait(rng, 0.7)), "follow", to=key, user=who(asker))
        if len(posts) > 1 and rng.random() < 0.4:
            add(max(p[1] for p in posts) + day, "accept", to=rng.choice(posts[1:])[0], user=asker)
        if rng.random() < 0.03:
            add(start + day * 40, "close", to=key, user=0)
        t["views"] = popular[i] * rng.randint(2, 9) + len(posts) * 5
    limit = BASE + day * (DAYS + 40)
    ev = [e for e in ev if e[0] < limit or e[2] in ("question", "answer", "comment")]
    ev.sort(key=lambda e: (e[0], e[1]))
    return ev
