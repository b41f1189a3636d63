// Relay as a test, without React: ../harness.mjs says how it is run. build.mjs compiles it.
import {
  commitMutation,
  ConnectionHandler,
  createOperationDescriptor,
  fetchQuery,
  getSingularSelector,
  graphql,
  handlePotentialSnapshotErrors,
  requestSubscription,
} from 'relay-runtime';
import { caused, other, report, Socket, subscribed, tokens, twit, url, viewer } from '../harness.mjs';
import { socket } from '../socket.mjs';
import { createEnvironment } from './environment.js';

const sockets = socket(url, tokens, Socket);
const withEmptyStore = () => createEnvironment(url, tokens, sockets);
const environment = withEmptyStore();

/** Asks the server, and returns what the store has then. As those of a component, the data stay. */
function load(environment, query, variables) {
  environment.retain(createOperationDescriptor(query, variables));
  return fetchQuery(environment, query, variables, { networkCacheConfig: { force: true } }).toPromise();
}

/** What the store has of a fragment. With @throwOnFieldError it throws the error of a field. */
function read(environment, fragment, ref) {
  const { data, fieldErrors } = environment.lookup(getSingularSelector(fragment, ref));
  handlePotentialSnapshotErrors(environment, fieldErrors);
  return data;
}

const PROFILE = graphql`
  query mainProfileQuery($username: String!) {
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

const FOLLOWERS = graphql`
  fragment main_followers on User
  @refetchable(queryName: "mainFollowersPageQuery")
  @argumentDefinitions(
    first: { type: "Int" }
    after: { type: "String" }
    last: { type: "Int" }
    before: { type: "String" }
  ) {
    id
    followers(first: $first, after: $after, last: $last, before: $before) @connection(key: "main_followers") {
      edges { node { id username } }
      pageInfo { hasNextPage endCursor hasPreviousPage startCursor }
    }
  }
`;

const USER = graphql`
  query mainUserQuery($username: String!, $first: Int, $last: Int) {
    user(username: $username) { ...main_followers @arguments(first: $first, last: $last) }
  }
`;

/** All followers, page by page from the front, or with `last` instead of `first` from the end. */
async function followers(environment, page) {
  const { user } = await load(environment, USER, { username: 'LiLei', ...page });
  for (;;) {
    const { id, followers } = read(environment, FOLLOWERS, user);
    const { hasNextPage, endCursor, hasPreviousPage, startCursor } = followers.pageInfo;
    if (!(page.first ? hasNextPage : hasPreviousPage)) return followers.edges.map(({ node }) => node.username);
    // usePaginationFragment does this in a component, by loadNext and loadPrevious.
    const cursor = page.first ? { after: endCursor } : { before: startCursor };
    await load(environment, FOLLOWERS.metadata.refetch.operation, { id, ...page, ...cursor });
  }
}

const COMMENTS = graphql`
  fragment main_comments on Twit
  @refetchable(queryName: "mainCommentsPageQuery")
  @argumentDefinitions(first: { type: "Int", defaultValue: 1 }, after: { type: "String" }) {
    id
    comments(first: $first, after: $after) @connection(key: "main_comments") {
      edges { node { id content } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;

const TWIT = graphql`
  query mainTwitQuery($id: ID!) {
    twit(id: $id) { ...main_comments }
  }
`;

async function comments(id) {
  const pages = [];
  const { twit } = await load(environment, TWIT, { id });
  for (let seen = 0; ; ) {
    const { edges, pageInfo } = read(environment, COMMENTS, twit).comments;
    pages.push(edges.slice(seen).map(({ node }) => node.content));
    seen = edges.length;
    if (!pageInfo.hasNextPage) return pages;
    await load(environment, COMMENTS.metadata.refetch.operation, { id, after: pageInfo.endCursor });
  }
}

const STATE = graphql`
  query mainStateQuery($other: String!) {
    viewer {
      id
      followingCount
      twitCount
      twits(first: 3) @connection(key: "main_twits") { totalCount edges { node { id content } } }
      following(first: 3) @connection(key: "main_following") { edges { node { id username } } }
    }
    user(username: $other) { id viewerFollows followerCount }
  }
`;

function stored() {
  const { viewer, user } = environment.lookup(createOperationDescriptor(STATE, { other }).fragment).data;
  return {
    twits: viewer.twits.edges.slice(0, 3).map(({ node }) => node.content),
    following: viewer.following.edges.slice(0, 3).map(({ node }) => node.username),
    counts: [viewer.twitCount, viewer.twits.totalCount, viewer.followingCount, user.followerCount],
    follows: user.viewerFollows,
  };
}

/** What a mutation answers, with the errors of its fields. */
function mutate(mutation, variables, updater) {
  return new Promise((resolve, reject) => {
    const onCompleted = (data, errors) => resolve({ data, errors: errors ?? [] });
    commitMutation(environment, { mutation, variables, updater, onCompleted, onError: reject });
  });
}

// recipe: post
const POST = graphql`
  mutation mainPostMutation($input: PostTwitInput!, $connections: [ID!]!) {
    postTwit(input: $input) {
      twitEdge @prependEdge(connections: $connections) { cursor node { id content } }
      viewer { id twitCount }
      userErrors { code field message }
    }
  }
`;

/** Posts a twit. Its edge becomes the first of the author's twits, unless the twit is rejected: see userErrors. */
async function post(content, authorID) {
  const connections = [ConnectionHandler.getConnectionID(authorID, 'main_twits')];
  const input = { content, idempotencyKey: crypto.randomUUID() };
  const { data } = await mutate(POST, { input, connections }, (store, { postTwit }) => {
    const twits = ConnectionHandler.getConnection(store.get(authorID), 'main_twits');
    if (postTwit?.twitEdge) twits.setValue(postTwit.viewer.twitCount, 'totalCount');
  });
  return data.postTwit;
}
// end of recipe

const AFTER = graphql`
  query mainAfterQuery($cursor: String!) {
    viewer { id twits(first: 2, after: $cursor) { edges { node { id content } } } }
  }
`;

const FOLLOW = graphql`
  mutation mainFollowMutation($input: FollowInput!, $connections: [ID!]!) {
    follow(input: $input) {
      user { id viewerFollows followerCount }
      userEdge @prependEdge(connections: $connections) { cursor node { id username } }
      viewer { id followingCount }
      userErrors { code field message }
    }
  }
`;

/** Follows a user. No updater is needed: the payload has all that changed. */
function follow(username, viewerID) {
  const connections = [ConnectionHandler.getConnectionID(viewerID, 'main_following')];
  return mutate(FOLLOW, { input: { username }, connections });
}

const POSTED = graphql`
  subscription mainPostedSubscription($username: String!) {
    twitPosted(username: $username) { id content }
  }
`;

function subscribe(username, onTwit) {
  const { dispose } = requestSubscription(environment, {
    subscription: POSTED,
    variables: { username },
    onNext: ({ twitPosted }) => onTwit(twitPosted),
    onError: (error) => console.error(error),
  });
  return dispose;
}

const FORBIDDEN = graphql`
  mutation mainForbiddenMutation($username: String!) {
    follow(input: { username: $username }) { user { id username } }
    createGame(input: { code: "darts", name: "Darts" }) @catch(to: RESULT) { game { id } userErrors { code } }
  }
`;

async function fieldErrors(username) {
  const { data, errors } = await mutate(FORBIDDEN, { username });
  return { data, errors: errors.map(({ path, extensions }) => ({ path, code: extensions?.code })) };
}

const FOLLOWER = graphql`
  fragment main_follower on UserEdge @throwOnFieldError {
    node { name followerCount }
  }
`;

const FOLLOWERS_OR_NULL = graphql`
  query mainFollowersOrNullQuery {
    user(username: "Jim") { followers(first: 100) { edges { node { name followerCount } ...main_follower } } }
  }
`;

const FOLLOWERS_OR_ERROR = graphql`
  query mainFollowersOrErrorQuery @throwOnFieldError {
    user(username: "Jim") { followers(first: 100) { edges { node { name followerCount } } } }
  }
`;

const MORE_ERRORS_THAN_LISTED = graphql`
  query mainMoreErrorsThanListedQuery {
    a: user(username: "Polly") { followerCount }
    b: user(username: "Polly") { followerCount }
    c: user(username: "Polly") { followerCount }
    d: user(username: "Polly") { followerCount }
    e: user(username: "Polly") { followerCount }
  }
`;

/** The message of the error that a function throws; undefined if it throws none. */
async function thrown(reader) {
  try {
    await reader();
  } catch (error) {
    return error.message;
  }
}

/** Reads followers one of whom cannot be read, without @throwOnFieldError, and with it in a fragment or the query. */
async function unreadable() {
  const environment = withEmptyStore();
  const { user } = await load(environment, FOLLOWERS_OR_NULL, {});
  return {
    nulls: user.followers.edges.map(({ node }) => node === null),
    throwing: await Promise.all(
      user.followers.edges.map(async (edge) => !!(await thrown(() => read(environment, FOLLOWER, edge)))),
    ),
    message: await thrown(() => load(environment, FOLLOWERS_OR_ERROR, {})),
    more: await thrown(() => load(environment, MORE_ERRORS_THAN_LISTED, {})),
  };
}

const NEWEST = graphql`
  fragment main_newest on User {
    twits(first: 2) @stream_connection(key: "newest_twits", initial_count: 1) { edges { node { id content } } }
  }
`;

const FOLLOWED = graphql`
  query mainFollowedQuery($username: String!) {
    user(username: $username) { id following(first: 2) { edges { node { id ...main_newest @defer } } } }
  }
`;

const TEXT = graphql`
  fragment main_text on Twit {
    content
  }
`;

const POST_DEFERRED = graphql`
  mutation mainPostDeferredMutation($input: PostTwitInput!) {
    postTwit(input: $input) { twit { id ...main_text @defer } }
  }
`;

const POSTED_DEFERRED = graphql`
  subscription mainPostedDeferredSubscription($username: String!) {
    twitPosted(username: $username) { id ...main_text @defer }
  }
`;

/** The deferred fragments in the store, after a query, a mutation and an event. */
async function deferred(authorID) {
  const { user } = await load(environment, FOLLOWED, { username: 'LiLei' });
  const newest = user.following.edges.map(({ node }) => read(environment, NEWEST, node).twits.edges);

  const { data } = await mutate(POST_DEFERRED, { input: { content: 'deferred' } });

  const listening = withEmptyStore(); // The posts themselves are in the other store.
  const seen = [];
  const { dispose } = requestSubscription(listening, {
    subscription: POSTED_DEFERRED,
    variables: { username: viewer },
    onNext: ({ twitPosted }) => seen.push(read(listening, TEXT, twitPosted).content ?? ''),
    onError: (error) => console.error(error),
  });
  const event = await caused('event', seen, (content) => post(content, authorID));
  dispose();
  return {
    query: newest.map((edges) => edges.map(({ node }) => node.content)),
    mutation: read(environment, TEXT, data.postTwit.twit).content,
    event,
  };
}

const NODE = graphql`
  query mainNodeQuery($id: ID!) {
    viewer { id }
    node(id: $id) { id }
  }
`;

async function requestError() {
  try {
    return await load(environment, NODE, { id: 'a'.repeat(600) });
  } catch (error) {
    return { class: error.name, code: error.source.errors[0].extensions.code, data: error.source.data ?? null };
  }
}

const [profile, forward] = await Promise.all([
  load(environment, PROFILE, { username: 'LiLei' }),
  followers(environment, { first: 30 }),
]);
report.profile = profile;
report.unauthorized = report.statuses.splice(0);
report.forward = forward;
report.backward = await followers(withEmptyStore(), { last: 30 });
report.comments = await comments(twit);

const { viewer: { id } } = await load(environment, STATE, { other });
report.before = stored();
const { twitEdge } = await post('news', id);
await follow(other, id);
report.store = stored();
const { viewer: { twits } } = await load(environment, AFTER, { cursor: twitEdge.cursor });
report.after = twits.edges.map(({ node }) => node.content);
await load(environment, STATE, { other });
report.network = stored();

report.events = await subscribed(
  (see) => subscribe(viewer, ({ content }) => see(content)),
  (content) => post(content, id),
);

report.deferred = [await deferred(id)];

report.unreadable = await unreadable();
report.userError = await post('', id);
report.fieldErrors = await fieldErrors(other);
report.requestError = await requestError();

await sockets.dispose();
console.log(JSON.stringify(report));
