import { readForReply } from '../../../../sql/ask/replies.ts'
import { route } from '../../../route.ts'
import { readToken } from '../replying.ts'
import { ReplyParam, ReplyTerms } from '../schema.ts'

export default route({
  at: 'GET /v1/bridge/reply/{token}',
  summary: 'Read the question behind a reply link. It changes nothing.',
  keywords: 'what am I asked, open a question',
  auth: ['none'],
  params: ReplyParam,
  reply: { status: 200, schema: ReplyTerms },
  errors: ['NOT_FOUND', 'RATE_LIMITED'],
  handle: ({ params, request }, context) => readForReply(context.db, readToken(context, request, params.token)),
})
