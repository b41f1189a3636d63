// Drives the IDE in a browser without network access except to this machine.
import puppeteer from 'puppeteer-core';

const introspection = 'IntrospectionQuery'; // sent by the IDE

export const launch = () => puppeteer.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  defaultViewport: { width: 1600, height: 1000 },
  args: [
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-gpu',
    '--disable-quic',
    '--disable-sync',
    '--no-first-run',
    '--no-sandbox',
  ],
});

// The page's global copied has the text that the IDE copied last, and modelOf returns the editor
// model of a file, such as variables.json.
export async function open(browser, url, report) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on('request', (request) => report.requests.push(request.url()));
  page.on('pageerror', (error) => report.errors.push(`page: ${error.stack ?? error}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warn') report.errors.push(`${message.type()}: ${message.text()} ${message.location()?.url ?? ''}`);
  });
  await page.evaluateOnNewDocument(() => {
    navigator.clipboard.writeText = async (text) => void (globalThis.copied = text);
    globalThis.modelOf = (file) => globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith(file));
  });
  await load(page, () => page.goto(url));
  return page;
}

export async function load(page, navigate) {
  const introspected = page.waitForResponse((response) => bodyOf(response)?.operationName === introspection);
  await navigate();
  const { errors } = await (await introspected).json();
  if (errors) throw new Error(`the schema: ${JSON.stringify(errors)}`);
  await page.waitForSelector('.graphiql-query-editor .view-line');
}

function bodyOf(response) {
  const body = response.request().postData();
  return body?.startsWith('{') ? JSON.parse(body) : null;
}

export async function selectTab(page, tab) {
  await page.click(`#graphiql-session-tab-${tab}`);
  await parsed(page);
}

export async function parsed(page) {
  await page.waitForFunction(() => {
    return localStorage.getItem('graphiql:query') === globalThis.modelOf('operation.graphql').getValue();
  });
}

export async function run(page) {
  let plan;
  const answered = page.waitForResponse(async (response) => {
    const operation = bodyOf(response)?.operationName;
    if (!operation || operation === introspection) return false;
    if (!response.request().headers()['x-twibase-explain']) return true;
    ({ plan } = (await response.json()).extensions);
    return false;
  });
  await page.click('.graphiql-execute-button');
  const response = await answered;
  const { extensions } = await response.json();
  const shown = JSON.parse(await shownText(page));
  return { operation: bodyOf(response).operationName, plan, report: extensions?.report, shown };
}

// subscribe calls cause until an event arrives. cause gets a function that sends a mutation as a
// user.
export async function subscribe(page, cause) {
  const protocol = await page.createCDPSession();
  await protocol.send('Network.enable');
  let event, stopped;
  protocol.on('Network.webSocketFrameReceived', ({ response }) => {
    const message = JSON.parse(response.payloadData);
    if (message.type === 'next' && !stopped) event = message.payload;
  });
  const ended = new Promise((resolve) => {
    protocol.on('Network.webSocketFrameSent', ({ response }) => {
      stopped = JSON.parse(response.payloadData).type === 'complete';
      if (stopped) resolve(true);
    });
  });
  const planned = page.waitForResponse((response) => response.request().headers()['x-twibase-explain'] === '1');
  await page.click('.graphiql-execute-button');
  const response = await planned;
  const [, plan] = /^data: ?(.+)$/m.exec(await response.text());
  // The subscription may start after the first mutation.
  for (let attempt = 0; !event && attempt < 6; attempt++) {
    await cause((username, mutation) => page.evaluate(mutate, username, mutation));
    for (const end = Date.now() + 5000; !event && Date.now() < end; ) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await page.click('.graphiql-execute-button'); // stops the subscription
  const late = new Promise((resolve) => setTimeout(resolve, 10_000, false));
  if (!(await Promise.race([ended, late]))) throw new Error('the subscription was stopped, but did not end');
  return {
    operation: bodyOf(response).operationName,
    plan: JSON.parse(plan).extensions.plan,
    report: event.extensions.report, // of the last event: the cause may have several
    shown: JSON.parse(await shownText(page)),
  };
}

// mutate runs in the page.
async function mutate(username, query) {
  const send = async (url, body, headers) =>
    (await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) })).json();
  const { token } = await send('dev/token', { username });
  const { data } = await send('graphql', { query }, { Authorization: `Bearer ${token}` });
  return data;
}

async function shownText(page) {
  const text = await page.waitForFunction(() => globalThis.modelOf('response.json').getValue());
  return text.jsonValue();
}

export async function drawn(page) {
  await page.click('#cost-execution');
  await page.waitForSelector('#cost-execution[aria-selected="true"]');
  const bars = await rows(page, '[data-round]');
  const loaders = await rows(page, '[data-loader]');
  await page.click('#cost-plan');
  const fields = await rows(page, '[data-field]');
  await page.click('#cost-execution');
  const figures = await page.$eval('.figures', ({ innerText }) => innerText.replaceAll('\n', ' '));
  return { bars, loaders, fields, figures };
}

async function rows(page, selector) {
  await page.waitForSelector('.picture svg, .nothing');
  return page.$$eval(selector, (all) => all.map((row) => ({
    ...row.dataset,
    label: row.getAttribute('aria-label'),
    texts: [...row.querySelectorAll('text')].map(({ textContent }) => textContent),
    actual: Number(row.querySelector('.actual')?.getAttribute('width')),
    most: Number(row.querySelector('.bound')?.getAttribute('width')),
  })));
}
