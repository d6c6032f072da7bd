import { Problem } from '#kit'
import type { Config } from '../config.ts'
import { beginFlow, finishFlow, isPlain } from './code-flow.ts'
import type { SignInProvider } from './provider.ts'

const PATIENCE_MS = 10_000

/** Plain OAuth 2: who somebody is, is asked of the API with the token. */
export function githubProvider(github: NonNullable<Config['github']>): SignInProvider {
  const opening = openConfiguration(github)
  return {
    name: 'github',
    title: 'GitHub',
    begin: async redirectUri => beginFlow(await opening, { redirect_uri: redirectUri, scope: 'read:user user:email' }),
    finish: async (answer, checks) => {
      const { access_token: token } = await finishFlow(await opening, answer, checks, false)
      const [user, emails] = await Promise.all([
        ask<{ id: number }>(`${github.apiUrl}/user`, token),
        ask<{ email: string; primary: boolean; verified: boolean }[]>(`${github.apiUrl}/user/emails`, token),
      ])
      if (!Number.isSafeInteger(user.id)) throw new Problem('PROVIDER_UNAVAILABLE')
      const primary = emails.find(({ primary, verified }) => primary && verified)
      return { subject: String(user.id), email: primary?.email.toLowerCase() }
    },
  }
}

async function openConfiguration({ url, clientId, clientSecret }: NonNullable<Config['github']>) {
  const { Configuration, allowInsecureRequests } = await import('openid-client')
  const server = {
    issuer: url,
    authorization_endpoint: `${url}/login/oauth/authorize`,
    token_endpoint: `${url}/login/oauth/access_token`,
  }
  const configuration = new Configuration(server, clientId, clientSecret)
  if (isPlain(url)) allowInsecureRequests(configuration)
  return configuration
}

async function ask<Answer>(url: string, token: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json', 'user-agent': 'coinop' }
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => undefined)
  if (!answer?.ok) throw new Problem('PROVIDER_UNAVAILABLE')
  return (await answer.json()) as Answer
}
