import { useMemo, useState } from 'react';
import { graphql, type PreloadedQuery, usePaginationFragment, usePreloadedQuery, useSubscription } from 'react-relay';
import type { Timeline_viewer$key } from './__generated__/Timeline_viewer.graphql';
import type { TimelinePageQuery } from './__generated__/TimelinePageQuery.graphql';
import type { TimelineQuery } from './__generated__/TimelineQuery.graphql';
import type { TimelineSubscription } from './__generated__/TimelineSubscription.graphql';
import { useConnected } from './environment';
import { PostTwit } from './PostTwit';
import { SignIn } from './SignIn';
import { Twit } from './Twit';
import { Failure, More, Page } from './ui';

export const timelineQuery = graphql`
  query TimelineQuery @throwOnFieldError { viewer { ...Timeline_viewer } }
`;

/** The twits of the users that the viewer follows. */
export function Timeline({ query }: { query: PreloadedQuery<TimelineQuery> }) {
  const { viewer } = usePreloadedQuery<TimelineQuery>(timelineQuery, query);
  return viewer ? <Feed viewer={viewer} /> : <SignIn />;
}

function Feed({ viewer }: { viewer: Timeline_viewer$key }) {
  const { data, ...pages } = usePaginationFragment<TimelinePageQuery, Timeline_viewer$key>(
    graphql`
      fragment Timeline_viewer on User @refetchable(queryName: "TimelinePageQuery") @throwOnFieldError
      @argumentDefinitions(count: { type: "Int", defaultValue: 10 }, cursor: { type: "String" }) {
        timeline(first: $count, after: $cursor) @connection(key: "Timeline_timeline") @required(action: THROW) {
          __id
          edges { node { id ...Twit_twit } }
        }
      }
    `,
    viewer,
  );
  const { edges, __id } = data.timeline;
  return (
    <Page title="Timeline" beside={<Live connection={__id} newest={edges[0]?.node.id} />}>
      <PostTwit />
      <div role="feed" aria-label="Timeline" aria-busy={pages.isLoadingNext}>
        {edges.map(({ node }) => <Twit key={node.id} twit={node} />)}
      </div>
      <More pages={pages} none={edges.length === 0 && 'Nothing here yet. Follow somebody: their twits appear here.'} />
    </Page>
  );
}

/** Puts new twits first. It begins after the newest twit that is shown, so that none is missed. */
function Live({ connection, newest }: { connection: string; newest?: string }) {
  const [start, setStart] = useState({ after: newest });
  const [failed, setFailed] = useState(false);
  const connected = useConnected();
  const config = useMemo(
    () => ({
      subscription: graphql`
        subscription TimelineSubscription($after: ID, $connections: [ID!]!) {
          timelineTwitAdded(after: $after) @prependNode(connections: $connections, edgeTypeName: "TwitEdge") {
            id
            ...Twit_twit
          }
        }
      `,
      variables: { ...start, connections: [connection] },
      onError: () => setFailed(true),
    }),
    [start, connection],
  );
  useSubscription<TimelineSubscription>(config);
  function restart() {
    setFailed(false);
    setStart({ after: newest });
  }
  if (failed) return <Failure error={new Error('Live updates have stopped.')} onRetry={restart} />;
  return <span className={connected ? 'live on' : 'live'} role="status">{connected ? 'Live' : 'Connecting…'}</span>;
}
