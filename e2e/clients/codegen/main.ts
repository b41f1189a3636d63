// graphql-codegen's client preset as a test, with urql: ../harness.mjs says how it is run.
import { introspection, other, report, Socket, subscribed, tokens, twit, url, viewer } from '../harness.mjs';
import { socket } from '../socket.mjs';
import { readFragment, type FragmentType } from './__generated__/fragment-masking';
import { graphql } from './__generated__/gql';
import type { UpdateUserInput } from './__generated__/graphql';
import { createPersistedClient } from './client.mjs';

const sockets = socket(url, tokens, Socket);
const withEmptyStore = () => createPersistedClient(url, tokens, sockets, introspection());
const client = withEmptyStore();

const Profile = graphql(`
  query Profile($username: String!) {
    user(username: $username) {
      id
      name
      email
      timeline(first: 1) { edges { node { id } } }
      following(first: 2) { edges { node { id username ...NewestTwit } } }
    }
  }
`);

const NewestTwit = graphql(`
  fragment NewestTwit on User {
    twits(first: 1) { edges { node { id content author { id name } } } }
  }
`);

/** What a component shows of a user: its types have the fields of its own fragment alone. */
function newestTwit(user: FragmentType<typeof NewestTwit>) {
  const { twits } = readFragment(NewestTwit, user);
  return twits.edges.at(0)?.node;
}

async function profile(username: string) {
  const { data, error } = await client.query(Profile, { username });
  if (error) throw error;
  const followed = data?.user?.following.edges.map(({ node }) => node) ?? [];
  return { user: data?.user, newest: followed.map(newestTwit) };
}

const Followers = graphql(`
  query Followers($username: String!, $first: Int, $after: String, $last: Int, $before: String) {
    user(username: $username) {
      id
      followers(first: $first, after: $after, last: $last, before: $before) {
        edges { node { id username } }
        pageInfo { hasNextPage endCursor hasPreviousPage startCursor }
      }
    }
  }
`);

async function followers(client: ReturnType<typeof withEmptyStore>, page: { first: number } | { last: number }) {
  for (let cursor: { after?: string | null; before?: string | null } = {}; ; ) {
    const { data, error } = await client.query(Followers, { username: 'LiLei', ...page, ...cursor });
    if (error) throw error;
    const { edges, pageInfo } = data!.user!.followers;
    if ('first' in page && pageInfo.hasNextPage) cursor = { after: pageInfo.endCursor };
    else if ('last' in page && pageInfo.hasPreviousPage) cursor = { before: pageInfo.startCursor };
    else return edges.map(({ node }) => node.username);
  }
}

const Comments = graphql(`
  query Comments($id: ID!, $after: String) {
    twit(id: $id) {
      id
      comments(first: 1, after: $after) {
        edges { node { id content } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

async function comments(id: string) {
  const pages: string[][] = [];
  for (let after: string | null = null; ; ) {
    const { data, error } = await client.query(Comments, { id, after });
    if (error) throw error;
    const { edges, pageInfo } = data!.twit!.comments;
    pages.push(edges.map(({ node }) => node.content));
    if (!pageInfo.hasNextPage) return pages;
    after = pageInfo.endCursor;
  }
}

const Post = graphql(`
  mutation Post($input: PostTwitInput!) {
    postTwit(input: $input) {
      twitEdge { cursor node { id content } }
      viewer { id twitCount }
      userErrors { code field message }
    }
  }
`);

async function post(content: string) {
  const { data, error } = await client.mutation(Post, { input: { content, idempotencyKey: crypto.randomUUID() } });
  if (error) throw error;
  return data?.postTwit;
}

const Follow = graphql(`
  mutation Follow($input: FollowInput!) {
    follow(input: $input) {
      user { id viewerFollows followerCount }
      viewer { id followingCount }
      userErrors { code field message }
    }
  }
`);

const State = graphql(`
  query State($other: String!) {
    viewer { id followingCount twitCount twits(first: 3) { totalCount edges { node { id content } } } }
    user(username: $other) { id viewerFollows followerCount }
  }
`);

async function state(requestPolicy?: 'cache-only' | 'network-only') {
  const { data } = await client.query(State, { other }, requestPolicy && { requestPolicy });
  const { viewer, user } = data!;
  return {
    twits: viewer!.twits.edges.slice(0, 3).map(({ node }) => node.content),
    counts: [viewer!.twitCount, viewer!.twits.totalCount, viewer!.followingCount, user!.followerCount],
    follows: user!.viewerFollows,
  };
}

const Update = graphql(`
  mutation Update($input: UpdateUserInput!) {
    updateUser(input: $input) {
      user { id age }
      userErrors { code field message }
    }
  }
`);

async function update(input: UpdateUserInput) {
  const { data, error } = await client.mutation(Update, { input });
  if (error) throw error;
  return data?.updateUser.user?.age;
}

/** `undefined` is left out of the request and changes nothing, `null` removes the value. */
async function removeAge(username: string) {
  const kept = await update({ username, age: undefined });
  const removed = await update({ username, age: null });
  return { kept, removed };
}

const Posted = graphql(`
  subscription Posted($username: String!) {
    twitPosted(username: $username) { id content }
  }
`);

function subscribe(username: string, see: (content: string) => void) {
  const { unsubscribe } = client.subscription(Posted, { username }).subscribe(({ data, error }) => {
    if (error) console.error(error);
    if (data?.twitPosted) see(data.twitPosted.content);
  });
  return unsubscribe;
}

const Forbidden = graphql(`
  mutation Forbidden($username: String!) {
    follow(input: { username: $username }) { user { id username } }
    createGame(input: { code: "darts", name: "Darts" }) { game { id } userErrors { code } }
  }
`);

async function fieldErrors(username: string) {
  const { data, error } = await client.mutation(Forbidden, { username });
  const errors = error?.graphQLErrors ?? [];
  return { data, errors: errors.map(({ path, extensions }) => ({ path, code: extensions.code })) };
}

const Node = graphql(`
  query Node($id: ID!) {
    viewer { id }
    node(id: $id) { id }
  }
`);

async function requestError() {
  const { data, error } = await client.query(Node, { id: 'a'.repeat(600) });
  return { class: error?.name, code: error?.graphQLErrors[0]?.extensions.code, data: data ?? null };
}

async function untrusted() {
  const headers = { authorization: tokens.authorization, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: '{"query":"{ viewer { username } }"}' });
  report.statuses.pop();
  return (await response.json()).errors[0].extensions.code;
}

const [{ user, newest }, forward] = await Promise.all([profile('LiLei'), followers(client, { first: 30 })]);
report.profile = { user };
report.newest = newest;
report.unauthorized = report.statuses.splice(0);
report.forward = forward;
report.backward = await followers(withEmptyStore(), { last: 30 });
report.comments = await comments(twit);

report.before = await state();
await post('news');
await client.mutation(Follow, { input: { username: other } });
report.store = await state('cache-only');
report.network = await state('network-only');
report.nulls = await removeAge(viewer);

report.events = await subscribed((see) => subscribe(viewer, see), post);

report.userError = await post('');
report.fieldErrors = await fieldErrors(other);
report.requestError = await requestError();
report.untrusted = await untrusted();

await sockets.dispose();
console.log(JSON.stringify(report));
