import { route } from '../../route.ts'
import { prepareDocument, sendDocument } from './schema.ts'

/** Addresses of people and of accounts, which no search engine should list. */
const PRIVATE = ['/dashboard', '/sign-in', '/objects/', '/mailbox/', '/sign/', '/verify/', '/v1/outputs/']

export default route({
  at: 'GET /robots.txt',
  summary: 'Get the rules for search engines: everything public may be read.',
  auth: ['none'],
  tool: false,
  reply: { status: 200, contentType: 'text/plain; charset=utf-8' },
  errors: [],
  hidden: true,
  handle: async (call, { config }) => {
    const lines = [
      'User-agent: *',
      ...PRIVATE.map(path => `Disallow: ${path}`),
      `Sitemap: ${config.publicUrl}/sitemap.xml`,
    ]
    sendDocument(call, await prepareDocument('text/plain; charset=utf-8', `${lines.join('\n')}\n`), 3_600)
  },
})
