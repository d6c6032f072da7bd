import { Type } from 'typebox'
import { Text } from '../../../../tasks/products/esigndoc/terms.ts'
import { decodeBase64 } from '../../../intake/body/base64.ts'
import { route } from '../../../route.ts'
import { saveSigning } from '../signer/signing.ts'
import { ACTING_ERRORS, SignerParam, VALUE_ERRORS } from '../signer/view.ts'
import { readOrigin, readSigner } from '../signer/visitor.ts'

export default route({
  at: 'POST /v1/esigndoc/sign/{token}/uploads',
  summary: 'Upload a file for a field: an attachment, or the image of a stamp.',
  keywords: 'attach a file while signing, upload a stamp',
  auth: ['none'],
  params: SignerParam,
  body: Type.Object(
    {
      field: Type.String({ maxLength: 64 }),
      name: Text(200),
      content: Type.String({ description: 'Base64.', maxLength: 50_000_000 }),
    },
    { additionalProperties: false },
  ),
  reply: { status: 201, schema: Type.Object({ id: Type.String() }) },
  errors: [...ACTING_ERRORS, ...VALUE_ERRORS],
  examples: [{ title: 'A text', input: { field: 'proof', name: 'note.txt', content: 'SGVsbG8=' } }],
  tool: false,
  async handle({ params, body: { field, name, content }, request }, context) {
    const signer = readSigner(context, request, params.token)
    const files = { [field]: { name, bytes: decodeBase64(content, 'content') } }
    const { uploads } = await saveSigning(context, signer, { values: {}, files }, readOrigin(request))
    return { id: uploads[0]! }
  },
})
