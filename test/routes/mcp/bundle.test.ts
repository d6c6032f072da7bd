import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshFolder } from '../../support/machine/folder.ts'
import { openDefaultStack } from '../../support/stack/default.ts'
import { LONG_CALL_PATH, longCallBody } from '../../support/stack/long-job.ts'
import type { Customer, Stack } from '../../support/stack/start.ts'

const run = promisify(execFile)

let stack: Stack
let customer: Customer
let folder: Awaited<ReturnType<typeof freshFolder>>
let allowed: string
const clients: Client[] = []
const questions: string[] = []
beforeAll(async () => {
  ;[stack, folder] = await Promise.all([openDefaultStack(), freshFolder()])
  customer = await stack.customer(1_000_000n)
  allowed = join(folder.path, 'Documents')
  await mkdir(allowed)
  const answer = await fetch(`${stack.url}/coinop.mcpb`)
  expect([answer.status, await answer.clone().text()]).toEqual([200, expect.stringContaining('manifest.json')])
  const path = join(folder.path, 'coinop.mcpb')
  await writeFile(path, Buffer.from(await answer.arrayBuffer()))
  await run('unzip', ['-q', path, '-d', join(folder.path, 'installed')])
})
afterAll(async () => {
  for (const client of clients) await client.close()
  await folder[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
})

const placeholder = (name: string) => `$\{${name}}`

/** Starts the bundle as a desktop client does: with its own values in place of the names in the manifest. */
async function start(chosen: { api_key?: string; folders?: string[]; origin?: string; ask_above?: string }) {
  const installed = join(folder.path, 'installed')
  const { server } = JSON.parse(await readFile(join(installed, 'manifest.json'), 'utf8'))
  const fill = (text: string) =>
    text
      .replace(placeholder('__dirname'), installed)
      .replace(placeholder('user_config.api_key'), chosen.api_key ?? placeholder('user_config.api_key'))
      .replace(placeholder('user_config.ask_above'), chosen.ask_above ?? placeholder('user_config.ask_above'))
  const { command, args, env } = server.mcp_config as { command: string; args: string[]; env: Record<string, string> }
  const transport = new StdioClientTransport({
    command: command === 'node' ? process.execPath : command,
    args: args.flatMap(arg => (arg === placeholder('user_config.folders') ? (chosen.folders ?? [arg]) : [fill(arg)])),
    env: {
      ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])),
      ...(chosen.origin && { COINOP_FILE_ORIGINS: chosen.origin }),
    },
  })
  const client = new Client({ name: 'desktop', version: '1' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message)
    return { action: questions.length === 1 ? 'accept' : 'decline', content: {} }
  })
  await client.connect(transport as never)
  clients.push(client)
  return async (name: string, given: object = {}) => {
    const answer = await client.callTool({ name, arguments: given as Record<string, unknown> })
    const [first] = answer.content as { text: string }[]
    return { isError: answer.isError === true, text: first!.text, result: answer.structuredContent as never, client }
  }
}

interface Uploaded {
  inputKey: string
  sizeBytes: number
}

test('a local file is found, uploaded, worked on and saved', async () => {
  const call = await start({ api_key: customer.key, folders: [allowed] })
  await writeFile(join(allowed, 'Übersicht 1.csv'), 'name,age\nIda,7\n')
  const { client } = await call('list_local_files')
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['upload_local_file', 'search_tools']))
  const listed = await call('list_local_files', { folder: allowed })
  expect(listed.result).toEqual({ files: [{ path: join(allowed, 'Übersicht 1.csv'), sizeBytes: 15 }] })
  const uploaded = (await call('upload_local_file', { path: 'Übersicht 1.csv' })).result as Uploaded
  expect(uploaded.sizeBytes).toBe(15)
  const made = await call('call_tool', {
    name: 'data_to_xlsx',
    arguments: { file: { inputKey: uploaded.inputKey }, inlineOutput: 'never' },
  })
  const { outputUrl } = (made.result as { output: { outputUrl: string } }).output
  const path = join(allowed, 'ages.xlsx')
  expect((await call('save_local_file', { url: outputUrl, path })).result).toMatchObject({ path })
  expect((await run('unzip', ['-l', path])).stdout).toContain('xl/worksheets/sheet1.xml')
  expect((await call('save_local_file', { url: outputUrl, path })).text).toContain('overwrite: true')
  expect((await call('save_local_file', { url: outputUrl, path, overwrite: true })).isError).toBe(false)
  const before = await readFile(path)
  // A server that breaks off in the middle of a file.
  const broken = createServer((_request, reply) => {
    reply.writeHead(200, { 'content-length': '1000' })
    reply.write('half', () => reply.destroy())
  })
  await new Promise<void>(resolve => broken.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`
  const fromBroken = await start({ api_key: customer.key, folders: [allowed], origin })
  expect((await fromBroken('save_local_file', { url: origin, path, overwrite: true })).isError).toBe(true)
  broken.close()
  expect(await readFile(path)).toEqual(before)
  await mkdir(join(allowed, 'taken'))
  expect((await call('save_local_file', { url: outputUrl, path: 'taken', overwrite: true })).isError).toBe(true)
  expect((await readdir(allowed)).sort()).toEqual(['ages.xlsx', 'taken', 'Übersicht 1.csv'].sort())
})

test('nothing outside of the allowed folders is read or written, and nothing of other servers saved', async () => {
  const call = await start({ api_key: customer.key, folders: [allowed] })
  const secret = join(folder.path, 'secret.txt')
  await writeFile(secret, 'secret')
  await symlink(secret, join(allowed, 'link.txt'))
  await symlink(folder.path, join(allowed, 'out'))
  for (const path of [secret, '../secret.txt', 'link.txt', 'out/secret.txt'])
    expect((await call('upload_local_file', { path })).text, path).toContain('is not in an allowed folder')
  expect((await call('upload_local_file', { path: allowed })).text).toContain('is no file; list_local_files')
  const url = `${stack.url}/llms.txt`
  for (const path of ['../new.txt', 'out/new.txt', join(folder.path, 'new.txt')])
    expect((await call('save_local_file', { url, path })).text, path).toContain('is not in an allowed folder')
  await call('save_local_file', { url, path: 'link.txt', overwrite: true })
  expect(await readFile(secret, 'utf8')).toBe('secret')
  expect(await readFile(join(allowed, 'link.txt'), 'utf8')).toContain('# coinop')
  for (const other of ['http://127.0.0.1:9/x', 'file:///etc/passwd', 'nonsense'])
    expect((await call('save_local_file', { url: other, path: 'x' })).text, other).toContain('Only files of')
})

test('without a key and without folders it says what to do', async () => {
  const call = await start({})
  expect((await call('search_tools', { q: 'merge pdf' })).text).toContain('pdf_merge')
  expect((await call('upload_local_file', { path: 'x' })).text).toContain('choose one in the settings')
  const withFolder = await start({ folders: [allowed] })
  await writeFile(join(allowed, 'a.txt'), 'a')
  expect((await withFolder('upload_local_file', { path: 'a.txt' })).text).toContain('Enter an API key')
  await expect(withFolder('utils_hash', { text: 'a' })).rejects.toThrow('needs credentials')
})

test('calls above the chosen price are asked about first, and their progress is told', async () => {
  const call = await start({ api_key: customer.key, ask_above: '0.0005' })
  expect((await call('utils_hash', { text: 'abc' })).isError).toBe(false)
  expect((await call('utils_hash', { text: 'abc' })).text).toContain('PRICE_ABOVE_LIMIT')
  expect(questions).toEqual([expect.stringContaining('0.001 USD'), expect.stringContaining('0.0005 USD')])
  const reports: number[] = []
  const long = { name: LONG_CALL_PATH.replace('/v1/', '').replace('/', '_'), arguments: longCallBody() }
  const free = await start({ api_key: customer.key })
  const agent = (await free('search_tools', { q: 'hash' })).client
  const result = await agent.callTool(long, undefined, { onprogress: ({ progress }) => reports.push(progress) })
  expect([result.isError, reports.length > 0]).toEqual([false, true])
})
