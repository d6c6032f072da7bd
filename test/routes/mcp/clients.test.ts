import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNoisyPng } from '../../support/images/png.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { connectOfficialClient } from '../../support/mcp/official-client.ts'
import { openDefaultStack } from '../../support/stack/default.ts'
import { LONG_CALL_PATH, longCallBody } from '../../support/stack/long-job.ts'
import type { Customer, Stack } from '../../support/stack/start.ts'

let stack: Stack
let customer: Customer
beforeAll(async () => {
  stack = await openDefaultStack()
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
  expect(next).toMatch(/job_get.*actualMicros/)
  const job = await eventually('the job to end', async () => {
    const answer = await request('tools/call', { name: 'job_get', arguments: { id, wait: 20 } })
    return answer.result.structuredContent.status === 'succeeded' && answer.result
  })
  expect(job.structuredContent.result.output).not.toHaveProperty('inline')
  expect(['resource', 'resource_link']).toContain(job.content[1].type)
})

const BYTES = Buffer.from([0, 1, 2, 253, 254, 255])

const connectAnonymous = () => connectOfficialClient(stack.url)
const connectOwner = async () => connectOfficialClient(stack.url, (await stack.customer(1_000_000n)).key)

test('a checkpoint is kept, written over a known version, patched and read', async () => {
  await using agent = await connectOwner()
  const id = { workflow_id: 'order-7' }
  const priced = await agent.call('leases_create_checkpoint', { ...id, body: [1], dry_run: true })
  expect(priced).toMatchObject({ status: 'dry_run', cost_micros: '1000' })
  expect((await agent.call('account_profile')).balanceMicros).toBe('1000000')
  const terms = { duration_seconds: 600, max_body_bytes: 1_000, idempotency_key: 'k1' }
  const made = await agent.call('leases_create_checkpoint', { ...id, ...terms, body: { step: 1, done: ['fetch'] } })
  expect(made).toMatchObject({ status: 'created', version: 1, max_body_bytes: 1_000 })
  const again = await agent.call('leases_create_checkpoint', { ...id, ...terms, body: { step: 1, done: ['fetch'] } })
  expect(again.lease_id).toBe(made.lease_id)
  await agent.call('leases_write_checkpoint', { ...id, if_version: 1, body: { step: 2, done: [] } })
  await agent.call('leases_patch_checkpoint', { ...id, body: { step: 3 } })
  const read = await agent.call('leases_read_checkpoint', id)
  expect(read).toMatchObject({ body: { step: 3, done: [] }, version: 3, etag: expect.stringMatching(/^"v3-/) })
  expect((await agent.call('leases_read_checkpoint', { ...id, version: 1 })).body).toEqual({ step: 1, done: ['fetch'] })
  const late = await agent.ask('leases_write_checkpoint', { ...id, if_match: '"v1"', body: 1 })
  expect(late).toMatchObject({ isError: true, structuredContent: { code: 'VERSION_CONFLICT' } })
  for (const [args, code] of [
    [{ ...id }, 'MISSING_FIELD'],
    [{ ...id, body: 1, state: 1 }, 'UNKNOWN_FIELD'],
    [{ ...id, body: 1, if_version: 'x' }, 'INVALID_PARAM'],
    [{ ...id, body: 1, if_match: '"v1"\r\nx: y' }, 'INVALID_PARAM'],
  ] as const) {
    expect((await agent.ask('leases_write_checkpoint', args)).structuredContent.code).toBe(code)
  }
  expect((await agent.call('leases_delete_checkpoint', id)).resource).toBeUndefined()
})

test('a stranger leaves text and bytes in a mailbox, and its owner reads, exports and deletes them', async () => {
  await using owner = await connectOwner()
  await using sender = await connectAnonymous()
  const box = await owner.call('leases_create_mailbox', {
    duration_seconds: 600,
    label: 'Aufträge',
    capacity_bytes: 2_048,
  })
  expect(box).toMatchObject({ status: 'created', label: 'Aufträge', capacity_bytes: 2_048 })
  const [, token] = /mailbox\/([^/]+)\/drop$/.exec(box.drop_url)!
  const drop = (file: object, others = {}) => sender.call('leases_drop_message', { drop_token: token, file, ...others })
  const blob = BYTES.toString('base64')
  const given = await drop({ blob, mimeType: 'application/x-thing' }, { filename: '東京.bin', idempotency_key: 'once' })
  const repeated = await drop(
    { blob, mimeType: 'application/x-thing' },
    { filename: '東京.bin', idempotency_key: 'once' },
  )
  expect(repeated.message_id).toBe(given.message_id)
  await drop({ text: 'Grüße' })
  const { items } = await owner.call('leases_list_messages', { lease_id: box.lease_id })
  expect(items).toMatchObject([{ filename: '東京.bin', size_bytes: 6 }, { content_type: 'text/plain; charset=utf-8' }])
  const message = (at: number) => ({ lease_id: box.lease_id, message_id: items[at].id })
  const thing = await owner.call('leases_read_message', message(0))
  expect(thing).toMatchObject({
    sizeBytes: 6,
    filename: '東京.bin',
    resource: { blob, mimeType: 'application/x-thing' },
  })
  expect((await owner.call('leases_read_message', message(1))).resource.text).toBe('Grüße')
  // What was read is given on as it is.
  expect(await drop(thing.resource)).toMatchObject({ status: 'accepted', size_bytes: 6 })
  const lines = (await owner.call('leases_export_messages', { lease_id: box.lease_id })).resource.text
    .trim()
    .split('\n')
  expect(lines.map((line: string) => JSON.parse(line).content)).toEqual([blob, 'Grüße', blob])
  expect(await owner.call('leases_delete_message', message(0))).toMatchObject({ status: 'done' })
  expect((await owner.ask('leases_read_message', message(0))).structuredContent.code).toBe('NOT_FOUND')
  const empty = await sender.ask('leases_drop_message', { drop_token: token, file: { uri: 'x' } })
  expect(empty.structuredContent).toMatchObject({ code: 'INVALID_PARAM', field: 'file' })
})

test('a file is stored, read in part, replaced and claimed once by another', async () => {
  await using owner = await connectOwner()
  await using other = await connectAnonymous()
  const file = { blob: BYTES.toString('base64'), mimeType: 'application/x-thing' }
  const made = await owner.call('leases_create_storage', {
    file,
    filename: 'a.bin',
    duration_seconds: 600,
    delete_on_claim: true,
  })
  expect(made).toMatchObject({ status: 'created', size_bytes: 6, delete_on_claim: true, filename: 'a.bin' })
  const id = { lease_id: made.lease_id }
  const part = await owner.call('leases_read_storage', { ...id, range: 'bytes=0-1' })
  expect(part).toMatchObject({ content_range: 'bytes 0-1/6', resource: { text: '\0\x01' } })
  await owner.call('leases_write_storage', { ...id, if_version: 1, file: { text: 'new' }, filename: 'a.txt' })
  expect((await owner.call('leases_read_storage', id)).resource).toMatchObject({ text: 'new' })
  const { claim_url: url } = await owner.call('leases_issue_handoff', { id: made.lease_id, pin: '4711' })
  const token = url.split('/').at(-1)
  expect(await other.call('leases_preview_handoff', { token })).toMatchObject({ needs_pin: true, size_bytes: 3 })
  expect((await other.ask('leases_claim_handoff', { token, pin: '4712' })).structuredContent.code).toBe('PIN_WRONG')
  const claimed = await other.call('leases_claim_handoff', { token, pin: '4711' })
  expect(claimed).toMatchObject({ filename: 'a.txt', claim_receipt: expect.any(String), resource: { text: 'new' } })
  await expect.poll(async () => (await owner.ask('leases_read_storage', id)).isError).toBe(true)
})

test('a baton is written, and read by a token', async () => {
  await using owner = await connectOwner()
  await using other = await connectAnonymous()
  const { id } = await owner.call('storage_scratchpad', { tier: 'femto' })
  for (let run = 0; run < 2; run++) await owner.call('baton_write', { id, content: 'one\n', idempotencyKey: 'line-1' })
  const { id: token } = await owner.call('baton_mint_token', { id, type: 'read', reads_allowed: 5 })
  await owner.call('baton_write', { id, content: 'two\n' })
  expect(await other.call('baton_read', { id: token })).toMatchObject({
    sizeBytes: 8,
    readsLeft: expect.any(Number),
    resource: { text: 'one\ntwo\n' },
  })
  expect((await other.call('baton_read', { id: token, entry: 2 })).resource.text).toBe('two\n')
})

test('a file that is too large for a result is a link to it', async () => {
  await using owner = await connectOfficialClient(stack.url, customer.key)
  const { authorization } = requestInit(customer.key).headers
  const headers = { authorization, 'x-max-body-bytes': '9437184', 'x-duration-seconds': '600' }
  const body = Buffer.alloc(9 * 2 ** 20, 'a')
  const made = await (await fetch(`${stack.url}/api/storage`, { method: 'POST', headers, body })).json()
  const { content } = await owner.ask('leases_read_storage', { lease_id: made.lease_id })
  expect(content[1]).toMatchObject({ type: 'resource_link', size: body.length, uri: made.url })
  const fetched = await fetch(content[1].uri, { headers: { authorization } })
  expect((await fetched.arrayBuffer()).byteLength).toBe(body.length)
  const part = await owner.call('leases_read_storage', { lease_id: made.lease_id, range: 'bytes=0-2' })
  expect(part.resource.text).toBe('aaa')
})
