import { Type } from 'typebox'
import { Choice } from '#kit'
import { BATON_STATES, listBatons } from '../../../../sql/baton/list.ts'
import { route } from '../../../route.ts'
import { OWNER_READS } from '../fields/access.ts'

const Bytes = (description: string) => Type.String({ pattern: '^\\d+$', description })
const Time = Type.String({ format: 'date-time' })

const ListedBaton = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.Union([Type.String(), Type.Null()]),
  preset: Type.String(),
  tier: Type.String(),
  state: Choice(BATON_STATES),
  sizeBytes: Bytes('What it may hold.'),
  storedBytes: Bytes('What it holds.'),
  createdAt: Time,
  expiresAt: Time,
})

export default route({
  at: 'GET /v1/baton',
  summary: 'List your batons, the newest first, with their states.',
  keywords:
    'list my stored things, list what i have stored, my batons, which batons do I have, all batons, what have I stored, find a stored file again, lost the id of a baton',
  auth: OWNER_READS,
  query: Type.Object(
    {
      state: Type.Optional(Choice(BATON_STATES, { description: 'Left out: all, also those that are over.' })),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
    },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: Type.Object({ data: Type.Array(ListedBaton), hasMore: Type.Boolean() }) },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, query: { state, limit, offset } }, { db }) {
    const found = await listBatons(db, caller.accountId, { state, limit: limit + 1, offset })
    const data = found.slice(0, limit).map(({ id, name, preset, tier, state, createdAt, expiresAt, ...sizes }) => ({
      ...{ id, name, preset, tier, state, createdAt, expiresAt },
      ...{ sizeBytes: String(sizes.sizeBytes), storedBytes: String(sizes.storedBytes) },
    }))
    return { data, hasMore: found.length > limit }
  },
})
