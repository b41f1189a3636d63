import { createClient } from 'graphql-ws';

/** A client for subscriptions. When the server refuses a token, it connects with a new one. */
export function socket(url, tokens, webSocketImpl) {
  let sent, refused;
  return createClient({
    url: url.replace(/^http/, 'ws'),
    webSocketImpl, // Browsers and Node 22 have one of their own.
    connectionParams: async () => {
      if (refused) await tokens.renew(sent);
      refused = false;
      sent = tokens.authorization;
      return { authorization: sent };
    },
    on: { closed: ({ code }) => (refused = code === 4403) },
  });
}
