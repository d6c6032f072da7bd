import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../ops/config.ts'

const READY_WITHIN_MS = 30_000

/** The api or a worker as a process of its own, as an operator runs it. */
export interface Role extends AsyncDisposable {
  readonly pid: number
  /** All it has written so far. */
  log(): string
  signal(name: NodeJS.Signals): void
  /** Ends it at once, with nothing tidied up. */
  kill(): Promise<void>
  /** Asks it to stop in good order; gives its exit code. */
  stop(): Promise<number | null>
}

const SCRIPTS = { api: '../../api/main.ts', worker: '../../workers/main.ts' }

/** Resolves when the process says that it is ready. */
export async function startRole(name: keyof typeof SCRIPTS, env: Record<string, string>): Promise<Role> {
  const child = fork(fileURLToPath(new URL(SCRIPTS[name], import.meta.url)), {
    execArgv: [],
    env: childEnvironment({ NODE_COMPILE_CACHE: join(tmpdir(), 'coinop-test-compile-cache'), ...env }),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const said: Buffer[] = []
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk: Buffer) => said.push(chunk))
  const log = () => Buffer.concat(said).toString()
  await readiness(child, name, log)
  const kill = async () => {
    child.kill('SIGKILL')
    await ended(child)
  }
  return {
    pid: child.pid!,
    log,
    signal: signal => void child.kill(signal),
    kill,
    stop: async () => {
      child.kill('SIGTERM')
      await ended(child)
      return child.exitCode
    },
    [Symbol.asyncDispose]: kill,
  }
}

async function readiness(child: ChildProcess, name: string, log: () => string): Promise<void> {
  const late = setTimeout(() => child.kill('SIGKILL'), READY_WITHIN_MS)
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  clearTimeout(late)
  if ((message as { ready?: boolean } | null)?.ready !== true) throw new Error(`${name} was not ready:\n${log()}`)
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
