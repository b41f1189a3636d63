// The token of the viewer. It stays in this tab, and is forgotten when the tab is closed.
// A session begins and ends with a reload, so that nothing of one viewer is shown to the next.
export const token = () => sessionStorage.getItem('token');

/** Why the last session ended, if its user did not end it. */
export const reason = () => sessionStorage.getItem('reason');

export function signIn(token: string) {
  sessionStorage.clear();
  sessionStorage.setItem('token', token);
  location.reload();
}

export function signOut(reason?: string) {
  sessionStorage.clear();
  if (reason) sessionStorage.setItem('reason', reason);
  location.hash = '#/';
  location.reload();
}
