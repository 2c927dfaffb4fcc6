"""Generated discussions: threads of posts by several authors in several languages, from one line to several paragraphs with lists, quotes,
code and links. The same seed gives the same content."""

import dataclasses
import datetime
import random

# A few common words of each language, in no order: sentences need not make sense, but must look like ones.
WORDS = {
    "en": "the a this my our some old new broken small better and with without before after on under near kernel driver garden kettle bicycle "
          "release manual update battery window engine recipe river works fails starts stops needs shows breaks turns keeps slowly again always "
          "never maybe yesterday please thanks question answer".split(),
    "de": "der die das ein mein unser alte neue kaputte kleine bessere und mit ohne vor nach auf unter neben Kern Treiber Garten Kessel Fahrrad "
          "Version Handbuch Akku Fenster Motor Rezept Fluß läuft scheitert startet braucht zeigt bricht dreht langsam wieder immer nie "
          "vielleicht gestern bitte danke Frage Antwort größer Übung".split(),
    "fr": "le la un une mon notre vieux nouvelle cassé petite meilleur et avec sans avant après sur sous près noyau pilote jardin bouilloire vélo "
          "version manuel batterie fenêtre moteur recette rivière marche échoue démarre montre casse tourne lentement encore toujours jamais "
          "peut-être hier merci question réponse été".split(),
    "es": "el la un una mi nuestro viejo nueva roto pequeña mejor y con sin antes después sobre bajo cerca núcleo controlador jardín hervidor "
          "bicicleta versión manual batería ventana motor receta río funciona falla empieza necesita muestra rompe gira despacio otra siempre "
          "nunca quizás ayer gracias pregunta respuesta año".split(),
    "ru": "этот мой наш старый новая сломанный маленькая лучше и с без до после на под около ядро драйвер сад чайник велосипед выпуск книга "
          "батарея окно мотор рецепт река работает падает начинает просит показывает ломает крутит медленно снова всегда никогда может вчера "
          "спасибо вопрос ответ".split(),
}
NAMES = ("Anna Lindqvist", "kbeck", "Пётр Ильин", "user_42", "Marie-Claire Dupont", "O'Brien", "José Álvarez", "mueller.h", "zoë", "Chidi Okafor", "T. Yamada",
         "rainyday", "Emre Yıldız",
         "xX_max_Xx", "Greta Holm", "l.rossi", "Noor", "Sam 2.0", "Ingrid", "ben")
SIGNATURES = {"kbeck": "K. Beck, embedded systems", "mueller.h": "Gruß, H. M.", "rainyday": "It always rains somewhere.",
              "Ingrid": "Ingrid Sæther\nhttps://ingrid.example.net/"}
END = datetime.datetime(2025, 9, 1, 12, 0, tzinfo=datetime.timezone.utc)
DAYS = 1_200


@dataclasses.dataclass
class Message:
    """A post: its paragraphs are texts, lists of texts, or code."""

    number: int
    author: str
    time: datetime.datetime
    blocks: list  # of (kind, text or texts): p, ul, code, link
    parent: "Message | None" = None
    quote: str | None = None  # a part of the parent
    edited: datetime.datetime | None = None


@dataclasses.dataclass
class Thread:
    """A discussion. The first message opens it."""

    number: int
    title: str
    messages: list


class Content:
    """Makes threads until there are so many posts."""

    def __init__(self, posts, seed=1):
        self.rng, self.left, self.number = random.Random(seed), posts, 0

    def threads(self):
        number = 0
        while self.left > 0:
            number += 1
            yield self.thread(number)

    def thread(self, number):
        rng = self.rng
        size = min(self.left, 60, int(rng.paretovariate(0.8)) + rng.randint(0, 3))
        language = rng.choices(list(WORDS), [5, 2, 1, 1, 1])[0]
        people = rng.sample(NAMES, rng.randint(2, 8))
        time = END - datetime.timedelta(days=DAYS * rng.random() ** 1.5 + 2, seconds=rng.randrange(86_400))
        messages = []
        for at in range(max(size, 1)):
            message = Message(self.number, rng.choice(people), time, self.blocks(language, first=at == 0))
            if messages and rng.random() < 0.6:
                message.parent = rng.choice(messages[-6:])
                lines = [text for kind, text in message.parent.blocks if kind == "p"]
                if lines and rng.random() < 0.7:
                    message.quote = rng.choice(lines)
            if rng.random() < 0.06:
                message.edited = time + datetime.timedelta(minutes=rng.randint(2, 900))
            messages.append(message)
            self.number += 1
            self.left -= 1
            time = min(time + datetime.timedelta(minutes=rng.expovariate(1 / 300) + 1), END)
        return Thread(number, self.sentence(language, 3, 8).rstrip(".!?"), messages)

    def sentence(self, language, shortest=4, longest=16):
        words = self.rng.choices(WORDS[language], k=self.rng.randint(shortest, longest))
        text = " ".join(words)
        return text[0].upper() + text[1:] + self.rng.choice("...!?")

    def paragraph(self, language):
        return " ".join(self.sentence(language) for _ in range(self.rng.randint(1, 5)))

    def blocks(self, language, first):
        rng = self.rng
        if not first and rng.random() < 0.2:
            return [("p", self.sentence(language, 2, 5))]
        blocks = [("p", self.paragraph(language))]
        for _ in range(min(int(rng.expovariate(0.7)), 6)):
            kind = rng.choices(("p", "ul", "code", "link"), (6, 1, 1, 1))[0]
            if kind == "p":
                blocks.append(("p", self.paragraph(language)))
            elif kind == "ul":
                blocks.append(("ul", [self.sentence(language) for _ in range(rng.randint(2, 6))]))
            elif kind == "code":
                lines = (f"{rng.choice(WORDS['en'])}({rng.randint(0, 99)}, '{rng.choice(WORDS[language])}')" for _ in range(rng.randint(1, 5)))
                blocks.append(("code", "\n".join(lines)))
            else:
                blocks.append(("link", f"https://example.net/{rng.choice(WORDS['en'])}/{rng.randint(1, 999)}"))
        return blocks


def plain(message):
    """The words of a message without its quote."""
    return "\n".join("\n".join(text) if kind == "ul" else text for kind, text in message.blocks)
