import { type Static, Type } from 'typebox'
import { Choice, Problem } from '#kit'
import { METRICS } from '../../../tasks/engines/vectors/block.ts'
import { HASH_DIMENSIONS, HASH_MODEL } from '../../../tasks/engines/vectors/hash-embedding.ts'

export const MAX_DIMENSIONS = 4_096

/** What a caller may decide of the vectors of a new baton. */
export const VectorOptions = Type.Object(
  {
    dimensions: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_DIMENSIONS,
        description: 'If left out, the first write decides it.',
      }),
    ),
    metric: Choice(METRICS, { default: 'cosine', description: 'How vectors are compared.' }),
    model: Type.String({
      default: 'auto',
      pattern: `^(?!svc-)[A-Za-z0-9._:/@-]{1,64}$|^${HASH_MODEL}$`,
      description: `The model of the vectors. ${HASH_MODEL} embeds texts here, by shared wording and not by meaning; any other name is that of your own model, or of the one by which the operator's provider embeds texts. \`auto\`: the first write decides.`,
    }),
  },
  { additionalProperties: false, description: 'Only with the preset `vector`.' },
)
type VectorOptions = Static<typeof VectorOptions>

interface VectorTerms {
  metric: string
  dimensions: number | null
  model: string | null
}

/** The terms of the vectors of a new baton; what is null, its first write decides. */
export function readVectorTerms(options: Partial<VectorOptions>): VectorTerms {
  const { metric = 'cosine', dimensions, model = 'auto' } = options
  if (model !== HASH_MODEL) return { metric, dimensions: dimensions ?? null, model: model === 'auto' ? null : model }
  if (dimensions !== undefined && dimensions !== HASH_DIMENSIONS)
    throw new Problem('INVALID_PARAM', { field: 'vector.dimensions', model, allowed: [HASH_DIMENSIONS] })
  return { metric, dimensions: HASH_DIMENSIONS, model }
}

/** A vector baton has no content, and no other has vectors. */
export function checkVectorOptions(body: { preset: string; vector?: VectorOptions; [field: string]: unknown }): void {
  const isVector = body.preset === 'vector'
  const others = isVector ? ['content', 'contentType', 'contentEncoding', 'requestPresignedUpload'] : ['vector']
  const field = others.find(name => body[name] !== undefined)
  if (field) throw new Problem('CONFLICTING_OPTIONS', { fields: ['preset', field] })
  if (isVector) readVectorTerms(body.vector ?? {})
}

/** The vectors of a baton, as its facts and theirs tell of them. */
export const IndexReply = Type.Object({
  count: Type.Integer(),
  dimensions: Type.Union([Type.Integer(), Type.Null()]),
  metric: Type.String(),
  model: Type.Union([Type.String(), Type.Null()]),
  indexState: Type.String({
    description:
      '`exact`: every search compares with all vectors. `building`: so far, until an index is ready. `ann`: near vectors are found by an index, where it is enough.',
  }),
  namespaces: Type.Array(Type.Object({ namespace: Type.String(), count: Type.Integer() })),
})
