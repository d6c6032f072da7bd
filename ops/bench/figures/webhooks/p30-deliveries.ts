import type { Bench, Figure, Reading } from '../../figure.ts'
import { quantile } from '../../median.ts'
import { openStack, type Stack } from '../../stack.ts'
import {
  type BenchReceiver,
  emitEvents,
  openReceiver,
  registerEndpoints,
  WEBHOOK_STACK,
  waitForArrivals,
} from './endpoints.ts'

const ENDPOINTS = 64
const EVENTS_PER_ENDPOINT = 200
const PACED_EVENTS = 500
const PACE_MS = 20

export default {
  id: 'P30',
  title: 'webhook deliveries per second to a fast receiver, and the delay from an event to its arrival',
  async measure({ environment, profile }: Bench) {
    await using stack = await openStack(environment, WEBHOOK_STACK)
    await using receiver = await openReceiver()
    const targets = await registerEndpoints(stack, `${receiver.url}/fast`, ENDPOINTS)
    const rate = await measureRate(
      stack,
      receiver,
      targets,
      Math.ceil(EVENTS_PER_ENDPOINT * Math.min(1, profile.bulk * 10)),
    )
    const delayMs = await measureDelay(
      stack,
      receiver,
      targets,
      Math.ceil(PACED_EVENTS * Math.min(1, profile.bulk * 10)),
    )
    const limitedBy = 'one worker process and the receiver, which runs in the process that measures'
    return [
      build({ label: 'throughput', unit: 'deliveries/s', ours: rate, goal: { atLeast: 300 }, limitedBy }),
      build({ label: 'delay p99', unit: 'ms', ours: delayMs, goal: { atMost: 250 }, limitedBy }),
    ]
  },
} satisfies Figure

function build(part: Pick<Reading, 'label' | 'unit' | 'ours' | 'goal' | 'limitedBy'>): Reading {
  return { ...part, floor: part.ours, judgedBy: 'ours' }
}

async function measureRate(stack: Stack, receiver: BenchReceiver, targets: string[], rounds: number): Promise<number> {
  for (let round = 0; round < rounds; round++) await emitEvents(stack, targets, round * targets.length)
  const startedAt = Math.min(...receiver.arrivals.values(), performance.now())
  const total = rounds * targets.length
  const endedAt = await waitForArrivals(receiver, total)
  return (total / (endedAt - startedAt)) * 1_000
}

/** The 99th percentile over events that come one by one. */
async function measureDelay(stack: Stack, receiver: BenchReceiver, targets: string[], count: number): Promise<number> {
  const first = 1_000_000
  const emittedAt: number[] = []
  receiver.arrivals.clear()
  for (let index = 0; index < count; index++) {
    emittedAt.push(performance.now())
    await emitEvents(stack, [targets[index % targets.length]!], first + index)
    await new Promise(resolve => setTimeout(resolve, PACE_MS))
  }
  await waitForArrivals(receiver, count)
  const delays = emittedAt.map((at, index) => receiver.arrivals.get(first + index)! - at)
  return quantile(
    delays.toSorted((a, b) => a - b),
    0.99,
  )
}
