import { VIEW_TOKENS } from '../../../ops/providers/sign-in/link.ts'
import { rows } from '../../../sql/db.ts'
import { waitForSignInLink } from '../servers/outbox.ts'
import type { InProcessApi } from '../stack/in-process-api.ts'

type InjectResponse = Awaited<ReturnType<InProcessApi['app']['inject']>>

/** Signs in with the link from the e-mail in the outbox. */
export async function signInByLink(api: InProcessApi, email = 'ada@example.com') {
  const { app, context } = api
  const origin = context.config.publicUrl
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin }
  await app.inject({ method: 'POST', url: '/sign-in', headers: form, payload: `email=${encodeURIComponent(email)}` })
  const url = await waitForSignInLink(context.config.dataDir, email)
  const response = await app.inject({ method: 'POST', url, headers: form, payload: '' })
  const cookie = sessionCookieOf(response)
  const keys = await app.inject({ url: '/v1/account/api-keys', headers: { cookie } })
  const csrf = String(keys.headers['x-csrf-token'])
  const post = (path: string, payload: object, headers: Record<string, string> = {}) =>
    app.inject({
      method: 'POST',
      url: path,
      payload,
      headers: { origin, cookie, 'x-csrf-token': csrf, ...headers },
    })
  return { cookie, csrf, origin, link: url, response: response, post }
}

/** The cookie of an operator who sees the pages of an account. */
export async function openView({ app, context: { db, config } }: InProcessApi, accountId: string): Promise<string> {
  const word = VIEW_TOKENS.mint()
  const hash = VIEW_TOKENS.hash(config.secret, word)
  await rows(db, 'select session.create_view_link($1, $2, $3)', [hash, accountId, 'olga'])
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: config.publicUrl }
  return sessionCookieOf(await app.inject({ method: 'POST', url: `/sign-in/view/${word}`, headers, payload: '' }))
}

/** The session's cookie as a browser would send it back. */
export function sessionCookieOf(response: InjectResponse): string {
  const cookies = [response.headers['set-cookie'] ?? []].flat()
  return cookies.find(line => line.startsWith('svc_session='))?.split(';')[0] ?? ''
}
