"""Crawls a live blog whose comments a script fetches from Isso.

Usage: render_isso.py HARVESTMAN WORK [--size N] [--delay TIME] [--cpu SHARE] [--python PYTHON]

The blog has N (40) articles with 0 to 13 comments of the first level and 0 to 8 replies to each. Isso shows ten comments and five replies
to each; links that lead nowhere load the others when they are clicked. The environment with isso and waitress is made in WORK, unless
PYTHON is the interpreter of one. Exits with 0 if all checks of render_bed.py pass.
"""

import json
import os
import random
import shutil

import render_bed
from sim import end_on_sigterm

# One more than there are at most.
COMMENTS_MAX = 14
REPLIES_MAX = 9
TOP_SHOWN, REPLIES_SHOWN = 10, 5


def articles(rng, count):
    """Returns the articles, the words of all comments, and those of the comments that are shown without a click."""
    texts, words, shown = render_bed.Texts(rng), [], set()

    def comment(is_shown):
        words.append(render_bed.word(len(words)))
        shown.update(words[-1:] if is_shown else [])
        return f"{texts.paragraph()}\n\n{words[-1]}"

    def article(index):
        comments = [{"text": comment(top < TOP_SHOWN),
                     "replies": [comment(top < TOP_SHOWN and reply < REPLIES_SHOWN) for reply in range((index + 5 * top) % REPLIES_MAX)]}
                    for top in range((3 + 5 * index) % COMMENTS_MAX)]
        paragraphs = [texts.paragraph() for _ in range(4)]
        return {"path": f"/articles/{index}/", "title": texts.title(), "texts": paragraphs, "comments": comments}

    return [article(index) for index in range(count)], set(words), shown


def run(arguments):
    work = os.path.abspath(arguments.work)
    home, port = os.path.join(work, "site"), render_bed.free_port()
    shutil.rmtree(home, ignore_errors=True)
    os.makedirs(home)
    python = arguments.python or render_bed.new_environment(os.path.join(work, "venv"), "isso==0.14.0", "waitress==3.0.2")
    plan, words, shown = articles(random.Random(1), arguments.size)
    with open(os.path.join(home, "plan.json"), "w", encoding="utf-8") as file:
        json.dump(plan, file)
    print(f"{len(words)} comments on {arguments.size} articles, {len(shown) / len(words):.3f} of them shown without a click", flush=True)
    start = f"http://127.0.0.1:{port}/"
    server = [python, os.path.join(render_bed.HERE, "render_isso_site.py"), home, str(port)]
    with render_bed.serving(server, start, log=os.path.join(work, "server.log")):
        crawls = render_bed.crawl_all(arguments.harvestman, start, work, ["--delay", arguments.delay], render_bed.modes(arguments))
    render_bed.show(crawls, words)
    always = crawls.get("always")
    lost = shown - always.words if always else set()
    assert not lost, f"{len(lost)} comments that need no click were not found when all pages were rendered: {sorted(lost)[:5]}"
    render_bed.check(crawls, words, arguments.cpu)


def main():
    end_on_sigterm()
    run(render_bed.arguments("articles", 40))


if __name__ == "__main__":
    main()
