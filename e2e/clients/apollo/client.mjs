import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, ServerError } from '@apollo/client';
import { Defer20220824Handler } from '@apollo/client/incremental';
import { SetContextLink } from '@apollo/client/link/context';
import { ErrorLink } from '@apollo/client/link/error';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { relayStylePagination } from '@apollo/client/utilities';
import { OperationTypeNode } from 'graphql';
import { from, switchMap } from 'rxjs';

// Pages are merged into one list for each value of the named arguments.
const list = relayStylePagination();

// A list that the viewer may not see is null. relayStylePagination makes an empty list of it.
const merge = (existing, incoming, options) => incoming && list.merge(existing, incoming, options);
const privateList = { ...list, merge };

export function createCache() {
  return new InMemoryCache({
    possibleTypes: { Node: ['Comment', 'Department', 'Game', 'Role', 'Twit', 'User'] },
    typePolicies: {
      Query: { fields: { games: list, roles: list, topDepartments: list, users: list } },
      User: {
        fields: {
          album: list,
          followers: list,
          following: list,
          games: list,
          roles: list,
          timeline: privateList,
          twits: list,
        },
      },
      Twit: { fields: { comments: list } },
      Department: { fields: { descendants: relayStylePagination(['maxDepth']), roles: list, subDepartments: list } },
      Role: { fields: { users: list } },
      Game: { fields: { players: list } },
    },
  });
}

export function createApolloClient(url, tokens, socket, cache) {
  const authorize = new SetContextLink(({ headers }) => {
    return { headers: { ...headers, authorization: tokens.authorization } };
  });
  const renew = new ErrorLink(({ error, operation, forward }) => {
    if (!ServerError.is(error) || error.statusCode !== 401) return;
    const { authorization } = operation.getContext().headers;
    return from(tokens.renew(authorization)).pipe(switchMap(() => forward(operation)));
  });
  return new ApolloClient({
    cache,
    incrementalHandler: new Defer20220824Handler(), // without one, no operation with @defer is sent
    link: ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      new GraphQLWsLink(socket),
      ApolloLink.from([renew, authorize, new HttpLink({ uri: url })]),
    ),
  });
}
