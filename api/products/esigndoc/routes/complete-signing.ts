import { Type } from 'typebox'
import { readForSigning } from '../../../../sql/esigndoc/signing.ts'
import { MarkBody } from '../../../../tasks/products/esigndoc/mark.ts'
import { route } from '../../../route.ts'
import { completeAs } from '../signer/signing.ts'
import { Values } from '../signer/values-body.ts'
import { ACTING_ERRORS, describeForSigner, SignerParam, SignerReply, VALUE_ERRORS } from '../signer/view.ts'
import { readOrigin, readSigner } from '../signer/visitor.ts'

export default route({
  at: 'POST /v1/esigndoc/sign/{token}/complete',
  summary: 'Sign, or approve: fill in the rest, and agree to the consent.',
  keywords: 'finish signing, apply a signature',
  description:
    'The same call again is answered as before. What is agreed to is `consent` of GET /v1/esigndoc/sign/{token}.',
  auth: ['none'],
  params: SignerParam,
  body: Type.Object(
    {
      values: Type.Optional(Values),
      signature: Type.Optional(MarkBody),
      initials: Type.Optional(MarkBody),
      consent: Type.Boolean(),
    },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: SignerReply },
  errors: [...ACTING_ERRORS, ...VALUE_ERRORS, 'FIELD_REQUIRED', 'CONSENT_REQUIRED'],
  examples: [
    { title: 'With a typed name', input: { signature: { mode: 'type', data: 'Ida Example' }, consent: true } },
  ],
  tool: false,
  async handle({ params, body: { values = {}, signature, initials, consent }, request }, context) {
    const signer = readSigner(context, request, params.token)
    await completeAs(context, signer, { values, signature, initials, consent }, readOrigin(request))
    return describeForSigner(await readForSigning(context.db, signer))
  },
})
