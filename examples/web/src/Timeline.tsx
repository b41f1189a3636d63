import { useMemo, useState } from 'react';
import { graphql, useLazyLoadQuery, usePaginationFragment, useSubscription } from 'react-relay';
import type { Timeline_viewer$key } from './__generated__/Timeline_viewer.graphql';
import type { TimelinePageQuery } from './__generated__/TimelinePageQuery.graphql';
import type { TimelineQuery } from './__generated__/TimelineQuery.graphql';
import type { TimelineSubscription } from './__generated__/TimelineSubscription.graphql';
import { useConnected } from './environment';
import { PostTwit } from './PostTwit';
import { SignIn } from './SignIn';
import { Twit } from './Twit';
import { Failure, List, Title, useFetchOptions } from './ui';

export function Timeline() {
  const { viewer } = useLazyLoadQuery<TimelineQuery>(
    graphql`
      query TimelineQuery @throwOnFieldError { viewer { ...Timeline_viewer } }
    `,
    {},
    useFetchOptions(),
  );
  return viewer ? <Feed viewer={viewer} /> : <SignIn />;
}

function Feed({ viewer }: { viewer: Timeline_viewer$key }) {
  const { data, ...pages } = usePaginationFragment<TimelinePageQuery, Timeline_viewer$key>(
    graphql`
      fragment Timeline_viewer on User @refetchable(queryName: "TimelinePageQuery") @throwOnFieldError
      @argumentDefinitions(count: { type: "Int", defaultValue: 10 }, cursor: { type: "String" }) {
        id
        username
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
    <>
      <Title beside={<Live connection={__id} newest={edges[0]?.node.id} />}>Timeline</Title>
      <PostTwit id={data.id} username={data.username} />
      <List label="Timeline" pages={pages} none="Nothing here yet. Follow somebody: their twits appear here.">
        {edges.map(({ node }) => <Twit key={node.id} twit={node} />)}
      </List>
    </>
  );
}

/** Adds new twits at the top. The subscription starts after the newest twit, so that none is missed. */
function Live({ connection, newest }: { connection: string; newest?: string }) {
  const [after, setAfter] = useState({ id: newest });
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
      variables: { after: after.id, connections: [connection] },
      onError: () => setFailed(true),
    }),
    [after, connection],
  );
  useSubscription<TimelineSubscription>(config);
  function restart() {
    setFailed(false);
    setAfter({ id: newest });
  }
  if (failed) return <Failure error={new Error('Live updates have stopped.')} onRetry={restart} />;
  return <span className={connected ? 'live on' : 'live'} role="status">{connected ? 'Live' : 'Connecting…'}</span>;
}
