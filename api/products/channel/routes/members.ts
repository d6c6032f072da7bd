import { readMembers } from '../../../../sql/channel/messages.ts'
import { route } from '../../../route.ts'
import { ChannelParam, Members, VISITOR_ERRORS } from '../schema.ts'
import { findVisitor } from '../visitor.ts'

export default route({
  at: 'GET /v1/bridge/channels/{channel}/members',
  summary: 'Tell who is in a channel.',
  keywords: 'presence, who is online, members of a room',
  auth: ['key', 'wallet', 'none'],
  params: ChannelParam,
  reply: { status: 200, schema: Members },
  errors: VISITOR_ERRORS,
  handle: async (asked, context) => ({ data: await readMembers(context.db, findVisitor(context, asked)) }),
})
