import { Type } from 'typebox'
import { route } from '../../route.ts'
import { API_CATALOG_TYPE, renderApiCatalog } from '../../surfaces/discovery/api-catalog.ts'
import { getSurface, sendDocument } from './schema.ts'

const Links = Type.Optional(Type.Array(Type.Object({ href: Type.String(), type: Type.String() })))

export default route({
  at: 'GET /.well-known/api-catalog',
  summary: 'Find the descriptions, the documentation and the state of the APIs here, as links by RFC 9727.',
  keywords: 'service discovery, well-known links',
  tool: false,
  auth: ['none'],
  reply: {
    status: 200,
    contentType: API_CATALOG_TYPE,
    schema: Type.Object({
      linkset: Type.Array(
        Type.Object({
          anchor: Type.String(),
          'service-desc': Links,
          'service-doc': Links,
          'service-meta': Links,
          status: Links,
        }),
      ),
    }),
  },
  errors: [],
  handle: async (call, context) => {
    const hasMcp = context.settings.get('mcp.enabled')
    const catalog = getSurface(context, 'api-catalog', (_entries, options) => renderApiCatalog(options, hasMcp))
    call.reply.header('link', '</.well-known/api-catalog>; rel="api-catalog"')
    sendDocument(call, await catalog, 3_600)
  },
})
