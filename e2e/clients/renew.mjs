// Subscribes while an author posts, with tokens of three seconds, renewed at each connect. Prints the received twits as
// JSON:
//
//   node renew.mjs URL SECRET AUTHOR FOLLOWER
//
// SECRET is the server's. FOLLOWER follows AUTHOR.
import { createHmac } from 'node:crypto';
import { createClient as createSSE } from 'graphql-sse';
import { createClient as createWS } from 'graphql-ws';
import WebSocket from 'ws';

const [url, secret, author, follower] = process.argv.slice(2);
const posts = 200;
const headers = { 'content-type': 'application/json', authorization: `Bearer ${sign(author, 3600)}` };

function sign(username, seconds) {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub: username, exp: Math.floor(Date.now() / 1000) + seconds })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

async function post(content) {
  const query = 'mutation($c:String!){postTwit(input:{content:$c}){twit{id} userErrors{code}}}';
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables: { c: content } }) });
  const { data } = await response.json();
  if (!data?.postTwit?.twit) throw new Error(`${content}: ${JSON.stringify(data)}`);
}

const renewed = { authorization: () => `Bearer ${sign(follower, 3)}` };
const report = { heard: {}, connects: {}, closed: [], failed: {} };
const on = (name) => ({ connecting: () => { report.connects[name] = (report.connects[name] ?? 0) + 1; } });
const ws = createWS({
  url: url.replace(/^http/, 'ws'), webSocketImpl: WebSocket, connectionParams: () => ({ authorization: renewed.authorization() }),
  on: { ...on('ws'), closed: ({ code, reason }) => report.closed.push(`${code} ${reason}`) },
});
const sse = createSSE({ url, headers: () => ({ authorization: renewed.authorization() }), on: on('sse') });
const single = createSSE({ url, singleConnection: true, headers: () => ({ authorization: renewed.authorization() }), on: on('single') });
const postsOf = { query: 'subscription($u:String!){twitPosted(username:$u){content}}', variables: { u: author } };
const timeline = { query: 'subscription{timelineTwitAdded{content}}' };

const begun = {};
let lastHeard = Date.now();
function listen(name, client, operation) {
  report.heard[name] = [];
  begun[name] = false;
  client.subscribe(operation, {
    next: ({ data, errors }) => {
      const content = errors ? JSON.stringify(errors) : Object.values(data)[0].content;
      if (content.startsWith('probe ')) begun[name] = true;
      else report.heard[name].push(content);
      lastHeard = Date.now();
    },
    error: (error) => { report.failed[name] = String(error?.message ?? JSON.stringify(error)); },
    complete: () => { report.failed[name] ??= 'complete'; },
  });
}
listen('ws', ws, postsOf);
listen('ws timeline', ws, timeline);
listen('sse', sse, postsOf);
listen('sse timeline', sse, timeline);
listen('single', single, postsOf);
listen('single timeline', single, timeline);

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
for (let n = 0; Object.values(begun).includes(false); n++) {
  await post(`probe ${n}`);
  await pause(200);
}
for (let n = 0; n < posts; n++) {
  await Promise.all([post(`post ${String(n).padStart(3, '0')}`), pause(50)]);
}
// Duplicates may arrive later.
const waiting = () => Object.values(report.heard).some((heard) => heard.length < posts);
for (const end = Date.now() + 20_000; waiting() && Date.now() < end;) await pause(100);
while (Date.now() - lastHeard < 1500) await pause(100);
console.log(JSON.stringify(report));
process.exit(0);
