import { PREFIX, Problem } from '#kit'
import { open, seal } from '../../ops/secrets.ts'
import type { Checks, SignInProvider } from '../../ops/sign-in/provider.ts'
import { accountOf } from '../../sql/session.ts'
import type { Floor } from '../floor.ts'
import { countTry } from '../intake/attempts.ts'
import { beginSession, cookieIn, setCookie } from '../intake/session.ts'
import { isForTests } from '../routes/auth/shape.ts'
import { publicPage } from './page.ts'

const COOKIE = `${PREFIX}_sign_in`
const PATIENCE_SECONDS = 600

/** What the browser keeps between going to the provider and coming back: sealed, and for this provider alone. */
interface Attempt {
  checks: Checks
  endsAtMs: number
}

export const providerPages = [
  publicPage('GET /sign-in/{provider}', async ({ params, request, reply }, floor) => {
    countTry(floor, request)
    const provider = providerOf(floor, params.provider!)
    const { url, checks } = await provider.begin(redirectUri(floor, provider))
    const attempt: Attempt = { checks, endsAtMs: Date.now() + PATIENCE_SECONDS * 1_000 }
    const value = seal(floor.config.secret, JSON.stringify(attempt), aadOf(provider))
    setCookie(floor.config, reply, { name: COOKIE, value, maxAgeSeconds: PATIENCE_SECONDS })
    return { to: url }
  }),

  publicPage('GET /sign-in/{provider}/callback', async ({ params, request, reply, session }, floor) => {
    countTry(floor, request)
    const provider = providerOf(floor, params.provider!)
    const checks = checksOf(floor, provider, cookieIn(request, COOKIE))
    setCookie(floor.config, reply, { name: COOKIE, value: '', maxAgeSeconds: 0 })
    const answer = new URL(request.url.slice(request.url.indexOf('?')), redirectUri(floor, provider))
    const { subject, email } = await provider.finish(answer, checks)
    const account = await accountOf(floor.db, {
      provider: provider.name,
      subject,
      email,
      signedIn: email === undefined ? undefined : session?.caller.accountId,
      isTest: isForTests(floor),
    })
    await beginSession(floor, request, reply, account)
    return { to: '/dashboard' }
  }),
]

function providerOf({ providers }: Floor, name: string): SignInProvider {
  const provider = providers.get(name)
  if (!provider) throw new Problem('NOT_FOUND')
  return provider
}

function redirectUri({ config }: Floor, { name }: SignInProvider): string {
  return `${config.publicUrl}/sign-in/${name}/callback`
}

function aadOf({ name }: SignInProvider): string {
  return `sign-in by ${name}`
}

function checksOf({ config }: Floor, provider: SignInProvider, cookie: string | undefined): Checks {
  const wrong = new Problem('SIGN_IN_FAILED', { reason: 'This browser has not asked to sign in, or too long ago.' })
  if (!cookie) throw wrong
  try {
    const attempt = JSON.parse(open(config.secret, cookie, aadOf(provider))) as Attempt
    if (attempt.endsAtMs > Date.now()) return attempt.checks
  } catch {
    throw wrong
  }
  throw wrong
}
