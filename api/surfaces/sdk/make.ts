import { Worker } from 'node:worker_threads'
import type { Entry } from '#kit'
import type { PlainEntry } from './calls.ts'
import type { ClientPackages, ClientSettings } from './packages.ts'

/** Makes the packages in a thread, because that takes a second in which the api answers other calls. */
export function makeInThread(entries: readonly Entry[], settings: ClientSettings): Promise<ClientPackages> {
  return new Promise((resolve, reject) => {
    // Node warns that its function that takes types away may change.
    const execArgv = ['--disable-warning=ExperimentalWarning']
    const workerData = { entries: entries.map(toPlain), settings }
    const worker = new Worker(new URL('thread.ts', import.meta.url), { workerData, execArgv })
    worker.once('message', ({ version, npm, wheel }: ClientPackages) =>
      resolve({ version, npm: Buffer.from(npm), wheel: Buffer.from(wheel) }),
    )
    worker.once('error', reject)
    worker.once('exit', code => reject(new Error(`the thread that makes the client packages has ended with ${code}`)))
  })
}

/** What can be sent to a thread: no functions. */
function toPlain(entry: Entry): PlainEntry {
  const { price, ...plain } = entry
  return { ...plain, isPaid: price !== undefined }
}
