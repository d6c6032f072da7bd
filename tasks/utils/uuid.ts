import { Type } from 'typebox'
import { Choice, define, Problem, perCall } from '#kit'
import { inspect } from './inspect-shape.ts'
import { makeIds, NAMED, NAMESPACES, TIMED, VERSIONS } from './uuid-shape.ts'

const WORDS = VERSIONS.flatMap(version => (/^\d$/.test(version) ? [version, Number(version)] : [version]))

export default define({
  summary: 'Make identifiers, or read one.',
  description:
    'UUIDs of RFC 9562, ULIDs, nano ids and KSUIDs. Those of one call rise strictly in time (1), or in time and as ' +
    'text (6, 7, ulid, ksuid). With `inspect`, the answer says what an identifier holds.',
  price: perCall('0.001'),
  uses: [],
  input: Type.Object({
    version: Type.Unsafe<string | number>({ enum: WORDS, default: '4', description: 'A number is taken as well.' }),
    count: Type.Integer({ default: 1, minimum: 1, maximum: 10_000 }),
    namespace: Type.Optional(
      Type.String({ maxLength: 64, description: `A UUID, or ${Object.keys(NAMESPACES).join(', ')}. For 3 and 5.` }),
    ),
    name: Type.Optional(Type.String({ maxLength: 65_536, description: 'What is named. For 3 and 5.' })),
    timestamp: Type.Optional(
      Type.Union([Type.Integer(), Type.String({ maxLength: 40 })], {
        description: 'Milliseconds since 1970, or ISO 8601; now where left out. For 1, 6, 7, ulid and ksuid.',
      }),
    ),
    inspect: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'An identifier to read.' })),
  }),
  output: Type.Object({
    uuids: Type.Optional(Type.Array(Type.String())),
    kind: Type.Optional(Choice(['uuid', 'ulid', 'nanoid', 'ksuid'])),
    version: Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: 15 }), Type.Null()])),
    variant: Type.Optional(Type.Union([Choice(['ncs', 'rfc9562', 'microsoft', 'future', 'nil', 'max']), Type.Null()])),
    timestamp: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'ISO 8601, where it holds one.' }),
    ),
    timestampMs: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    clockSequence: Type.Optional(Type.Integer()),
    node: Type.Optional(Type.String({ description: 'In hex, of versions 1 and 6.' })),
    hex: Type.Optional(Type.String({ description: 'All its bytes.' })),
  }),
  errors: ['CONFLICTING_OPTIONS', 'UUID_INVALID'],
  examples: [
    { title: 'Three ids in the order of time', input: { version: 7, count: 3 } },
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
      return { result: inspect(given.trim()) }
    }
    const allowed = NAMED.has(version) ? ['namespace', 'name'] : TIMED.has(version) ? ['timestamp'] : []
    const foreign = used.filter(field => !allowed.includes(field))
    if (foreign.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['version', ...foreign] })
    return { result: { uuids: makeIds(version, count, { namespace, name, timestamp, nowMs: now().getTime() }) } }
  },
})
