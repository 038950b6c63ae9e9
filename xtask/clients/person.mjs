// Plays the browser of somebody who is signed in: opens a request for authorization, ticks these scopes and every organisation, and
// allows. Gives the URI they are sent back to.

export async function allowed(url, scopes, session) {
  const headers = { Cookie: `bookkeeping_session=${session}` };
  const page = await (await fetch(url, { headers })).text();
  const hidden = (name) => [name, page.match(new RegExp(`name="${name}" value="([^"]*)"`))[1]];
  const ticks = scopes.map((scope) => ['scope', scope]);
  const fields = [hidden('request'), hidden('csrf'), ['decision', 'allow'], ['reach', 'all'], ...ticks];
  const form = { method: 'POST', headers, body: new URLSearchParams(fields), redirect: 'manual' };
  const answer = await fetch(new URL('/oauth/authorize', url), form);
  return new URL(answer.headers.get('location'));
}
