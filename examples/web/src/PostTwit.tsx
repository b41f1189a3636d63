import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { ConnectionHandler, graphql } from 'react-relay';
import type { PostTwitMutation, Visibility } from './__generated__/PostTwitMutation.graphql';
import { href, useAction } from './ui';

/** Posts a twit, and puts it first on the viewer's profile. */
export function PostTwit({ id, username }: { id: string; username: string }) {
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
  function send(content: string, fields: FormData, idempotencyKey: string, done: () => void) {
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

type ComposerProps = {
  label: string;
  button: string;
  limit: number;
  pending: boolean;
  /** Calls done after the text is stored. */
  onSend: (content: string, fields: FormData, idempotencyKey: string, done: () => void) => void;
  children: ReactNode;
};

/** A form for a twit or a comment. Attempts have the same key until the text is edited. */
export function Composer({ label, button, limit, pending, onSend, children }: ComposerProps) {
  const id = useId();
  const [key, setKey] = useState(() => crypto.randomUUID());
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault(); // a form action would clear the form after a failure, too
    const form = event.currentTarget;
    const fields = new FormData(form);
    onSend(fields.get('content') as string, fields, key, () => form.reset());
  }
  return (
    <form className="form" onSubmit={submit} onInput={() => setKey(crypto.randomUUID())}>
      <label htmlFor={id}>{label}</label>
      <textarea id={id} name="content" rows={2} required maxLength={limit} />
      <div className="row">
        {children}
        <button className="primary" disabled={pending}>{button}</button>
      </div>
    </form>
  );
}
