import { sendProgram } from '../../../intake/reply/program.ts'
import { route } from '../../../route.ts'

const FILE = new URL('../../../../ops/products/esigndoc/verify.mjs', import.meta.url)

export default route({
  at: 'GET /v1/esigndoc/verifier',
  summary: 'Download the program that checks the evidence of an envelope. It is one file and needs only Node.',
  keywords: 'offline verifier, check a signed document without the service',
  auth: ['none'],
  reply: { status: 200, contentType: 'text/javascript' },
  errors: [],
  handle: ({ reply }) => sendProgram(reply, FILE),
})
