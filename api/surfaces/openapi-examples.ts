import { Check } from 'typebox/value'
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

/** Declared answers name only what is known beforehand; one is printed where that is a whole answer. */
export function exampleAnswers({ examples, reply }: Entry): Plain | undefined {
  const whole = examples.filter(({ answer }) => answer && reply.schema && Check(reply.schema, answer))
  if (whole.length === 0) return undefined
  return Object.fromEntries(whole.map(({ title, answer }) => [slugOf(title), { summary: title, value: answer }]))
}
