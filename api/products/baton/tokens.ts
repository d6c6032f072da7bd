import { isIPv6 } from 'node:net'
import { newId, Problem } from '#kit'
import { defineTokens } from '../../../ops/tokens.ts'
import type { TokenRecord } from '../../../sql/baton/tokens.ts'
import type { ApiContext } from '../../context.ts'
import { hasRealDay } from '../../intake/moment.ts'
import type { NewTokenFields } from './fields/create.ts'

// Decision 0094: derive the secrets of batons from their ids.

const TOKENS = defineTokens('tok_', 'baton-token', 'baton-token-value')
const WRITER_PREFIX = 'token:'
const BYTE = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
const IPV4_NETWORK = new RegExp(`^${BYTE}(\\.${BYTE}){3}(/(3[0-2]|[12]?[0-9]))?$`)

export function isToken(text: string): boolean {
  return TOKENS.hasForm(text)
}

export function hashBatonToken({ config }: Pick<ApiContext, 'config'>, token: string): Buffer {
  return TOKENS.hash(config.secret, token)
}

/**
 * The token with this id. It follows from the id and the secret of the service, so its owner can be shown it again although
 * it is stored nowhere.
 */
function deriveToken({ config }: Pick<ApiContext, 'config'>, id: string): string {
  return TOKENS.derive(config.secret, id)
}

/** A new token, as it is stored and as the answer to its creation is kept: without the token itself. */
export function newToken(context: Pick<ApiContext, 'config'>, body: NewTokenFields) {
  const id = newId()
  const { type, reads_allowed: readsAllowed, require_fingerprint: needsFingerprint = false } = body
  const hash = hashBatonToken(context, deriveToken(context, id)).toString('hex')
  const stored = { id, hash, type, needsFingerprint, ...readLimits(body) }
  return { stored, kept: { writer: WRITER_PREFIX + id, type, ...(readsAllowed !== undefined && { readsAllowed }) } }
}

type Limits = Partial<Pick<NewTokenFields, 'reads_allowed' | 'writes_allowed' | 'expires_at' | 'ip_allow_list'>>

/** The limits that a body names, checked, under the names they are stored by. */
export function readLimits(body: Limits) {
  const { reads_allowed: reads, writes_allowed: writes, expires_at: end, ip_allow_list: networks } = body
  return {
    ...(reads !== undefined && { reads }),
    ...(writes !== undefined && { writes }),
    ...(end !== undefined && { expiresAt: end === null ? null : readTime('expires_at', end) }),
    ...(networks !== undefined && { ipAllow: networks.map(requireIpv4Network) }),
  }
}

export function readTime(field: string, text: string): string {
  const time = /^\d{4}-\d{2}-\d{2}(T|$)/.test(text) ? new Date(text) : new Date(Number.NaN)
  if (Number.isNaN(time.getTime())) throw new Problem('INVALID_PARAM', { field, expected: 'an ISO 8601 time' })
  if (!hasRealDay(text)) throw new Problem('INVALID_PARAM', { field, reason: 'there is no such day' })
  return time.toISOString()
}

function requireIpv4Network(text: string): string {
  if (IPV4_NETWORK.test(text)) return text
  const hints = { field: 'ip_allow_list', value: text }
  throw new Problem(isIPv6(text.split('/', 1)[0]!) ? 'IPV6_NOT_SUPPORTED' : 'INVALID_PARAM', hints)
}

export function showToken(context: Pick<ApiContext, 'config'>, { tokenId, ...facts }: TokenRecord) {
  return { id: deriveToken(context, tokenId), ...facts }
}

/** Adds the token itself to what is kept of its creation. */
export function revealToken<Kept extends { writer: string }>(context: Pick<ApiContext, 'config'>, kept: Kept) {
  return { id: deriveToken(context, kept.writer.slice(WRITER_PREFIX.length)), ...kept }
}
