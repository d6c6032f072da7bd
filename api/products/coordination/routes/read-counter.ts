import { readCounter } from '../../../../sql/coordination/counters.ts'
import { route } from '../../../route.ts'
import { Counter, NameParam, READ_ERRORS } from '../schema.ts'

export default route({
  at: 'GET /v1/bridge/counters/{name}',
  summary: 'Read a counter.',
  keywords: 'value of a counter, how many so far',
  auth: ['key', 'wallet'],
  params: NameParam,
  reply: { status: 200, schema: Counter },
  errors: READ_ERRORS,
  handle: ({ caller, params }, { db }) => readCounter(db, caller.accountId, params.name),
})
