import { Type } from 'typebox'
import { declineSigning } from '../../../../sql/esigndoc/signing.ts'
import { Text } from '../../../../tasks/products/esigndoc/terms.ts'
import { route } from '../../../route.ts'
import { ACTING_ERRORS, SignerParam } from '../signer/view.ts'
import { readOrigin, readSigner } from '../signer/visitor.ts'

export default route({
  at: 'POST /v1/esigndoc/sign/{token}/decline',
  summary: 'Decline to sign, which ends the envelope for all.',
  keywords: 'refuse to sign, reject a document',
  auth: ['none'],
  params: SignerParam,
  body: Type.Object({ reason: Text(500) }, { additionalProperties: false }),
  reply: { status: 200, schema: Type.Object({ declined: Type.Boolean() }) },
  errors: [...ACTING_ERRORS, 'DECLINE_NOT_ALLOWED'],
  examples: [{ title: 'With a reason', input: { reason: 'The rent is wrong.' } }],
  tool: false,
  async handle({ params, body: { reason }, request }, context) {
    await declineSigning(context.db, readSigner(context, request, params.token), reason, readOrigin(request))
    return { declined: true }
  },
})
