"""Gives HyperKitty's views one fixed "now".

The lists of months, "days ago" and the threads of the last 30 days depend on the present time.
With a fixed one, a site made twice from the same SEED shows the same pages at any date.
"""
import datetime as real
import importlib
import types

NOW = real.datetime(2025, 6, 20, 18, 0, 0, tzinfo=real.timezone.utc)


class FixedDatetime(real.datetime):
    @classmethod
    def now(cls, tz=None):
        return NOW.astimezone(tz) if tz else NOW.replace(tzinfo=None)


class FixedDate(real.date):
    @classmethod
    def today(cls):
        return NOW.date()


def install():
    module = types.ModuleType("datetime")
    module.__dict__.update({k: v for k, v in vars(real).items() if not k.startswith("__")})
    module.datetime, module.date = FixedDatetime, FixedDate
    for name in ("hyperkitty.lib.view_helpers", "hyperkitty.views.thread", "hyperkitty.views.mlist"):
        importlib.import_module(name).datetime = module
    importlib.import_module("hyperkitty.models.mailinglist").now = lambda: NOW
