import { locateChannel } from '../../../sql/channel/index.ts'
import type { ApiContext } from '../../context.ts'
import type { IncomingCall } from '../../incoming-call.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import { findVisitor } from '../channel/index.ts'

interface Asked {
  caller: Caller
  request: IncomingCall
  /** The id of a channel of the caller's, or a token of a channel. */
  channel?: string | undefined
}

/** Whose names are meant: those that an account has by itself, or those of one of its channels. */
interface Place {
  accountId: string
  channelId?: string
}

/** Throws FORBIDDEN if the role of a token does not allow what is `needed`. */
export async function findPlace(
  context: ApiContext,
  { caller, request, channel }: Asked,
  needed: 'read' | 'write',
): Promise<Place> {
  if (channel === undefined) return { accountId: caller.accountId }
  const visitor = findVisitor(context, { caller, params: { channel }, request })
  const { id, accountId } = await locateChannel(context.db, visitor, needed)
  return { accountId, channelId: id }
}

/** A name as it is stored, with the account that has it. */
export async function findName(
  context: ApiContext,
  asked: Asked & { name: string },
  needed: 'read' | 'write',
): Promise<{ accountId: string; name: string }> {
  const { accountId, channelId } = await findPlace(context, asked, needed)
  return { accountId, name: channelId === undefined ? asked.name : `${channelId}/${asked.name}` }
}
