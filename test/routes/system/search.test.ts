import { afterAll, beforeAll, expect, test } from 'vitest'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(() => api[Symbol.asyncDispose]())

test('a wish in plain words finds the calls, each with its fields and its price', async () => {
  const answer = await api.app.inject('/v1/search?q=stamp%20page%20numbers')
  expect(answer.statusCode).toBe(200)
  const { query, results } = answer.json()
  expect([query, results.length]).toEqual(['stamp page numbers', 5])
  expect(results[0]).toMatchObject({
    name: 'pdf.watermark',
    tool: 'pdf_watermark',
    method: 'POST',
    path: '/v1/pdf/watermark',
    price: expect.stringMatching(/USD per/),
    fields: expect.stringContaining('file* Source'),
  })
})

test('the number of results can be chosen, and nothing may be found', async () => {
  const count = async (address: string) => (await api.app.inject(address)).json().results.length
  expect(await count('/v1/search?q=pdf&limit=12')).toBe(12)
  expect(await count('/v1/search?q=qqqqzzzz')).toBe(0)
})

test.each([
  ['/v1/search', 'MISSING_FIELD'],
  ['/v1/search?q=', 'INVALID_PARAM'],
  ['/v1/search?q=a&limit=0', 'INVALID_PARAM'],
  ['/v1/search?q=a&limit=1000', 'INVALID_PARAM'],
  ['/v1/search?q=a&x=1', 'UNKNOWN_FIELD'],
  [`/v1/search?q=${'a'.repeat(301)}`, 'INVALID_PARAM'],
])('%s is refused', async (address, code) => {
  const answer = await api.app.inject(address)
  expect([answer.statusCode, answer.json().code]).toEqual([400, code])
})
