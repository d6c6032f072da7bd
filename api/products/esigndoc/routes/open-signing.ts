import { openPage, readForSigning } from '../../../../sql/esigndoc/signing.ts'
import { route } from '../../../route.ts'
import { describeForSigner, SIGNER_ERRORS, SignerParam, SignerReply } from '../signer/view.ts'
import { markVisitor, readOrigin, readSigner } from '../signer/visitor.ts'

export default route({
  at: 'POST /v1/esigndoc/sign/{token}/open',
  summary: 'Say that a recipient has opened the document, which their owner is told once.',
  keywords: 'mark as viewed',
  description:
    'Programs that follow links in mails do not do this, so an envelope is not viewed before a person is there.',
  auth: ['none'],
  params: SignerParam,
  reply: { status: 200, schema: SignerReply },
  errors: SIGNER_ERRORS,
  tool: false,
  async handle({ params, request, reply }, context) {
    reply.header('cache-control', 'no-store')
    const { token } = readSigner(context, request, params.token)
    const { session, word, isNew } = markVisitor(context, request, reply)
    await openPage(context.db, { token, session }, readOrigin(request))
    return describeForSigner(await readForSigning(context.db, { token, session }), isNew ? word : undefined)
  },
})
