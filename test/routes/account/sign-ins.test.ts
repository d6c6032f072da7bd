import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#kit'
import { hashApiKey } from '../../../ops/secrets.ts'
import { creditAccount, readAccount } from '../../../sql/account.ts'
import { rows } from '../../../sql/db.ts'
import { createKey } from '../../../sql/key.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { openView, sessionCookieOf, signInByLink } from '../../support/browser/sign-in.ts'
import { createWallet, signChallenge, signInWithWallet } from '../../support/chain/wallet.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
  await writeSetting(api.context.db, 'rate.sign_in_per_minute', 100_000)
  await api.context.settings.refresh()
})
afterAll(() => api[Symbol.asyncDispose]())

const list = (token: string) =>
  api.app.inject({ url: '/v1/account/sign-ins', headers: { authorization: `Bearer ${token}` } })

const remove = (id: string, token: string) =>
  api.app.inject({
    method: 'DELETE',
    url: `/v1/account/sign-ins/${id}`,
    headers: { authorization: `Bearer ${token}` },
  })

async function link(token: string, wallet: ReturnType<typeof createWallet>) {
  const headers = { authorization: `Bearer ${token}` }
  const payload = await signChallenge(api.app, wallet)
  expect((await api.app.inject({ method: 'POST', url: '/v1/account/wallets', headers, payload })).statusCode).toBe(200)
}

function postForm(url: string, fields: Record<string, string>, cookie = '') {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: api.context.config.publicUrl, cookie }
  return api.app.inject({ method: 'POST', url, headers, payload: new URLSearchParams(fields).toString() })
}

async function openAccount() {
  const [former, next] = [createWallet(), createWallet()]
  const { token, accountId } = await signInWithWallet(api.app, former)
  await link(token, next)
  const hash = (key: string) => hashApiKey(api.context.config.secret, key)
  const key = await createKey(api.context.db, { accountId, mode: 'live', hash })
  return { former, next, token, accountId, key, hash }
}

test('calls with the token of a wallet are uses of it', async () => {
  const { db } = api.context
  const { former, next } = await openAccount()
  const { token } = await signInWithWallet(api.app, former)
  const usedAt = async (wallet: { address: string }) =>
    (
      await rows<{ used_at: Date | null }>(db, 'select used_at from svc.wallet where address = lower($1)', [
        wallet.address,
      ])
    )[0]!.used_at
  await rows(db, "update svc.wallet set used_at = now() - interval '2 days' where address = lower($1)", [
    former.address,
  ])
  const { data } = (await list(token)).json()
  expect(Date.now() - Date.parse(data[0].lastUsedAt)).toBeLessThan(60_000)
  const noted = await usedAt(former)
  await list(token)
  expect([await usedAt(former), await usedAt(next)]).toEqual([noted, null])
})

const readPage = (cookie: string) => api.app.inject({ url: '/dashboard/account', headers: { cookie } })

test('an unlinked wallet loses its tokens and its sessions, and later has an account of its own; credit stays', async () => {
  const { db } = api.context
  const { former, next, token, accountId, key } = await openAccount()
  await creditAccount(db, { accountId, amountMicros: 5_000n })
  const old = sessionCookieOf(await postForm('/sign-in/wallet', { ...(await signChallenge(api.app, former)) }))
  const kept = sessionCookieOf(await postForm('/sign-in/wallet', { ...(await signChallenge(api.app, next)) }))
  expect((await readPage(old)).statusCode).toBe(200)
  const { data } = (await list(key)).json()
  expect(data.map(({ id, kind, name }: Record<string, string>) => ({ id, kind, name }))).toEqual(
    [former, next].map(({ address }) => ({ id: address, kind: 'wallet', name: address })),
  )
  expect(data.map(({ lastUsedAt }: { lastUsedAt: string | null }) => lastUsedAt !== null)).toEqual([true, true])

  expect((await remove(former.address, key)).statusCode).toBe(204)
  expect((await remove(former.address, key)).json().code).toBe('NOT_FOUND')
  expect((await list(token)).statusCode).toBe(401)
  expect((await readPage(old)).headers.location).toBe('/sign-in')
  expect((await readPage(kept)).statusCode).toBe(200)
  expect((await signInWithWallet(api.app, former)).accountId).not.toBe(accountId)
  expect((await signInWithWallet(api.app, next)).accountId).toBe(accountId)
  expect((await readAccount(db, accountId))!.balanceMicros).toBe('5000')
  const audit = `/v1/audit/account/${accountId}`
  const log = await api.app.inject({ url: audit, headers: { authorization: `Bearer ${key}` } })
  expect(log.json().data).toMatchObject([
    { actor: 'key', action: 'sign_in_removed', detail: { kind: 'wallet', name: former.address.toLowerCase() } },
  ])
})

test('the last way in stays, also for two that are removed at once and for one whose provider is not set up', async () => {
  const { db } = api.context
  const { former, next, key, accountId } = await openAccount()
  await rows(db, `insert into svc.identity (provider, subject, account_id) values ('github', $1, $2)`, [
    accountId,
    accountId,
  ])
  const answers = await Promise.all([former, next].map(({ address }) => remove(address, key)))
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([204, 409])
  expect(answers.find(({ statusCode }) => statusCode === 409)!.json().code).toBe('LAST_SIGN_IN')
  const { data } = (await list(key)).json()
  const github = data.find(({ kind }: { kind: string }) => kind === 'github')
  expect((await remove(github.id, key)).statusCode).toBe(204)
})

test('whoever finds a key and links a wallet cannot shut the owner out for three days, of which the owner is told', async () => {
  const { db } = api.context
  const { former, next, key, accountId } = await openAccount()
  const age = (address: string, hours: number) =>
    rows(db, 'update svc.wallet set linked_at = now() - make_interval(hours => $2) where address = $1', [
      address.toLowerCase(),
      hours,
    ])
  const messages = await rows(db, 'select name, data from svc.notification where account_id = $1', [accountId])
  expect(messages).toEqual([
    { name: 'security.sign_in_added', data: { kind: 'wallet', name: next.address.toLowerCase() } },
  ])
  await age(former.address, 73)
  await age(next.address, 71)
  const refused = (await remove(former.address, key)).json()
  expect(refused).toMatchObject({ code: 'SIGN_IN_TOO_NEW', until: expect.any(String) })
  expect(Math.round((Date.parse(refused.until) - Date.now()) / 3_600_000)).toBe(1)
  await age(next.address, 73)
  expect((await remove(former.address, key)).statusCode).toBe(204)
})

test('what was linked by another is unlinked at once', async () => {
  const { former, next, key } = await openAccount()
  const text = "update svc.wallet set linked_at = now() - interval '90 days' where address = $1"
  await rows(api.context.db, text, [former.address.toLowerCase()])
  expect((await remove(next.address, key)).statusCode).toBe(204)
})

test('a key with limits, another account and what is not linked are refused', async () => {
  const { former, accountId, hash } = await openAccount()
  const other = await openAccount()
  const limited = await createKey(api.context.db, { accountId, mode: 'live', hash, callCapMicros: 1n })
  expect((await remove(former.address, limited)).statusCode).toBe(403)
  for (const id of [former.address, 'nothing', createWallet().address])
    expect((await remove(id, other.key)).statusCode, id).toBe(404)
  expect((await list(limited)).json().data).toHaveLength(2)
})

test('the page unlinks a mail address; its owner is told there, and its browser is signed out', async () => {
  const { db } = api.context
  const { cookie, csrf } = await signInByLink(api, 'leaving@example.com')
  const wallet = createWallet()
  const signed = await signChallenge(api.app, wallet)
  await postForm('/dashboard/account/wallets', { ...signed, csrf }, cookie)
  const page = await readPage(cookie)
  expect(page.body).toContain('leaving@example.com')
  const id = /name="id" value="([0-9a-f]{8}-[^"]+)"/.exec(page.body)![1]!
  const account = /Account <code>([0-9a-f-]{36})/.exec(page.body)![1]!
  const view = await openView(api, account)
  expect((await postForm('/dashboard/account/unlink', { id, csrf }, view)).statusCode).toBe(403)
  expect((await postForm('/dashboard/account/unlink', { id }, cookie)).statusCode).toBe(403)
  const { token } = await signInWithWallet(api.app, wallet)
  expect((await list(token)).json().data[0].name).toBe('l…@example.com')
  expect((await postForm('/dashboard/account/unlink', { id, csrf }, cookie)).statusCode).toBe(303)
  expect((await readPage(cookie)).headers.location).toBe('/sign-in')
  const messages = await rows(
    db,
    `select recipient from svc.notification where account_id = $1
    and name = 'security.sign_in_removed' order by recipient`,
    [account],
  )
  expect(messages).toEqual([{ recipient: 'leaving@example.com' }, { recipient: null }])
  const entered = sessionCookieOf(await postForm('/sign-in/wallet', { ...(await signChallenge(api.app, wallet)) }))
  const shown = await readPage(entered)
  expect(shown.body).not.toContain('leaving@example.com')
  const fields = { id: wallet.address.toLowerCase(), csrf: /name="csrf" value="([^"]+)"/.exec(shown.body)![1]! }
  const last = await postForm('/dashboard/account/unlink', fields, entered)
  expect([last.statusCode, last.body.includes('the last way to sign in')]).toEqual([409, true])
})

test('a payment that is on its way when its wallet is unlinked is credited to the account that it was made for', async () => {
  const { db } = api.context
  const { former, key, accountId } = await openAccount()
  const id = newId()
  await rows(
    db,
    `insert into svc.chunk (id, account_id, payer, chain_id, asset, symbol, amount_micros, state, is_credited, valid_before)
     values ($1, $2, $3, 1, '0x', 'USDC', 10000, 'unknown', false, now())`,
    [id, accountId, former.address.toLowerCase()],
  )
  expect((await remove(former.address, key)).statusCode).toBe(204)
  const later = await signInWithWallet(api.app, former)
  await rows(db, `select payment.mark_settled($1, '0x1')`, [id])
  expect((await readAccount(db, accountId))!.balanceMicros).toBe('10000')
  expect((await readAccount(db, later.accountId))!.balanceMicros).toBe('0')
})
