import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, value } from '../db.ts'

/** Who uses a channel: its owner, by the id, or whoever has a token of it. */
export type Visitor = { accountId: string; channelId: string } | { tokenHash: Buffer }

export type Role = 'read' | 'write' | 'read_write'

export interface NewToken {
  id: string
  tokenHash: Buffer
  role: Role
  label: string | undefined
}

export interface TokenView {
  id: string
  role: Role
  label: string | null
  createdAt: string
}

export interface ChannelView {
  id: string
  name: string | null
  mode: 'broadcast' | 'queue'
  state: 'open' | 'closed' | 'expired'
  history: boolean
  messages: number
  maxMessages: number
  maxMessageBytes: number
  createdAt: string
  expiresAt: string
}

interface NewChannel {
  id: string
  name: string | undefined
  mode: 'broadcast' | 'queue'
  keepsHistory: boolean
  messages: number
  maxMessageBytes: number
  seconds: number
  tokens: readonly NewToken[]
}

export function toJson(visitor: Visitor): string {
  return 'tokenHash' in visitor
    ? JSON.stringify({ token: toBytea(visitor.tokenHash) })
    : JSON.stringify({ account: visitor.accountId, channel: visitor.channelId })
}

function toBytea(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`
}

function toTokenRow({ id, tokenHash, role, label }: NewToken) {
  return { id, token_hash: toBytea(tokenHash), role, label }
}

/** Opens a channel and ends the job that pays for it, in one transaction. Throws TOO_MANY_CHANNELS. */
export function openChannel(
  db: Db,
  job: PayingJob,
  channel: NewChannel,
  maxOpen: number,
): Promise<ChannelView & { joinTokens: TokenView[] }> {
  const { id, name, mode, keepsHistory, messages, maxMessageBytes, seconds, tokens } = channel
  const fields = {
    ...{ id, account_id: job.accountId, name, mode, keeps_history: keepsHistory },
    ...{ max_messages: messages, max_message_bytes: maxMessageBytes },
  }
  const rows = JSON.stringify(tokens.map(toTokenRow))
  const values = [serializeJob(job), JSON.stringify(fields), rows, seconds, maxOpen]
  return value(db, 'select channel.open($1, $2, $3, $4, $5)', values)
}

export function listChannels(db: Db, accountId: string, limit: number, offset: number): Promise<ChannelView[]> {
  return value(db, 'select channel.list($1, $2, $3)', [accountId, limit, offset])
}

/** The id and the owner of a channel whose visitor may do what is `needed`. Throws FORBIDDEN, NOT_FOUND or GONE. */
export function locateChannel(
  db: Db,
  visitor: Visitor,
  needed: 'read' | 'write',
): Promise<{ id: string; accountId: string }> {
  return value(db, 'select channel.locate($1, $2)', [toJson(visitor), needed])
}

/** Throws NOT_FOUND or GONE, as all that follow do. */
export function readChannel(db: Db, visitor: Visitor): Promise<ChannelView & { role: Role | 'owner' }> {
  return value(db, 'select channel.read($1)', [toJson(visitor)])
}

export function closeChannel(db: Db, accountId: string, id: string): Promise<ChannelView> {
  return value(db, 'select channel.close($1, $2)', [accountId, id])
}

/** Pays for more messages. Throws CHANNEL_FULL if it would have more than `most`. */
export function extendChannel(
  db: Db,
  job: PayingJob,
  { id, messages, most }: { id: string; messages: number; most: number },
): Promise<ChannelView> {
  return value(db, 'select channel.extend($1, $2, $3, $4)', [serializeJob(job), id, messages, most])
}

/** Throws TOO_MANY_CHANNEL_TOKENS. */
export function addToken(
  db: Db,
  accountId: string,
  channelId: string,
  token: NewToken,
  max: number,
): Promise<TokenView> {
  return value(db, 'select channel.add_token($1, $2, $3, $4)', [
    accountId,
    channelId,
    JSON.stringify(toTokenRow(token)),
    max,
  ])
}

export function removeToken(db: Db, accountId: string, channelId: string, tokenId: string): Promise<TokenView> {
  return value(db, 'select channel.remove_token($1, $2, $3)', [accountId, channelId, tokenId])
}
