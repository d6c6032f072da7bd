import { createSign } from 'node:crypto'
import { Problem } from '#kit'
import { openProviderClient } from '../http/client.ts'
import type { GoogleConfig } from './settings.ts'

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const TOKEN_SECONDS = 3600
/** A token is replaced before it ends, so that none ends on its way. */
const SPARE_MS = 300_000

interface Token {
  text: string
  endsAtMs: number
}

/** Gives tokens of a service account; each serves until shortly before its end. */
export function openTokens({ email, privateKey, tokenUrl }: GoogleConfig['account']) {
  const { origin, pathname } = new URL(tokenUrl)
  const client = openProviderClient({ provider: 'google', baseUrl: origin })
  let current: Token | undefined

  return async (signal: AbortSignal): Promise<string> => {
    if (current && Date.now() < current.endsAtMs) return current.text
    const assertion = signAssertion({ email, privateKey, tokenUrl })
    const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
    const reply = await client({ path: pathname, body, signal, isRepeatable: true }).catch((error: unknown) => {
      throw error instanceof Problem ? error : unavailable('the service account is refused')
    })
    const { access_token: text, expires_in: seconds = TOKEN_SECONDS } = (reply ?? {}) as {
      access_token?: string
      expires_in?: number
    }
    if (typeof text !== 'string') throw unavailable('its answer has no token')
    current = { text, endsAtMs: Date.now() + seconds * 1000 - SPARE_MS }
    return text
  }
}

function unavailable(reason: string): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { provider: 'google', reason })
}

function signAssertion({ email, privateKey, tokenUrl }: GoogleConfig['account']): string {
  const issuedAt = Math.floor(Date.now() / 1000)
  const claims = { iss: email, scope: SCOPE, aud: tokenUrl, iat: issuedAt, exp: issuedAt + TOKEN_SECONDS }
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const content = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`
  return `${content}.${createSign('RSA-SHA256').update(content).sign(privateKey, 'base64url')}`
}
