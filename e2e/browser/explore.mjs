// Uses the IDE in a browser that can reach this machine only, and prints a report as JSON:
//
//   node explore.mjs URL SCREENSHOT [TOKEN]
//
// It runs the query of each tab, with TOKEN in the headers if it is given, and takes a screenshot of the first. It also
// shows the plan and the report of the first query, with a screenshot of each.
import puppeteer from 'puppeteer-core';

const [url, screenshot, token] = process.argv.slice(2);
const timeout = 30_000;
const introspection = 'IntrospectionQuery'; // sent by the IDE

// requests are those of the page and its workers; errors those of the console; responses, plan, report and the event of a
// subscription are as the IDE shows them.
const report = { requests: [], errors: [], responses: {}, plan: '', report: '', event: null };

const browser = await puppeteer.launch({
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

const page = await browser.newPage();
try {
  page.setDefaultTimeout(timeout);
  page.on('request', (request) => report.requests.push(request.url()));
  page.on('pageerror', (error) => report.errors.push(`page: ${error.stack ?? error}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warn') report.errors.push(`${message.type()}: ${message.text()}`);
  });

  const introspected = page.waitForResponse((response) => operationOf(response) === introspection);
  await page.goto(url);
  const { errors } = await (await introspected).json();
  if (errors) report.errors.push(`the schema: ${JSON.stringify(errors)}`);
  await page.waitForSelector('.graphiql-query-editor .view-line');
  for (const [index, tab] of (await page.$$('[role="tab"]')).entries()) {
    if (index > 0) await change(page, tab);
    if (token) await typeHeaders(page, { Authorization: `Bearer ${token}` });
    const { operation, response } = await run(page);
    report.responses[operation] = response;
    if (index > 0) continue;
    await page.screenshot({ path: screenshot });
    await page.click('.cost-explain');
    report.plan = await read(page, '.cost pre');
    await page.screenshot({ path: screenshot.replace('.png', '-plan.png') });
    await page.click('.cost-report');
    await page.click('.graphiql-execute-button');
    report.report = await read(page, '.cost table');
    await page.screenshot({ path: screenshot.replace('.png', '-report.png') });
    await page.click('.cost-report');
  }
  if (token) report.event = await subscribe(page);
} catch (error) {
  await page.screenshot({ path: screenshot });
  throw new Error(`exploring failed; the page is in ${screenshot}; ${JSON.stringify(report)}`, { cause: error });
} finally {
  await browser.close();
}
console.log(JSON.stringify(report));

// operationOf returns the name of the GraphQL operation of a response, or null.
function operationOf(response) {
  const body = response.request().postData();
  return body ? JSON.parse(body).operationName : null;
}

// change selects another tab, and waits until the IDE has read its query.
async function change(page, tab) {
  await tab.click();
  await page.waitForFunction(() => {
    const editor = globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith('operation.graphql'));
    return localStorage.getItem('graphiql:query') === editor.getValue();
  });
}

// typeHeaders replaces the text of the header editor, and removes the brackets and quotes that the editor adds.
async function typeHeaders(page, headers) {
  await page.click('.graphiql-editor-tool .graphiql-editor:not(.hidden)');
  await press(page, 'Control', 'KeyA');
  await page.keyboard.type(JSON.stringify(headers));
  await press(page, 'Control', 'Shift', 'End');
  await page.keyboard.press('Delete');
}

async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.down(key);
  for (const key of keys.reverse()) await page.keyboard.up(key);
}

// read waits for an element, and returns its text.
async function read(page, selector) {
  const element = await page.waitForSelector(selector);
  return element.evaluate(({ innerText }) => innerText);
}

// run executes the query, and waits until the IDE shows the response.
async function run(page) {
  const answered = page.waitForResponse((response) => ![null, introspection].includes(operationOf(response)));
  await page.click('.graphiql-execute-button');
  const operation = operationOf(await answered);
  const shown = await page.waitForFunction(() => {
    const editor = globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith('response.json'));
    return editor.getValue();
  });
  return { operation, response: JSON.parse(await shown.jsonValue()) };
}

// subscribe subscribes to the viewer's twits, posts until an event arrives, and returns it.
async function subscribe(page) {
  await page.evaluate(() => {
    const editor = globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith('operation.graphql'));
    editor.setValue('subscription News { twitPosted(username: "LiLei") { content } }');
  });
  await page.waitForFunction(() => localStorage.getItem('graphiql:query').startsWith('subscription News'));
  await page.click('.graphiql-execute-button');
  const event = await page.waitForFunction(
    async (token) => {
      const body = JSON.stringify({ query: 'mutation Post { postTwit(input: { content: "news" }) { userErrors { code } } }' });
      await fetch('graphql', { method: 'POST', headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` }, body });
      const editor = globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith('response.json'));
      return editor.getValue().includes('twitPosted') && editor.getValue();
    },
    { polling: 300 },
    token,
  );
  return JSON.parse(await event.jsonValue());
}
