import { Type } from 'typebox'
import { route } from '../../../route.ts'
import { SESSION_ERRORS, SessionHeaders, SessionParam, SessionReply } from '../schema.ts'
import { begin, showSession } from '../session.ts'
import { markVisitor, readLink } from '../visitor.ts'

export default route({
  at: 'POST /v1/idverify/session/{token}/begin',
  summary: 'Begin a verification in the name of its person, for a page or an app of your own.',
  keywords: 'start a verification session, mobile app kyc',
  description:
    'Whoever begins gets `session` and sends it along from then on; the link is of no use to others. Where a provider verifies, lead the person to `providerUrl`.',
  auth: ['none'],
  params: SessionParam,
  headers: SessionHeaders,
  reply: {
    status: 200,
    schema: Type.Object({
      ...SessionReply.properties,
      session: Type.String({ description: 'For the header X-Verify-Session.' }),
    }),
  },
  errors: [...SESSION_ERRORS, 'VERIFICATION_TERMINAL', 'PROVIDER_UNAVAILABLE'],
  async handle({ params, request, reply }, context) {
    const token = readLink(context, request, params.token)
    const { session, word } = markVisitor(context, request, reply)
    const view = await begin(context, { text: params.token, token, session })
    return { ...showSession(context, view), session: word }
  },
})
