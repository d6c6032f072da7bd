import { randomBytes } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findFreePort } from '../../../free-ports.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import type { Call } from '../../load/run.ts'
import { median } from '../../median.ts'
import { readProcessTime, readResidentBytes } from '../../processor-time.ts'
import { startRole } from '../../role.ts'
import { openStack, type Stack } from '../../stack.ts'
import { createBaton, liftQuotas } from './prepare.ts'

const OBJECT_BYTES = 50 * 2 ** 20
const MEGABYTE = 1_000_000
const SAMPLE_EVERY_MS = 50
const TRANSFERS_AT_ONCE = 4

/** Both servers move the same bytes between the network and a file; only their own processes are counted. */
export default {
  id: 'P41',
  title: 'processor time of the api for 50 MiB into and out of a baton, over a bare Node server that copies a file',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { accounts: 1, workers: 0 })
    const content = randomBytes(OBJECT_BYTES)
    const folder = await mkdtemp(join(bench.environment.folder, 'copy-'))
    const file = join(folder, 'file')
    await writeFile(file, content)
    const env = { PORT: String(await findFreePort()), FILE: file, FOLDER: folder }
    const bare = await startRole({ script: 'ops/bench/floor/copy.ts', env, logPath: stack.logPath })
    await using _bare = { [Symbol.asyncDispose]: () => bare.stop() }
    const download = await storeObject(stack, content)
    const floor = { baseUrl: `http://127.0.0.1:${env.PORT}`, pid: bare.pid }
    const ours = { baseUrl: stack.baseUrl, pid: stack.api.pid }
    const upload = () => openUpload(stack, content)
    return [
      buildReading('in', await measureInTurns(bench, [ours, floor], upload)),
      buildReading('out', await measureInTurns(bench, [ours, floor], () => download)),
      await measureMemory(stack, [upload, () => download]),
    ]
  },
} satisfies Figure

/** A form can be used once. */
type OpenCall = () => Promise<Call> | Call

interface Server {
  baseUrl: string
  pid: number
}

/** The processor time of one transfer in milliseconds, a value a round for each server; they take turns. */
async function measureInTurns({ profile }: Bench, servers: readonly Server[], open: OpenCall): Promise<number[][]> {
  const times: number[][] = servers.map(() => [])
  for (let round = -1; round < profile.rounds; round++) {
    for (const [index, { baseUrl, pid }] of servers.entries()) {
      const calls = [await open(), await open()]
      const before = readProcessTime(pid)
      for (const call of calls) await transfer(baseUrl, call)
      // The first round warms up.
      if (round >= 0) times[index]!.push(((readProcessTime(pid) - before) * 1_000) / calls.length)
    }
  }
  return times
}

async function transfer(baseUrl: string, { method = 'POST', path, headers, body, keys }: Call): Promise<void> {
  const sent = { method, headers: { ...headers, authorization: `Bearer ${keys[0]}` } }
  const reply = await fetch(baseUrl + path, method === 'POST' ? { ...sent, body: body as Buffer<ArrayBuffer> } : sent)
  let bytes = 0
  for await (const chunk of reply.body ?? []) bytes += (chunk as Uint8Array).length
  if (!reply.ok || (method === 'GET' && bytes !== OBJECT_BYTES)) throw new Error(`${path} answered ${reply.status}`)
}

const LIMITS = {
  in: 'the SHA-256 of what is stored, which the bare server does not compute',
  out: 'copying between the socket and the file, which both do',
}

/** The goal of 0.8 of the speed is 1.25 of the time. */
function buildReading(direction: keyof typeof LIMITS, [ours, floor]: number[][]): Reading {
  return {
    label: `50 MiB ${direction}`,
    unit: 'ms of CPU per call',
    ours: median(ours!),
    floor: median(floor!),
    goal: { atMost: 1.25 },
    judgedBy: 'ratio',
    limitedBy: LIMITS[direction],
    facts: { ours, floor },
  }
}

async function openUpload(stack: Stack, content: Buffer): Promise<Call & { id: string }> {
  const body = JSON.stringify({ preset: 'drop', tier: 'micro', requestPresignedUpload: true })
  const { id, upload: form } = await createBaton(stack, stack.keys[0]!, body)
  const request = new Request('http://x', { method: 'POST', body: fillForm(form.fields, content) })
  const headers = { 'Content-Type': request.headers.get('content-type')! }
  const bytes = Buffer.from(await request.arrayBuffer())
  return { id, path: new URL(form.url).pathname, keys: stack.keys, headers, body: bytes }
}

/** Uploads the object, and reads it once, which takes it over. */
async function storeObject(stack: Stack, content: Buffer): Promise<Call> {
  const upload = await openUpload(stack, content)
  await liftQuotas(stack)
  await transfer(stack.baseUrl, upload)
  const download: Call = { method: 'GET', path: `/v1/baton/${upload.id}`, keys: stack.keys, headers: {}, body: '' }
  await transfer(stack.baseUrl, download)
  return download
}

function fillForm(fields: Record<string, string>, content: Buffer): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([new Uint8Array(content)]), 'object')
  return form
}

/** The most memory that the api has in later transfers, over the most that it has in the first. */
async function measureMemory({ baseUrl, api }: Stack, opens: readonly OpenCall[]): Promise<Reading> {
  const peaks: number[] = []
  for (let window = 0; window < 4; window++) {
    let peak = 0
    const timer = setInterval(() => {
      peak = Math.max(peak, readResidentBytes(api.pid) / MEGABYTE)
    }, SAMPLE_EVERY_MS)
    for (const open of opens) {
      const transfers = Array.from({ length: TRANSFERS_AT_ONCE }, async () => transfer(baseUrl, await open()))
      await Promise.all(transfers)
    }
    clearInterval(timer)
    peaks.push(peak)
  }
  const [first, ...later] = peaks
  return {
    label: 'peak memory of the api in later transfers, 4 at a time',
    unit: 'MB',
    ours: Math.max(...later),
    floor: first!,
    goal: { atMost: 1.1 },
    judgedBy: 'ratio',
    limitedBy: 'the buffers of the streams',
    facts: { peaks },
  }
}
