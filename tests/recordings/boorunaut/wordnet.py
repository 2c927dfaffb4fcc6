"""Topics, tags and texts from WordNet: a topic is a noun with the kinds below it in two levels."""
import os
import re

# The first sense of each noun; the weight is the share of pictures.
TOPICS = {"bird": 15, "boat": 12, "flower": 12, "building": 11, "dog": 10, "edible_fruit": 8, "aircraft": 8,
          "musical_instrument": 7, "fish": 6, "insect": 5, "garment": 4, "tree": 2}


class Synset:
    def __init__(self, words, below, gloss):
        self.words, self.below, self.gloss = words, below, gloss

    @property
    def tag(self):
        return self.words[0].lower()

    @property
    def text(self):
        """The definition without examples."""
        return re.split(r'; *"', self.gloss)[0].strip()


def read(path):
    """{offset: Synset} of a file data.POS (wndb(5)): words, offsets of the kinds below, gloss."""
    synsets = {}
    with open(path, encoding="latin-1") as lines:
        for line in lines:
            if line.startswith(" "):
                continue
            fields, gloss = line.split("|", 1)
            f = fields.split()
            count = int(f[3], 16)
            words = f[4:4 + 2 * count:2]
            pointers = f[5 + 2 * count:]
            below = [pointers[i + 1] for i in range(0, len(pointers) - 3, 4) if pointers[i] == "~" and pointers[i + 2] == "n"]
            synsets[f[0]] = Synset(words, below, gloss.strip())
    return synsets


def first_senses(path):
    """{word: offset of its most frequent sense} of a file index.POS."""
    senses = {}
    with open(path, encoding="latin-1") as lines:
        for line in lines:
            if not line.startswith(" "):
                f = line.split()
                senses[f[0]] = f[-int(f[2])]
    return senses


def is_tag(synset):
    return re.fullmatch(r"[a-z_-]{3,24}", synset.tag) is not None


def topics(directory, rng):
    """{topic: [(middle Synset, [leaf Synset])]}: five groups of up to five kinds each."""
    nouns = read(os.path.join(directory, "data.noun"))
    senses = first_senses(os.path.join(directory, "index.noun"))
    result = {}
    for topic in TOPICS:
        groups = []
        for offset in nouns[senses[topic]].below:
            middle = nouns[offset]
            leaves = [nouns[o] for o in middle.below if is_tag(nouns[o]) and len(nouns[o].text.split()) >= 5]
            if is_tag(middle) and len(leaves) >= 2:
                groups.append((middle, rng.sample(leaves, min(5, len(leaves)))))
        result[topic] = rng.sample(groups, min(5, len(groups)))
    return result


def remarks(directory, rng):
    """Example sentences of adjectives and verbs, in random order; none twice."""
    found = {}
    for name in ("data.adj", "data.verb"):
        for synset in read(os.path.join(directory, name)).values():
            for text in re.findall(r'"([^"]{15,140})"', synset.gloss):
                found[text.strip()] = True
    texts = sorted(found)
    rng.shuffle(texts)
    return texts
