import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#kit'
import { checkPasskey } from '../../api/console/access/passkeys.ts'
import { computeTotp, findTotpStep } from '../../api/console/access/totp.ts'
import { rows, value } from '../../sql/db.ts'
import { listOperators } from '../../sql/operator.ts'
import { openWallet } from '../../sql/payment.ts'
import { eraseAccount } from '../../sql/product/account-data.ts'
import { linkWallet } from '../../sql/wallet.ts'
import {
  type ConsoleClient,
  cookieOf,
  type OpenedConsole,
  openClient,
  openConsole,
  post,
} from '../support/console/open.ts'
import { openIdleStack } from '../support/stack/default.ts'
import { runCli } from '../support/stack/run-cli.ts'
import type { Stack } from '../support/stack/start.ts'

let stack: Stack
let console: OpenedConsole
let full: ConsoleClient
beforeAll(async () => {
  stack = await openIdleStack()
  console = await openConsole(stack)
  full = await console.operator('ada', 'full')
})
afterAll(async () => {
  await console[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
})

test('codes are those of RFC 6238, and one of a minute ago is none of now', () => {
  const secret = Buffer.from('12345678901234567890')
  // From appendix B of the RFC, without the two digits that are cut off.
  expect(
    [59, 1_111_111_109, 1_234_567_890, 2_000_000_000].map(time => computeTotp(secret, Math.floor(time / 30))),
  ).toEqual([...['287082', '081804', '005924', '279037']])
  expect(findTotpStep(secret, '287 082', 59_000)).toBe(1)
  expect(findTotpStep(secret, '287082', 59_000 + 60_000)).toBeUndefined()
  expect(findTotpStep(secret, '', 59_000)).toBeUndefined()
})

test('nothing is open without a session', async () => {
  const anonymous = openClient(console.url, '')
  for (const path of ['/', '/accounts', '/jobs', '/settings', '/log']) {
    expect(await anonymous.get(path)).toMatchObject({ status: 303, location: '/sign-in' })
  }
  expect(await anonymous.query('{ accounts { nodes { rowId } } }')).toMatchObject({ status: 401 })
  expect((await anonymous.get('/graphiql')).status).toBe(401)
  const guessed = openClient(console.url, `svc_admin_session=${'a'.repeat(43)}`)
  expect((await guessed.get('/accounts')).status).toBe(303)
})

test('a code signs in once, a wrong one never, and guesses are limited', async () => {
  const eve = await console.operator('eve', 'read')
  const signIn = (code: string, origin = console.url) =>
    post(`${console.url}/sign-in`, origin, '', { name: 'eve', code })
  // The code with which the app was added was used already.
  expect((await signIn(eve.code(0))).status).toBe(401)
  expect((await signIn(eve.code(1), 'https://evil.example')).status).toBe(403)
  const signedIn = await signIn(eve.code(1))
  expect(signedIn.status).toBe(303)
  expect(signedIn.headers.get('set-cookie')).toMatch(
    /^svc_admin_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/i,
  )
  expect((await openClient(console.url, cookieOf(signedIn)).get('/')).status).toBe(200)
  expect((await signIn(eve.code(1))).status).toBe(401)
  const guesses = await Promise.all(Array.from({ length: 6 }, () => signIn('000000')))
  expect(guesses.map(({ status }) => status)).toContain(429)
})

test('what no browser sends is refused, and is no fault of ours', async () => {
  const headers = { origin: console.url, 'content-type': 'application/x-www-form-urlencoded' }
  const sent = await fetch(`${console.url}/sign-in`, { method: 'POST', headers, body: 'name=a%00&code=1' })
  expect([sent.status, (await full.get('/accounts?q=%00')).status]).toEqual([400, 400])
  for (const body of [null, undefined, [], { id: 'x\0' }, { id: { toString: 1 } }])
    await expect(checkPasskey({} as never, 'word', body as never)).rejects.toMatchObject({ code: 'SIGN_IN_FAILED' })
})

test('a link serves once and not without the code of the app', async () => {
  const { stdout: link } = await runCli(console.env, 'operator', 'create', 'bob', '--role', 'support')
  expect((await fetch(`${link}x`)).status).toBe(410)
  expect((await post(`${link}/totp`, console.url, '', { code: '123456' })).status).toBe(400)
  // Looking at it uses nothing up.
  expect((await fetch(link)).status).toBe(200)
  const { stdout: newer } = await runCli(console.env, 'operator', 'link', 'bob')
  expect((await fetch(link)).status).toBe(410)
  const page = await (await fetch(newer)).text()
  expect(page).toContain('QR code')
  const unknown = await runCli(console.env, 'operator', 'link', 'nobody-of-access')
  expect(unknown).toMatchObject({ exitCode: 1, stderr: 'coinop: There is no operator nobody-of-access.' })
  await runCli(console.env, 'operator', 'close', 'bob')
  const closed = await runCli(console.env, 'operator', 'link', 'bob')
  expect(closed).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('open it to them first') })
  expect((await full.get('/operators')).text).not.toContain('/operators/bob/link')
  await runCli(console.env, 'operator', 'open', 'bob')
  expect((await runCli(console.env, 'operator', 'link', 'bob')).exitCode).toBe(0)
})

test('a role sees what it may do, and the database refuses the rest', async () => {
  const reader = await console.operator('rita', 'read')
  const customer = await stack.customer()
  const path = `/accounts/${customer.accountId}`
  expect((await reader.get(path)).text).not.toContain('Suspend')
  expect((await full.get(path)).text).toContain('Suspend')
  const refused = await reader.submit('/', `${path}/suspend`, { reason: 'because' })
  expect(refused.status).toBe(403)
  const asked = await reader.query(
    `mutation { creditAccount(input: { account: "${customer.accountId}", amountMicros: "5", reason: "x" }) { result { rowId } } }`,
  )
  expect(asked.body.errors?.[0]).toMatchObject({ extensions: { code: 'FORBIDDEN' } })
  expect((await reader.get('/graphiql')).status).toBe(403)
  expect(await customer.money()).toEqual({ balance: 1_000_000n, held: 0n })
})

test('a form of another page or site changes nothing', async () => {
  const customer = await stack.customer()
  const address = `${console.url}/accounts/${customer.accountId}/suspend`
  const token = createHmac('sha256', 'x').digest('base64url')
  expect((await post(address, console.url, full.cookie, { reason: 'x', csrf: token })).status).toBe(403)
  expect((await post(address, 'https://evil.example', full.cookie, { reason: 'x' })).status).toBe(403)
  const headers = { cookie: full.cookie, origin: 'https://evil.example', 'content-type': 'application/json' }
  const body = JSON.stringify({ query: '{ __typename }' })
  expect((await fetch(`${console.url}/graphql`, { method: 'POST', headers, body })).status).toBe(403)
})

test('what is wrong with the variables of a query is told to who sent it', async () => {
  const customer = await stack.customer()
  const mutation = 'mutation ($i: CreditAccountInput!) { creditAccount(input: $i) { clientMutationId } }'
  const { body } = await full.query(mutation, { i: { account: customer.accountId, micros: '1' } })
  expect(body.errors).toMatchObject([{ message: expect.stringContaining('micros') }])
})

test('whoever is closed out is out at once, and one operator with the role full stays', async () => {
  const leaver = await console.operator('lea', 'full')
  expect((await leaver.get('/')).status).toBe(200)
  const path = `/accounts/${(await stack.customer()).accountId}`
  const view = async () => {
    const { text } = await leaver.submit(path, `${path}/view`, { reason: 'a question' })
    return /href="([^"]+\/sign-in\/view\/[^"]+)"/.exec(text)![1]!
  }
  const open = (link: string) => fetch(link, { method: 'POST', headers: { origin: stack.url }, redirect: 'manual' })
  const cookie = cookieOf(await open(await view()))
  const readDashboard = async () =>
    (await fetch(`${stack.url}/dashboard`, { headers: { cookie }, redirect: 'manual' })).status
  const unused = await view()
  expect(await readDashboard()).toBe(200)
  const passkey = `insert into svc.operator_passkey (id, operator_id, public_key, counter, name)
    select 'stolen', id, '', 0, 'phone' from svc.operator where name = 'lea'`
  await rows(stack.db, passkey)
  expect(await full.submit('/operators', '/operators/lea/close')).toMatchObject({ status: 303 })
  expect((await leaver.get('/')).status).toBe(303)
  expect([await readDashboard(), (await open(unused)).status]).toEqual([303, 401])
  await full.submit('/operators', '/operators/lea/open')
  const reopened = (await listOperators(stack.db)).find(({ name }) => name === 'lea')
  expect(reopened).toMatchObject({ disabled_at: null, has_totp: false, passkeys: 0n })
  // Those of other files are closed, whose tests have ended.
  await rows(stack.db, `update svc.operator set disabled_at = now() where disabled_at is null and name <> 'ada'`)
  const last = await full.submit('/operators', '/operators/ada/close')
  expect([last.status, last.text]).toEqual([409, expect.stringContaining('has to remain')])
  expect((await full.get('/')).status).toBe(200)
})

test('an account that is erased or was left for another one is given no money', async () => {
  const { db } = stack
  const [erased, other] = [await stack.customer(), await stack.customer()]
  await eraseAccount(db, { remove: async () => undefined }, erased.accountId)
  const left = await openWallet(db, `0x${'ef'.repeat(20)}`, newId(), true)
  await rows(db, 'update svc.account set is_test = true where id = $1', [other.accountId])
  await linkWallet(db, `0x${'ef'.repeat(20)}`, other.accountId)
  for (const id of [erased.accountId, left]) {
    const path = `/accounts/${id}`
    expect((await full.submit(path, `${path}/credit`, { amount: '2.5', reason: 'a gift' })).status).toBe(403)
    const credited = "select count(*) from svc.transfer where account_id = $1 and reference like 'operator%'"
    expect(await value(db, credited, [id])).toBe(0n)
  }
  const env = { DATABASE_URL: stack.databaseUrl, DATA_DIR: stack.dataDir, SECRET: 'a secret of the tests alone' }
  const refused = await runCli(env, 'account', 'credit', left, '1')
  expect(refused.stderr).toContain(`has joined the account ${other.accountId}`)
})
