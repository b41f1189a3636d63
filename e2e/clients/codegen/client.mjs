import { persistedExchange } from '@urql/exchange-persisted';
import { createCache, createUrqlClient } from '../urql/client.mjs';

// Sends hashes, and never documents: over HTTP and over WebSockets.
const byHash = persistedExchange({
  enforcePersistedQueries: true,
  enableForMutation: true,
  enableForSubscriptions: true,
  preferGetForPersistedQueries: false,
  generateHash: async (_text, document) => document.__meta__.hash,
});

export function createPersistedClient(url, tokens, socket, introspection) {
  return createUrqlClient(url, tokens, socket, createCache(introspection), byHash);
}
