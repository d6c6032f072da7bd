import { createHash } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { type LocalServer, openLocalServer } from './local.ts'

/** A fake GitHub and OpenID issuer: it issues codes for users and checks PKCE. */
export interface IdentityProvider extends LocalServer {
  env: Record<string, string>
  /** Approves a sign-in request as `person`, and gives the query of the redirect back to us. */
  approve(address: string, person: TestIdentity): URLSearchParams
}

export interface TestIdentity {
  id: number
  email: string
  isVerified?: boolean
  /** Replaces the requested nonce. */
  nonce?: string
}

export async function openIdentityProvider(): Promise<IdentityProvider> {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const codes = new Map<string, { person: TestIdentity; challenge: string; nonce: string }>()
  const people = new Map<string, TestIdentity>()
  const server = await openLocalServer(async ({ path, headers, body }) => {
    const person = people.get(headers.authorization?.replace('Bearer ', '') ?? '')
    switch (path) {
      case '/.well-known/openid-configuration':
        return {
          issuer: server.url,
          authorization_endpoint: `${server.url}/authorize`,
          token_endpoint: `${server.url}/token`,
          jwks_uri: `${server.url}/keys`,
        }
      case '/keys':
        return { keys: [jwk] }
      case '/token':
        return exchange(new URLSearchParams(body), true)
      case '/login/oauth/access_token':
        return exchange(new URLSearchParams(body), false)
      case '/user':
        return person && { id: person.id }
      case '/user/emails':
        return person && { list: [{ email: person.email, primary: true, verified: person.isVerified ?? true }] }
      default:
        return undefined
    }
  })

  async function exchange(form: URLSearchParams, isOpenId: boolean): Promise<object> {
    const given = codes.get(form.get('code') ?? '')
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    codes.delete(form.get('code') ?? '')
    if (given?.challenge !== proof) return { status: 400, error: 'invalid_grant' }
    const token = crypto.randomUUID()
    const { person } = given
    people.set(token, person)
    if (!isOpenId) return { access_token: token, token_type: 'bearer' }
    const claims = {
      email: person.email,
      email_verified: person.isVerified ?? true,
      nonce: person.nonce ?? given.nonce,
    }
    const idToken = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(server.url)
      .setAudience('google client')
      .setSubject(`g${person.id}`)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey)
    return { access_token: token, token_type: 'bearer', id_token: idToken }
  }

  return {
    ...server,
    url: server.url,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    env: {
      GITHUB_CLIENT_ID: 'github client',
      GITHUB_CLIENT_SECRET: 'secret',
      GITHUB_URL: server.url,
      GITHUB_API_URL: server.url,
      GOOGLE_CLIENT_ID: 'google client',
      GOOGLE_CLIENT_SECRET: 'secret',
      GOOGLE_ISSUER: server.url,
    },
    approve: (address, person) => {
      const request = new URL(address).searchParams
      const code = crypto.randomUUID()
      codes.set(code, { person, challenge: request.get('code_challenge') ?? '', nonce: request.get('nonce') ?? '' })
      return new URLSearchParams({ code, state: request.get('state') ?? '' })
    },
  }
}
