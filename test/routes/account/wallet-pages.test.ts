import { afterAll, beforeAll, expect, test } from 'vitest'
import { listWallets } from '../../../sql/wallet.ts'
import { sessionCookieOf, signInByLink } from '../../support/browser/sign-in.ts'
import { createWallet, type SignedChallenge, signChallenge } from '../../support/chain/wallet.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

function postForm(url: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const origin = api.context.config.publicUrl
  const payload = new URLSearchParams(fields).toString()
  return api.app.inject({ method: 'POST', url, headers: { ...FORM, origin, ...headers }, payload })
}

const signInWithWallet = (signed: SignedChallenge, headers = {}) => postForm('/sign-in/wallet', { ...signed }, headers)

test('a signed message opens a session once, even with the line breaks of a form', async () => {
  const signed = await signChallenge(api.app, createWallet())
  const withCrlf = { ...signed, message: signed.message.replaceAll('\n', '\r\n') }
  const first = await signInWithWallet(withCrlf)
  expect([first.statusCode, first.headers.location]).toEqual([303, '/dashboard?signed-in=first'])
  const page = await api.app.inject({ url: '/dashboard/account', headers: { cookie: sessionCookieOf(first) } })
  expect(page.statusCode).toBe(200)
  const again = await signInWithWallet(signed)
  expect([again.statusCode, sessionCookieOf(again)]).toEqual([401, ''])
})

test.each<[string, (signed: SignedChallenge) => SignedChallenge | Promise<SignedChallenge>]>([
  ['a changed message', signed => ({ ...signed, message: signed.message.replace('moves no money', 'moves money') })],
  [
    'the signature of another wallet',
    async signed => ({ ...signed, signature: await createWallet().signMessage(signed) }),
  ],
  ['no signature', signed => ({ ...signed, signature: '' })],
  ['another domain', signed => ({ ...signed, message: signed.message.replace(/^\S+/, 'evil.example') })],
])('%s does not sign in', async (_name, change) => {
  const answer = await signInWithWallet(await change(await signChallenge(api.app, createWallet())))
  expect([answer.statusCode, sessionCookieOf(answer)]).toEqual([401, ''])
})

test('a form from another origin does not sign in', async () => {
  const signed = await signChallenge(api.app, createWallet())
  const answer = await signInWithWallet(signed, { origin: 'https://evil.example' })
  expect([answer.statusCode, sessionCookieOf(answer)]).toEqual([403, ''])
})

test('a wallet is linked only with the CSRF token of the page, not by a cookie alone', async () => {
  const { cookie, csrf } = await signInByLink(api, 'joiner@example.com')
  const wallet = createWallet()
  const join = async (fields: Record<string, string>) =>
    postForm('/dashboard/account/wallets', { ...(await signChallenge(api.app, wallet)), ...fields }, { cookie })
  expect((await join({})).statusCode).toBe(403)
  expect((await join({ csrf: 'x'.repeat(43) })).statusCode).toBe(403)
  const joined = await join({ csrf })
  expect([joined.statusCode, joined.headers.location]).toEqual([303, '/dashboard/account?done=joined'])
  const page = await api.app.inject({ url: '/dashboard/account', headers: { cookie } })
  const id = /Account <code>([0-9a-f-]{36})/.exec(page.body)![1]!
  expect((await listWallets(api.context.db, id)).map(({ address }) => address)).toEqual([wallet.address.toLowerCase()])
  expect(page.body).toContain('joiner@example.com')
})

test('the wallet script may connect only to this service', async () => {
  const page = await api.app.inject({ url: '/sign-in' })
  expect(page.headers['content-security-policy']).toContain("connect-src 'self'")
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  expect(page.body).not.toMatch(/<script>|\son\w+=|\sstyle=/)
})
