// The types that Relay's compiler generates for fields with @semanticNonNull. tsc checks them.
import { graphql } from 'relay-runtime';
import type { main_name$data } from './__generated__/main_name.graphql';
import type { mainFollowersQuery$data } from './__generated__/mainFollowersQuery.graphql';

graphql`
  query mainFollowersQuery($username: String!) @throwOnFieldError {
    user(username: $username) {
      name
      followers(first: 10) { totalCount edges { node { name followerCount } } }
    }
  }
`;

/** A user who does not exist is null. All below is there, or reading the data has thrown the error. */
export function followers({ user }: mainFollowersQuery$data): string[] {
  return user?.followers.edges.map(({ node }) => `${node.name}, followed by ${node.followerCount.toFixed()}`) ?? [];
}

graphql`
  fragment main_name on User {
    name
  }
`;

// @ts-expect-error without @throwOnFieldError a name may be null
export const length = ({ name }: main_name$data) => name.length;

// @ts-expect-error the total of a list may be null: not every list is counted
export const total = ({ user }: mainFollowersQuery$data) => user?.followers.totalCount.toFixed();

// @ts-expect-error a user may not exist
export const name = ({ user }: mainFollowersQuery$data) => user.name;
