#!/usr/bin/env node
// The MCP server of a desktop client: hands messages on to the service over HTTP, and adds tools for the files of this machine
// that its user has allowed. It needs only Node 20.
import { randomUUID } from 'node:crypto'
import { open, readdir, readFile, realpath, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'

const isGiven = value => value !== undefined && value !== '' && !value.startsWith('$')
const { COINOP_URL: url, COINOP_KEY, COINOP_FILE_ORIGINS = '', COINOP_ASK_ABOVE_USD } = process.env
const MAX_PRICE = isGiven(COINOP_ASK_ABOVE_USD) ? String(Math.round(Number(COINOP_ASK_ABOVE_USD) * 1e6)) : undefined
const key = isGiven(COINOP_KEY) ? COINOP_KEY : undefined
const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
const folders = process.argv.slice(2).filter(isGiven)
const origins = new Set([new URL(url).origin, ...COINOP_FILE_ORIGINS.split(' ').filter(isGiven)])
const MAX_LISTED = 500
const REFUSED = -32000
const MODERN_VERSION = 'io.modelcontextprotocol/protocolVersion'
const NAMED_BY = { 'tools/call': 'name', 'tasks/get': 'taskId', 'tasks/update': 'taskId', 'tasks/cancel': 'taskId' }

const text = description => ({ type: 'string', description })
const tool = (name, title, description, properties, required, annotations) => ({
  ...{ name, title, description },
  inputSchema: { type: 'object', properties, required, additionalProperties: false },
  annotations: { title, openWorldHint: false, destructiveHint: false, ...annotations },
})

const LOCAL = {
  list_local_files: {
    ...tool(
      'list_local_files',
      'List local files',
      'List the files of a folder of this computer, of those that its user has allowed. Free.',
      { folder: text('A path; left out: the allowed folders.') },
      [],
      { readOnlyHint: true, idempotentHint: true },
    ),
    run: listFiles,
  },
  upload_local_file: {
    ...tool(
      'upload_local_file',
      'Upload a local file',
      'Upload a file of this computer. The inputKey that it answers is the Source of any tool: {"inputKey": "..."}. Free.',
      { path: text('Of a file in an allowed folder.') },
      ['path'],
      { readOnlyHint: false, idempotentHint: true },
    ),
    run: uploadFile,
  },
  save_local_file: {
    ...tool(
      'save_local_file',
      'Save a result as a local file',
      'Save the file behind an outputUrl of a result in an allowed folder of this computer. Free.',
      {
        url: text('The outputUrl.'),
        path: text('Where to, in an allowed folder that exists.'),
        overwrite: { type: 'boolean', default: false, description: 'Whether a file that is there is replaced.' },
      },
      ['url', 'path'],
      { readOnlyHint: false, destructiveHint: true },
    ),
    run: saveFile,
  },
}
const described = Object.values(LOCAL).map(({ run, ...shown }) => shown)

/** What the client has agreed on; older revisions say it in headers of each request. */
let version
let session
const running = new Map()

function write(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

async function take(line) {
  let message
  try {
    message = JSON.parse(line)
  } catch {
    return write({ id: null, error: { code: -32700, message: 'This is not JSON.' } })
  }
  const { id, method, params } = message
  // Also the answers of the client to what the service has asked it.
  if (id === undefined || method === undefined) {
    await send(message).catch(() => undefined)
    if (method === 'notifications/cancelled') running.get(params?.requestId)?.abort()
    return
  }
  const controller = new AbortController()
  running.set(id, controller)
  try {
    const answer = await answerRequest(message, controller.signal)
    if (answer && !controller.signal.aborted) write({ ...answer, id })
  } catch (error) {
    if (!controller.signal.aborted) write({ id, error: { code: REFUSED, message: describe(error) } })
  } finally {
    running.delete(id)
  }
}

async function answerRequest(message, signal) {
  const { method, params } = message
  const local = method === 'tools/call' ? findLocal(params) : undefined
  if (local) return { result: await runLocal(message, local) }
  const answer = await send(message, signal)
  if (method === 'initialize' && answer?.result) version = answer.result.protocolVersion
  if (method === 'tools/list' && answer?.result && !params?.cursor) answer.result.tools.unshift(...described)
  return answer
}

/** Clients that show few tools to their model call all others by name through one. */
function findLocal(params) {
  const name = params?.name === 'call_tool' ? params.arguments?.name : params?.name
  const given = params?.name === 'call_tool' ? params.arguments?.arguments : params?.arguments
  return Object.hasOwn(LOCAL, name ?? '') ? { run: LOCAL[name].run, given: given ?? {} } : undefined
}

async function runLocal({ params }, { run, given }) {
  const isModern = params?._meta?.[MODERN_VERSION] !== undefined
  const marks = isModern ? { resultType: 'complete' } : {}
  try {
    const result = await run(given)
    return { ...marks, content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result }
  } catch (error) {
    return { ...marks, isError: true, content: [{ type: 'text', text: describe(error) }] }
  }
}

function describe(error) {
  const cause = error?.cause?.code ?? error?.cause?.message
  return `${error?.message ?? error}${cause ? ` (${cause})` : ''}`
}

async function send(message, signal) {
  const { method, params } = message
  const claimed = params?._meta?.[MODERN_VERSION]
  const spoken = claimed ?? version
  const named = claimed && NAMED_BY[method] && params[NAMED_BY[method]]
  const response = await reach(`${url}/mcp`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...authorization },
      ...(spoken && method !== 'initialize' && { 'mcp-protocol-version': spoken }),
      ...(session && method !== 'initialize' && { 'mcp-session-id': session }),
      ...(MAX_PRICE && { 'x-max-price-micros': MAX_PRICE }),
      ...(claimed && { 'mcp-method': method }),
      ...(named && { 'mcp-name': asHeader(named) }),
    },
    body: JSON.stringify(message),
    signal,
  })
  if (method === 'initialize') session = response.headers.get('mcp-session-id')
  const body = await readAnswer(response)
  if (body === '') return undefined
  const answer = parse(body)
  if (answer?.jsonrpc !== '2.0') throw new Error(answer?.error ?? `The service answered ${response.status}.`)
  return answer
}

/** The response to a request. What comes before it, of its progress or to ask the user, goes to the client as it is. */
async function readAnswer(response) {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return await response.text()
  for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
    if (!line.startsWith('data: ')) continue
    const message = line.slice('data: '.length)
    if (parse(message)?.method === undefined) return message
    process.stdout.write(`${message}\n`)
  }
  throw new Error('The service broke off its answer.')
}

/** Names that a header cannot carry go in base64 between marks. */
function asHeader(name) {
  return /^[\x21-\x7e]+$/.test(name) ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`
}

function parse(body) {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

async function reach(address, init) {
  try {
    return await fetch(address, init)
  } catch (error) {
    if (init?.signal?.aborted) throw error
    throw new Error(`${new URL(address).origin} cannot be reached.`, { cause: error.cause ?? error })
  }
}

/** The path with all links resolved. Throws if it is not in an allowed folder. */
async function allow(path, label = 'path') {
  if (typeof path !== 'string' || path === '') throw new Error(`Give a ${label}.`)
  if (folders.length === 0) throw new Error('No folder is allowed: choose one in the settings of this extension.')
  const allowed = await listAllowed()
  const real = await realpath(resolve(allowed[0] ?? '.', path))
  if (allowed.some(folder => isWithin(folder, real))) return real
  throw new Error(`${path} is not in an allowed folder: ${allowed.join(', ')}.`)
}

async function listAllowed() {
  const found = await Promise.all(folders.map(folder => realpath(folder).catch(() => undefined)))
  return found.filter(Boolean)
}

function isWithin(folder, path) {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && resolve(folder, way) === path)
}

async function listFiles({ folder }) {
  if (folder === undefined) return { folders: await listAllowed() }
  const real = await allow(folder, 'folder')
  const names = (await readdir(real, { withFileTypes: true })).filter(entry => entry.isFile() || entry.isDirectory())
  const files = await Promise.all(
    names.slice(0, MAX_LISTED).map(async entry => {
      const path = join(real, entry.name)
      return entry.isDirectory() ? { path, isFolder: true } : { path, sizeBytes: (await stat(path)).size }
    }),
  )
  return { files, ...(names.length > MAX_LISTED && { more: names.length - MAX_LISTED }) }
}

async function uploadFile({ path }) {
  const real = await allow(path)
  const found = await stat(real)
  if (!found.isFile()) throw new Error(`${path} is no file; list_local_files shows what a folder has.`)
  const { size } = found
  const ext = extname(real).slice(1, 13)
  const opened = await callService('/v1/cputools/upload-url', ext === '' ? {} : { ext })
  if (size > opened.maxBytes) throw new Error(`The file has ${size} bytes; at most ${opened.maxBytes} are taken.`)
  const form = new FormData()
  for (const [name, value] of Object.entries(opened.fields)) form.set(name, value)
  // A file that changes while it is sent piece by piece would end this program.
  form.set('file', new Blob([await readFile(real)]), basename(real))
  const sent = await reach(opened.url, { method: 'POST', body: form })
  if (!sent.ok) throw new Error(`The upload was refused with ${sent.status}: ${(await sent.text()).slice(0, 500)}`)
  return { inputKey: opened.inputKey, name: basename(real), sizeBytes: size, keptUntil: opened.inputExpiresAt }
}

async function callService(path, body) {
  const headers = { 'content-type': 'application/json', ...authorization }
  const response = await reach(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = parse(await response.text())
  if (response.ok && answer) return answer
  const needsKey = key === undefined && (response.status === 401 || response.status === 402)
  const advice = needsKey ? ' Enter an API key in the settings of this extension.' : ''
  throw new Error(`${answer?.error ?? `The service answered ${response.status}.`}${advice}`)
}

async function saveFile({ url: source, path, overwrite = false }) {
  if (!URL.canParse(source) || !origins.has(new URL(source).origin))
    throw new Error(`Only files of ${[...origins].join(', ')} are saved.`)
  if (typeof path !== 'string' || path === '') throw new Error('Give a path.')
  const [first] = await listAllowed()
  const wanted = resolve(first ?? '.', path)
  const to = join(await allow(dirname(wanted)), basename(wanted))
  const response = await reach(source, { redirect: 'error' })
  if (!response.ok) throw new Error(`The file cannot be read: the service answered ${response.status}.`)
  // Written beside a file that it replaces: that one stays if the download fails, and a link that stands there is not followed.
  const draft = overwrite ? `${to}.${randomUUID()}.part` : to
  const file = await open(draft, 'wx').catch(error => {
    throw error.code === 'EEXIST' ? new Error(`${to} is there already; overwrite: true replaces it.`) : error
  })
  try {
    await file.writeFile(response.body)
    const { size } = await file.stat()
    if (overwrite) await rename(draft, to)
    return { path: to, sizeBytes: size }
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    throw error
  } finally {
    await file.close()
  }
}

createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY }).on('line', line => {
  if (line.trim() !== '') void take(line)
})
