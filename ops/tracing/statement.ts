const CALL = /\b([a-z_]+\.[a-z_]+)\s*\(/
const TABLE = /^\s*(\w+)\b(?:[\s\S]*?\b(?:from|into|update)\s+([a-z_.]+))?/i
const MAX_NAMES = 2_000

/** Statements are constants of the code with placeholders, so there are a few hundred. */
const names = new Map<string, string>()

/** What a statement does, in a few words that are the same for all values: the function that it calls, or its table. */
export function nameStatement(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const called = CALL.exec(text)?.[1]
  const [, verb = 'statement', table] = TABLE.exec(text) ?? []
  const name = `sql ${called ?? [verb.toLowerCase(), table].filter(Boolean).join(' ')}`
  if (names.size < MAX_NAMES) names.set(text, name)
  return name
}
