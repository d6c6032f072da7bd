import { Problem } from '#kit'
import type { Visitor } from '../../../sql/channel/channels.ts'
import type { ApiContext } from '../../context.ts'
import type { IncomingCall } from '../../incoming-call.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import { requireTokenRate } from '../../intake/identity/rate-limit.ts'
import { JOIN, parseId } from './schema.ts'

interface Asked {
  caller: Caller | undefined
  params: { channel: string }
  request: IncomingCall
}

/** Who calls: the owner with the id of the channel, or anybody with a token of it. */
export function findVisitor(context: ApiContext, { caller, params: { channel }, request }: Asked): Visitor {
  if (JOIN.hasForm(channel)) {
    const token = JOIN.hash(context.config.secret, channel)
    const perAddress = context.settings.get('rate.channel_calls_per_minute')
    requireTokenRate(context, { kind: 'channel', ip: request.ip, perAddress, token, perToken: perAddress })
    return { tokenHash: token }
  }
  if (!caller) throw new Problem('MISSING_AUTH')
  return { accountId: caller.accountId, channelId: parseId('chn_', channel) }
}

/** By whom calls that wait are counted: the account of the owner, or the token. */
export function countAs(visitor: Visitor): string {
  return 'tokenHash' in visitor ? visitor.tokenHash.toString('base64url') : visitor.accountId
}
