import { createClient, type Sink } from 'graphql-ws';
import { useSyncExternalStore } from 'react';
import { Environment, Network, Observable, RecordSource, Store } from 'relay-runtime';
import type { FetchFunction, SubscribeFunction } from 'relay-runtime';
import { signOut, token } from './session';

const url = document.querySelector<HTMLMetaElement>('meta[name=gateway]')!.content;

/** Returns an environment with an empty store, for the viewer of the current token. */
export function createEnvironment() {
  const bearer = token();
  const headers: Record<string, string> = bearer ? { authorization: `Bearer ${bearer}` } : {};
  const socket = createClient({
    url: url.replace(/^http/, 'ws'),
    connectionParams: headers,
    retryAttempts: Infinity,
    shouldRetry: () => true,
    on: {
      connected: () => setConnected(true),
      closed: (event) => {
        setConnected(false);
        if ((event as CloseEvent).code === 4403) signOut('Your token has expired.');
      },
    },
  });

  // The gateway knows the documents of documents.json by their hashes, and executes no others.
  const send: FetchFunction = async ({ id }, variables) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, accept: 'application/graphql-response+json', 'content-type': 'application/json' },
      body: JSON.stringify({ documentId: id, variables }),
    }).catch(() => {
      throw new Error('The server cannot be reached.');
    });
    const body = await response.json().catch(() => ({}));
    const message = body.errors?.[0]?.message ?? `The server answered with status ${response.status}.`;
    if (response.status === 401) signOut(message);
    if (!body.data) throw new Error(message);
    return body; // with the errors of fields, if any
  };

  const subscribe: SubscribeFunction = ({ id }, variables) =>
    Observable.create((sink) => {
      const payload = { query: '', documentId: id, variables };
      return socket.subscribe(payload, sink as unknown as Sink);
    });

  return new Environment({
    network: Network.create(send, subscribe),
    // A page that is opened again within five minutes is shown from the store.
    store: new Store(new RecordSource(), { gcReleaseBufferSize: 20, queryCacheExpirationTime: 5 * 60_000 }),
  });
}

let connected = false;

function setConnected(value: boolean) {
  connected = value;
  dispatchEvent(new Event('socket'));
}

function onSocket(listener: () => void) {
  addEventListener('socket', listener);
  return () => removeEventListener('socket', listener);
}

/** Reports whether the WebSocket of the subscriptions is open. */
export const useConnected = () => useSyncExternalStore(onSocket, () => connected);
