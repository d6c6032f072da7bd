import { Type } from 'typebox'
import { isUuid, Problem } from '#kit'
import { readFile } from '../../../../sql/ask/replies.ts'
import { sendKeptFile } from '../../../intake/reply/kept-file.ts'
import { route } from '../../../route.ts'
import { readToken } from '../replying.ts'
import { ReplyParam } from '../schema.ts'

export default route({
  at: 'GET /v1/bridge/reply/{token}/files/{fileId}',
  summary: 'Download a file that is attached to a question.',
  keywords: 'attachment of a question',
  auth: ['none'],
  params: Type.Object({ ...ReplyParam.properties, fileId: Type.String() }),
  reply: { status: 200, contentType: 'application/octet-stream' },
  errors: ['NOT_FOUND', 'RATE_LIMITED'],
  async handle({ params, request, reply }, context) {
    const tokenHash = readToken(context, request, params.token)
    if (!isUuid(params.fileId)) throw new Problem('NOT_FOUND')
    sendKeptFile(reply, await readFile(context.db, { tokenHash }, params.fileId))
  },
})
