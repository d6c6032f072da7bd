import { Type } from 'typebox'
import { Problem } from '#kit'
import { renderAuthorizationServer } from '../../oauth/metadata.ts'
import { route } from '../../route.ts'
import { getSurface, sendDocument } from './schema.ts'

export default route({
  at: 'GET /.well-known/oauth-authorization-server',
  summary: 'Learn how an MCP client gets a token that its user approves (OAuth 2.1).',
  keywords: 'oauth discovery, authorization server, token endpoint',
  tool: false,
  auth: ['none'],
  reply: { status: 200, schema: Type.Object({ issuer: Type.String() }, { additionalProperties: true }) },
  errors: ['NOT_FOUND'],
  handle: async (call, context) => {
    if (!context.settings.get('mcp.enabled')) throw new Problem('NOT_FOUND')
    sendDocument(call, await getSurface(context, 'oauth/server', renderAuthorizationServer), 3_600)
  },
})
