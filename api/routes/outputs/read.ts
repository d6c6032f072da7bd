import { Type } from 'typebox'
import { Problem } from '#kit'
import { isKey } from '../../../ops/storage/index.ts'
import { readObject } from '../../../sql/object.ts'
import { OUTPUT_URL_SECONDS, outputUrl } from '../../intake/output.ts'
import { route } from '../../route.ts'

export default route({
  at: 'GET /v1/outputs/*',
  summary: 'Get a fresh address for a stored output; it works for about an hour.',
  description: 'The rest of the path is the whole outputKey. `expiresAt` is when the output itself is removed.',
  auth: ['key', 'wallet', 'none'],
  params: Type.Object({ '*': Type.String({ description: 'The outputKey.' }) }),
  reply: {
    status: 200,
    schema: Type.Object({
      outputKey: Type.String(),
      url: Type.String({ format: 'uri' }),
      sizeBytes: Type.Integer(),
      contentType: Type.String(),
      expiresAt: Type.String({ format: 'date-time' }),
    }),
  },
  errors: ['NOT_FOUND', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],

  async handle({ caller, params: { '*': outputKey } }, { db, store }) {
    const record = caller && isKey(outputKey) ? await readObject(db, caller.accountId, outputKey) : undefined
    const facts = record && !record.isExpired ? await store.stat(outputKey) : undefined
    if (!record || !facts) throw new Problem('NOT_FOUND')
    const { sizeBytes, contentType } = facts
    const left = Math.ceil((record.expiresAt.getTime() - Date.now()) / 1000)
    const seconds = Math.min(OUTPUT_URL_SECONDS, left)
    const url = await outputUrl({ key: outputKey, name: record.name, contentType }, store, seconds)
    return { outputKey, url, sizeBytes, contentType, expiresAt: record.expiresAt }
  },
})
