import { Type } from 'typebox'
import { Choice } from '#kit'
import { ENTITY_TYPES, FAMILIES, IDENTIFIER_TYPES, NAME_TYPES } from '../../../tasks/products/screening/entity.ts'
import { STATUSES } from '../../../tasks/products/screening/outcome.ts'

const MAX_SUBJECTS = 100
const Printable = '^[^\\u0000\\ud800-\\udfff]*$'

function Line(maxLength: number, description?: string) {
  return Type.String({ minLength: 1, maxLength, pattern: Printable, ...(description && { description }) })
}

const Country = Type.String({ pattern: '^[A-Z]{2}$', description: 'Two capital letters.' })
const Countries = Type.Array(Country, { default: [], maxItems: 10 })
export const EntityId = Type.String({
  minLength: 3,
  maxLength: 200,
  pattern: '^[^\\u0000\\ud800-\\udfff]+$',
  description: 'The list and the id in it, as a match has it: `un_sc:6908555`.',
})

export const SUBJECT = {
  name: Line(200, 'In any script; the order of its words does not matter.'),
  type: Choice([...ENTITY_TYPES.filter(type => type !== 'other'), 'any'], { default: 'any' }),
  aliases: Type.Array(Line(200), { default: [], maxItems: 10 }),
  dob: Type.Optional(Type.String({ maxLength: 10, description: 'YYYY, YYYY-MM or YYYY-MM-DD.' })),
  nationality: Countries,
  country: Countries,
  gender: Type.Optional(Choice(['male', 'female'])),
  placeOfBirth: Type.Optional(Line(200)),
  identifiers: Type.Array(
    Type.Object(
      { type: Choice(IDENTIFIER_TYPES), value: Line(100), country: Type.Optional(Country) },
      { additionalProperties: false },
    ),
    { default: [], maxItems: 20 },
  ),
  address: Type.Optional(Line(300)),
  excludeIds: Type.Array(EntityId, { default: [], maxItems: 50, description: 'Entries that are not this subject.' }),
  topics: Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
    default: [],
    maxItems: 20,
    description: 'Only entries with one of these, such as `sanction` or `role.pep`.',
  }),
  referenceId: Type.Optional(Line(128, 'Yours, for this subject; what is dismissed for it stays dismissed.')),
}

export const LISTS = {
  lists: Type.Array(Type.String({ maxLength: 50 }), {
    default: ['sanctions', 'pep'],
    minItems: 1,
    maxItems: 3,
    description: '`sanctions`, `pep`, and `custom` for all lists that you have uploaded.',
  }),
  sources: Type.Array(Type.String({ maxLength: 60 }), {
    default: [],
    maxItems: 20,
    description: 'Only these lists, such as `un_sc` or an uploaded one; left out: all that are chosen here.',
  }),
}

export const MATCHING = {
  threshold: Type.Number({ default: 0.85, minimum: 0.5, maximum: 1 }),
  weakAliases: Type.Boolean({ default: true, description: 'Compare nicknames too; those alone score 0.8 at most.' }),
}

export const MatchBody = Type.Object(
  {
    ...{ ...SUBJECT, name: Type.Optional(SUBJECT.name) },
    subjects: Type.Optional(
      Type.Record(Type.String({ pattern: '^[\\w.:-]{1,64}$' }), Type.Object(SUBJECT, { additionalProperties: false }), {
        minProperties: 1,
        maxProperties: MAX_SUBJECTS,
        description: 'Up to 100 subjects by keys of yours, instead of one in the body itself.',
      }),
    ),
    ...LISTS,
    ...MATCHING,
    limit: Type.Integer({
      default: 10,
      minimum: 1,
      maximum: 100,
      description: 'How many matches are shown; all decide the status.',
    }),
    explain: Type.Boolean({ default: true }),
    asOf: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2 ** 31 - 1,
        description: 'The id of a version: the lists as they were when it was loaded.',
      }),
    ),
    allowSample: Type.Boolean({
      default: false,
      description: 'Where no list is loaded, search some 40 invented entries for trial.',
    }),
  },
  { additionalProperties: false },
)

const Source = Type.Object({
  source: Type.String(),
  title: Type.String(),
  publisher: Type.String(),
  version: Type.Integer(),
  publishedAt: Type.Union([Type.String(), Type.Null()]),
  loadedAt: Type.String({ format: 'date-time' }),
  entries: Type.Integer(),
  sha256: Type.Union([Type.String(), Type.Null()]),
  stale: Type.Boolean(),
})

const FamilyCoverage = Type.Object({
  state: Choice(['full', 'partial', 'sample', 'none']),
  sources: Type.Array(Source),
  missing: Type.Array(Type.String(), { description: 'Lists that belong to it and are not loaded here.' }),
})

const Texts = Type.Array(Type.String())
const Entity = Type.Object({
  names: Type.Array(Type.Object({ name: Type.String(), type: Choice(NAME_TYPES) })),
  dob: Texts,
  gender: Type.Optional(Choice(['male', 'female'])),
  nationalities: Texts,
  countries: Texts,
  birthPlaces: Texts,
  identifiers: Type.Array(
    Type.Object({ type: Choice(IDENTIFIER_TYPES), value: Type.String(), country: Type.Optional(Type.String()) }),
  ),
  addresses: Texts,
  programs: Texts,
  topics: Texts,
  positions: Type.Array(
    Type.Object({
      title: Type.String(),
      country: Type.Optional(Type.String()),
      from: Type.Optional(Type.String()),
      to: Type.Optional(Type.String()),
    }),
  ),
  remarks: Type.Optional(Type.String()),
  listedOn: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
})

const Match = Type.Object({
  entityId: Type.String(),
  source: Type.String(),
  sourceId: Type.String(),
  list: Choice(FAMILIES),
  caption: Type.String(),
  type: Choice(ENTITY_TYPES),
  score: Type.Number(),
  status: Choice(['review', 'match'], {
    description: '`match`: 0.95 or more, and an identifier, the birth, or the country with the whole name agrees.',
  }),
  falsePositive: Type.Boolean({ description: 'You have dismissed it, and the entry has not changed since.' }),
  matchedName: Type.String(),
  nameType: Choice(NAME_TYPES),
  explanation: Type.Array(
    Type.Object({
      feature: Type.String(),
      query: Type.String(),
      candidate: Type.String(),
      score: Type.Number(),
      weight: Type.Number(),
    }),
  ),
  entryHash: Type.String(),
  entity: Entity,
})

export const ScreeningReply = Type.Object({
  screeningId: Type.String({ pattern: '^scr_' }),
  referenceId: Type.Optional(Type.String()),
  status: Choice(STATUSES, { description: '`clear` only where every list that was asked for is loaded and fresh.' }),
  incomplete: Type.Boolean(),
  matches: Type.Array(Match),
  coverage: Type.Object({
    sanctions: Type.Optional(FamilyCoverage),
    pep: Type.Optional(FamilyCoverage),
    custom: Type.Optional(FamilyCoverage),
  }),
  algorithm: Type.String(),
  threshold: Type.Number(),
  searchedAt: Type.String({ format: 'date-time' }),
  queryHash: Type.String(),
  notice: Type.String(),
})

export const BatchReply = Type.Object({ results: Type.Record(Type.String(), ScreeningReply) })

export const DismissalReply = Type.Object({
  subjectKey: Type.String({ description: '`ref:` and your referenceId, or `name:` and a hash.' }),
  entityId: Type.String(),
  entryHash: Type.String({ description: 'Of the entry as it was dismissed; a changed entry counts again.' }),
  reason: Type.String(),
  createdAt: Type.String({ format: 'date-time' }),
})
