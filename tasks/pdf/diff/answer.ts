import { type Static, Type } from 'typebox'
import { Choice } from '#kit'
import type { PageChanges } from './changes.ts'
import type { PagePair } from './pages.ts'
import type { DiffInput, Side } from './sides.ts'
import type { VisualChange } from './visual.ts'
import type { Word } from './words.ts'

const Box = Type.Unsafe<readonly number[] | null>({
  anyOf: [{ type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 4 }, { type: 'null' }],
})
const PageNumber = Type.Unsafe<number | null>({ anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] })

const ComparedPages = Type.Object({
  a: PageNumber,
  b: PageNumber,
  status: Choice(['same', 'changed', 'added', 'removed']),
  changes: Type.Array(
    Type.Object({
      op: Choice(['insert', 'delete', 'replace']),
      textA: Type.String(),
      textB: Type.String(),
      boxA: Box,
      boxB: Box,
    }),
  ),
  pixelRatio: Type.Optional(Type.Number({ description: 'Share of the pixels that differ.' })),
  regions: Type.Optional(
    Type.Array(Type.Unsafe<readonly number[]>({ type: 'array', items: { type: 'number' } }), {
      description: 'Boxes around what looks different.',
    }),
  ),
})

export const differences = {
  identical: Type.Boolean({ description: 'Nothing differs in what was compared.' }),
  summary: Type.Object({
    inserted: Type.Integer({ minimum: 0, description: 'Words.' }),
    deleted: Type.Integer({ minimum: 0, description: 'Words.' }),
    changedPages: Type.Integer({ minimum: 0, description: 'Changed, added and removed pages.' }),
  }),
  pages: Type.Array(ComparedPages),
}

export interface Comparison {
  input: DiffInput
  sides: readonly [Side, Side]
  pairs: readonly PagePair[]
  words: { a: readonly Word[]; b: readonly Word[] }
  /** Of each pair; empty if the text is not compared. */
  textChanges: readonly PageChanges[]
  visualChanges: ReadonlyMap<number, VisualChange>
}

export function describeDifferences(compared: Comparison) {
  const { sides, pairs, textChanges, visualChanges } = compared
  const pages = pairs.map((pair, at): Static<typeof ComparedPages> => {
    const visual = visualChanges.get(pair.a ?? -1)
    return {
      a: pair.a === null ? null : sides[0].numbers[pair.a]!,
      b: pair.b === null ? null : sides[1].numbers[pair.b]!,
      status: findStatus(compared, at),
      changes: textChanges[at]?.changes ?? [],
      ...(visual && { pixelRatio: visual.ratio, regions: visual.regions }),
    }
  })
  const count = (kind: 'inserted' | 'deleted') => textChanges.reduce((sum, changes) => sum + changes[kind], 0)
  const changedPages = pages.filter(({ status }) => status !== 'same').length
  return {
    identical: changedPages === 0,
    summary: { inserted: count('inserted'), deleted: count('deleted'), changedPages },
    pages,
  }
}

function findStatus({ input, pairs, words, textChanges, visualChanges }: Comparison, at: number) {
  const { a, b } = pairs[at]!
  const hasTextChanges = (textChanges[at]?.changes.length ?? 0) > 0
  if (a !== null && b !== null) return hasTextChanges || (visualChanges.get(a)?.ratio ?? 0) > 0 ? 'changed' : 'same'
  const hasWords = a === null ? words.b.some(({ page }) => page === b) : words.a.some(({ page }) => page === a)
  const isElsewhere = input.mode === 'text' && input.flow === 'document' && hasWords && !hasTextChanges
  return isElsewhere ? 'same' : a === null ? 'added' : 'removed'
}
