import { createClient, type Sink } from 'graphql-ws';
import { useSyncExternalStore } from 'react';
import { Environment, Network, Observable, RecordSource, Store } from 'relay-runtime';
import type { FetchFunction, SubscribeFunction } from 'relay-runtime';
import { signOut, token } from './session';

const url = document.querySelector<HTMLMetaElement>('meta[name=gateway]')!.content;
const bearer = token();
const headers: Record<string, string> = bearer ? { authorization: `Bearer ${bearer}` } : {};

// The gateway executes only the documents of documents.json, by hash.
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
  if (response.status === 401) {
    signOut(message);
    return new Promise(() => {}); // until the page is loaded again
  }
  const complete = body.errors?.at(-1).extensions?.code !== 'TOO_MANY_ERRORS'; // else failed fields lack their errors
  if (!body.data || !complete) throw new Error(message);
  return body; // with the errors of fields, if any
};

let connected = false;
const socket = createClient({
  url: url.replace(/^http/, 'ws'),
  connectionParams: headers,
  retryAttempts: Infinity,
  shouldRetry: () => true,
  on: {
    connected: () => (connected = true),
    closed: (event) => {
      connected = false;
      if ((event as CloseEvent).code === 4403) signOut('Your token has expired.');
    },
  },
});

const subscribe: SubscribeFunction = ({ id }, variables) =>
  Observable.create((sink) => {
    const payload = { query: '', documentId: id, variables };
    return socket.subscribe(payload, sink as unknown as Sink);
  });

function onConnection(listener: () => void) {
  const removals = [socket.on('connected', listener), socket.on('closed', listener)];
  return () => removals.forEach((remove) => remove());
}

export const useConnected = () => useSyncExternalStore(onConnection, () => connected);

export const environment = new Environment({
  network: Network.create(send, subscribe),
  // Pages opened again within five minutes come from the store.
  store: new Store(new RecordSource(), { gcReleaseBufferSize: 20, queryCacheExpirationTime: 5 * 60_000 }),
});
