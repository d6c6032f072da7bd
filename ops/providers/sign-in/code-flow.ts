import type { Configuration } from 'openid-client'
import { Problem } from '#kit'
import type { FlowChecks } from './contract.ts'

/** Builds the address to send the browser to, with a state, a nonce and a PKCE challenge for this attempt only. */
export async function startCodeFlow(
  configuration: Configuration,
  parameters: { redirect_uri: string; scope: string },
): Promise<{ url: string; checks: FlowChecks }> {
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

/** Exchanges the code for tokens; an answer with a different state, nonce or verifier is rejected. */
export async function finishCodeFlow(
  configuration: Configuration,
  answer: URL,
  { state, verifier, nonce }: FlowChecks,
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
    throw isUnreachable(error)
      ? new Problem('PROVIDER_UNAVAILABLE')
      : new Problem('SIGN_IN_FAILED', { reason: 'provider' })
  }
}

/** Providers on this machine, as in tests, use plain HTTP. */
export function isPlainHttp(url: string): boolean {
  return url.startsWith('http://')
}

function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed'
}
