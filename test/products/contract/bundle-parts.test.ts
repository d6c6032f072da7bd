import { afterAll, beforeAll, expect, test } from 'vitest'
import { accept, makeContract, openUser, signByWallet } from '../../support/contracts/parties.ts'
import { openVerifier } from '../../support/contracts/verifier.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
let folder: Awaited<ReturnType<typeof openVerifier>>
let bundle: Awaited<ReturnType<typeof openDisputed>>
beforeAll(async () => {
  api = await openInProcessApi({ WEBHOOK_NETWORKS: '127.0.0.0/8' })
  folder = await openVerifier(api)
  bundle = await openDisputed()
})
afterAll(async () => {
  await folder[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
})

/** The bundle of a contract with one dispute that was withdrawn, and another that is open. */
async function openDisputed() {
  const [creator, buyer] = [await openUser(api), await openUser(api)]
  const made = await makeContract(creator, buyer, { arbitration: { arbitrator: 'operator' } })
  await signByWallet(api, made)
  await buyer.own('POST', `/${made.id}/sign`, accept(made))
  const evidence = [
    { title: 'Count', text: '9001' },
    { title: 'Photo', file: { text: 'abc', name: 'a.txt' } },
    { title: 'Other', sha256: 'ab'.repeat(32) },
  ]
  const claim = { partyKey: 'buyer', claim: 'Only 9,000 rows came.', requestedRelief: 'A tenth back', evidence }
  const { body: first } = await buyer.own('POST', `/${made.id}/arbitrate`, claim)
  await buyer.own('POST', `/${made.id}/disputes/${first.disputeId}/withdraw`)
  await buyer.own('POST', `/${made.id}/arbitrate`, { ...claim, claim: 'Again.' })
  return (await buyer.own('GET', `/${made.id}/bundle`)).body
}

/** The bundle with another value at a path such as `parties/0/key` of its contract. */
function change(path: string, value: unknown): string {
  const changed = structuredClone(bundle)
  const names = path.split('/')
  const last = names.pop()!
  const part = names.reduce((found, name) => found[name], changed.contract)
  expect(part, path).toHaveProperty(last)
  part[last] = value
  return JSON.stringify(changed)
}

test('the program names what it does not cover', async () => {
  const output = await folder.verify(JSON.stringify(bundle))
  expect(output).toContain(`OK: ${bundle.contract.id} is disputed`)
  expect(output).toContain('Not covered: ')
  expect(await folder.verify(change('parties/0/id', 'x'))).toContain('OK')
})

test.each([
  ['title', 'Other'],
  ['chainId', 1],
  ['allSigned', false],
  ['expiresAt', '2099-01-01T00:00:00Z'],
  ['log/entries', 3],
  ['log/head', '0'.repeat(64)],
  ['parties', []],
  ['parties/0/key', 'x'],
  ['parties/0/name', 'Eve'],
  ['parties/0/role', null],
  ['parties/0/method', 'account'],
  ['parties/0/address', `0x${'2'.repeat(40)}`],
  ['parties/0/email', 'eve@example.com'],
  ['parties/0/required', false],
  ['parties/0/nonce', `0x${'0'.repeat(64)}`],
  ['parties/0/status', 'declined'],
  ['parties/0/signature', `0x${'1'.repeat(130)}`],
  ['parties/0/signedAt', '2026-01-01T00:00:00Z'],
  ['parties/1/signature', `0x${'1'.repeat(130)}`],
  ['parties/1/signedAt', null],
  ['signatures/0/signedAt', '2026-01-01T00:00:00Z'],
  ['signatures/1/accountRef', 'x'],
  ['disputes', []],
  ['disputes/0/disputeId', `dsp_${'0'.repeat(32)}`],
  ['disputes/0/contractId', `ctr_${'0'.repeat(32)}`],
  ['disputes/0/status', 'open'],
  ['disputes/1/status', 'withdrawn'],
  ['disputes/0/claimant', 'seller'],
  ['disputes/0/claim', 'All is lost.'],
  ['disputes/0/requestedRelief', 'All of it'],
  ['disputes/0/evidence', []],
  ['disputes/0/evidence/0/title', 'Sum'],
  ['disputes/0/evidence/0/text', '9999'],
  ['disputes/0/evidence/0/partyKey', 'seller'],
  ['disputes/0/evidence/2/sha256', 'cd'.repeat(32)],
  ['disputes/1/ruling', { outcome: 'for_claimant' }],
])('a bundle whose contract shows another %s is wrong', async (path, value) => {
  expect(await folder.verify(change(path, value))).toContain('WRONG')
})

test('an account that is shown otherwise than agreed is told, as it may have joined another', async () => {
  expect(await folder.verify(change('parties/1/customerId', 'x'))).toMatch(/buyer: agreed as the account .* shown as x/)
})
