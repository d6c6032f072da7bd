import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a temporary folder that is deleted after the test. */
export async function freshFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'coinop-test-'))
  // What the test has ended may write into it for a moment longer.
  const options = { recursive: true, force: true, maxRetries: 20 }
  return { path, [Symbol.asyncDispose]: () => rm(path, options) }
}
