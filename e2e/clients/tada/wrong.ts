// Mistakes that the types find: tsc fails if it accepts a line below @ts-expect-error.
// gql.tada check reports the unknown field.
import { graphql, type ResultOf, type VariablesOf } from './graphql';

const Unknown = graphql(`
  query Unknown($id: ID!) {
    twit(id: $id) { text }
  }
`);
const User = graphql(`
  query User($username: String!) {
    user(username: $username) { name }
  }
`);
const Post = graphql(`
  mutation Post($input: PostTwitInput!) {
    postTwit(input: $input) { userErrors { code } }
  }
`);

// @ts-expect-error a twit has no field of this name
export const text = (result: ResultOf<typeof Unknown>): string => result.twit!.text;

// @ts-expect-error a user may be null
export const name = (result: ResultOf<typeof User>) => result.user.name;

// @ts-expect-error content is required
export const input: VariablesOf<typeof Post> = { input: { title: 'Title' } };

// @ts-expect-error the enum has no such value
export const visibility: VariablesOf<typeof Post> = { input: { content: 'Text', visibility: 'followers' } };
