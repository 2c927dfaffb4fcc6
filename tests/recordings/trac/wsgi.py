"""Trac with Basic authentication on /login (as a web server in front of it would do)."""
import os

from trac.web.auth import BasicAuthentication
from trac.web.main import dispatch_request
from trac.web.standalone import AuthenticationMiddleware

ENV = os.environ["TRAC_ENV"]


def trac(environ, start_response):
    environ["trac.env_path"] = ENV
    return dispatch_request(environ, start_response)


application = AuthenticationMiddleware(
    trac, {"trac": BasicAuthentication(os.path.join(ENV, "conf", "htpasswd"), "Language Manuals")}, "trac")
