// gql.tada as a test, with Apollo Client: ../harness.mjs says how it is run.
import { CombinedGraphQLErrors } from '@apollo/client';
import { filter, firstValueFrom } from 'rxjs';
import { createApolloClient, createCache } from '../apollo/client.mjs';
import { other, report, Socket, subscribed, tokens, twit, url, viewer } from '../harness.mjs';
import { socket } from '../socket.mjs';
import { graphql, readFragment, type FragmentOf, type VariablesOf } from './graphql';

const sockets = socket(url, tokens, Socket);
const client = createApolloClient(url, tokens, sockets, createCache());

const NewestTwit = graphql(`
  fragment NewestTwit on User {
    twits(first: 1) { edges { node { id content author { id name } } } }
  }
`);

const Profile = graphql(
  `
    query Profile($username: String!) {
      user(username: $username) {
        id
        name
        email
        timeline(first: 1) { edges { node { id } } }
        following(first: 2) { edges { node { id username ...NewestTwit } } }
      }
    }
  `,
  [NewestTwit],
);

/** What a component shows of a user: its types have the fields of its own fragment alone. */
function newestTwit(user: FragmentOf<typeof NewestTwit>) {
  const { twits } = readFragment(NewestTwit, user);
  return twits?.edges?.[0]?.node; // any of these may be null
}

async function profile(username: string) {
  const { data } = await client.query({ query: Profile, variables: { username } });
  const followed = data?.user?.following?.edges?.flatMap(({ node }) => node ?? []) ?? [];
  return { user: data?.user, newest: followed.map(newestTwit) };
}

const Followers = graphql(`
  query Followers($username: String!, $first: Int, $after: String, $last: Int, $before: String) {
    user(username: $username) {
      id
      followers(first: $first, after: $after, last: $last, before: $before) {
        edges { cursor node { id username } }
        pageInfo { hasNextPage endCursor hasPreviousPage startCursor }
      }
    }
  }
`);

async function followers(page: { first: number; last?: never } | { first?: never; last: number }) {
  const variables = { username: 'LiLei', ...page };
  const query = client.watchQuery({ query: Followers, variables, fetchPolicy: 'network-only' });
  const rendering = query.subscribe({});
  let { data } = await firstValueFrom(query.pipe(filter(({ loading }) => !loading)));
  for (;;) {
    const { hasNextPage, endCursor, hasPreviousPage, startCursor } = data!.user!.followers!.pageInfo!;
    if (!(page.first ? hasNextPage : hasPreviousPage)) break;
    const cursor = page.first ? { after: endCursor } : { before: startCursor };
    ({ data } = (await query.fetchMore({ variables: cursor })) as { data: typeof data });
  }
  rendering.unsubscribe();
  return client.readQuery({ query: Followers, variables })!.user!.followers!.edges!.map(({ node }) => node!.username);
}

const Comments = graphql(`
  query Comments($id: ID!, $after: String) {
    twit(id: $id) {
      id
      comments(first: 1, after: $after) {
        edges { cursor node { id content } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

async function comments(id: string) {
  const pages: string[][] = [];
  for (let after: string | null = null; ; ) {
    const { data } = await client.query({ query: Comments, variables: { id, after }, fetchPolicy: 'no-cache' });
    const { edges, pageInfo } = data!.twit!.comments!;
    pages.push(edges!.map(({ node }) => node!.content));
    if (!pageInfo.hasNextPage) return pages;
    after = pageInfo.endCursor;
  }
}

const State = graphql(`
  query State($other: String!) {
    viewer { id followingCount twitCount twits(first: 3) { totalCount edges { node { id content } } } }
    user(username: $other) { id viewerFollows followerCount }
  }
`);

async function state(fetchPolicy?: 'cache-only' | 'network-only') {
  const { data } = await client.query({ query: State, variables: { other }, ...(fetchPolicy && { fetchPolicy }) });
  const { viewer, user } = data!;
  return {
    twits: viewer!.twits!.edges!.slice(0, 3).map(({ node }) => node!.content),
    counts: [viewer!.twitCount, viewer!.twits!.totalCount, viewer!.followingCount, user!.followerCount],
    follows: user!.viewerFollows,
  };
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
  const input: VariablesOf<typeof Post>['input'] = { content, idempotencyKey: crypto.randomUUID() };
  const { data } = await client.mutate({
    mutation: Post,
    variables: { input },
    update(cache, { data }) {
      const { twitEdge, viewer } = data?.postTwit ?? {};
      if (!twitEdge) return; // rejected: see userErrors
      cache.updateQuery({ query: State, variables: { other } }, (old) => {
        if (!old?.viewer?.twits?.edges) return;
        const twits = { ...old.viewer.twits, totalCount: viewer?.twitCount ?? null };
        return { ...old, viewer: { ...old.viewer, twits: { ...twits, edges: [twitEdge, ...old.viewer.twits.edges] } } };
      });
    },
  });
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

const follow = (username: string) => client.mutate({ mutation: Follow, variables: { input: { username } } });

const Update = graphql(`
  mutation Update($input: UpdateUserInput!) {
    updateUser(input: $input) {
      user { id age }
      userErrors { code field message }
    }
  }
`);

async function update(input: VariablesOf<typeof Update>['input']) {
  const { data } = await client.mutate({ mutation: Update, variables: { input } });
  return data?.updateUser?.user?.age;
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
  const subscription = client.subscribe({ query: Posted, variables: { username } }).subscribe({
    next: ({ data, error }) => (error ? console.error(error) : data?.twitPosted && see(data.twitPosted.content)),
    error: (error) => console.error(error),
  });
  return () => subscription.unsubscribe();
}

const Forbidden = graphql(`
  mutation Forbidden($username: String!) {
    follow(input: { username: $username }) { user { id username } }
    createGame(input: { code: "darts", name: "Darts" }) { game { id } userErrors { code } }
  }
`);

async function fieldErrors(username: string) {
  const { data, error } = await client.mutate({ mutation: Forbidden, variables: { username }, errorPolicy: 'all' });
  const errors = CombinedGraphQLErrors.is(error) ? error.errors : [];
  return { data, errors: errors.map(({ path, extensions }) => ({ path, code: extensions?.code })) };
}

const Node = graphql(`
  query Node($id: ID!) {
    viewer { id }
    node(id: $id) { id }
  }
`);

async function requestError() {
  const { data, error } = await client.query({ query: Node, variables: { id: 'a'.repeat(600) }, errorPolicy: 'all' });
  const code = CombinedGraphQLErrors.is(error) ? error.errors[0]?.extensions?.code : undefined;
  return { class: error?.name, code, data: data ?? null };
}

const [{ user, newest }, forward] = await Promise.all([profile('LiLei'), followers({ first: 30 })]);
report.profile = { user };
report.newest = newest;
report.unauthorized = report.statuses.splice(0);
report.forward = forward;
report.backward = await followers({ last: 30 });
report.comments = await comments(twit);

report.before = await state();
await post('news');
await follow(other);
report.store = await state('cache-only');
report.network = await state('network-only');
report.nulls = await removeAge(viewer);

report.events = await subscribed((see) => subscribe(viewer, see), post);

report.userError = await post('');
report.fieldErrors = await fieldErrors(other);
report.requestError = await requestError();

await sockets.dispose();
client.stop();
console.log(JSON.stringify(report));
