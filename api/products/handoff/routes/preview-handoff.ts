import { Type } from 'typebox'
import { previewHandoff } from '../../../../sql/handoff/claims.ts'
import { wantsPage } from '../../../pages/unknown-path.ts'
import { route } from '../../../route.ts'
import { NullableText, Time } from '../../lease/index.ts'
import { HandoffToken } from '../schema.ts'
import { hashHandoffToken, requireClaimRate } from '../tokens.ts'

export default route({
  at: 'GET /api/handoff/claim/{token}',
  summary: 'Describe the file behind a handoff link. It is not claimed by that.',
  keywords: 'look at a link before claiming it, what is behind a link',
  auth: ['none'],
  params: HandoffToken,
  reply: {
    status: 200,
    schema: Type.Object({
      filename: NullableText,
      size_bytes: Type.Integer(),
      content_type: Type.String(),
      sha256: Type.String(),
      note: NullableText,
      needs_pin: Type.Boolean(),
      needs_sign_in: Type.Boolean({ description: 'Only the account that its owner has named may claim it.' }),
      expires_at: Time,
    }),
  },
  errors: ['NOT_FOUND', 'ALREADY_CLAIMED', 'GONE', 'HANDOFF_LOCKED', 'RATE_LIMITED'],
  async handle({ params, request, reply }, context) {
    requireClaimRate(context, request, params.token)
    reply.headers({ 'cache-control': 'no-store', vary: 'Accept' })
    // A person who opens the link gets the page of it.
    if (wantsPage(request)) return void reply.redirect(`/handoff/${params.token}`, 303)
    return previewHandoff(context.db, hashHandoffToken(context, params.token))
  },
})
