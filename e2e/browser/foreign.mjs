// Sends requests to the gateway from a page of another origin, and prints the results as JSON:
//
//   node foreign.mjs PAGE GATEWAY TOKEN
import puppeteer from 'puppeteer-core';

const [url, gateway, token] = process.argv.slice(2);
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--disable-background-networking', '--disable-gpu', '--no-first-run', '--no-sandbox'],
});
try {
  const page = await browser.newPage();
  await page.goto(url);
  const results = await page.evaluate(async (gateway, token) => {
    const endpoint = `${gateway}/graphql`;
    const body = JSON.stringify({ query: '{__typename}' });
    const read = (init) => fetch(endpoint, { method: 'POST', body, ...init }).then((response) => response.text(), () => 'blocked');
    const socket = new WebSocket(endpoint.replace('http', 'ws'), 'graphql-transport-ws');
    const opened = new Promise((resolve) => { socket.onopen = () => resolve('open'); socket.onerror = () => resolve('blocked'); });
    const frame = document.body.appendChild(document.createElement('iframe'));
    const framed = new Promise((resolve) => { frame.onload = resolve; });
    frame.src = `${gateway}/`;
    await framed;
    return {
      json: await read({ headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` } }),
      text: await read({ headers: { 'Content-Type': 'text/plain' } }),
      blind: await fetch(endpoint, { method: 'POST', body, mode: 'no-cors' }).then((response) => response.type),
      socket: await opened,
    };
  }, gateway, token);
  const frame = page.frames().find((frame) => frame !== page.mainFrame());
  results.frame = frame.url().startsWith(gateway) ? 'shown' : 'blocked';
  console.log(JSON.stringify(results));
} finally {
  await browser.close();
}
