// Goes through the pages that people see with Chromium, and prints, as one line of JSON, what held and what did not. The person is
// signed in by the form; what the application is given comes to a listener of this script.

import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const { BASE_URL, PERSON_EMAIL, PERSON_PASSWORD, CHROMIUM, SCREENSHOTS } = process.env;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const broken = [];
let checks = 0;
const must = (holds, what) => {
  checks += 1;
  if (!holds) broken.push(what);
};

// Where the application waits for its answer.
const answers = [];
const listener = createServer((request, response) => {
  const url = new URL(request.url, 'http://127.0.0.1');
  if (url.pathname === '/callback') answers.push(url.searchParams);
  response.setHeader('content-type', 'text/html');
  response.end('<!doctype html><html lang="en"><title>Back</title><link rel="icon" href="data:,"><h1>Back at the application</h1>');
});
await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve));
const redirectUri = `http://127.0.0.1:${listener.address().port}/callback`;

async function registered(name) {
  const body = JSON.stringify({ client_name: name, redirect_uris: [redirectUri] });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${BASE_URL}/oauth/register`, { method: 'POST', headers, body });
  return (await answer.json()).client_id;
}

// A request for authorization, as an application opens it in a browser.
function requested(clientId, scope) {
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(8).toString('hex');
  const url = new URL(`${BASE_URL}/oauth/authorize`);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${BASE_URL}/mcp`,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, state, verifier, clientId };
}

async function exchanged(request, code) {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    client_id: request.clientId,
    code_verifier: request.verifier,
  });
  return (await fetch(`${BASE_URL}/oauth/token`, { method: 'POST', body })).status;
}

const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'],
});

// What the console says that no page should make it say.
const complaints = [];
async function opened(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 900 }, ...options });
  const page = await context.newPage();
  page.on('console', (message) => {
    const isExpected = message.text().includes('status of 40') && expectsRefusal;
    if (['error', 'warning'].includes(message.type()) && !isExpected) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return page;
}
// A page that says what is wrong has the status of an error, which the console repeats.
let expectsRefusal = false;

const shot = (page, name) =>
  SCREENSHOTS ? page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true }) : undefined;

async function accessible(page, name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  must(violations.length === 0, `${name}: ${JSON.stringify(violations.map(({ id, nodes }) => [id, nodes[0].html]))}`);
  const wide = await page.evaluate(() => document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth);
  must(wide <= 0, `${name}: ${wide} pixels are beside the screen`);
}

const focused = (page) =>
  page.evaluate(() => {
    const { id, name, value } = document.activeElement;
    return id || `${name}=${value}`;
  });

async function signIn(page, url) {
  await page.goto(url);
  await page.fill('#email', PERSON_EMAIL);
  await page.fill('#password', PERSON_PASSWORD);
  await page.click('button');
}

const back = (page) => page.waitForURL(`${redirectUri}?**`);
const code = () => answers.at(-1)?.get('code');

// Sign in, tick, Allow: by mouse.
const client = await registered('Ledger Assistant');
let page = await opened();
let request = requested(client, 'books:read books:write');
await page.goto(request.url);
must(new URL(page.url()).pathname === '/app/sign-in', `not sent to sign in but to ${page.url()}`);
await accessible(page, 'sign-in');
await shot(page, '1-sign-in');
await page.fill('#email', PERSON_EMAIL);
await page.fill('#password', 'not the password of anybody');
expectsRefusal = true;
await page.click('button');
must(await page.locator('[role=alert]').isVisible(), 'a wrong password is not told of');
must((await page.inputValue('#email')) === PERSON_EMAIL, 'the address has to be typed again');
must((await focused(page)) === 'password', `after a refusal the focus is at ${await focused(page)}`);
await accessible(page, 'sign-in, refused');
await shot(page, '2-sign-in-refused');
expectsRefusal = false;
await page.fill('#password', PERSON_PASSWORD);
await page.click('button');
must((await page.locator('h1').textContent()).includes('Ledger Assistant'), 'the page does not name the application');
must((await page.locator('.host').textContent()).startsWith('127.0.0.1'), 'the page does not say where it leads');
await accessible(page, 'consent');
await shot(page, '3-consent');
// Nothing is ticked: the page says so and keeps the rest.
expectsRefusal = true;
await page.uncheck('#scope-books-read');
await page.uncheck('#scope-books-write');
await page.check('input[name=organisation_id] >> nth=0');
await page.click('button[value=allow]');
must((await page.locator('[role=alert]').textContent()).includes('at least one'), 'nothing ticked is not told of');
must(await page.isChecked('input[name=organisation_id] >> nth=0'), 'the organisation is not ticked any more');
await accessible(page, 'consent, nothing ticked');
expectsRefusal = false;
await page.check('#scope-books-read');
await page.click('button[value=allow]');
await back(page);
must(answers.length === 1 && code(), 'no code came back');
must(answers.at(-1).get('state') === request.state, 'the state is another');
must(answers.at(-1).get('iss') === BASE_URL, `iss is ${answers.at(-1).get('iss')}`);
must((await exchanged(request, code())) === 200, 'the code is not exchanged');

// Back, and Allow again: the page asks anew, by a request of its own, and its code works like the first.
request = requested(client, 'books:read');
await page.goto(request.url);
const answered = await page.locator('#consent input[type=hidden]').evaluateAll((fields) => fields.map((f) => [f.name, f.value]));
await page.click('button[value=allow]');
await back(page);
await page.goBack();
const renewed = await page.locator('input[name=request]').inputValue();
must(renewed !== answered.find(([name]) => name === 'request')[1], 'going back shows the request that is answered');
await page.click('button[value=allow]');
await back(page);
must((await exchanged(request, code())) === 200, 'the code after going back is not exchanged');

// The form that was answered, sent once more: no code, and the person is told why.
expectsRefusal = true;
let before = answers.length;
await page.goto(`${BASE_URL}/app/connections`);
await page.evaluate((fields) => {
  const form = document.createElement('form');
  Object.assign(form, { method: 'post', action: '/oauth/authorize' });
  for (const [name, value] of [...fields, ['scope', 'books:read'], ['reach', 'all'], ['decision', 'allow']]) {
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
  }
  document.body.append(form);
  form.submit();
}, answered);
await page.waitForURL('**/oauth/authorize');
must(answers.length === before, `an answered form was answered again: ${answers.at(-1)}`);
must((await page.locator('[role=alert]').textContent()).includes('out of date'), 'an answered form is not explained');
await accessible(page, 'out of date');
await shot(page, '4-out-of-date');
expectsRefusal = false;

// It asks for more: what was ticked is ticked, what is new is marked.
request = requested(client, 'books:read books:write books:send');
await page.goto(request.url);
must(await page.isChecked('#scope-books-read'), 'the step-up lost what was ticked');
must(!(await page.isChecked('#scope-books-send')), 'sending is ticked by itself');
must(await page.isChecked('input[name=organisation_id] >> nth=0'), 'the step-up lost the organisation');
must(!(await page.isChecked('input[name=organisation_id] >> nth=1')), 'the step-up ticked another organisation');
must((await page.locator('.new').count()) === 2, 'what is new is not marked');
await accessible(page, 'step-up');
await shot(page, '5-step-up');
// Deny: an error goes back, and the connection stays.
await page.click('button[value=deny]');
await back(page);
must(answers.at(-1).get('error') === 'access_denied', `Deny was answered ${answers.at(-1)}`);
must(answers.at(-1).get('iss') === BASE_URL && answers.at(-1).get('state') === request.state, 'Deny lacks iss or state');

// Allow twice, as fast as a finger does: one code, and it works.
request = requested(client, 'books:read');
await page.goto(request.url);
before = answers.length;
await page.dblclick('button[value=allow]');
await page.waitForLoadState('networkidle');
must(answers.length === before + 1 && code(), `Allow twice was answered ${answers.length - before} times, at ${page.url()}`);
if (answers.length > before) must((await exchanged(request, code())) === 200, 'the code of two clicks is not exchanged');

// Two tabs that ask for the same: each has its own request, and one does not spend the other's.
const [one, two] = [requested(client, 'books:read'), requested(client, 'books:read')];
const tab = await page.context().newPage();
await page.goto(one.url);
await tab.goto(two.url);
for (const [which, asked] of [[page, one], [tab, two]]) {
  await which.click('button[value=allow]');
  await back(which);
  must(answers.at(-1).get('state') === asked.state && code(), 'a tab was answered for the other');
}
await tab.close();

// By keyboard alone, from the sign-in page to the application.
const keyboard = await opened();
request = requested(await registered('Keyboard Client'), 'books:read books:write');
await keyboard.goto(request.url);
must((await focused(keyboard)) === 'email', `the focus begins at ${await focused(keyboard)}`);
await keyboard.keyboard.type(PERSON_EMAIL);
await keyboard.keyboard.press('Tab');
await keyboard.keyboard.type(PERSON_PASSWORD);
await keyboard.keyboard.press('Enter');
await keyboard.waitForSelector('#consent');
const visited = [];
for (let steps = 0; steps < 30 && visited.at(-1) !== 'decision=allow'; steps += 1) {
  await keyboard.keyboard.press('Tab');
  visited.push(await focused(keyboard));
  const outline = await keyboard.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  must(outline !== 'none', `${visited.at(-1)} does not show its focus`);
  if (visited.at(-1) === 'scope-books-write') await keyboard.keyboard.press('Space');
  if (visited.at(-1).startsWith('organisation-')) await keyboard.keyboard.press('Space');
}
must(visited.includes('scope-books-read') && visited.at(-1) === 'decision=allow', `the keyboard went ${visited}`);
before = answers.length;
await keyboard.keyboard.press('Enter');
await back(keyboard);
must(answers.length === before + 1 && code(), 'no code came by keyboard');
await keyboard.context().close();

// Narrow, enlarged, dark: nothing is beside the screen and every contrast suffices.
for (const [name, options, number] of [
  ['narrow', { viewport: { width: 320, height: 640 } }, 6],
  ['narrow-dark', { viewport: { width: 320, height: 640 }, colorScheme: 'dark' }],
  // A window of 1,280 pixels at 400 %.
  ['enlarged', { viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 }],
  ['dark', { colorScheme: 'dark' }, 7],
]) {
  const styled = await opened(options);
  request = requested(client, 'books:read books:write coding:read coding:write reconcile:write');
  await styled.goto(request.url);
  await accessible(styled, `sign-in, ${name}`);
  await signIn(styled, request.url);
  await styled.waitForSelector('#consent');
  await accessible(styled, `consent, ${name}`);
  if (number) await shot(styled, `${number}-consent-${name}`);
  await styled.goto(`${BASE_URL}/app/connections`);
  await accessible(styled, `connections, ${name}`);
  await styled.context().close();
}

// What is connected, and its end.
await page.goto(`${BASE_URL}/app/connections`);
await accessible(page, 'connections');
await shot(page, '8-connections');
must((await page.locator('section').count()) === 2, 'both applications are not listed');
await page.click('button[aria-label="Revoke Keyboard Client"]');
must((await page.locator('section').count()) === 1, 'the revoked application is listed');
await page.click('text=Sign out');
request = requested(client, 'books:read');
await page.goto(request.url);
must(new URL(page.url()).pathname === '/app/sign-in', 'signed out, the person is not asked to sign in');

must(complaints.length === 0, `the console says ${JSON.stringify(complaints)}`);
await browser.close();
listener.close();
console.log(JSON.stringify({ checks, broken }));
