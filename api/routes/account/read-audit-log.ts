import { Type } from 'typebox'
import { listAuditEntries } from '../../../sql/product/audit.ts'
import { route } from '../../route.ts'
import { readSubject, SubjectPath } from './schema.ts'

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })

export default route({
  at: 'GET /v1/audit/{kind}/{id}',
  summary: 'Read the log of something you own, oldest entry first: who did what to it, and when.',
  keywords: 'audit trail, who claimed it, what happened to a handoff, history of a thing',
  description:
    'Entries are only added. To check a log: `hash` is the hexadecimal SHA-256 of `text` in UTF-8. `text` is a JSON array of the kind, the id, `seq`, the account, `actor`, `action`, `detail`, the time in seconds and `previous`, which is the `hash` of the entry before, or null of the first. So no entry can be changed, taken out or put in without changing all later hashes; keep the last hash that you saw.',
  auth: ['key', 'wallet'],
  params: SubjectPath,
  query: Type.Object(
    {
      after: Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        default: 0,
        description: 'The `seq` after which to go on.',
      }),
      limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      data: Type.Array(
        Type.Object({
          seq: Type.Integer(),
          at: Type.String({ format: 'date-time' }),
          actor: Type.String(),
          action: Type.String(),
          detail: Type.Object({}, { additionalProperties: true }),
          previous: Type.Union([Hash, Type.Null()]),
          hash: Hash,
          text: Type.String(),
        }),
      ),
      pagination: Type.Object({ limit: Type.Integer(), after: Type.Integer(), hasMore: Type.Boolean() }),
    }),
  },
  errors: ['NOT_FOUND', 'INVALID_PARAM', 'UNKNOWN_FIELD', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params, query: { after, limit } }, { readDb: db }) {
    const entries = await listAuditEntries(db, readSubject(caller.accountId, params), after, limit + 1)
    return { data: entries.slice(0, limit), pagination: { limit, after, hasMore: entries.length > limit } }
  },
})
