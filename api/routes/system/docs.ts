import type { ApiContext } from '../../context.ts'
import { route } from '../../route.ts'
import { type DocsAddress, renderDocs } from '../../surfaces/docs/address.ts'
import { getSurface, sendDocument } from './schema.ts'

/** Nothing is loaded from another host, and only files that the page's own script made are shown. */
const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  'frame-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export default route({
  at: 'GET /docs',
  summary: 'Get the API reference as web pages, with a form to try each call.',
  keywords: 'documentation, api reference, manual, try it',
  auth: ['none'],
  tool: false,
  reply: { status: 200, contentType: 'text/html; charset=utf-8' },
  errors: [],
  handle: (call, context) => sendDocsPage(call, context, { isMarkdown: false }),
})

export async function sendDocsPage(
  call: Parameters<typeof sendDocument>[0],
  context: ApiContext,
  address: DocsAddress,
): Promise<void> {
  const { family, name, isClients, howTo, isCurlOnly, isMarkdown } = address
  const contentType = isMarkdown ? 'text/markdown; charset=utf-8' : 'text/html; charset=utf-8'
  const subject = howTo === undefined ? (name ?? family ?? (isClients ? 'sdk' : '')) : `how-to/${howTo}`
  const key = `docs/${subject}${isCurlOnly ? '.curl' : ''}${isMarkdown ? '.md' : ''}`
  const page = await getSurface(context, key, (entries, options) => ({
    contentType,
    text: renderDocs(address, entries, options),
  }))
  call.reply.header('content-security-policy', DOCS_POLICY).header('referrer-policy', 'no-referrer')
  sendDocument(call, page, 60)
}
