"""A double of an institution's OpenID provider: a real server, with tokens that are really signed.

It checks what a provider checks (client, secret, redirect address, code, PKCE) and answers by the
book, unless a test asks it to answer wrongly: `claims` and `userinfo` replace what it says,
`forge` makes the ID token.
"""

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "magnitudes", "s3cret-of-the-client"
Json = dict[str, Any]
KEY, OTHER_KEY = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))


@dataclass
class Institution:
    """Who is logged in there, and how it answers wrongly.

    Attributes:
        person: claims of who is logged in; None: they cancel.
        claims: that replace those of the ID token; None takes one away.
        userinfo: the same for userinfo.
        forge: makes the ID token of its claims.
    """

    issuer: str = ""
    person: Json | None = None
    claims: Json = field(default_factory=dict)
    userinfo: Json = field(default_factory=dict)
    forge: Callable[[Json], str | None] | None = None
    codes: dict[str, Json] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def discovery(self) -> Json:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        }

    def keys(self) -> Json:
        key = jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key(), as_dict=True)
        return {"keys": [key | {"kid": "k1", "alg": "RS256", "use": "sig"}]}

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the browser is sent back to."""
        assert asked["client_id"] == CLIENT
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        assert set(asked["scope"].split()) == {"openid", "profile", "email"}
        if self.person is None:
            back = {"error": "access_denied", "state": asked["state"]}
        else:
            code = secrets.token_urlsafe()
            self.codes[code] = asked | {"person": self.person}
            back = {"code": code, "state": asked["state"]}
        return f"{asked['redirect_uri']}?{urlencode(back)}"

    def token(self, sent: dict[str, str], authorization: str) -> Json | None:
        """None: refused."""
        pair = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        asked = self.codes.pop(sent["code"], None)
        digest = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if (
            authorization != f"Basic {pair}"
            or asked is None
            or asked["redirect_uri"] != sent["redirect_uri"]
            or asked["code_challenge"] != challenge
        ):
            return None
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": asked["person"]["sub"],
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
        }
        claims = {n: v for n, v in (claims | self.claims).items() if v is not None}
        id_token = self.forge(claims) if self.forge else signed(claims)
        return {"access_token": "of-" + asked["person"]["sub"], "token_type": "Bearer"} | (
            {"id_token": id_token} if id_token else {}
        )

    def about(self, authorization: str) -> Json | None:
        if self.person is None or authorization != f"Bearer of-{self.person['sub']}":
            return None
        return self.person | self.userinfo


def signed(claims: Json, key: Any = KEY, algorithm: str = "RS256") -> str:
    return jwt.encode(claims, key, algorithm, headers={"kid": "k1"})


class Handler(BaseHTTPRequestHandler):
    institution: Institution

    def log_message(self, *parts: Any) -> None:
        pass

    def do_GET(self) -> None:
        place, query = urlsplit(self.path), dict(_pairs(urlsplit(self.path).query))
        self.institution.asked.append(place.path)
        if place.path == "/authorize":
            self.send_response(302)
            self.send_header("Location", self.institution.authorize(query))
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif place.path == "/userinfo":
            self._answer(self.institution.about(self.headers.get("Authorization", "")))
        else:
            found = {
                "/.well-known/openid-configuration": self.institution.discovery,
                "/keys": self.institution.keys,
            }[place.path]
            self._answer(found())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.institution.asked.append(self.path)
        authorization = self.headers.get("Authorization", "")
        self._answer(self.institution.token(dict(_pairs(body)), authorization))

    def _answer(self, content: Json | None) -> None:
        body = json.dumps({"error": "invalid"} if content is None else content).encode()
        self.send_response(400 if content is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _pairs(query: str) -> Iterator[tuple[str, str]]:
    return ((name, values[0]) for name, values in parse_qs(query).items())


@contextmanager
def running() -> Iterator[Institution]:
    institution = Institution()
    handler = type("Bound", (Handler,), {"institution": institution})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        institution.issuer = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
        yield institution
        server.shutdown()
