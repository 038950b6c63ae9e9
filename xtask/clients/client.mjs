// Calls a tool server with @modelcontextprotocol/client and prints, as one line of JSON, what it made of the answers.
// The argument `auto` lets it look for the newer era; without one it does what it does by itself.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { told } from './told.mjs';

const mode = process.argv[2];
const headers = { Authorization: `Bearer ${process.env.MCP_KEY}` };
const transport = new StreamableHTTPClientTransport(new URL(process.env.MCP_URL), { requestInit: { headers } });
const options = mode ? { versionNegotiation: { mode } } : {};
const client = new Client({ name: 'bookkeeping-agents', version: '1' }, options);
await client.connect(transport);
console.log(JSON.stringify({ version: client.getNegotiatedProtocolVersion(), ...(await told(client)) }));
await client.close();
