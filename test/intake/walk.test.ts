import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPaidApi, type PaidApi } from '../support/chain/in-process-paid-api.ts'
import { recordWalk, type Walk } from '../support/house/walk.ts'
import { openBatonOwner } from '../support/stack/baton-owner.ts'

let api: PaidApi
beforeAll(async () => {
  api = await openPaidApi()
})
afterAll(() => api[Symbol.asyncDispose]())

/** Whoever follows a call reads these files, and comes back to none of its steps (decision 0231). Leaves count once. */
const LEAVES = /^(sql\/|api\/intake\/(identity\/rate-limit|body\/json)\.ts$)/
const describe = (walk: Walk) => [...walk].map(([path, names]) => `${path} ${[...names].join(' ')}`).sort()
const listReentered = (walk: Walk) =>
  describe(new Map([...walk].filter(([path, names]) => !LEAVES.test(path) && names.size > 2)))

test('a call that a wallet pays for goes through at most 22 files, its first too, and enters no step more than twice', async () => {
  const wallet = api.chain.wallet()
  const call = async () => {
    const answer = await api.hash({ 'payment-signature': wallet.pay(10_000n) })
    expect(answer.statusCode).toBe(200)
  }
  await call()
  await call()
  const walk = await recordWalk(call)
  expect([...walk.keys()]).toContain('api/intake/x402/funding.ts')
  expect(walk.size, describe(walk).join('\n')).toBeLessThanOrEqual(22)
  expect(listReentered(walk)).toEqual([])
  const first = await recordWalk(async () => {
    expect((await api.hash({ 'payment-signature': api.chain.wallet().pay(10_000n) })).statusCode).toBe(200)
  })
  expect(first.size, describe(first).join('\n')).toBeLessThanOrEqual(22)
  expect(listReentered(first)).toEqual([])
})

test('an entry that its owner appends to a baton goes through at most 14 files', async () => {
  const owner = await openBatonOwner(api)
  const log = await owner.create({ preset: 'ledger', tier: 'femto' })
  const append = async () => {
    const answer = await owner.call('POST', `/v1/baton/${log.id}`, { content: 'one line' })
    expect(answer.statusCode).toBe(201)
  }
  await append()
  const walk = await recordWalk(append)
  expect([...walk.keys()]).toContain('api/products/baton/routes/write.ts')
  expect(walk.size, describe(walk).join('\n')).toBeLessThanOrEqual(14)
  expect(listReentered(walk)).toEqual([])
})
