import { type FormEvent, type ReactNode, useId, useRef } from 'react';

type Props = {
  label: string;
  button: string;
  limit: number;
  pending: boolean;
  /** Sends the fields, and calls done when they are stored. Repeated with the same fields, it has the same key. */
  onSend: (fields: FormData, idempotencyKey: string, done: () => void) => void;
  children: ReactNode;
};

/** A form for a text, such as a twit or a comment. */
export function Composer({ label, button, limit, pending, onSend, children }: Props) {
  const id = useId();
  const attempt = useRef({ fields: '', key: '' });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const fields = JSON.stringify([...data]);
    if (attempt.current.fields !== fields) attempt.current = { fields, key: crypto.randomUUID() };
    onSend(data, attempt.current.key, () => {
      attempt.current = { fields: '', key: '' };
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
