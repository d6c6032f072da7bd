import { readFileSync } from 'node:fs'
import { sendProgram } from '../../../intake/reply/program.ts'
import { route } from '../../../route.ts'

const IMPORT = /^import .* from '.\/recover.mjs'$/m

export default route({
  at: 'GET /v1/contracts/verifier',
  summary: 'Download the program that checks the bundle of a contract. It is one file and needs only Node.',
  keywords: 'offline verifier, check a contract without the service',
  auth: ['none'],
  reply: { status: 200, contentType: 'text/javascript' },
  errors: [],
  handle: ({ reply }) => sendProgram(reply, readProgram()),
})

/** The program has one part in a file of its own, which stands where it is imported: what is sent is one file. */
function readProgram(): string {
  const [program, part] = ['verify', 'recover'].map(readAsset)
  return program!.replace(IMPORT, () => part!.trimEnd())
}

function readAsset(name: string): string {
  return readFileSync(new URL(`../assets/${name}.mjs`, import.meta.url), 'utf8')
}
