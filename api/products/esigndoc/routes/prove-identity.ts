import { Type } from 'typebox'
import { readForSigning } from '../../../../sql/esigndoc/signing.ts'
import { route } from '../../../route.ts'
import { proveAs } from '../signer/proving.ts'
import { describeForSigner, SIGNER_ERRORS, SignerParam, SignerReply } from '../signer/view.ts'
import { markVisitor, readOrigin, readSigner } from '../signer/visitor.ts'

export default route({
  at: 'POST /v1/esigndoc/sign/{token}/verify',
  summary: 'Prove who a recipient is: by a one-time code, an access code, a wallet, or a verified identity.',
  keywords: 'enter the code, access code of an envelope, verify a signer',
  description: 'From then on only this browser, or whoever sends its session, can go on.',
  auth: ['none'],
  params: SignerParam,
  body: Type.Object(
    {
      code: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      wallet: Type.Optional(
        Type.Object(
          {
            address: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }),
            signature: Type.String({ pattern: '^0x[0-9a-fA-F]{2,4096}$' }),
            signedAt: Type.Integer({ description: 'As in what was signed: `walletProof`.' }),
          },
          { additionalProperties: false },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  reply: { status: 200, schema: SignerReply },
  errors: [...SIGNER_ERRORS, 'CODE_WRONG', 'CODES_EXHAUSTED', 'INVALID_PARAM', 'MISSING_FIELD'],
  examples: [{ title: 'A code from a mail', input: { code: '123456' } }],
  tool: false,
  async handle({ params, body, request, reply }, context) {
    reply.header('cache-control', 'no-store')
    const { token } = readSigner(context, request, params.token)
    const { session, word, isNew } = markVisitor(context, request, reply)
    await proveAs(context, { token, session }, body, readOrigin(request))
    return describeForSigner(await readForSigning(context.db, { token, session }), isNew ? word : undefined)
  },
})
