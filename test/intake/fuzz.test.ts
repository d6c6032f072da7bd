import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROBLEMS } from '#kit'
import { hashApiKey } from '../../ops/secrets.ts'
import { createAccount, creditAccount } from '../../sql/account.ts'
import { createKey } from '../../sql/key.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import { type FrontDoor, openFrontDoor } from '../support/front-door.ts'
import { anything, ODD_TEXTS, oddObject } from '../support/odd-values.ts'

const RUNS = 200

let door: FrontDoor
let authorization: string
beforeAll(async () => {
  door = await openFrontDoor()
  const { db, config } = door.floor
  const { id: accountId } = await createAccount(db)
  await creditAccount(db, { accountId, amountMicros: 1_000_000_000n })
  const key = await createKey(db, { accountId, mode: 'test', hash: word => hashApiKey(config.secret, word) })
  authorization = `Bearer ${key}`
})
afterAll(async () => {
  expect(await checkInvariants(door.floor.db)).toEqual([])
  await door[Symbol.asyncDispose]()
})

test('no call of any operation, however odd, is answered with a fault of ours or outside the table of problems', async () => {
  for (const operation of door.floor.catalog.operations) {
    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 9, arbitrary: oddObject(operation.input) }, anything), async body => {
        const answer = await door.app.inject({
          method: 'POST',
          url: operation.path,
          headers: { authorization, 'content-type': 'application/json', prefer: 'wait=0' },
          payload: JSON.stringify(body),
        })
        if (answer.statusCode < 300) return
        const { code, error } = answer.json() as { code: string; error: string }
        const told = `${operation.name} ${answer.payload}`
        expect(answer.statusCode, told).not.toBe(500)
        expect(error, told).toEqual(expect.any(String))
        const known = Object.entries(PROBLEMS).filter(([name, [, , wire]]) => (wire ?? name) === code)
        expect(
          known.map(([, [status]]) => status),
          told,
        ).toContain(answer.statusCode)
      }),
      { numRuns: RUNS },
    )
  }
}, 120_000)

test('no byte salad for a body is answered with a fault of ours', async () => {
  const { path } = door.floor.catalog.operation('utils.hash')!
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
      const answer = await door.app.inject({ method: 'POST', url: path, headers, payload: Buffer.from(bytes) })
      expect(answer.statusCode, answer.payload).not.toBe(500)
    }),
    { numRuns: 200 },
  )
}, 60_000)

test('no odd query or path is answered with a fault of ours', async () => {
  const routes = door.floor.catalog.routes.filter(({ at }) => at.startsWith('GET '))
  const word = fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: 'binary', maxLength: 30 }))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...routes), word, word, async ({ at }, name, value) => {
      const path = at.slice(4).replaceAll(/\{\w+\}|\*/g, () => encodeURIComponent(wellFormed(value)))
      const query = `${encodeURIComponent(wellFormed(name))}=${encodeURIComponent(wellFormed(value))}`
      const answer = await door.app.inject({ url: `${path}?${query}`, headers: { authorization } })
      expect(answer.statusCode, `${path}?${query} ${answer.payload}`).not.toBe(500)
    }),
    { numRuns: 300 },
  )
}, 60_000)

function wellFormed(text: string): string {
  return text.toWellFormed().slice(0, 200)
}
