// The client programs share this file. Their arguments are
//
//   URL TOKENS VIEWER OTHER TWIT
//
// GET TOKENS returns a token of VIEWER for an hour, and GET TOKENS?lives=2s for two seconds. VIEWER does not follow
// OTHER, and sees few comments of TWIT.
import { readFileSync } from 'node:fs';
import { buildSchema, introspectionFromSchema } from 'graphql';
import WebSocket from 'ws';
import { Tokens } from './tokens.mjs';

export const [url, source, viewer, other, twit] = process.argv.slice(2);

/** What the program saw, and prints as JSON in the end. closed are the codes of its WebSockets. */
export const report = { statuses: [], closed: [], renewals: 0 };

/** The schema as introspection has it, of the file that the test wrote. */
export function introspection() {
  return introspectionFromSchema(buildSchema(readFileSync('__generated__/schema.graphql', 'utf8')));
}

const send = globalThis.fetch;
globalThis.fetch = async (target, options) => {
  const response = await send(target, options);
  report.statuses.push(response.status);
  return response;
};

/** A WebSocket whose close code is reported. */
export class Socket extends WebSocket {
  constructor(...options) {
    super(...options);
    this.on('close', (code) => report.closed.push(code));
  }
}

async function get(lives) {
  const response = await send(`${source}?lives=${lives}`);
  if (!response.ok) throw new Error(`no token: ${await response.text()}`);
  return response.text();
}

/** Tokens of which the first has expired. */
export const tokens = new Tokens(() => {
  report.renewals++;
  return get('1h');
}, await get('-1s'));

/**
 * Subscribes with a token that expires two seconds later. Returns an event from before the WebSocket
 * closes because of that, and an event from after it.
 */
export async function subscribed(subscribe, post) {
  tokens.token = await get('2s');
  const seen = [];
  const stop = subscribe((content) => seen.push(content));
  const first = await caused('before', seen, post);
  await reached(() => report.closed.length > 0, 'the WebSocket was not closed when the token expired');
  const second = await caused('after', seen, post);
  stop();
  return [first, second];
}

/** Posts until one of the posts is seen, and returns it: no message says that a subscription has begun. */
export async function caused(prefix, seen, post) {
  for (let n = 0; n < 100; n++) {
    await post(`${prefix} ${n}`);
    await pause(200);
    const found = seen.find((content) => content.startsWith(prefix));
    if (found) return found;
  }
  throw new Error(`no event "${prefix} …"; closed: ${report.closed}`);
}

async function reached(condition, failure) {
  for (let n = 0; !condition(); n++) {
    if (n === 200) throw new Error(failure);
    await pause(50);
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
