import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { InProcessApi } from '../stack/in-process-api.ts'

const run = promisify(execFile)

/** The program that checks bundles, in a folder with nothing else, run by Node without an environment. */
export async function openVerifier({ app }: InProcessApi) {
  const folder = await mkdtemp(join(tmpdir(), 'verify-'))
  const program = await app.inject({ url: '/v1/contracts/verifier' })
  await writeFile(join(folder, 'verify.mjs'), program.rawPayload)
  return {
    /** What it prints: of a bundle that is wrong, what is wrong with it. */
    async verify(bundle: string, keys?: string): Promise<string> {
      await writeFile(join(folder, 'bundle.json'), bundle)
      if (keys !== undefined) await writeFile(join(folder, 'keys.json'), keys)
      const files = ['bundle.json', ...(keys === undefined ? [] : ['keys.json'])]
      const ran = run(process.execPath, ['verify.mjs', ...files], { cwd: folder, env: {} })
      return ran.then(
        ({ stdout }) => stdout,
        (error: { stderr: string }) => error.stderr,
      )
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}
