"""Calls a tool server with the official Python client and prints, as one line of JSON, what the client made of the answers.

    MCP_URL=… MCP_KEY=… MCP_CALLS='[["whoami", {}]]' python client.py legacy|auto
"""

import asyncio
import json
import os
import sys

import mcp.client.streamable_http as streamable_http
from mcp import Client, ClientSession
from mcp.shared.exceptions import MCPError


async def told(session):
    listed = await session.list_tools()
    results = []
    for name, arguments in json.loads(os.environ["MCP_CALLS"]):
        try:
            result = await session.call_tool(name, arguments)
            text = result.content[0].text
            results.append({"isError": result.is_error, "value": result.structured_content, "text": text})
        except MCPError as error:
            results.append({"code": error.error.code, "message": error.error.message})
    return {"tools": [tool.name for tool in listed.tools], "results": results}


async def run(mode):
    headers = {"Authorization": "Bearer " + os.environ["MCP_KEY"]}
    http = streamable_http.create_mcp_http_client(headers=headers)
    transport = streamable_http.streamable_http_client(os.environ["MCP_URL"], http_client=http)
    if mode == "legacy":
        async with transport as streams, ClientSession(streams[0], streams[1]) as session:
            opened = await session.initialize()
            return {"version": opened.protocol_version, **await told(session)}
    async with Client(transport, mode=mode) as client:
        return {"version": client.protocol_version, **await told(client)}


print(json.dumps(asyncio.run(run(sys.argv[1]))))
