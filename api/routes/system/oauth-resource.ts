import { Problem } from '#kit'
import { RESOURCE_PATHS, ResourceMetadata, renderResource } from '../../oauth/metadata.ts'
import { route } from '../../route.ts'
import { getSurface, sendDocument } from './schema.ts'

export default route({
  at: 'GET /.well-known/oauth-protected-resource',
  summary: 'Find the authorization server of the MCP server.',
  keywords: 'oauth discovery, protected resource',
  tool: false,
  auth: ['none'],
  reply: { status: 200, schema: ResourceMetadata },
  errors: ['NOT_FOUND'],
  handle: async (call, context) => {
    if (!context.settings.get('mcp.enabled')) throw new Problem('NOT_FOUND')
    sendDocument(call, await getSurface(context, 'oauth/resource', renderResource(RESOURCE_PATHS[0])), 3_600)
  },
})
