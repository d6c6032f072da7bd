import type { Configuration } from 'openid-client'
import { Problem } from '#kit'
import type { Checks } from './provider.ts'

/** Where to send the browser, with a state, a nonce and a PKCE challenge of this attempt alone. */
export async function beginFlow(
  configuration: Configuration,
  parameters: { redirect_uri: string; scope: string },
): Promise<{ url: string; checks: Checks }> {
  const client = await import('openid-client')
  const verifier = client.randomPKCECodeVerifier()
  const checks = { verifier, state: client.randomState(), nonce: client.randomNonce() }
  const url = client.buildAuthorizationUrl(configuration, {
    ...parameters,
    state: checks.state,
    nonce: checks.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  return { url: url.href, checks }
}

/** Exchanges the code; an answer with another state, nonce or verifier signs nobody in. */
export async function finishFlow(
  configuration: Configuration,
  answer: URL,
  { state, verifier, nonce }: Checks,
  isOpenId: boolean,
) {
  const client = await import('openid-client')
  try {
    return await client.authorizationCodeGrant(configuration, answer, {
      expectedState: state,
      pkceCodeVerifier: verifier,
      ...(isOpenId && { expectedNonce: nonce, idTokenExpected: true }),
    })
  } catch (error) {
    throw isAway(error) ? new Problem('PROVIDER_UNAVAILABLE') : new Problem('SIGN_IN_FAILED', { reason: 'provider' })
  }
}

/** A provider on this machine, as tests have one, speaks plain HTTP. */
export function isPlain(url: string): boolean {
  return url.startsWith('http://')
}

export function isAway(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed'
}
