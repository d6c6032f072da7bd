import type { Figure, Reading } from '../../figure.ts'
import { quantile } from '../../median.ts'
import { readResidentBytes } from '../../processor-time.ts'
import { openStack, type Stack } from '../../stack.ts'
import { openSender } from './requests.ts'

const WAITING = 1_000
const RELEASED = 200
const MEGABYTE = 1_000_000

type Send = ReturnType<typeof openSender>['send']

/** Every call waits at a barrier of its own; the floor of the memory is the api that has opened as many and holds none. */
export default {
  id: 'P81',
  title: '1,000 open long polls on one api process: memory, and from the release to the waiting caller',
  async measure({ environment }) {
    await using stack = await openStack(environment, { workers: 0, accounts: 1 })
    using sender = openSender(stack, 0)
    const { send } = sender
    await openBarriers(send)
    const before = readMegabytes(stack)
    const waiting = await waitAtAll(send)
    const after = readMegabytes(stack)
    const latencies: number[] = []
    for (let index = 0; index < RELEASED; index++) latencies.push(await release(send, index, waiting[index]!))
    await Promise.all(waiting.slice(RELEASED).map((answer, index) => release(send, RELEASED + index, answer)))
    const sorted = latencies.toSorted((a, b) => a - b)
    return [
      buildReading(
        'memory of 1,000 waits',
        'MB',
        after - before,
        before,
        100,
        'a connection, a request and a timer each',
      ),
      buildReading(
        'release to waiting caller, p99',
        'ms',
        quantile(sorted, 0.99),
        quantile(sorted, 0.5),
        100,
        'the floor is the median; both include the call that releases',
      ),
    ]
  },
} satisfies Figure

async function openBarriers(send: Send): Promise<void> {
  for (let start = 0; start < WAITING; start += 50) {
    const batch = Array.from({ length: 50 }, (_, index) => send('POST', `barriers/b-${start + index}`, { parties: 2 }))
    for (const { status, body } of await Promise.all(batch))
      if (status !== 201) throw new Error(`a barrier was not opened: ${JSON.stringify(body)}`)
  }
}

/** Begins to wait at each, and resolves when all have arrived there. */
async function waitAtAll(send: Send) {
  const waiting = Array.from({ length: WAITING }, (_, index) =>
    send('POST', `barriers/b-${index}/arrive`, { member: 'waiting', waitSec: 55 }),
  )
  const hasArrived = async (index: number) => (await send('GET', `barriers/b-${index}`)).body.arrived === 1
  for (let index = 0; index < WAITING; ) if (await hasArrived(index)) index++
  return waiting
}

/** Returns the milliseconds from the call that releases to the answer of the one that waits. */
async function release(send: Send, index: number, waiting: ReturnType<Send>): Promise<number> {
  const startedAt = performance.now()
  const last = send('POST', `barriers/b-${index}/arrive`, { member: 'last' })
  const { body } = await waiting
  const ms = performance.now() - startedAt
  if (body.state !== 'released') throw new Error(`a wait ended otherwise: ${JSON.stringify(body)}`)
  await last
  return ms
}

function readMegabytes({ api }: Stack): number {
  return readResidentBytes(api.pid) / MEGABYTE
}

function buildReading(
  label: string,
  unit: string,
  ours: number,
  floor: number,
  atMost: number,
  limitedBy: string,
): Reading {
  return { label, unit, ours, floor, goal: { atMost }, judgedBy: 'ours', limitedBy }
}
