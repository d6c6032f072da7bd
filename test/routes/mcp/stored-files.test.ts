import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectOfficialClient } from '../../support/mcp/official-client.ts'
import { openDefaultStack } from '../../support/stack/default.ts'
import type { Stack } from '../../support/stack/start.ts'

let stack: Stack
beforeAll(async () => {
  stack = await openDefaultStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

const connectOwner = async () => connectOfficialClient(stack.url, (await stack.customer(2_000_000n)).key)

test('a file that is larger than a message may be is uploaded, stored by its key, and handed over', async () => {
  await using owner = await connectOwner()
  const bytes = Buffer.alloc(10 * 2 ** 20, 'abcd')
  const form = await owner.call('outputs_upload_url', { contentType: 'text/plain' })
  const body = new FormData()
  for (const [name, value] of Object.entries<string>(form.fields)) body.append(name, value)
  body.append('file', new Blob([bytes], { type: 'text/plain' }))
  expect((await fetch(form.url, { method: 'POST', body })).ok).toBe(true)
  const { inputKey } = form
  const made = await owner.call('leases_create_storage', {
    file: { inputKey },
    filename: 'a.txt',
    duration_seconds: 600,
  })
  expect(made).toMatchObject({ size_bytes: bytes.length, filename: 'a.txt' })
  const range = await owner.call('leases_read_storage', { lease_id: made.lease_id, range: 'bytes=4-7' })
  expect(range).toMatchObject({ resource: { text: 'abcd' } })
})

test('a refusal names the arguments of a tool, not the headers and the query of the call over REST', async () => {
  await using owner = await connectOwner()
  const refused = async (tool: string, args: object) => (await owner.ask(tool, args)).structuredContent
  const body = { step: 1 }
  expect(await refused('leases_create_checkpoint', { body })).toMatchObject({ field: 'workflow_id' })
  expect(await refused('leases_create_mailbox', { capacity_bytes: 5 })).toMatchObject({ field: 'capacity_bytes' })
  expect(await refused('leases_create_mailbox', { webhook_secret: 'x'.repeat(20) })).toMatchObject({
    fields: ['webhook_secret', 'webhook_url'],
  })
  const missing = await refused('bridge_release_lock', { name: 'deploy' })
  expect(missing).toMatchObject({ code: 'MISSING_FIELD', field: 'token' })
  expect(missing).not.toHaveProperty('in')
})

test('the output of an operation becomes a message by its key, of the type that is said', async () => {
  await using owner = await connectOwner()
  const box = await owner.call('leases_create_mailbox', { duration_seconds: 600, capacity_bytes: 10_000 })
  const [, token] = /mailbox\/([^/]+)\/drop$/.exec(box.drop_url)!
  const upper = await owner.call('text_case', { text: 'hello', to: 'upper', outFormat: 'file' })
  const { outputKey: inputKey } = upper.output
  const drop = (file: object) => owner.ask('leases_drop_message', { drop_token: token, file })
  expect((await drop({ inputKey, mimeType: 'text/x-code' })).structuredContent.status).toBe('accepted')
  const { items } = await owner.call('leases_list_messages', { lease_id: box.lease_id })
  expect(items).toMatchObject([{ content_type: 'text/x-code' }])
  const refused = async (file: object) => (await drop(file)).structuredContent
  expect(await refused({ inputKey, text: 'x' })).toMatchObject({ code: 'INVALID_PARAM', field: 'file' })
  expect(await refused({ inputKey: `${inputKey}0` })).toMatchObject({ code: 'INPUT_NOT_FOUND' })
  await using other = await connectOwner()
  const stolen = await other.ask('leases_create_storage', { file: { inputKey }, duration_seconds: 600 })
  expect(stolen.structuredContent).toMatchObject({ code: 'INPUT_NOT_FOUND', field: 'file.inputKey' })
})

test('a file that a result links to is read by its owner as a resource, and by no other', async () => {
  await using owner = await connectOwner()
  const made = await owner.ask('text_case', { text: 'hello', to: 'upper', outFormat: 'file', inlineOutput: 'never' })
  const { uri } = made.content[1]
  expect(made.content[1].type).toBe('resource_link')
  const read = (client: typeof owner.client, address = uri) => client.readResource({ uri: address })
  expect((await read(owner.client)).contents).toMatchObject([{ uri, text: 'HELLO' }])
  await using other = await connectOwner()
  await expect(read(other.client)).rejects.toMatchObject({ code: -32002 })
  await expect(read(owner.client, 'file:///etc/passwd')).rejects.toMatchObject({ code: -32002 })
})

test('the address of an own result stands for its key, where nothing is fetched from the web', async () => {
  await using owner = await connectOwner()
  await using other = await connectOwner()
  const rows = { file: { text: 'a,b\n1,2\n' }, to: 'json', inlineOutput: 'never' }
  const { output } = await owner.call('csv_convert', rows)
  const url: string = output.outputUrl
  expect(await owner.call('utils_hash', { file: { url } })).toMatchObject({ sizeBytes: output.sizeBytes })
  const elsewhere = url.replace(/^https?:\/\/[^/]+/, 'https://elsewhere.example')
  for (const [client, address] of [
    [owner, elsewhere],
    [other, url],
  ] as const) {
    const { structuredContent } = await client.ask('utils_hash', { file: { url: address } })
    expect(structuredContent).toMatchObject({ code: 'MODE_DISABLED', instead: 'inputKey' })
  }
})
