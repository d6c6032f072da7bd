import { Type } from 'typebox'
import { Choice } from '#kit'
import { readStatus } from '../../../../sql/esigndoc/envelopes.ts'
import { route } from '../../../route.ts'
import { EnvelopeParam, OWNER_ERRORS, parseEnvelopeId, STATUSES } from '../schema.ts'

export default route({
  at: 'GET /v1/esigndoc/envelopes/{id}/status',
  summary: 'Ask how far an envelope is, or wait until its status changes.',
  keywords: 'poll a signature request, wait for signatures, who is next to sign, who has not signed yet, long poll',
  auth: ['key', 'wallet'],
  params: EnvelopeParam,
  query: Type.Object(
    {
      since: Type.Optional(
        Choice(STATUSES, { description: 'The status that you know; waits until it is another one.' }),
      ),
      waitSec: Type.Integer({ minimum: 0, maximum: 55, default: 0, description: 'How long to wait for that.' }),
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      id: Type.String(),
      status: Choice(STATUSES),
      progress: Type.Object({ signed: Type.Integer(), total: Type.Integer() }),
      recipients: Type.Array(Type.Object({ id: Type.String(), status: Type.String(), order: Type.Integer() })),
      nextRecipients: Type.Array(Type.String(), { description: 'Whose turn it is.' }),
    }),
  },
  errors: [...OWNER_ERRORS, 'INVALID_PARAM', 'UNKNOWN_FIELD', 'TOO_MANY_WAITS', 'TIME_LIMIT_EXCEEDED'],
  async handle({ caller: { accountId }, params, query, reply }, { db, longPolls, settings }) {
    const id = parseEnvelopeId(params.id)
    const seconds = query.since === undefined ? 0 : query.waitSec
    const wait = { accountId, seconds, reply, max: settings.get('rate.waits_per_account') }
    return longPolls.until(`envelope ${id}`, wait, async () => {
      const found = await readStatus(db, accountId, id)
      return { found, isFinal: found.status !== query.since, changesInMs: 60_000 }
    })
  },
})
