import type { TraceContext } from './context.ts'
import type { TracingConfig } from './settings.ts'

/** The last digits of a trace id are random, so all processes decide alike for one trace. */
const DIGITS = 12

/** Which traces are recorded, as the standard variables name it. */
export function createSampler({
  name,
  ratio,
}: TracingConfig['sampler']): (traceId: string, parent: TraceContext | undefined) => boolean {
  const isBelowRatio = (traceId: string) => Number.parseInt(traceId.slice(-DIGITS), 16) / 16 ** DIGITS < ratio
  const root = { always_on: () => true, always_off: () => false, traceidratio: isBelowRatio }
  const [, rule] = /^(?:parentbased_)?(.*)$/.exec(name)!
  const decide = root[rule as keyof typeof root]
  if (!name.startsWith('parentbased_')) return decide
  return (traceId, parent) => parent?.isSampled ?? decide(traceId)
}
