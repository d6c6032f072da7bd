import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashApiKey } from '../../ops/secrets.ts'
import { createAccount, creditAccount } from '../../sql/account.ts'
import { raiseHold } from '../../sql/job.ts'
import { createKey } from '../../sql/key.ts'
import { type InProcessApi, openInProcessApi } from '../support/stack/in-process-api.ts'

/** There is no worker, so every file stays unknown. */
let api: InProcessApi
let headers: Record<string, string>
beforeAll(async () => {
  api = await openInProcessApi()
  const { db, config } = api.context
  const { id: accountId } = await createAccount(db)
  await creditAccount(db, { accountId, amountMicros: 1_000_000n })
  const key = await createKey(db, { accountId, mode: 'test', hash: apiKey => hashApiKey(config.secret, apiKey) })
  headers = { authorization: `Bearer ${key}` }
})
afterAll(() => api[Symbol.asyncDispose]())

const sample = (name: string) => ({ inline: readFileSync(`tasks/samples/${name}`).toString('base64') })
const LETTER = sample('letter.pdf')
const IMAGE = sample('gradient.png')

async function openTicket(path: string, payload: object) {
  const reply = await api.app.inject({ method: 'POST', url: path, headers, payload: { ...payload, async: true } })
  const { ticket, ceiling_micros: ceiling } = reply.json()
  expect([reply.statusCode, reply.headers['x-service-charged-micros']]).toEqual([202, '0'])
  const readCeiling = async () =>
    (await api.app.inject({ url: `/v1/jobs/${ticket}`, headers })).json().ceilingMicros as string
  return { ticket: ticket as string, ceiling: ceiling as string, readCeiling }
}

test.each([
  ['/v1/pdf/render', { file: LETTER, pages: '1' }, '2000'],
  ['/v1/pdf/render', { file: LETTER, pages: '1-12' }, '24000'],
  ['/v1/pdf/render', { file: LETTER, pages: 'all' }, '1000000'],
  ['/v1/pdf/pages', { action: 'reorder', file: LETTER, order: [2, 1, 2] }, '3000'],
  ['/v1/pdf/merge', { files: [LETTER, LETTER], ranges: ['1', 'last'] }, '2000'],
  ['/v1/image/resize', { file: IMAGE, width: 10 }, '8000'],
  ['/v1/image/resize', { file: IMAGE, width: 10, format: 'avif' }, '16000'],
  ['/v1/pdf/form', { file: LETTER, action: 'fill', records: [{}, {}, {}] }, '6000'],
  ['/v1/pdf/from-html', { html: 'x', maxPages: 12 }, '6000'],
])('the ticket of %s with %o is charged no more than its options allow', async (path, body, micros) => {
  const { ceiling, readCeiling } = await openTicket(path, body)
  expect([ceiling, await readCeiling()]).toEqual([micros, micros])
})

test('the ceiling of a job comes down to its price when that is known', async () => {
  const { ticket, ceiling, readCeiling } = await openTicket('/v1/pdf/rotate', { file: LETTER, degrees: '90' })
  expect(ceiling).toBe('1000000')
  expect(await raiseHold(api.context.db, ticket, 1, 24_000n)).toBe(true)
  expect(await readCeiling()).toBe('24000')
})

test('the 402 of a flat price names that price as its ceiling, and other rates where there are some', async () => {
  const ask = async (url: string, payload: object) => {
    const { statusCode, body } = await api.app.inject({ method: 'POST', url, payload })
    return { statusCode, ...JSON.parse(body) }
  }
  const flat = { statusCode: 402, unitMicros: '5000', ceilingMicros: '5000', ceilingUsd: '0.005' }
  expect(await ask('/v1/image/from-html', { html: 'x' })).toMatchObject(flat)
  const variants = [{ when: '`action` is not `read`', unit: 'call', rateMicros: '2000' }]
  const write = await ask('/v1/pdf/metadata', { file: LETTER, action: 'write', set: { title: 'x' } })
  expect(write).toMatchObject({ statusCode: 402, unitMicros: '1000', ceilingMicros: '2000', variants })
})
