import type { Bench, Figure } from '../../figure.ts'
import { median } from '../../median.ts'
import { openStack } from '../../stack.ts'
import { emitEvents, openReceiver, registerEndpoints, WEBHOOK_STACK, waitForArrivals } from './endpoints.ts'

const HEALTHY = 500
const HANGING = 500
const EVENTS_PER_ENDPOINT = 10

export default {
  id: 'P31',
  title: 'webhook deliveries to 500 healthy endpoints while 500 others hang, over the same without the others',
  async measure({ environment, profile }: Bench) {
    const scale = Math.min(1, profile.bulk * 5)
    const [alone, among]: [number[], number[]] = [[], []]
    for (let round = 0; round < Math.min(2, profile.rounds); round++) {
      alone.push(await measureRate(environment, Math.ceil(HEALTHY * scale), 0))
      among.push(await measureRate(environment, Math.ceil(HEALTHY * scale), Math.ceil(HANGING * scale)))
    }
    return [
      {
        label: 'healthy half',
        unit: 'deliveries/s',
        ours: median(among),
        floor: median(alone),
        goal: { atLeast: 0.8 },
        judgedBy: 'ratio',
        limitedBy: 'new endpoints have three quarters of the slots until they have answered once',
        facts: { alone, among },
      },
    ]
  },
} satisfies Figure

/** All endpoints are new, so nothing is known of who will hang. */
async function measureRate(environment: Bench['environment'], healthy: number, hanging: number): Promise<number> {
  await using stack = await openStack(environment, WEBHOOK_STACK)
  await using receiver = await openReceiver()
  const targets = await registerEndpoints(stack, `${receiver.url}/fast`, healthy)
  const others = await registerEndpoints(stack, `${receiver.url}/hang`, hanging)
  if (hanging > 0) {
    for (let count = 0; count < EVENTS_PER_ENDPOINT; count++) await emitEvents(stack, others, 0)
  }
  const startedAt = performance.now()
  for (let count = 0; count < EVENTS_PER_ENDPOINT; count++) await emitEvents(stack, targets, count * healthy)
  const total = healthy * EVENTS_PER_ENDPOINT
  const endedAt = await waitForArrivals(receiver, total)
  return (total / (endedAt - startedAt)) * 1_000
}
