import { QUEUED } from './calls.ts'
import type { Figure } from './figure.ts'
import { median } from './median.ts'
import { residentBytesOfTree } from './processor-time.ts'
import { photograph, textPdf } from './samples.ts'
import { checkStack, openStack, type Stack } from './stack.ts'

const CALLS = 5_000
const CLIENTS = 4
const WINDOWS = 10
/** Threads, children and the heap of each have grown to what the work needs by then. */
const WARM_UP_WINDOWS = 2
const LOOK_EVERY_MS = 200
const MEGABYTE = 1_000_000

/** Over a long mixed run the worker keeps the memory it has once it is warm. */
export default {
  id: 'P21',
  title: 'resident memory of the worker and all its children over 5,000 mixed calls',
  async measure({ home, pace, say }) {
    await using stack = await openStack(home, { accounts: CLIENTS })
    const orders = await mixedOrders()
    const calls = Math.max(WINDOWS * orders.length, Math.ceil(CALLS * pace.bulk))
    const windows: number[] = []
    for (let window = 0; window < WINDOWS; window++) {
      windows.push(await memoryOver(stack, orders, Math.ceil(calls / WINDOWS)))
      say(`${Math.round(((window + 1) * calls) / WINDOWS)} calls: ${Math.round(windows.at(-1)!)} MB`)
    }
    await checkStack(stack)
    const [warm, last] = [windows.slice(WARM_UP_WINDOWS, WARM_UP_WINDOWS + 2), windows.slice(-2)]
    return [
      {
        of: `worker's processes, last fifth over the third tenth of ${calls} calls`,
        unit: 'MB',
        ours: median(last),
        floor: median(warm),
        goal: { atMost: 1.1 },
        judged: 'ratio',
        limit: `pictures, documents, tables and texts by ${CLIENTS} clients; the first fifth is warm-up`,
        facts: { windows },
      },
    ]
  },
} satisfies Figure

interface Order {
  path: string
  type: string
  body: Buffer
}

/** What is resident in the middle of so many calls. */
async function memoryOver(stack: Stack, orders: readonly Order[], calls: number): Promise<number> {
  const looks: number[] = []
  const look = () => void looks.push(residentBytesOfTree(stack.workers[0]!.pid) / MEGABYTE)
  const timer = setInterval(look, LOOK_EVERY_MS)
  let next = 0
  const work = async (key: string) => {
    for (let turn = next++; turn < calls; turn = next++) await placeOrder(stack, key, orders[turn % orders.length]!)
  }
  await Promise.all(stack.keys.map(work))
  clearInterval(timer)
  look()
  return median(looks)
}

async function placeOrder(stack: Stack, key: string, { path, type, body }: Order): Promise<void> {
  const headers = { ...QUEUED, authorization: `Bearer ${key}`, 'content-type': type }
  const reply = await fetch(stack.baseUrl + path, { method: 'POST', headers, body: body as Uint8Array<ArrayBuffer> })
  const answer = await reply.text()
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${answer.slice(0, 300)}`)
}

async function mixedOrders(): Promise<Order[]> {
  const photo = await photograph()
  const pdf = textPdf(20, 'a report')
  const table = Buffer.from(`id,name,amount\n${rowsOf(8_000).join('\n')}\n`)
  const page = Buffer.from(`<h1>Amounts</h1><table>${rowsOf(2_000).map(rowOfTable).join('')}</table>`)
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

function rowsOf(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${at},name ${at % 997},${(at * 7919) % 10_007}`)
}

function rowOfTable(row: string): string {
  return `<tr><td>${row.replaceAll(',', '</td><td>')}</td></tr>`
}
