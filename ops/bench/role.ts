import { type ChildProcess, fork } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { waitForExit } from './load/run.ts'

/** One process of the service, started the same way as by `npm start`. */
export interface Role {
  pid: number
  /** From the launch until it reported that it is ready. */
  readyMs: number
  stop(): Promise<void>
}

export interface RoleOptions {
  script:
    | 'api/main.ts'
    | 'workers/main.ts'
    | 'ops/bench/floor/copy.ts'
    | 'ops/bench/floor/server.ts'
    | 'ops/bench/floor/static.ts'
    | 'ops/bench/peers/server.ts'
    | 'ops/bench/peers/x402-server.ts'
  env: Record<string, string>
  logPath: string
}

const ROOT = new URL('../../', import.meta.url)
const STOP_TIMEOUT_MS = 12_000

/** The role stops when this process is gone, for whatever reason, because it watches its IPC channel. */
export async function startRole({ script, env, logPath }: RoleOptions): Promise<Role> {
  const log = openSync(logPath, 'a')
  const startedAt = performance.now()
  const child = fork(fileURLToPath(new URL(script, ROOT)), {
    env: { ...buildCleanEnvironment(), ...env },
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  await waitUntilReady(child, script, logPath)
  return { pid: child.pid!, readyMs: performance.now() - startedAt, stop: () => stopChild(child) }
}

/** Variables of the service in the operator's shell must not affect the measurement. */
export function buildCleanEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '/', LANG = 'C.UTF-8', TMPDIR } = process.env
  return { PATH, HOME, LANG, ...(TMPDIR ? { TMPDIR } : {}) }
}

function waitUntilReady(child: ChildProcess, script: string, logPath: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  child.once('message', () => resolve())
  child.once('error', reject)
  child.once('exit', code => {
    const lastLines = readFileSync(logPath, 'utf8').trim().split('\n').slice(-5).join('\n')
    reject(new Error(`${script} exited with ${code} before it was ready:\n${lastLines}`))
  })
  return promise
}

async function stopChild(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await waitForExit(child)
  clearTimeout(timer)
}
