import { ID_PREFIX, Problem } from '#kit'
import type { FlowChecks, SignInProvider } from '../../ops/providers/sign-in/contract.ts'
import { seal, unseal } from '../../ops/secrets.ts'
import { findOrCreateAccount } from '../../sql/session.ts'
import type { ApiContext } from '../context.ts'
import { beginSession, readCookie, setCookie } from '../intake/identity/session.ts'
import { countAttempt } from '../intake/identity/sign-in-attempts.ts'
import { opensTestAccounts } from '../routes/auth/schema.ts'
import { definePublicPage } from './parts/page.ts'

const ATTEMPT_COOKIE = `${ID_PREFIX}_sign_in`
const ATTEMPT_SECONDS = 600

/** Kept in a sealed cookie while the visitor is at the provider; it is valid for that provider only. */
interface SignInAttempt {
  checks: FlowChecks
  endsAtMs: number
}

export const providerPages = [
  definePublicPage('GET /sign-in/{provider}', async ({ params, request, reply }, context) => {
    countAttempt(context, request)
    const provider = findProvider(context, params.provider!)
    const { url, checks } = await provider.startFlow(redirectUriOf(context, provider))
    const attempt: SignInAttempt = { checks, endsAtMs: Date.now() + ATTEMPT_SECONDS * 1_000 }
    const value = seal(context.config.secret, JSON.stringify(attempt), aadOf(provider))
    setCookie(context.config, reply, { name: ATTEMPT_COOKIE, value, maxAgeSeconds: ATTEMPT_SECONDS })
    return { redirectTo: url }
  }),

  definePublicPage('GET /sign-in/{provider}/callback', async ({ params, request, reply, session }, context) => {
    countAttempt(context, request)
    const provider = findProvider(context, params.provider!)
    const checks = openChecks(context, provider, readCookie(request, ATTEMPT_COOKIE))
    setCookie(context.config, reply, { name: ATTEMPT_COOKIE, value: '', maxAgeSeconds: 0 })
    const answer = new URL(request.url.slice(request.url.indexOf('?')), redirectUriOf(context, provider))
    const { subject, email } = await provider.finishFlow(answer, checks)
    const accountId = await findOrCreateAccount(context.db, {
      provider: provider.name,
      subject,
      email,
      signedIn: email === undefined || session?.operator !== undefined ? undefined : session?.caller.accountId,
      isTest: opensTestAccounts(context),
    })
    const openedBy = `${provider.name} ${subject}`
    return { redirectTo: await beginSession(context, request, reply, { accountId, openedBy }) }
  }),
]

function findProvider({ providers }: ApiContext, name: string): SignInProvider {
  const provider = providers.get(name)
  if (!provider) throw new Problem('NOT_FOUND')
  return provider
}

function redirectUriOf({ config }: ApiContext, { name }: SignInProvider): string {
  return `${config.publicUrl}/sign-in/${name}/callback`
}

function aadOf({ name }: SignInProvider): string {
  return `sign-in by ${name}`
}

function openChecks({ config }: ApiContext, provider: SignInProvider, cookie: string | undefined): FlowChecks {
  const refusal = new Problem('SIGN_IN_FAILED', {
    reason: 'The sign-in was not started in this browser, or it took longer than ten minutes. Start again.',
  })
  if (!cookie) throw refusal
  try {
    const attempt = JSON.parse(unseal(config.secret, cookie, aadOf(provider))) as SignInAttempt
    if (attempt.endsAtMs > Date.now()) return attempt.checks
  } catch {
    throw refusal
  }
  throw refusal
}
