import { readForSigning } from '../../../../sql/esigndoc/signing.ts'
import { route } from '../../../route.ts'
import { describeForSigner, SIGNER_ERRORS, SignerParam, SignerReply } from '../signer/view.ts'
import { readSigner } from '../signer/visitor.ts'

export default route({
  at: 'GET /v1/esigndoc/sign/{token}',
  summary: 'Read what a recipient is asked to sign, by their link. Changes nothing.',
  keywords: 'open a signing link, what do I sign',
  auth: ['none'],
  params: SignerParam,
  reply: { status: 200, schema: SignerReply },
  errors: SIGNER_ERRORS,
  async handle({ params, request, reply }, context) {
    reply.header('cache-control', 'no-store')
    return describeForSigner(await readForSigning(context.db, readSigner(context, request, params.token)))
  },
})
