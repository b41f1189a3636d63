import { graphql, useFragment } from 'react-relay';
import type { Twit_twit$key } from './__generated__/Twit_twit.graphql';
import type { TwitLike_twit$key } from './__generated__/TwitLike_twit.graphql';
import type { TwitLikeMutation } from './__generated__/TwitLikeMutation.graphql';
import { token } from './session';
import { count, Entry, ErrorBoundary, href, Icon, Picture, useAction } from './ui';

/** A twit whose error does not affect other twits. */
export const Twit = ({ twit }: { twit: Twit_twit$key }) => <ErrorBoundary><TwitEntry twit={twit} /></ErrorBoundary>;

function TwitEntry({ twit: key }: { twit: Twit_twit$key }) {
  const twit = useFragment(
    graphql`
      fragment Twit_twit on Twit @throwOnFieldError {
        id title content photoUrls visibility postedAt commentCount
        author { username name avatarUrl }
        ...TwitLike_twit
      }
    `,
    key,
  );
  const link = href('twit', twit.id);
  const mark = twit.visibility === 'FOLLOWERS' && <Icon name="lock" label="For followers" />;
  return (
    <Entry noun="Twit" author={twit.author} at={twit.postedAt} link={link} mark={mark}>
      {twit.title && <h2>{twit.title}</h2>}
      <p className="text">{twit.content}</p>
      <div className="photos">{twit.photoUrls.map((url) => <Picture key={url} url={url} alt="Photo" />)}</div>
      <div className="row">
        <LikeButton twit={twit} />
        <a className="action" href={link} aria-label={count(twit.commentCount, 'comment')}>
          <Icon name="comment" /> {twit.commentCount}
        </a>
      </div>
    </Entry>
  );
}

function LikeButton({ twit }: { twit: TwitLike_twit$key }) {
  const { id, likeCount, viewerLikes } = useFragment(
    graphql`
      fragment TwitLike_twit on Twit @throwOnFieldError { id likeCount viewerLikes }
    `,
    twit,
  );
  const [commit, pending, failure] = useAction<TwitLikeMutation>(graphql`
    mutation TwitLikeMutation($twitId: ID!, $likes: Boolean!) @raw_response_type {
      like(input: { twitId: $twitId }) @include(if: $likes) { twit { ...TwitLike_twit } userErrors { message } }
      unlike(input: { twitId: $twitId }) @skip(if: $likes) { twit { ...TwitLike_twit } userErrors { message } }
    }
  `);
  function toggle() {
    if (pending) return;
    const likes = !viewerLikes;
    const twit = { id, viewerLikes: likes, likeCount: likeCount + (likes ? 1 : -1) };
    const payload = { twit, userErrors: [] };
    commit({ variables: { twitId: id, likes }, optimisticResponse: likes ? { like: payload } : { unlike: payload } });
  }
  return (
    <>
      <button
        className="action like"
        disabled={!token()}
        aria-busy={pending}
        aria-pressed={viewerLikes}
        aria-label={`Like, ${count(likeCount, 'like')}`}
        onClick={toggle}
      >
        <Icon name="heart" /> {likeCount}
      </button>
      {failure}
    </>
  );
}
