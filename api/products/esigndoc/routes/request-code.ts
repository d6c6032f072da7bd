import { Type } from 'typebox'
import { route } from '../../../route.ts'
import { requestCode } from '../signer/proving.ts'
import { SIGNER_ERRORS, SignerParam } from '../signer/view.ts'
import { readSigner } from '../signer/visitor.ts'

export default route({
  at: 'POST /v1/esigndoc/sign/{token}/otp',
  summary: 'Send a recipient a one-time code, by mail or as a text message.',
  keywords: 'one time password, send the code to sign',
  auth: ['none'],
  params: SignerParam,
  reply: { status: 202, schema: Type.Object({ method: Type.String(), validUntil: Type.String() }) },
  errors: [...SIGNER_ERRORS, 'CODES_EXHAUSTED', 'CODE_SENT_RECENTLY', 'VERIFICATION_REQUIRED'],
  tool: false,
  handle: ({ params, request }, context) => requestCode(context, readSigner(context, request, params.token)),
})
