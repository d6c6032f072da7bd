import { route } from '../../route.ts'
import { DOCS_POLICY, docsPage } from '../../surfaces/docs.ts'
import { documentOf, sendDocument, version } from './document-shape.ts'

const page = documentOf('text/html; charset=utf-8', docsPage(version))

export default route({
  at: 'GET /docs',
  summary: 'The reference as a page, with a form to try each call.',
  auth: ['none'],
  reply: { status: 200, contentType: 'text/html; charset=utf-8' },
  errors: [],
  handle: async asked => {
    // The addresses in the page are relative to one without a slash at its end.
    if (asked.request.url.split('?')[0]!.endsWith('/')) return void asked.reply.redirect('../docs', 308)
    asked.reply.header('content-security-policy', DOCS_POLICY).header('referrer-policy', 'no-referrer')
    sendDocument(asked, await page, 300)
  },
})
