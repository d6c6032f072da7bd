import { Type } from 'typebox'
import { Choice } from '#kit'
import { readVerification, requestPoll } from '../../../../sql/idverify/verifications.ts'
import { route } from '../../../route.ts'
import { OWNER_ERRORS, parseVerificationId, STATUSES, Verification, VerificationParam } from '../schema.ts'

const { id, status, decision, updatedAt } = Verification.properties

/** A provider that was asked so lately is not asked again. */
const POLLED_RECENTLY_SECONDS = 5
/** How long its answer is waited for. */
const POLL_SECONDS = 5
const CLOCKS_DIFFER_MS = 2_000

export default route({
  at: 'GET /v1/idverify/verifications/{id}/status',
  summary: 'Ask for the status of a verification, or wait until it changes.',
  description: 'Where a provider verifies, it is asked, and its answer is waited for up to 5 seconds.',
  keywords: 'wait for an identity check, poll kyc status, long poll',
  auth: ['key', 'wallet'],
  params: VerificationParam,
  query: Type.Object(
    {
      since: Type.Optional(
        Choice(STATUSES, { description: 'The status that you know; waits until it is another one.' }),
      ),
      waitSec: Type.Integer({ minimum: 0, maximum: 55, default: 0, description: 'How long to wait for that.' }),
    },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: Type.Object({ id, status, decision, updatedAt }) },
  errors: [...OWNER_ERRORS, 'INVALID_PARAM', 'UNKNOWN_FIELD', 'TOO_MANY_WAITS', 'TIME_LIMIT_EXCEEDED'],
  async handle({ caller: { accountId }, params, query, reply }, { db, longPolls, settings }) {
    const verificationId = parseVerificationId(params.id)
    const isAsked = await requestPoll(db, accountId, verificationId, POLLED_RECENTLY_SECONDS)
    const askedAt = Date.now()
    const waited = query.since === undefined ? 0 : query.waitSec
    const seconds = isAsked ? Math.max(waited, POLL_SECONDS) : waited
    const wait = { accountId, seconds, reply, max: settings.get('rate.waits_per_account') }
    return longPolls.until(`idverify ${verificationId}`, wait, async () => {
      const { id, status, decision, updatedAt, polledAt } = await readVerification(db, accountId, verificationId)
      const isOther = query.since !== undefined && status !== query.since
      const isPolled = waited === 0 && polledAt !== null && Date.parse(polledAt) >= askedAt - CLOCKS_DIFFER_MS
      return { found: { id, status, decision, updatedAt }, isFinal: isOther || isPolled, changesInMs: 60_000 }
    })
  },
})
