import type { Entry, Example } from '#kit'
import type { Plain } from './plain-schema.ts'

export function examplesOf(examples: readonly Example[]): Plain | undefined {
  if (examples.length === 0) return undefined
  const named = examples.map(({ title, input }) => [slugOf(title), { summary: title, value: withoutSamples(input) }])
  return Object.fromEntries(named)
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** `sample:two-pages.pdf` names a file of our tests; a reader is told what to put there. */
export function withoutSamples(value: unknown): unknown {
  if (typeof value === 'string')
    return value.startsWith('sample:') ? { inline: `<base64 of ${value.slice(7)}>` } : value
  if (Array.isArray(value)) return value.map(withoutSamples)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutSamples(inner)]))
}

/** An answer is printed only where the declaration knows all that is required of it. */
export function exampleAnswers({ examples }: Entry, { required }: Plain): Plain | undefined {
  const known = examples.filter(({ answer }) => answer && ((required ?? []) as string[]).every(name => name in answer))
  if (known.length === 0) return undefined
  return Object.fromEntries(known.map(({ title, answer }) => [slugOf(title), { summary: title, value: answer }]))
}
