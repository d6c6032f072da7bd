/** The first of `types` that a file rule accepts. */
export function findAcceptedType(types: readonly string[], accept: readonly string[]): string | undefined {
  return types.find(type => accept.some(pattern => matches(type, pattern)))
}

function matches(type: string, pattern: string): boolean {
  if (pattern === '*/*' || pattern === type) return true
  return pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1))
}
