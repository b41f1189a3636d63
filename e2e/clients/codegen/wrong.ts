// Mistakes that the generated types find: tsc fails if it accepts a line below @ts-expect-error.
import type { PostMutationVariables, ProfileQuery } from './__generated__/graphql';

// @ts-expect-error a user may be null
export const name = (result: ProfileQuery) => result.user.name;

// @ts-expect-error an email may be hidden
export const length = (result: ProfileQuery) => result.user?.email.length;

// @ts-expect-error content is required
export const input: PostMutationVariables = { input: { title: 'Title' } };

// @ts-expect-error the enum has no such value
export const visibility: PostMutationVariables = { input: { content: 'Text', visibility: 'followers' } };
