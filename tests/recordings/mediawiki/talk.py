"""Discussion pages: signed posts of several members under headings, with replies."""
import datetime


class Talk:
    def __init__(self, rng, ops, editor, when, texts):
        self.rng, self.ops, self.editor, self.when, self.texts = rng, ops, editor, when, texts
        self.posts = [t for _, t in texts.jargon(12, 260)]
        names = ["computers", "cookie", "linux", "news", "politics", "kids", "platitudes", "riddles"]
        self.posts += list(texts.fortunes(names, 8, 120))
        rng.shuffle(self.posts)

    def page(self, title, low, headings, most=6):
        """One page: each post is an edit at the end of the page, each first post opens a section."""
        rng = self.rng
        count = most if most > 7 else min(most, int(rng.paretovariate(1.8)))
        times = sorted(self.when(max(low, 0.5), 1.0) for _ in range(count))
        depth, k = 0, 0
        for n, t in enumerate(times):
            who = self.editor(t, 0.12)
            fresh = n == 0 or (rng.random() < 0.3 and k < len(headings))
            text = self.texts.escape(self.posts.pop())
            if fresh:
                depth, summary = 0, headings[k % len(headings)]
                text = "== %s ==\n%s ~~~~" % (self.texts.escape(summary), text)
                k += 1
            else:
                depth = min(depth + 1, 5) if rng.random() < 0.7 else max(depth, 1)
                text, summary = ":" * depth + text + " ~~~~", "reply"
            self.ops.append({"ts": t, "op": "edit", "user": who, "title": title, "text": text,
                             "append": True, "summary": summary})
        return times[-1] if times else datetime.datetime.min
