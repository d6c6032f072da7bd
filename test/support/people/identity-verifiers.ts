import { createHmac } from 'node:crypto'
import type { IDENTITY_PROVIDERS } from '../../../ops/providers/identity/settings.ts'
import { type LocalServer, openLocalServer } from '../servers/local.ts'

type Provider = (typeof IDENTITY_PROVIDERS)[number]

const SECRET = 'the secret of the webhooks'
const KEY = 'the key of the tests'

export interface FakeVerifier extends LocalServer {
  env: Record<string, string>
  /** What it was asked, as `POST /v1/sessions`. */
  asked: string[]
  /** The bodies of what began a session. */
  bodies: string[]
  /** What it answers when it is asked for a session. */
  answer: object
  /** All calls fail so. */
  failsWith: number | undefined
  /** A message about the session, signed. */
  sign(body: string): Record<string, string>
}

const STARTS: Record<Provider, { path: string; answer: object }> = {
  stripe: { path: '/v1/identity/verification_sessions', answer: { id: 'vs_1', url: 'https://verify.stripe.test/1' } },
  veriff: { path: '/v1/sessions', answer: { verification: { id: 'ses-1', url: 'https://alchemy.veriff.test/1' } } },
  persona: { path: '/api/v1/inquiries', answer: { data: { id: 'inq_1', attributes: { status: 'created' } } } },
  didit: { path: '/v3/session/', answer: { session_id: 'dd-1', url: 'https://verify.didit.test/1' } },
}

const LINK = { data: { id: 'inq_1', attributes: {} }, meta: { 'one-time-link': 'https://inquiry.persona.test/1' } }

/** A fake provider of identity verifications, which checks the key of each call. */
export async function openFakeVerifier(provider: Provider): Promise<FakeVerifier> {
  const fake = { asked: [] as string[], bodies: [] as string[], answer: {}, failsWith: undefined as number | undefined }
  const { path: startPath, answer: started } = STARTS[provider]
  const server = await openLocalServer(({ method, path, headers, body }) => {
    fake.asked.push(`${method} ${path.split('?')[0]}`)
    if (fake.failsWith) return { status: fake.failsWith, error: 'planted' }
    const key = headers['x-api-key'] ?? headers['x-auth-client'] ?? headers.authorization?.replace('Bearer ', '')
    if (key !== KEY) return { status: 401, error: 'no such key' }
    if (method === 'POST' && path === startPath) {
      fake.bodies.push(body)
      return started
    }
    if (path.endsWith('/generate-one-time-link')) return LINK
    return method === 'GET' ? { text: JSON.stringify(fake.answer) } : {}
  })
  return Object.assign(fake, {
    url: server.url,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    env: {
      ...{ IDENTITY_PROVIDER: provider, IDENTITY_KEY: KEY, IDENTITY_WEBHOOK_SECRET: SECRET },
      ...{ IDENTITY_URL: server.url, IDENTITY_WORKFLOW: 'flow' },
    },
    sign: (body: string) => signMessage(provider, body),
  })
}

/** The headers by which each provider signs a message. */
export function signMessage(provider: Provider, body: string, seconds = Math.floor(Date.now() / 1_000)) {
  const hmac = (text: string) => createHmac('sha256', SECRET).update(text).digest('hex')
  const timed = `t=${seconds},v1=${hmac(`${seconds}.${body}`)}`
  return {
    stripe: { 'stripe-signature': timed },
    persona: { 'persona-signature': timed },
    veriff: { 'x-hmac-signature': hmac(body) },
    didit: { 'x-signature': hmac(body), 'x-timestamp': String(seconds) },
  }[provider] as Record<string, string>
}
