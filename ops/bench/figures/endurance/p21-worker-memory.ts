import { QUEUED_HEADERS } from '../../calls.ts'
import type { Figure } from '../../figure.ts'
import { median } from '../../median.ts'
import { readTreeResidentBytes } from '../../processor-time.ts'
import { createPhotograph, createTextPdf } from '../../samples.ts'
import { openStack, requireNoFailedJobs, type Stack } from '../../stack.ts'

const CALLS = 5_000
const CLIENTS = 4
const WINDOWS = 10
/** By then the threads, the children and their heaps have grown to the size that the work needs. */
const WARM_UP_WINDOWS = 2
const SAMPLE_EVERY_MS = 200
const MEGABYTE = 1_000_000

/** Over a long mixed run, a warm worker must not use more memory. */
export default {
  id: 'P21',
  title: 'resident memory of the worker and all its children over 5,000 mixed calls',
  async measure({ environment, profile, log }) {
    await using stack = await openStack(environment, { accounts: CLIENTS })
    const mixedCalls = await buildMixedCalls()
    const calls = Math.max(WINDOWS * mixedCalls.length, Math.ceil(CALLS * profile.bulk))
    const windows: number[] = []
    for (let window = 0; window < WINDOWS; window++) {
      windows.push(await measureMemory(stack, mixedCalls, Math.ceil(calls / WINDOWS)))
      log(`${Math.round(((window + 1) * calls) / WINDOWS)} calls: ${Math.round(windows.at(-1)!)} MB`)
    }
    await requireNoFailedJobs(stack)
    const [warm, last] = [windows.slice(WARM_UP_WINDOWS, WARM_UP_WINDOWS + 2), windows.slice(-2)]
    return [
      {
        label: `worker's processes, last fifth over the third tenth of ${calls} calls`,
        unit: 'MB',
        ours: median(last),
        floor: median(warm),
        goal: { atMost: 1.1 },
        judgedBy: 'ratio',
        limitedBy: `images, documents, tables and texts by ${CLIENTS} clients; the first fifth is warm-up`,
        facts: { windows },
      },
    ]
  },
} satisfies Figure

interface MixedCall {
  path: string
  type: string
  body: Buffer
}

/** The median resident memory, in MB, during `calls` calls. */
async function measureMemory(stack: Stack, mixedCalls: readonly MixedCall[], calls: number): Promise<number> {
  const samples: number[] = []
  const takeSample = () => void samples.push(readTreeResidentBytes(stack.workers[0]!.pid) / MEGABYTE)
  const timer = setInterval(takeSample, SAMPLE_EVERY_MS)
  let next = 0
  const work = async (key: string) => {
    for (let index = next++; index < calls; index = next++)
      await sendCall(stack, key, mixedCalls[index % mixedCalls.length]!)
  }
  await Promise.all(stack.keys.map(work))
  clearInterval(timer)
  takeSample()
  return median(samples)
}

async function sendCall(stack: Stack, key: string, { path, type, body }: MixedCall): Promise<void> {
  const headers = { ...QUEUED_HEADERS, authorization: `Bearer ${key}`, 'content-type': type }
  const reply = await fetch(stack.baseUrl + path, { method: 'POST', headers, body: body as Uint8Array<ArrayBuffer> })
  const answer = await reply.text()
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${answer.slice(0, 300)}`)
}

async function buildMixedCalls(): Promise<MixedCall[]> {
  const photo = await createPhotograph()
  const pdf = createTextPdf(20, 'a report')
  const table = Buffer.from(`id,name,amount\n${buildRows(8_000).join('\n')}\n`)
  const page = Buffer.from(`<h1>Amounts</h1><table>${buildRows(2_000).map(toHtmlRow).join('')}</table>`)
  return [
    { path: '/v1/image/resize?width=400&format=webp', type: 'image/jpeg', body: photo },
    { path: '/v1/pdf/rotate?degrees=90', type: 'application/pdf', body: pdf },
    { path: '/v1/csv/convert?to=json', type: 'text/csv', body: table },
    { path: '/v1/text/html-to-text', type: 'text/html', body: page },
    { path: '/v1/image/dominant-color', type: 'image/jpeg', body: photo },
    { path: '/v1/pdf/extract-text', type: 'application/pdf', body: pdf },
    { path: '/v1/csv/dedupe', type: 'text/csv', body: table },
    { path: '/v1/text/count', type: 'text/plain', body: table },
  ]
}

function buildRows(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${at},name ${at % 997},${(at * 7919) % 10_007}`)
}

function toHtmlRow(row: string): string {
  return `<tr><td>${row.replaceAll(',', '</td><td>')}</td></tr>`
}
