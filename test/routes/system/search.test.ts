import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listRefused } from '../../../api/product-capabilities.ts'
import { allowReviews } from '../../support/people/reviews.ts'
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

test('fields are told of the best match and where they are short, and with llms.txt they stay below 2,000 tokens', async () => {
  const { results } = (await api.app.inject('/v1/search?q=make%20a%20qr%20code%20with%20a%20logo')).json()
  expect(results[0].fields).toContain('logo* Source')
  expect(results[1]).not.toHaveProperty('fields')
  for (const query of ['put a logo on a video', 'send a pdf for signature', 'several steps in one call']) {
    const { body } = await api.app.inject(`/v1/search?q=${encodeURIComponent(query)}`)
    expect(countTokens(body), query).toBeLessThanOrEqual(1_000)
  }
})

test('the second match has its fields too, and a word that no call knows is named', async () => {
  const find = async (query: string) => (await api.app.inject(`/v1/search?q=${encodeURIComponent(query)}`)).json()
  const { results, ...known } = await find('image grayscale blur jpeg')
  expect(known).toEqual({ query: 'image grayscale blur jpeg' })
  expect(results.slice(0, 2)).toMatchObject([{ fields: expect.any(String) }, { fields: expect.any(String) }])
  expect(await find('Convert Fortran to json')).toMatchObject({ unknownWords: ['fortran'] })
  expect(await find('zzzz qqqq')).toEqual({ query: 'zzzz qqqq', results: [], unknownWords: ['zzzz', 'qqqq'] })
})

test.each([
  ['pdf fonts encrypted', 'pdf.metadata'],
  ['top rows by column csv', 'data.sort'],
  ['append only log proof', 'baton.verify-chain'],
])('%s finds %s', async (query, name) => {
  const { results } = (await api.app.inject(`/v1/search?q=${encodeURIComponent(query)}`)).json()
  expect(results.map((found: { name: string }) => found.name)).toContain(name)
})

test('a call that is refused for want of lists or of reviewers is marked, and not the first', async () => {
  const find = async (query: string) =>
    (await api.app.inject(`/v1/search?q=${encodeURIComponent(query)}`)).json().results
  const screening = await find('check a name against sanctions lists')
  const match = screening.find(({ name }: { name: string }) => name === 'screening.match')
  expect(match).toMatchObject({ isAvailable: false })
  expect(screening[0]).not.toHaveProperty('isAvailable')
  const identity = await find('verify the identity of a person by passport and selfie')
  expect(identity.find(({ name }: { name: string }) => name === 'idverify.create-verification')).toMatchObject({
    isAvailable: false,
  })
})

const isCreating = ({ name }: { name: string }) => name === 'idverify_create_verification'

test('pages and the OpenAPI document mark such calls too, until the operator sets what they need', async () => {
  const read = async (url: string) => (await api.app.inject(url)).body
  const listPages = async () => [
    (await read('/llms/idverify.txt')).split('\n').find(line => line.startsWith('- [idverify.create-verification]')),
    await read('/llms/idverify.create-verification.txt'),
    await read('/docs/idverify/create-verification'),
    await read('/openapi.json?operations=idverify.create-verification'),
    JSON.stringify(JSON.parse(await read('/mcp/full')).tools.find(isCreating)),
  ]
  for (const page of await listPages()) expect(page).toMatch(/not available on this service|"x-svc-available":false/i)
  expect(await read('/llms/idverify.txt')).not.toMatch(/read-verification\.txt.*Not available/)
  const screening = [
    await read('/llms/screening.match.txt'),
    await read('/docs/screening/match'),
    await read('/openapi.json?operations=screening.match'),
    await read('/mcp/full'),
  ]
  for (const page of screening) expect(page).toMatch(/searches lists of your own, or with [`<]/)
  await using open = await openInProcessApi()
  await allowReviews(open)
  const { body } = await open.app.inject('/llms/idverify.create-verification.txt')
  expect(body).not.toContain('not available')
})

test('while the database is away, the search answers, and nothing is known to be refused', async () => {
  const query = () => Promise.reject(new Error('the database is away'))
  const context = { ...api.context, db: { ...api.context.db, query } } as typeof api.context
  expect(await listRefused(context)).toEqual(new Map())
  expect((await listRefused(api.context)).has('screening.match')).toBe(true)
})

test('the best match has an example where there is room, as its reader sends it', async () => {
  const find = async (query: string) =>
    (await api.app.inject(`/v1/search?q=${encodeURIComponent(query)}`)).json().results as { example?: unknown }[]
  const [pass, ...others] = await find('share secret once')
  expect(pass!.example).toMatchObject({ tier: 'femto', content: 'A secret' })
  expect(others.filter(({ example }) => example !== undefined)).toEqual([])
  expect((await find('rotate a pdf'))[0]!.example).toMatchObject({ file: { inline: '<base64 of two-pages.pdf>' } })
})

test('headers are among the fields', async () => {
  const { results } = (await api.app.inject('/v1/search?q=open%20a%20mailbox')).json()
  expect(results[0]).toMatchObject({
    name: 'leases.create-mailbox',
    fields: expect.stringContaining('X-Duration-Seconds'),
  })
})

test('the page about a task is offered with its commands alone', async () => {
  const { results } = (await api.app.inject('/v1/search?q=secret%20that%20is%20read%20once')).json()
  expect(results[0].howTo).toBe('/docs/how-to/share-a-secret-once.curl.md')
  const page = await api.app.inject(results[0].howTo)
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8'])
  expect(page.body).toContain('curl -s')
  expect(page.body).not.toContain('python')
  expect((await api.app.inject('/docs/how-to/share-a-secret-once.md')).body).toContain('python')
})

test('a caller of tools, who knows no host, gets the address of that page whole', async () => {
  const call = { name: 'search_tools', arguments: { q: 'secret that is read once' } }
  const answer = await api.app.inject({
    ...{ method: 'POST', url: '/mcp', payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call } },
    headers: { accept: 'application/json, text/event-stream' },
  })
  const page = `${api.context.config.publicUrl}/docs/how-to/share-a-secret-once.curl.md`
  expect(answer.json().result.structuredContent.results[0].howTo).toBe(page)
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
