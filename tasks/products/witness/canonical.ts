/** Canonical JSON (RFC 8785): keys in the order of their UTF-16 units, no spaces, numbers as ECMAScript writes them. */
export function canonicalize(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(',')}]`
  if (typeof value === 'object' && value !== null) return `{${canonicalizeMembers(value)}}`
  const isWritable =
    typeof value === 'string' ? value.isWellFormed() : typeof value !== 'number' || Number.isFinite(value)
  const text = isWritable ? JSON.stringify(value) : undefined
  if (text === undefined) throw new TypeError('a value has no canonical JSON')
  return text
}

function canonicalizeMembers(object: object): string {
  const members = Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1))
  return members.map(([name, member]) => `${canonicalize(name)}:${canonicalize(member)}`).join(',')
}
