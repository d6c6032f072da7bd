import { Type } from 'typebox'
import { route } from '../../../route.ts'
import { saveSigning } from '../signer/signing.ts'
import { Values } from '../signer/values-body.ts'
import { ACTING_ERRORS, SignerParam, VALUE_ERRORS } from '../signer/view.ts'
import { readOrigin, readSigner } from '../signer/visitor.ts'

export default route({
  at: 'POST /v1/esigndoc/sign/{token}/fields',
  summary: 'Keep what a recipient has filled in so far.',
  keywords: 'save a partly filled form',
  auth: ['none'],
  params: SignerParam,
  body: Type.Object({ values: Values }, { additionalProperties: false }),
  reply: { status: 200, schema: Type.Object({ saved: Type.Boolean() }) },
  errors: [...ACTING_ERRORS, ...VALUE_ERRORS],
  examples: [{ title: 'One field', input: { values: { city: 'Berlin' } } }],
  tool: false,
  async handle({ params, body: { values }, request }, context) {
    await saveSigning(context, readSigner(context, request, params.token), { values }, readOrigin(request))
    return { saved: true }
  },
})
