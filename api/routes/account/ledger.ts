import { Type } from 'typebox'
import { Choice } from '#kit'
import { LINE_TYPES, readStatement } from '../../../sql/ledger.ts'
import { CALL_FILTER, requireDays } from '../../intake/validation/call-filter.ts'
import { route } from '../../route.ts'

export default route({
  at: 'GET /v1/account/ledger',
  summary: 'List the movements on the account, newest first: top-ups, charges with their holds, and refunds.',
  keywords:
    'spending, what did i spend today, on which calls, transactions, charges, statement, what did it cost, where did my money go, payment history, what I paid for, how much did i spend and on what',
  auth: ['key', 'wallet'],
  query: Type.Object(
    {
      limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
      offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
      type: Type.Optional(Choice(LINE_TYPES)),
      ...CALL_FILTER,
      key: Type.Optional(Type.String({ pattern: '^\\w{1,64}$', description: 'The prefix of an API key.' })),
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      data: Type.Array(
        Type.Object({
          id: Type.String(),
          type: Choice(LINE_TYPES),
          direction: Choice(['credit', 'debit']),
          amountMicros: Type.String(),
          serviceKey: Type.Optional(Type.String()),
          status: Choice(['pending', 'settled', 'released', 'refunded'], {
            description: 'Only what is settled was spent: what is released was held and given back.',
          }),
          jobId: Type.Optional(Type.String()),
          keyPrefix: Type.Optional(Type.String({ description: 'The key that made the call.' })),
          asset: Type.Optional(Type.String()),
          txHash: Type.Optional(Type.String()),
          steps: Type.Optional(
            Type.Array(Type.Object({ id: Type.String(), serviceKey: Type.String(), amountMicros: Type.String() }), {
              description: 'Of a pipeline: what each step cost.',
            }),
          ),
          createdAt: Type.String(),
        }),
      ),
      pagination: Type.Object({ limit: Type.Integer(), offset: Type.Integer(), hasMore: Type.Boolean() }),
    }),
  },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, query: { limit, offset, ...filter } }, { readDb }) {
    requireDays(filter)
    const lines = await readStatement(readDb, { accountId: caller.accountId, ...filter, limit: limit + 1, offset })
    return { data: lines.slice(0, limit), pagination: { limit, offset, hasMore: lines.length > limit } }
  },
})
