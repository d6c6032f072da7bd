import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { recordUpload } from '../../../sql/object.ts'
import { keyNamer } from '../../intake/files/price-token.ts'
import { route } from '../../route.ts'

const FORM_LIFETIME_SECONDS = 3600

export default route({
  at: 'POST /v1/cputools/upload-url',
  summary: 'Get an upload form for one file. Its inputKey can then be used as a source in any operation.',
  keywords: 'upload large file, upload a file once and use it in several calls, send file, inputKey, big input',
  isFeatured: true,
  description:
    'Send multipart/form-data to `url` with every entry of `fields` and then the file as the part `file`. The form can be ' +
    'used once, until `expiresAt`; the file is kept until `inputExpiresAt`.',
  auth: ['key', 'wallet', 'x402'],
  connectorScope: 'mcp:write',
  body: Type.Object(
    {
      ext: Type.Optional(Type.String({ maxLength: 12, description: 'The extension of the file name.' })),
      contentType: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          pattern: '^[\\x20-\\x7e]+$',
          description: 'The content type that the file is kept with, whatever its part says.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  reply: {
    status: 201,
    schema: Type.Object({
      url: Type.String({ format: 'uri' }),
      fields: Type.Record(Type.String(), Type.String()),
      inputKey: Type.String(),
      expiresAt: Type.String({ format: 'date-time' }),
      inputExpiresAt: Type.String({ format: 'date-time' }),
      maxBytes: Type.Integer(),
    }),
  },
  errors: [
    'INVALID_JSON',
    'INVALID_PARAM',
    'UNKNOWN_FIELD',
    'UNSUPPORTED_MEDIA_TYPE',
    'MISSING_AUTH',
    'UNAUTHENTICATED',
    'ACCOUNT_SUSPENDED',
  ],
  examples: [{ title: 'Upload a PDF', input: { ext: 'pdf', contentType: 'application/pdf' } }],

  async handle({ caller, body: { ext, contentType } }, { config, db, settings, store }) {
    const { accountId } = caller
    const key = `scratch/${accountId}/${randomUUID()}`
    const maxBytes = settings.get('cputools.io.max_storage_ref_bytes')
    const hours = settings.get('cputools.scratch_hours')
    const extension = ext?.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
    const name = extension ? `upload.${extension}` : undefined
    const inputExpiresAt = await recordUpload(db, { key, accountId, contentType, name, hours })
    const expiresAt = new Date(Date.now() + FORM_LIFETIME_SECONDS * 1000)
    const form = await store.presignPost(key, { maxBytes, contentType, expiresInSeconds: FORM_LIFETIME_SECONDS })
    const inputKey = keyNamer(config.secret, caller)(key)
    return { ...form, inputKey, expiresAt, inputExpiresAt, maxBytes }
  },
})
