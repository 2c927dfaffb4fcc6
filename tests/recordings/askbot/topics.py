"""Topics of the forum (groups of related tags), and the interests of its members.

A question gets its tags from its own text.  Who asks and who answers depends on the tags: a member
writes about 70 % of the time about one to three topics, and about anything else otherwise.
"""
import collections

# name of the topic: (its tags, words of the text that tell the topic of a question without such a tag)
TOPICS = {
    "packages": ("apt apt-get apt-cache aptitude dpkg synaptic debsums debconf deb-src sources.list gnupg reportbug packaging",
                 "package packages dependency dependencies maintainer repository mirror install upgrade"),
    "releases": ("stable testing unstable bullseye bookworm non-free contrib debian-installer",
                 "release releases distribution version installer freeze cd-rom licence license free"),
    "network": ("ssh sshd scp telnet ftp bind postfix exim4 iptables inetd xinetd",
                "network server port address router dns mail web client vpn firewall protocol host wireless"),
    "system": ("mount systemd init udev modprobe cron crontab syslogd logcheck start-stop-daemon",
               "kernel boot disk partition filesystem device devices memory hardware volume raid service log logs"),
    "accounts": ("sudo adduser passwd chmod chroot makejail",
                 "password passwords user users permission permissions account attack attacker security access"),
    "editing": ("bash dash grep vim emacs tar gzip perl xterm locate gitk gnome-terminal gdm3",
                "shell editor script scripts text terminal font keyboard locale encoding desktop directory"),
}
OF_TAG = {tag: name for name, (tags, _) in TOPICS.items() for tag in tags.split() + [name]}
OF_WORD = {word: name for name, (_, words) in TOPICS.items() for word in words.split()}
# Factor by which an interest raises the chance that a member writes.  Chosen so that about 70 % of the
# questions of a member are about an interest.
INTEREST = 6.0


def topics_of(tags):
    return {OF_TAG[tag] for tag in tags if tag in OF_TAG}


def topic_of_words(words):
    """The topic that most words of a text (a Counter) belong to; None without such words."""
    count = collections.Counter()
    for word in sorted(words):
        if word in OF_WORD:
            count[OF_WORD[word]] += words[word]
    return min(count, key=lambda name: (-count[name], name)) if count else None


def choose_interests(rng, users, threads):
    """Gives each user one to three topics, popular ones more often."""
    names = sorted(TOPICS)
    count = collections.Counter(name for t in threads for name in topics_of(t["tags"]))
    for user in users:
        wanted = rng.choice([1, 1, 2, 2, 3])
        user["interests"] = set()
        while len(user["interests"]) < wanted:
            user["interests"].add(rng.choices(names, [count[name] + 1 for name in names])[0])
