import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { DaemonKind } from '../../daemons/kind.ts'
import type { Daemon } from '../../daemons/process.ts'

// Decision 0104: keep LibreOffice warm behind a Python listener.

export interface Office {
  folder: string
  uid: number
  /** Sends a request and waits for its answer. There is one at a time. */
  ask(request: object): Promise<unknown>
}

const LISTENER = fileURLToPath(new URL('./listener.py', import.meta.url))
/** LibreOffice's own settings lie here on Debian. */
const SETTINGS = ['/etc/libreoffice', '/var/lib/libreoffice']

/**
 * LibreOffice leaks and grows, so it is replaced after 200 documents or with 1 GB. Its profile is in the folder of its
 * process, so that no two ever share one.
 */
export const OFFICE: DaemonKind<Office> = {
  name: 'libreoffice',
  command: ({ home }) => ({ program: '/usr/bin/python3', args: ['-B', LISTENER, `${home}/profile`] }),
  visible: () => [dirname(LISTENER), ...SETTINGS.filter(path => existsSync(path))],
  async open(daemon) {
    const office = createOffice(daemon)
    await office.ask({})
    return office
  },
  reset: async () => undefined,
  startTimeoutMs: 60_000,
  // A broken installation would let every call wait for a start that fails.
  pause: { firstMs: 10_000, maxMs: 300_000 },
  maxCalls: 200,
  memoryMb: 2048,
  recycleMb: 1024,
}

/** The first line says that it is ready; an empty request asks for that. */
function createOffice(daemon: Daemon): Office {
  const waiting: ((answer: unknown) => void)[] = []
  const early: unknown[] = []
  createInterface({ input: daemon.output }).on('line', line => {
    const answer: unknown = JSON.parse(line)
    const resolve = waiting.shift()
    if (resolve) resolve(answer)
    else early.push(answer)
  })
  const { folder, uid } = daemon
  return {
    folder,
    uid,
    ask(request) {
      if (Object.keys(request).length > 0) daemon.input.write(`${JSON.stringify(request)}\n`)
      if (early.length > 0) return Promise.resolve(early.shift())
      return new Promise(resolve => waiting.push(resolve))
    },
  }
}
