import { readFile } from 'node:fs/promises'
import { route } from '../../../route.ts'

const FILE = new URL('../../../../ops/products/esigndoc/verify.mjs', import.meta.url)

export default route({
  at: 'GET /v1/esigndoc/verifier',
  summary: 'Download the program that checks the evidence of an envelope. It is one file and needs only Node.',
  keywords: 'offline verifier, check a signed document without the service',
  auth: ['none'],
  reply: { status: 200, contentType: 'text/javascript' },
  errors: [],
  async handle({ reply }) {
    const program = await readFile(FILE)
    reply
      .headers({
        'content-type': 'text/javascript; charset=utf-8',
        'content-disposition': 'attachment; filename="verify.mjs"',
        'cache-control': 'public, max-age=300',
      })
      .send(program)
  },
})
