import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildChildEnvironment } from '../../../ops/config.ts'

const READY_TIMEOUT_MS = 120_000

/** The api or a worker as a process, started as an operator starts it. */
export interface Role extends AsyncDisposable {
  readonly pid: number
  /** Everything the process has written so far. */
  log(): string
  signal(name: NodeJS.Signals): void
  /** Kills the process without any clean-up. */
  kill(): Promise<void>
  /** Stops the process gracefully and returns its exit code. */
  stop(): Promise<number | null>
}

const SCRIPTS = {
  api: '../../../api/main.ts',
  worker: '../../../workers/main.ts',
  console: '../../../api/console/main.ts',
  embedder: '../../../ops/embedder/role.ts',
}

/** Resolves when the process reports that it is ready. */
export async function startRole(name: keyof typeof SCRIPTS, env: Record<string, string>): Promise<Role> {
  const child = fork(fileURLToPath(new URL(SCRIPTS[name], import.meta.url)), {
    execArgv: [],
    env: buildChildEnvironment({ NODE_COMPILE_CACHE: join(tmpdir(), 'coinop-test-compile-cache'), ...env }),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const output: Buffer[] = []
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk: Buffer) => output.push(chunk))
  const log = () => Buffer.concat(output).toString()
  await waitUntilReady(child, name, log)
  const kill = async () => {
    child.kill('SIGKILL')
    await waitForExit(child)
  }
  return {
    pid: child.pid!,
    log,
    signal: signal => void child.kill(signal),
    kill,
    stop: async () => {
      child.kill('SIGTERM')
      await waitForExit(child)
      return child.exitCode
    },
    [Symbol.asyncDispose]: kill,
  }
}

async function waitUntilReady(child: ChildProcess, name: string, log: () => string): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), READY_TIMEOUT_MS)
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  clearTimeout(timer)
  if ((message as { ready?: boolean } | null)?.ready !== true) throw new Error(`${name} was not ready:\n${log()}`)
}

async function waitForExit(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
