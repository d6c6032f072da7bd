import { Type } from 'typebox'
import { FileOutput } from '#kit'
import { makeEnvelope } from '../../../../ops/providers/storage/envelope.ts'
import { listDocuments } from '../../../../sql/esigndoc/envelopes.ts'
import { route } from '../../../route.ts'
import { findDocument } from '../document-files.ts'
import { EnvelopeParam, OWNER_ERRORS, parseEnvelopeId } from '../schema.ts'

const PDF = 'application/pdf'

export default route({
  at: 'GET /v1/esigndoc/envelopes/{id}/signed-document',
  summary: 'Get the sealed document of a completed envelope.',
  keywords: 'signed pdf, sealed document, final copy',
  auth: ['key', 'wallet'],
  params: EnvelopeParam,
  reply: { status: 200, schema: Type.Object({ output: FileOutput(PDF), sha256: Type.String() }) },
  errors: [...OWNER_ERRORS, 'NOT_COMPLETED'],
  async handle({ caller, params }, { db, store }) {
    const found = await listDocuments(db, caller.accountId, parseEnvelopeId(params.id))
    const { key, name, sizeBytes, sha256 } = findDocument(found, 'signed')
    const stored = { key, name, sizeBytes, contentType: PDF }
    const { outputKey: _notForCalls, ...output } = await makeEnvelope(stored, { store })
    return { output, sha256 }
  },
})
