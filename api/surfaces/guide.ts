import { type Entry, formatUsd, PREFIX, PRICE_CEILING, PRICE_FLOOR } from '#kit'
import { fileFieldsOf } from '../intake/file-fields.ts'
import { isPaid, type SurfaceOptions } from './surface.ts'

/** How to call the service, for whoever has never seen it: a paragraph a rule, only rules that hold here. */
export function guide(entries: readonly Entry[], options: SurfaceOptions): string[] {
  const has = (path: string) => entries.some(entry => entry.path.startsWith(path))
  const paragraphs = [
    `Base URL: ${options.publicUrl}. Send JSON; a field that is not known is refused, never ignored.`,
    `Identify yourself with \`Authorization: Bearer <key>\`; a key looks like \`${PREFIX}_live_\` and 32 hexadecimal digits.`,
    entries.some(isPaid) && MONEY,
    entries.some(({ auth }) => auth.includes('x402')) ? X402 : entries.some(isPaid) && SHORT_BALANCE,
    entries.some(isPaid) && DRY_RUN,
    entries.some(isPaid) && IDEMPOTENCY,
    entries.some(({ body }) => body && fileFieldsOf(body).size > 0) && fileSources(has('/v1/cputools/upload-url')),
    entries.some(({ kind }) => kind === 'operation') && outputs(has('/v1/outputs')),
    has('/v1/jobs') && TICKETS,
    ERRORS,
    has('/v1/capabilities') && CAPABILITIES,
  ]
  return paragraphs.filter(paragraph => typeof paragraph === 'string')
}

const MONEY = `A call costs ${formatUsd(PRICE_FLOOR)} to ${formatUsd(PRICE_CEILING)} USD. The price is held before the run; only what was used is charged, the rest is released, and every failure is free. Amounts are in micros, millionths of a US dollar. The header \`X-Service-Charged-Micros\` says what a call cost.`

const SHORT_BALANCE =
  'Without a key a priced call answers 402 `PAYMENT_REQUIRED` with what it may cost; a balance that does not cover the price answers 402 `INSUFFICIENT_BALANCE` with the price and the balance. Top up and send the same request again.'

const X402 =
  'Without a key, pay by x402 version 2: the first answer is 402 with the header `PAYMENT-REQUIRED` (base64 JSON, one entry of `accepts` an asset); sign one entry as an EIP-3009 authorization and send the same request again with the header `PAYMENT-SIGNATURE` (version 1 clients: `X-PAYMENT`). The receipt is in the header `PAYMENT-RESPONSE`. One call is one payment. Clients refuse by default to pay more than 1 USD (version 2) or 0.10 USD (version 1) a call; raise their cap where a price is above it.'

const DRY_RUN =
  '`dryRun: true` on a priced call does all checks and answers with the price; nothing runs, nothing is charged.'

const IDEMPOTENCY =
  'Send an `Idempotency-Key` (1 to 255 visible ASCII characters) with every call that may be sent twice. For 24 hours the same key with the same request gives the first answer again, marked `Idempotency-Replayed: true`, without a second charge; with another request it is 409 `IDEMPOTENCY_CONFLICT`; while the first still runs it is 409 `IDEMPOTENCY_IN_FLIGHT`. Failures are not stored.'

function fileSources(hasUpload: boolean): string {
  const upload = hasUpload
    ? 'upload it first: POST /v1/cputools/upload-url answers with an address, form fields and an `inputKey`'
    : 'use the `outputKey` of an earlier call'
  return `A file is given as a source, an object with exactly one of \`inline\` (base64, at most 4 MiB decoded), \`text\` (UTF-8) or \`inputKey\`. For a larger file, up to 50 MiB, ${upload}. An \`outputKey\` of one call is a good \`inputKey\` of the next. An operation with a field \`file\` also takes the raw bytes as the body, with its options as query parameters; every operation with files takes multipart/form-data, a part for each file and its other fields as JSON in the part \`options\`. What counts is the real type of the content, never its name.`
}

function outputs(hasOutputs: boolean): string {
  const later = hasOutputs ? '; GET /v1/outputs/{outputKey} gives a fresh address for 24 hours' : ''
  return `An output file comes as \`output: { inline?, outputKey?, outputUrl?, sizeBytes, contentType }\`: base64 inline when that is at most 4 MiB, otherwise by key and address${later}. \`Accept: application/octet-stream\` answers with the bytes alone, and with the other fields as JSON in the header \`X-Service-Result\`.`
}

const TICKETS =
  'A call that takes longer than the wait (25 seconds, or `Prefer: wait=N` up to 60) answers 202 `{ ticket, status, ceiling_micros }` and runs on; `Prefer: respond-async` or `async: true` does so at once. GET /v1/jobs/{ticket}?wait=N waits for the result. A job ends `succeeded`, `failed` or `expired`; DELETE /v1/jobs/{ticket} cancels it.'

const ERRORS =
  'A refusal is `{ error, code }` with hints that depend on the code. 400 and 422 say that the same request fails the same way, 409 that something is in its way, 429 and 503 that it may work after `Retry-After` seconds, 500 that it is our fault and one more try may work.'

const CAPABILITIES =
  'GET /v1/capabilities says which operations can run on this service, GET /v1/prices what each costs; both are free.'
