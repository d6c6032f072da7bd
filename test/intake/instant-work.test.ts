import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isInstantCall } from '#kit'
import { addFileReaders } from '../../pools/file-readers.ts'
import { value } from '../../sql/db.ts'
import { CASES } from '../../tasks/formats/words/casing.ts'
import { loadOperation, loadOperations, type NamedOperation } from '../../tasks/index.ts'
import { ALGORITHMS } from '../../tasks/utils/hash/digest.ts'
import { freshFolder } from '../support/machine/folder.ts'
import { stageInput } from '../support/operations/run.ts'
import { openDefaultStack } from '../support/stack/default.ts'
import type { Customer, Stack } from '../support/stack/start.ts'

const MAX_MS = 20
const repeat = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))
const toToken = (payload: string) => {
  const part = Buffer.from(payload).toString('base64url')
  return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${part}.`
}
/** A list of rows of which each has a column of its own. */
const makeWideRows = (bytes: number) =>
  `[${Array.from({ length: Math.floor(bytes / 12) }, (_, row) => `{"${row.toString(36)}":0}`).join(',')}]`

type Body = Record<string, unknown>

/** The dearest inputs that we know of, for every operation that may run in the api. */
const WORST: Record<string, (bytes: number) => Body[]> = {
  'csv.convert': bytes =>
    ['json', 'ndjson', 'csv'].flatMap(to => [
      { file: { text: makeWideRows(bytes) }, to, types: 'infer' },
      { file: { text: makeWideRows(bytes) }, to, jsonShape: 'columns' },
      { file: { text: `a,b\n${repeat('"""",1\n', bytes)}` }, to, types: 'infer' },
      { file: { text: repeat('a,', bytes) }, to },
    ]),
  'csv.dedupe': bytes =>
    ['most-complete', 'last'].flatMap(keep => [
      { file: { text: makeWideRows(bytes) }, keep, caseInsensitive: true, reportDuplicates: true, outFormat: 'json' },
      { file: { text: `a\n${repeat('é\n', bytes)}` }, keep, caseInsensitive: true, reportDuplicates: true },
    ]),
  'text.case': bytes =>
    ['a', 'aA', 'a ', 'a. ', 'ij ', 'é\n', '\n', 'ß', '𝒜', "a'", '1a', 'a: '].flatMap(piece =>
      ['und', 'tr', 'lt'].flatMap(locale =>
        CASES.map(to => ({ text: repeat(piece, bytes), to, locale, lines: piece === '\n', keepAcronyms: true })),
      ),
    ),
  'utils.base64': bytes =>
    ['base64', 'base32', 'base85', 'hex'].flatMap(encoding => [
      { action: 'encode', encoding, text: repeat('é', bytes) },
      ...['<', '{"a":', '[0,', 'a,b\n', '\u0000', '%PDF-'].map(piece => ({
        action: 'decode',
        encoding: 'base64',
        text: Buffer.from(repeat(piece, (bytes * 3) / 4)).toString('base64'),
      })),
      { action: 'decode', encoding, lenient: true, text: repeat(encoding === 'hex' ? '4 1 ' : 'AEBA\n', bytes) },
    ]),
  'utils.hash': bytes => [
    { text: repeat('é', bytes), algorithms: [...ALGORITHMS] },
    { files: Array.from({ length: 100 }, () => ({ text: repeat('a', bytes / 100) })), algorithms: [...ALGORITHMS] },
  ],
  'utils.hmac': bytes => [
    { text: repeat('é', bytes), key: 'k', algorithm: 'sha512' },
    {
      preset: 'stripe',
      key: 'k',
      body: '',
      headers: { 'stripe-signature': `t=${nowSec()},${repeat('v1=00,', 8000)}` },
    },
  ],
  'utils.jwt-decode': bytes =>
    [`{"a":[${repeat('0,', bytes * 0.7)}0]}`, `{"a":"${repeat('\\"', bytes * 0.7)}"}`, `{"a":${deepList(190)}}`].map(
      payload => ({ token: toToken(payload) }),
    ),
  'utils.uuid': () => ['1', '4', '6', '7', 'ulid', 'nanoid', 'ksuid'].map(version => ({ version, count: 1000 })),
}

function nowSec(): number {
  return Math.floor(Date.now() / 1000)
}

function deepList(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}

const instant = (await loadOperations()).filter(operation => operation.instant)

test('every operation that may run in the api uses no tools and has its worst input here', () => {
  expect(instant.map(({ name }) => name).sort()).toEqual(Object.keys(WORST).sort())
  expect(instant.filter(({ uses, wait }) => uses.length > 0 || wait === 'ticket')).toEqual([])
})

/** The processor time that a run and the writing of its answer take of this thread, the least of some runs. */
async function measureMs(operation: NamedOperation, body: Body, folder: string): Promise<number> {
  let leastMs = Infinity
  for (let run = 0; run < 6 && leastMs > MAX_MS / 4; run++) {
    const input = await addFileReaders(operation.input, await stageInput(operation, body, folder))
    const before = process.threadCpuUsage()
    const { result } = await operation.run(input, { now: () => new Date() } as never)
    JSON.stringify(result)
    const { user, system } = process.threadCpuUsage(before)
    leastMs = Math.min(leastMs, (user + system) / 1000)
  }
  return leastMs
}

describe.each(instant.map(operation => [operation.name, operation] as const))('%s', (name, operation) => {
  test(`takes at most ${MAX_MS} ms for its worst input`, async () => {
    await using folder = await freshFolder()
    const tooDear: string[] = []
    for (const body of WORST[name]!(operation.instant!.maxBytes)) {
      expect(isInstantCall(operation, body, operation.instant!.maxBytes)).toBe(true)
      const ms = await measureMs(operation, body, folder.path)
      if (ms > MAX_MS) tooDear.push(`${ms.toFixed(1)} ms for ${JSON.stringify(body).slice(0, 120)}`)
    }
    expect(tooDear).toEqual([])
  }, 120_000)
})

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
