import { Type } from 'typebox'
import { FileOutput } from '#kit'
import { makeEnvelope } from '../../../../ops/providers/storage/envelope.ts'
import { listDocuments } from '../../../../sql/esigndoc/envelopes.ts'
import { keyNamer } from '../../../intake/files/price-token.ts'
import { route } from '../../../route.ts'
import { findDocument } from '../document-files.ts'
import { EnvelopeParam, OWNER_ERRORS, parseEnvelopeId } from '../schema.ts'

const PDF = 'application/pdf'

export default route({
  at: 'GET /v1/esigndoc/envelopes/{id}/signed-document',
  summary: 'Get the sealed document of a completed envelope.',
  keywords: 'signed pdf, sealed document, final copy',
  description: 'Further calls take its `outputKey` as `inputKey`, as long as there is the envelope.',
  auth: ['key', 'wallet'],
  params: EnvelopeParam,
  reply: { status: 200, schema: Type.Object({ output: FileOutput(PDF), sha256: Type.String() }) },
  errors: [...OWNER_ERRORS, 'NOT_COMPLETED'],
  async handle({ caller, params }, { config, db, store }) {
    const found = await listDocuments(db, caller.accountId, parseEnvelopeId(params.id))
    const { key, name, sizeBytes, sha256 } = findDocument(found, 'signed')
    const stored = { key, name, sizeBytes, contentType: PDF }
    return { output: await makeEnvelope(stored, { store, nameKey: keyNamer(config.secret, caller) }), sha256 }
  },
})
