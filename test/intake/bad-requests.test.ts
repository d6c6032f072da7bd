import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer } from '../support/stack/client.ts'
import { openDefaultStack } from '../support/stack/default.ts'
import type { Customer, Stack } from '../support/stack/start.ts'

let stack: Stack
let customer: Customer
beforeAll(async () => {
  stack = await openDefaultStack()
  customer = await stack.customer()
})
afterAll(async () => {
  expect(await customer.money()).toEqual({ balance: 1_000_000n, held: 0n })
  await stack[Symbol.asyncDispose]()
})

const HASH = '/v1/utils/hash'
const SLUG = '/v1/text/slugify'
const MIB = 2 ** 20
const summarize = ({ status, body }: Answer) => [status, body?.code, body?.field].filter(word => word !== undefined)

test.each([
  ['a misspelt field', { txt: 'a' }, { code: 'UNKNOWN_FIELD', field: 'txt', didYouMean: 'text' }],
  ['an unknown field', { text: 'a', zzzzzz: 1 }, { code: 'UNKNOWN_FIELD', field: 'zzzzzz' }],
  ['a misspelt nested field', { file: { inlin: 'YQ==' } }, { code: 'UNKNOWN_FIELD', field: 'file.inlin' }],
  ['no content at all', {}, { code: 'MISSING_FIELD', field: 'text' }],
  ['two contents', { text: 'a', file: { text: 'b' } }, { code: 'CONFLICTING_OPTIONS', fields: ['text', 'file'] }],
  ['a wrong type', { text: 5 }, { code: 'INVALID_PARAM', field: 'text', expected: 'string' }],
  ['a word that is not in its list', { text: 'a', encoding: 'base13' }, { code: 'INVALID_PARAM', field: 'encoding' }],
  ['too many entries', { text: 'a', algorithms: Array(10).fill('md5') }, { code: 'INVALID_PARAM', max: 9 }],
  ['null for a text', { text: null }, { code: 'INVALID_PARAM', field: 'text' }],
  ['a list for a body', [], { code: 'INVALID_PARAM' }],
  ['a text for a body', '"abc"', { code: 'INVALID_PARAM' }],
  ['null for a body', 'null', { code: 'EMPTY_BODY' }],
])('%s is a 400 that says what is wrong', async (_name, body, expected) => {
  const answer = await customer.post(HASH, body)
  expect(answer.status).toBe(400)
  expect(answer.body).toMatchObject({ ...expected, error: expect.stringMatching(/\.$/) })
})

test('a number out of range returns its bounds', async () => {
  const answer = await customer.post('/v1/utils/uuid', { count: 10_001 })
  expect(answer.body).toMatchObject({ code: 'INVALID_PARAM', field: 'count', max: 10_000 })
  expect((await customer.post('/v1/utils/uuid', { count: 0 })).body).toMatchObject({ field: 'count', min: 1 })
})

test.each([
  ['broken JSON', '{"text": "a"', 'INVALID_JSON'],
  ['a trailing comma', '{"text": "a",}', 'INVALID_JSON'],
  ['NaN', '{"text": NaN}', 'INVALID_JSON'],
  ['a __proto__ key', '{"text": "a", "__proto__": {"isAdmin": true}}', 'INVALID_JSON'],
  ['a __proto__ key in escapes', '{"text": "a", "\\u005f\\u005fproto__": {}}', 'INVALID_JSON'],
  ['a constructor that carries a prototype', '{"constructor": {"prototype": {}}}', 'INVALID_JSON'],
  ['no body', '', 'EMPTY_BODY'],
  ['a small body that nests 30,000 deep', `{"text": ${'['.repeat(30_000)}${']'.repeat(30_000)}}`, 'INVALID_JSON'],
  ['a large body that nests deep', `{"text": ${'['.repeat(90_000)}${']'.repeat(90_000)}}`, 'INVALID_JSON'],
  ['bytes that are no UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 'INVALID_JSON'],
])('%s is refused', async (_name, body, code) => {
  const answer = await customer.post(HASH, body)
  expect([answer.status, answer.body.code]).toEqual([400, code])
})

test('the last value of a duplicate JSON key counts', async () => {
  const other = await stack.customer()
  const answer = await other.post(HASH, '{"text": "other", "text": "abc"}')
  expect(answer.body.hashes.sha256).toMatch(/^ba7816bf/)
})

test('characters that the database cannot store as text are preserved', async () => {
  const other = await stack.customer()
  const body = '{"text": "a\\u0000B\\ud800c"}'
  const instant = await other.post('/v1/text/case', '{"text": "a\\u0000B\\ud800c", "to": "lower"}')
  expect([instant.status, instant.body.text]).toEqual([200, 'a\0b\ud800c'])
  expect((await other.post(SLUG, body)).status).toBe(200)
  const cased = await other.post('/v1/text/case', '{"text": "a\\u0000B\\ud800c", "to": "upper", "async": true}')
  const job = await other.waitForEnd(cased.body.ticket)
  expect(job).toMatchObject({ status: 'succeeded', result: { text: 'A\0B\ud800C' } })
  const failing = await other.post(SLUG, '{"texts": ["a", "\\u0000"]}')
  expect([failing.status, failing.body.code]).toEqual([422, 'SLUG_EMPTY'])
})

test('a call with such characters does not fail other calls of its batch', async () => {
  const other = await stack.customer()
  const request = (index: number) => other.post(SLUG, index % 2 ? { text: 'a\0b' } : { text: 'plain' })
  const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => request(index)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})

test('an unsupported content type returns the supported ones', async () => {
  const answer = await customer.post(SLUG, 'text=a', { 'content-type': 'application/x-www-form-urlencoded' })
  expect(summarize(answer).slice(0, 2)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  expect(answer.body.accepted).toContain('application/json')
})

test('5 MiB inline is too large, 4 MiB is not', async () => {
  const inline = (bytes: number) => ({ file: { inline: Buffer.alloc(bytes, 7).toString('base64') } })
  expect((await customer.post(HASH, inline(4 * MIB + 1))).body).toMatchObject({
    code: 'INPUT_TOO_LARGE',
    ceiling: 4 * MIB,
  })
  const answer = await customer.post(HASH, { ...inline(4 * MIB), dryRun: true })
  expect([answer.status, answer.body.quote?.amountMicros]).toEqual([200, '1000'])
  const larger = await customer.post(HASH, inline(5 * MIB))
  expect([larger.status, larger.body.code]).toEqual([422, 'INPUT_TOO_LARGE'])
})

test('several inline files are taken, if each is below the limit', async () => {
  const inline = (bytes: number) => ({ inline: Buffer.alloc(bytes, 7).toString('base64') })
  const files = [inline(2.9 * MIB), inline(4 * MIB)]
  const answer = await customer.post('/v1/archive/zip', { files, dryRun: true })
  expect([answer.status, answer.body.quote?.amountMicros]).toEqual([200, '2000'])
  const tooLarge = await customer.post('/v1/archive/zip', { files: [inline(4 * MIB + 1)], dryRun: true })
  expect(tooLarge.body).toMatchObject({ code: 'INPUT_TOO_LARGE', field: 'files.0', ceiling: 4 * MIB })
})

test('an empty file is refused, inline or raw', async () => {
  expect(summarize(await customer.post('/v1/pdf/rotate', { file: { inline: '' }, degrees: '90' }))).toEqual([
    422,
    'INPUT_EMPTY',
    'file',
  ])
  const sendRaw = await customer.post('/v1/pdf/rotate?degrees=90', new Uint8Array(0), {
    'content-type': 'application/pdf',
  })
  expect(sendRaw.body.code).toBe('INPUT_EMPTY')
})

test.each(['{"inline": "@@@@"}', '{"inline": "YQ=="   , "text": "a"}', '{}', '{"url": "x", "text": "a"}'])(
  'the source %s is refused',
  async source => {
    const answer = await customer.post(HASH, `{"file": ${source}}`)
    expect([answer.status, /^INVALID_(SOURCE|BASE64)$/.test(answer.body.code)]).toEqual([400, true])
  },
)

test('a body that never arrives completely does not block other calls', async () => {
  const socket = connect(Number(new URL(stack.url).port), '127.0.0.1')
  socket.write(`POST ${HASH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"te`)
  expect((await customer.get('/v1/account')).status).toBe(200)
  socket.destroy()
})

test.each([
  ['two lengths', 'content-length: 5\r\ncontent-length: 6\r\n\r\nhello'],
  ['a length and chunks', 'content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['a header without a name', 'x-a: b\rc: d\r\n\r\n'],
])('a request with %s is refused before it reaches a handler', async (_name, rest) => {
  const answer = await sendRaw(`POST ${HASH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${rest}`)
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
})

function sendRaw(request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(new URL(stack.url).port), '127.0.0.1', () => socket.end(request))
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => {
      answer += text
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

test('a dry run that is asked for beside a JSON body is refused, not run', async () => {
  const other = await stack.customer()
  for (const address of [
    '/v1/utils/hash?dryRun=true',
    '/v1/utils/hash?algorithm=md5&dryRun=true',
    '/v1/baton?dryRun=true',
  ]) {
    const answer = await other.post(address, address.includes('hash') ? { text: 'a' } : { preset: 'note' })
    expect([address, answer.status, answer.body]).toMatchObject([address, 400, { code: 'UNKNOWN_FIELD' }])
  }
  const listed = await other.get('/v1/webhooks?limt=1')
  expect([listed.status, listed.body]).toMatchObject([400, { code: 'UNKNOWN_FIELD', field: 'limt' }])
})
