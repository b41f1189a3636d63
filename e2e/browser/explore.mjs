// Uses the IDE of a gateway with --dev-tokens, and prints a report as JSON:
//
//   node explore.mjs URL FOLDER
//
// FOLDER gets the screenshots.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { drawn, launch, load, open, parsed, run, selectTab, subscribe } from './driver.mjs';

const [url, folder] = process.argv.slice(2);
const report = { requests: [], errors: [], examples: [] };
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await launch();
const page = await open(browser, url, report);

// causes is by the title of a subscription's tab.
const posted = 'mutation { postTwit(input: { content: "news" }) { twit { id } } }';
const commented = `mutation { addComment(input: { twitId: "VEx1Y3kAf__-ahlKpH9sdWN5LTM", content: "news" }) { userErrors { code } } }`;
const causes = {
  News: (mutate) => mutate('LiLei', posted),
  NewComments: (mutate) => mutate('LiLei', commented),
  async Deletions(mutate) {
    const { postTwit } = await mutate('LiLei', posted);
    await mutate('LiLei', `mutation { deleteTwit(input: { id: "${postTwit.twit.id}" }) { userErrors { code } } }`);
  },
  async FollowerChanges(mutate) {
    for (const name of ['unfollow', 'follow']) await mutate('小白', `mutation { ${name}(input: { username: "LiLei" }) { userErrors { code } } }`);
  },
};
const picture = (name) => page.screenshot({ path: `${folder}/${name}.png` });
try {
  report.inaccessible = [];
  await actAs('LiLei');
  const tabs = await page.$$eval('[id^="graphiql-session-tab-"]', (tabs) => tabs.map(({ title }) => title));
  for (const [index, title] of tabs.entries()) {
    if (index > 0) await selectTab(page, index);
    const result = causes[title] ? await subscribe(page, causes[title]) : await run(page);
    await page.waitForSelector('#cost-execution');
    report.examples.push({ ...result, drawn: await drawn(page) });
    if (['Followers', 'Post', 'News', 'FollowerChanges'].includes(title)) await picture(title.toLowerCase());
  }
  await selectTab(page, 0);
  await keyboard();
  await appearance();
  await explained();
  await withoutCost();
  await viewers();
  await queryBuilder();
  await prettified();
  await shared();
} catch (error) {
  await picture('failed');
  throw new Error(`exploring failed; the page is in ${folder}/failed.png; ${JSON.stringify(report).slice(-2000)}`, { cause: error });
} finally {
  await browser.close();
}
console.log(JSON.stringify(report));

async function actAs(name) {
  await page.click('.viewer input', { count: 3 });
  await page.keyboard.press('Delete');
  if (name) await page.keyboard.type(name);
  await page.keyboard.press('Enter');
  await page.waitForFunction(
    (name) => (localStorage.getItem('twibase:actAs') ?? '') === name || document.querySelector('.viewer-error').textContent,
    {},
    name,
  );
}

async function keyboard() {
  await page.focus('#cost-execution');
  await page.keyboard.press('Tab'); // the button that folds the picture
  await page.keyboard.press('Tab');
  const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label'));
  const first = await focused();
  await page.keyboard.press('ArrowDown');
  report.keyboard = { first, second: await focused(), hint: await page.$eval('.hint', ({ innerText }) => innerText) };
  await picture('hint');
  await page.keyboard.press('Escape');
}

async function appearance() {
  for (const scheme of ['dark', 'light']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    for (const view of ['plan', 'execution']) {
      await page.click(`#cost-${view}`);
      await picture(`${scheme}-${view}`);
      report.inaccessible.push(...(await violations()));
    }
  }
  await page.setViewport({ width: 420, height: 900 });
  await page.waitForFunction(() => document.querySelector('.picture svg')?.getBoundingClientRect().right <= 420);
  report.narrow = await page.evaluate(() => {
    const outside = (selector) => {
      const { left, right, width } = document.querySelector(selector).getBoundingClientRect();
      return left < 0 || right > innerWidth || width === 0;
    };
    return {
      width: document.scrollingElement.scrollWidth,
      outside: ['.graphiql-execute-button', '.viewer input', '.share-curl', '.cost', '.picture svg', '.graphiql-tab-add'].filter(outside),
    };
  });
  await picture('narrow');
  await page.$eval('.cost', (cost) => cost.scrollIntoView({ block: 'end' }));
  await picture('narrow-cost');
  await page.setViewport({ width: 1600, height: 1000 });
}

async function violations() {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(
      { include: ['.cost', '.viewer', '.graphiql-toolbar'] },
      { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] },
    );
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(', ')}`);
  });
}

async function explained() {
  await page.click('.cost-explain');
  await page.waitForFunction(() => document.querySelector('[data-field]') && !document.querySelector('#cost-execution'));
  report.explained = await page.$$eval('[data-field]', (fields) => fields.map(({ dataset }) => dataset.field));
}

async function withoutCost() {
  await page.click('.cost-report');
  const { plan, report: sent } = await run(page);
  await page.waitForSelector('.figures');
  report.withoutCost = { plan: Boolean(plan), report: Boolean(sent), figures: await page.$eval('.figures', ({ innerText }) => innerText) };
  await page.click('.cost-report');
}

async function viewers() {
  await actAs('no name');
  report.errors = report.errors.filter((message) => !message.endsWith('/dev/token')); // status 400
  report.viewers = { invalid: await page.$eval('.viewer-error', ({ textContent }) => textContent) };
  const seen = async (name) => {
    await actAs(name);
    await load(page, () => page.reload());
    await selectTab(page, 1);
    const { shown } = await run(page);
    return [await page.$eval('.viewer input', ({ value }) => value), shown.data.viewer?.username ?? null];
  };
  report.viewers.unauthenticated = await seen('');
  report.viewers.user = await seen('Lucy');
  report.viewers.failed = await withoutToken();
  await page.$eval('.viewer input', (input) => input.select());
  await page.type('.viewer input', 'lil');
  await page.waitForFunction(() => {
    const options = [...document.querySelectorAll('datalist option')];
    return options.length > 0 && options.every(({ value }) => /^lil/i.test(value));
  });
  report.viewers.offered = await page.$$eval('datalist option', (options) => options.map(({ value }) => value));
  await actAs('Lucy');
}

async function withoutToken() {
  await load(page, () => page.reload());
  const fail = async (request) => {
    if (request.url().endsWith('/dev/token')) {
      await request.respond({ status: 503, body: 'later' });
    } else {
      await request.continue().catch(() => {}); // the request was sent before the interception
    }
  };
  page.on('request', fail);
  await page.setRequestInterception(true);
  await page.click('.graphiql-execute-button');
  await page.waitForFunction(() => globalThis.modelOf('response.json').getValue().includes('cannot act as Lucy: later'));
  await page.setRequestInterception(false);
  page.off('request', fail);
  report.errors = report.errors.filter((message) => !message.endsWith('/dev/token'));
  return (await run(page)).shown.data.viewer?.username ?? null;
}

async function queryBuilder() {
  await selectTab(page, 4);
  await page.click('[aria-label="Show GraphiQL Explorer"]');
  const field = await page.waitForSelector('.graphiql-explorer-topDepartments .graphiql-explorer-field-view');
  await field.click();
  await page.waitForFunction(() => globalThis.modelOf('operation.graphql').getValue().includes('topDepartments'));
  report.built = true;
  await picture('builder');
}

async function prettified() {
  const link = new URL(url);
  link.searchParams.set('query', 'query($n:Int!){games(first:$n){nodes{code}}}');
  link.searchParams.set('variables', '{"n":1}');
  const other = await open(browser, link.href, report);
  await other.click('[aria-label^="Prettify"]');
  const texts = await other.waitForFunction(() => {
    const texts = ['operation.graphql', 'variables.json'].map((file) => globalThis.modelOf(file).getValue());
    return texts.every((text) => /[^ ] [^ ]/.test(text)) && texts;
  });
  report.prettified = await texts.jsonValue();
  await other.close();
}

async function shared() {
  const link = new URL(url);
  const operation = {
    query: 'query A { __typename }\n# "It\'s B."\nquery B($name: String!) { user(username: $name) { name } }',
    variables: '{"name":"O\'Hara \\"$HOME\\""}',
    operationName: 'B',
  };
  for (const [name, value] of Object.entries(operation)) link.searchParams.set(name, value);
  const other = await open(browser, link.href, report);
  const sent = other.waitForRequest((request) => request.headers()['x-twibase-explain'] === '1');
  await other.waitForFunction(() => document.querySelector('.graphiql-query-editor').innerText.includes('query'));
  await other.click('.cost-explain'); // the execute button opens a menu of the operations
  const copied = async (selector) => {
    await other.click(selector);
    const text = await other.waitForFunction(() => globalThis.copied);
    await other.evaluate(() => delete globalThis.copied);
    return text.jsonValue();
  };
  report.shared = {
    link: link.href, address: other.url(), ran: JSON.parse((await sent).postData()).operationName,
    copied: await copied('.share-link'), curl: await copied('.share-curl'), sent: operation,
  };
  const edit = (path, text) => other.evaluate((path, text) => {
    globalThis.modelOf(path).setValue(text);
  }, path, text);
  await edit('variables.json', '{');
  await other.click('.share-curl');
  const status = () => [...document.querySelectorAll('[role="status"]')].map((e) => e.textContent).find((text) => text.startsWith('Not'));
  report.shared.notCopied = await (await other.waitForFunction(status)).jsonValue();
  // Another document has its own operations, also after an invalid text.
  await edit('operation.graphql', 'query {');
  await parsed(other);
  await other.$eval('#graphiql-session-tab-1', (tab) => tab.click()); // the tab moves when the title of the first tab changes
  await parsed(other);
  const later = other.waitForRequest((request) => request.headers()['x-twibase-explain'] === '1');
  await other.click('.cost-explain');
  report.shared.later = JSON.parse((await later).postData()).operationName;
  await page.bringToFront();
  await page.click('.share-curl');
  report.shared.curlAsUser = await (await page.waitForFunction(() => globalThis.copied)).jsonValue();
}
