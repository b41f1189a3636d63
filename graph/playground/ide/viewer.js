// The viewer of all tabs. With --dev-tokens it is a user of the store, stored in this browser.
// Otherwise it is a token, stored for the session. An Authorization header of a tab takes
// precedence.
import { forBrowser, forSession } from './settings.js';

// canActAs is true if the gateway has --dev-tokens and runs on this machine.
export const canActAs = document.body.hasAttribute('data-act-as');

let username = canActAs ? forBrowser.get('actAs') : '';
let token = canActAs ? '' : forSession.get('token');
let expires = 0;

export const actingAs = () => username;
export const typedToken = () => token;

// actAs changes the user. With '', requests are unauthenticated. If the name gets no token, actAs
// throws, and so does each request until the name is changed.
export async function actAs(name) {
  [username, token] = [name, ''];
  forBrowser.set('actAs', '');
  if (name) await renew();
  forBrowser.set('actAs', name);
}

export function setToken(text) {
  token = text;
  forSession.set('token', text);
}

// authorized adds the viewer's token to headers.
export async function authorized(headers = {}) {
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) return headers;
  if (username && (!token || expires < Date.now() + 60_000)) await renew();
  return token ? { ...headers, Authorization: `Bearer ${token}` } : headers;
}

async function renew() {
  const response = await fetch('dev/token', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username }),
  });
  if (!response.ok) throw new Error(`cannot act as ${username}: ${(await response.text()).trim()}`);
  const body = await response.json();
  token = body.token;
  expires = Date.parse(body.expiresAt);
}

const users = `query Users($beginning: String!) {
  users(query: $beginning, first: 20) { nodes { username name } }
}`;

// usernames returns the first users whose names begin with a text.
export async function usernames(beginning) {
  const response = await fetch('graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: users, variables: { beginning } }),
  });
  return (await response.json()).data.users.nodes;
}
