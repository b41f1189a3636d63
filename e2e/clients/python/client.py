"""The parts of a program with gql 4: tokens that are renewed, a client over HTTP, subscriptions over WebSockets."""

import asyncio
import collections
import contextlib

from gql import Client, GraphQLRequest, gql
from gql.transport.aiohttp import AIOHTTPTransport
from gql.transport.exceptions import TransportConnectionFailed
from gql.transport.websockets import WebsocketsTransport
from websockets.exceptions import ConnectionClosed


class Tokens:
    """The viewer's token. get is a coroutine function that gets a new one, such as by logIn."""

    def __init__(self, get, token=None):
        self.get, self.token = get, token
        self.lock = asyncio.Lock()

    async def current(self, rejected=None):
        """Returns the token. If the server rejected that one, or there is none, it gets a new one."""
        async with self.lock:
            if self.token == rejected:
                self.token = await self.get()
            return self.token


def authorized(tokens):
    """An aiohttp middleware that sends the token and, on status 401, the request once more with a new one."""

    async def middleware(request, send):
        token = await tokens.current()
        request.headers["Authorization"] = f"Bearer {token}"
        response = await send(request)
        if response.status == 401:  # The server has executed nothing.
            response.release()
            request.headers["Authorization"] = f"Bearer {await tokens.current(token)}"
            response = await send(request)
        return response

    return middleware


def http_client(url, tokens):
    """A client that validates each document against the server's schema before it is sent."""
    transport = AIOHTTPTransport(url, timeout=30, client_session_args={"middlewares": [authorized(tokens)]})
    return Client(transport=transport, fetch_schema_from_transport=True)


TWITS = gql("""
    subscription Twits($username: String!, $after: ID) {
      twitPosted(username: $username, after: $after) { id content }
    }
""")


async def twits(url, tokens, username, known):
    """Yields each twit that a user posts, over as many connections as it takes.

    known are the ids of the twits that the program has, newest first: these are not yielded.
    """
    after, seen = next(iter(known), None), collections.deque(reversed(known), maxlen=1000)
    rejected, pause = None, 0.1
    while True:
        token, rejected = await tokens.current(rejected), None
        transport = WebsocketsTransport(
            url.replace("http", "ws", 1),
            subprotocols=[WebsocketsTransport.GRAPHQLWS_SUBPROTOCOL],
            init_payload={"authorization": f"Bearer {token}"},
        )
        try:
            async with Client(transport=transport) as session:
                pause = 0.1
                request = GraphQLRequest(TWITS, variable_values={"username": username, "after": after})
                async with contextlib.aclosing(session.subscribe(request)) as results:
                    async for result in results:
                        twit = result["twitPosted"]
                        if twit and twit["id"] not in seen:
                            after = twit["id"]
                            seen.append(after)
                            yield twit
        except (TransportConnectionFailed, TimeoutError) as error:
            closed = error.__cause__
            if isinstance(closed, ConnectionClosed) and closed.rcvd and closed.rcvd.code == 4403:
                rejected = token
        await asyncio.sleep(pause)
        pause = min(2 * pause, 30)
