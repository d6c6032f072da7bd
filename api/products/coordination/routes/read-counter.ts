import { readCounter } from '../../../../sql/coordination/counters.ts'
import { route } from '../../../route.ts'
import { findName } from '../name.ts'
import { ChannelQuery, Counter, NameParam, READ_ERRORS } from '../schema.ts'

export default route({
  at: 'GET /v1/bridge/counters/{name}',
  summary: 'Read a counter.',
  keywords: 'value of a counter, current count, how many until now',
  auth: ['key', 'wallet'],
  params: NameParam,
  query: ChannelQuery,
  reply: { status: 200, schema: Counter },
  errors: [...READ_ERRORS, 'UNKNOWN_FIELD'],
  async handle({ caller, request, params, query }, context) {
    const { accountId, name } = await findName(context, { caller, request, ...params, ...query }, 'read')
    return readCounter(context.db, accountId, name)
  },
})
