import { sendProgram } from '../../../intake/reply/program.ts'
import { route } from '../../../route.ts'

const FILE = new URL('../assets/verify.mjs', import.meta.url)

export default route({
  at: 'GET /v1/contracts/verifier',
  summary: 'Download the program that checks the bundle of a contract. It is one file and needs only Node.',
  keywords: 'offline verifier, check a contract without the service',
  auth: ['none'],
  reply: { status: 200, contentType: 'text/javascript' },
  errors: [],
  handle: ({ reply }) => sendProgram(reply, FILE),
})
