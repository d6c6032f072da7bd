import { Type } from 'typebox'
import { Problem } from '#kit'
import {
  type ExtractSchema,
  extractByPattern,
  isFoundByPattern,
} from '../../../../engines/language/extract/by-pattern.ts'
import { createQuoteFinder, findValue } from '../../../../engines/language/extract/evidence.ts'
import { findSchemaFaults } from '../../../../engines/language/extract/validate.ts'
import { defineTask } from '../../define-task.ts'
import { buildPrompt, closed, NO_JSON, parseAnswer } from '../../prompt.ts'
import { listPatterns, requireSchema, testWith } from '../../schema-of-caller.ts'
import { task } from '../../task.ts'

const MAX_MATCHES = 1_000

const Evidence = Type.Object({ path: Type.String(), quote: Type.String(), start: Type.Integer(), end: Type.Integer() })

export const extract = task({
  slug: 'extract',
  summary: 'Extract data of a JSON Schema from a text or a document.',
  keywords:
    'structured extraction, text to json, parse emails, fields from text, entity extraction, data from pdf, ner, json schema, structured output, free text to json, get name date and amount out of an email or a message',
  description:
    'The built-in engine finds values by `format` (email, uri, phone, date, iban, ipv4, uuid, currency), by `pattern` (RE2) or ' +
    'by `x-label`, the label of a line such as `Total: 12`. Any other schema needs a language model, whose answer is checked ' +
    'against the schema. What the text does not say is left out and listed in `missing`.',
  params: Type.Object({
    schema: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'JSON Schema of an object, at most 64 KiB.',
      examples: [{ type: 'object', properties: { mail: { type: 'string', format: 'email' } } }],
    }),
    strict: Type.Boolean({ default: true, description: 'Refuse a result that does not fit the schema.' }),
    instructions: Type.Optional(Type.String({ maxLength: 2_000, description: 'For a language model.' })),
    evidence: Type.Boolean({ default: false, description: 'Give the words of the text that prove each value.' }),
  }),
  result: Type.Object({
    data: Type.Unsafe<unknown>({}),
    missing: Type.Array(Type.String(), { description: 'JSON Pointers.' }),
    evidence: Type.Optional(Type.Array(Evidence, { description: 'Places in UTF-16 code units of the text.' })),
  }),
  uses: ['regex'],
  checkParams: ({ schema }) => requireSchema(schema),
  embedded: {
    engine: 'svc-pattern-1',
    languages: 'any',
    accepts: ({ schema }) => schema.properties !== undefined && isFoundByPattern(schema),
    needs: 'a format, a pattern or an x-label for each property',
    async run({ text, params, tools: { regex } }) {
      const { schema, strict, evidence } = params
      const found = await extractByPattern(text, schema as ExtractSchema, async (pattern, part) => {
        const options = { group: undefined, named: false, limit: MAX_MATCHES }
        const { matches } = await regex.extract(part, { pattern, flags: 'm' }, options as never)
        return matches.map(({ match, groups, index }) => {
          const value = groups.find(group => group !== null && group !== '') ?? match
          return { value, quote: value, start: index + Math.max(0, match.indexOf(value)) }
        })
      })
      // What a pattern finds is a part of what it matches.
      const faults = await findSchemaFaults(schema, found.data, async (_, texts) => texts.map(() => true))
      if (strict && faults.length > 0)
        throw new Problem('SCHEMA_UNSATISFIED', { errors: faults, missing: found.missing })
      return { result: { data: found.data, missing: found.missing, ...(evidence && { evidence: found.evidence }) } }
    },
  },
  model: {
    rounds: 2,
    problem: 'SCHEMA_UNSATISFIED',
    maxOutputTokens: (bytes, { evidence }) => Math.min(8_000, Math.ceil(bytes / (evidence ? 1.5 : 3)) + 800),
    prepare: async ({ params: { schema }, regex }) => {
      for (const pattern of listPatterns(schema)) await testWith(regex)(pattern, [])
    },
    prompt({ text, params }) {
      const { schema, instructions, evidence } = params
      const quote = closed({ path: { type: 'string' }, quote: { type: 'string' } })
      const form = {
        type: 'object',
        properties: { data: schema, ...(evidence && { evidence: { type: 'array', items: quote } }) },
        required: ['data'],
      }
      const proof = evidence
        ? ' "evidence" has for each value its JSON Pointer and the words of the text that prove it, copied exactly.'
        : ''
      const job = `You extract data from texts. "data" has what the text says and nothing else: leave out what it does not say, never guess.${proof}`
      return buildPrompt(job, { instructions }, text, form)
    },
    async read(answer, { text, params: { schema, strict, evidence }, regex }) {
      const { data, evidence: quotes = [] } = (parseAnswer(answer) ?? {}) as { data?: unknown; evidence?: unknown }
      if (data === undefined) return NO_JSON
      const errors = await findSchemaFaults(schema, data, testWith(regex))
      if (strict && errors.length > 0)
        return { fault: errors.map(({ path, message }) => `${path || '/'} ${message}`).join('; '), errors }
      const find = createQuoteFinder(text)
      const given = (Array.isArray(quotes) ? quotes : []) as { path?: unknown; quote?: unknown }[]
      const proven = given.flatMap(({ path, quote }) => {
        const pointer = typeof path === 'string' ? findValue(data, path) : undefined
        const found = pointer !== undefined && typeof quote === 'string' ? find(quote) : undefined
        return found ? [{ path: pointer!, ...found }] : []
      })
      const dropped = given.length - proven.length
      const message = `${dropped} quotes were dropped: they are not in the text, or prove no value of the data.`
      return {
        result: { data, missing: listMissing(schema as ExtractSchema, data), ...(evidence && { evidence: proven }) },
        ...(dropped > 0 && { warnings: [{ code: 'EVIDENCE_NOT_FOUND', message }] }),
      }
    },
  },
  errors: ['SCHEMA_UNSATISFIED', 'REGEX_INVALID', 'REGEX_UNSUPPORTED'],
  examples: [
    {
      title: 'By formats and patterns',
      input: {
        input: 'Invoice\nTotal: 119.00\nQuestions: help@example.com',
        params: {
          schema: {
            type: 'object',
            properties: {
              total: { type: 'number', pattern: 'Total: ([0-9.]+)' },
              mail: { type: 'string', format: 'email' },
            },
          },
        },
        method: 'embedded',
      },
      answer: { result: { data: { total: 119, mail: 'help@example.com' }, missing: [] } },
    },
  ],
})

function listMissing({ properties = {} }: ExtractSchema, data: unknown, path = ''): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const value = (data as Record<string, unknown> | null)?.[name]
    const own = `${path}/${name}`
    return value === undefined || value === null ? [own] : field.properties ? listMissing(field, value, own) : []
  })
}

export default defineTask(extract)
