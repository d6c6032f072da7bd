import { Type } from 'typebox'
import { route } from '../../route.ts'
import { AI_CATALOG_TYPE, renderAiCatalog } from '../../surfaces/discovery/ai-catalog.ts'
import { getSurface, sendDocument } from './schema.ts'

const Entry = Type.Object({
  identifier: Type.String(),
  type: Type.String({ description: 'The media type of what the address has.' }),
  url: Type.String(),
  displayName: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  version: Type.String(),
})

export default route({
  at: 'GET /.well-known/ai-catalog.json',
  summary: 'Find what agents can use here: the MCP server and the REST API, as an AI catalog.',
  keywords: 'agent discovery, well-known catalog',
  tool: false,
  auth: ['none'],
  reply: {
    status: 200,
    contentType: AI_CATALOG_TYPE,
    schema: Type.Object({
      specVersion: Type.String(),
      host: Type.Object({
        displayName: Type.String(),
        identifier: Type.String(),
        documentationUrl: Type.String(),
      }),
      entries: Type.Array(Entry),
    }),
  },
  errors: [],
  handle: async (call, context) => {
    const hasMcp = context.settings.get('mcp.enabled')
    const catalog = getSurface(context, 'ai-catalog', (_entries, options) => renderAiCatalog(options, hasMcp))
    sendDocument(call, await catalog, 3_600)
  },
})
