import { Type } from 'typebox'
import { newId } from '#kit'
import { addToken } from '../../../../sql/channel/channels.ts'
import { route } from '../../../route.ts'
import { JOIN, NewToken, OwnChannelParam, parseId, Role, revealToken, Text } from '../schema.ts'

export default route({
  at: 'POST /v1/bridge/channels/{channel}/tokens',
  summary: 'Make a token by which somebody else takes part in a channel.',
  keywords: 'invite an agent, join a channel, share a channel',
  auth: ['key', 'wallet'],
  params: OwnChannelParam,
  body: Type.Object(
    { role: Role, label: Type.Optional(Text(200, 'Who gets it; messages show it as their sender.')) },
    { additionalProperties: false },
  ),
  reply: { status: 201, schema: NewToken },
  errors: [
    ...(['INVALID_PARAM', 'NOT_FOUND', 'GONE', 'TOO_MANY_CHANNEL_TOKENS'] as const),
    ...(['MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'] as const),
  ],
  examples: [{ title: 'For a reader', input: { role: 'read', label: 'auditor' } }],
  async handle({ caller, params, body: { role, label } }, { config, db, settings }) {
    const id = newId()
    const shown = revealToken(config, id)
    const row = { id, role, label, tokenHash: JOIN.hash(config.secret, shown.token) }
    const channelId = parseId('chn_', params.channel)
    return { ...(await addToken(db, caller.accountId, channelId, row, settings.get('channel.max_tokens'))), ...shown }
  },
})
