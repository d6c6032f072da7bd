import { Type } from 'typebox'
import { Choice, isUuid } from '#kit'
import { decideVerification } from '../../../../sql/idverify/reviews.ts'
import { REASON_CODES } from '../../../../tasks/products/idverify/index.ts'
import { route } from '../../../route.ts'
import { REVIEWER_ERRORS, requireBearerReviewer } from '../reviewer.ts'
import { parseVerificationId, Verification } from '../schema.ts'

export default route({
  at: 'POST /admin/idverify/{id}/decision',
  summary: 'Decide about an identity, as a reviewer of the operator.',
  description: 'The token of a link of `cli idverify link` is sent as a bearer; the log names its reviewer.',
  auth: ['none'],
  ownAuth: true,
  hidden: true,
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  body: Type.Object(
    {
      decision: Choice(['approved', 'declined']),
      reasonCodes: Type.Array(Choice(REASON_CODES), { maxItems: 16, uniqueItems: true, default: [] }),
      note: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, pattern: '^[^\\u0000\\ud800-\\udfff]*$' })),
    },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: Verification },
  errors: [...REVIEWER_ERRORS, 'VERIFICATION_TERMINAL', 'ILLEGAL_TRANSITION'],
  async handle({ params, body, request }, context) {
    const reviewer = await requireBearerReviewer(context, request)
    const { decision, note } = body
    const reasonCodes =
      decision === 'declined' && body.reasonCodes.length === 0 ? (['REVIEWER_DECLINED'] as const) : body.reasonCodes
    const id = isUuid(params.id) ? params.id : parseVerificationId(params.id)
    return decideVerification(context.db, id, { decision, reasonCodes, note, reviewer })
  },
})
