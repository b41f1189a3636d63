// Uses the token field of a gateway without --dev-tokens, and prints a report as JSON:
//
//   node token.mjs URL TOKEN ANOTHER
//
// ANOTHER is for the headers of a tab.
import { launch, load, open, run, selectTab } from './driver.mjs';

const [url, token, another] = process.argv.slice(2);
const report = { requests: [], errors: [] };
const browser = await launch();
try {
  const page = await open(browser, url, report);
  report.actAs = (await page.$('.viewer datalist')) !== null;
  const viewer = async () => (await run(page)).shown.data.viewer?.username;
  await selectTab(page, 1);
  await page.type('.viewer input', `Bearer ${token}`);
  report.viewer = await viewer();
  await load(page, () => page.reload());
  await selectTab(page, 1);
  report.reloaded = await viewer();
  report.inBrowser = await page.evaluate(() => JSON.stringify(localStorage));
  await page.bringToFront();
  await page.click('[data-name="headers"]');
  await page.evaluate((headers) => {
    globalThis.modelOf('request-headers.json').setValue(headers);
  }, JSON.stringify({ authorization: `Bearer ${another}` }));
  report.tab = await viewer();
  const other = await page.browserContext().newPage();
  await load(other, () => other.goto(url));
  report.anotherWindow = await other.$eval('.viewer input', ({ value }) => value);
} finally {
  await browser.close();
}
console.log(JSON.stringify(report));
