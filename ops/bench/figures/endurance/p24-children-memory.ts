import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { JSON_HEADERS } from '../../calls.ts'
import type { Figure, Reading } from '../../figure.ts'
import { median } from '../../median.ts'
import { listTree, readResidentBytesIfAlive } from '../../processor-time.ts'
import { createTextPdf } from '../../samples.ts'
import { openStack, requireNoFailedJobs, type Stack, storeUpload } from '../../stack.ts'

const CALLS = 2_000
const CLIENTS = 2
const WINDOWS = 10
/** By then the threads, the children and their heaps have grown to the size that the work needs. */
const WARM_UP_WINDOWS = 2
const SAMPLE_EVERY_MS = 250
const MEGABYTE = 1_000_000
const SAMPLES = fileURLToPath(new URL('../../../../tasks/samples/', import.meta.url))

/** Whatever a child is kept for, it must not grow with the number of calls. */
export default {
  id: 'P24',
  title: 'resident memory of each kind of process of the worker over 2,000 calls of all families',
  async measure({ environment, profile, log }) {
    await using stack = await openStack(environment, { accounts: 1 })
    const calls = await buildCalls(stack)
    const count = Math.max(WINDOWS * calls.length, Math.ceil(CALLS * profile.bulk))
    const windows: Sizes[] = []
    for (let window = 0; window < WINDOWS; window++) {
      windows.push(await measureWindow(stack, calls, Math.ceil(count / WINDOWS)))
      const sizes = Object.entries(windows.at(-1)!).map(([kind, size]) => `${kind} ${Math.round(size)}`)
      log(`${Math.round(((window + 1) * count) / WINDOWS)} calls: ${sizes.join(', ')} MB`)
    }
    await requireNoFailedJobs(stack)
    return buildReadings(windows, count)
  },
} satisfies Figure

/** The largest process of each kind, in MB. */
type Sizes = Record<string, number>

/** A process that is not there at both ends, because it is replaced after some calls, is not compared. */
function buildReadings(windows: readonly Sizes[], count: number): Reading[] {
  const [warm, last] = [windows.slice(WARM_UP_WINDOWS, WARM_UP_WINDOWS + 3), windows.slice(-3)]
  const kinds = Object.keys(warm[0]!).filter(kind => [...warm, ...last].every(sizes => sizes[kind] !== undefined))
  return kinds.map(kind => ({
    label: `${kind}, last three tenths over the third to the fifth of ${count} calls`,
    unit: 'MB',
    ours: median(last.map(sizes => sizes[kind]!)),
    floor: median(warm.map(sizes => sizes[kind]!)),
    goal: { atMost: 1.1 },
    judgedBy: 'ratio',
    limitedBy: `calls of all families by ${CLIENTS} clients; the first fifth is warm-up`,
    facts: { windows: windows.map(sizes => sizes[kind]) },
  }))
}

interface MixedCall {
  path: string
  body: object
}

/** The median of the samples in which a kind was there. */
async function measureWindow(stack: Stack, calls: readonly MixedCall[], count: number): Promise<Sizes> {
  const samples = new Map<string, number[]>()
  const takeSample = () => {
    for (const [kind, size] of readSizes(stack.workers[0]!.pid)) samples.set(kind, [...(samples.get(kind) ?? []), size])
  }
  const timer = setInterval(takeSample, SAMPLE_EVERY_MS)
  let next = 0
  const work = async () => {
    for (let index = next++; index < count; index = next++) await sendCall(stack, calls[index % calls.length]!)
  }
  await Promise.all(Array.from({ length: CLIENTS }, work))
  clearInterval(timer)
  takeSample()
  return Object.fromEntries([...samples].map(([kind, sizes]) => [kind, median(sizes)]))
}

/** Programs that end with the call that starts them are of no kind. */
function readSizes(worker: number): Map<string, number> {
  const sizes = new Map<string, number>()
  for (const pid of listTree(worker)) {
    const kind = pid === worker ? 'worker' : findKind(readCommand(pid))
    const size = readResidentBytesIfAlive(pid) / MEGABYTE
    if (kind && size > 0) sizes.set(kind, Math.max(size, sizes.get(kind) ?? 0))
  }
  return sizes
}

/** Empty if the process has ended. */
function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

function findKind(command: string): string | undefined {
  const engine = /native\/entry\.ts (\S+)/.exec(command)?.[1]
  if (engine) return `engine ${engine}`
  if (command.includes('programs/launcher.ts')) return 'launcher of programs'
  if (command.includes('/starter.pl')) return 'sandbox of programs'
  return command.includes('--remote-debugging-pipe') ? 'browser' : undefined
}

async function sendCall(stack: Stack, { path, body }: MixedCall): Promise<void> {
  const headers = { ...JSON_HEADERS, Prefer: 'respond-async, wait=25', authorization: `Bearer ${stack.keys[0]}` }
  const reply = await fetch(stack.baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = await reply.text()
  if (reply.status > 202) throw new Error(`${path} answered ${reply.status}: ${answer.slice(0, 300)}`)
}

async function buildCalls(stack: Stack): Promise<MixedCall[]> {
  const store = async (bytes: Uint8Array, type: string) => ({
    inputKey: await storeUpload(stack, stack.accounts[0]!, bytes, type),
  })
  const storeSample = async (name: string, type: string) => store(await readFile(SAMPLES + name), type)
  const rows = Array.from({ length: 2_000 }, (_, at) => `${at},name ${at % 97},${(at * 7919) % 10_007}`)
  const table = await store(Buffer.from(`id,name,amount\n${rows.join('\n')}\n`), 'text/csv')
  const recording = await storeSample('captioned.mkv', 'video/x-matroska')
  const image = await storeSample('gradient.png', 'image/png')
  const pdf = await store(createTextPdf(10, 'A report'), 'application/pdf')
  const bars = Array.from({ length: 9 }, (_, at) => ({ city: `City ${at}`, rain: at * 7 }))
  const sums = 'SELECT name, sum(amount) AS total FROM input GROUP BY name'
  return [
    { path: '/v1/data/filter', body: { file: table, where: { column: 'amount', op: 'gt', value: 500 } } },
    { path: '/v1/data/sql', body: { file: table, sql: sums } },
    { path: '/v1/media/probe', body: { file: recording } },
    { path: '/v1/image/resize', body: { file: image, width: 100 } },
    { path: '/v1/pdf/rotate', body: { file: pdf, degrees: '90' } },
    { path: '/v1/pdf/render', body: { file: pdf, pages: '1', dpi: 72 } },
    { path: '/v1/pdf/from-html', body: { html: '<h1>Wind</h1><p>North-west' } },
    { path: '/v1/generate/chart', body: { type: 'bar', data: { rows: bars }, x: 'city', y: 'rain' } },
    { path: '/v1/generate/identicon', body: { value: 'ada@example.com' } },
    { path: '/v1/doc/convert', body: { text: '# Wind\n\nNorth-west, *force 6*.', from: 'markdown', to: 'html' } },
  ]
}
