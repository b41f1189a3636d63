import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './__generated__/schema.d.ts';

export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { Date: string; DateTime: string; URL: string };
}>();

export { readFragment, type FragmentOf, type ResultOf, type VariablesOf } from 'gql.tada';
