/** Whether a type is one of a pattern: `image/png`, `image/*` or all types. */
export function matchesType(type: string, pattern: string): boolean {
  if (pattern === '*/*' || pattern === type) return true
  return pattern.endsWith('*') && type.startsWith(pattern.slice(0, -1))
}
