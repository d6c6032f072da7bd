import { afterAll, beforeAll, expect, test } from 'vitest'
import { openView } from '../../support/browser/sign-in.ts'
import { makeContract, openUser } from '../../support/contracts/parties.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(() => api[Symbol.asyncDispose]())

test('an operator who sees the pages of a party neither signs nor declines for it', async () => {
  const [creator, buyer] = [await openUser(api), await openUser(api)]
  const { id, contract, tokens } = await makeContract(creator, buyer)
  const cookie = await openView(api, buyer.accountId)
  const url = `/contracts/${tokens[1]}`
  expect((await api.app.inject({ url, headers: { cookie } })).statusCode).toBe(200)
  const headers = { cookie, origin: api.context.config.publicUrl, 'content-type': 'application/x-www-form-urlencoded' }
  for (const act of ['account', 'decline']) {
    const payload = new URLSearchParams({ act, termsHash: contract.termsHash }).toString()
    expect((await api.app.inject({ method: 'POST', url, headers, payload })).statusCode).toBe(403)
  }
  const { body } = await creator.own('GET', `/${id}`)
  expect(body.parties.map(({ status }: { status: string }) => status)).toEqual(['pending', 'pending'])
})
