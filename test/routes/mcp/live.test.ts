import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tell } from '../../../sql/mcp/calls.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { openDefaultStack } from '../../support/stack/default.ts'
import { LONG_CALL_PATH, longCallBody } from '../../support/stack/long-job.ts'
import type { Customer, Stack } from '../../support/stack/start.ts'

let stack: Stack
beforeAll(async () => {
  stack = await openDefaultStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

const INFO = { name: 'live', version: '1' }
const LONG = LONG_CALL_PATH.replace('/v1/', '').replace('/', '_')
const HASH = { name: 'utils_hash', arguments: { text: 'abc', algorithms: ['md5'] } }
const MD5 = '900150983cd24fb0d6963f7d28e17f72'

type Answer = 'accept' | 'decline' | 'cancel'

interface Choice {
  headers?: Record<string, string>
  /** What the user answers; without it the client cannot ask. */
  answer?: Answer
}

/** The official client of the first generation, with what its user was asked. */
async function connect(customer: Customer, { headers = {}, answer }: Choice = {}) {
  const questions: string[] = []
  const client = new Client(INFO, { capabilities: answer === undefined ? {} : { elicitation: {} } })
  if (answer !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      questions.push(params.message)
      return { action: answer, ...(answer === 'accept' && { content: {} }) }
    })
  const requestInit = { headers: { authorization: `Bearer ${customer.key}`, ...headers } }
  const transport = new StreamableHTTPClientTransport(new URL(`${stack.url}/mcp/full`), { requestInit })
  await client.connect(transport as never)
  return { client, transport, questions, [Symbol.asyncDispose]: () => client.close() }
}

async function lastJob(customer: Customer): Promise<{ id: string; status: string } | undefined> {
  return (await customer.get('/v1/jobs')).body.data[0]
}

test('a client that asks for progress is told of it while the call runs, and then gets the result', async () => {
  await using agent = await connect(await stack.customer())
  const reports: { progress: number; message?: string }[] = []
  const result = await agent.client.callTool({ name: LONG, arguments: longCallBody() }, undefined, {
    onprogress: progress => reports.push(progress),
    resetTimeoutOnProgress: true,
  })
  expect(result.isError).toBe(false)
  expect(reports.length).toBeGreaterThan(0)
  expect(reports[0]!.message).toMatch(/^(submitted|running), /)
  expect(reports.map(({ progress }) => progress)).toEqual([...new Set(reports.map(({ progress }) => progress))].sort())
})

test('a client that takes its call back ends the job, and nothing is charged', async () => {
  const customer = await stack.customer()
  await using agent = await connect(customer)
  const stop = new AbortController()
  const call = agent.client.callTool({ name: LONG, arguments: longCallBody() }, undefined, {
    signal: stop.signal,
    onprogress: () => stop.abort(),
  })
  await expect(call).rejects.toThrow()
  const job = await eventually('the job to end', async () => {
    const found = await lastJob(customer)
    return found?.status === 'failed' && found
  })
  expect((await customer.get(`/v1/jobs/${job.id}`)).body).toMatchObject({ error: { code: 'JOB_CANCELLED' } })
  expect(await customer.money()).toEqual({ balance: 1_000_000n, held: 0n })
})

/** A request of the era, of which the connection breaks when the job is there. */
async function breakOff(customer: Customer, headers: Record<string, string>, meta: object): Promise<void> {
  const stop = new AbortController()
  const params = { name: LONG, arguments: longCallBody(1_500), _meta: meta }
  const answer = fetch(`${stack.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${customer.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    signal: stop.signal,
  })
  await eventually('the job to be there', async () => (await lastJob(customer)) !== undefined)
  stop.abort()
  await expect(answer).rejects.toThrow()
}

test('when the connection breaks, the job goes on; in the modern era that is how a client takes its call back', async () => {
  const [old, modern] = [await stack.customer(), await stack.customer()]
  const ended = (customer: Customer) =>
    eventually('the job to end', async () => {
      const { status } = (await lastJob(customer))!
      return status !== 'submitted' && status !== 'running' && status
    })
  await breakOff(modern, modernHeaders, modernMeta)
  await breakOff(old, {}, {})
  expect([await ended(modern), await ended(old)]).toEqual(['failed', 'succeeded'])
})

const modernHeaders = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': LONG }
const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const LIMIT = { 'x-max-price-micros': '500' }

test('a call above its limit goes on if its user agrees, and is refused with its price if not or if nobody can be asked', async () => {
  const customer = await stack.customer()
  await using agreeing = await connect(customer, { headers: LIMIT, answer: 'accept' })
  const result = await agreeing.client.callTool(HASH)
  expect(result.structuredContent).toMatchObject({ hashes: { md5: MD5 } })
  expect(agreeing.questions).toEqual([expect.stringMatching(/^utils\.hash may cost up to 0\.001 USD.*0\.0005 USD/)])
  for (const answer of ['decline', 'cancel', undefined] as const) {
    await using other = await connect(customer, { headers: LIMIT, answer })
    const refused = await other.client.callTool(HASH)
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { code: 'PRICE_ABOVE_LIMIT', amountMicros: '1000', limitMicros: '500' },
    })
  }
  expect((await customer.money()).balance).toBe(999_000n)
  const meta = { 'svc/maxPriceMicros': '1000' }
  await using within = await connect(customer, { headers: LIMIT, answer: 'decline' })
  expect((await within.client.callTool({ ...HASH, _meta: meta })).isError).toBe(false)
  expect(within.questions).toEqual([])
})

test('in the modern era the question is a result, and the answer counts for the same call only', async () => {
  const customer = await stack.customer()
  const requestInit = { headers: { authorization: `Bearer ${customer.key}`, ...LIMIT } }
  for (const [action, isError] of [
    ['accept', false],
    ['decline', true],
  ] as const) {
    const client = new ModernClient(INFO, {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: 'auto' },
    })
    client.setRequestHandler('elicitation/create', () => ({ action, ...(!isError && { content: {} }) }))
    await client.connect(new ModernTransport(new URL(`${stack.url}/mcp`), { requestInit }))
    expect((await client.callTool(HASH)).isError).toBe(isError)
    await client.close()
  }
  const ask = async (text: string, more: object = {}) => {
    const { body } = await customer.request('/mcp', {
      method: 'POST',
      headers: { ...LIMIT, ...modernHeaders, 'mcp-name': HASH.name },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: HASH.name,
          arguments: { text, algorithms: ['md5'] },
          ...more,
          _meta: { ...modernMeta, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } },
        },
      },
    })
    return body.result
  }
  const { requestState } = await ask('a')
  const agreed = { inputResponses: { price: { action: 'accept' } }, requestState }
  expect(await ask('b', agreed)).toMatchObject({ resultType: 'input_required' })
  const forged = { ...agreed, requestState: `9${requestState}` }
  expect(await ask('a', forged)).toMatchObject({ resultType: 'input_required' })
  expect(await ask('a', agreed)).toMatchObject({ resultType: 'complete', isError: false })
  expect((await customer.money()).balance).toBe(998_000n)
})

test('over REST the same limit is a header, and a price of files is measured before it is compared', async () => {
  const customer = await stack.customer()
  const hash = (limit: string) => customer.post('/v1/utils/hash', HASH.arguments, { 'x-max-price-micros': limit })
  expect((await hash('999')).body).toMatchObject({ code: 'PRICE_ABOVE_LIMIT', amountMicros: '1000' })
  expect((await hash('1000')).status).toBe(200)
  expect((await hash('1.5')).body).toMatchObject({ code: 'INVALID_PARAM', field: 'X-Max-Price-Micros' })
  const quote = await customer.post('/v1/utils/hash', { ...HASH.arguments, dryRun: true }, LIMIT)
  expect(quote.status).toBe(200)
})

test('a process that does not perform the call hands on what its client says', async () => {
  const customer = await stack.customer()
  await using agent = await connect(customer)
  const session = agent.transport.sessionId!.split('.')[0]
  const call = agent.client.callTool({ name: LONG, arguments: longCallBody() }, undefined, { timeout: 60_000 })
  const refused = expect(call).rejects.toThrow()
  await eventually('the job to be there', async () => (await lastJob(customer)) !== undefined)
  // The ids of this client count up from its initialize.
  await tell(stack.db, { session, call: '1' })
  await eventually('the job to end', async () => (await lastJob(customer))?.status === 'failed')
  await agent.client.close()
  await refused
})
