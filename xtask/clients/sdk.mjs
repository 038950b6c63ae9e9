// Calls a tool server with @modelcontextprotocol/sdk and prints, as one line of JSON, what it made of the answers.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { told } from './told.mjs';

const headers = { Authorization: `Bearer ${process.env.MCP_KEY}` };
const transport = new StreamableHTTPClientTransport(new URL(process.env.MCP_URL), { requestInit: { headers } });
const client = new Client({ name: 'bookkeeping-agents', version: '1' });
await client.connect(transport);
console.log(JSON.stringify({ version: transport.protocolVersion, ...(await told(client)) }));
await client.close();
