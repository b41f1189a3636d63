// Sends documents with @defer and @stream, as Relay and Apollo write them, and without the two directives, over each
// transport. Prints the responses as JSON:
//
//   node incremental.mjs URL TOKEN USERNAME
//
// TOKEN is that of USERNAME.
import { parse, print, visit } from 'graphql';
import { createClient as createSSE } from 'graphql-sse';
import { createClient as createWS } from 'graphql-ws';
import WebSocket from 'ws';

const [url, token, username] = process.argv.slice(2);
const headers = { authorization: `Bearer ${token}` };

// The variables of the directives do not change the responses.
const operations = {
  apollo: [
    'query Q($u: String!, $d: Boolean) { user(username: $u) { __typename username ... @defer(if: $d) { __typename followers(first: 2) { nodes { username } } } } }',
    [{ u: username }, { u: username, d: true }, { u: username, d: false }],
  ],
  relay: [
    'query aQuery($u: String!, $d: Boolean!) { user(username: $u) { name ...a_twits @defer(label: "aQuery$defer$twits", if: $d) id } }\n' +
      'fragment a_twits on User { twits(first: 2) { edges @stream(label: "a_twits$stream$a_twits", initialCount: 1) { node { content id __typename } cursor } ' +
      '... @defer(label: "a_twits$defer$a_twits$pageInfo") { pageInfo { endCursor hasNextPage } } } }',
    [{ u: username, d: true }, { u: username, d: false }],
  ],
  root: ['{ ... @defer { viewer { username } } a: users(first: 2) { nodes @stream { username } } }', [{}]],
  labels: [ // which the draft forbids
    'query($u: String!, $l: String) { ... @defer(label: "x") { a: user(username: $u) { id ... @defer(label: $l) { name } } } ... @defer(label: "x") { viewer { id } } }',
    [{ u: username, l: 'y' }],
  ],
  leaves: ['query($n: Int = 0) { twits: user(username: "LiLei") { username @stream(initialCount: $n) } }', [{}, { n: 3 }]],
  mutation: [
    'mutation M($i: UpdateUserInput!) { ...F @defer(label: "M$defer$F") }\n' +
      'fragment F on Mutation { updateUser(input: $i) { ... @defer(label: "user") { user { name twits(first: 1) { nodes @stream(initialCount: 1) { id } } } } userErrors { code } } }',
    [{ i: { username, name: 'Li Lei' } }],
  ],
};

const plain = (query) => print(visit(parse(query), { Directive: ({ name }) => (name.value === 'defer' || name.value === 'stream' ? null : undefined) }))
  .replace(/\$[dnl]: (Boolean!?|Int = 0|String)/g, '').replace('()', ''); // only the directives use these variables

// The Accept headers of Apollo's two handlers and of Relay's users.
const accepts = ['multipart/mixed;deferSpec=20220824,application/graphql-response+json,application/json;q=0.9',
  'multipart/mixed;incrementalSpec=v0.2,application/graphql-response+json,application/json;q=0.9', 'application/json', undefined];

async function post(accept, payload) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(payload), headers: { 'content-type': 'application/json', ...headers, ...(accept && { accept }) } });
  const type = response.headers.get('content-type');
  if (!type.includes('json')) throw new Error(`the answer is of the type ${type}`);
  return [await response.json()];
}

async function results(client, payload, n = Infinity) {
  const all = [];
  for await (const result of client.iterate(payload)) if (all.push(result) >= n) break;
  return all;
}

const ws = createWS({ url: url.replace(/^http/, 'ws'), webSocketImpl: WebSocket, connectionParams: headers, retryAttempts: 0 });
const sse = createSSE({ url, headers });
const transports = { ws: (p) => results(ws, p), sse: (p) => results(sse, p) };
for (const accept of accepts) transports[`http, ${accept}`] = (p) => post(accept, p);

const subscription = 'subscription S($u: String!, $d: Boolean) { ...R @defer(label: "S$defer$R") }\n' +
  'fragment R on Subscription { twitPosted(username: $u) { content ...T @defer(label: "S$defer$T", if: $d) } }\n' +
  'fragment T on Twit { visibility author { username twits(first: 1) { edges @stream(initialCount: 0) { node { content } } } } }';

// Posts until each listener has received two twits: a client cannot know when its subscription has started.
async function hear(listeners) {
  let n = 0;
  const timer = setInterval(() => {
    void post(undefined, { query: 'mutation($c: String!) { postTwit(input: {content: $c}) { userErrors { code } } }', variables: { c: `news ${n++}` } });
  }, 300);
  try {
    return await Promise.all(listeners);
  } finally {
    clearInterval(timer);
  }
}

const report = { answers: [], events: {} };
try {
  for (const [operation, [query, values]] of Object.entries(operations)) {
    for (const variables of values) {
      const { d, n, l, ...rest } = variables;
      const [want] = await post(undefined, { query: plain(query), variables: rest });
      for (const [transport, send] of Object.entries(transports)) {
        report.answers.push({ operation, variables, transport, want, got: await send({ query, variables }) });
      }
    }
  }
  const payload = { query: subscription, variables: { u: username, d: true } };
  [report.events.ws, report.events.sse] = await hear([results(ws, payload, 2), results(sse, payload, 2)]);
  report.rejected = [];
  for (const query of [
    '{ ... @defer(if: "yes") { __typename } }', '{ ... @defer(if: null) { __typename } }', '{ ... @defer(label: 1) { __typename } }',
    '{ ... @defer(later: true) { __typename } }', '{ viewer @defer { name } }', '{ ... @stream { __typename } }', 'query @defer { __typename }',
    '{ viewer @stream(initialCount: "1") { name } }', '{ viewer @stream(initial_count: 1) { name } }', '{ viewer @stream(initialCount: null) { name } }',
    '{ ... @defer @defer { __typename } }', '{ ... @defer(if: $d) { __typename } }', 'query($d: Int) { ... @defer(if: $d) { __typename } }',
  ]) {
    for (const [transport, send] of Object.entries(transports)) {
      const [result] = await send({ query }).catch((errors) => [{ errors }]);
      report.rejected.push({ query, transport, result });
    }
  }
} finally {
  await ws.dispose();
  sse.dispose();
}
console.log(JSON.stringify(report));
