import { Type } from 'typebox'
import { Choice, define, Problem, perCall } from '#kit'
import { generateIds, NAME_VERSIONS, NAMESPACES, TIME_VERSIONS, VERSIONS } from './uuid/generate.ts'
import { inspectId } from './uuid/inspect.ts'

const VERSION_VALUES = VERSIONS.flatMap(version => (/^\d$/.test(version) ? [version, Number(version)] : [version]))

export default define({
  summary: 'Generate identifiers, or decode one.',
  keywords:
    'guid, ulid, nanoid, random id, random password, random secret, generate a token, unique, ksuid, timestamp of id',
  description:
    'UUIDs of RFC 9562, ULIDs, nano ids and KSUIDs. The ids of one call are strictly increasing in time (1), or in time ' +
    'and as text (6, 7, ulid, ksuid). A nano id is made of 126 random bits of the system, so it can be a secret. ' +
    'With `inspect`, the answer contains the parts of an identifier.',
  price: perCall('0.001'),
  uses: [],
  instant: { maxBytes: 65_536, when: ({ count }) => count <= 1000 },
  input: Type.Object({
    version: Type.Unsafe<string | number>({
      enum: VERSION_VALUES,
      default: '4',
      description: 'A number is accepted as well.',
    }),
    count: Type.Integer({ default: 1, minimum: 1, maximum: 10_000 }),
    namespace: Type.Optional(
      Type.String({ maxLength: 64, description: `A UUID, or ${Object.keys(NAMESPACES).join(', ')}. For 3 and 5.` }),
    ),
    name: Type.Optional(Type.String({ maxLength: 65_536, description: 'The name. For 3 and 5.' })),
    timestamp: Type.Optional(
      Type.Union([Type.Integer(), Type.String({ maxLength: 40 })], {
        description: 'Milliseconds since 1970, or ISO 8601. Left out: now. For 1, 6, 7, ulid and ksuid.',
      }),
    ),
    inspect: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'An identifier to decode.' })),
  }),
  output: Type.Object({
    uuids: Type.Optional(Type.Array(Type.String())),
    kind: Type.Optional(Choice(['uuid', 'ulid', 'nanoid', 'ksuid'])),
    version: Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: 15 }), Type.Null()])),
    variant: Type.Optional(Type.Union([Choice(['ncs', 'rfc9562', 'microsoft', 'future', 'nil', 'max']), Type.Null()])),
    timestamp: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'ISO 8601, if it contains one.' }),
    ),
    timestampMs: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    clockSequence: Type.Optional(Type.Integer()),
    node: Type.Optional(Type.String({ description: 'In hex, for versions 1 and 6.' })),
    hex: Type.Optional(Type.String({ description: 'All bytes of the identifier.' })),
  }),
  errors: ['CONFLICTING_OPTIONS', 'UUID_INVALID'],
  examples: [
    { title: 'Three ids in the order of time', input: { version: '7', count: 3 } },
    {
      title: 'The id of a name',
      input: { version: '5', namespace: 'dns', name: 'www.example.com' },
      answer: { uuids: ['2ed6657d-e927-568b-95e1-2665a8aea6a2'] },
    },
    {
      title: 'When an id was made',
      input: { inspect: '017F22E2-79B0-7CC3-98C4-DC0C0C07398F' },
      answer: { kind: 'uuid', version: 7, variant: 'rfc9562', timestamp: '2022-02-22T19:22:22.000Z' },
    },
  ],

  run({ version: asked, count, namespace, name, timestamp, inspect: given }, { now }) {
    const version = String(asked) as (typeof VERSIONS)[number]
    const used = Object.entries({ namespace, name, timestamp }).flatMap(([field, value]) =>
      value === undefined ? [] : [field],
    )
    if (given !== undefined) {
      if (used.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['inspect', ...used] })
      return { result: inspectId(given.trim()) }
    }
    const allowed = NAME_VERSIONS.has(version) ? ['namespace', 'name'] : TIME_VERSIONS.has(version) ? ['timestamp'] : []
    const foreign = used.filter(field => !allowed.includes(field))
    if (foreign.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['version', ...foreign] })
    return { result: { uuids: generateIds(version, count, { namespace, name, timestamp, nowMs: now().getTime() }) } }
  },
})
