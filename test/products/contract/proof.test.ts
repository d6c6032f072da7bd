import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#kit'
import { rotateSigningKey } from '../../../ops/products/witness/keys.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { eraseAccount, exportAccount } from '../../../sql/product/account-data.ts'
import { accept, callAnonymously, makeContract, openUser, signByWallet } from '../../support/contracts/parties.ts'
import { openVerifier } from '../../support/contracts/verifier.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi({ WEBHOOK_NETWORKS: '127.0.0.0/8' })
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

const WALLET = { key: 'a', method: 'wallet', address: `0x${'1'.repeat(40)}` }
const ACCOUNT = { key: 'b', method: 'account', email: 'b@example.com' }
test.each([
  ['one party', { parties: [WALLET] }, 'INVALID_PARAM'],
  ['two of one key', { parties: [WALLET, { ...ACCOUNT, key: 'a' }] }, 'INVALID_PARAM'],
  ['a wallet without an address', { parties: [{ key: 'a', method: 'wallet' }, ACCOUNT] }, 'INVALID_PARAM'],
  ['a wallet with a mail address', { parties: [{ ...WALLET, email: 'a@example.com' }, ACCOUNT] }, 'INVALID_PARAM'],
  [
    'an account with an address',
    { parties: [WALLET, { key: 'b', method: 'account', address: WALLET.address }] },
    'INVALID_PARAM',
  ],
  [
    'nobody who is required',
    { parties: [WALLET, ACCOUNT].map(party => ({ ...party, required: false })) },
    'INVALID_PARAM',
  ],
  ['terms that are a list', { terms: [1] }, 'INVALID_PARAM'],
  ['empty terms', { terms: ' ' }, 'INVALID_PARAM'],
  ['terms with a zero byte', { terms: { a: '\0' } }, 'INVALID_PARAM'],
  ['long terms', { terms: 'x'.repeat(70_000) }, 'INVALID_PARAM'],
  ['an end in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'INVALID_PARAM'],
  ['an end that is too late', { expiresAt: '2099-01-01T00:00:00Z' }, 'INVALID_PARAM'],
  ['an attachment without its hash', { attachments: [{ name: 'a' }] }, 'INVALID_PARAM'],
  ['an attachment that is not there', { attachments: [{ name: 'a', file: { inputKey: 'x' } }] }, 'INPUT_NOT_FOUND'],
  ['arbitration by a coin', { arbitration: { arbitrator: 'coin' } }, 'INVALID_PARAM'],
  ['another contract that there is not', { supersedes: `ctr_${'0'.repeat(32)}` }, 'NOT_FOUND'],
])('%s is refused for free', async (_, body, code) => {
  const creator = await openUser(api)
  const { body: refused } = await creator.own('POST', '', {
    title: 'x',
    terms: 'x',
    parties: [WALLET, ACCOUNT],
    ...body,
  })
  expect(refused.code, JSON.stringify(refused)).toBe(code)
  expect(await creator.money()).toEqual([1_000_000n, 0n])
})

test('the bundle is checked by one file and node alone, which finds every planted fault', async () => {
  const [creator, buyer] = [await openUser(api), await openUser(api)]
  const made = await makeContract(creator, buyer, {
    terms: { text: 'ünï "\\" \u2028', n: 1e21, list: [1.5, null, true] },
    attachments: [
      { name: 'plan', file: { text: 'abc' } },
      { name: 'other', sha256: 'ab'.repeat(32) },
    ],
  })
  await signByWallet(api, made)
  await buyer.own('POST', `/${made.id}/sign`, accept(made))
  const { body: bundle } = await buyer.own('GET', `/${made.id}/bundle`)
  expect(JSON.parse(bundle.document).attachments).toEqual([
    { name: 'plan', sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' },
    { name: 'other', sha256: 'ab'.repeat(32) },
  ])
  const { headers } = await api.app.inject({ url: '/v1/contracts/verifier' })
  expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
  await using folder = await openVerifier(api)
  const { verify } = folder
  const good = await verify(JSON.stringify(bundle))
  expect(good).toContain(`OK: ${made.id} is active`)
  expect(good).toContain(`signed by the wallet ${made.wallet.address.toLowerCase()}`)
  const signature = bundle.contract.parties[0].signature as string
  const nth = signature.at(-5) === '0' ? '1' : '0'
  const faults: [string, (text: string) => string][] = [
    ['a byte of the terms', text => text.replaceAll('1.5', '1.6')],
    ['a signature', text => text.replaceAll(signature, `${signature.slice(0, -5)}${nth}${signature.slice(-4)}`)],
    ['an address', text => text.replaceAll(made.wallet.address.toLowerCase(), `0x${'2'.repeat(40)}`)],
    ['the status', text => text.replaceAll('"status":"active"', '"status":"pending"')],
    ['the stated status', text => text.replaceAll('"state":"active"', '"state":"pending"')],
    ['the entry of a signature', text => text.replace('"entrySeq":2', '"entrySeq":3')],
    [
      'a party of a signature',
      text => text.replace('"signatures":[{"partyKey":"seller"', '"signatures":[{"partyKey":"buyer"'),
    ],
    ['the head', text => text.replaceAll(bundle.log.at(-1).hash, '0'.repeat(64))],
  ]
  for (const [name, change] of faults) {
    const changed = change(JSON.stringify(bundle))
    expect(changed, name).not.toBe(JSON.stringify(bundle))
    expect(await verify(changed), name).toContain('WRONG')
  }
  for (const log of [bundle.log.slice(0, -1), [...bundle.log].reverse(), [bundle.log[0], ...bundle.log.slice(2)]])
    expect(await verify(JSON.stringify({ ...bundle, log }))).toContain('WRONG')
  const forged = { ...bundle, statement: { ...bundle.statement, entries: 5 } }
  expect(await verify(JSON.stringify(forged))).toContain('WRONG')
  expect(await verify('{')).toContain('cannot be read')
})

test('a bundle of the first form, which says state, is still checked', async () => {
  const first = await readFile(new URL('../../support/contracts/first-bundle.json', import.meta.url), 'utf8')
  await using folder = await openVerifier(api)
  const good = await folder.verify(first)
  expect(good).toContain('ruled for_claimant by the operator')
  expect(good).toContain('OK: ctr_01a21a75ef0e75efac9ae18e6a363f66 is ruled')
  for (const [from, to] of [
    [/"state": "ruled",\n {4}"title"/, '"state": "active",\n    "title"'],
    [/"state": "signed"/, '"state": "pending"'],
    [/contract-bundle\/1/, 'contract-bundle/2'],
    [/contract-bundle\/1/, 'contract-bundle/3'],
  ] as const) {
    const changed = first.replace(from, to)
    expect(changed, to).not.toBe(first)
    expect(await folder.verify(changed), to).toContain('WRONG')
  }
})

test('contracts are exported, and erased with the account of their creator', async () => {
  const [creator, buyer] = [await openUser(api), await openUser(api)]
  const { db, store } = api.context
  const made = await makeContract(creator, buyer)
  await buyer.own('POST', `/${made.id}/sign`, accept(made))
  expect(JSON.stringify(await exportAccount(db, creator.accountId))).toContain(made.id)
  await eraseAccount(db, store, buyer.accountId)
  expect((await creator.own('GET', `/${made.id}`)).body.parties).toMatchObject([{}, { status: 'signed' }])
  await eraseAccount(db, store, creator.accountId)
  expect((await callAnonymously(api, 'GET', made.tokens[0]!)).status).toBe(404)
})

test('the disclosure has dated keys and a sample that the verifier takes, also by keys of before', async () => {
  const read = async () => (await api.app.inject({ url: '/v1/contracts/disclosure' })).json()
  const before = await read()
  const { db, config } = api.context
  await rotateSigningKey(db, config.secret)
  const { serviceKeys, sampleBundle, verifySteps, chainFormat } = await read()
  const [current, retired] = serviceKeys.keys
  const published = (await api.app.inject({ url: '/.well-known/jwks.json' })).json().keys
  expect(serviceKeys.keys.map(({ kid }: { kid: string }) => kid)).toEqual(
    published.map(({ kid }: { kid: string }) => kid),
  )
  expect([current.validTo, retired.kid, retired.validTo]).toEqual([
    null,
    before.serviceKeys.keys[0].kid,
    published[1].svc_not_after,
  ])
  expect(Date.parse(current.validFrom)).toBeGreaterThanOrEqual(Date.parse(retired.validFrom))
  expect(before).toMatchObject({ canonicalization: 'RFC8785', serviceKeys: { keys: [{ alg: 'EdDSA' }] } })
  expect([verifySteps.length, chainFormat]).toEqual([7, expect.stringContaining('previous')])
  await using folder = await openVerifier(api)
  for (const bundle of [before.sampleBundle, sampleBundle]) {
    const output = await folder.verify(JSON.stringify(bundle), JSON.stringify(serviceKeys))
    expect(output).toContain('OK: ctr_')
    expect(output).toContain('seller: signed by the wallet')
  }
  expect(await folder.verify(JSON.stringify(sampleBundle), JSON.stringify({ keys: [retired] }))).toContain('WRONG')

  const [creator, buyer] = [await openUser(api), await openUser(api)]
  const made = await makeContract(creator, buyer)
  const { body: real } = await buyer.own('GET', `/${made.id}/bundle`)
  const listNames = ({ contract, ...rest }: { contract: object }) => [Object.keys(rest), Object.keys(contract)]
  expect(listNames(sampleBundle)).toEqual(listNames(real))
})

test('a token or an id that is guessed opens nothing', async () => {
  for (const path of [`ctp_${'A'.repeat(43)}`, `ctr_${newId().replaceAll('-', '')}`]) {
    expect([401, 404]).toContain((await callAnonymously(api, 'GET', path)).status)
    expect((await api.app.inject({ url: `/contracts/${path}` })).statusCode).toBe(404)
  }
})
