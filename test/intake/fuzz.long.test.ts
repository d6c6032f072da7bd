import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROBLEMS } from '#kit'
import { loadCatalog } from '../../api/catalog.ts'
import { hashApiKey } from '../../ops/secrets.ts'
import { createAccount, creditAccount } from '../../sql/account.ts'
import { createKey } from '../../sql/key.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import { anyValue, createOddObject, ODD_TEXTS } from '../support/data/odd-values.ts'
import { type InProcessApi, openInProcessApi } from '../support/stack/in-process-api.ts'

const RUNS = 100
const { operations } = await loadCatalog()

let api: InProcessApi
let authorization: string
beforeAll(async () => {
  api = await openInProcessApi()
  const { db, config } = api.context
  const { id: accountId } = await createAccount(db)
  await creditAccount(db, { accountId, amountMicros: 1_000_000_000n })
  const key = await createKey(db, { accountId, mode: 'test', hash: apiKey => hashApiKey(config.secret, apiKey) })
  authorization = `Bearer ${key}`
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

test.each(operations)(
  'random calls of $name return no internal error and no problem outside the table',
  async operation => {
    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 9, arbitrary: createOddObject(operation.input) }, anyValue), async body => {
        const answer = await api.app.inject({
          method: 'POST',
          url: operation.path,
          headers: { authorization, 'content-type': 'application/json', prefer: 'wait=0' },
          payload: JSON.stringify(body),
        })
        if (answer.statusCode < 300) return
        const { code, error } = answer.json() as { code: string; error: string | { message: string } }
        const details = `${operation.name} ${answer.payload}`
        expect(answer.statusCode, details).not.toBe(500)
        // Errors of the OpenAI door have the form of its protocol.
        const isNested = operation.family === 'openai'
        expect(isNested ? (error as { message: string }).message : error, details).toEqual(expect.any(String))
        const known = Object.entries(PROBLEMS).filter(([name, [, , wire]]) => (wire ?? name) === code)
        expect(
          known.map(([, [status]]) => status),
          details,
        ).toContain(answer.statusCode)
      }),
      { numRuns: RUNS },
    )
  },
)

test('random bytes as a body return no internal error', async () => {
  const { path } = api.context.catalog.operation('utils.hash')!
  const types = [
    'application/json',
    'application/json; charset=utf-16',
    'multipart/form-data; boundary=x',
    'text/plain',
    '',
  ]
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(...types), async (bytes, type) => {
      const headers = { authorization, ...(type && { 'content-type': type }) }
      const answer = await api.app.inject({ method: 'POST', url: path, headers, payload: Buffer.from(bytes) })
      expect(answer.statusCode, answer.payload).not.toBe(500)
    }),
    { numRuns: 200 },
  )
})

test('odd queries and paths return no internal error', async () => {
  const routes = api.context.catalog.routes.filter(({ at }) => at.startsWith('GET '))
  const word = fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: 'binary', maxLength: 30 }))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...routes), word, word, async ({ at }, name, value) => {
      const path = at.slice(4).replaceAll(/\{\w+\}|\*/g, () => encodeURIComponent(wellFormed(value)))
      const query = `${encodeURIComponent(wellFormed(name))}=${encodeURIComponent(wellFormed(value))}`
      const answer = await api.app.inject({ url: `${path}?${query}`, headers: { authorization } })
      expect(answer.statusCode, `${path}?${query} ${answer.payload}`).not.toBe(500)
    }),
    { numRuns: 300 },
  )
})

function wellFormed(text: string): string {
  return text.toWellFormed().slice(0, 200)
}
