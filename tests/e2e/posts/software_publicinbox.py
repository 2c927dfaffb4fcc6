"""public-inbox: a mailing list. Threads and messages are preformatted text with links in it; each thread has a flat and a nested page."""

import os
import re
import shutil
import subprocess
from urllib.parse import unquote

from software_mhonarc import body, messages, own
from texts import regions
from truth_file import Post, Shown

PORT = 8318
POSTS_AT_SCALE_1 = 1000
PACKAGES = ["public-inbox", "libplack-perl", "libdbd-sqlite3-perl", "libsearch-xapian-perl"]
START = "/talk/"
# Sources, feeds, mirrors, and the nested pages, whose messages are those of the flat ones.
LEFT_OUT = ["/raw$", r"\.mbox\.gz$", r"\.atom$", "/_/text/", r"[?&](q|x)=", "/d/$", r"\.git", "/t/$", "/R/$"]
FILL = """
use PublicInbox::InboxWritable; use PublicInbox::Eml;
my ($dir, @files) = @ARGV;
my $ibx = PublicInbox::InboxWritable->new({inboxdir => $dir, name => 'talk', version => 2, indexlevel => 'basic', -primary_address => 'talk@lists.example.org'});
my $im = $ibx->importer(0);
for my $file (@files) { open(my $in, '<:raw', $file) or die; my $raw = do { local $/; <$in> }; $im->add(PublicInbox::Eml->new(\\$raw)); }
$im->done;
"""


def environment(site):
    return {**os.environ, "HOME": site.home, "PI_CONFIG": os.path.join(site.home, "config"), "TZ": "UTC", "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1", "EMAIL": "gate@example.org"}


def set_up(site):
    inbox = os.path.join(site.home, "talk")
    if os.path.exists(inbox):
        return
    if not shutil.which("public-inbox-httpd"):
        subprocess.run(["apt-get", "install", "-y", "-qq", *PACKAGES], check=True, timeout=600)
    mails = os.path.join(site.home, "mails")
    os.makedirs(mails, exist_ok=True)
    files = [os.path.join(mails, str(number)) for number, _ in enumerate(messages(site))]
    for path, (_, _, mail) in zip(files, messages(site)):
        with open(path, "wb") as file:
            file.write(bytes(mail))
    options = {"env": environment(site), "check": True, "timeout": 300, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        subprocess.run(["public-inbox-init", "-V2", "-L", "basic", "-j", "1", "talk", inbox, f"{site.base}/talk/", "talk@lists.example.org"], **options)
        subprocess.run(["perl", "-e", FILL, inbox, *files], **options)
    except BaseException:
        shutil.rmtree(inbox, ignore_errors=True)
        raise


def server(site):
    return ["public-inbox-httpd", "-l", f"127.0.0.1:{site.port}", "-W", "1"], environment(site)


def posts(site):
    for thread, message, mail in messages(site):
        first = thread.messages[0]
        parents = [] if message is first else [str((message.parent or first).number)]
        whole = body(message).replace("> ", "")
        # All dates are shown in UTC.
        yield Post(str(message.number), own(message), str(thread.number), message.author, message.time.isoformat(timespec="seconds"),
                   url=f"{site.base}/talk/{message.number}@example.com/", parents=parents,
                   variants=[whole, whole.split("\n-- \n")[0], re.sub(r"^.* wrote:\n>.*\n", "", body(message))])


def shown(site, known):
    def on_page(url, html):
        name = re.search(r"/talk/(\d+)(?:@|%40)example\.com/(T/)?$", unquote(url))
        if name and name[2]:
            for match, part in regions(html, r'<a\nhref=#e\w+\nid=m\w+>\*</a> '):
                number = re.search(r'href="(?:\.\./)*(?:\.\./)?(\d+)@example\.com/', part)
                if number:
                    yield Shown(number[1], part)
        elif name:
            yield Shown(name[1], html)

    return on_page
