// The token of the viewer. It stays in this tab, and is forgotten when the tab is closed.
let reason = '';

export const token = () => sessionStorage.getItem('token');

/** Why the session ended, or an empty string. */
export const signedOut = () => reason;

export function signIn(value: string) {
  reason = '';
  sessionStorage.setItem('token', value);
  dispatchEvent(new Event('session'));
}

export function signOut(why = '') {
  reason = why;
  sessionStorage.removeItem('token');
  location.hash = '#/';
  dispatchEvent(new Event('session'));
}
