import { mintToken } from '../../../../sql/baton/tokens.ts'
import { route } from '../../../route.ts'
import { BatonId, OWNER_AUTH, USE_ERRORS } from '../fields/access.ts'
import { TokenFields, TokenReply } from '../fields/create.ts'
import { newToken, showToken } from '../tokens.ts'
import { identifyVisitor } from '../visitor.ts'

export const MAX_TOKENS = 100

export default route({
  at: 'POST /v1/baton/{id}/tokens',
  summary: 'Mint a token by which others can read or write a baton that you own.',
  keywords:
    'share, invite, access token, one-time link, give read access, share with an agent, limit how often a baton is read',
  auth: OWNER_AUTH,
  params: BatonId,
  body: TokenFields,
  reply: { status: 201, schema: TokenReply },
  errors: [...USE_ERRORS, 'TOO_MANY_TOKENS', 'IPV6_NOT_SUPPORTED', 'INVALID_PARAM'],
  examples: [{ title: 'Share once', input: { type: 'read', reads_allowed: 1 } }],

  async handle({ caller, params, body, request }, context) {
    const by = identifyVisitor(context, { caller, params, request })
    return showToken(context, await mintToken(context.db, by, newToken(context, body).stored, MAX_TOKENS))
  },
})
