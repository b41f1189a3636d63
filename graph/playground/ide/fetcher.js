// Sends requests as the chosen viewer, requests their plan and report, and shows the cost.
import { createGraphiQLFetcher, isAsyncIterable } from '@graphiql/toolkit';
import { showCost } from './costs.js';
import { forBrowser } from './settings.js';
import { authorized } from './viewer.js';

const url = new URL('graphql', document.baseURI).href;
const send = createGraphiQLFetcher({
  url,
  subscriptionUrl: url.replace(/^http/, 'ws'), // the headers go into connection_init
  enableIncrementalDelivery: false,
});

const stream = 'text/event-stream';
const off = 'noCost';
let measuring = !forBrowser.get(off);
let explaining = false;
let tab = null;

// setTab sets the tab of the next requests.
export const setTab = (id) => void (tab = id);

export const measures = () => measuring;

// measure sets whether requests get a plan and a report.
export function measure(on) {
  measuring = on;
  forBrowser.set(off, on ? '' : '1');
}

// explain requests only the plan of the current operation.
export function explain(run) {
  explaining = true;
  run(); // calls the fetcher synchronously
  explaining = false;
}

export async function fetcher(params, options) {
  if (params.operationName === 'IntrospectionQuery') return send(params, options);
  const [requestTab, planOnly, withCost] = [tab, explaining, measuring];
  showCost(requestTab, null);
  const headers = await authorized(options?.headers);
  if (planOnly) {
    const response = await planOf(params, headers);
    showCost(requestTab, { plan: response.extensions?.plan });
    return response;
  }
  const plan = withCost ? await planOf(params, headers).then(({ extensions }) => extensions?.plan, () => undefined) : undefined;
  const started = performance.now();
  const response = await send(params, { ...options, headers: withCost ? { ...headers, 'X-Twibase-Report': '1' } : headers });
  if (isAsyncIterable(response)) return eventsOf(response, headers, (cost) => showCost(requestTab, { plan, ...cost }));
  const time = performance.now() - started;
  const { shown, report, size } = separated(response, headers);
  showCost(requestTab, { plan, report, time, size });
  return shown;
}

// planOf returns the response with the plan of an operation. A subscription has one, too.
async function planOf(params, headers) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', Accept: `application/json, ${stream}`, 'X-Twibase-Explain': '1' },
    body: JSON.stringify(params),
  });
  if (!response.headers.get('Content-Type')?.startsWith(stream)) return response.json();
  const [, event] = /^data: ?(.+)$/m.exec(await response.text());
  return JSON.parse(event);
}

// eventsOf shows the cost of each event. It is not a generator: return() of a generator would wait
// for the next event before it ends the subscription.
function eventsOf(events, headers, show) {
  const source = events[Symbol.asyncIterator]();
  return {
    async next() {
      const { done, value } = await source.next();
      if (done) return { done, value };
      const { shown, report, size } = separated(value, headers);
      show({ report, size });
      return { done, value: shown };
    },
    return: (value) => source.return(value),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

// separated removes the report from a response, unless the header editor requests it.
function separated(response, headers) {
  const report = response.extensions?.report;
  let shown = response;
  if (report && !Object.keys(headers).some((name) => name.toLowerCase() === 'x-twibase-report')) {
    const { report: _, ...extensions } = response.extensions;
    shown = { ...response, extensions };
    if (Object.keys(extensions).length === 0) delete shown.extensions;
  }
  return { shown, report, size: new TextEncoder().encode(JSON.stringify(shown)).length };
}
