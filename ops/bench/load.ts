import { type ChildProcess, execFile, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** One call, made again and again under each key in turn. */
export interface Call {
  path: string
  headers: Record<string, string>
  body: string | Uint8Array
  keys: readonly string[]
}

export interface Load {
  clients: number
  seconds: number
}

export interface Volley {
  calls: number
  seconds: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Answers other than success, and connections that broke. */
  failed: number
}

export type Generator = 'wrk' | 'autocannon'
type Counted = Omit<Volley, 'perSecond'>

const SCRIPT = fileURLToPath(new URL('wrk.lua', import.meta.url))
const AUTOCANNON = fileURLToPath(new URL('load-autocannon.ts', import.meta.url))
const GRACE_MS = 60_000

/** wrk takes the least of the cores it shares with what it measures. */
export function findGenerator(): Generator {
  return spawnSync('wrk', ['--version'], { stdio: 'ignore' }).error ? 'autocannon' : 'wrk'
}

/** Keeps so many calls in flight for so long, from a process of its own. */
export async function fire(generator: Generator, baseUrl: string, call: Call, load: Load): Promise<Volley> {
  const folder = await mkdtemp(join(tmpdir(), 'coinop-load-'))
  try {
    await writeCall(folder, call)
    const url = baseUrl + call.path
    const counted = await (generator === 'wrk' ? byWrk(url, folder, load) : byAutocannon(url, folder, load))
    return { ...counted, perSecond: counted.calls / counted.seconds }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function writeCall(folder: string, { headers, body, keys }: Call): Promise<void> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  await Promise.all([
    writeFile(join(folder, 'body'), body),
    writeFile(join(folder, 'headers'), lines.join('\n')),
    writeFile(join(folder, 'keys'), keys.join('\n')),
  ])
}

async function byWrk(url: string, folder: string, { clients, seconds }: Load): Promise<Counted> {
  const args = ['-t1', `-c${clients}`, `-d${seconds}s`, '--timeout', '30s', '-s', SCRIPT, url, '--', folder]
  const { stdout } = await promisify(execFile)('wrk', args, { timeout: seconds * 1_000 + GRACE_MS })
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Counted
}

async function byAutocannon(url: string, folder: string, load: Load): Promise<Counted> {
  const child = fork(AUTOCANNON, [JSON.stringify({ url, folder, ...load })])
  return answerOf<Counted>(child)
}

/** The one message a child sends before it ends; a child that ends without one has failed. */
export async function answerOf<Answer>(child: ChildProcess): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  child.once('message', message => resolve(message as Answer))
  child.once('error', reject)
  child.once('exit', code => reject(new Error(`a load generator ended with ${code} and said nothing`)))
  const answer = await promise
  await ended(child)
  return answer
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
