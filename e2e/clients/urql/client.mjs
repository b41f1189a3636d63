import { Client, fetchExchange, gql, subscriptionExchange } from '@urql/core';
import { authExchange } from '@urql/exchange-auth';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';

// recipe: cache
// Merges the pages of a list. It ignores the pageInfo of an empty page, so that paging never goes
// beyond it. So twits, album, timeline and comments, which the server filters, are not named below.
const list = relayPagination();

/** The store. `introspection` is the result of an introspection query. */
export function createCache(introspection) {
  // Objects without id are stored within their parent: payloads, user errors, connections, edges.
  const objects = introspection.__schema.types.filter(({ kind, name }) => kind === 'OBJECT' && !name.startsWith('__'));
  const embedded = objects.filter(({ fields }) => !fields.some(({ name }) => name === 'id'));
  return cacheExchange({
    schema: introspection,
    keys: Object.fromEntries(embedded.map(({ name }) => [name, () => null])),
    resolvers: {
      Query: { games: list, roles: list, topDepartments: list, users: list },
      User: { followers: list, following: list, games: list, roles: list },
      Department: { descendants: list, roles: list, subDepartments: list },
      Role: { users: list },
      Game: { players: list },
    },
    updates: { Mutation: { postTwit, follow } },
  });
}
// end of recipe

// recipe: updates
export const MINE = gql`
  query Mine {
    viewer { id followingCount twitCount twits(first: 3) { totalCount edges { node { id content } } } }
  }
`;

// Puts a new twit before the viewer's others. The mutation must select what the query selects.
function postTwit({ postTwit }, _args, cache) {
  const twit = postTwit?.twit;
  if (!twit) return; // refused: see userErrors
  cache.updateQuery({ query: MINE }, (data) => {
    if (!data?.viewer) return data;
    const { twitCount, twits } = data.viewer;
    const edges = [{ __typename: 'TwitEdge', node: twit }, ...twits.edges];
    const list = { ...twits, totalCount: twits.totalCount + 1, edges };
    return { ...data, viewer: { ...data.viewer, twitCount: twitCount + 1, twits: list } };
  });
}

// The payload has the followed user's fields, which are stored by id, but not the viewer's count.
function follow({ follow }, _args, cache) {
  if (!follow?.user) return;
  cache.updateQuery({ query: MINE }, (data) => {
    if (!data?.viewer) return data;
    return { ...data, viewer: { ...data.viewer, followingCount: data.viewer.followingCount + 1 } };
  });
}
// end of recipe

// recipe: client
export function createUrqlClient(url, tokens, socket, cache, ...exchanges) {
  let refused;
  const auth = authExchange(async ({ appendHeaders }) => ({
    addAuthToOperation: (operation) => appendHeaders(operation, { authorization: tokens.authorization }),
    didAuthError({ response }, operation) {
      refused = operation.context.fetchOptions?.headers?.authorization;
      return response?.status === 401;
    },
    refreshAuth: () => tokens.renew(refused),
  }));
  return new Client({
    url,
    preferGetMethod: false,
    exchanges: [
      cache,
      auth,
      ...exchanges,
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: (request) => ({
          subscribe: (sink) => ({ unsubscribe: socket.subscribe({ ...request, query: request.query ?? '' }, sink) }),
        }),
      }),
    ],
  });
}
// end of recipe
