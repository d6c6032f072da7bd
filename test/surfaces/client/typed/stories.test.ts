import { readFile } from 'node:fs/promises'
import createClient, { type Client } from 'openapi-fetch'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDefaultStack } from '../../../support/stack/default.ts'
import type { Stack } from '../../../support/stack/start.ts'
// Generated from the running service by types.test.ts, which compiles this file; the service's own types are not used.
import type { components, paths } from './api.d.ts'

type Schemas = components['schemas']
type SlugifyBody = paths['/v1/text/slugify']['post']['requestBody']['content']['application/json']

let stack: Stack
let api: Client<paths>

beforeAll(async () => {
  stack = await openDefaultStack()
  const { key } = await stack.customer()
  api = createClient<paths>({ baseUrl: stack.url, headers: { authorization: `Bearer ${key}` } })
})
afterAll(() => stack[Symbol.asyncDispose]())

/** The result of a call: no ticket, no quote, and not the bytes of a file. */
function resultOf<Body>({ data, error }: { data?: Body; error?: unknown }) {
  expect(error).toBeUndefined()
  return data as Exclude<Body, Schemas['Ticket' | 'Quote'] | string>
}

async function sample(name: string): Promise<Schemas['Source']> {
  return { inline: await readFile(new URL(`../../../../tasks/samples/${name}`, import.meta.url), 'base64') }
}

function bytesOf({ inline }: Schemas['Output']): Buffer {
  return Buffer.from(inline!, 'base64')
}

test('documents are merged, and a page of the result is rotated', async () => {
  const file = await sample('two-pages.pdf')
  const merged = resultOf(await api.POST('/v1/pdf/merge', { body: { files: [file, file], bookmarks: 'none' } }))
  const rotated = resultOf(
    await api.POST('/v1/pdf/rotate', { body: { file: { inline: merged.output.inline }, degrees: '90', pages: '4' } }),
  )
  expect([merged.pages, rotated.rotatedPages]).toEqual([4, 1])
  expect(bytesOf(rotated.output).subarray(0, 5).toString()).toBe('%PDF-')
})

test('a code is drawn, resized and read again', async () => {
  const { output } = resultOf(await api.POST('/v1/qr', { body: { text: 'https://a.example', format: 'png' } }))
  const { output: larger } = resultOf(
    await api.POST('/v1/image/resize', { body: { file: { inline: output.inline }, width: 900, enlarge: true } }),
  )
  const { codes } = resultOf(await api.POST('/v1/codes/qr-decode', { body: { file: { inline: larger.inline } } }))
  expect(codes.map(({ text }) => text)).toEqual(['https://a.example'])
})

test('a table is converted, packed and listed', async () => {
  const table = resultOf(await api.POST('/v1/csv/convert', { body: { file: { text: 'a,b\n1,2\n' }, to: 'json' } }))
  expect(JSON.parse(bytesOf(table.output).toString())).toHaveLength(table.rows)
  const files = [{ name: 'table.json', inline: table.output.inline }]
  const archive = resultOf(await api.POST('/v1/archive/zip', { body: { files } }))
  const file = { inline: archive.output.inline }
  const { entries } = resultOf(await api.POST('/v1/archive/unzip', { body: { file, action: 'list' } }))
  expect(entries?.map(({ name, kind }) => [name, kind])).toEqual([['table.json', 'file']])
})

test('texts are turned into names, and hashed by two algorithms', async () => {
  const { slugs } = resultOf(await api.POST('/v1/text/slugify', { body: { texts: ['Ärger im Büro', 'b c'] } }))
  expect(slugs).toHaveLength(2)
  const { hashes } = resultOf(await api.POST('/v1/utils/hash', { body: { text: 'a', algorithms: ['md5', 'crc32'] } }))
  expect([hashes?.md5, hashes?.crc32]).toEqual(['0cc175b9c0f1b6a831c399e269772661', 'e8b7be43'])
})

test('a call is quoted, runs in the background, is found in the ledger, and was paid from the balance', async () => {
  const body = { text: 'a' }
  const { data: quoted } = await api.POST('/v1/utils/hash', { body: { ...body, dryRun: true } })
  const { quote } = quoted as Schemas['Quote']
  const { data: ticket } = await api.POST('/v1/utils/hash', { body, params: { header: { Prefer: 'respond-async' } } })
  const { id } = ticket as Schemas['Ticket']
  const job = resultOf(await api.GET('/v1/jobs/{id}', { params: { path: { id }, query: { wait: 60 } } }))
  expect([job.status, job.actualMicros]).toEqual(['succeeded', quote.amountMicros])
  const { data: lines } = resultOf(await api.GET('/v1/account/ledger', { params: { query: { limit: 100 } } }))
  expect(lines.find(({ jobId }) => jobId === id)).toMatchObject({ type: 'charge', amountMicros: quote.amountMicros })
  const { balanceMicros } = resultOf(await api.GET('/v1/account'))
  expect(BigInt(balanceMicros)).toBeLessThan(1_000_000n)
})

test('an upload is prepared for the account that asks', async () => {
  const { fields, inputKey } = resultOf(await api.POST('/v1/cputools/upload-url', { body: { ext: 'pdf' } }))
  const { id } = resultOf(await api.GET('/v1/account'))
  expect([inputKey, Object.keys(fields)]).toEqual([expect.stringContaining(id), expect.arrayContaining(['key'])])
})

test('a webhook is registered for an event that the service has, and deleted', async () => {
  const { events } = resultOf(await api.GET('/v1/webhooks/events'))
  const { id, secret } = resultOf(await api.POST('/v1/webhooks', { body: { url: 'https://93.184.216.34/in', events } }))
  expect(secret).toMatch(/^whsec_/)
  const path = { id }
  const { active } = resultOf(await api.PUT('/v1/webhooks/{id}', { params: { path }, body: { active: false } }))
  const deleted = await api.DELETE('/v1/webhooks/{id}', { params: { path } })
  expect([active, deleted.response.ok]).toEqual([false, true])
})

test('what the service offers is found without a key', async () => {
  const { results } = resultOf(await api.GET('/v1/search', { params: { query: { q: 'shrink a photo' } } }))
  const { operations } = resultOf(await api.GET('/v1/prices'))
  expect(operations[results[0]!.name]?.unit).toBeDefined()
  expect(resultOf(await api.GET('/v1/capabilities')).operations['utils.hash']?.available).toBe(true)
  expect(resultOf(await api.GET('/v1/billing/packs')).packs.length).toBeGreaterThan(0)
  expect(resultOf(await api.GET('/.well-known/ai-catalog.json')).entries.length).toBeGreaterThan(0)
  const wallet = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
  expect(resultOf(await api.GET('/v1/auth/challenge', { params: { query: { wallet } } })).nonce).toBeTypeOf('string')
})

test('what does not compile is refused by the service too', async () => {
  const file = await sample('two-pages.pdf')
  // @ts-expect-error: the angle is one of three.
  const angle = await api.POST('/v1/pdf/rotate', { body: { file, degrees: '45' } })
  // @ts-expect-error: the field is missing.
  const missing = await api.POST('/v1/pdf/rotate', { body: { file } })
  // @ts-expect-error: the field is a number.
  const text = await api.POST('/v1/image/resize', { body: { file, width: true } })
  // @ts-expect-error: there is no such field. The client itself lets unknown fields pass.
  const misspelt: SlugifyBody = { text: 'a', seperator: '-' }
  const unknown = await api.POST('/v1/text/slugify', { body: misspelt })
  // @ts-expect-error: there is no such call.
  const call = await api.POST('/v1/pdf/rotat', { body: {} })
  const answers = [angle, missing, text, unknown, call] as { error?: { code?: string } }[]
  expect(answers.map(({ error }) => error?.code)).toEqual([
    'INVALID_PARAM',
    'MISSING_FIELD',
    'INVALID_PARAM',
    'UNKNOWN_FIELD',
    'NOT_FOUND',
  ])
})
