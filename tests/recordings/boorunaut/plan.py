"""Plans the board without the database: members, pictures with tags, sets, contacts, comments and favourites.

A member has one to three topics, and about 70 % of the member's pictures are of these.  Contacts and
favourites prefer members and pictures of the same topics.
"""
import datetime

from wordnet import TOPICS

BASE = datetime.datetime(2023, 3, 1, 8, 0, tzinfo=datetime.timezone.utc)
DAYS = 900
OWN = 0.7        # share of pictures of an own topic, before those of other topics that match by chance
SHARED = 8       # factor by which a shared topic raises the chance of a contact or a favourite
FIRST = """ada bela cora dario edith farid goran hanna ines ivo jonas kari lena luc maja milan nadia nils olga paulo
quentin rosa sami tilda uwe vera wim yara zoltan""".split()
LAST = "abbot bergen castel dahl egger forsyth galli holm ivers jansky kovac lund marek novy pohl rossi".split()
# Tags that say nothing about the topic.
LOOKS = """red blue green yellow black_and_white close-up indoors outdoors night morning winter summer old new small
large portrait blurred oslo lyon graz porto""".split()
# Wider fields that several topics belong to.
FIELDS = {"bird": "nature", "flower": "nature", "insect": "nature", "tree": "nature", "fish": "nature", "dog": "pets",
          "boat": "transport", "aircraft": "transport", "building": "city", "garment": "fashion", "edible_fruit": "food",
          "musical_instrument": "music"}


def power(rng, low, high, a):
    """Whole number between low and high from a bounded power law."""
    u, p = rng.random(), 1 - a
    return int((u * ((high + 1) ** p - low ** p) + low ** p) ** (1 / p))


def members(rng, count, texts):
    made = []
    names = [f + s + last for f in FIRST for last in LAST for s in ("", "_")]
    rng.shuffle(names)
    for name in names[:count]:
        topics = []
        while len(topics) < rng.choice([1, 2, 2, 3]):
            topic = rng.choices(list(TOPICS), [TOPICS[t] ** 0.5 for t in TOPICS])[0]
            topics += [topic] if topic not in topics else []
        made.append({"name": name, "topics": topics, "joined": BASE + datetime.timedelta(days=rng.random() * 200),
                     "weight": 0 if rng.random() < 0.08 else power(rng, 1, 60, 1.7),
                     "about": texts.pop() if rng.random() < 0.5 else ""})
    return made


def tags_for(rng, topic, middle, leaf):
    tags = [leaf.tag]
    tags += [middle.tag] if rng.random() < 0.75 else []
    tags += [topic] if rng.random() < 0.85 else []
    tags += [FIELDS[topic]] if rng.random() < 0.3 else []
    tags += rng.sample(LOOKS, power(rng, 1, 4, 1.6) - 1)
    return list(dict.fromkeys(tags))


def pictures(rng, count, people, vocabulary, texts):
    made = []
    times = sorted(250 + rng.random() * (DAYS - 250) for _ in range(count))
    for number, day in enumerate(times):
        who = rng.choices(range(len(people)), [p["weight"] for p in people])[0]
        if rng.random() < OWN:
            topic = rng.choice(people[who]["topics"])
        else:
            topic = rng.choices(list(TOPICS), list(TOPICS.values()))[0]
        middle, leaves = rng.choice(vocabulary[topic])
        leaf = rng.choice(leaves)
        made.append({"number": number, "who": who, "topic": topic, "tags": tags_for(rng, topic, middle, leaf),
                     "text": leaf.text if rng.random() < 0.7 else "", "time": BASE + datetime.timedelta(days=day),
                     "edits": power(rng, 1, 4, 2.5) - 1,
                     "comments": [(someone(rng, people, topic, who), texts.pop()) for _ in range(power(rng, 1, 15, 1.9) - 1)]})
    return made


def someone(rng, people, topic, but):
    """A member other than `but`, rather one who likes the topic."""
    weights = [(p["weight"] + 0.2) * (SHARED if topic in p["topics"] else 1) for p in people]
    weights[but] = 0
    return rng.choices(range(len(people)), weights)[0]


def contacts(rng, people):
    """{member: [members]}, each at most once."""
    made = {}
    for who, member in enumerate(people):
        found = made.setdefault(who, [])
        for _ in range(power(rng, 1, 25, 1.5)):
            weights = [(p["weight"] + 1) ** 0.5 * (SHARED if set(p["topics"]) & set(member["topics"]) else 1) for p in people]
            other = rng.choices(range(len(people)), weights)[0]
            if other != who and other not in found:
                found.append(other)
    return made


def sets(rng, people, shown, texts):
    """Sets of at least three pictures of one member and one topic: [{who, name, text, pictures}]."""
    groups = {}
    for picture in shown:
        groups.setdefault((picture["who"], picture["topic"]), []).append(picture["number"])
    made = []
    for (who, topic), numbers in sorted(groups.items()):
        if len(numbers) >= 3 and rng.random() < 0.7:
            some = sorted(rng.sample(numbers, min(len(numbers), rng.randint(3, 30))))
            name = "%s of %s" % (topic.replace("_", " ") + "s", people[who]["name"])
            made.append({"who": who, "name": name, "text": texts.pop(), "pictures": some})
    return made


def favourites(rng, people, shown):
    """[(member, picture number)], without duplicates."""
    found = {}
    for picture in shown:
        for _ in range(power(rng, 1, 30, 1.8) - 1):
            found[someone(rng, people, picture["topic"], picture["who"]), picture["number"]] = True
    return list(found)
