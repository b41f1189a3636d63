"""Uses the API with gql 4, and prints what it saw as JSON: python app.py URL TOKENS LIVE

GET TOKENS returns a token of LiLei's that is valid for an hour, TOKENS?lives=2s one for 2 seconds.
LIVE is the same endpoint as URL, over connections that are lost now and then.
"""

import asyncio
import contextlib
import json
import sys
import uuid

import aiohttp
from gql import GraphQLRequest, gql
from gql.dsl import DSLQuery, DSLSchema, dsl_gql
from gql.transport.exceptions import TransportQueryError
from graphql import GraphQLError

from client import Tokens, http_client, twits

VIEWER = "LiLei"

PROFILE = gql("""
    query Profile($username: String!) {
      user(username: $username) {
        id
        name
        followerCount
        viewerFollows
        twitCount
        twits(first: 2) { nodes { id content } }
        followers(first: 3) { nodes { id username games(first: 1) { nodes { code } } } }
      }
    }
""")


async def profile(session, username):
    """Returns a user with the newest twits and followers, and None if there is no such user."""
    request = GraphQLRequest(PROFILE, variable_values={"username": username})
    return (await session.execute(request))["user"]


FOLLOWERS = gql("""
    query Followers($username: String!, $first: Int, $after: String, $last: Int, $before: String) {
      user(username: $username) {
        followers(first: $first, after: $after, last: $last, before: $before) {
          nodes { username }
          pageInfo { hasNextPage endCursor hasPreviousPage startCursor }
        }
      }
    }
""")


async def followers(session, username, size, backward=False):
    """Returns the names of all followers, page by page from the front or from the end."""
    names, variables = [], {"username": username, "last" if backward else "first": size}
    while True:
        result = await session.execute(GraphQLRequest(FOLLOWERS, variable_values=variables))
        if not result["user"]:
            return names
        page, info = result["user"]["followers"], result["user"]["followers"]["pageInfo"]
        found = [node["username"] for node in page["nodes"] if node]  # Null is a user who could not be read.
        names = found + names if backward else names + found
        if not info["hasPreviousPage" if backward else "hasNextPage"]:
            return names
        if backward:
            variables["before"] = info["startCursor"]
        else:
            variables["after"] = info["endCursor"]


FOLLOW = gql("""
    mutation Follow($input: FollowInput!) {
      follow(input: $input) {
        user { id followerCount viewerFollows }
        userErrors { code field message }
      }
    }
""")


class UserErrors(Exception):
    """The reasons why a mutation did nothing, to show to the user."""


async def mutate(session, request, **input):
    """Executes a mutation of one field, and returns its payload."""
    result = await session.execute(GraphQLRequest(request, variable_values={"input": input}))
    (payload,) = result.values()
    if payload["userErrors"]:
        raise UserErrors(payload["userErrors"])
    return payload


def keep(store, value):
    """Merges every object of a result into the store, by its id."""
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        keep(store, part)
    if isinstance(value, dict) and "id" in value:
        store.setdefault(value["id"], {}).update(value)


POST = gql("""
    mutation Post($input: PostTwitInput!) {
      postTwit(input: $input) { twit { id content author { id twitCount } } userErrors { code field message } }
    }
""")

UPDATE = gql("""
    mutation Update($input: UpdateUserInput!) {
      updateUser(input: $input) { user { name email age avatarUrl } userErrors { code field message } }
    }
""")


async def change(session):
    """Follows and posts, and compares the store with the server's state."""
    store = {}
    keep(store, await profile(session, "Polly"))
    me = await profile(session, VIEWER)
    keep(store, me)
    before = {user["id"]: dict(user) for user in store.values()}
    keep(store, await mutate(session, FOLLOW, username="Polly"))
    key = str(uuid.uuid4())
    for attempt in range(2):  # As if the answer to the first had been lost.
        posted = await mutate(session, POST, content="Polly can say hello.", idempotencyKey=key)
    keep(store, posted)
    store[me["id"]]["twits"] = {"nodes": [posted["twit"], *me["twits"]["nodes"]][:2]}

    polly, again = await profile(session, "Polly"), await profile(session, VIEWER)
    mine = [{"id": twit["id"], "content": twit["content"]} for twit in store[me["id"]]["twits"]["nodes"]]
    old, new = before[polly["id"]], store[polly["id"]]
    return {
        "followers": [old["followerCount"], new["followerCount"], polly["followerCount"]],
        "follows": [old["viewerFollows"], new["viewerFollows"], polly["viewerFollows"]],
        "twits": [before[me["id"]]["twitCount"], store[me["id"]]["twitCount"], again["twitCount"]],
        "newest": [mine, again["twits"]["nodes"]],
    }


async def update(session):
    """Removes the age by None. Attributes that the input lacks stay."""
    changed = await mutate(session, UPDATE, username=VIEWER, name="Li Lei", age=None)
    return changed["user"]


async def listen(url, tokens, session):
    """Returns what LiLei posts while the token expires, for up to 30 seconds."""
    known = [twit["id"] for twit in (await profile(session, VIEWER))["twits"]["nodes"]]
    wanted = [f"news {n}" for n in range(20)]

    async def post():
        for content in wanted:
            await mutate(session, POST, content=content)
            await asyncio.sleep(0.15)

    posting = asyncio.create_task(post())
    heard = []
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(30):
            async with contextlib.aclosing(twits(url, tokens, VIEWER, known)) as stream:
                async for twit in stream:
                    heard.append(twit["content"])
                    if len(heard) == len(wanted):
                        break
    await posting
    return heard


async def errors(session, url, tokens):
    """Returns the errors of an invalid document, a failed field, a rejected input and a rejected subscription."""
    seen = {}
    try:
        await session.execute(gql("{ viewer { nickname } }"))
    except GraphQLError as error:  # The document does not fit the schema: it was not sent.
        seen["invalid"] = error.message

    try:
        await session.execute(gql("""
            mutation {
              createRole(input: {code: "pilot"}) { role { id } }
              follow(input: {username: "Kate"}) { user { username } }
            }
        """))
    except TransportQueryError as error:  # A field failed: error.data has the others.
        seen["failed"] = [(e["path"], e["extensions"]["code"]) for e in error.errors]
        seen["partial"] = error.data

    try:
        await mutate(session, FOLLOW, username="nobody")
    except UserErrors as error:
        seen["rejected"] = error.args[0]

    try:
        await anext(twits(url, tokens, VIEWER, ["junk"]))
    except TransportQueryError as error:
        seen["subscription"] = error.errors[0]["extensions"]["code"]
    return seen


async def built(session, schema):
    """Returns a name, by a query that is built from the schema."""
    ds = DSLSchema(schema)
    name = ds.User.name
    query = dsl_gql(DSLQuery(ds.Query.user(username="HanMeimei").select(name)))
    return (await session.execute(query))["user"]["name"]


async def main(url, source, live_url):
    async with aiohttp.ClientSession() as http:
        renewals = 0

        async def get(**query):
            nonlocal renewals
            renewals += not query
            async with http.get(source, params=query) as response:
                return await response.text()

        tokens = Tokens(get, await get(lives="-1s"))
        client = http_client(url, tokens)
        async with client as session:
            report = {"renewals": {"HTTP": renewals}}
            report["profile"] = await profile(session, VIEWER)
            report["forward"] = await followers(session, VIEWER, 10)
            report["backward"] = await followers(session, VIEWER, 10, backward=True)
            report["change"] = await change(session)
            report["update"] = await update(session)
            renewals, live = 0, Tokens(get, await get(lives="2s"))
            report["live"] = await listen(live_url, live, session)
            report["renewals"]["WebSocket"] = renewals
            report["errors"] = await errors(session, url, tokens)
            report["built"] = await built(session, client.schema)
        print(json.dumps(report))


asyncio.run(main(*sys.argv[1:]))
