import { graphql, useLazyLoadQuery, usePaginationFragment } from 'react-relay';
import type { TwitPage_comments$key } from './__generated__/TwitPage_comments.graphql';
import type { TwitPageCommentMutation } from './__generated__/TwitPageCommentMutation.graphql';
import type { TwitPageCommentsQuery } from './__generated__/TwitPageCommentsQuery.graphql';
import type { TwitPageQuery } from './__generated__/TwitPageQuery.graphql';
import { Composer } from './PostTwit';
import { token } from './session';
import { Twit } from './Twit';
import { Empty, Entry, List, Title, useAction, useFetchOptions } from './ui';

export function TwitPage({ id }: { id: string }) {
  const { twit } = useLazyLoadQuery<TwitPageQuery>(
    graphql`
      query TwitPageQuery($id: ID!) @throwOnFieldError { twit(id: $id) { ...Twit_twit ...TwitPage_comments } }
    `,
    { id },
    useFetchOptions(),
  );
  if (!twit) return <Empty>There is no such twit, or it is not visible to you.</Empty>;
  return (
    <>
      <Title>Twit</Title>
      <Twit twit={twit} />
      <Comments twit={twit} />
    </>
  );
}

function Comments({ twit }: { twit: TwitPage_comments$key }) {
  const { data, ...pages } = usePaginationFragment<TwitPageCommentsQuery, TwitPage_comments$key>(
    graphql`
      fragment TwitPage_comments on Twit @refetchable(queryName: "TwitPageCommentsQuery") @throwOnFieldError
      @argumentDefinitions(count: { type: "Int", defaultValue: 20 }, cursor: { type: "String" }) {
        id
        comments(first: $count, after: $cursor) @connection(key: "TwitPage_comments") {
          __id
          edges { node { id content postedAt author { username name avatarUrl } } }
        }
      }
    `,
    twit,
  );
  const { edges, __id } = data.comments;
  return (
    <>
      {token() && <AddComment twitId={data.id} connection={__id} />}
      <List label="Comments" pages={pages} none="No comments that you may see.">
        {edges.map(({ node: { id, author, postedAt, content } }) => (
          <Entry key={id} noun="Comment" author={author} at={postedAt}>
            <p className="text">{content}</p>
          </Entry>
        ))}
      </List>
    </>
  );
}

function AddComment({ twitId, connection }: { twitId: string; connection: string }) {
  const [add, pending, failure] = useAction<TwitPageCommentMutation>(graphql`
    mutation TwitPageCommentMutation($input: AddCommentInput!, $connections: [ID!]!) {
      addComment(input: $input) {
        commentEdge @prependEdge(connections: $connections) {
          cursor
          node { id content postedAt author { username name avatarUrl } }
        }
        twit { id commentCount }
        userErrors { message }
      }
    }
  `);
  function send(content: string, _fields: FormData, idempotencyKey: string, done: () => void) {
    add({ variables: { input: { twitId, content, idempotencyKey }, connections: [connection] } }, done);
  }
  return (
    <Composer label="Your comment" button="Comment" limit={2000} pending={pending} onSend={send}>{failure}</Composer>
  );
}
