import { graphql, useLazyLoadQuery, usePaginationFragment } from 'react-relay';
import type { Profile_twits$key } from './__generated__/Profile_twits.graphql';
import type { ProfileFollowMutation } from './__generated__/ProfileFollowMutation.graphql';
import type { ProfileQuery } from './__generated__/ProfileQuery.graphql';
import type { ProfileTwitsQuery } from './__generated__/ProfileTwitsQuery.graphql';
import { PostTwit } from './PostTwit';
import { Twit } from './Twit';
import { Avatar, count, Empty, List, useAction, useFetchOptions } from './ui';

export function Profile({ username }: { username: string }) {
  const { user, viewer } = useLazyLoadQuery<ProfileQuery>(
    graphql`
      query ProfileQuery($username: String!) @throwOnFieldError {
        viewer { id }
        user(username: $username) {
          id name username avatarUrl bio
          twitCount followerCount followingCount viewerFollows
          ...Profile_twits
        }
      }
    `,
    { username },
    useFetchOptions(),
  );
  if (!user) return <Empty>There is no such user.</Empty>;
  const own = viewer?.id === user.id;
  return (
    <>
      <title>{`${user.name} · twibase`}</title>
      <div className="profile">
        <Avatar of={user} />
        <div>
          <h1>{user.name}</h1>
          <p className="quiet">@{user.username}</p>
          {user.bio && <p>{user.bio}</p>}
        </div>
        {viewer && !own && <FollowButton username={user.username} follows={user.viewerFollows} />}
      </div>
      <p className="counts">
        <span>{count(user.twitCount, 'twit')}</span>
        <span>{count(user.followerCount, 'follower')}</span>
        <span>{user.followingCount} following</span>
      </p>
      {own && <PostTwit id={user.id} username={user.username} />}
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
  return (
    <List label="Twits" pages={pages} none="No twits yet.">
      {data.twits.edges.map(({ node }) => <Twit key={node.id} twit={node} />)}
    </List>
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
  const toggle = () => pending || commit({ variables: { username, follows: !follows } });
  return (
    <div className="follow">
      <button className={follows ? '' : 'primary'} aria-busy={pending} onClick={toggle}>
        {follows ? 'Unfollow' : 'Follow'}
      </button>
      {failure}
    </div>
  );
}
