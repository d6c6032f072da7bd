import { type Entry, formatUsd, ID_PREFIX, PRICE_CEILING, PRICE_FLOOR } from '#kit'
import { fileFieldsOf } from '../intake/body/file-fields.ts'
import { isPaid, type SurfaceOptions } from './entries.ts'

interface Rule {
  title: string
  text: string
}

/** Explains to a first-time reader how to call the service: one paragraph per rule, and only rules that apply here. */
export function buildGuide(entries: readonly Entry[], options: SurfaceOptions): Rule[] {
  const hasRoute = (path: string) => entries.some(entry => entry.path.startsWith(path))
  const hasPrices = entries.some(isPaid)
  const acceptsX402 = entries.some(({ auth }) => auth.includes('x402'))
  const takesFiles = entries.some(({ body }) => body && fileFieldsOf(body).size > 0)
  const rules: [string, string | false][] = [
    ['Address', `Base URL: ${options.publicUrl}. Send JSON. An unknown field is refused, never ignored.`],
    ['Key', KEY],
    ['Price', hasPrices && MONEY],
    ['Payment', acceptsX402 ? X402 : hasPrices && describeBalance(options.publicUrl)],
    ['Price first', hasPrices && DRY_RUN],
    ['Retries', hasPrices && IDEMPOTENCY],
    ['Files sent', takesFiles && describeFileSources(hasRoute('/v1/cputools/upload-url'), options.canFetch)],
    ['Files returned', entries.some(({ kind }) => kind === 'operation') && describeOutputs(hasRoute('/v1/outputs'))],
    ['Long calls', hasRoute('/v1/jobs') && TICKETS],
    ['Errors', ERRORS],
    ['What works here', hasRoute('/v1/capabilities') && CAPABILITIES],
  ]
  return rules.flatMap(([title, text]) => (text === false ? [] : [{ title, text }]))
}

const KEY = `Authenticate with \`Authorization: Bearer <key>\`; a key is \`${ID_PREFIX}_live_\` followed by 32 hexadecimal digits.`

const MONEY = `A call costs ${formatUsd(PRICE_FLOOR)} to ${formatUsd(PRICE_CEILING)} USD. The price is held before the call runs; only what was used is charged, the rest is released, and a failed call is free. Amounts are in micros, which are millionths of a US dollar. The header \`X-Service-Charged-Micros\` has what a request was charged. A call with \`X-Max-Price-Micros\` is refused with 403 \`PRICE_ABOVE_LIMIT\` and its price if it may cost more.`

function describeBalance(publicUrl: string): string {
  return `This service takes no payment with a call: it does not speak x402, and \`accepts\` of its 402 is empty. Without a key, a priced call returns 402 \`PAYMENT_REQUIRED\` with the amount it may cost: a person opens an account at ${publicUrl}/sign-in and makes a key at ${publicUrl}/dashboard/keys; send it with the same request. If the balance does not cover the price, it returns 402 \`INSUFFICIENT_BALANCE\` with the price and the balance: add funds at ${publicUrl}/dashboard/billing and send the same request again. Retrying without either ends in the same 402.`
}

const X402 =
  'Without a key, pay by x402 version 2: the first response is 402 with the header `PAYMENT-REQUIRED` (base64 JSON, with one entry in `accepts` per asset). Sign one entry as an EIP-3009 authorization and send the same request again with the header `PAYMENT-SIGNATURE` (version 1 clients: `X-PAYMENT`). The receipt is in the header `PAYMENT-RESPONSE`. An answer that is streamed begins with what is held there, and ends with what was charged, in the comment `: payment-response <base64>`. Each call needs its own payment. By default, clients refuse to pay more than 1 USD (version 2) or 0.10 USD (version 1) per call; raise that limit if a price is above it.'

const DRY_RUN =
  'A priced call with `dryRun: true` does all checks and returns the price, `expected` and `atMost`. Nothing runs and nothing is charged.'

const IDEMPOTENCY =
  'Send an `Idempotency-Key` (1 to 255 visible ASCII characters) with every call that may be sent twice. For 24 hours, the same key with the same request returns the first response again, marked `Idempotency-Replayed: true`, without a second charge: `X-Service-Charged-Micros` is then 0, and `X-Service-Original-Charged-Micros` has what the first call was charged. The same key with another request returns 409 `IDEMPOTENCY_CONFLICT`, and while the first call still runs, 409 `IDEMPOTENCY_IN_FLIGHT`. Failures are not stored.'

function describeFileSources(hasUpload: boolean, canFetch = false): string {
  const uploadHint = hasUpload
    ? 'upload it first: POST /v1/cputools/upload-url returns an address, form fields and an `inputKey`'
    : 'use the `outputKey` of an earlier call'
  const address = canFetch ? ', `url` (a public http or https address)' : ''
  return `A file is given as a source, an object with exactly one of \`inline\` (base64, at most 4 MiB decoded), \`text\` (UTF-8)${address}, \`inputKey\` or \`batonId\` (a baton or its token). For a larger file, up to 50 MiB, ${uploadHint}. The \`outputKey\` of one call can be the \`inputKey\` of the next. An operation with a field \`file\` also takes the raw bytes as the body, with its options as query parameters; every operation with files also takes multipart/form-data, with one part per file and the other fields as JSON in the part \`options\`. The type of a file is detected from its content, never from its name.`
}

function describeOutputs(hasOutputs: boolean): string {
  const freshAddressHint = hasOutputs ? '; for 24 hours, GET /v1/outputs/{outputKey} returns a new address' : ''
  return `An output file is returned as \`output: { inline?, outputKey?, outputUrl?, sizeBytes, contentType }\`: as base64 in \`inline\` if that is at most 4 MiB, otherwise by key and address${freshAddressHint}. With \`Accept: application/octet-stream\`, the response is the bytes alone, with the other fields as JSON in the header \`X-Service-Result\`. \`deliver\` also puts it into a baton.`
}

const TICKETS =
  'A call that takes longer than the wait (25 seconds, or up to 60 with `Prefer: wait=N`) returns 202 `{ ticket, status, ceiling_micros }`, where the ceiling is the most that it will be charged, and continues in the background; with `Prefer: respond-async` or `async: true` it does so at once. GET /v1/jobs/{ticket}?wait=N waits for the result. A job ends as `succeeded`, `failed` or `expired`; DELETE /v1/jobs/{ticket} cancels it.'

const ERRORS =
  'An error is `{ error, code }` with hints that depend on the code. 400 and 422 mean that the same request will fail again, 409 that it conflicts with the current state, 429 and 503 that it may work after `Retry-After` seconds, and 500 that the fault is ours and one more try may work.'

const CAPABILITIES =
  'GET /v1/capabilities lists the operations that can run on this service, and GET /v1/prices the price of each; both are free.'
