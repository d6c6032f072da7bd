import type { FrontDoor } from './front-door.ts'
import { linkFor } from './outbox.ts'

type Answer = Awaited<ReturnType<FrontDoor['app']['inject']>>

/** Signs in by a link from the outbox. */
export async function signedIn(door: FrontDoor, email = 'ada@example.com') {
  const { app, floor } = door
  const origin = floor.config.publicUrl
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin }
  await app.inject({ method: 'POST', url: '/sign-in', headers: form, payload: `email=${encodeURIComponent(email)}` })
  const url = await linkFor(floor.config.dataDir, email)
  const answer = await app.inject({ method: 'POST', url, headers: form, payload: '' })
  const cookie = cookieOf(answer)
  const keys = await app.inject({ url: '/v1/account/api-keys', headers: { cookie } })
  const csrf = String(keys.headers['x-csrf-token'])
  const post = (path: string, payload: object, headers: Record<string, string> = {}) =>
    app.inject({
      method: 'POST',
      url: path,
      payload,
      headers: { origin, cookie, 'x-csrf-token': csrf, ...headers },
    })
  return { cookie, csrf, origin, link: url, first: answer, post }
}

/** The session's cookie as a browser would send it back. */
export function cookieOf(answer: Answer): string {
  const lines = [answer.headers['set-cookie'] ?? []].flat()
  return lines.find(line => line.startsWith('svc_session='))?.split(';')[0] ?? ''
}
