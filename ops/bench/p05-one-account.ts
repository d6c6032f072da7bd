import { hashCall, queuedCall } from './calls.ts'
import { costInWords } from './cost.ts'
import type { Bench, Figure, Reading } from './figure.ts'
import type { Call } from './load.ts'
import { ourSide } from './sides.ts'
import { checkStack, openStack, type Stack, tryCall } from './stack.ts'
import { versus } from './versus.ts'

const CLIENTS = 64

export default {
  id: 'P5',
  title: 'one account against 64 accounts, 64 clients',
  async measure(bench) {
    await using stack = await openStack(bench.home)
    const readings = [
      await compare(bench, stack, 'lane I', hashCall(stack)),
      await compare(bench, stack, 'lane Q', queuedCall(stack)),
    ]
    await checkStack(stack)
    return readings
  },
} satisfies Figure

async function compare(bench: Bench, stack: Stack, lane: string, call: Call): Promise<Reading> {
  await tryCall(stack, call)
  const one = ourSide(bench.home, stack, { ...call, keys: call.keys.slice(0, 1) })
  const { ours, floor } = await versus(bench, { ours: one, floor: ourSide(bench.home, stack, call) }, CLIENTS)
  return {
    of: `${lane}, 1 account over ${call.keys.length}`,
    unit: 'calls/s',
    ours: ours.perSecond,
    floor: floor.perSecond,
    goal: { atLeast: 1 },
    judged: 'ratio',
    limit: costInWords(ours.cost),
    facts: { ours, floor },
  }
}
