import { Problem } from '#kit'
import { route } from '../../route.ts'
import { renderServerCard, SERVER_CARD_TYPE, ServerCard } from '../../surfaces/mcp/server-card.ts'
import { getSurface, sendDocument } from './schema.ts'

export default route({
  at: 'GET /.well-known/mcp.json',
  summary: 'Find the MCP server: its server card, at the address where clients look for it.',
  keywords: 'find the mcp server, discovery',
  tool: false,
  auth: ['none'],
  reply: { status: 200, contentType: SERVER_CARD_TYPE, schema: ServerCard },
  errors: ['NOT_FOUND'],
  handle: async (call, context) => {
    if (!context.settings.get('mcp.enabled')) throw new Problem('NOT_FOUND')
    sendDocument(call, await getSurface(context, 'mcp/server-card', renderServerCard), 3_600)
  },
})
