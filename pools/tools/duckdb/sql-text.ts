/** An identifier in quotes; names come from files and callers. */
export function name(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

/** A value as a literal. */
export function literal(value: string | number | boolean | null): string {
  if (value === null) return 'NULL'
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return `CAST('${value}' AS DOUBLE)`
  return String(value)
}

export function names(list: readonly string[]): string {
  return list.map(name).join(', ')
}

/** Conditions in pairs of pairs, because the engine refuses a chain of more than a thousand. */
export function joinConditions(conditions: readonly string[], operator: 'AND' | 'OR' | '+'): string {
  if (conditions.length <= 2) return conditions.join(` ${operator} `)
  const half = conditions.length >> 1
  const parts = [conditions.slice(0, half), conditions.slice(half)]
  return parts.map(part => `(${joinConditions(part, operator)})`).join(` ${operator} `)
}
