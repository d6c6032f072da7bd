import { route } from '../../route.ts'
import { DOCS_POLICY, renderDocsPage } from '../../surfaces/docs/page.ts'
import { prepareDocument, sendDocument, version } from './schema.ts'

const page = prepareDocument('text/html; charset=utf-8', renderDocsPage(version))

export default route({
  at: 'GET /docs',
  summary: 'Get the API reference as a web page, with a form to try each call.',
  auth: ['none'],
  reply: { status: 200, contentType: 'text/html; charset=utf-8' },
  errors: [],
  handle: async call => {
    // The addresses in the page are relative to a path without a trailing slash.
    if (call.request.url.split('?')[0]!.endsWith('/')) return void call.reply.redirect('../docs', 308)
    call.reply.header('content-security-policy', DOCS_POLICY).header('referrer-policy', 'no-referrer')
    sendDocument(call, await page, 300)
  },
})
