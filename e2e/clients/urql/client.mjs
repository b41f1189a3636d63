import { Client, fetchExchange, gql, subscriptionExchange } from '@urql/core';
import { authExchange } from '@urql/exchange-auth';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';

// relayPagination ignores the pageInfo of an empty page, so paging never goes beyond it. So twits,
// album, timeline and comments, which the server filters, are not named below.
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
    updates: { Mutation: { postTwit } },
  });
}

export const MINE = gql`
  query Mine {
    viewer { id followingCount twitCount twits(first: 3) { totalCount edges { node { id content } } } }
  }
`;

// The viewer's counts are stored by id.
function postTwit({ postTwit }, _args, cache) {
  if (!postTwit?.twitEdge) return; // rejected: see userErrors
  const { twitEdge, viewer: { twitCount } } = postTwit;
  cache.updateQuery({ query: MINE }, (data) => {
    if (!data?.viewer) return data;
    const { twits } = data.viewer;
    return { viewer: { ...data.viewer, twits: { ...twits, totalCount: twitCount, edges: [twitEdge, ...twits.edges] } } };
  });
}

export function createUrqlClient(url, tokens, socket, cache, ...exchanges) {
  let rejected;
  const auth = authExchange(async ({ appendHeaders }) => ({
    addAuthToOperation: (operation) => appendHeaders(operation, { authorization: tokens.authorization }),
    didAuthError({ response }, operation) {
      rejected = operation.context.fetchOptions?.headers?.authorization;
      return response?.status === 401;
    },
    refreshAuth: () => tokens.renew(rejected),
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
