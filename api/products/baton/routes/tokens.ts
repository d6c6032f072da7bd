import { Type } from 'typebox'
import { listTokens } from '../../../../sql/baton/tokens.ts'
import { route } from '../../../route.ts'
import { BatonId, OWNER_READS, USE_ERRORS } from '../fields/access.ts'
import { TokenReply } from '../fields/create.ts'
import { showToken } from '../tokens.ts'
import { identifyVisitor } from '../visitor.ts'

export default route({
  at: 'GET /v1/baton/{id}/tokens',
  summary: 'List the tokens of a baton that you own, with what they have used; revoked ones too.',
  keywords: 'who can access, list shares, access tokens',
  auth: OWNER_READS,
  params: BatonId,
  reply: { status: 200, schema: Type.Object({ data: Type.Array(TokenReply) }) },
  errors: USE_ERRORS,

  async handle({ caller, params, request }, context) {
    const found = await listTokens(context.db, identifyVisitor(context, { caller, params, request }))
    return { data: found.map(token => showToken(context, token)) }
  },
})
