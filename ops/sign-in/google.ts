import type { Configuration } from 'openid-client'
import { Problem } from '#kit'
import type { OAuthConfig } from '../config.ts'
import { beginFlow, finishFlow, isPlain } from './code-flow.ts'
import type { SignInProvider } from './provider.ts'

/** OpenID Connect: what there is to know of the issuer is asked of it once. */
export function googleProvider(google: OAuthConfig): SignInProvider {
  let known: Promise<Configuration> | undefined
  const configuration = () => {
    known ??= discover(google).catch(() => {
      known = undefined
      throw new Problem('PROVIDER_UNAVAILABLE')
    })
    return known
  }
  return {
    name: 'google',
    title: 'Google',
    begin: async redirectUri => beginFlow(await configuration(), { redirect_uri: redirectUri, scope: 'openid email' }),
    finish: async (answer, checks) => {
      const tokens = await finishFlow(await configuration(), answer, checks, true)
      const { sub, email, email_verified: isVerified } = tokens.claims()!
      return { subject: sub, email: isVerified === true && typeof email === 'string' ? email.toLowerCase() : undefined }
    },
  }
}

async function discover({ url, clientId, clientSecret }: OAuthConfig): Promise<Configuration> {
  const { discovery, allowInsecureRequests } = await import('openid-client')
  const execute = isPlain(url) ? [allowInsecureRequests] : []
  return discovery(new URL(url), clientId, clientSecret, undefined, { execute })
}
