import { type FormEvent, type ReactNode, useId, useRef } from 'react';

type Props = {
  label: string;
  button: string;
  limit: number;
  pending: boolean;
  /** Sends the fields, and calls done when they are stored. An attempt that is repeated has the same key. */
  onSend: (fields: FormData, idempotencyKey: string, done: () => void) => void;
  children: ReactNode;
};

/** A form for a text, such as a twit or a comment. */
export function Composer({ label, button, limit, pending, onSend, children }: Props) {
  const id = useId();
  const key = useRef(crypto.randomUUID());
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    onSend(new FormData(form), key.current, () => {
      key.current = crypto.randomUUID();
      form.reset();
    });
  }
  return (
    <form className="composer" onSubmit={submit}>
      <label htmlFor={id}>{label}</label>
      <textarea id={id} name="content" rows={2} required maxLength={limit} />
      <div className="row">
        {children}
        <button className="primary" disabled={pending}>{button}</button>
      </div>
    </form>
  );
}
