import { Type } from 'typebox'
import { changeToken } from '../../../../sql/baton/tokens.ts'
import { route } from '../../../route.ts'
import { OWNER_AUTH, USE_ERRORS } from '../fields/access.ts'
import { TOKEN_LIMITS, TokenReply } from '../fields/create.ts'
import { hashBatonToken, readLimits, showToken } from '../tokens.ts'
import { identifyVisitor } from '../visitor.ts'

export default route({
  at: 'POST /v1/baton/{id}/tokens/{tokenId}',
  summary: 'Change the limits of a token, or revoke it.',
  keywords: 'revoke a token, take back a share, limit a token, stop sharing',
  auth: OWNER_AUTH,
  params: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 64 }),
    tokenId: Type.String({ minLength: 1, maxLength: 64 }),
  }),
  body: Type.Object(
    { ...TOKEN_LIMITS, revoke: Type.Optional(Type.Boolean()) },
    { minProperties: 1, additionalProperties: false },
  ),
  reply: { status: 200, schema: TokenReply },
  errors: [...USE_ERRORS, 'INVALID_FIELD', 'IPV6_NOT_SUPPORTED', 'INVALID_PARAM'],
  examples: [{ title: 'Revoke it', input: { revoke: true } }],

  async handle({ caller, params, body, request }, context) {
    const by = identifyVisitor(context, { caller, params, request })
    const change = { ...readLimits(body), revoke: body.revoke ?? false }
    return showToken(context, await changeToken(context.db, by, hashBatonToken(context, params.tokenId), change))
  },
})
