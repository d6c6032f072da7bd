import { Problem } from '#kit'
import { RESOURCE_PATHS, ResourceMetadata, renderResource } from '../../oauth/metadata.ts'
import { route } from '../../route.ts'
import { getSurface, sendDocument } from './schema.ts'

export default route({
  at: 'GET /.well-known/oauth-protected-resource/*',
  summary: 'The same for the address of the MCP server that a client was given: `mcp`, `mcp/full` or `mcp/few`.',
  keywords: 'oauth discovery, protected resource',
  tool: false,
  auth: ['none'],
  reply: { status: 200, schema: ResourceMetadata },
  errors: ['NOT_FOUND'],
  handle: async (call, context) => {
    const { '*': rest } = call.request.params as { '*': string }
    const path = RESOURCE_PATHS.find(candidate => candidate === `/${rest}`)
    if (!path || !context.settings.get('mcp.enabled')) throw new Problem('NOT_FOUND')
    sendDocument(call, await getSurface(context, `oauth/resource${path}`, renderResource(path)), 3_600)
  },
})
