import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isInstantCall } from '#kit'
import { COSTLY_INPUTS, deepList, makeWideRows, toToken } from '../../ops/bench/figures/calls/costly-inputs.ts'
import { value } from '../../sql/db.ts'
import { loadOperation, loadOperations } from '../../tasks/index.ts'
import { listSchemaErrors } from '../support/operations/run.ts'
import { openDefaultStack } from '../support/stack/default.ts'
import type { Customer, Stack } from '../support/stack/start.ts'

type Body = Record<string, unknown>

test.each([
  ['utils.base64', { action: 'encode', encoding: 'base58', text: 'a' }, 100],
  ['utils.uuid', { version: '4', count: 1001 }, 100],
  ['utils.hash', { text: 'a' }, 65_537],
  ['text.apply-patch', { text: '{}', jsonPatch: [] }, 100],
  ['image.exif-strip', { file: {} }, 100],
  ['text.slugify', { text: 'a' }, 100],
])('%s runs in a thread beyond its bounds', async (name, body, bytes) => {
  expect(isInstantCall(await loadOperation(name), body, bytes)).toBe(false)
})

const instant = (await loadOperations()).filter(operation => operation.instant)

test('every operation that may run in the api uses no tools, and P27 measures its dearest inputs', () => {
  expect(instant.map(({ name }) => name).sort()).toEqual(Object.keys(COSTLY_INPUTS).sort())
  expect(instant.filter(({ uses, wait }) => uses.length > 0 || wait === 'ticket')).toEqual([])
})

test.each(instant.map(operation => [operation.name, operation] as const))(
  '%s runs its dearest inputs in the api',
  (name, operation) => {
    const { maxBytes } = operation.instant!
    for (const body of COSTLY_INPUTS[name]!(maxBytes)) {
      expect(listSchemaErrors(operation.input, structuredClone(body))).toEqual([])
      expect(isInstantCall(operation, body, maxBytes)).toBe(true)
    }
  },
)

describe('through the api', () => {
  let stack: Stack
  let customer: Customer
  beforeAll(async () => {
    stack = await openDefaultStack()
    customer = await stack.customer()
  })
  afterAll(() => stack[Symbol.asyncDispose]())

  const copies = Array.from({ length: 60 }, (_, index) => ({ op: 'copy', from: '', path: `/${index}` }))
  const lines = Array.from({ length: 400 }, (_, line) => `a line of text ${line} that repeats itself`)
  const hunks = lines.slice(0, 300).map(line => `@@ @@\n ${line.replace('repeats', 'repaets')}\n-gone\n+here`)
  const HEAVY: [name: string, path: string, body: Body, status: number][] = [
    ['a JSON patch that doubles', 'text/apply-patch', { text: '{"a":[1,2,3]}', jsonPatch: copies }, 422],
    ['a fuzzy search', 'text/apply-patch', { text: lines.join('\n'), patch: hunks.join('\n'), fuzz: 3 }, 422],
    ['rows with a key each', 'csv/convert', { file: { text: makeWideRows(12_000) }, to: 'json', types: 'infer' }, 200],
    ['ten thousand identifiers', 'utils/uuid', { version: 'ulid', count: 10_000 }, 200],
    ['base58', 'utils/base64', { action: 'encode', encoding: 'base58', text: 'z'.repeat(32_768) }, 200],
    ['a long text', 'text/case', { text: 'ij '.repeat(20_000), to: 'swap', locale: 'lt' }, 200],
  ]

  test.each(HEAVY)(
    '%s runs in a thread, and other callers are answered meanwhile',
    async (_name, path, body, status) => {
      const heavy = customer.post(`/v1/${path}`, body)
      const hashed = await Promise.all([1, 2, 3].map(() => customer.post('/v1/utils/hash', { text: 'a' })))
      expect(hashed.map(answer => answer.status)).toEqual([200, 200, 200])
      const answer = await heavy
      expect([answer.status, answer.text.slice(0, 200)]).toEqual([status, expect.any(String)])
      const inApi = `select count(*)::int from svc.job where lane = 'instant' and service_key = $1 and account_id = $2`
      expect(await value(stack.db, inApi, [path.replace('/', '.'), customer.accountId])).toBe(0)
    },
  )

  test('what is small still runs at once', async () => {
    await customer.post('/v1/csv/convert', { file: { text: 'a,b\n1,2\n' }, to: 'json' })
    await customer.post('/v1/utils/uuid', {})
    const lanes = `select count(*)::int from svc.job where lane = 'instant' and service_key = any($1) and account_id = $2`
    expect(await value(stack.db, lanes, [['csv.convert', 'utils.uuid'], customer.accountId])).toBe(2)
  })

  test('the text fields of a form count as input', async () => {
    const form = new FormData()
    form.set('file', new Blob(['a,b\n1,2\n'], { type: 'text/csv' }), 'a.csv')
    form.set('to', 'json')
    form.set('types', JSON.stringify(Object.fromEntries(lines.map(line => [line, 'string']))))
    const init = { method: 'POST', headers: { authorization: `Bearer ${customer.key}` }, body: form }
    const before = `select count(*)::int from svc.job where lane = 'instant' and account_id = $1`
    const count = await value(stack.db, before, [customer.accountId])
    await fetch(`${stack.url}/v1/csv/convert`, init)
    expect(await value(stack.db, before, [customer.accountId])).toBe(count)
  })

  test.each([
    ['utils/jwt-decode', { token: toToken(`{"a":${deepList(4000)}}`) }, [422, 'JWT_MALFORMED']],
    ['text/template', `{"template":"a","data":{"a":${deepList(4000)}}}`, [400, 'INVALID_JSON']],
    ['text/apply-patch', `{"text":"{}","mergePatch":{"a":${deepList(4000)}}}`, [400, 'INVALID_JSON']],
    ['text/apply-patch', { text: deepList(4000), mergePatch: {} }, [422, 'JSON_PARSE_FAILED']],
  ] as const)('%s refuses what nests 4,000 deep', async (path, body, expected) => {
    const answer = await customer.post(`/v1/${path}`, body)
    expect([answer.status, answer.body.code]).toEqual(expected)
  })
})
