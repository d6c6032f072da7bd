import { findMarkedValues, OUTPUT_RULE } from '#kit'
import { listSchemaErrors } from '../support/operations/run.ts'
import type { Call, Reply } from './ask.ts'
import { type Envelope, fetchOutput } from './outputs.ts'
import { readBack } from './readers.ts'

export interface Failure {
  kind: 'server fault' | 'no result' | 'charged' | 'undeclared' | 'schema mismatch' | 'unreadable'
  detail: string
}

export interface Verdict {
  failures: Failure[]
  /** The output is usable, but a reader printed a warning. */
  warnings: string[]
}

/** These return the customer's own bytes unchanged, so the bytes may be invalid. */
const RETURNS_INPUT = new Set(['archive.unzip', 'pdf.attachments', 'utils.base64'])

/** These copy the encoded pixels byte for byte, so damage in the input is still in the output. */
const COPIES_PIXELS = new Set(['image.exif-strip'])

/** Checks a reply; `declared` are the problem codes that the description of the call names. */
export async function judge(call: Call, reply: Reply, declared: ReadonlySet<string>): Promise<Verdict> {
  const failures = [...checkStatus(reply, declared), ...checkMoney(reply)]
  if (reply.status !== 200) return { failures, warnings: [] }
  const schemaErrors = listSchemaErrors(call.operation.output, structuredClone(reply.answer))
  if (schemaErrors.length > 0) failures.push({ kind: 'schema mismatch', detail: schemaErrors.slice(0, 3).join('; ') })
  const warnings: string[] = []
  for (const { value } of findMarkedValues(OUTPUT_RULE, call.operation.output, reply.answer)) {
    for (const envelope of [value].flat() as Envelope[]) {
      const outcome = await checkOutput(call, reply, envelope)
      if (outcome.error)
        failures.push({ kind: 'unreadable', detail: `${envelope.contentType}: ${outcome.error}`.slice(0, 600) })
      if (outcome.warning) warnings.push(outcome.warning)
    }
  }
  return { failures, warnings }
}

function checkStatus({ status, code, detail }: Reply, declared: ReadonlySet<string>): Failure[] {
  if (status === 0) return [{ kind: 'no result', detail: detail ?? '' }]
  if (status === 503 && code === 'PROVIDER_NOT_CONFIGURED') return []
  if (status >= 500) return [{ kind: 'server fault', detail: `${status} ${code}` }]
  if (status === 200 || declared.has(code ?? '')) return []
  return [{ kind: 'undeclared', detail: `${status} ${code}` }]
}

function checkMoney({ status, reportedMicros, paidMicros, heldMicros }: Reply): Failure[] {
  const failures: Failure[] = []
  const addChargeFailure = (detail: string) => failures.push({ kind: 'charged', detail })
  if (status !== 200 && paidMicros !== 0n) addChargeFailure(`${paidMicros} micros for a failed call`)
  if (status === 200 && paidMicros !== reportedMicros)
    addChargeFailure(`paid ${paidMicros} micros, reported ${reportedMicros}`)
  if (status !== 0 && heldMicros !== 0n) addChargeFailure(`${heldMicros} micros still on hold`)
  return failures
}

async function checkOutput(
  call: Call,
  { request, answer }: Reply,
  envelope: Envelope,
): Promise<{ error?: string; warning?: string }> {
  const { operation } = call
  const bytes = await fetchOutput(envelope)
  if (bytes === undefined) return { error: 'cannot be fetched' }
  if (bytes.length !== envelope.sizeBytes)
    return { error: `${bytes.length} bytes, the envelope says ${envelope.sizeBytes}` }
  if (RETURNS_INPUT.has(operation.name) || answer?.unchanged === true) return {}
  if (COPIES_PIXELS.has(operation.name) && (await isUnreadable(call, envelope.contentType))) return {}
  const password = (request.userPassword ?? request.ownerPassword ?? request.password) as string | undefined
  const { error, warning, frameSizes } = await readBack(bytes, envelope.contentType, password)
  if (error || !frameSizes) return { error, warning }
  return { error: compareDimensions(frameSizes, (answer as { image?: Image }).image, envelope.contentType), warning }
}

async function isUnreadable({ sample }: Call, contentType: string): Promise<boolean> {
  return (await readBack(Buffer.from(await sample.bytes()), contentType)).error !== undefined
}

interface Image {
  width: number
  height: number
  pages?: number
}

/** Compares the dimensions in the answer with those that an independent reader found. An icon has many images. */
function compareDimensions(
  frameSizes: readonly string[],
  image: Image | undefined,
  contentType: string,
): string | undefined {
  if (!image || contentType === 'image/x-icon') return undefined
  const claimedSize = `${image.width}x${image.height}`
  if (!frameSizes.includes(claimedSize)) return `the answer says ${claimedSize}, the file ${frameSizes[0]}`
  const pages = image.pages ?? 1
  return frameSizes.length === pages ? undefined : `the answer says ${pages} frames, the file ${frameSizes.length}`
}
