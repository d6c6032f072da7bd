import { type ChildProcess, fork } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ended } from './load.ts'

/** One process of the service, started as `npm start` starts it. */
export interface Role {
  pid: number
  /** From the launch to the word that it is ready. */
  readyMs: number
  stop(): Promise<void>
}

export interface RoleOptions {
  script: 'api/main.ts' | 'workers/main.ts' | 'ops/bench/floor-server.ts'
  env: Record<string, string>
  logPath: string
}

const ROOT = new URL('../../', import.meta.url)
const STOP_WITHIN_MS = 12_000

/** Whatever runs is ended with this process, however it ends: a role stops when its parent is gone. */
export async function startRole({ script, env, logPath }: RoleOptions): Promise<Role> {
  const log = openSync(logPath, 'a')
  const begun = performance.now()
  const child = fork(fileURLToPath(new URL(script, ROOT)), {
    env: { ...cleanEnvironment(), ...env },
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  await untilReady(child, script, logPath)
  return { pid: child.pid!, readyMs: performance.now() - begun, stop: () => stopChild(child) }
}

/** The shell's own settings of the service must not reach into the measurement. */
function cleanEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '/', LANG = 'C.UTF-8', TMPDIR } = process.env
  return { PATH, HOME, LANG, ...(TMPDIR ? { TMPDIR } : {}) }
}

function untilReady(child: ChildProcess, script: string, logPath: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  child.once('message', () => resolve())
  child.once('error', reject)
  child.once('exit', code => {
    const said = readFileSync(logPath, 'utf8').trim().split('\n').slice(-5).join('\n')
    reject(new Error(`${script} ended with ${code} before it was ready:\n${said}`))
  })
  return promise
}

async function stopChild(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
  await ended(child)
  clearTimeout(timer)
}
