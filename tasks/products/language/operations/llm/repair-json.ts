import { Type } from 'typebox'
import { Choice, Problem } from '#kit'
import { findSchemaFaults } from '../../../../engines/language/extract/validate.ts'
import { Unrepairable } from '../../../../engines/language/json/cursor.ts'
import { repairJson } from '../../../../engines/language/json/repair.ts'
import { defineTask } from '../../define-task.ts'
import { requireSchema, testWith } from '../../schema-of-caller.ts'
import { task } from '../../task.ts'

const MAX_REPAIRS = 200

export const repairJsonTask = task({
  slug: 'repair-json',
  summary: 'Make valid JSON of a text that is nearly JSON.',
  keywords:
    'fix json, broken json, invalid json, llm output, trailing comma, single quotes, truncated json, parse json, json5, python dict',
  description:
    'Quotes, commas, comments, fences, words around it, literals of Python and brackets that were cut off. Never asks a model ' +
    'and never adds a value: what was cut off is left out, and what could only be guessed is refused.',
  params: Type.Object({
    schema: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'What the result is compared with.',
      }),
    ),
    expect: Choice(['object', 'array', 'any'], { default: 'any' }),
    multiple: Choice(['first', 'array', 'error'], { default: 'error', description: 'What becomes of several values.' }),
    stripFences: Type.Boolean({ default: true }),
    keepNumbersAsText: Type.Boolean({ default: true, description: 'Keep digits that a number would lose, as text.' }),
  }),
  result: Type.Object({
    json: Type.Unsafe<unknown>({}),
    text: Type.String(),
    changed: Type.Boolean(),
    repairs: Type.Array(Type.Object({ position: Type.Integer(), kind: Type.String() })),
    schemaErrors: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
  }),
  uses: ['regex'],
  checkParams: ({ schema }) => schema && requireSchema(schema),
  flatUnits: 1,
  embedded: {
    engine: 'svc-json-1',
    languages: 'any',
    async run({ text, params: { schema, ...options }, tools: { regex } }) {
      const { json, changed, repairs } = repair(text, options)
      const schemaErrors = schema && (await findSchemaFaults(schema, json, testWith(regex)))
      const written = changed ? JSON.stringify(json) : text
      return {
        result: {
          json,
          text: written,
          changed,
          repairs: repairs.slice(0, MAX_REPAIRS),
          ...(schemaErrors && { schemaErrors }),
        },
      }
    },
  },
  errors: ['JSON_UNREPAIRABLE', 'REGEX_INVALID', 'REGEX_UNSUPPORTED'],
  examples: [
    {
      title: 'The answer of a model',
      input: { input: "Here it is:\n```json\n{'name': 'Ada', born: 1815, 'tags': ['maths',],}\n```" },
      answer: { result: { json: { name: 'Ada', born: 1815, tags: ['maths'] }, changed: true } },
    },
  ],
})

function repair(text: string, options: Parameters<typeof repairJson>[1]): ReturnType<typeof repairJson> {
  try {
    return repairJson(text, options)
  } catch (error) {
    if (!(error instanceof Unrepairable)) throw error
    throw new Problem('JSON_UNREPAIRABLE', { position: error.position, reason: error.message })
  }
}

export default defineTask(repairJsonTask)
