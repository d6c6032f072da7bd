import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNoisyPng } from '../../support/images/png.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { LONG_CALL_PATH, longCallBody } from '../../support/stack/long-job.ts'
import { type Customer, type Stack, startStack } from '../../support/stack/start.ts'

let stack: Stack
let customer: Customer
beforeAll(async () => {
  stack = await startStack()
  customer = await stack.customer(5_000_000n)
})
afterAll(() => stack[Symbol.asyncDispose]())

const INFO = { name: 'test', version: '1' }
const requestInit = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

/** One method of the modern era, by a client of ours. */
async function request(method: string, params: Record<string, unknown>, capabilities: object = {}) {
  const answer = await customer.request('/mcp', {
    method: 'POST',
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': String(params.name ?? params.taskId),
    },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': capabilities,
        },
      },
    },
  })
  return answer.body
}

test('the official client of the first generation lists all pages and calls', async () => {
  const client = new Client(INFO)
  const url = new URL(`${stack.url}/mcp/full`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: requestInit(customer.key) }) as never)
  const names: string[] = []
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
    const page = await client.listTools({ cursor })
    names.push(...page.tools.map(({ name }) => name))
    cursor = page.nextCursor
  }
  expect(names).toEqual(expect.arrayContaining(['pdf_merge', 'utils_hash', 'job_get', 'search_tools']))
  const result = await client.callTool({ name: 'utils_hash', arguments: { text: 'abc', algorithms: ['md5'] } })
  expect(result.structuredContent).toMatchObject({ hashes: { md5: '900150983cd24fb0d6963f7d28e17f72' } })
  await client.close()
})

test('without credentials, and where no payment can be settled, that client is told to get a token', async () => {
  const client = new Client(INFO)
  await client.connect(new StreamableHTTPClientTransport(new URL(`${stack.url}/mcp`)) as never)
  await client.listTools()
  const call = client.callTool({ name: 'utils_hash', arguments: { text: 'abc' } })
  await expect(call).rejects.toMatchObject({ code: 401 })
  await client.close()
})

test.each(['auto', 'legacy'] as const)(
  'the official client of the second generation calls, negotiating %s',
  async mode => {
    const client = new ModernClient(INFO, { versionNegotiation: { mode } })
    const url = new URL(`${stack.url}/mcp`)
    await client.connect(new ModernTransport(url, { requestInit: requestInit(customer.key) }))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('search_tools')
    const result = await client.callTool({ name: 'text_slugify', arguments: { text: 'Crème brûlée' } })
    expect(result.structuredContent).toMatchObject({ slug: 'creme-brulee' })
    await client.close()
  },
)

test('a small picture is part of the result, a large one a link, and its key goes on to the next tool', async () => {
  const call = async (name: string, args: object) =>
    (await customer.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }))
      .body.result
  const small = { file: { inline: createNoisyPng(40).toString('base64') }, width: 20, format: 'png' }
  const shown = await call('image_resize', small)
  expect(shown.content[1]).toMatchObject({
    type: 'image',
    mimeType: 'image/png',
    data: expect.stringMatching(/^iVBOR/),
  })
  expect(shown.structuredContent.output).not.toHaveProperty('inline')
  const linked = await call('image_resize', { ...small, width: 900, enlarge: true })
  const [, link] = linked.content
  expect(link).toMatchObject({ type: 'resource_link', mimeType: 'image/png', uri: expect.stringMatching(/^http/) })
  const bytes = Buffer.from(await (await fetch(link.uri)).arrayBuffer())
  expect(bytes.length).toBe(link.size)
  const { outputKey } = linked.structuredContent.output
  const facts = await call('image_metadata', { file: { inputKey: outputKey } })
  expect(facts.structuredContent).toMatchObject({ width: 900 })
  const silent = await call('image_resize', { ...small, inlineOutput: 'never' })
  expect(silent.content[1].type).toBe('resource_link')
})

const LONG = LONG_CALL_PATH.replace('/v1/', '').replace('/', '_')

test('a long call is a task for a client that knows tasks', async () => {
  const created = await request('tools/call', { name: LONG, arguments: { ...longCallBody(300), async: true } }, TASKS)
  const { taskId } = created.result
  expect(created.result).toMatchObject({ resultType: 'task', status: 'working', ttlMs: expect.any(Number) })
  const done = await eventually('the task to end', async () => {
    const { result } = await request('tasks/get', { taskId }, TASKS)
    return result.status !== 'working' && result
  })
  expect(done).toMatchObject({ resultType: 'complete', taskId, status: 'completed', result: { isError: false } })
  expect(done.result.structuredContent.output.contentType).toBe('image/avif')
  const other = await stack.customer()
  const params = {
    taskId,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': TASKS,
    },
  }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tasks/get', 'mcp-name': taskId }
  const theirs = await other.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tasks/get', params }, headers)
  expect(theirs.body.error.code).toBe(-32602)
})

test('a task can be cancelled, and a failed one is complete with an error as its result', async () => {
  const { result } = await request('tools/call', { name: LONG, arguments: { ...longCallBody(), async: true } }, TASKS)
  await request('tasks/cancel', { taskId: result.taskId }, TASKS)
  expect((await request('tasks/get', { taskId: result.taskId }, TASKS)).result.status).toBe('cancelled')
  const failing = await request(
    'tools/call',
    { name: 'text_regex_extract', arguments: { text: 'a', pattern: '(', async: true } },
    TASKS,
  )
  const failed = await eventually('the task to fail', async () => {
    const answer = await request('tasks/get', { taskId: failing.result.taskId }, TASKS)
    return answer.result.status !== 'working' && answer.result
  })
  expect(failed).toMatchObject({
    status: 'completed',
    result: { isError: true, structuredContent: { code: 'REGEX_INVALID' } },
  })
})

test('other clients get a ticket and ask for the job by a tool', async () => {
  const args = { ...longCallBody(300), async: true }
  const { result } = await request('tools/call', { name: LONG, arguments: args })
  const { id, status, next } = result.structuredContent
  expect([result.isError, status]).toEqual([false, 'submitted'])
  expect(next).toContain('job_get')
  const job = await eventually('the job to end', async () => {
    const answer = await request('tools/call', { name: 'job_get', arguments: { id, wait: 20 } })
    return answer.result.structuredContent.status === 'succeeded' && answer.result
  })
  expect(job.structuredContent.result.output).not.toHaveProperty('inline')
  expect(['resource', 'resource_link']).toContain(job.content[1].type)
})
