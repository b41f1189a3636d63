import { graphql, type PreloadedQuery, usePaginationFragment, usePreloadedQuery } from 'react-relay';
import type { Profile_twits$key } from './__generated__/Profile_twits.graphql';
import type { ProfileFollowMutation } from './__generated__/ProfileFollowMutation.graphql';
import type { ProfileQuery } from './__generated__/ProfileQuery.graphql';
import type { ProfileTwitsQuery } from './__generated__/ProfileTwitsQuery.graphql';
import { PostTwit } from './PostTwit';
import { Twit } from './Twit';
import { Avatar, count, Empty, More, useAction, useViewer } from './ui';

export const profileQuery = graphql`
  query ProfileQuery($username: String!) @throwOnFieldError {
    user(username: $username) {
      id
      username
      name
      avatarUrl
      bio
      twitCount
      followerCount
      followingCount
      viewerFollows
      ...Profile_twits
    }
  }
`;

/** A user with the twits of the user. */
export function Profile({ query }: { query: PreloadedQuery<ProfileQuery> }) {
  const { user } = usePreloadedQuery<ProfileQuery>(profileQuery, query);
  const viewer = useViewer();
  if (!user) return <Empty>There is no such user.</Empty>;
  return (
    <>
      <title>{`${user.name} · twibase`}</title>
      <div className="profile">
        <Avatar of={user} large />
        <div>
          <h1>{user.name}</h1>
          <p className="quiet">@{user.username}</p>
          {user.bio && <p>{user.bio}</p>}
        </div>
        {viewer && viewer.id !== user.id && <FollowButton username={user.username} follows={user.viewerFollows} />}
      </div>
      <p className="counts">
        <span>{count(user.twitCount, 'twit')}</span>
        <span>{count(user.followerCount, 'follower')}</span>
        <span>{user.followingCount} following</span>
      </p>
      {viewer?.id === user.id && <PostTwit />}
      <Twits user={user} />
    </>
  );
}

function Twits({ user }: { user: Profile_twits$key }) {
  const { data, ...pages } = usePaginationFragment<ProfileTwitsQuery, Profile_twits$key>(
    graphql`
      fragment Profile_twits on User @refetchable(queryName: "ProfileTwitsQuery") @throwOnFieldError
      @argumentDefinitions(count: { type: "Int", defaultValue: 20 }, cursor: { type: "String" }) {
        twits(first: $count, after: $cursor) @connection(key: "Profile_twits") {
          edges { node { id ...Twit_twit } }
        }
      }
    `,
    user,
  );
  const { edges } = data.twits;
  return (
    <>
      {edges.map(({ node }) => <Twit key={node.id} twit={node} />)}
      <More pages={pages} none={edges.length === 0 && 'No twits yet.'} />
    </>
  );
}

function FollowButton({ username, follows }: { username: string; follows: boolean }) {
  const [commit, pending, failure] = useAction<ProfileFollowMutation>(graphql`
    mutation ProfileFollowMutation($username: String!, $follows: Boolean!) {
      follow(input: { username: $username }) @include(if: $follows) {
        user { id followerCount viewerFollows }
        viewer { id followingCount }
        userErrors { message }
      }
      unfollow(input: { username: $username }) @skip(if: $follows) {
        user { id followerCount viewerFollows }
        viewer { id followingCount }
        userErrors { message }
      }
    }
  `);
  return (
    <div className="follow">
      <button
        className={follows ? '' : 'primary'}
        aria-busy={pending}
        onClick={() => pending || commit({ variables: { username, follows: !follows } })}
      >
        {follows ? 'Unfollow' : 'Follow'}
      </button>
      {failure}
    </div>
  );
}
