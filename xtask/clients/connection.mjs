// Connects to a tool server by OAuth with an official TypeScript client and prints, as one line of JSON, what came of it.
// The first argument is the client: `client` or `sdk`. The second one, `auto`, lets it look for the newer era. Without a call in
// MCP_STEP_UP the person allows everything at once.

import { allowed } from './person.mjs';
import { told } from './told.mjs';

const redirectUrl = 'http://127.0.0.1:33418/callback';
const { MCP_URL, MCP_SESSION, MCP_STEP_UP } = process.env;
const [packageName, mode] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport, UnauthorizedError } =
  packageName === 'client'
    ? await import('@modelcontextprotocol/client')
    : {
        ...(await import('@modelcontextprotocol/sdk/client/index.js')),
        ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
        ...(await import('@modelcontextprotocol/sdk/client/auth.js')),
      };

// Keeps what the client is given, and which scopes each pair of tokens had.
class Provider {
  asked = 0;
  granted = [];
  redirectUrl = redirectUrl;
  clientMetadata = { redirect_uris: [redirectUrl], client_name: 'Official client' };
  state = () => (this.sent = crypto.randomUUID());
  clientInformation = () => this.client;
  saveClientInformation = (client) => void (this.client = client);
  tokens = () => this.pair;
  codeVerifier = () => this.verifier;
  saveCodeVerifier = (verifier) => void (this.verifier = verifier);
  discoveryState = () => this.discovered;
  saveDiscoveryState = (discovered) => void (this.discovered = discovered);

  saveTokens(pair) {
    this.last = this.pair = pair;
    this.granted.push(pair.scope);
  }

  invalidateCredentials(what) {
    if (what === 'tokens' || what === 'all') this.pair = undefined;
  }

  async redirectToAuthorization(url) {
    this.asked += 1;
    if (this.left) return;
    const isFirst = MCP_STEP_UP && this.asked === 1;
    const scopes = isFirst ? ['books:read'] : url.searchParams.get('scope').split(' ');
    this.answer = (await allowed(url, scopes, MCP_SESSION)).searchParams;
  }
}

const provider = new Provider();
const trail = [];
const noting = async (url, init) => {
  const answer = await fetch(url, init);
  trail.push(`${init?.method ?? 'GET'} ${new URL(url).pathname} ${answer.status}`);
  return answer;
};
const opened = () => new StreamableHTTPClientTransport(new URL(MCP_URL), { authProvider: provider, fetch: noting });

// Does something that may need the person, and does it again once they allowed it.
async function withPerson(transport, what) {
  try {
    return await what(transport);
  } catch (error) {
    if (!(error instanceof UnauthorizedError) || provider.left) throw error;
  }
  if (provider.answer.get('state') !== provider.sent) throw new Error('the state is another');
  await transport.finishAuth(packageName === 'client' ? provider.answer : provider.answer.get('code'));
  return undefined;
}

const revoke = (token) => {
  const body = new URLSearchParams({ client_id: provider.client.client_id, token });
  return fetch(provider.discovered.authorizationServerMetadata.revocation_endpoint, { method: 'POST', body });
};
const called = async (name, given = {}) => {
  const { isError, structuredContent, content } = await client.callTool({ name, arguments: given });
  return { isError, value: structuredContent, text: content[0].text };
};

const options = mode ? { versionNegotiation: { mode } } : {};
const made = () => new Client({ name: 'bookkeeping-agents', version: '1' }, options);
await withPerson(opened(), (transport) => made().connect(transport));
const client = made();
const transport = opened();
await client.connect(transport);
const version = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion;
const first = await told(client);
let steppedUp;
if (MCP_STEP_UP) {
  const call = JSON.parse(MCP_STEP_UP);
  steppedUp = (await withPerson(transport, () => called(...call))) ?? (await called(...call));
}
// The client exchanges its refresh token after the next answer because the access token alone is ended.
await revoke(provider.pair.access_token);
const refreshed = await called('whoami');
await revoke(provider.pair.refresh_token);
provider.left = true;
let revoked;
try {
  revoked = await called('whoami');
} catch (error) {
  if (!(error instanceof UnauthorizedError)) throw error;
}
const { access_token: access } = provider.last;
const { asked, granted } = provider;
console.log(JSON.stringify({ version, ...first, steppedUp, refreshed, revoked, access, asked, granted, trail }));
await client.close();
