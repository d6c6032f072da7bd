import { readFile } from 'node:fs/promises'
import { route } from '../../../route.ts'

const FILE = new URL('../assets/verify.mjs', import.meta.url)

let program: Promise<Buffer> | undefined

export default route({
  at: 'GET /v1/contracts/verifier',
  summary: 'Download the program that checks the bundle of a contract. It is one file and needs only Node.',
  keywords: 'offline verifier, check a contract without the service',
  auth: ['none'],
  reply: { status: 200, contentType: 'text/javascript' },
  errors: [],
  async handle({ reply }) {
    program ??= readFile(FILE)
    reply
      .headers({
        'content-type': 'text/javascript; charset=utf-8',
        'content-disposition': 'attachment; filename="verify.mjs"',
        'cache-control': 'public, max-age=300',
      })
      .send(await program)
  },
})
