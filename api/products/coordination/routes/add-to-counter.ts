import { Type } from 'typebox'
import { Problem, perCall } from '#kit'
import { addToCounter } from '../../../../sql/coordination/counters.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { findName } from '../name.ts'
import { CHANNEL_ERRORS, Counter, InChannel, NameParam } from '../schema.ts'

const LARGEST = Number.MAX_SAFE_INTEGER
const Amount = { minimum: -LARGEST, maximum: LARGEST }

export default route({
  at: 'POST /v1/bridge/counters/{name}',
  summary: 'Add to a counter that agents share, and get its new value.',
  keywords:
    'increment, decrement, count up, shared number, quota, sequence number, budget of calls, semaphore, at most two at once, limit how many do it at the same time',
  description:
    'A counter begins at 0. With `min` or `max` it is changed only if it stays within them: `max` 2 lets two in at once, and who leaves adds -1.',
  auth: BILLABLE_AUTH,
  params: NameParam,
  body: Type.Object(
    {
      add: Type.Integer({ ...Amount, default: 1, description: 'May be negative, or 0.' }),
      min: Type.Integer({ ...Amount, default: -LARGEST }),
      max: Type.Integer({ ...Amount, default: LARGEST }),
      channel: InChannel,
    },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  reply: { status: 200, schema: Counter },
  price: perCall('0.001'),
  settles: true,
  errors: [
    ...(['INVALID_PARAM', 'NOT_FOUND', ...CHANNEL_ERRORS] as const),
    ...(['CONFLICTING_OPTIONS', 'COUNTER_LIMIT', 'TOO_MANY_NAMES', 'TIME_LIMIT_EXCEEDED'] as const),
  ],
  examples: [
    { title: 'One more', input: {} },
    { title: 'Take one of a hundred', input: { add: 1, max: 100 } },
  ],
  async handle({ caller, request, params, body: { add, min, max, channel }, job }, context) {
    if (min > max) throw new Problem('CONFLICTING_OPTIONS', { fields: ['min', 'max'] })
    const { db, settings } = context
    const { accountId, name } = await findName(context, { caller, request, channel, ...params }, 'write')
    return addToCounter(db, job!, { accountId, name, add, min, max }, settings.get('coordination.max_names'))
  },
})
