// Uses examples/web as two users, in a browser without network access except to this machine, and
// prints a report as JSON:
//
//   node web.mjs URL SCREENSHOTS TOKEN OTHER
//
// TOKEN is LiLei's, OTHER that of HanMeimei, whom LiLei follows. SCREENSHOTS is a folder. GET
// URL/disconnect closes all connections to the gateway.
import { readFile } from 'node:fs/promises';
import puppeteer from 'puppeteer-core';

const [url, screenshots, token, other] = process.argv.slice(2);
const application = new URL('../../examples/web/', import.meta.url);
const documents = Object.entries(JSON.parse(await readFile(new URL('documents.json', application), 'utf8')));
const axe = await readFile(new URL('node_modules/axe-core/axe.min.js', application), 'utf8');
const photo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3">
  <path fill="#7aa" d="M0 0h4v3H0z"/><path fill="#365" d="m0 3 1-1.5 1 1 1-2 1 1v1.5z"/></svg>`;

// requests has the bodies that the gateway got. errors has the console's errors that no step
// causes.
const seen = {};
let failing; // the id of a document whose next response has the errors in failed
let failed;
let losing; // the id of a document whose next response is lost
const requests = [];
const errors = [];
const caused = /401 \(Unauthorized\)|ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_RESET|The server cannot be reached|many reads failed|Relay: Unexpected response/;

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  defaultViewport: { width: 1200, height: 900 },
  args: [
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    '--disable-background-networking',
    '--disable-gpu',
    '--no-first-run',
    '--no-sandbox',
  ],
});
let page;
try {
  page = await open();
  const friend = await open();
  await anonymous(page);
  await signIn(page, token);
  await timeline(page, friend);
  await own(page);
  await away(page, friend);
  await follow(page);
  await failures(page);
  await appearance(page);
  await click(page, 'header button', 'Sign out');
  await page.waitForSelector('input[name="token"]');
  seen.signedOut = { title: await text(page, 'h1'), kept: await page.evaluate(() => sessionStorage.length) };
} catch (error) {
  await page?.screenshot({ path: `${screenshots}/failure.png` });
  throw new Error(`the page is in ${screenshots}/failure.png; ${JSON.stringify({ seen, errors })}`, { cause: error });
} finally {
  await browser.close();
}
console.log(JSON.stringify({ seen, requests, errors }));

// Photos of other sites get responses, too.
async function open() {
  const page = await (await browser.createBrowserContext()).newPage();
  page.setDefaultTimeout(15_000);
  page.on('pageerror', (error) => errors.push(`page: ${error.stack ?? error}`));
  page.on('console', (message) => {
    if (message.type() !== 'error' || caused.test(message.text())) return;
    errors.push(`${message.text()} ${message.location().url}`);
  });
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const body = request.method() === 'POST' && JSON.parse(request.postData());
    if (body) requests.push(body);
    if (request.url().startsWith('https://example.org/')) {
      request.respond({ contentType: 'image/svg+xml', body: photo });
    } else if (body && body.documentId === failing) {
      failing = undefined;
      const response = { data: { department: null }, errors: failed };
      const headers = { 'access-control-allow-origin': '*' };
      request.respond({ contentType: 'application/json', headers, body: JSON.stringify(response) });
    } else if (body && body.documentId === losing) {
      losing = undefined;
      fetch(request.url(), { method: 'POST', headers: request.headers(), body: request.postData() })
        .then(() => request.abort('connectionreset'));
    } else {
      request.continue();
    }
  });
  await page.goto(url);
  return page;
}

async function anonymous(page) {
  await page.waitForSelector('input[name="token"]');
  await click(page, 'header nav a', 'Departments');
  await shown(page, 'h1', 'Departments');
  const top = await texts(page, '.list b');
  for (const name of ['CEO', '开发部', '开发2', '前端组']) {
    await click(page, '.list a', name);
    await shown(page, 'h1', name);
  }
  const [path, role, users] = [await texts(page, '.path a'), await texts(page, '.role h2'), await texts(page, '.users a')];
  seen.departments = { top, path, role, users: users.length };
  await click(page, '.users a', 'Lucy King');
  await shown(page, 'h1', 'Lucy King');
  seen.anonymous = { twits: await contents(page), canLike: await page.$$eval('.like:enabled', (all) => all.length) };
  await page.goBack();
  await shown(page, 'h1', '前端组');
  await click(page, 'header a', 'Sign in');
  await signIn(page, 'no.such.token');
  seen.badToken = await text(page, '[role="alert"]');
}

async function signIn(page, value) {
  await page.waitForSelector('input[name="token"]');
  await page.type('input[name="token"]', value);
  await page.click('form button');
  await page.waitForSelector(value.startsWith('no') ? '[role="alert"]' : '[role="feed"] article');
}

async function timeline(page, friend) {
  seen.first = (await contents(page)).slice(0, 2);
  await page.screenshot({ path: `${screenshots}/timeline.png` });
  await page.waitForFunction(() => {
    scrollTo(0, document.body.scrollHeight);
    return !document.querySelector('.loading');
  });
  const all = await contents(page);
  const pages = requests.filter(({ variables }) => variables.cursor).length;
  seen.scrolled = { twits: all.length, distinct: new Set(all).size, pages };
  await page.waitForSelector('.live.on');

  await signIn(friend, other);

  await post(friend, 'Good morning!', 'FOLLOWERS');
  await shown(page, 'article .text', 'Good morning!');
  seen.live = (await contents(page)).slice(0, 2);
  seen.forFollowers = await page.$eval('article', (article) => article.querySelector('[aria-label="For followers"]') !== null);

  await page.evaluate(() => scrollTo(0, 0));
  await page.focus('article .like');
  await page.keyboard.press('Enter');
  await page.waitForSelector('article .like[aria-pressed="true"][aria-busy="false"]');
  seen.liked = await page.$eval('article .like', (button) => button.ariaLabel);
  await page.click('article a:has(time)');
  await shown(page, 'h1', 'Twit');
  await page.type('textarea', 'And a good night.');
  await page.click('form button');
  await shown(page, '[role="feed"] .text', 'And a good night.');
  const parts = () => [...document.querySelectorAll('.text, .row .action')].map((e) => e.ariaLabel ?? e.innerText);
  seen.comment = await afterRefetch(page, parts);
}

async function own(page) {
  await click(page, 'header nav a', 'Profile');
  await shown(page, 'h1', '李雷');
  const before = await text(page, '.counts');
  await post(page, 'It is my own.', 'PUBLIC');
  await shown(page, 'article .text', 'It is my own.');
  const after = await afterRefetch(page, () => [...document.querySelectorAll('.counts, article .text')].slice(0, 2).map((e) => e.innerText));
  seen.own = { before, after };
}

async function away(page, friend) {
  await click(page, 'header nav a', 'Timeline');
  await page.waitForSelector('.live.on');
  await fetch(`${url}/disconnect`);
  await page.waitForSelector('.live:not(.on)');
  await friend.reload();
  await friend.waitForSelector('textarea');
  await post(friend, 'Is anybody there?', 'PUBLIC');
  await shown(page, 'article .text', 'Is anybody there?');
  seen.lost = (await contents(page)).slice(0, 2);

  await click(page, 'header nav a', 'Departments');
  await shown(page, 'h1', 'Departments');
  await friend.reload();
  await friend.waitForSelector('textarea');
  await post(friend, 'While you were away.', 'PUBLIC');
  const sent = requests.length;
  await page.goBack();
  await shown(page, 'article .text', 'While you were away.');
  seen.away = { newest: (await contents(page)).slice(0, 2), requests: requests.length - sent };
}

async function follow(page) {
  await go(page, '#/user/Lily', 'Lily King');
  seen.follow = [];
  for (const next of ['Unfollow', 'Follow']) {
    await page.click('.follow button');
    await shown(page, '.follow button', next);
    await page.waitForSelector('.follow button[aria-busy="false"]');
    seen.follow.push(await afterRefetch(page, () => [...document.querySelectorAll('.follow button, .counts')].map((e) => e.innerText)));
  }
}

async function failures(page) {
  await click(page, 'header nav a', 'Timeline');
  await page.waitForSelector('textarea');
  await page.type('textarea', '   ');
  await page.click('form button');
  seen.userError = await text(page, 'form [role="alert"]');
  await go(page, '#/user/LiLei', '李雷');
  losing = idOf('mutation PostTwitMutation');
  await page.type('textarea', 'Once.');
  await page.click('form button');
  seen.lostResponse = [await text(page, 'form [role="alert"]')];
  await page.click('form button');
  await shown(page, 'article .text', 'Once.');
  await page.reload();
  await shown(page, 'article .text', 'Once.');
  seen.lostResponse.push(...(await contents(page)).slice(0, 2));
  await go(page, '#/user/nobody');
  seen.nobody = await text(page, '.empty');

  failing = idOf('query DepartmentsQuery');
  failed = [{ message: 'a read failed', path: ['department'] }];
  await go(page, '#/departments/hr');
  seen.failedField = await text(page, 'main [role="alert"] p');
  failing = idOf('query DepartmentsQuery');
  failed = [{ message: 'many reads failed' }, { message: 'and more', extensions: { code: 'TOO_MANY_ERRORS' } }];
  await click(page, 'main [role="alert"] button', 'Try again');
  await shown(page, 'main [role="alert"] p', 'many reads failed');
  await click(page, 'main [role="alert"] button', 'Try again');
  await shown(page, 'h1', '人事部');

  await page.setOfflineMode(true);
  await go(page, '#/departments/qa');
  seen.offline = await text(page, 'main [role="alert"] p');
  await page.setOfflineMode(false);
  await click(page, 'main [role="alert"] button', 'Try again');
  await shown(page, 'h1', '测试部');
}

async function appearance(page) {
  seen.violations = [];
  seen.tooWide = [];
  await page.evaluate(axe);
  for (const [name, hash, title] of [
    ['timeline', '#/', 'Timeline'],
    ['profile', '#/user/Lucy', 'Lucy King'],
    ['departments', '#/departments', 'Departments'],
    ['department', '#/departments/dev', '开发部'],
  ]) {
    await go(page, hash, title);
    for (const [scheme, width] of [['light', 1200], ['dark', 420]]) {
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      for (const { id, nodes: [{ html }] } of violations) seen.violations.push(`${name}, ${scheme}, ${width}: ${id}: ${html}`);
      const needed = await page.evaluate(() => document.documentElement.scrollWidth);
      if (needed > width) seen.tooWide.push(`${name}: ${needed} > ${width}`);
      await page.screenshot({ path: `${screenshots}/${name}-${scheme}.png` });
    }
  }
  seen.dark = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.setViewport({ width: 1200, height: 900 });
}

function idOf(operation) {
  return documents.find(([, text]) => text.startsWith(`${operation}(`))[0];
}

// A reload empties Relay's store.
async function afterRefetch(page, read) {
  const before = await page.evaluate(read);
  await page.reload();
  await page.waitForSelector('article');
  for (let after, n = 0; JSON.stringify(after) !== JSON.stringify(before); n++) {
    if (n === 50) throw new Error(`before a refetch ${JSON.stringify(before)}, after it ${JSON.stringify(after)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    after = await page.evaluate(read);
  }
  return before;
}

async function post(page, content, visibility) {
  await page.type('textarea', content);
  await page.select('select', visibility);
  await page.click('form button');
  await page.waitForSelector('form [role="status"] a');
}

async function go(page, hash, title) {
  await page.evaluate((hash) => { location.hash = hash; }, hash);
  if (title) await shown(page, 'h1', title);
}

async function click(page, selector, text) {
  const find = (selector, text) => [...document.querySelectorAll(selector)].find((e) => e.innerText.includes(text));
  await (await page.waitForFunction(find, {}, selector, text)).click();
}

function shown(page, selector, text) {
  const includes = (selector, text) => document.querySelector(selector)?.innerText.includes(text);
  return page.waitForFunction(includes, {}, selector, text);
}

async function text(page, selector) {
  const element = await page.waitForSelector(selector);
  return element.evaluate(({ innerText }) => innerText);
}

function texts(page, selector) {
  return page.$$eval(selector, (all) => all.map(({ innerText }) => innerText));
}

function contents(page) {
  return texts(page, 'article .text');
}
