import { type FileRule, Problem, type Slot } from '#kit'
import { findConverter } from './converters.ts'
import { matchesType } from './matches.ts'

/** The type under which a field accepts a file. Throws its problem for a file that is empty or of another type. */
export function requireAcceptedType(types: readonly string[], sizeBytes: number, slot: Slot<FileRule>): string {
  const { rule, field, index } = slot
  const place = index === undefined ? { field } : { field, index }
  if (sizeBytes === 0) {
    if (rule.allowEmpty) return 'text/plain'
    throw new Problem('INPUT_EMPTY', place)
  }
  const type = findAcceptedType(types, rule.accept)
  if (type === undefined) throw new Problem(rule.refuse, { ...describeRefused(types[0]!, rule.accept), ...place })
  return type
}

/** What a caller needs to know of a refused file: also which call makes one of it that is taken. */
function describeRefused(detected: string, supported: readonly string[]) {
  const convertBy = findConverter(detected, supported)
  return { detected, supported, ...(convertBy && { convertBy }) }
}

/** The first of `types` that a file rule accepts. */
export function findAcceptedType(types: readonly string[], accept: readonly string[]): string | undefined {
  return types.find(type => accept.some(pattern => matchesType(type, pattern)))
}
