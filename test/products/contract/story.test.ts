import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listInbox } from '../../../api/inbox.ts'
import { forgetContracts } from '../../../sql/contract/steps.ts'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import {
  accept,
  callAnonymously,
  makeContract,
  openUser,
  signByWallet,
  uuidOf,
} from '../../support/contracts/parties.ts'
import { openMailServer } from '../../support/mail/server.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'

let api: InProcessApi
let mail: Awaited<ReturnType<typeof openMailServer>>
beforeAll(async () => {
  mail = await openMailServer()
  api = await openInProcessApi({ SMTP_URL: mail.url, WEBHOOK_NETWORKS: '127.0.0.0/8' })
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})

test('a contract costs its price once, and is active when its wallet and its account have signed', async () => {
  const [creator, buyer] = [await openUser(api), await openUser(api)]
  const made = await makeContract(creator, buyer)
  const { id, contract } = made
  expect(await creator.money()).toEqual([980_000n, 0n])
  const canonical = JSON.stringify(contract.document)
  expect(canonical).toContain('"terms":{"price":"5 USDC","rows":10000,"until":"2026-12-31"}')
  expect(contract).toMatchObject({ status: 'pending', allSigned: false })
  expect((await buyer.own('GET', `/${id}`)).body).toMatchObject({ partyKey: 'buyer', batonId: null, isCreator: false })
  const signed = await signByWallet(api, made)
  expect([signed.status, signed.body.status]).toEqual([200, 'pending'])
  const done = await buyer.own('POST', `/${id}/sign`, accept(made))
  expect(done.body).toMatchObject({ status: 'active', allSigned: true, log: { entries: 4 } })
  expect(await creator.events()).toEqual(['signed', 'signed', 'active'])
  expect((await buyer.own('POST', `/${id}/sign`, accept(made))).body.code).toBe('ALREADY_SIGNED')
  expect((await buyer.own('GET', '?status=active')).body.data).toMatchObject([{ id }])

  const ledger = await creator.call('GET', `/v1/baton/${contract.batonId}`)
  expect([ledger.statusCode, ledger.headers['content-type']]).toEqual([200, 'application/x-ndjson'])
  expect((await creator.call('GET', `/v1/baton/${contract.batonId}/meta`)).json()).toMatchObject({ entries: 4 })
  const chain = await creator.call('POST', `/v1/baton/${contract.batonId}/trust/verify-chain`, { mode: 'full' })
  expect(chain.json(), chain.body).toMatchObject({ valid: true })
  const texts = ledger.body.trim().split('\n')
  const log = (await creator.call('GET', `/v1/audit/contract/${uuidOf(id)}`)).json().data
  expect(texts).toEqual(log.map(({ text }: { text: string }) => text))
  expect(createHash('sha256').update(texts.at(-1)!).digest('hex')).toBe(done.body.log.head)
})

test('a contract lists its signatures by their entries in the log, and says where its proof is', async () => {
  const [creator, buyer] = [await openUser(api), await openUser(api)]
  const made = await makeContract(creator, buyer)
  expect(made.contract).toMatchObject({ signatures: [], allSigned: false })
  await buyer.own('POST', `/${made.id}/sign`, accept(made))
  const { body } = await signByWallet(api, made, {}, made.tokens[0])
  const [bySeller, byBuyer] = [body.parties[0], body.parties[1]]
  expect(body.signatures).toEqual([
    { partyKey: 'buyer', method: 'account', accountRef: buyer.accountId, signedAt: byBuyer.signedAt, entrySeq: 2 },
    {
      ...{ partyKey: 'seller', method: 'wallet', address: made.wallet.address.toLowerCase() },
      ...{ signedAt: bySeller.signedAt, signature: bySeller.signature, entrySeq: 3 },
    },
  ])
  const { body: read } = await buyer.own('GET', `/${made.id}`)
  const { signatures, id } = (await buyer.own('GET', '')).body.data[0]
  expect([id, signatures]).toEqual([made.id, read.signatures])
  for (const { proofUrl } of [body, read]) {
    const path = new URL(proofUrl).pathname
    const opened = proofUrl === body.proofUrl ? await api.app.inject({ url: path }) : await buyer.call('GET', path)
    expect(opened.json().contract.signatures).toEqual(read.signatures)
  }
})

test('a witnessed ledger keeps its witness while the contract goes on, and one that was extended gets what it missed', async () => {
  const [creator, buyer] = [await openUser(api), await openUser(api)]
  const [witnessed, expired] = [await makeContract(creator, buyer), await makeContract(creator, buyer)]
  const at = `/v1/baton/${witnessed.contract.batonId}`
  expect((await creator.call('POST', `${at}/trust/document-witness`, {})).statusCode).toBe(200)
  expect((await signByWallet(api, witnessed)).status).toBe(200)
  expect((await buyer.own('POST', `/${witnessed.id}/sign`, accept(witnessed))).body.status).toBe('active')
  const ledger = await creator.call('GET', at)
  expect(ledger.body.trim().split('\n')).toHaveLength(1)
  const checked = await creator.call('POST', `${at}/trust/verify-chain`, { mode: 'full' })
  expect(checked.json(), checked.body).toMatchObject({ valid: true })

  const move = async (to: string) =>
    rows(
      api.context.db,
      `update svc.baton set expires_at = ${to} where account_id = $1 and id = (select baton_id from svc.contract where id = $2)`,
      [...[creator.accountId, uuidOf(expired.id)]],
    )
  await move("now() - interval '1 s'")
  await signByWallet(api, expired)
  await move("now() + interval '1 day'")
  await buyer.own('POST', `/${expired.id}/sign`, accept(expired))
  const caughtUp = await creator.call('GET', `/v1/baton/${expired.contract.batonId}`)
  expect(caughtUp.body.trim().split('\n')).toHaveLength(4)
})

test('two parties that sign last at once make it active once', async () => {
  const [creator, buyer] = [await openUser(api), await openUser(api)]
  const made = await makeContract(creator, buyer)
  const answers = await Promise.all([signByWallet(api, made), buyer.own('POST', `/${made.id}/sign`, accept(made))])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(await creator.events()).toEqual(['signed', 'signed', 'active'])
})

test('neither way of signing does for the other, and no signature for another contract, party or text', async () => {
  const [creator, buyer] = [await openUser(api), await openUser(api)]
  const [made, other] = [await makeContract(creator, buyer), await makeContract(creator, buyer)]
  const seller = { accept: true, termsHash: made.contract.termsHash, partyKey: 'seller' }
  expect((await creator.own('POST', `/${made.id}/sign`, seller)).body).toMatchObject({
    ...{ code: 'WRONG_METHOD', required: 'wallet' },
  })
  const link = made.tokens[0]!
  for (const change of [
    { contractId: other.id },
    { termsHash: `0x${'0'.repeat(64)}` },
    { role: 'buyer' },
    { signedAt: 1 },
  ])
    expect((await signByWallet(api, made, change, link)).body.code, JSON.stringify(change)).toBe('SIGNATURE_INVALID')
  const { signPayload: data } = other.contract.parties[0]
  const foreign = await made.wallet.signTypedData(data)
  const body = { partyKey: 'seller', signature: foreign, address: made.wallet.address, signedAt: data.message.signedAt }
  expect((await callAnonymously(api, 'POST', `${link}/sign`, body)).body.code).toBe('SIGNATURE_INVALID')
  const late = { ...data, message: { ...data.message, signedAt: data.message.signedAt - 3_600 } }
  const old = { ...body, signature: await made.wallet.signTypedData(late), signedAt: late.message.signedAt }
  expect((await callAnonymously(api, 'POST', `${link}/sign`, old)).body.code).toBe('SIGNATURE_INVALID')
  const outsider = await openUser(api)
  for (const [user, path, code] of [
    [outsider, made.id, 'NOT_FOUND'],
    [creator, made.id, 'NOT_A_PARTY'],
    [outsider, link, 'NOT_A_PARTY'],
  ] as const)
    expect((await user.own('POST', `/${path}/sign`, accept(made))).body.code).toBe(code)
  expect((await buyer.own('POST', `/${made.id}/sign`, { ...accept(made), termsHash: '0'.repeat(64) })).body.code).toBe(
    'TERMS_HASH_MISMATCH',
  )
  expect((await signByWallet(api, made, { role: 'x' })).body.code).toBe('NOT_FOUND')
  expect((await creator.own('GET', `/${made.id}`)).body.log.entries).toBe(1)
})

test('a party that is named by a mail address is signed for by nobody who has not proved it', async () => {
  const [creator, buyer, outsider] = [await openUser(api), await openUser(api), await openUser(api)]
  const parties = [
    { key: 'seller', method: 'account', customerId: creator.accountId },
    { key: 'buyer', method: 'account', email: 'bo@example.com' },
  ]
  const made = await makeContract(creator, buyer, { parties })
  for (const [user, path] of [
    [creator, made.id],
    [outsider, made.tokens[1]],
  ] as const)
    expect((await user.own('POST', `/${path}/sign`, accept(made))).body.code).toBe('NOT_A_PARTY')
  await rows(
    api.context.db,
    "insert into svc.identity (provider, subject, account_id, email) values ('google', 'bo', $1, 'Bo@example.com')",
    [buyer.accountId],
  )
  const signed = await buyer.own('POST', `/${made.id}/sign`, accept(made))
  expect(signed.body).toMatchObject({ status: 'pending', signatures: [{ partyKey: 'buyer' }] })
})

test('whoever reads a contract is told that a key is of no party, and others learn nothing', async () => {
  const [creator, buyer] = [await openUser(api), await openUser(api)]
  const made = await makeContract(creator, buyer)
  const { signPayload: data } = made.contract.parties[0]
  const signature = await made.wallet.signTypedData(data)
  const body = { partyKey: 'nobody', signature, address: made.wallet.address, signedAt: data.message.signedAt }
  expect((await buyer.own('POST', `/${made.id}/sign`, body)).body.code).toBe('NOT_A_PARTY')
  expect((await callAnonymously(api, 'POST', `${made.id}/sign`, body)).body.code).toBe('NOT_FOUND')
})

test('a wallet that has proved itself by its signature alone is told why nothing is signed', async () => {
  const [creator, buyer] = [await openUser(api), await openUser(api)]
  const [made, withdrawn] = [await makeContract(creator, buyer), await makeContract(creator, buyer)]
  expect((await signByWallet(api, made)).status).toBe(200)
  const again = await signByWallet(api, made)
  expect([again.status, again.body.code]).toEqual([409, 'ALREADY_SIGNED'])
  expect((await signByWallet(api, made, { role: 'x' })).body.code).toBe('NOT_FOUND')
  await creator.own('POST', `/${withdrawn.id}/withdraw`)
  expect((await signByWallet(api, withdrawn)).body.code).toBe('CONTRACT_NOT_PENDING')
})

const CHECKED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
test.each([
  ['as wallets show it', { address: CHECKED }, 201],
  ['in small letters', { address: CHECKED.toLowerCase() }, 201],
  ['in capital letters', { address: `0x${CHECKED.slice(2).toUpperCase()}` }, 201],
  ['with a letter that is wrong', { address: CHECKED.replace('5a', '5A') }, 400],
  ['of an account that has no such id', { address: undefined, method: 'account', customerId: 'seven' }, 400],
])('the address of a party: %s', async (_, party, status) => {
  const creator = await openUser(api)
  const parties = [
    { key: 'seller', method: 'wallet', ...party },
    { key: 'buyer', method: 'account', email: 'b@example.com' },
  ]
  const answer = await creator.own('POST', '', { title: 'Data', terms: 'All of it.', parties, notify: false })
  expect([answer.status, answer.body.code]).toEqual([status, status === 201 ? undefined : 'INVALID_PARAM'])
  expect(await creator.money()).toEqual([status === 201 ? 980_000n : 1_000_000n, 0n])
})

test('the high form of a signature is refused, and both ways to write its recovery are taken', async () => {
  const [creator, buyer] = [await openUser(api), await openUser(api)]
  const made = await makeContract(creator, buyer)
  const { signPayload: data } = made.contract.parties[0]
  const signature = await made.wallet.signTypedData(data)
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0')
  const v = signature.endsWith('1b') ? '1c' : '1b'
  const send = (text: string) =>
    callAnonymously(api, 'POST', `${made.tokens[0]}/sign`, {
      ...{ partyKey: 'seller', signature: text, address: made.wallet.address, signedAt: data.message.signedAt },
    })
  expect((await send(signature.slice(0, 66) + s + v)).body.code).toBe('SIGNATURE_INVALID')
  expect((await send(`0x${'ab'.repeat(100)}`)).body).toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' })
  expect((await send(signature.slice(0, 130) + (v === '1c' ? '00' : '01'))).status).toBe(200)
})

test('a party declines, a creator withdraws, time ends it; then nobody signs', async () => {
  const [creator, buyer] = [await openUser(api), await openUser(api)]
  const [declined, withdrawn, expired, late] = [
    await makeContract(creator, buyer),
    await makeContract(creator, buyer),
    await makeContract(creator, buyer),
    await makeContract(creator, buyer),
  ]
  const reason = { partyKey: 'buyer', reason: 'Too dear' }
  expect((await creator.own('POST', `/${declined.id}/decline`, reason)).body.code).toBe('NOT_A_PARTY')
  expect((await callAnonymously(api, 'POST', `${declined.tokens[0]}/decline`, reason)).body.code).toBe('NOT_A_PARTY')
  expect((await callAnonymously(api, 'POST', `${declined.tokens[1]}/decline`, reason)).body.status).toBe('declined')
  expect((await buyer.own('POST', `/${withdrawn.id}/withdraw`)).body.code).toBe('NOT_FOUND')
  expect((await creator.own('POST', `/${withdrawn.id}/withdraw`)).body.status).toBe('withdrawn')
  await runDueSteps(api.context)
  for (const { id } of [expired, late])
    await rows(api.context.db, "update svc.contract set expires_at = now() - interval '1 s' where id = $1", [
      uuidOf(id),
    ])
  expect((await signByWallet(api, late, {}, late.tokens[0])).body.code).toBe('CONTRACT_EXPIRED')
  await runDueSteps(api.context)
  expect((await creator.own('GET', `/${expired.id}`)).body.status).toBe('expired')
  for (const [made, code] of [
    [declined, 'CONTRACT_NOT_PENDING'],
    [withdrawn, 'CONTRACT_NOT_PENDING'],
    [expired, 'CONTRACT_EXPIRED'],
  ] as const)
    expect((await buyer.own('POST', `/${made.id}/sign`, accept(made))).body.code).toBe(code)
  expect(await creator.events()).toEqual(['declined', 'withdrawn', 'expired', 'expired'])
  await rows(api.context.db, "update svc.contract set state_at = now() - interval '91 days' where account_id = $1", [
    creator.accountId,
  ])
  expect(await forgetContracts(api.context.db, 90)).toBe(4)
  expect((await creator.own('GET', '')).body.data).toEqual([])
})

test('a contract between the same parties supersedes another when all have signed it', async () => {
  const [creator, buyer] = [await openUser(api), await openUser(api)]
  const first = await makeContract(creator, buyer)
  const parties = first.contract.document.parties
  const second = await makeContract(creator, buyer, { parties, supersedes: first.id, terms: 'Cheaper' })
  expect((await creator.own('GET', `/${first.id}`)).body.status).toBe('pending')
  await signByWallet(api, { ...second, wallet: first.wallet })
  await buyer.own('POST', `/${second.id}/sign`, accept(second))
  expect((await creator.own('GET', `/${first.id}`)).body).toMatchObject({
    ...{ status: 'superseded', supersededBy: second.id },
  })
  const refused = await creator.own('POST', '', { title: 'x', terms: 'x', parties, supersedes: first.id })
  expect(refused.body.code).toBe('NOT_SUPERSEDABLE')
})

test('an account by mail address signs after it has proved the address, and is told by mail', async () => {
  const [creator, buyer] = [await openUser(api), await openUser(api)]
  const parties = [
    { key: 'a', method: 'account', email: 'Ida@Example.com', name: 'Ida' },
    { key: 'b', method: 'account', customerId: creator.accountId, required: false },
  ]
  const { id, contract, tokens } = await makeContract(creator, buyer, { parties })
  const body = { partyKey: 'a', accept: true, termsHash: contract.termsHash }
  expect((await buyer.own('POST', `/${id}/sign`, body)).status).toBe(404)
  const unsure = await buyer.own('POST', `/${id}/sign`, { partyKey: 'a', accept: true })
  expect(unsure.body).toMatchObject({ code: 'MISSING_FIELD', field: 'termsHash' })
  await runDueSteps(api.context)
  expect(mail.mails.at(-1)!.replaceAll('=\n', '')).toContain(`/contracts/${tokens[0]}`)
  const identity =
    "insert into svc.identity (provider, subject, account_id, email) values ('google', $1::text, $1::uuid, $2)"
  await rows(api.context.db, identity, [buyer.accountId, 'ida@example.com'])
  expect(await listInbox(api.context, buyer.accountId)).toMatchObject([{ url: `/contracts/${tokens[0]}` }])
  expect((await buyer.own('POST', `/${id}/sign`, body)).body.status).toBe('active')
  expect(await listInbox(api.context, buyer.accountId)).toEqual([])
})
