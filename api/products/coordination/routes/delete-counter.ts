import { deleteCounter } from '../../../../sql/coordination/counters.ts'
import { route } from '../../../route.ts'
import { Counter, NameParam, READ_ERRORS } from '../schema.ts'

export default route({
  at: 'DELETE /v1/bridge/counters/{name}',
  summary: 'Delete a counter; the next call that adds to it begins at 0.',
  keywords: 'reset a counter, remove a counter',
  auth: ['key', 'wallet'],
  params: NameParam,
  reply: { status: 200, schema: Counter },
  errors: READ_ERRORS,
  handle: ({ caller, params }, { db }) => deleteCounter(db, caller.accountId, params.name),
})
