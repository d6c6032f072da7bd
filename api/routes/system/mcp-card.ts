import { Problem } from '#kit'
import { route } from '../../route.ts'
import { renderServerCard, SERVER_CARD_TYPE, ServerCard } from '../../surfaces/mcp/server-card.ts'
import { getSurface, sendDocument } from './schema.ts'

export default route({
  at: 'GET /mcp/server-card',
  summary: 'Get the address, the versions and the credentials of the MCP server, as a server card.',
  keywords: 'mcp server address, server manifest',
  tool: false,
  auth: ['none'],
  reply: { status: 200, contentType: SERVER_CARD_TYPE, schema: ServerCard },
  errors: ['MCP_DISABLED'],
  handle: async (call, context) => {
    if (!context.settings.get('mcp.enabled')) throw new Problem('MCP_DISABLED')
    sendDocument(call, await getSurface(context, 'mcp/server-card', renderServerCard), 3_600)
  },
})
