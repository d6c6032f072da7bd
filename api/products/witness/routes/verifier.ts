import { sendProgram } from '../../../intake/reply/program.ts'
import { route } from '../../../route.ts'

const FILE = new URL('../../../../ops/products/witness/verify.mjs', import.meta.url)

export default route({
  at: 'GET /v1/witness/verifier',
  summary: 'Download the program that checks witnesses and receipts offline. It is one file and needs only Node.',
  keywords: 'offline verifier, check a receipt or a witness without the service',
  auth: ['none'],
  reply: { status: 200, contentType: 'text/javascript' },
  errors: [],
  handle: ({ reply }) => sendProgram(reply, FILE),
})
