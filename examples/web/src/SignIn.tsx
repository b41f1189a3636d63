import { type FormEvent, useId } from 'react';
import { signedOut, signIn } from './session';
import { Page } from './ui';

/** Asks for a token. It is kept until the tab is closed. */
export function SignIn() {
  const id = useId();
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    signIn((new FormData(event.currentTarget).get('token') as string).trim());
  }
  return (
    <Page title="Sign in">
      <form className="sign-in" onSubmit={submit}>
        <p>Your timeline has the twits of the users that you follow. Profiles and departments are public.</p>
        {signedOut() && <p className="error" role="alert">{signedOut()}</p>}
        <label htmlFor={id}>Token</label>
        <input
          id={id}
          name="token"
          type="password"
          autoComplete="off"
          required
          pattern="\s*[\w\-]+\.[\w\-]+\.[\w\-]+\s*"
          title="The text that twibase token prints"
          aria-describedby={`${id}-help`}
        />
        <p id={`${id}-help`} className="quiet">
          As printed by <code>twibase token NAME</code>. It stays in this tab, and is forgotten when you close it.
        </p>
        <button className="primary">Sign in</button>
      </form>
    </Page>
  );
}
