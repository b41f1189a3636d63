// Apollo Client as a test: ../harness.mjs says how it is run.
import { ApolloClient, CombinedGraphQLErrors, gql } from '@apollo/client';
import { GraphQL17Alpha9Handler } from '@apollo/client/incremental';
import { filter, firstValueFrom } from 'rxjs';
import { formErrors } from '../forms.mjs';
import { caused, other, report, Socket, subscribed, tokens, twit, url, viewer } from '../harness.mjs';
import { socket } from '../socket.mjs';
import { createApolloClient, createCache } from './client.mjs';

const sockets = socket(url, tokens, Socket);
const client = createApolloClient(url, tokens, sockets, createCache());

const PROFILE = gql`
  query Profile($username: String!) {
    user(username: $username) {
      id
      name
      email
      timeline(first: 1) { edges { node { id } } }
      following(first: 2) {
        edges { node { id username twits(first: 1) { edges { node { content author { id name } } } } } }
      }
    }
  }
`;

const FOLLOWERS = gql`
  query Followers($username: String!, $first: Int, $after: String, $last: Int, $before: String) {
    user(username: $username) {
      id
      followers(first: $first, after: $after, last: $last, before: $before) {
        edges { cursor node { id username } }
        pageInfo { hasNextPage endCursor hasPreviousPage startCursor }
      }
    }
  }
`;

/** All followers, page by page from the front, or with `last` instead of `first` from the end. */
async function followers(page) {
  const variables = { username: 'LiLei', ...page };
  const query = client.watchQuery({ query: FOLLOWERS, variables, fetchPolicy: 'network-only' });
  const rendering = query.subscribe({}); // as a component does
  let { data } = await firstValueFrom(query.pipe(filter(({ loading }) => !loading)));
  for (;;) {
    const { hasNextPage, endCursor, hasPreviousPage, startCursor } = data.user.followers.pageInfo;
    if (!(page.first ? hasNextPage : hasPreviousPage)) break;
    ({ data } = await query.fetchMore({ variables: page.first ? { after: endCursor } : { before: startCursor } }));
  }
  rendering.unsubscribe();
  const all = client.readQuery({ query: FOLLOWERS, variables }); // fetchMore returns one page, the cache has the list
  return all.user.followers.edges.map(({ node }) => node.username);
}

const COMMENTS = gql`
  query Comments($id: ID!, $after: String) {
    twit(id: $id) {
      id
      comments(first: 1, after: $after) {
        edges { cursor node { id content } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`;

async function comments(id) {
  const pages = [];
  const query = client.watchQuery({ query: COMMENTS, variables: { id } });
  const rendering = query.subscribe({});
  let { data } = await firstValueFrom(query.pipe(filter(({ loading }) => !loading)));
  for (;;) {
    const { edges, pageInfo } = data.twit.comments;
    pages.push(edges.map(({ node }) => node.content));
    if (!pageInfo.hasNextPage) break;
    ({ data } = await query.fetchMore({ variables: { after: pageInfo.endCursor } }));
  }
  rendering.unsubscribe();
  const { edges } = client.readQuery({ query: COMMENTS, variables: { id } }).twit.comments;
  const all = edges.map(({ node }) => node.content);
  if (all.join() !== pages.flat().join()) throw new Error(`the store has ${all}, the pages had ${pages}`);
  return pages;
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

/** Puts an edge of a payload before the others of a list, with the number of entries if it is known. */
const prepend = (edge, counted) => (list, { toReference }) => {
  return { ...list, ...counted, edges: [{ ...edge, node: toReference(edge.node) }, ...list.edges] };
};

async function post(content) {
  const { data } = await client.mutate({
    mutation: POST,
    variables: { input: { content, idempotencyKey: crypto.randomUUID() } },
    update(cache, { data }) {
      if (!data?.postTwit?.twitEdge) return; // rejected: see userErrors
      const { twitEdge, viewer } = data.postTwit;
      const fields = { twits: prepend(twitEdge, { totalCount: viewer.twitCount }) };
      cache.modify({ id: cache.identify(viewer), fields });
    },
  });
  return data.postTwit;
}

const AFTER = gql`
  query After($cursor: String!) {
    viewer { id twits(first: 2, after: $cursor) { edges { node { id content } } } }
  }
`;

const FOLLOW = gql`
  mutation Follow($input: FollowInput!) {
    follow(input: $input) {
      user { id viewerFollows followerCount }
      userEdge { cursor node { id username } }
      viewer { id followingCount }
      userErrors { code field message }
    }
  }
`;

async function follow(username) {
  await client.mutate({
    mutation: FOLLOW,
    variables: { input: { username } },
    update(cache, { data }) {
      if (!data?.follow?.userEdge) return;
      const { userEdge, viewer } = data.follow;
      cache.modify({ id: cache.identify(viewer), fields: { following: prepend(userEdge) } });
    },
  });
}

const STATE = gql`
  query State($other: String!) {
    viewer {
      id
      followingCount
      twitCount
      twits(first: 3) { totalCount edges { node { id content } } }
      following(first: 3) { edges { node { id username } } }
    }
    user(username: $other) { id viewerFollows followerCount }
  }
`;

async function state(fetchPolicy) {
  const { data } = await client.query({ query: STATE, variables: { other }, fetchPolicy });
  return {
    twits: data.viewer.twits.edges.slice(0, 3).map(({ node }) => node.content),
    following: data.viewer.following.edges.slice(0, 3).map(({ node }) => node.username),
    counts: [data.viewer.twitCount, data.viewer.twits.totalCount, data.viewer.followingCount, data.user.followerCount],
    follows: data.user.viewerFollows,
  };
}

const POSTED = gql`
  subscription Posted($username: String!) {
    twitPosted(username: $username) { id content }
  }
`;

function subscribe(username, onTwit) {
  const subscription = client.subscribe({ query: POSTED, variables: { username } }).subscribe({
    next: ({ data, error }) => (error ? console.error(error) : onTwit(data.twitPosted)),
    error: (error) => console.error(error),
  });
  return () => subscription.unsubscribe();
}

const FORBIDDEN = gql`
  mutation Forbidden($username: String!) {
    follow(input: { username: $username }) { user { id username } }
    createGame(input: { code: "darts", name: "Darts" }) { game { id } userErrors { code } }
  }
`;

async function fieldErrors(username) {
  const { data, error } = await client.mutate({ mutation: FORBIDDEN, variables: { username }, errorPolicy: 'all' });
  const errors = CombinedGraphQLErrors.is(error) ? error.errors : [];
  return { data, errors: errors.map(({ path, extensions }) => ({ path, code: extensions.code })) };
}

const FOLLOWED = gql`
  query Followed($username: String!) {
    user(username: $username) { id following(first: 2) { edges { node { id ...Newest @defer } } } }
  }

  fragment Newest on User {
    twits(first: 2) { edges @stream(initialCount: 1) { node { id content } } }
  }
`;

const POST_DEFERRED = gql`
  mutation PostDeferred($input: PostTwitInput!) {
    postTwit(input: $input) { twit { id ... @defer { content } } }
  }
`;

const POSTED_DEFERRED = gql`
  subscription PostedDeferred($username: String!) {
    twitPosted(username: $username) { id ... @defer { content } }
  }
`;

/** The deferred fragments in the store of a client, after a query, a mutation and an event. */
async function deferred(client) {
  const text = (twit) => client.readFragment({ from: twit, fragment: gql`fragment Text on Twit { content }` })?.content;
  const followed = { query: FOLLOWED, variables: { username: 'LiLei' } };
  await client.query(followed);
  const { edges } = client.readQuery(followed).user.following;

  const variables = { input: { content: 'deferred' } };
  const { data } = await client.mutate({ mutation: POST_DEFERRED, variables });

  const seen = [];
  const subscription = client.subscribe({ query: POSTED_DEFERRED, variables: { username: viewer } }).subscribe({
    next: ({ data, error }) => (error ? console.error(error) : seen.push(text(data.twitPosted) ?? '')),
    error: (error) => console.error(error),
  });
  const event = await caused('event', seen, post); // which is of another client, with another store
  subscription.unsubscribe();
  client.stop();
  return {
    query: edges.map(({ node }) => node.twits.edges.map(({ node }) => node.content)),
    mutation: text(data.postTwit.twit),
    event,
  };
}

async function form(input) {
  const mutation = gql`
    mutation Form($input: PostTwitInput!) {
      postTwit(input: $input) { userErrors { path message } }
    }
  `;
  const { data } = await client.mutate({ mutation, variables: { input } });
  return formErrors(data.postTwit.userErrors);
}

async function requestError() {
  const query = gql`query Node($id: ID!) { viewer { id } node(id: $id) { id } }`;
  try {
    return await client.query({ query, variables: { id: 'a'.repeat(600) } });
  } catch (error) {
    return { class: error.name, code: error.errors[0].extensions.code, data: error.data ?? null };
  }
}

const [profile, forward] = await Promise.all([
  client.query({ query: PROFILE, variables: { username: 'LiLei' } }),
  followers({ first: 30 }),
]);
report.profile = profile.data;
report.unauthorized = report.statuses.splice(0);
report.forward = forward;
report.backward = await followers({ last: 30 });
report.comments = await comments(twit);

report.before = await state();
const { twitEdge } = await post('news');
await follow(other);
report.store = await state('cache-only');
report.network = await state('network-only');
const { data: { viewer: { twits } } } = await createApolloClient(url, tokens, sockets, createCache())
  .query({ query: AFTER, variables: { cursor: twitEdge.cursor } });
report.after = twits.edges.map(({ node }) => node.content);

report.events = await subscribed((see) => subscribe(viewer, ({ content }) => see(content)), post);

const incrementalHandler = new GraphQL17Alpha9Handler();
report.deferred = [
  await deferred(createApolloClient(url, tokens, sockets, createCache())),
  await deferred(new ApolloClient({ cache: createCache(), link: client.link, incrementalHandler })),
];

report.userError = await post('');
report.form = await form({ content: 'Two photos.', photoUrls: ['https://example.org/1.png', 'x'] });
report.fieldErrors = await fieldErrors(other);
report.requestError = await requestError();

await sockets.dispose();
client.stop();
console.log(JSON.stringify(report));
