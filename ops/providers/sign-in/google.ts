import type { Configuration } from 'openid-client'
import { Problem } from '#kit'
import { finishCodeFlow, isPlainHttp, startCodeFlow } from './code-flow.ts'
import type { SignInProvider } from './contract.ts'
import type { OAuthConfig } from './settings.ts'

/** OpenID Connect: the issuer's configuration is fetched once. */
export function createGoogleProvider(google: OAuthConfig): SignInProvider {
  let discovered: Promise<Configuration> | undefined
  const getConfiguration = () => {
    discovered ??= discover(google).catch(() => {
      discovered = undefined
      throw new Problem('PROVIDER_UNAVAILABLE')
    })
    return discovered
  }
  return {
    name: 'google',
    title: 'Google',
    startFlow: async redirectUri =>
      startCodeFlow(await getConfiguration(), { redirect_uri: redirectUri, scope: 'openid email' }),
    finishFlow: async (answer, checks) => {
      const tokens = await finishCodeFlow(await getConfiguration(), answer, checks, true)
      const { sub, email, email_verified: isVerified } = tokens.claims()!
      return { subject: sub, email: isVerified === true && typeof email === 'string' ? email.toLowerCase() : undefined }
    },
  }
}

async function discover({ url, clientId, clientSecret }: OAuthConfig): Promise<Configuration> {
  const { discovery, allowInsecureRequests } = await import('openid-client')
  const execute = isPlainHttp(url) ? [allowInsecureRequests] : []
  return discovery(new URL(url), clientId, clientSecret, undefined, { execute })
}
