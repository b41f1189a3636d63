// The viewer's token, stored until the tab is closed. A session begins and ends with a reload, so
// that a viewer sees no data of the previous one.
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
