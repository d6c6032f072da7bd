import { markedPlaces, OUTPUT_RULE } from '#kit'
import { faultsOf } from '../support/operations.ts'
import type { Call, Reply } from './ask.ts'
import { type Envelope, fetched } from './outputs.ts'
import { readBack } from './readers.ts'

export interface Failure {
  kind: 'server fault' | 'no end' | 'charged' | 'undeclared' | 'misshapen' | 'unreadable'
  detail: string
}

export interface Verdict {
  failures: Failure[]
  /** Good enough, but a reader had something to say. */
  remarks: string[]
}

/** The customer's own bytes, handed back as they were: nobody promised that they make sense. */
const HANDS_BACK = new Set(['archive.unzip', 'pdf.attachments', 'utils.base64'])

/** Coded pixels go through these byte for byte: what was damaged in them before is damaged after. */
const CARRIES = new Set(['image.exif-strip'])

/** What is wrong with a reply; `declared` are the codes that the call's description names. */
export async function judge(call: Call, reply: Reply, declared: ReadonlySet<string>): Promise<Verdict> {
  const failures = [...faultsOfStatus(reply, declared), ...faultsOfMoney(reply)]
  if (reply.status !== 200) return { failures, remarks: [] }
  const shape = faultsOf(call.operation.output, structuredClone(reply.answer))
  if (shape.length > 0) failures.push({ kind: 'misshapen', detail: shape.slice(0, 3).join('; ') })
  const remarks: string[] = []
  for (const { value } of markedPlaces(OUTPUT_RULE, call.operation.output, reply.answer)) {
    for (const envelope of [value].flat() as Envelope[]) {
      const found = await faultOfOutput(call, reply, envelope)
      if (found.complaint)
        failures.push({ kind: 'unreadable', detail: `${envelope.contentType}: ${found.complaint}`.slice(0, 600) })
      if (found.remark) remarks.push(found.remark)
    }
  }
  return { failures, remarks }
}

function faultsOfStatus({ status, code, detail }: Reply, declared: ReadonlySet<string>): Failure[] {
  if (status === 0) return [{ kind: 'no end', detail: detail ?? '' }]
  if (status === 503 && code === 'PROVIDER_NOT_CONFIGURED') return []
  if (status >= 500) return [{ kind: 'server fault', detail: `${status} ${code}` }]
  if (status === 200 || declared.has(code ?? '')) return []
  return [{ kind: 'undeclared', detail: `${status} ${code}` }]
}

function faultsOfMoney({ status, saidMicros, paidMicros, heldMicros }: Reply): Failure[] {
  const failures: Failure[] = []
  const charged = (detail: string) => failures.push({ kind: 'charged', detail })
  if (status !== 200 && paidMicros !== 0n) charged(`${paidMicros} micros for a failure`)
  if (status === 200 && paidMicros !== saidMicros) charged(`${paidMicros} micros, said ${saidMicros}`)
  if (status !== 0 && heldMicros !== 0n) charged(`${heldMicros} micros still on hold`)
  return failures
}

async function faultOfOutput(
  call: Call,
  { request, answer }: Reply,
  envelope: Envelope,
): Promise<{ complaint?: string; remark?: string }> {
  const { operation } = call
  const bytes = await fetched(envelope)
  if (bytes === undefined) return { complaint: 'cannot be fetched' }
  if (bytes.length !== envelope.sizeBytes) return { complaint: `${bytes.length} bytes, said ${envelope.sizeBytes}` }
  if (HANDS_BACK.has(operation.name) || answer?.unchanged === true) return {}
  if (CARRIES.has(operation.name) && (await isUnreadable(call, envelope.contentType))) return {}
  const password = (request.userPassword ?? request.ownerPassword ?? request.password) as string | undefined
  const { complaint, remark, pictures } = await readBack(bytes, envelope.contentType, password)
  if (complaint || !pictures) return { complaint, remark }
  return { complaint: mismatch(pictures, (answer as { image?: Image }).image, envelope.contentType), remark }
}

async function isUnreadable({ sample }: Call, contentType: string): Promise<boolean> {
  return (await readBack(Buffer.from(await sample.bytes()), contentType)).complaint !== undefined
}

interface Image {
  width: number
  height: number
  pages?: number
}

/** The answer and an independent reader agree on what the picture is; an icon is many pictures. */
function mismatch(pictures: readonly string[], image: Image | undefined, contentType: string): string | undefined {
  if (!image || contentType === 'image/x-icon') return undefined
  const said = `${image.width}x${image.height}`
  if (!pictures.includes(said)) return `the answer says ${said}, the file ${pictures[0]}`
  const pages = image.pages ?? 1
  return pictures.length === pages ? undefined : `the answer says ${pages} frames, the file ${pictures.length}`
}
