// The types of graphql-codegen with Apollo Client. tsc checks them.
import type { ApolloClient } from '@apollo/client';
import { graphql } from './__generated__/gql';

const Authors = graphql(`
  query Authors($username: String!) {
    user(username: $username) { id twits(first: 10) { edges { node { id author { id name } } } } }
  }
`);

/** With the errorPolicy "none", which is the default, query rejects if a field has an error. */
export async function authors(client: ApolloClient, username: string): Promise<string[]> {
  const { data } = await client.query({ query: Authors, variables: { username } });
  return data?.user?.twits.edges.map(({ node }) => node.author.name) ?? [];
}
