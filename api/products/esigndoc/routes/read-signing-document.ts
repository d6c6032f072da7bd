import { Type } from 'typebox'
import { Problem } from '#kit'
import { readForSigning } from '../../../../sql/esigndoc/signing.ts'
import { route } from '../../../route.ts'
import { findDocument, sendDocument } from '../document-files.ts'
import { requireAdmitted } from '../signer/signing.ts'
import { SIGNER_ERRORS, SignerParam } from '../signer/view.ts'
import { readSigner } from '../signer/visitor.ts'

export default route({
  at: 'GET /v1/esigndoc/sign/{token}/document',
  summary: 'Download what a recipient signs, or what all have signed, by their link.',
  keywords: 'download before signing, my signed copy',
  auth: ['none'],
  params: SignerParam,
  query: Type.Object({ file: Type.Integer({ minimum: 0, maximum: 9, default: 0 }) }, { additionalProperties: false }),
  reply: { status: 200, contentType: 'application/pdf' },
  errors: [...SIGNER_ERRORS, 'VERIFICATION_REQUIRED', 'LINK_IN_USE', 'FORBIDDEN', 'INVALID_PARAM', 'UNKNOWN_FIELD'],
  async handle({ params, query: { file }, request, reply }, context) {
    const view = await readForSigning(context.db, readSigner(context, request, params.token))
    requireAdmitted(view)
    if (view.status !== 'completed' && !view.allowDownload) throw new Problem('FORBIDDEN')
    await sendDocument(context, reply, findDocument(view.documents!, 'current', file))
  },
})
