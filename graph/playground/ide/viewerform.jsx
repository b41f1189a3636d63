// The form for the viewer of all tabs.
import { useId, useRef, useState } from 'react';
import { actAs, actingAs, canActAs, typedToken, setToken, usernames } from './viewer.js';

export const Viewer = () => (canActAs ? <ActAs /> : <Token />);

function ActAs() {
  const [name, setName] = useState(actingAs);
  const [error, setError] = useState('');
  const [users, setUsers] = useState([]);
  const latest = useRef('');
  const id = useId();
  const submit = async (event) => {
    event?.preventDefault();
    try {
      await actAs(name.trim());
      setError('');
    } catch ({ message }) {
      setError(message);
    }
  };
  const offer = async (text) => {
    latest.current = text;
    const found = await usernames(text.trim()).catch(() => []);
    if (latest.current === text) setUsers(found);
  };
  return (
    <form className="viewer" onSubmit={submit}>
      <label htmlFor={`${id}name`}>Act as</label>
      <input
        id={`${id}name`}
        list={`${id}users`}
        value={name}
        placeholder="unauthenticated"
        autoComplete="off"
        spellCheck={false}
        aria-invalid={Boolean(error)}
        aria-describedby={`${id}error`}
        onFocus={() => offer(name)}
        onChange={({ target }) => {
          setName(target.value);
          offer(target.value);
        }}
        onBlur={() => name.trim() !== actingAs() && submit()}
      />
      <datalist id={`${id}users`}>
        {users.map(({ username, name }) => <option key={username} value={username}>{name}</option>)}
      </datalist>
      <span id={`${id}error`} className="viewer-error" role="status">{error}</span>
    </form>
  );
}

function Token() {
  const [text, setText] = useState(typedToken);
  const change = ({ target }) => {
    setText(target.value);
    setToken(target.value.trim().replace(/^Bearer\s+/i, ''));
  };
  const id = useId();
  return (
    <form className="viewer" onSubmit={(event) => event.preventDefault()}>
      <label htmlFor={id}>Token</label>
      <input id={id} type="password" value={text} placeholder="none: unauthenticated" autoComplete="off" onChange={change} />
    </form>
  );
}
