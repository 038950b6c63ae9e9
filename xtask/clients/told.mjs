// What a connected client says of the tools and of the calls in MCP_CALLS, a list of [name, arguments].

export async function told(client) {
  const { tools } = await client.listTools();
  const results = [];
  for (const [name, given] of JSON.parse(process.env.MCP_CALLS)) {
    try {
      const { isError, structuredContent, content } = await client.callTool({ name, arguments: given });
      results.push({ isError, value: structuredContent, text: content[0].text });
    } catch (error) {
      if (!Number.isInteger(error.code)) throw error;
      results.push({ code: error.code, message: error.message });
    }
  }
  return { tools: tools.map((tool) => tool.name), results };
}
