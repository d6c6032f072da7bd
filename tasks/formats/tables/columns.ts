import { Type } from 'typebox'
import { Problem } from '#kit'
import { findColumn } from './column-names.ts'

export const Selector = Type.Union([
  Type.String({ minLength: 1, maxLength: 1000, description: 'A name, a range such as a-c, or /a pattern/.' }),
  Type.Integer({ minimum: 1, description: 'A position, from 1.' }),
  Type.Object({ name: Type.String({ maxLength: 1000 }), as: Type.String({ maxLength: 1000 }) }),
])

export type Selector = string | number | { name: string; as: string }

interface ChosenColumn {
  column: number
  name: string
}

/** Tests names against a pattern. The caller supplies it, because untrusted patterns need an engine in linear time. */
type MatchNames = (names: readonly string[], pattern: string) => Promise<boolean[]>

export async function chooseColumns(
  names: readonly string[],
  selectors: readonly Selector[],
  matches: MatchNames,
): Promise<ChosenColumn[]> {
  const chosen: ChosenColumn[] = []
  for (const selector of selectors) {
    const columns = await resolveSelector(names, selector, matches)
    const as = typeof selector === 'object' ? selector.as : undefined
    chosen.push(...columns.map(column => ({ column, name: as ?? names[column]! })))
  }
  return chosen
}

async function resolveSelector(names: readonly string[], selector: Selector, matches: MatchNames): Promise<number[]> {
  if (typeof selector === 'number') {
    if (selector > names.length) throw new Problem('BAD_RANGE', { segment: selector, columns: names.length })
    return [selector - 1]
  }
  if (typeof selector === 'object') return [findColumn(names, selector.name)]
  if (names.includes(selector)) return [names.indexOf(selector)]
  const pattern = /^\/(.+)\/$/s.exec(selector)?.[1]
  if (pattern !== undefined) {
    const fits = await matches(names, pattern)
    return names.flatMap((_, column) => (fits[column] ? [column] : []))
  }
  return resolveRange(names, selector) ?? [findColumn(names, selector)]
}

/** Resolves `a-c` where both are names; names themselves may contain hyphens. */
function resolveRange(names: readonly string[], selector: string): number[] | undefined {
  for (let at = selector.indexOf('-', 1); at > 0; at = selector.indexOf('-', at + 1)) {
    const [from, to] = [names.indexOf(selector.slice(0, at)), names.indexOf(selector.slice(at + 1))]
    if (from < 0 || to < 0) continue
    if (to < from) throw new Problem('BAD_RANGE', { segment: selector })
    return Array.from({ length: to - from + 1 }, (_, step) => from + step)
  }
  return undefined
}
