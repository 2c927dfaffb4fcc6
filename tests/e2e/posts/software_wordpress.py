import sites
PORT = 8315
POSTS_AT_SCALE_1 = 1000
LEFT_OUT = []


def set_up(site):
    sites.set_up(site, "wordpress")


def server(site):
    return sites.server(site, "wordpress")
