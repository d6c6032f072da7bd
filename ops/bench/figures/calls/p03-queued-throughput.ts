import { buildQueuedCall, buildSlugCall } from '../../calls.ts'
import type { Bench, Reading } from '../../figure.ts'
import { type Stack, verifyCall } from '../../stack.ts'
import { targetService } from '../../targets.ts'
import { compareSides, oneCallFigure } from './one-call.ts'

const CLIENTS = 64

export default oneCallFigure({
  id: 'P3',
  title: 'lane Q, a no-op operation, 64 clients, over Fastify with one UPDATE and commit; a real one over the no-op',
  buildCall: buildQueuedCall,
  label: 'lane Q, 64 clients',
  unit: 'calls/s',
  clients: CLIENTS,
  goal: { atLeast: 0.45 },
  more: async (bench, stack) => [await compareWithNoOp(bench, stack)],
})

/** What a thread, a real input and a result cost beside the queue. */
async function compareWithNoOp(bench: Bench, stack: Stack): Promise<Reading> {
  const call = buildSlugCall(stack)
  await verifyCall(stack, call)
  const load = {
    label: 'lane Q, text/slugify over the no-op, 64 clients',
    unit: 'calls/s',
    clients: CLIENTS,
    goal: { atLeast: 0.6 },
  } as const
  return compareSides(bench, load, {
    ours: targetService(bench.environment, stack, call),
    floor: targetService(bench.environment, stack, buildQueuedCall(stack)),
  })
}
