// urql with graphcache as a test: ../harness.mjs says how it is run.
import { gql } from '@urql/core';
import { introspection, other, report, Socket, subscribed, tokens, twit, url, viewer } from '../harness.mjs';
import { socket } from '../socket.mjs';
import { createCache, createUrqlClient, MINE } from './client.mjs';

const sockets = socket(url, tokens, Socket);
const withEmptyStore = () => createUrqlClient(url, tokens, sockets, createCache(introspection()));
const client = withEmptyStore();

const PROFILE = gql`
  query Profile($username: String!) {
    user(username: $username) {
      id
      name
      email
      timeline(first: 1) { edges { node { id } } }
      following(first: 2) {
        edges { node { id username twits(first: 1) { edges { node { id content author { id name } } } } } }
      }
    }
  }
`;

const FOLLOWERS = gql`
  query Followers($username: String!, $first: Int, $after: String, $last: Int, $before: String) {
    user(username: $username) {
      id
      followers(first: $first, after: $after, last: $last, before: $before) {
        edges { node { id username } }
        pageInfo { hasNextPage endCursor hasPreviousPage startCursor }
      }
    }
  }
`;

/** All followers, page by page from the front, or with `last` instead of `first` from the end. */
async function followers(client, page) {
  for (let cursor = {}; ; ) {
    const { data, error } = await client.query(FOLLOWERS, { username: 'LiLei', ...page, ...cursor });
    if (error) throw error;
    const { edges, pageInfo } = data.user.followers; // all pages that the cache has, and the last page's info
    if (page.first && pageInfo.hasNextPage) cursor = { after: pageInfo.endCursor };
    else if (page.last && pageInfo.hasPreviousPage) cursor = { before: pageInfo.startCursor };
    else return edges.map(({ node }) => node.username);
  }
}

const COMMENTS = gql`
  query Comments($id: ID!, $after: String) {
    twit(id: $id) {
      id
      comments(first: 1, after: $after) {
        edges { node { id content } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`;

/** The pages of a list that the server filters: one may be empty, and not be the last. */
async function comments(id) {
  const pages = [];
  for (let after = null; ; ) {
    const { data, error } = await client.query(COMMENTS, { id, after });
    if (error) throw error;
    const { edges, pageInfo } = data.twit.comments;
    pages.push(edges.map(({ node }) => node.content));
    if (!pageInfo.hasNextPage) return pages;
    after = pageInfo.endCursor;
  }
}

const POST = gql`
  mutation Post($input: PostTwitInput!) {
    postTwit(input: $input) {
      twitEdge { cursor node { id content } }
      viewer { id twitCount }
      userErrors { code field message }
    }
  }
`;

async function post(content) {
  const { data, error } = await client.mutation(POST, { input: { content, idempotencyKey: crypto.randomUUID() } });
  if (error) throw error;
  return data.postTwit;
}

const FOLLOW = gql`
  mutation Follow($input: FollowInput!) {
    follow(input: $input) {
      user { id viewerFollows followerCount }
      viewer { id followingCount }
      userErrors { code field message }
    }
  }
`;

const OTHER = gql`
  query Other($username: String!) {
    user(username: $username) { id viewerFollows followerCount }
  }
`;

async function state(requestPolicy) {
  const { data: { viewer } } = await client.query(MINE, {}, { requestPolicy });
  const { data: { user } } = await client.query(OTHER, { username: other }, { requestPolicy });
  return {
    twits: viewer.twits.edges.slice(0, 3).map(({ node }) => node.content),
    counts: [viewer.twitCount, viewer.twits.totalCount, viewer.followingCount, user.followerCount],
    follows: user.viewerFollows,
  };
}

const POSTED = gql`
  subscription Posted($username: String!) {
    twitPosted(username: $username) { id content }
  }
`;

function subscribe(username, onTwit) {
  const { unsubscribe } = client.subscription(POSTED, { username }).subscribe(({ data, error }) => {
    if (error) console.error(error);
    if (data?.twitPosted) onTwit(data.twitPosted);
  });
  return unsubscribe;
}

const FORBIDDEN = gql`
  mutation Forbidden($username: String!) {
    follow(input: { username: $username }) { user { id username } }
    createGame(input: { code: "darts", name: "Darts" }) { game { id } userErrors { code } }
  }
`;

async function fieldErrors(username) {
  const { data, error } = await client.mutation(FORBIDDEN, { username });
  const errors = error?.graphQLErrors ?? [];
  return { data, errors: errors.map(({ path, extensions }) => ({ path, code: extensions.code })) };
}

async function requestError() {
  const query = gql`query Node($id: ID!) { viewer { id } node(id: $id) { id } }`;
  const { data, error } = await client.query(query, { id: 'a'.repeat(600) });
  return { class: error.name, code: error.graphQLErrors[0].extensions.code, data: data ?? null };
}

const [profile, forward] = await Promise.all([
  client.query(PROFILE, { username: 'LiLei' }),
  followers(client, { first: 30 }),
]);
report.profile = profile.data;
report.unauthorized = report.statuses.splice(0);
report.forward = forward;
report.backward = await followers(withEmptyStore(), { last: 30 });
report.comments = await comments(twit);

report.before = await state();
await post('news');
await client.mutation(FOLLOW, { input: { username: other } });
report.store = await state('cache-only');
report.network = await state('network-only');

report.events = await subscribed((see) => subscribe(viewer, ({ content }) => see(content)), post);

report.userError = await post('');
report.fieldErrors = await fieldErrors(other);
report.requestError = await requestError();

await sockets.dispose();
console.log(JSON.stringify(report));
