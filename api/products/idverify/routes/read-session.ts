import { readSession } from '../../../../sql/idverify/sessions.ts'
import { route } from '../../../route.ts'
import { SESSION_ERRORS, SessionHeaders, SessionParam, SessionReply } from '../schema.ts'
import { showSession } from '../session.ts'
import { readLink, readSession as readMark } from '../visitor.ts'

export default route({
  at: 'GET /v1/idverify/session/{token}',
  summary: 'Read what the person of a verification has to do, for a page or an app of your own.',
  keywords: 'embed identity verification, own verification page, mobile app kyc',
  description: 'The token is the last part of `hostedUrl`. Nothing is changed.',
  auth: ['none'],
  params: SessionParam,
  headers: SessionHeaders,
  reply: { status: 200, schema: SessionReply },
  errors: SESSION_ERRORS,
  async handle({ params, request }, context) {
    const token = readLink(context, request, params.token)
    return showSession(context, await readSession(context.db, token, readMark(context, request)))
  },
})
