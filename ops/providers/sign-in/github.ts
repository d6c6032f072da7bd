import { Problem } from '#kit'
import type { Config } from '../../config.ts'
import { finishCodeFlow, isPlainHttp, startCodeFlow } from './code-flow.ts'
import type { SignInProvider } from './contract.ts'

const TIMEOUT_MS = 10_000

/** Plain OAuth 2: the identity is read from the API with the access token. */
export function createGithubProvider(github: NonNullable<Config['github']>): SignInProvider {
  const configuring = openConfiguration(github)
  return {
    name: 'github',
    title: 'GitHub',
    startFlow: async redirectUri =>
      startCodeFlow(await configuring, { redirect_uri: redirectUri, scope: 'read:user user:email' }),
    finishFlow: async (answer, checks) => {
      const { access_token: token } = await finishCodeFlow(await configuring, answer, checks, false)
      const [user, emails] = await Promise.all([
        fetchJson<{ id: number }>(`${github.apiUrl}/user`, token),
        fetchJson<{ email: string; primary: boolean; verified: boolean }[]>(`${github.apiUrl}/user/emails`, token),
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
  if (isPlainHttp(url)) allowInsecureRequests(configuration)
  return configuration
}

async function fetchJson<Answer>(url: string, token: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json', 'user-agent': 'coinop' }
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => undefined)
  if (!answer?.ok) throw new Problem('PROVIDER_UNAVAILABLE')
  return (await answer.json()) as Answer
}
