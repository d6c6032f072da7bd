import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ClientCall } from '../../../api/surfaces/sdk/calls.ts'
import { Client } from '../../../api/surfaces/sdk/typescript/client.ts'
import { python } from '../../support/clients/python.ts'

interface Seen {
  method: string
  url: string
  key: string | undefined
  body: string
}

type Step = 'drop' | 'hang' | 'cut' | { status: number; code?: string; retryAfter?: string; body?: object }

const seen: Seen[] = []
let steps: Step[] = []
const server = createServer((request, response) => void answer(request, response))

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  seen.push({
    method: request.method!,
    url: request.url!,
    key: request.headers['idempotency-key'] as string | undefined,
    body,
  })
  const step = steps.shift() ?? { status: 200 }
  if (step === 'drop') return void request.socket.destroy()
  if (step === 'hang') return
  if (step === 'cut') {
    response.writeHead(200, { 'content-length': '10' }).write('half', () => request.socket.destroy())
    return
  }
  const { status, code, retryAfter, body: answered = { done: true } } = step
  const headers = { 'content-type': 'application/json', ...(retryAfter && { 'retry-after': retryAfter }) }
  response.writeHead(status, headers).end(JSON.stringify(code ? { error: 'No.', code } : answered))
}

let url: string
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const declare = (name: string, facts: Partial<ClientCall>): ClientCall => ({
  name,
  family: 'made',
  method: 'POST',
  path: `/v1/${name}`,
  summary: '',
  isOperation: true,
  auth: ['key'],
  inPath: [],
  inQuery: [],
  inHeaders: {},
  body: 'fields',
  files: [],
  named: [],
  isPaid: false,
  isKeyed: false,
  quote: 'none',
  ...facts,
})

interface MadeClient {
  made: Record<'paid' | 'free' | 'read', (input?: object, options?: object) => Promise<unknown>>
}

/** Makes the call and returns what the server has seen of it. */
async function attempt(name: keyof MadeClient['made'], planned: Step[], options: object = {}) {
  const calls = [
    declare('made.paid', { isPaid: true, isKeyed: true }),
    declare('made.free', {}),
    declare('made.read', { method: 'GET', body: 'none' }),
  ]
  const client = new Client({ url, maxInlineBytes: 100, assets: [], calls }, { key: 'k' }) as never as MadeClient
  seen.length = 0
  steps = planned
  const outcome = await client.made[name]({}, options).catch((error: { code: string }) => error.code)
  return { outcome, tries: seen.length, keys: new Set(seen.map(({ key }) => key)) }
}

const DONE = { done: true }
const BUSY: Step = { status: 503, code: 'BUSY', retryAfter: '0' }

test.each([
  ['a lost connection, of a paid call', 'paid', ['drop'], DONE, 2],
  ['a lost connection, of a reading one', 'read', ['drop'], DONE, 2],
  ['a lost connection, of any other, because it may have been done', 'free', ['drop'], 'CONNECTION_FAILED', 1],
  ['what failed, of a paid call', 'paid', [{ status: 500, code: 'INTERNAL' }], DONE, 2],
  [
    'what was refused before it was done',
    'free',
    [BUSY, { status: 429, code: 'RATE_LIMITED', retryAfter: '0' }],
    DONE,
    3,
  ],
  ['a call that still runs', 'paid', [{ status: 409, code: 'IDEMPOTENCY_IN_FLIGHT', retryAfter: '0' }], DONE, 2],
  ['no more than twice', 'paid', [BUSY, BUSY, BUSY], 'BUSY', 3],
  [
    'not what lacks a provider',
    'paid',
    [{ status: 503, code: 'PROVIDER_NOT_CONFIGURED' }],
    'PROVIDER_NOT_CONFIGURED',
    1,
  ],
  ['what a proxy finds unavailable, of a paid call', 'paid', [{ status: 503, body: {} }], DONE, 2],
  ['what a proxy finds unavailable, of any other', 'free', [{ status: 503, body: {} }], 'HTTP_503', 1],
  ['not what fails again', 'paid', [{ status: 422, code: 'BAD_RANGE' }], 'BAD_RANGE', 1],
  ['not after a long time', 'paid', [{ status: 429, code: 'RATE_LIMITED', retryAfter: '3600' }], 'RATE_LIMITED', 1],
] as const)('repeats %s', async (_, name, planned, outcome, tries) => {
  const { keys, ...found } = await attempt(name, [...planned])
  expect(found).toEqual({ outcome, tries })
  expect([keys.size, keys.has(undefined)]).toEqual([1, name !== 'paid'])
})

test('a call that got too little time is late, whatever its repeats are told', async () => {
  const inFlight: Step = { status: 409, code: 'IDEMPOTENCY_IN_FLIGHT', retryAfter: '0' }
  const late = await attempt('paid', ['hang', inFlight, inFlight], { timeoutMs: 2000 })
  expect([late.outcome, late.tries, late.keys.size]).toEqual(['CONNECTION_FAILED', 3, 1])
  expect((await attempt('paid', ['hang', inFlight], { timeoutMs: 2000 })).outcome).toEqual(DONE)
  expect((await attempt('paid', [inFlight, inFlight, inFlight])).outcome).toBe('IDEMPOTENCY_IN_FLIGHT')
})

test('a caller gives the key, the number of tries, and ends them', async () => {
  const { keys } = await attempt('paid', [], { idempotencyKey: 'mine' })
  expect([...keys]).toEqual(['mine'])
  expect((await attempt('paid', [BUSY], { maxRetries: 0 })).outcome).toBe('BUSY')
  const ended = attempt('paid', ['drop'], { signal: AbortSignal.abort(new Error('enough')) })
  expect((await ended).tries).toBe(0)
})

test('a ticket is asked for no longer than a try may take', async () => {
  const client = new Client({ url, maxInlineBytes: 100, assets: [], calls: [] }, { key: 'k', timeoutMs: 10_000 })
  const ended = { status: 'succeeded', result: 1 }
  for (const [options, path] of [
    [{}, '/v1/jobs/t?wait=5'],
    [{ timeoutMs: 3_000 }, '/v1/jobs/t?wait=1.5'],
    [{ timeoutMs: 100_000 }, '/v1/jobs/t?wait=25'],
    [{ timeoutMs: 100_000, onProgress: () => undefined }, '/v1/jobs/t?wait=2'],
  ] as const) {
    steps = [{ status: 200, body: ended }]
    expect(await client.ticket('t').wait(options)).toBe(1)
    expect(seen.at(-1)!.url).toBe(path)
  }
  const asked = await python(
    `
from coinop.options import CallOptions
from coinop.tickets import Ticket
asked = []
def ask(method, path, options):
    asked.append(path)
    return {"status": "succeeded", "result": 1}
for timeout in (None, 3, 100):
    Ticket("t", ask, 10, 0).wait(CallOptions(timeout=timeout))
print(json.dumps(asked))`,
    {},
  )
  expect(asked).toEqual(['/v1/jobs/t?wait=5', '/v1/jobs/t?wait=1.5', '/v1/jobs/t?wait=25'])
})

test('a paid call without an answer tells the key by which a further try is charged once', async () => {
  const calls = [declare('made.paid', { isPaid: true, isKeyed: true })]
  const client = new Client({ url, maxInlineBytes: 100, assets: [], calls }, { key: 'k' }) as never as MadeClient
  steps = ['drop', 'drop', 'drop']
  const failed = await client.made.paid().catch((error: { hints: object }) => error.hints)
  expect(failed).toEqual({ idempotencyKey: seen.at(-1)!.key })
})

const FORM = { fields: { key: 'scratch/a' }, inputKey: 'scratch/a', maxBytes: 100 }
/** Forms that are asked for and files that are sent, of which the first three break off. */
const planUploads = (): Step[] => {
  const form: Step = { status: 200, body: { ...FORM, url: `${url}/objects` } }
  return [form, 'drop', form, { status: 503, retryAfter: '0' }, form]
}
const planDownloads = (): Step[] => ['cut', 'drop', { status: 200 }]
const listUrls = () => seen.splice(0).map(one => `${one.method} ${one.url}`)
const ASKED = 'POST /v1/cputools/upload-url'
const SENT = 'POST /objects'

test('an upload and a download that break off are begun again, and a ticket outlasts a start of the service', async () => {
  const client = new Client({ url, maxInlineBytes: 100, assets: [], calls: [] }, { key: 'k' })
  seen.length = 0
  steps = planUploads()
  const done: number[] = []
  const file = new Blob(['hello'])
  expect(await client.upload(file, { onProgress: progress => void done.push(progress.done) })).toBe('scratch/a')
  expect(listUrls()).toEqual([ASKED, SENT, ASKED, SENT, ASKED, SENT])
  expect(done.at(-1)).toBe(5)
  steps = planUploads()
  await expect(client.upload(file, { maxRetries: 0 })).rejects.toMatchObject({ code: 'CONNECTION_FAILED' })
  seen.length = 0
  const output = { outputUrl: `${url}/file`, outputKey: 'scratch/b', sizeBytes: 13, contentType: 'text/plain' }
  steps = planDownloads()
  expect(JSON.parse(new TextDecoder().decode(await client.download(output)))).toEqual(DONE)
  expect(listUrls()).toEqual(['GET /file', 'GET /file', 'GET /file'])
  steps = ['drop', { status: 503, body: {} }, 'drop', { status: 200, body: { status: 'succeeded', result: 1 } }]
  expect(await client.ticket('t').wait()).toBe(1)
})

test('so is it in Python', async () => {
  seen.length = 0
  steps = [
    ...planUploads(),
    { status: 200 },
    ...planDownloads(),
    ...([
      'drop',
      { status: 503, body: {} },
      'drop',
      { status: 200, body: { status: 'succeeded', result: 1 } },
    ] as const),
    ...(['drop', 'drop', 'drop'] as const),
  ]
  const found = await python(
    `
import importlib.resources
installation = {"url": given["url"], "assets": [], "calls": [], "maxInlineBytes": 100}
catalog = types.SimpleNamespace(read_text=lambda _encoding: json.dumps(installation))
importlib.resources.files = lambda _name: types.SimpleNamespace(joinpath=lambda _file: catalog)
import coinop.client
client = coinop.client.Coinop(key="k")
uploaded = client.upload(b"hello")
loaded = client.download({"outputUrl": given["url"] + "/file", "outputKey": "scratch/b"}).decode()
waited = client.ticket("t").wait()
try:
    coinop.client.send(coinop.client.Request("POST", given["url"] + "/paid", {"idempotency-key": "mine"}), client._transport, 9, 2, True)
except coinop.client.CoinopError as error:
    hints = error.hints
print(json.dumps([uploaded, loaded, waited, hints]))`,
    { url },
  )
  expect(found).toEqual(['scratch/a', JSON.stringify(DONE), 1, { idempotencyKey: 'mine' }])
  expect(listUrls().slice(0, 9)).toEqual([ASKED, SENT, ASKED, SENT, ASKED, SENT, ...Array(3).fill('GET /file')])
})
