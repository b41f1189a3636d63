"""What a program with gql 4 needs once: tokens that are renewed, a client over HTTP, and subscriptions over WebSockets."""

import asyncio
import collections
import contextlib

from gql import Client, GraphQLRequest, gql
from gql.transport.aiohttp import AIOHTTPTransport
from gql.transport.exceptions import TransportConnectionFailed
from gql.transport.websockets import WebsocketsTransport
from websockets.exceptions import ConnectionClosed


# recipe: tokens
class Tokens:
    """The viewer's token. get is a coroutine function that gets a new one, such as by logIn."""

    def __init__(self, get, token=None):
        self.get, self.token = get, token
        self.lock = asyncio.Lock()

    async def renew(self, refused):
        """Replaces a token that the server refused, once for all requests that it was refused to."""
        async with self.lock:
            if self.token == refused:
                self.token = await self.get()
        return self.token


def authorized(tokens):
    """An aiohttp middleware that sends the token and, on status 401, the request once more with a new one."""

    async def middleware(request, send):
        token = tokens.token
        request.headers["Authorization"] = f"Bearer {token}"
        response = await send(request)
        if response.status == 401:  # The server has executed nothing.
            response.release()
            request.headers["Authorization"] = f"Bearer {await tokens.renew(token)}"
            response = await send(request)
        return response

    return middleware
# end of recipe


# recipe: client
def http_client(url, tokens):
    """A client that validates each document against the server's schema before it is sent."""
    transport = AIOHTTPTransport(url, timeout=30, client_session_args={"middlewares": [authorized(tokens)]})
    return Client(transport=transport, fetch_schema_from_transport=True)
# end of recipe


# recipe: subscription
TWITS = gql("""
    subscription Twits($username: String!, $after: ID) {
      twitPosted(username: $username, after: $after) { id content }
    }
""")


async def twits(url, tokens, username, known):
    """Yields what a user posts from now on, over as many connections as it takes. Known are the ids of the newest twits so far, newest first."""
    after, seen = known[0], collections.deque(known, maxlen=1000)
    pause = 0.1
    while True:
        token = tokens.token
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
                        after = twit["id"]
                        if after not in seen:
                            seen.append(after)
                            yield twit
        except TransportConnectionFailed as error:
            closed = error.__cause__
            if isinstance(closed, ConnectionClosed) and closed.rcvd and closed.rcvd.code == 4403:
                await tokens.renew(token)
        await asyncio.sleep(pause)
        pause = min(2 * pause, 30)
# end of recipe
