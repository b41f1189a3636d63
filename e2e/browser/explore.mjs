// Explores the IDE as a person would, in a browser that is denied every machine but this one, and prints what it saw as JSON:
//
//   node explore.mjs URL SCREENSHOT [TOKEN]
//
// It runs the query of every tab in turn, with TOKEN in the headers if there is one, and takes the screenshot of the first. Of that it also
// asks for the plan and the report, and takes a screenshot of each.
import puppeteer from 'puppeteer-core';

const [url, screenshot, token] = process.argv.slice(2);
const patience = 30_000;
const introspection = 'IntrospectionQuery'; // asked by the IDE itself, to know the schema

// What a reader of the report judges: every request that the page or a worker tried, every complaint of the browser, and the answer
// that the IDE showed in each tab, what it showed of costs, and of a subscription.
const report = { requests: [], complaints: [], answers: {}, plan: '', report: '', heard: null };

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
  page.setDefaultTimeout(patience);
  page.on('request', (request) => report.requests.push(request.url()));
  page.on('pageerror', (error) => report.complaints.push(`page: ${error.stack ?? error}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warn') report.complaints.push(`${message.type()}: ${message.text()}`);
  });

  const introspected = page.waitForResponse((response) => operationOf(response) === introspection);
  await page.goto(url);
  const { errors } = await (await introspected).json();
  if (errors) report.complaints.push(`the schema: ${JSON.stringify(errors)}`);
  await page.waitForSelector('.graphiql-query-editor .view-line');
  for (const [index, tab] of (await page.$$('[role="tab"]')).entries()) {
    if (index > 0) await change(page, tab);
    if (token) await typeHeaders(page, { Authorization: `Bearer ${token}` });
    const { operation, answer } = await run(page);
    report.answers[operation] = answer;
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
  if (token) report.heard = await listen(page);
} catch (error) {
  await page.screenshot({ path: screenshot });
  throw new Error(`gave up; ${screenshot} shows the page as it was then; ${JSON.stringify(report)}`, { cause: error });
} finally {
  await browser.close();
}
console.log(JSON.stringify(report));

// operationOf names the GraphQL operation that a response answers; null if it answers none.
function operationOf(response) {
  const body = response.request().postData();
  return body ? JSON.parse(body).operationName : null;
}

// change goes to another tab, and waits until the IDE has read the query in it, as it does a moment later.
async function change(page, tab) {
  await tab.click();
  await page.waitForFunction(() => {
    const editor = globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith('operation.graphql'));
    return localStorage.getItem('graphiql:query') === editor.getValue();
  });
}

// typeHeaders replaces what is in the editor of the headers, and then what the editor put behind it to close brackets and quotes.
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

// read waits for something to show, and returns its text.
async function read(page, selector) {
  const element = await page.waitForSelector(selector);
  return element.evaluate(({ innerText }) => innerText);
}

// run presses the button, and waits for the server's answer and for the IDE to show it.
async function run(page) {
  const answered = page.waitForResponse((response) => ![null, introspection].includes(operationOf(response)));
  await page.click('.graphiql-execute-button');
  const operation = operationOf(await answered);
  const shown = await page.waitForFunction(() => {
    const editor = globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith('response.json'));
    return editor.getValue();
  });
  return { operation, answer: JSON.parse(await shown.jsonValue()) };
}

// listen subscribes to what the viewer posts, posts until something is heard, and returns that.
async function listen(page) {
  await page.evaluate(() => {
    const editor = globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith('operation.graphql'));
    editor.setValue('subscription News { twitPosted(username: "LiLei") { content } }');
  });
  await page.waitForFunction(() => localStorage.getItem('graphiql:query').startsWith('subscription News'));
  await page.click('.graphiql-execute-button');
  const heard = await page.waitForFunction(
    async (token) => {
      const body = JSON.stringify({ query: 'mutation Post { postTwit(input: { content: "news" }) { userErrors { code } } }' });
      await fetch('graphql', { method: 'POST', headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` }, body });
      const editor = globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith('response.json'));
      return editor.getValue().includes('twitPosted') && editor.getValue();
    },
    { polling: 300 },
    token,
  );
  return JSON.parse(await heard.jsonValue());
}
