import { type FileRule, Problem, type Slot } from '#kit'

/** The type under which a field accepts a file. Throws its problem for a file that is empty or of another type. */
export function requireAcceptedType(types: readonly string[], sizeBytes: number, slot: Slot<FileRule>): string {
  const { rule, field, index } = slot
  const place = index === undefined ? { field } : { field, index }
  if (sizeBytes === 0) {
    if (rule.allowEmpty) return 'text/plain'
    throw new Problem('INPUT_EMPTY', place)
  }
  const type = findAcceptedType(types, rule.accept)
  if (type === undefined) throw new Problem(rule.refuse, { detected: types[0], supported: rule.accept, ...place })
  return type
}

/** The first of `types` that a file rule accepts. */
export function findAcceptedType(types: readonly string[], accept: readonly string[]): string | undefined {
  return types.find(type => accept.some(pattern => matches(type, pattern)))
}

function matches(type: string, pattern: string): boolean {
  if (pattern === '*/*' || pattern === type) return true
  return pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1))
}
