"""Connects to a tool server by OAuth with the official Python client and prints, as one line of JSON, what came of it.

    MCP_URL=… MCP_SESSION=… MCP_CALLS='[["whoami", {}]]' MCP_STEP_UP='["tool", {}]' python connection.py legacy|auto
"""

import asyncio
import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

import mcp.client.streamable_http as streamable_http
from mcp import Client, ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from mcp.shared.exceptions import MCPError

REDIRECT_URI = "http://127.0.0.1:33418/callback"
URL = os.environ["MCP_URL"]


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Gone(Exception):
    """The person is asked after they left."""


class Person:
    """Plays the browser of somebody who is signed in: allows what is asked for, at first to read the books alone."""

    def __init__(self):
        self.asked = 0
        self.left = False
        self.opener = urllib.request.build_opener(NoRedirect)

    def open(self, url, form=None):
        data = form and urllib.parse.urlencode(form, doseq=True).encode()
        cookie = {"Cookie": "bookkeeping_session=" + os.environ["MCP_SESSION"]}
        try:
            return self.opener.open(urllib.request.Request(url, data, cookie))
        except urllib.error.HTTPError as answer:
            return answer

    async def redirect(self, url):
        self.asked += 1
        if self.left:
            raise Gone
        page = self.open(url).read().decode()
        form = {name: re.search(f'name="{name}" value="([^"]*)"', page)[1] for name in ("request", "csrf")}
        wanted = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["scope"][0].split()
        scopes = ["books:read"] if self.asked == 1 else wanted
        form |= {"decision": "allow", "reach": "all", "scope": scopes}
        answer = self.open(urllib.parse.urljoin(url, "/oauth/authorize"), form)
        query = urllib.parse.urlsplit(answer.headers["Location"]).query
        self.answer = dict(urllib.parse.parse_qsl(query))

    async def callback(self):
        return AuthorizationCodeResult(**self.answer)


class Storage:
    """Keeps what the client is given, and which scopes each pair of tokens had."""

    def __init__(self):
        self.tokens = self.client = None
        self.granted = []

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens
        self.granted.append(tokens.scope)

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def called(session, name, arguments):
    try:
        result = await session.call_tool(name, arguments)
        text = result.content[0].text
        return {"isError": result.is_error, "value": result.structured_content, "text": text}
    except MCPError as error:
        return {"code": error.error.code, "message": error.error.message}


async def used(session, provider, person, storage, told):
    listed = await session.list_tools()
    told["tools"] = [tool.name for tool in listed.tools]
    told["results"] = [await called(session, *call) for call in json.loads(os.environ["MCP_CALLS"])]
    told["steppedUp"] = await called(session, *json.loads(os.environ["MCP_STEP_UP"]))
    # The client exchanges its refresh token before the next request because the access token counts as over.
    provider.context.token_expiry_time = 1
    told["refreshed"] = await called(session, "whoami", {})
    form = {"client_id": storage.client.client_id, "token": storage.tokens.refresh_token}
    person.open(str(provider.context.oauth_metadata.revocation_endpoint), form)
    person.left = True
    told["revoked"] = await called(session, "whoami", {})


async def run(mode):
    person, storage = Person(), Storage()
    metadata = OAuthClientMetadata(redirect_uris=[REDIRECT_URI], client_name="Official client")
    provider = OAuthClientProvider(URL, metadata, storage, person.redirect, person.callback)
    http = streamable_http.create_mcp_http_client(auth=provider)
    trail = []

    async def noted(response):
        trail.append(f"{response.request.method} {response.request.url.path} {response.status_code}")

    http.event_hooks = {"response": [noted]}
    told = {}
    try:
        transport = streamable_http.streamable_http_client(URL, http_client=http)
        if mode == "legacy":
            async with transport as streams, ClientSession(streams[0], streams[1]) as session:
                told["version"] = (await session.initialize()).protocol_version
                await used(session, provider, person, storage, told)
        else:
            async with Client(transport, mode=mode) as client:
                told["version"] = client.protocol_version
                await used(client, provider, person, storage, told)
    except* Gone:
        pass
    access = storage.tokens.access_token
    return {**told, "access": access, "asked": person.asked, "granted": storage.granted, "trail": trail}


print(json.dumps(asyncio.run(run(sys.argv[1]))))
