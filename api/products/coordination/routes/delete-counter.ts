import { deleteCounter } from '../../../../sql/coordination/counters.ts'
import { route } from '../../../route.ts'
import { findName } from '../name.ts'
import { ChannelQuery, Counter, NameParam, READ_ERRORS } from '../schema.ts'

export default route({
  at: 'DELETE /v1/bridge/counters/{name}',
  summary: 'Delete a counter; the next call that adds to it begins at 0.',
  keywords: 'reset a counter, remove a counter',
  auth: ['key', 'wallet'],
  params: NameParam,
  query: ChannelQuery,
  reply: { status: 200, schema: Counter },
  errors: [...READ_ERRORS, 'UNKNOWN_FIELD'],
  async handle({ caller, request, params, query }, context) {
    const { accountId, name } = await findName(context, { caller, request, ...params, ...query }, 'write')
    return deleteCounter(context.db, accountId, name)
  },
})
