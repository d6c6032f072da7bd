import { Type } from 'typebox'
import { Email, RecipientBody } from '../../../../tasks/products/esigndoc/terms.ts'
import { route } from '../../../route.ts'
import { reassignAs } from '../signer/reassigning.ts'
import { ACTING_ERRORS, SignerParam } from '../signer/view.ts'
import { readOrigin, readSigner } from '../signer/visitor.ts'

export default route({
  at: 'POST /v1/esigndoc/sign/{token}/reassign',
  summary: 'Pass an envelope on to somebody else, where its sender allows that.',
  keywords: 'delegate a signature, somebody else signs, forward to the right signer',
  auth: ['none'],
  params: SignerParam,
  body: Type.Object({ name: RecipientBody.properties.name, email: Email() }, { additionalProperties: false }),
  reply: { status: 200, schema: Type.Object({ reassigned: Type.Boolean() }) },
  errors: [...ACTING_ERRORS, 'REASSIGN_NOT_ALLOWED'],
  examples: [{ title: 'To a colleague', input: { name: 'Bo', email: 'bo@example.com' } }],
  tool: false,
  async handle({ params, body, request }, context) {
    const asked = { origin: readOrigin(request), field: 'name' }
    await reassignAs(context, readSigner(context, request, params.token), body, asked)
    return { reassigned: true }
  },
})
