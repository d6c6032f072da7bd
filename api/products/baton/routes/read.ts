import { Type } from 'typebox'
import { route } from '../../../route.ts'
import { BatonRef, READER_AUTH, USE_ERRORS } from '../fields/access.ts'
import { sendContent } from '../read.ts'
import { identifyVisitor } from '../visitor.ts'

export default route({
  at: 'GET /v1/baton/{id}',
  summary: 'Read the content of a baton, or one entry of it.',
  keywords: 'download, fetch stored file, read log',
  description:
    'Answers with the bytes; a log is all of its entries, one after the other. `Range` and `If-None-Match` are supported. What is read is drawn from the quotas of the baton; a read that would pass one is refused. A token with a cap counts a read once all bytes were sent, in one answer or by ranges; one that is broken off counts only the bytes that were sent.',
  auth: READER_AUTH,
  params: BatonRef,
  query: Type.Object({ entry: Type.Optional(Type.Integer({ minimum: 1, description: 'The number of one entry.' })) }),
  reply: { status: 200, contentType: 'application/octet-stream' },
  errors: [...USE_ERRORS, 'PRESET_MISMATCH', 'BATON_EMPTY', 'QUOTA_EXHAUSTED', 'RATE_LIMITED'],

  async handle({ caller, params, query: { entry }, request, reply }, context) {
    await sendContent(context, identifyVisitor(context, { caller, params, request }), { request, reply }, entry)
  },
})
