import { type Static, Type } from 'typebox'
import { Choice } from '#kit'
import { MAX_DIMENSIONS, Words } from '../baton/index.ts'
import { ENGINES } from './embedding.ts'

export const MAX_TEXT_BYTES = 32 * 2 ** 10

/** No id is a step of a path, or the name of another route. */
const ID_PATTERN = '^(?!(?:stats|\\.{1,2})$)[A-Za-z0-9._:#-]{1,128}$'
export const VectorId = Type.String({ pattern: ID_PATTERN, maxLength: 128 })

export const Namespace = Type.String({ ...Words(64), default: '', description: 'A part of the baton, searched apart.' })
const Floats = Type.Array(Type.Number(), { minItems: 1, maxItems: MAX_DIMENSIONS })
const Scalar = Type.Union([Words(8_192), Type.Number(), Type.Boolean(), Type.Array(Words(8_192), { maxItems: 1_000 })])
export const Metadata = Type.Record(Type.String({ pattern: '^(?!\\$)[^\\u0000\\ud800-\\udfff]{1,128}$' }), Scalar, {
  additionalProperties: false,
  description: 'Texts, numbers, booleans and lists of texts; at most 8 KiB as JSON.',
})

const Item = Type.Object(
  {
    id: VectorId,
    values: Type.Optional(Floats),
    text: Type.Optional(Words(MAX_TEXT_BYTES, 'At most 32 KiB. Embedded here if no item has values.')),
    metadata: Type.Optional(Metadata),
  },
  { additionalProperties: false },
)
export type Item = Static<typeof Item>

export const UpsertBody = Type.Object(
  {
    vectors: Type.Array(Item, { minItems: 1, maxItems: 1_000 }),
    namespace: Namespace,
    onConflict: Choice(['replace', 'skip', 'error', 'merge-metadata'], {
      default: 'replace',
      description: 'What happens to an id that is there already. `merge-metadata` replaces the rest.',
    }),
    returnIds: Type.Boolean({ default: false, description: 'Answer with the ids that were written.' }),
  },
  { additionalProperties: false },
)
export type UpsertBody = Static<typeof UpsertBody>

export const Filter = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'Conditions on the metadata: {"field": value} or {"field": {"$gt": 1}} with $eq $ne $in $nin $gt $gte $lt $lte $exists $contains, joined by $and, $or, $not. A list matches if one of its texts does.',
})

const Share = Type.Number({ minimum: 0, maximum: 1 })
export const QueryBody = Type.Object(
  {
    vector: Type.Optional(Floats),
    text: Type.Optional(Words(MAX_TEXT_BYTES, 'Embedded as the texts of the baton were.')),
    id: Type.Optional({ ...VectorId, description: 'Find others that are like this vector.' }),
    topK: Type.Integer({ minimum: 1, maximum: 200, default: 10 }),
    offset: Type.Integer({ minimum: 0, maximum: 1_000, default: 0 }),
    namespace: Namespace,
    filter: Type.Optional(Filter),
    minScore: Type.Optional(Type.Number({ description: 'Leave out what scores less.' })),
    includeValues: Type.Boolean({ default: false }),
    includeMetadata: Type.Boolean({ default: true }),
    includeText: Type.Boolean({ default: true }),
    hybrid: Type.Optional(
      Type.Object(
        {
          alpha: Type.Number({ ...Share, default: 0.5, description: '1: by vectors only, 0: by words only.' }),
          text: Type.Optional(
            Words(MAX_TEXT_BYTES, 'The words to look for, at most 32; if left out, those of the query.'),
          ),
        },
        {
          additionalProperties: false,
          description: 'Rank by the words of the texts (BM25) too. Scores are then 0 to 1, of joined ranks.',
        },
      ),
    ),
    mmr: Type.Optional(
      Type.Object(
        {
          lambda: Type.Number({
            ...Share,
            default: 0.5,
            description: '1: nearest first, 0: as different as possible.',
          }),
        },
        { additionalProperties: false, description: 'Prefer matches that differ from each other.' },
      ),
    ),
    groupBy: Type.Optional(
      Type.Object(
        {
          field: Words(128, 'A field of the metadata; vectors without it are left out.'),
          size: Type.Integer({ minimum: 1, maximum: 100, default: 1 }),
        },
        { additionalProperties: false, description: 'At most so many matches with the same value.' },
      ),
    ),
  },
  { additionalProperties: false },
)
export type QueryBody = Static<typeof QueryBody>

export const EngineReply = Choice(ENGINES, {
  description:
    'What embedded the texts: `lexical` compares wording and knows no meaning, `provider` compares meanings. `sent`: no text was embedded.',
})

const SHOWN_FIELDS = {
  id: Type.String(),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  text: Type.Optional(Type.String()),
  values: Type.Optional(Type.Array(Type.Number())),
}
export const VectorReply = Type.Object(SHOWN_FIELDS)
export const MatchReply = Type.Object({ ...SHOWN_FIELDS, score: Type.Number() })
