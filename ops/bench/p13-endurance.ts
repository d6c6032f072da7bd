import { hashCall, queuedCall } from './calls.ts'
import { costInWords } from './cost.ts'
import type { Bench, Figure, Reading } from './figure.ts'
import type { Call } from './load.ts'
import { ourSide } from './sides.ts'
import { checkStack, openStack, tryCall } from './stack.ts'
import { oneTurn } from './versus.ts'

const CLIENTS = 64
const WINDOWS = 6

export default {
  id: 'P13',
  title: 'the last sixth of a long run over its first, 64 clients',
  async measure(bench) {
    const readings = [await endure(bench, 'lane I', hashCall), await endure(bench, 'lane Q', queuedCall)]
    return readings
  },
} satisfies Figure

/** The load does not pause between its windows. The first comes after a warm-up, or it would flatter the last. */
async function endure(
  bench: Bench,
  lane: string,
  callOf: (stack: { keys: readonly string[] }) => Call,
): Promise<Reading> {
  await using stack = await openStack(bench.home)
  const call = callOf(stack)
  await tryCall(stack, call)
  const side = ourSide(bench.home, stack, call)
  await oneTurn(bench, side, CLIENTS, bench.pace.warmUpSeconds)
  const windows = []
  for (let window = 0; window < WINDOWS; window++) {
    windows.push(await oneTurn(bench, side, CLIENTS, bench.pace.windowSeconds))
  }
  await checkStack(stack)
  const [first, last] = [windows[0]!, windows.at(-1)!]
  return {
    of: `${lane}, last ${bench.pace.windowSeconds} s over first of ${WINDOWS * bench.pace.windowSeconds} s`,
    unit: 'calls/s',
    ours: last.volley.perSecond,
    floor: first.volley.perSecond,
    goal: { atLeast: 0.95 },
    judged: 'ratio',
    limit: `others took ${Math.round(first.cost.others * 100)} % of the cores in the first window; last: ${costInWords(last.cost)}`,
    facts: { windows },
  }
}
