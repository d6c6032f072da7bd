import { Type } from 'typebox'
import { isUuid, Problem } from '#kit'
import { removeToken } from '../../../../sql/channel/channels.ts'
import { route } from '../../../route.ts'
import { OwnChannelParam, parseId, Token } from '../schema.ts'

export default route({
  at: 'DELETE /v1/bridge/channels/{channel}/tokens/{tokenId}',
  summary: 'Remove a token of a channel; it opens nothing any more.',
  keywords: 'revoke a token, throw somebody out of a channel',
  auth: ['key', 'wallet'],
  params: Type.Object({ ...OwnChannelParam.properties, tokenId: Type.String() }),
  reply: { status: 200, schema: Token },
  errors: ['NOT_FOUND', 'GONE', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  handle({ caller, params: { channel, tokenId } }, { db }) {
    if (!isUuid(tokenId)) throw new Problem('NOT_FOUND')
    return removeToken(db, caller.accountId, parseId('chn_', channel), tokenId)
  },
})
