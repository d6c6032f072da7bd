import { Type } from 'typebox'
import { Problem } from '#kit'
import { EVENTS, streamEvents } from '../../mcp/live/subscription.ts'
import { listTools } from '../../mcp/tool-list.ts'
import { route } from '../../route.ts'
import { getSurface, sendDocument } from './schema.ts'

const Tool = Type.Object({
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  inputSchema: Type.Object({ type: Type.Literal('object') }, { additionalProperties: true }),
  annotations: Type.Object({}, { additionalProperties: true }),
})

export default route({
  at: 'GET /mcp/full',
  summary: 'List every MCP tool. As an MCP server, the same address lists them page by page.',
  keywords: 'all mcp tools, tool list',
  tool: false,
  auth: ['none'],
  reply: { status: 200, schema: Type.Object({ tools: Type.Array(Tool) }) },
  errors: ['MCP_DISABLED', 'METHOD_NOT_ALLOWED', 'TOO_MANY_WAITS', 'BUSY'],
  handle: async (call, context) => {
    if (!context.settings.get('mcp.enabled')) throw new Problem('MCP_DISABLED')
    if (call.request.headers.accept === EVENTS) return streamEvents(context, call)
    const tools = await listTools(context)
    const list = await getSurface(context, 'mcp/full', () => ({
      contentType: 'application/json; charset=utf-8',
      text: JSON.stringify({ tools }),
    }))
    sendDocument(call, list, 60)
  },
})
