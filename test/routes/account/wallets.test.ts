import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashApiKey } from '../../../ops/secrets.ts'
import { createAccount, creditAccount, readAccount, suspendAccount } from '../../../sql/account.ts'
import { checkConnectorInvariants, revokeConnector, showConnectors } from '../../../sql/connector/approvals.ts'
import { rows } from '../../../sql/db.ts'
import { createKey, dropKey, rotateKey, showKeys } from '../../../sql/key.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { listWallets } from '../../../sql/wallet.ts'
import { createWallet, signChallenge, signInWithWallet } from '../../support/chain/wallet.ts'
import { buildCall } from '../../support/database/ledger.ts'
import { openOAuthClient, openVisitor } from '../../support/oauth/connection.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
  await writeSetting(api.context.db, 'rate.sign_in_per_minute', 100_000)
  await api.context.settings.refresh()
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

const getAccount = (token: string) =>
  api.app.inject({ url: '/v1/account', headers: { authorization: `Bearer ${token}` } })

async function linkWallet(token: string, payload: object) {
  const headers = { authorization: `Bearer ${token}` }
  return api.app.inject({ method: 'POST', url: '/v1/account/wallets', headers, payload })
}

test('linking a wallet moves its credit once, even with concurrent calls', async () => {
  const { db } = api.context
  const [targetWallet, sourceWallet] = [createWallet(), createWallet()]
  const [target, source] = [
    await signInWithWallet(api.app, targetWallet),
    await signInWithWallet(api.app, sourceWallet),
  ]
  await creditAccount(db, { accountId: target.accountId, amountMicros: 5n })
  await creditAccount(db, { accountId: source.accountId, amountMicros: 7_000n })
  const signed = await Promise.all(Array.from({ length: 8 }, () => signChallenge(api.app, sourceWallet)))
  const answers = await Promise.all(signed.map(payload => linkWallet(target.token, payload)))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200))
  expect(answers.map(answer => answer.json().movedMicros).sort()).toEqual([...Array(7).fill('0'), '7000'])
  expect((await readAccount(db, target.accountId))!.balanceMicros).toBe('7005')
  expect((await readAccount(db, source.accountId))!.balanceMicros).toBe('0')
  expect((await getAccount(source.token)).statusCode).toBe(401)
  expect(await api.context.jobs.instant(buildCall(source.accountId, { lane: 'instant' }))).toEqual({
    kind: 'suspended',
  })
  expect((await signInWithWallet(api.app, sourceWallet)).accountId).toBe(target.accountId)
  const { data } = (
    await api.app.inject({ url: '/v1/account/ledger', headers: { authorization: `Bearer ${target.token}` } })
  ).json()
  expect(
    data.map(({ type, amountMicros }: { type: string; amountMicros: string }) => `${type} ${amountMicros}`),
  ).toEqual(['topup 7000', 'topup 5'])
})

test('two accounts that link each other at once lose nothing', async () => {
  const { db } = api.context
  const [one, other] = [createWallet(), createWallet()]
  const [first, second] = [await signInWithWallet(api.app, one), await signInWithWallet(api.app, other)]
  await creditAccount(db, { accountId: first.accountId, amountMicros: 100n })
  await creditAccount(db, { accountId: second.accountId, amountMicros: 20n })
  const [signedOne, signedOther] = [await signChallenge(api.app, one), await signChallenge(api.app, other)]
  await Promise.all([linkWallet(first.token, signedOther), linkWallet(second.token, signedOne)])
  const [a, b] = [await readAccount(db, first.accountId), await readAccount(db, second.accountId)]
  expect(BigInt(a!.balanceMicros) + BigInt(b!.balanceMicros)).toBe(120n)
})

test('a wallet of an account with other wallets is not linked, and test money is not moved to a live account', async () => {
  const { db } = api.context
  const target = await signInWithWallet(api.app, createWallet())
  const [pair, partner] = [createWallet(), createWallet()]
  const shared = await signInWithWallet(api.app, pair)
  await linkWallet(shared.token, await signChallenge(api.app, partner))
  const refused = await linkWallet(target.token, await signChallenge(api.app, pair))
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'WALLET_TAKEN'])

  const testWallet = createWallet()
  const { id } = await createAccount(db, { isTest: true })
  await creditAccount(db, { accountId: id, amountMicros: 1_000_000n })
  await rows(db, 'insert into svc.wallet (address, account_id) values ($1, $2)', [testWallet.address.toLowerCase(), id])
  expect((await linkWallet(target.token, await signChallenge(api.app, testWallet))).json().code).toBe('WALLET_TAKEN')
  expect((await readAccount(db, target.accountId))!.balanceMicros).toBe('0')
})

test('a wallet with a running job, or of a suspended account, is not linked', async () => {
  const { db } = api.context
  const target = await signInWithWallet(api.app, createWallet())
  const wallet = createWallet()
  const { token, accountId } = await signInWithWallet(api.app, wallet)
  await creditAccount(db, { accountId, amountMicros: 5_000n })
  const headers = { authorization: `Bearer ${token}`, prefer: 'respond-async' }
  const { ticket } = (
    await api.app.inject({ method: 'POST', url: '/v1/text/slugify', payload: { text: 'a' }, headers })
  ).json()
  expect((await linkWallet(target.token, await signChallenge(api.app, wallet))).json().code).toBe('ACCOUNT_AT_WORK')
  await api.app.inject({ method: 'DELETE', url: `/v1/jobs/${ticket}`, headers: { authorization: `Bearer ${token}` } })
  await suspendAccount(db, accountId, true)
  expect((await linkWallet(target.token, await signChallenge(api.app, wallet))).json().code).toBe('ACCOUNT_SUSPENDED')
  await suspendAccount(db, accountId, false)
  expect((await linkWallet(target.token, await signChallenge(api.app, wallet))).json().movedMicros).toBe('5000')
  const job = await api.app.inject({ url: `/v1/jobs/${ticket}`, headers: { authorization: `Bearer ${target.token}` } })
  expect(job.statusCode).toBe(200)
})

test('a wallet is linked when its keys and connectors have ended; they come along, and its browser is signed out', async () => {
  const { db, config } = api.context
  const [wallet, visitor, client] = [createWallet(), await openVisitor(api), await openOAuthClient(api)]
  const { accountId } = visitor
  await rows(db, 'insert into svc.wallet (address, account_id) values ($1, $2)', [
    wallet.address.toLowerCase(),
    accountId,
  ])
  const hash = (key: string) => hashApiKey(config.secret, key)
  await createKey(db, { accountId, mode: 'live', hash })
  const former = (await showKeys(db, accountId))[0]!.prefix
  await rotateKey(db, { accountId, mode: 'live', hash, former, graceHours: 1 })
  await dropKey(db, accountId, (await showKeys(db, accountId))[0]!.prefix)
  const target = await signInWithWallet(api.app, createWallet())
  const join = async () => (await linkWallet(target.token, await signChallenge(api.app, wallet))).statusCode
  expect(await join()).toBe(409)

  await rows(db, `update svc.api_key set ends_at = now() - interval '1 second' where prefix = $1`, [former])
  await client.connect(visitor)
  expect(await join()).toBe(409)
  const [connector] = await showConnectors(db, accountId)
  await revokeConnector(db, accountId, connector!.id)
  expect(await join()).toBe(200)
  expect(await checkConnectorInvariants(db)).toEqual([])
  expect((await visitor.get('/dashboard')).headers.location).toBe('/sign-in')
})

test('a key with limits cannot link a wallet, because who signs in with the wallet could lift them', async () => {
  const { db, config } = api.context
  const { id: accountId } = await createAccount(db)
  const hash = (key: string) => hashApiKey(config.secret, key)
  const wallet = createWallet()
  const join = async (key: string) => linkWallet(key, await signChallenge(api.app, wallet))
  for (const limit of [{ callCapMicros: 1n }, { dailyCapMicros: 1n }]) {
    const limited = await createKey(db, { accountId, mode: 'live', hash, ...limit })
    expect((await join(limited)).json().code).toBe('FORBIDDEN')
  }
  expect(await listWallets(db, accountId)).toEqual([])
  expect((await join(await createKey(db, { accountId, mode: 'live', hash }))).statusCode).toBe(200)
})
