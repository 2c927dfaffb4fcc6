"""Accounts, with contributions by a power law, and the dates of the project."""
import math
from datetime import datetime, timedelta, timezone

GIVEN = """anna bram carla dmitri elena farid greta hiro ines jonas kasia liam mona nadir olga pavel
quinn rosa sven tariq ursula viktor wanda xavier yusuf zoe amara boris celine dario edith felix gita
hanne igor jana karim lotte marco nina otto petra rahul sanne tomas uma vera wim yara""".split()
SUFFIX = ["", "", "", "_k", "-m", "b", "42", ".lee", "_dev", "7", "h", "-s"]

START = datetime(2019, 2, 4, 8, 0, tzinfo=timezone.utc)
DAYS = 2060


class People:
    def __init__(self, rng, count):
        self.rng, self.names = rng, []
        while len(self.names) < count:
            name = rng.choice(GIVEN) + rng.choice(SUFFIX)
            if name not in self.names:
                self.names.append(name)
        self.weights = [1 / (i + 1) ** 0.9 for i in range(count)]
        self.staff = self.names[:max(6, count // 5)]

    def any(self):
        return self.rng.choices(self.names, self.weights)[0]

    def member(self):
        return self.rng.choices(self.staff, self.weights[:len(self.staff)])[0]


def day(rng, part):
    """A time of day on the day at `part` (0..1) of the project's life."""
    return START + timedelta(days=part * DAYS, seconds=rng.randrange(50000), microseconds=rng.randrange(10 ** 6))


def later(rng, when, mean_days):
    return when + timedelta(seconds=60 + rng.expovariate(1 / (mean_days * 86400)),
                            microseconds=rng.randrange(1000))


def power(rng, alpha, top):
    """0, 1, 2 ... with a heavy tail: P(at least n) = 1 / (n + 1) ** alpha."""
    return min(top, int(rng.random() ** (-1 / alpha)) - 1)


def length(rng, median, sigma=0.8, low=5, high=300):
    return int(max(low, min(high, rng.lognormvariate(math.log(median), sigma))))
