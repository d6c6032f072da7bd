import { route } from '../../route.ts'
import { buildSitemap } from '../../surfaces/discovery/sitemap.ts'
import { getSurface, sendDocument } from './schema.ts'

export default route({
  at: 'GET /sitemap.xml',
  summary: 'Get the addresses of all public pages, for search engines.',
  auth: ['none'],
  tool: false,
  reply: { status: 200, contentType: 'application/xml; charset=utf-8' },
  errors: [],
  hidden: true,
  handle: async (call, context) => {
    const hasTrials = context.settings.get('trial.enabled')
    const document = await getSurface(context, 'sitemap.xml', (entries, { publicUrl }) => ({
      contentType: 'application/xml; charset=utf-8',
      text: buildSitemap(entries, publicUrl, { hasTrials }),
    }))
    sendDocument(call, document, 3_600)
  },
})
