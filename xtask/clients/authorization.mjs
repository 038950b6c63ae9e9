// Runs the scenarios about authorization servers of the protocol's conformance suite, and is the person whom they ask to open a URL.
// The arguments are the suite's program and the folder for its results.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { allowed } from './person.mjs';

const { BASE_URL, MCP_URL, MCP_SESSION } = process.env;
const [suite, folder] = process.argv.slice(2);

// The suite listens at a port that it has to be given.
const placeholder = createServer().listen(0, '127.0.0.1');
await once(placeholder, 'listening');
const { port } = placeholder.address();
placeholder.close();
await once(placeholder, 'close');

const body = JSON.stringify({ client_name: 'Conformance', redirect_uris: [`http://127.0.0.1:${port}/callback`] });
const headers = { 'content-type': 'application/json' };
const client = await (await fetch(`${BASE_URL}/oauth/register`, { method: 'POST', headers, body })).json();
const subject = ['--url', BASE_URL, '--client-id', client.client_id, '--resource', MCP_URL];
const options = ['authorization', ...subject, '--port', String(port), '--output-dir', folder];
const child = spawn(process.execPath, [suite, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
const closed = once(child, 'close');
for await (const line of createInterface({ input: child.stdout })) {
  console.error(line);
  if (line.startsWith(`${BASE_URL}/oauth/authorize?`)) await fetch(await allowed(line, ['books:read'], MCP_SESSION));
}
process.exitCode = (await closed)[0];
