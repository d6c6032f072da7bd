import { type ChildProcess, execFile, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** One call, sent repeatedly with each key in turn. */
export interface Call {
  method?: 'GET' | 'POST'
  path: string
  /** A path of its own for each key, instead of the one path. */
  paths?: readonly string[]
  headers: Record<string, string>
  body: string | Uint8Array
  keys: readonly string[]
}

interface Load {
  clients: number
  seconds: number
  /** Calls a second, over as many connections; without it, each client sends its next call at once. */
  rate?: number
}

/** The outcome of sending one call repeatedly for some seconds. */
export interface Burst {
  calls: number
  seconds: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Unsuccessful answers and broken connections. */
  failed: number
}

export type Generator = 'wrk' | 'autocannon'
type BurstCounts = Omit<Burst, 'perSecond'>

const WRK_SCRIPT = fileURLToPath(new URL('wrk.lua', import.meta.url))
const AUTOCANNON_SCRIPT = fileURLToPath(new URL('autocannon.ts', import.meta.url))
const PACED_SCRIPT = fileURLToPath(new URL('paced.ts', import.meta.url))
const GRACE_MS = 60_000

/** wrk uses the least of the cores that it shares with the measured processes. */
export function findGenerator(): Generator {
  return spawnSync('wrk', ['--version'], { stdio: 'ignore' }).error ? 'autocannon' : 'wrk'
}

/** Keeps `clients` calls in flight for `seconds`, or sends them evenly at a `rate`, from a separate process. */
export async function sendBurst(generator: Generator, baseUrl: string, call: Call, load: Load): Promise<Burst> {
  const folder = await mkdtemp(join(tmpdir(), 'coinop-load-'))
  try {
    await writeCallFiles(folder, call)
    const url = baseUrl + call.path
    const counts = await chooseLoad(load.rate === undefined ? generator : 'paced')(url, folder, load)
    return { ...counts, perSecond: counts.calls / counts.seconds }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function writeCallFiles(folder: string, call: Call): Promise<void> {
  const { method = 'POST', path, headers, body, keys, paths = keys.map(() => path) } = call
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  await Promise.all([
    writeFile(join(folder, 'body'), body),
    writeFile(join(folder, 'headers'), lines.join('\n')),
    writeFile(join(folder, 'keys'), keys.join('\n')),
    writeFile(join(folder, 'paths'), paths.join('\n')),
    writeFile(join(folder, 'method'), method),
  ])
}

async function runWrk(url: string, folder: string, { clients, seconds }: Load): Promise<BurstCounts> {
  const args = ['-t1', `-c${clients}`, `-d${seconds}s`, '--timeout', '30s', '-s', WRK_SCRIPT, url, '--', folder]
  const { stdout } = await promisify(execFile)('wrk', args, { timeout: seconds * 1_000 + GRACE_MS })
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as BurstCounts
}

function chooseLoad(name: Generator | 'paced') {
  if (name === 'wrk') return runWrk
  const script = name === 'paced' ? PACED_SCRIPT : AUTOCANNON_SCRIPT
  return (url: string, folder: string, load: Load) =>
    receiveMessage<BurstCounts>(fork(script, [JSON.stringify({ url, folder, ...load })]))
}

/** Waits for the one message a child sends before it exits; a child that exits without one has failed. */
export async function receiveMessage<Answer>(child: ChildProcess): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  child.once('message', message => resolve(message as Answer))
  child.once('error', reject)
  child.once('exit', code => reject(new Error(`a load generator exited with ${code} without a result`)))
  const answer = await promise
  await waitForExit(child)
  return answer
}

export async function waitForExit(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
