import { createHash } from 'node:crypto'
import { Problem } from '#kit'
import { route } from '../../route.ts'
import { makeBundle } from '../../surfaces/mcp/bundle/make.ts'
import { version } from '../../surfaces/state.ts'
import { sendDocument } from './schema.ts'

export default route({
  at: 'GET /coinop.mcpb',
  summary: 'Download a bundle that adds this service to a desktop client of MCP, with tools for local files.',
  keywords: 'mcpb, mcp bundle, desktop extension, claude desktop, install mcp server, dxt',
  description:
    'Open it with the client. It asks for an API key and for the folders whose files may be read and written.',
  tool: false,
  auth: ['none'],
  reply: { status: 200, contentType: 'application/zip' },
  errors: ['MCP_DISABLED'],
  handle: async (call, { config, settings, store }) => {
    if (!settings.get('mcp.enabled')) throw new Problem('MCP_DISABLED')
    const { publicUrl } = config
    const { origin } = new URL(await store.presignGet('outputs/any', { expiresInSeconds: 60 }))
    const fileOrigins = [origin].filter(each => each !== new URL(publicUrl).origin)
    const plain = await makeBundle({ publicUrl, version, fileOrigins })
    const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
    call.reply.header('content-disposition', 'attachment; filename="coinop.mcpb"')
    sendDocument(call, { contentType: 'application/zip', plain, etag }, 300)
  },
})
