import { createClient } from 'graphql-ws';

/** A client for subscriptions. When the server rejects a token, it connects with a new one. */
export function socket(url, tokens, webSocketImpl) {
  let sent, rejected;
  return createClient({
    url: url.replace(/^http/, 'ws'),
    webSocketImpl, // Browsers and Node 22 have one of their own.
    connectionParams: async () => {
      if (rejected) await tokens.renew(sent);
      rejected = false;
      sent = tokens.authorization;
      return { authorization: sent };
    },
    on: { closed: ({ code }) => (rejected = code === 4403) },
  });
}
