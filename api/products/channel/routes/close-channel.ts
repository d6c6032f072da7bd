import { closeChannel } from '../../../../sql/channel/channels.ts'
import { route } from '../../../route.ts'
import { Channel, OwnChannelParam, parseId } from '../schema.ts'

export default route({
  at: 'DELETE /v1/bridge/channels/{channel}',
  summary: 'Close a channel; its messages are deleted.',
  keywords: 'delete a channel, end a room, shut down a channel',
  auth: ['key', 'wallet'],
  params: OwnChannelParam,
  reply: { status: 200, schema: Channel },
  errors: ['NOT_FOUND', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  handle: ({ caller, params }, { db }) => closeChannel(db, caller.accountId, parseId('chn_', params.channel)),
})
