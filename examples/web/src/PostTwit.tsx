import { useState } from 'react';
import { ConnectionHandler, graphql } from 'react-relay';
import type { PostTwitMutation, Visibility } from './__generated__/PostTwitMutation.graphql';
import { Composer } from './Composer';
import { href, useAction, useViewer } from './ui';

/** Posts a twit of the viewer, and puts it first on the viewer's profile. */
export function PostTwit() {
  const { id, username } = useViewer()!;
  const [posted, setPosted] = useState(false);
  const [post, pending, failure] = useAction<PostTwitMutation>(graphql`
    mutation PostTwitMutation($input: PostTwitInput!, $connections: [ID!]!) {
      postTwit(input: $input) {
        twitEdge @prependEdge(connections: $connections) { cursor node { id ...Twit_twit } }
        viewer { id twitCount }
        userErrors { message }
      }
    }
  `);
  function send(fields: FormData, idempotencyKey: string, done: () => void) {
    const content = fields.get('content') as string;
    const visibility = fields.get('visibility') as Visibility;
    const connections = [ConnectionHandler.getConnectionID(id, 'Profile_twits')];
    setPosted(false);
    post({ variables: { input: { content, visibility, idempotencyKey }, connections } }, () => {
      setPosted(true);
      done();
    });
  }
  return (
    <Composer label="What is new?" button="Post" limit={10_000} pending={pending} onSend={send}>
      <span className="quiet" role="status">
        {posted && <>Posted, and shown on <a href={href('user', username)}>your profile</a></>}
      </span>
      {failure}
      <select name="visibility" aria-label="Visible to">
        <option value="PUBLIC">Everyone</option>
        <option value="FOLLOWERS">Followers</option>
      </select>
    </Composer>
  );
}
