import { Type } from 'typebox'
import { Problem } from '#kit'
import { OUTPUT_URL_SECONDS, presignOutput } from '../../../ops/providers/storage/envelope.ts'
import { isObjectKey } from '../../../ops/providers/storage/key.ts'
import { readObject } from '../../../sql/object.ts'
import { keyNamer, splitPriceToken } from '../../intake/files/price-token.ts'
import { route } from '../../route.ts'

export default route({
  at: 'GET /v1/outputs/*',
  summary: 'Get a new download address for a stored output. It is valid for about an hour.',
  keywords: 'download, fetch result, link, outputUrl expired, outputKey',
  description:
    'The rest of the path is the complete outputKey. `expiresAt` is the time at which the output itself is removed.',
  auth: ['key', 'wallet', 'none'],
  connectorScope: 'mcp:read',
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

  async handle({ caller, params: { '*': named } }, { config, db, store }) {
    const { key: outputKey } = splitPriceToken(named)
    const record = caller && isObjectKey(outputKey) ? await readObject(db, caller.accountId, outputKey) : undefined
    const stat = record && !record.isExpired ? await store.stat(outputKey) : undefined
    if (!record || !stat) throw new Problem('NOT_FOUND')
    const { sizeBytes, contentType } = stat
    const remainingSeconds = Math.ceil((record.expiresAt.getTime() - Date.now()) / 1000)
    const expiresInSeconds = Math.min(OUTPUT_URL_SECONDS, remainingSeconds)
    const url = await presignOutput({ key: outputKey, name: record.name, contentType }, store, expiresInSeconds)
    return {
      outputKey: keyNamer(config.secret, caller)(outputKey),
      url,
      sizeBytes,
      contentType,
      expiresAt: record.expiresAt,
    }
  },
})
