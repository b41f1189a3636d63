import { reason, signIn } from './session';
import { Title } from './ui';

export const SignIn = () => (
  <>
    <Title>Sign in</Title>
    <form className="form" action={(fields) => signIn((fields.get('token') as string).trim())}>
      <p>Your timeline has the twits of the users that you follow. Profiles and departments are public.</p>
      {reason() && <p className="error" role="alert">{reason()}</p>}
      <label htmlFor="token">Token</label>
      <input id="token" name="token" type="password" autoComplete="off" required aria-describedby="help" />
      <p id="help" className="quiet">
        As printed by <code>twibase token NAME</code>. It stays in this tab, and is forgotten when you close it.
      </p>
      <button className="primary">Sign in</button>
    </form>
  </>
);
