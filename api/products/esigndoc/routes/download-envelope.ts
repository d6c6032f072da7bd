import { Type } from 'typebox'
import { Choice } from '#kit'
import { listDocuments } from '../../../../sql/esigndoc/envelopes.ts'
import { route } from '../../../route.ts'
import { findDocument, sendDocument, VERSIONS } from '../document-files.ts'
import { EnvelopeParam, OWNER_ERRORS, parseEnvelopeId } from '../schema.ts'

export default route({
  at: 'GET /v1/esigndoc/envelopes/{id}/download',
  summary: 'Download a document of an envelope as a PDF.',
  keywords: 'download the signed pdf, get the original document, certificate of completion',
  auth: ['key', 'wallet'],
  params: EnvelopeParam,
  query: Type.Object(
    {
      version: Choice(VERSIONS, {
        default: 'current',
        description: 'current: the sealed document, or before that what is signed.',
      }),
      file: Type.Integer({ minimum: 0, maximum: 9, default: 0, description: 'Which one, if there are several.' }),
    },
    { additionalProperties: false },
  ),
  reply: { status: 200, contentType: 'application/pdf' },
  errors: [...OWNER_ERRORS, 'NOT_COMPLETED', 'INVALID_PARAM', 'UNKNOWN_FIELD'],
  async handle({ caller, params, query: { version, file }, reply }, context) {
    const found = await listDocuments(context.db, caller.accountId, parseEnvelopeId(params.id))
    await sendDocument(context, reply, findDocument(found, version, file))
  },
})
