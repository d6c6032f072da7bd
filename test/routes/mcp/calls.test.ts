import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../../../api/oauth/scopes.ts'
import { decodeHeader, openPaidApi, type PaidApi, readBalance } from '../../support/chain/in-process-paid-api.ts'
import { callTool, sendLegacy, sendModern } from '../../support/mcp/client.ts'
import { openAccountKey } from '../../support/mcp/key.ts'

let api: PaidApi
beforeAll(async () => {
  api = await openPaidApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
const HASH = { text: 'abc', algorithms: ['sha256'] }
const metadata = () =>
  `resource_metadata="${api.context.config.publicUrl}/.well-known/oauth-protected-resource/mcp", scope="${SCOPES.join(' ')}"`
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

test('a call with a key answers what REST answers, and is charged once', async () => {
  const { key } = await openAccountKey(api.context, 5_000n)
  const { status, headers, body } = await callTool(api.app, 'utils_hash', HASH, { headers: bearer(key) })
  const rest = await api.app.inject({ method: 'POST', url: '/v1/utils/hash', headers: bearer(key), payload: HASH })
  expect(status).toBe(200)
  expect(body.result.structuredContent).toEqual(rest.json())
  expect(JSON.parse(body.result.content[0].text)).toEqual(rest.json())
  expect(body.result.isError).toBe(false)
  expect(body.result._meta['svc/charge']).toMatchObject({ chargedMicros: '1000', jobId: expect.any(String) })
  expect(headers['x-service-charged-micros']).toBe('1000')
  const { structuredContent } = (await callTool(api.app, 'account_profile', {}, { headers: bearer(key) })).body.result
  expect(structuredContent.balanceMicros).toBe('3000')
})

test('a key in the address counts only without a header, and an invalid header is refused whatever the address says', async () => {
  const { key } = await openAccountKey(api.context, 5_000n)
  const url = `/mcp?key=${key}`
  expect((await callTool(api.app, 'utils_hash', HASH, { url })).body.result.structuredContent.hashes.sha256).toBe(ABC)
  const wrong = { authorization: `Bearer svc_test_${'0'.repeat(32)}` }
  for (const [address, headers] of [
    [url, wrong],
    ['/mcp?key=nonsense', {}],
    ['/mcp', { authorization: 'Basic abc' }],
  ] as const) {
    const { status, headers: answered, body } = await callTool(api.app, 'utils_hash', HASH, { url: address, headers })
    expect([status, body.error.data.code]).toEqual([401, 'UNAUTHENTICATED'])
    expect(answered['www-authenticate']).toBe(`Bearer error="invalid_token", ${metadata()}`)
  }
  const rest = await api.app.inject({ method: 'POST', url: `/v1/utils/hash?key=${key}`, payload: HASH })
  expect(rest.statusCode).toBe(402)
})

test('an unpaid call is a result that says what to sign, in every spelling', async () => {
  const { status, body } = await callTool(api.app, 'utils_hash', HASH)
  const { isError, structuredContent, content, _meta } = body.result
  expect([status, isError]).toEqual([200, true])
  expect(structuredContent).toMatchObject({
    x402Version: 2,
    error: 'PAYMENT_REQUIRED',
    resource: { url: 'mcp://tool/utils_hash' },
    accepts: [{ network: 'eip155:84532', amount: '10000' }, { network: 'eip155:84532' }],
    acceptsVersion1: [{ network: 'base-sepolia', maxAmountRequired: '10000' }, {}],
    amountMicros: '1000',
  })
  expect(JSON.parse(content[0].text)).toEqual(structuredContent)
  expect(_meta['x402/error']).toEqual(structuredContent)
})

test.each([
  ['an object under x402/payment', (payment: string) => ({ meta: { 'x402/payment': decodeHeader(payment) } })],
  ['base64 under x402/payment', (payment: string) => ({ meta: { 'x402/payment': payment } })],
  ['the header PAYMENT-SIGNATURE', (payment: string) => ({ headers: { 'payment-signature': payment } })],
  ['the header X-PAYMENT', (payment: string) => ({ headers: { 'x-payment': payment } })],
])('a payment as %s pays the call', async (_name, place) => {
  const wallet = api.chain.wallet()
  const { body, headers } = await callTool(api.app, 'utils_hash', HASH, place(wallet.pay(10_000n)))
  expect(body.result.structuredContent.hashes.sha256).toBe(ABC)
  const receipt = { success: true, payer: wallet.address, amount: '1000', network: 'eip155:84532' }
  expect(body.result._meta['x402/payment-response']).toMatchObject(receipt)
  expect(decodeHeader(headers['payment-response'])).toMatchObject(receipt)
  expect(await readBalance(api, wallet.address)).toBe(9_000n)
})

test('a payment of version 1 under its own name gets a receipt of version 1', async () => {
  const wallet = api.chain.wallet()
  const meta = { 'x402.payment': wallet.pay(10_000n, { version: 1 }) }
  const { body } = await callTool(api.app, 'utils_hash', HASH, { meta })
  expect(body.result._meta['x402.payment-response']).toMatchObject({ success: true, network: 'base-sepolia' })
})

test('the modern era pays alike', async () => {
  const wallet = api.chain.wallet()
  const _meta = { 'x402/payment': decodeHeader(wallet.pay(10_000n)) }
  const { body } = await sendModern(api.app, 'tools/call', { params: { name: 'utils_hash', arguments: HASH, _meta } })
  expect(body.result).toMatchObject({ resultType: 'complete', structuredContent: { hashes: { sha256: ABC } } })
})

test('a payment pays once: with the same arguments it gets the same answer, with others it is refused', async () => {
  const wallet = api.chain.wallet()
  const meta = { 'x402/payment': wallet.pay(10_000n) }
  const first = await callTool(api.app, 'utils_hash', HASH, { meta })
  const other = await callTool(api.app, 'utils_hash', { ...HASH, text: 'abcd' }, { meta })
  expect(first.body.result.isError).toBe(false)
  expect(other.body.result).toMatchObject({
    isError: true,
    structuredContent: { reason: 'invalid_exact_evm_nonce_already_used', accepts: expect.any(Array) },
  })
  expect(await readBalance(api, wallet.address)).toBe(9_000n)
})

test.each([
  ['a broken payment', 'x', 'invalid_payload'],
  ['a list', [], 'invalid_payload'],
  ['a number', 7, 'invalid_payload'],
])('%s is a result with a new offer, not an error of HTTP', async (_name, payment, reason) => {
  const { status, body } = await callTool(api.app, 'utils_hash', HASH, { meta: { 'x402/payment': payment } })
  expect([status, body.result.isError, body.result.structuredContent.reason]).toEqual([200, true, reason])
})

test('a payment in a header does not sign in where nothing is paid', async () => {
  const wallet = api.chain.wallet()
  const headers = { 'payment-signature': wallet.pay(10_000n) }
  const { status, body } = await callTool(api.app, 'jobs_list', {}, { headers })
  expect([status, body.error.data.code]).toEqual([401, 'MISSING_AUTH'])
})

test('a call that costs more than the balance is a result that says so', async () => {
  const { key } = await openAccountKey(api.context, 500n)
  const { status, body } = await callTool(api.app, 'utils_hash', HASH, { headers: bearer(key) })
  expect([status, body.result.isError]).toEqual([200, true])
  expect(body.result.structuredContent).toMatchObject({
    code: 'INSUFFICIENT_BALANCE',
    amountMicros: '1000',
    balanceMicros: '500',
  })
})

test('an account tool without credentials is 401, so that a client can sign in', async () => {
  const { status, headers, body } = await callTool(api.app, 'account_profile', {})
  expect([status, headers['www-authenticate'], body.id, body.error.data.code]).toEqual([
    401,
    `Bearer ${metadata()}`,
    1,
    'MISSING_AUTH',
  ])
})

test('what a model can mend is a result: unknown and missing fields, values out of range', async () => {
  const { key } = await openAccountKey(api.context, 5_000n)
  const codeOf = async (name: string, args: object) => {
    const { status, body } = await callTool(api.app, name, args, { headers: bearer(key) })
    return [status, body.result.isError, body.result.structuredContent.code]
  }
  expect(await codeOf('utils_hash', { texts: 'abc' })).toEqual([200, true, 'UNKNOWN_FIELD'])
  expect(await codeOf('utils_uuid', { count: -1 })).toEqual([200, true, 'INVALID_PARAM'])
  expect(await codeOf('job_get', {})).toEqual([200, true, 'MISSING_FIELD'])
  expect(await codeOf('job_get', { id: 'x', waitt: 1 })).toEqual([200, true, 'UNKNOWN_FIELD'])
  expect(await codeOf('job_get', { id: 'x', wait: 1e9 })).toEqual([200, true, 'INVALID_PARAM'])
  expect(await codeOf('job_get', { id: { a: 1 } })).toEqual([200, true, 'INVALID_PARAM'])
  expect(await codeOf('outputs_read', { key: '../../etc/passwd' })).toEqual([200, true, 'NOT_FOUND'])
  expect(await codeOf('utils_hash', { file: { inline: 'A'.repeat(6 * 2 ** 20) } })).toEqual([
    200,
    true,
    'INPUT_TOO_LARGE',
  ])
})

test('a refusal says of an argument that is left out what it is like', async () => {
  const { key } = await openAccountKey(api.context, 5_000n)
  const headers = bearer(key)
  const refused = async (tool: string) => (await callTool(api.app, tool, {}, { headers })).body.result.structuredContent
  expect(await refused('leases_read_message')).toMatchObject({
    field: 'lease_id',
    expected: 'string',
    reason: expect.stringContaining('lse_'),
  })
  expect(await refused('leases_create_storage')).toMatchObject({
    field: 'file',
    expected: 'object',
    example: { text: 'text' },
  })
  expect(await refused('leases_create_checkpoint')).toMatchObject({ field: 'body', example: expect.any(Object) })
  expect(await refused('leases_claim_handoff')).toMatchObject({
    field: 'token',
    reason: expect.stringContaining('claim_url'),
  })
})

test('an idempotency key, in the header or in _meta, makes a repeat safe', async () => {
  const { key } = await openAccountKey(api.context, 5_000n)
  const headers = { ...bearer(key), 'idempotency-key': 'one' }
  await callTool(api.app, 'utils_hash', HASH, { headers, id: 1 })
  const again = await callTool(api.app, 'utils_hash', HASH, { headers, id: 2 })
  expect(again.body.result._meta['svc/charge']).toMatchObject({ chargedMicros: '0', isReplay: true })
  const other = await callTool(api.app, 'utils_hash', { text: 'b' }, { headers })
  expect(other.body.result.structuredContent.code).toBe('IDEMPOTENCY_CONFLICT')
  const meta = { 'svc/idempotencyKey': 'two' }
  const call = () => callTool(api.app, 'utils_hash', HASH, { headers: { ...bearer(key) }, meta })
  await call()
  expect((await call()).body.result._meta['svc/charge']).toMatchObject({ chargedMicros: '0', isReplay: true })
})

test('dryRun tells the price and charges nothing', async () => {
  const { body } = await callTool(api.app, 'utils_hash', { ...HASH, dryRun: true }, {})
  expect(body.result.structuredContent.quote.amountMicros).toBe('1000')
})

test('an agent finds a tool, reads of it, and calls it without having been shown it', async () => {
  const { key } = await openAccountKey(api.context, 5_000n)
  const search = await callTool(api.app, 'search_tools', { q: 'sha256 checksum of a text' })
  const [{ tool }] = search.body.result.structuredContent.results
  const { structuredContent: described } = (await callTool(api.app, 'describe_tool', { name: tool })).body.result
  expect(described).toMatchObject({
    name: 'utils_hash',
    sameAs: 'POST /v1/utils/hash',
    inputSchema: { type: 'object' },
  })
  expect(described.errors).toHaveProperty('CONFLICTING_OPTIONS')
  const [{ arguments: args }] = described.examples
  const call = { name: tool, arguments: args }
  const { body } = await callTool(api.app, 'call_tool', call, { headers: bearer(key) })
  expect(body.result).toMatchObject({ isError: false, structuredContent: { hashes: expect.any(Object) } })
  const nested = await callTool(api.app, 'call_tool', { name: 'call_tool', arguments: call }, { headers: bearer(key) })
  expect(nested.body.error.code).toBe(-32602)
})

test('what an agent finds has the names of arguments, where REST has headers and a body', async () => {
  const { body } = await callTool(api.app, 'search_tools', { q: 'save agent state and resume' })
  const [found] = body.result.structuredContent.results
  expect(found).toMatchObject({ tool: 'leases_create_checkpoint' })
  expect(found.fields).toMatch(/^workflow_id\* string such as order-7, .*, body\* any JSON$/)
  const rest = (await api.app.inject('/v1/search?q=save%20agent%20state%20and%20resume')).json()
  expect(rest.results[0].fields).toMatch(/^X-Workflow-Id\* string such as order-7, .*, the body: any JSON$/)
  const { key } = await openAccountKey(api.context, 5_000n)
  const args = { workflow_id: 'found-by-search', body: { step: 1 } }
  const created = await callTool(api.app, found.tool, args, { headers: bearer(key) })
  expect(created.body.result).toMatchObject({ isError: false, structuredContent: { status: 'created' } })
})

test('fields beside the arguments of call_tool are refused, and nothing is charged', async () => {
  const { key } = await openAccountKey(api.context, 5_000n)
  const { body } = await callTool(api.app, 'call_tool', { name: 'utils_uuid', count: 2 }, { headers: bearer(key) })
  expect(body.result).toMatchObject({
    isError: true,
    structuredContent: { code: 'UNKNOWN_FIELD', field: 'count', didYouMean: 'arguments.count' },
  })
  const { structuredContent } = (await callTool(api.app, 'account_profile', {}, { headers: bearer(key) })).body.result
  expect(structuredContent.balanceMicros).toBe('5000')
})

test('a batch pays for each of its calls', async () => {
  const { key } = await openAccountKey(api.context, 5_000n)
  const call = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'utils_hash', arguments: HASH },
  })
  const answer = await api.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: bearer(key),
    payload: [call(1), call(2)],
  })
  expect(
    answer.json().map(({ id, result }: { id: number; result: { isError: boolean } }) => [id, result.isError]),
  ).toEqual([
    [1, false],
    [2, false],
  ])
  expect(answer.headers).toMatchObject({ 'x-service-charged-micros': '2000' })
  expect(answer.headers).not.toHaveProperty('x-service-job-id')
  const keyed = await api.app.inject({
    ...{ method: 'POST', url: '/mcp', payload: [call(1), call(2)] },
    headers: { ...bearer(key), 'idempotency-key': 'one-for-all' },
  })
  expect([keyed.statusCode, keyed.json().error.message]).toEqual([400, expect.stringContaining('_meta')])
  const { structuredContent } = (await callTool(api.app, 'account_profile', {}, { headers: bearer(key) })).body.result
  expect(structuredContent.balanceMicros).toBe('3000')
})

test('tasks are for clients that know them', async () => {
  const { key } = await openAccountKey(api.context, 5_000n)
  const params = { taskId: '00000000-0000-4000-8000-000000000000' }
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const unaware = await sendModern(api.app, method, { params, headers: bearer(key) })
    expect([unaware.status, unaware.body.error.code]).toEqual([400, -32021])
    const _meta = {
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    }
    const aware = await sendModern(api.app, method, { params: { ...params, _meta }, headers: bearer(key) })
    expect([aware.status, aware.body.error.code]).toEqual([200, -32602])
    const anonymous = await sendModern(api.app, method, { params: { ...params, _meta } })
    expect([anonymous.status, anonymous.body.error.code]).toEqual([200, -32602])
    expect((await sendLegacy(api.app, method, { params })).body.error.code).toBe(-32601)
  }
})
