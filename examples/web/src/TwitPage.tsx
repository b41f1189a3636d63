import { graphql, type PreloadedQuery, usePaginationFragment, usePreloadedQuery } from 'react-relay';
import type { TwitPage_comments$key } from './__generated__/TwitPage_comments.graphql';
import type { TwitPageCommentMutation } from './__generated__/TwitPageCommentMutation.graphql';
import type { TwitPageCommentsQuery } from './__generated__/TwitPageCommentsQuery.graphql';
import type { TwitPageQuery } from './__generated__/TwitPageQuery.graphql';
import { Composer } from './Composer';
import { Twit } from './Twit';
import { Empty, Entry, More, Page, useAction, useViewer } from './ui';

export const twitQuery = graphql`
  query TwitPageQuery($id: ID!) @throwOnFieldError { twit(id: $id) { ...Twit_twit ...TwitPage_comments } }
`;

/** A twit with its comments. */
export function TwitPage({ query }: { query: PreloadedQuery<TwitPageQuery> }) {
  const { twit } = usePreloadedQuery<TwitPageQuery>(twitQuery, query);
  if (!twit) return <Empty>There is no such twit, or it is not visible to you.</Empty>;
  return (
    <Page title="Twit">
      <Twit twit={twit} />
      <Comments twit={twit} />
    </Page>
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
    <section aria-label="Comments">
      {useViewer() && <AddComment twitId={data.id} connection={__id} />}
      {edges.map(({ node: { id, author, postedAt, content } }) => (
        <Entry key={id} noun="Comment" author={author} at={postedAt}>
          <p className="text">{content}</p>
        </Entry>
      ))}
      <More pages={pages} none={edges.length === 0 && 'No comments that you may see.'} />
    </section>
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
  return (
    <Composer
      label="Your comment"
      button="Comment"
      limit={2000}
      pending={pending}
      onSend={(fields, idempotencyKey, done) => {
        const input = { twitId, content: fields.get('content') as string, idempotencyKey };
        add({ variables: { input, connections: [connection] } }, done);
      }}
    >
      {failure}
    </Composer>
  );
}
