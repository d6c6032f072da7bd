import { Type } from 'typebox'
import { isUuid, Problem } from '#kit'
import { readFile } from '../../../../sql/ask/replies.ts'
import { sendKeptFile } from '../../../intake/reply/kept-file.ts'
import { route } from '../../../route.ts'
import { AskParam, OWNER_ERRORS, parseAskId } from '../schema.ts'

export default route({
  at: 'GET /v1/bridge/asks/{ask}/files/{fileId}',
  summary: 'Download a file of an ask: one that you attached, or one that somebody replied with.',
  keywords: 'download the uploaded file, file of a reply',
  auth: ['key', 'wallet'],
  params: Type.Object({ ...AskParam.properties, fileId: Type.String() }),
  reply: { status: 200, contentType: 'application/octet-stream' },
  errors: OWNER_ERRORS,
  async handle({ caller: { accountId }, params, reply }, { db }) {
    const askId = parseAskId(params.ask)
    if (!isUuid(params.fileId)) throw new Problem('NOT_FOUND')
    sendKeptFile(reply, await readFile(db, { accountId, askId }, params.fileId))
  },
})
