import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import type { Facilitator } from '#kit'
import type { Pools } from '../../../pools/index.ts'
import { openListener, rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { sharedPools } from '../../support/pools/open.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'

const run = promisify(execFile)

export const LETTER = async () => ({ inline: (await readFile('tasks/samples/letter.pdf')).toString('base64') })

export const SIGNATURE = { type: 'signature', page: 1, x: 10, y: 80 }

const EVENTS = [
  ...['sent', 'viewed', 'signed', 'completed', 'rejected', 'expired', 'cancelled'].map(name => `envelope.${name}`),
]

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  body: any
}

export interface EnvelopeReply {
  id: string
  status: string
  recipients: { id: string; name: string; status: string; signingUrl?: string }[]
  fields: { id: string; type: string; value: unknown }[]
  [name: string]: unknown
}

export interface EnvelopeApi extends AsyncDisposable {
  api: InProcessApi
  pools: Pools
  /** Runs the steps that are due, as a worker does. */
  work(): Promise<void>
  /** Runs them until the promise is settled. */
  withWorker<Result>(promise: Promise<Result>): Promise<Result>
}

/** The api in this process, with a worker that works when it is told. */
export async function openEnvelopeApi(
  env: Record<string, string> = {},
  facilitator?: Facilitator,
): Promise<EnvelopeApi> {
  const opening = openInProcessApi({ WEBHOOK_NETWORKS: '127.0.0.0/8', ...env }, facilitator)
  const [api, pools] = await Promise.all([opening, sharedPools()])
  const { config, longPolls, documentWaits } = api.context
  const isListening = Promise.withResolvers<void>()
  const channels = {
    long_polls: (key: string) => longPolls.wake(key),
    envelope_documents: (key: string) => documentWaits.wake(key),
  }
  const listener = openListener(config.databaseUrl!, 'test', channels, isListening.resolve)
  await isListening.promise
  const work = async () => {
    await runDueSteps({ ...api.context, pools })
    const failing = await rows(
      api.context.db,
      "select name, last_error from step.list(100) where state in ('failing', 'dead')",
    )
    if (failing.length > 0) throw new Error(JSON.stringify(failing))
  }
  const withWorker = async <Result>(promise: Promise<Result>) => {
    let isSettled = false
    const settled = promise.finally(() => {
      isSettled = true
    })
    settled.catch(() => undefined)
    while (!isSettled) await Promise.all([work(), new Promise(resolve => setTimeout(resolve, 50))])
    return settled
  }
  const close = async () => {
    await listener.close()
    expect(await checkInvariants(api.context.db)).toEqual([])
    await api[Symbol.asyncDispose]()
  }
  return { api, pools, work, withWorker, [Symbol.asyncDispose]: close }
}

/** An account that sends envelopes. */
export async function openSender({ api, withWorker }: EnvelopeApi, balanceMicros = 2_000_000n) {
  const owner = await openBatonOwner(api, balanceMicros)
  const call = async (method: Method, path: string, body?: object, headers: Record<string, string> = {}) => {
    const reply = await withWorker(owner.call(method as 'GET', path, body, headers))
    return describe(reply)
  }
  const hook = await owner.call('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/', events: EVENTS })
  const send = async (body: object) => {
    const answer = await call('POST', '/v1/esigndoc/envelopes', body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body as EnvelopeReply
  }
  const read = async (id: string) => (await call('GET', `/v1/esigndoc/envelopes/${id}`)).body as EnvelopeReply
  return { ...owner, call, send, read, events: () => listEvents(api, hook.json().id) }
}

function describe(reply: { statusCode: number; headers: object; body: string }): Answer {
  const isJson = reply.body.startsWith('{')
  return { status: reply.statusCode, body: isJson ? JSON.parse(reply.body) : reply.body }
}

async function listEvents({ context: { db } }: InProcessApi, webhook: string) {
  const found = await rows<{ id: string; event: string; payload: Record<string, unknown> }>(
    db,
    'select id, event, payload from svc.webhook_delivery where endpoint_id = $1 order by sequence',
    [webhook],
  )
  return found.map(({ event, payload }) => ({ event: event.slice('envelope.'.length), payload }))
}

export function tokenOf(envelope: EnvelopeReply, name: string): string {
  const { signingUrl } = envelope.recipients.find(one => one.name === name)!
  return new URL(signingUrl!).pathname.split('/').at(-1)!
}

/** A program that signs for a person, by their link. */
export function openSigner({ api, withWorker }: EnvelopeApi, token: string) {
  let session = ''
  const call = async (method: 'GET' | 'POST', path = '', payload?: object) => {
    const headers = session === '' ? {} : { 'x-signing-session': session }
    const url = `/v1/esigndoc/sign/${token}${path}`
    const answer = describe(await withWorker(api.app.inject({ method, url, headers, ...(payload && { payload }) })))
    session = answer.body.session ?? session
    return answer
  }
  const complete = (more: object = {}) =>
    call('POST', '/complete', { signature: { mode: 'type', data: 'Ida Example' }, consent: true, ...more })
  return { token, call, complete, look: () => call('GET'), open: () => call('POST', '/open') }
}

/** What poppler says of the signatures of a PDF, and of its text. */
export async function inspectPdf(bytes: Buffer): Promise<{ signatures: string; text: string }> {
  await using folder = await freshFolder()
  const path = join(folder.path, 'signed.pdf')
  await writeFile(path, bytes)
  const signatures = await run('pdfsig', ['-nocert', path]).catch(({ stdout }: { stdout: string }) => ({ stdout }))
  const text = await run('pdftotext', ['-layout', path, '-'])
  return { signatures: signatures.stdout, text: text.stdout }
}

/** Moves what is stored of the times of an envelope into the past. */
export async function age({ api }: EnvelopeApi, id: string, days: number): Promise<void> {
  const uuid = id.slice('env_'.length).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const { db } = api.context
  await rows(db, 'update svc.envelope set expires_at = expires_at - make_interval(days => $2) where id = $1', [
    uuid,
    days,
  ])
  await rows(
    db,
    `update svc.envelope_recipient set remind_at = remind_at - make_interval(days => $2),
      notified_at = notified_at - make_interval(days => $2) where envelope_id = $1`,
    [uuid, days],
  )
}
