import { Type } from 'typebox'
import { Choice } from '#kit'
import { listWaitingReviews } from '../../../../sql/idverify/reviews.ts'
import { REASON_CODES } from '../../../../tasks/products/idverify/index.ts'
import { route } from '../../../route.ts'
import { REVIEWER_ERRORS, requireBearerReviewer } from '../reviewer.ts'
import { TYPES } from '../schema.ts'

export default route({
  at: 'GET /admin/idverify/queue',
  summary: 'List the identities that wait for a decision, for a reviewer of the operator.',
  description: 'The token of a link of `cli idverify link` is sent as a bearer.',
  auth: ['none'],
  ownAuth: true,
  hidden: true,
  query: Type.Object(
    { limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }) },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      data: Type.Array(
        Type.Object({
          id: Type.String({ format: 'uuid' }),
          accountId: Type.String({ format: 'uuid' }),
          type: Choice(TYPES),
          since: Type.String({ format: 'date-time' }),
          reasonCodes: Type.Array(Choice(REASON_CODES)),
        }),
      ),
    }),
  },
  errors: [...REVIEWER_ERRORS],
  async handle({ query, request }, context) {
    await requireBearerReviewer(context, request)
    return { data: await listWaitingReviews(context.db, query.limit) }
  },
})
