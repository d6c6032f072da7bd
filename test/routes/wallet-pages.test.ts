import { afterAll, beforeAll, expect, test } from 'vitest'
import { listWallets } from '../../sql/wallet.ts'
import { type FrontDoor, openFrontDoor } from '../support/front-door.ts'
import { cookieOf, signedIn } from '../support/signed-in.ts'
import { newWallet, type Signed, signChallenge } from '../support/wallet.ts'

let door: FrontDoor
beforeAll(async () => {
  door = await openFrontDoor()
})
afterAll(() => door[Symbol.asyncDispose]())

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

function send(url: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const origin = door.floor.config.publicUrl
  const payload = new URLSearchParams(fields).toString()
  return door.app.inject({ method: 'POST', url, headers: { ...FORM, origin, ...headers }, payload })
}

const signIn = (signed: Signed, headers = {}) => send('/sign-in/wallet', { ...signed }, headers)

test('a signed text opens a session once, its line ends written as forms write them', async () => {
  const signed = await signChallenge(door.app, newWallet())
  const asFormsWrite = { ...signed, message: signed.message.replaceAll('\n', '\r\n') }
  const first = await signIn(asFormsWrite)
  expect([first.statusCode, first.headers.location]).toEqual([303, '/dashboard'])
  const page = await door.app.inject({ url: '/dashboard/account', headers: { cookie: cookieOf(first) } })
  expect(page.statusCode).toBe(200)
  const again = await signIn(signed)
  expect([again.statusCode, cookieOf(again)]).toEqual([401, ''])
})

test.each<[string, (signed: Signed) => Signed | Promise<Signed>]>([
  [
    'a text that was changed',
    signed => ({ ...signed, message: signed.message.replace('moves no money', 'moves money') }),
  ],
  ['the signature of another', async signed => ({ ...signed, signature: await newWallet().signMessage(signed) })],
  ['no signature', signed => ({ ...signed, signature: '' })],
  ['another house', signed => ({ ...signed, message: signed.message.replace(/^\S+/, 'evil.example') })],
])('%s signs nobody in', async (_name, bend) => {
  const answer = await signIn(await bend(await signChallenge(door.app, newWallet())))
  expect([answer.statusCode, cookieOf(answer)]).toEqual([401, ''])
})

test('a form from elsewhere signs nobody in', async () => {
  const signed = await signChallenge(door.app, newWallet())
  const answer = await signIn(signed, { origin: 'https://evil.example' })
  expect([answer.statusCode, cookieOf(answer)]).toEqual([403, ''])
})

test('a wallet joins only with the token of the page, and not by a cookie alone', async () => {
  const { cookie, csrf } = await signedIn(door, 'joiner@example.com')
  const wallet = newWallet()
  const join = async (fields: Record<string, string>) =>
    send('/dashboard/account/wallets', { ...(await signChallenge(door.app, wallet)), ...fields }, { cookie })
  expect((await join({})).statusCode).toBe(403)
  expect((await join({ csrf: 'x'.repeat(43) })).statusCode).toBe(403)
  const joined = await join({ csrf })
  expect([joined.statusCode, joined.headers.location]).toEqual([303, '/dashboard/account?done=joined'])
  const page = await door.app.inject({ url: '/dashboard/account', headers: { cookie } })
  const id = /Account <code>([0-9a-f-]{36})/.exec(page.body)![1]!
  expect((await listWallets(door.floor.db, id)).map(({ address }) => address)).toEqual([wallet.address.toLowerCase()])
  expect(page.body).toContain('joiner@example.com')
})

test('the script of wallets may talk to this house alone', async () => {
  const page = await door.app.inject({ url: '/sign-in' })
  expect(page.headers['content-security-policy']).toContain("connect-src 'self'")
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  expect(page.body).not.toMatch(/<script>|\son\w+=|\sstyle=/)
})
