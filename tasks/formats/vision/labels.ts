import type { Region } from '../geometry/region.ts'
import { roundConfidence } from './boxes.ts'
import type { FoundLabel } from './results.ts'

export interface LabelLimits {
  maxLabels: number
  minConfidence: number
}

/** Joins what has one name: each box is an instance of it, and the surest counts. */
export function groupLabels(
  found: readonly { name: string; confidence: number; box?: Region }[],
  { maxLabels, minConfidence }: LabelLimits,
): FoundLabel[] {
  const groups = Map.groupBy(
    found.filter(({ name, confidence }) => name !== '' && confidence >= minConfidence),
    ({ name }) => name.toLowerCase(),
  )
  return [...groups.values()]
    .map(
      (all): FoundLabel => ({
        name: all[0]!.name,
        confidence: roundConfidence(Math.max(...all.map(({ confidence }) => confidence))),
        parents: [],
        instances: all.flatMap(({ box, confidence }) =>
          box ? [{ box, confidence: roundConfidence(confidence) }] : [],
        ),
      }),
    )
    .sort((a, b) => b.confidence - a.confidence)
    .slice(0, maxLabels)
}
