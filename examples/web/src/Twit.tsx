import { graphql, useFragment } from 'react-relay';
import type { Twit_twit$key } from './__generated__/Twit_twit.graphql';
import type { TwitLike_twit$key } from './__generated__/TwitLike_twit.graphql';
import type { TwitLikeMutation } from './__generated__/TwitLikeMutation.graphql';
import { count, Entry, ErrorBoundary, href, Icon, Picture, useAction, useViewer } from './ui';

/** A twit, in a list or on a page of its own. One that could not be read leaves the others as they are. */
export const Twit = ({ twit }: { twit: Twit_twit$key }) => <ErrorBoundary><TwitEntry twit={twit} /></ErrorBoundary>;

function TwitEntry({ twit: key }: { twit: Twit_twit$key }) {
  const twit = useFragment(
    graphql`
      fragment Twit_twit on Twit @throwOnFieldError {
        id
        author { username name avatarUrl }
        title
        content
        photoUrls
        visibility
        postedAt
        commentCount
        ...TwitLike_twit
      }
    `,
    key,
  );
  const { author, title, content, photoUrls, postedAt, commentCount } = twit;
  const link = href('twit', twit.id);
  const mark = twit.visibility === 'FOLLOWERS' && <Icon name="lock" label="For followers" />;
  return (
    <Entry noun="Twit" author={author} at={postedAt} link={link} mark={mark}>
      {title && <h2>{title}</h2>}
      <p className="text">{content}</p>
      <div className="photos">{photoUrls.map((url) => <Picture key={url} url={url} alt="Photo" />)}</div>
      <div className="row">
        <LikeButton twit={twit} />
        <a className="action" href={link} aria-label={count(commentCount, 'comment')}>
          <Icon name="comment" /> {commentCount}
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
    // What the gateway will answer. It is undone if the mutation fails.
    const twit = { id, viewerLikes: likes, likeCount: likeCount + (likes ? 1 : -1) };
    const payload = { twit, userErrors: [] };
    commit({ variables: { twitId: id, likes }, optimisticResponse: likes ? { like: payload } : { unlike: payload } });
  }
  return (
    <>
      <button
        className="action like"
        disabled={!useViewer()}
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
