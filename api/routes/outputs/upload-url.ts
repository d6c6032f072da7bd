import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { recordUpload } from '../../../sql/object.ts'
import { route } from '../../route.ts'

const FORM_SECONDS = 3600

export default route({
  at: 'POST /v1/cputools/upload-url',
  summary: 'Get a form to upload one file with; its inputKey is then a source for any operation.',
  description:
    'Send multipart/form-data to `url` with every entry of `fields` and then the file as the part `file`. The form works ' +
    'once and until `expiresAt`; the file lives until `inputExpiresAt`.',
  auth: ['key', 'wallet', 'x402'],
  body: Type.Object(
    {
      ext: Type.Optional(Type.String({ maxLength: 12, description: 'Extension of the file, for its name.' })),
      contentType: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$', description: 'Bound into the form.' }),
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

  async handle({ caller: { accountId }, body: { ext, contentType } }, { db, settings, store }) {
    const inputKey = `scratch/${accountId}/${randomUUID()}`
    const maxBytes = settings.get('cputools.io.max_storage_ref_bytes')
    const hours = settings.get('cputools.scratch_hours')
    const word = ext?.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
    const name = word ? `upload.${word}` : undefined
    const inputExpiresAt = await recordUpload(db, { key: inputKey, accountId, contentType, name, hours })
    const expiresAt = new Date(Date.now() + FORM_SECONDS * 1000)
    const form = await store.presignPost(inputKey, { maxBytes, contentType, expiresInSeconds: FORM_SECONDS })
    return { ...form, inputKey, expiresAt, inputExpiresAt, maxBytes }
  },
})
