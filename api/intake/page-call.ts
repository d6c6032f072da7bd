import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { recordUpload } from '../../sql/object.ts'
import type { ApiContext } from '../context.ts'
import type { IncomingCall } from '../incoming-call.ts'
import { billableRoute, isPriced } from './billable.ts'
import { performCall } from './call-handler.ts'
import type { Caller } from './identity/caller.ts'
import { toCall } from './identity/identify.ts'
import type { Answer } from './reply/answer.ts'
import type { AnsweredCall } from './reply/send.ts'
import type { AnswerSink } from './reply/sink.ts'

interface PageCall {
  caller: Caller
  body: object
  /** What is called, as it stands in the catalogue. */
  entry: string
  isOperation?: boolean
  /** Sent twice, a form is one call. */
  idempotencyKey?: string
}

/** The request that the customer would send, for whom a page sends it. */
export function buildPageCall(request: FastifyRequest, call: PageCall): IncomingCall {
  const { caller, body, entry, isOperation = false, idempotencyKey } = call
  const text = JSON.stringify(body)
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  }
  const routeOptions = { config: { entry, isOperation } }
  return Object.freeze({ ...toCall(request), method: 'POST', headers, body, caller, payment: undefined, routeOptions })
}

/** Makes a call of a priced route by the pipeline of every call, and returns its result. */
export async function callPricedRoute(
  context: ApiContext,
  { request, reply }: { request: FastifyRequest; reply: AnswerSink },
  at: string,
  call: Omit<PageCall, 'entry'>,
): Promise<unknown> {
  const route = context.catalog.routes.find(one => one.at === at)
  if (!route || !isPriced(route)) throw new Error(`${at} is no priced route`)
  const sent = buildPageCall(request, { ...call, entry: route.name })
  return performCall(context, billableRoute(route), { request: sent, reply }, readResult)
}

function readResult(_context: ApiContext, _call: AnsweredCall, answer: Answer): Promise<unknown> {
  if (answer.kind === 'result') return Promise.resolve(answer.result)
  throw new Error(`a call of a page was answered with a ${answer.kind}`)
}

export interface SentFile {
  bytes: Buffer
  name: string
  type: string
}

/** Stores a file of a form as an upload of the account; returns its `inputKey`. */
export async function keepSentFile(
  { db, store, settings }: ApiContext,
  accountId: string,
  { bytes, name, type: contentType }: SentFile,
): Promise<string> {
  const key = `scratch/${accountId}/${randomUUID()}`
  await recordUpload(db, { key, accountId, contentType, name, hours: settings.get('cputools.scratch_hours') })
  await store.put(key, Readable.from([bytes]), { contentType, maxBytes: bytes.length })
  return key
}
