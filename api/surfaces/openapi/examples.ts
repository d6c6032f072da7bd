import { readdirSync, readFileSync } from 'node:fs'
import { Check } from 'typebox/schema'
import type { Entry, Example } from '#kit'
import type { Plain } from './plain-schema.ts'

export function buildExamples(examples: readonly Example[]): Plain | undefined {
  if (examples.length === 0) return undefined
  const entries = examples.map(({ title, input }) => [slugify(title), { summary: title, value: inlineSamples(input) }])
  return Object.fromEntries(entries)
}

function slugify(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

const SAMPLES = new URL('../../../tasks/samples/', import.meta.url)

/** The files that examples refer to, by name. */
export const SAMPLE_FILES: ReadonlyMap<string, URL> = new Map(
  readdirSync(SAMPLES).map(name => [name, new URL(name, SAMPLES)]),
)

const readSample = memoize(name => readFileSync(new URL(name, SAMPLES)).toString('base64'))

/** The input as it can be sent: `sample:two-pages.pdf` becomes a source with the bytes of that file of tasks/samples. */
export function inlineSamples(input: unknown): unknown {
  return fillSamples(input, readSample)
}

/** The input for readers of a text: a placeholder stands for the bytes of a file. */
export function replaceSamples(input: unknown): unknown {
  return fillSamples(input, name => `<base64 of ${name}>`)
}

function fillSamples(value: unknown, contentOf: (name: string) => string): unknown {
  if (typeof value === 'string') return value.startsWith('sample:') ? { inline: contentOf(value.slice(7)) } : value
  if (Array.isArray(value)) return value.map(item => fillSamples(item, contentOf))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fillSamples(inner, contentOf)]))
}

function memoize(read: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>()
  return name => known.get(name) ?? known.set(name, read(name)).get(name)!
}

/** A declared answer has only the fields that are known beforehand; it is shown only if it is complete. */
export function buildExampleAnswers({ examples, reply }: Entry): Plain | undefined {
  const completeAnswers = examples.filter(({ answer }) => answer && reply.schema && Check(reply.schema, answer))
  if (completeAnswers.length === 0) return undefined
  return Object.fromEntries(
    completeAnswers.map(({ title, answer }) => [slugify(title), { summary: title, value: answer }]),
  )
}
