import { Type } from 'typebox'
import { ALIASES_RULE } from '#kit'
import { route } from '../../route.ts'
import { searchCalls } from '../../surfaces/search/results.ts'
import { readWholeState } from '../../surfaces/state.ts'

const FoundCall = Type.Object({
  name: Type.String(),
  tool: Type.Optional(Type.String({ description: 'Its name as an MCP tool.' })),
  method: Type.String(),
  path: Type.String(),
  summary: Type.String(),
  price: Type.String(),
  fields: Type.Optional(
    Type.String({
      description:
        'Every field with its type: `*` means required, `=` a default. The best match has it, others where it is short; the page /llms/{name}.txt always.',
    }),
  ),
  example: Type.Optional(
    Type.Unknown({
      description: 'Of the best match: its body, or the arguments of its tool. Left out where it is long.',
    }),
  ),
  howTo: Type.Optional(Type.String({ description: 'A page with the call, its answer and its pitfalls, as Markdown.' })),
  isAvailable: Type.Optional(Type.Literal(false, { description: 'It cannot run on this service at present.' })),
  needs: Type.Optional(
    Type.Literal('session', { description: 'Keys are refused: a person who is signed in makes it, on /dashboard.' }),
  ),
})

export default route({
  at: 'GET /v1/search',
  summary: 'Find the calls that do what you want, by your own words.',
  keywords: 'search tools, find tool, discover, which tool, how to, help',
  tool: 'search_tools',
  isFeatured: true,
  description:
    'Returns the best matches first, with their prices; the best has its fields too. Describe one task, such as "stamp page numbers".',
  auth: ['none'],
  query: Type.Object(
    {
      q: Type.String({
        ...{ minLength: 1, maxLength: 300, [ALIASES_RULE]: ['query'] },
        description: 'What you want to do; `query` is another name for it.',
      }),
      limit: Type.Integer({ minimum: 1, maximum: 20, default: 5 }),
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      query: Type.String(),
      results: Type.Array(FoundCall),
      unknownWords: Type.Optional(
        Type.Array(Type.String(), { description: 'Words of yours that no call here knows: perhaps nothing does it.' }),
      ),
      note: Type.Optional(Type.String({ description: 'Only where the first match alone is not what was asked for.' })),
    }),
  },
  errors: ['MISSING_FIELD', 'INVALID_PARAM', 'UNKNOWN_FIELD'],
  async handle({ query: { q, limit }, request, reply }, context) {
    reply.header('cache-control', 'public, max-age=60')
    const { options } = await readWholeState(context)
    return {
      query: q,
      ...searchCalls(context.catalog.entries, { query: q, limit, reader: request.isTool ? 'tool' : 'rest' }, options),
    }
  },
})
