import { createHash } from 'node:crypto'
import { ID_PREFIX } from '#kit'
import { defineTokens } from '../../../../ops/tokens.ts'
import {
  type NewTokens,
  redeemCode,
  refreshTokens,
  revokeToken,
  type TokenGrant,
} from '../../../../sql/connector/index.ts'
import type { ApiContext } from '../../../context.ts'
import { parseScopes } from '../../../oauth/scopes.ts'
import { OAuthError, type OAuthErrorCode } from './failure.ts'

/** They are hashed as keys are, because both come in the same header. */
const HASHED_AS = 'api-key'
export const ACCESS = defineTokens(`${ID_PREFIX}_access_`, HASHED_AS)
const REFRESH = defineTokens(`${ID_PREFIX}_refresh_`, HASHED_AS)
const CODE = defineTokens(`${ID_PREFIX}_code_`, HASHED_AS)

// Decision 0089: give each connector a key of its own.

const ACCESS_SECONDS = 3_600
const REFRESH_SECONDS = 30 * 86_400
export const CODE_SECONDS = 60

/** A new code and the hash under which it is stored. */
export function makeCode(context: ApiContext): { code: string; hash: Buffer } {
  const code = CODE.mint()
  return { code, hash: hashOf(context, code) }
}

type Fields = Record<string, string>

/** Answers a request for tokens: by a code, or by a refresh token. */
export async function issueTokens(context: ApiContext, fields: Fields): Promise<object> {
  const { grant_type: type, client_id: clientId, resource } = fields
  if (type === undefined) throw new OAuthError('invalid_request', 'grant_type is missing.')
  if (clientId === undefined) throw new OAuthError('invalid_request', 'client_id is missing.')
  if (type === 'authorization_code') return exchange(context, redeem(context, fields, { clientId, resource }))
  if (type === 'refresh_token') return exchange(context, refresh(context, fields, { clientId, resource }))
  throw new OAuthError('unsupported_grant_type', 'The grants are authorization_code and refresh_token.')
}

interface Holder {
  clientId: string
  resource: string | undefined
}
type Exchange = (tokens: NewTokens) => Promise<TokenGrant>

function redeem(context: ApiContext, fields: Fields, holder: Holder): Exchange {
  const { code, code_verifier: verifier, redirect_uri: redirectUri } = fields
  if (code === undefined) throw new OAuthError('invalid_request', 'code is missing.')
  if (verifier === undefined) throw new OAuthError('invalid_request', 'code_verifier is missing.')
  if (!/^[\w.~-]{43,128}$/.test(verifier))
    throw new OAuthError('invalid_grant', 'code_verifier must be 43 to 128 letters, digits and -._~.')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return tokens => redeemCode(context.db, hashOf(context, code), { ...holder, challenge, redirectUri }, tokens)
}

function refresh(context: ApiContext, { refresh_token: token, scope }: Fields, holder: Holder): Exchange {
  if (token === undefined) throw new OAuthError('invalid_request', 'refresh_token is missing.')
  const named = parseScopes(scope ?? '')
  if (!named) throw new OAuthError('invalid_scope', REFUSALS.scope[1])
  // RFC 6749, sections 3.2 and 6: an empty scope is none, and none means what was granted.
  const scopes = named.length > 0 ? named : undefined
  return tokens => refreshTokens(context.db, hashOf(context, token), { ...holder, scopes }, tokens)
}

const REFUSALS: Record<Extract<TokenGrant, { refusal: string }>['refusal'], readonly [OAuthErrorCode, string]> = {
  unknown: ['invalid_grant', 'It does not exist, has ended, or belongs to another client.'],
  reused: ['invalid_grant', 'It was used before. All tokens of this approval have ended; ask the user again.'],
  expired: ['invalid_grant', 'It has expired; ask the user again.'],
  verifier: ['invalid_grant', 'The code_verifier does not fit the code_challenge.'],
  redirect: ['invalid_grant', 'The redirect_uri is not that of the request for the code.'],
  target: ['invalid_target', 'The resource is not that of the approval.'],
  scope: ['invalid_scope', 'The scope is not within that of the approval.'],
}

async function exchange(context: ApiContext, ask: Exchange): Promise<object> {
  const [access, next] = [ACCESS.mint(), REFRESH.mint()]
  const grant = await ask({
    accessHash: hashOf(context, access),
    refreshHash: hashOf(context, next),
    accessSeconds: ACCESS_SECONDS,
    refreshSeconds: REFRESH_SECONDS,
  })
  if ('refusal' in grant) {
    if (grant.refusal === 'reused') context.keys.forget()
    throw new OAuthError(...REFUSALS[grant.refusal])
  }
  const scope = grant.scopes.join(' ')
  return { access_token: access, token_type: 'Bearer', expires_in: ACCESS_SECONDS, refresh_token: next, scope }
}

/** RFC 7009: an unknown token is as good as revoked. */
export async function endToken(context: ApiContext, { token, client_id: clientId }: Fields): Promise<void> {
  if (token === undefined) throw new OAuthError('invalid_request', 'token is missing.')
  if (clientId === undefined) throw new OAuthError('invalid_request', 'client_id is missing.')
  await revokeToken(context.db, hashOf(context, token), clientId)
  context.keys.forget()
}

function hashOf({ config }: ApiContext, token: string): Buffer {
  return ACCESS.hash(config.secret, token)
}
