import { createHmac } from 'node:crypto'
import type { IDENTITY_PROVIDERS } from '../../../ops/providers/identity/settings.ts'
import { type LocalServer, openLocalServer, type ReceivedRequest } from '../servers/local.ts'

type Provider = (typeof IDENTITY_PROVIDERS)[number]

const SECRET = 'the secret of the webhooks'
const KEY = 'the key of the tests'
const SECRET_KEY = 'the secret key of the tests'

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
  /** All that was posted, by its path. */
  posted: { path: string; body: string }[]
  /** What it answers at other addresses, such as `GET /v3.6/workflow_runs`, a list as `{ list }`. */
  others: Record<string, object>
  /** A message about the session, signed. */
  sign(body: string): Record<string, string>
}

const STARTS: Record<Provider, { path: string; answer: object }> = {
  stripe: { path: '/v1/identity/verification_sessions', answer: { id: 'vs_1', url: 'https://verify.stripe.test/1' } },
  veriff: { path: '/v1/sessions', answer: { verification: { id: 'ses-1', url: 'https://alchemy.veriff.test/1' } } },
  persona: { path: '/api/v1/inquiries', answer: { data: { id: 'inq_1', attributes: { status: 'created' } } } },
  didit: { path: '/v3/session/', answer: { session_id: 'dd-1', url: 'https://verify.didit.test/1' } },
  onfido: {
    path: '/v3.6/workflow_runs',
    answer: { id: 'run-1', applicant_id: 'app-1', link: { url: 'https://studio.onfido.test/1' } },
  },
  sumsub: {
    path: '/resources/sdkIntegrations/levels/-/websdkLink',
    answer: { url: 'https://in.sumsub.test/1' },
  },
}

const OTHERS: Partial<Record<Provider, Record<string, object>>> = {
  onfido: {
    'GET /v3.6/workflow_runs': { list: [] },
    'POST /v3.6/applicants': { id: 'app-1' },
    'GET /v3.6/workflow_runs/run-1/tasks': { list: [] },
  },
}

const LINK = { data: { id: 'inq_1', attributes: {} }, meta: { 'one-time-link': 'https://inquiry.persona.test/1' } }

/** A fake provider of identity verifications, which checks the key of each call. */
export async function openFakeVerifier(provider: Provider): Promise<FakeVerifier> {
  const fake = {
    ...{ asked: [] as string[], bodies: [] as string[], answer: {}, failsWith: undefined as number | undefined },
    ...{ others: { ...OTHERS[provider] }, posted: [] as FakeVerifier['posted'] },
  }
  const server = await openLocalServer(request => answer(provider, fake, request))
  return Object.assign(fake, {
    url: server.url,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    env: {
      ...{ IDENTITY_PROVIDER: provider, IDENTITY_KEY: KEY, IDENTITY_WEBHOOK_SECRET: SECRET },
      ...{ IDENTITY_URL: server.url, IDENTITY_WORKFLOW: 'flow' },
      ...(provider === 'sumsub' && { IDENTITY_SECRET_KEY: SECRET_KEY }),
    },
    sign: (body: string) => signMessage(provider, body),
  })
}

type Fake = Pick<FakeVerifier, 'asked' | 'bodies' | 'answer' | 'failsWith' | 'posted' | 'others'>

function answer(provider: Provider, fake: Fake, request: ReceivedRequest): object {
  const { method, body } = request
  const path = request.path.split('?')[0]!
  fake.asked.push(`${method} ${path}`)
  if (fake.failsWith) return { status: fake.failsWith, error: 'planted' }
  if (!isKnown(provider, request)) return { status: 401, error: 'no such key' }
  if (method === 'POST') fake.posted.push({ path, body })
  const other = fake.others[`${method} ${path}`]
  if (other) return other
  if (method === 'GET') return { text: JSON.stringify(fake.answer) }
  if (path.endsWith('/generate-one-time-link')) return LINK
  const { path: startPath, answer: started } = STARTS[provider]
  if (path !== startPath) return {}
  fake.bodies.push(body)
  return started
}

/** Whether a call has the key of the tests, and is signed where the provider wants that. */
function isKnown(provider: Provider, { method, path, headers, body }: ReceivedRequest): boolean {
  if (provider === 'onfido') return headers.authorization === `Token token=${KEY}`
  if (provider !== 'sumsub')
    return (headers['x-api-key'] ?? headers['x-auth-client'] ?? headers.authorization?.replace('Bearer ', '')) === KEY
  const time = String(headers['x-app-access-ts'])
  const signature = createHmac('sha256', SECRET_KEY).update(`${time}${method}${path}${body}`).digest('hex')
  const isRecent = Math.abs(Date.now() / 1_000 - Number(time)) < 60
  return headers['x-app-token'] === KEY && headers['x-app-access-sig'] === signature && isRecent
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
    onfido: { 'x-sha2-signature': hmac(body) },
    sumsub: { 'x-payload-digest': hmac(body), 'x-payload-digest-alg': 'HMAC_SHA256_HEX' },
  }[provider] as Record<string, string>
}
