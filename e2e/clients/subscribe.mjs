// Subscribes with the clients of front ends, and prints the received results as JSON:
//
//   node subscribe.mjs URL TOKEN USERNAME
//
// TOKEN is that of USERNAME.
import { createClient as createSSE } from 'graphql-sse';
import { createClient as createWS } from 'graphql-ws';
import WebSocket from 'ws';

const [url, token, username] = process.argv.slice(2);
const authorization = `Bearer ${token}`;
const socketURL = url.replace(/^http/, 'ws');
const report = { heard: {}, closed: {} };

function ws(connectionParams, closed) {
  return createWS({ url: socketURL, webSocketImpl: WebSocket, connectionParams, retryAttempts: 0, on: closed && { closed: (event) => closed(`${event.code} ${event.reason}`) } });
}

async function once(client, payload) {
  for await (const result of client.iterate(payload)) return result;
}

async function hear(listeners) {
  let n = 0;
  const timer = setInterval(() => {
    void fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify({ query: 'mutation($c:String!){postTwit(input:{content:$c}){userErrors{code}}}', variables: { c: `news ${n++}` } }),
    });
  }, 300);
  try {
    return await Promise.all(listeners);
  } finally {
    clearInterval(timer);
  }
}

const query = 'subscription($u:String!){twitPosted(username:$u){content author{username}}}';
const client = ws({ authorization });
const sse = createSSE({ url, headers: { authorization } });
const single = createSSE({ url, singleConnection: true, headers: { authorization } });
try {
  report.viewer = await once(client, { query: '{viewer{username}}' });
  report.rejected = await once(client, { query: '{nonsense}' }).catch((errors) => errors);
  [report.heard.ws, report.heard.sse, report.heard.single] = await hear([client, sse, single].map((c) => once(c, { query, variables: { u: username } })));
} finally {
  await client.dispose();
  sse.dispose();
  single.dispose();
}

// Codes and reasons of connections closed after a client's error.
report.closed.token = await new Promise((resolve) => once(ws({ authorization: 'Bearer nonsense' }, resolve), { query: '{viewer{username}}' }).catch(() => {}));
report.closed.protocol = await new Promise((resolve) => new WebSocket(socketURL, 'graphql-ws').on('close', (code, reason) => resolve(`${code} ${reason}`)));
report.closed.early = await new Promise((resolve) => {
  const socket = new WebSocket(socketURL, 'graphql-transport-ws');
  socket.on('open', () => socket.send('{"id":"1","type":"subscribe","payload":{"query":"{viewer{username}}"}}'));
  socket.on('close', (code, reason) => resolve(`${code} ${reason}`));
});
console.log(JSON.stringify(report));
