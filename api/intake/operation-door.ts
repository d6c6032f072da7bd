import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CallOptions, formatUsd, INLINE_FILE_BYTES, PRICE_CEILING, Problem } from '#kit'
import type { Refusal } from '../../sql/call.ts'
import { readObject } from '../../sql/object.ts'
import type { NamedOperation } from '../../tasks/index.ts'
import type { Floor } from '../floor.ts'
import type { Caller } from './authenticate.ts'
import { discardUploads, type Received, receiveBody } from './body.ts'
import { type FileRoom, stageFiles } from './files.ts'
import { idempotencyKeyOf } from './idempotency.ts'
import { type Preference, preferenceOf } from './prefer.ts'
import { holdOf } from './price.ts'
import { replyQuote, replyRefusal } from './reply.ts'
import { runInstant } from './run-instant.ts'
import { type Submission, submit } from './submit.ts'
import { validate } from './validate.ts'
import {
  carriesPayment,
  isPaidFloor,
  keyOf,
  meet,
  meetPrice,
  nobody,
  offered,
  type PaidFloor,
  told,
} from './x402/stranger.ts'

interface Flags extends CallOptions {
  async?: boolean
  dryRun?: boolean
}

/** What the headers of a call ask for. */
interface Wishes {
  preference: Preference
  key: string | undefined
  mayBeInstant: boolean
}

/** The way of every paid call, from what is cheap to check to what is dear; nothing is held before all of it is known. */
export function operationDoor(floor: Floor, operation: NamedOperation) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (isPaidFloor(floor) && (request.caller === undefined || carriesPayment(request)))
      return paidDoor(floor, operation, request, reply)
    const wishes = wishesOf(floor, operation, request)
    floor.availability.require(operation)
    if (request.caller === undefined && request.body instanceof Readable) throw unpaid(operation)
    const received = await receive(floor, operation, wishes, request)
    let isQueued = false
    try {
      if (request.caller === undefined) throw unpaid(operation)
      const submission = await prepare(floor, operation, { caller: request.caller, wishes, received, request })
      const way = wayOf(floor, submission, wishes)
      isQueued = way === submit
      return await way(floor, submission, request, reply)
    } finally {
      if (!isQueued) await discardUploads(received.uploads.values(), floor.store)
    }
  }
}

/** The same way for who comes without a key: the payment, or the offer of one, stands between price and run. */
async function paidDoor(
  floor: PaidFloor,
  operation: NamedOperation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const asked = wishesOf(floor, operation, request)
  floor.availability.require(operation)
  const stranger = await meet(floor, request, reply)
  request.caller = stranger.caller
  if (!stranger.caller && (request.body === undefined || request.body === null)) throw offered(operation)
  const wishes = { ...asked, key: keyOf(asked.key, stranger) }
  const received = await receive(floor, operation, wishes, request)
  let isQueued = false
  let submission: Submission | undefined
  try {
    const caller = stranger.caller ?? nobody(received.body)
    submission = await prepare(floor, operation, { caller, wishes, received, request })
    const refusal: Refusal | undefined = await meetPrice(floor, submission, stranger, request)
    if (refusal) {
      await submission.staged.discard()
      return await replyRefusal(floor, submission, refusal, submission.hold.amountMicros, request, reply)
    }
    const way = wayOf(floor, submission, wishes)
    isQueued = way === submit
    return await way(floor, submission, request, reply)
  } catch (error) {
    throw told(error, reply, floor.payments)
  } finally {
    await submission?.funding?.keepCredit()
    if (!isQueued) await submission?.staged.discard()
    if (!isQueued) await discardUploads(received.uploads.values(), floor.store)
  }
}

/** A price that is known is quoted, what is small and pure runs at once, all else takes the queue. */
function wayOf(floor: Floor, submission: Submission, { mayBeInstant }: Wishes): typeof submit {
  if (submission.isDryRun && submission.hold.isExact) return replyQuote
  return mayBeInstant && fitsHere(floor, submission) ? runInstant : submit
}

function wishesOf({ settings }: Floor, operation: NamedOperation, { headers }: FastifyRequest): Wishes {
  const preference = preferenceOf(headers.prefer)
  const isQueued = operation.uses.length > 0 || operation.wait === 'ticket' || preference.isAsync
  const mayBeInstant = !isQueued && !settings.get('instant.off').includes(operation.name)
  return { preference, key: idempotencyKeyOf(headers['idempotency-key']), mayBeInstant }
}

function receive(
  { settings, store }: Floor,
  operation: NamedOperation,
  wishes: Wishes,
  request: FastifyRequest,
): Promise<Received> {
  return receiveBody(request, operation.input, {
    store,
    maxBytes: settings.get('cputools.io.max_storage_ref_bytes'),
    memoryBytes: wishes.mayBeInstant ? settings.get('instant.max_input_bytes') : INLINE_FILE_BYTES,
    check: body => validate(operation.input, body),
  })
}

/** Everything about a call that can be known before it runs. */
async function prepare(
  floor: Floor,
  operation: NamedOperation,
  asked: { caller: Caller; wishes: Wishes; received: Received; request: FastifyRequest },
): Promise<Submission> {
  const { caller, wishes, received, request } = asked
  const { preference, key } = wishes
  const { flags, fields } = takeFlags(received.body as Record<string, unknown>)
  const staged = await stageFiles(operation.input, fields, roomOf(floor, caller, received))
  const isAsked = flags.async ?? (preference.isAsync && preference.waitSeconds === undefined)
  return {
    operation,
    caller,
    staged,
    inputBytes: inputBytesOf(request, received, staged.totalBytes),
    hold: holdOf(operation, staged.input, floor.settings),
    options: { filename: flags.filename, inlineOutput: flags.inlineOutput },
    isDryRun: flags.dryRun ?? false,
    isAsync: operation.wait === 'ticket' || isAsked,
    waitSeconds: preference.waitSeconds ?? floor.settings.get('api.wait_seconds'),
    idempotency: key === undefined ? undefined : { key, fingerprint: received.fingerprint! },
    fingerprint: received.fingerprint,
  }
}

function fitsHere({ settings }: Floor, { isAsync, isDryRun, inputBytes, staged }: Submission): boolean {
  return !isAsync && !isDryRun && inputBytes <= settings.get('instant.max_input_bytes') && staged.isInMemory
}

function roomOf({ db, settings, store }: Floor, { accountId }: Caller, { uploads }: Received): FileRoom {
  return {
    store,
    accountId,
    uploads,
    readObject: key => readObject(db, accountId, key),
    maxInlineBytes: settings.get('cputools.io.max_inline_bytes'),
    maxBytes: settings.get('cputools.io.max_storage_ref_bytes'),
  }
}

/** How much there is to read: files by their own size, and the rest of a JSON body as it came. */
function inputBytesOf(request: FastifyRequest, { uploads, body }: Received, fileBytes: number): number {
  if (uploads.size > 0) return fileBytes
  const declared = Number(request.headers['content-length'])
  const jsonBytes = Number.isSafeInteger(declared) ? declared : Buffer.byteLength(JSON.stringify(body))
  return Math.max(fileBytes, jsonBytes - Math.ceil(fileBytes / 3) * 4 + fileBytes)
}

/** No credentials and no payment: the challenge names what the call may cost. */
function unpaid(operation: NamedOperation): Problem {
  const { price } = operation
  return new Problem('PAYMENT_REQUIRED', {
    serviceKey: operation.name,
    unit: price.unit,
    unitMicros: price.rateMicros.toString(),
    ceilingMicros: PRICE_CEILING.toString(),
    ceilingUsd: formatUsd(PRICE_CEILING),
    howToPay: 'Send an API key of a prepaid account as Authorization: Bearer.',
  })
}

/** Splits what the door reads from what the operation does. */
function takeFlags(body: Record<string, unknown>): { flags: Flags; fields: Record<string, unknown> } {
  const { async, dryRun, ...rest } = body as Flags & Record<string, unknown>
  const { filename, inlineOutput, ...fields } = rest
  return { flags: { async, dryRun, filename, inlineOutput }, fields }
}
