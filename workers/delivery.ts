import { createHash } from 'node:crypto'
import { cleanName, type Delivery, fieldEntries, type JobPayload, newId, OUTPUT_RULE, type Warning } from '#kit'
import { reserveObject } from '../sql/baton/index.ts'
import type { PreparedDelivery, StoredObject } from '../sql/job.ts'
import { TakenNames } from '../tasks/formats/archive/names.ts'
import { writeStoredZip } from '../tasks/formats/archive/stored-zip.ts'
import type { NamedOperation } from '../tasks/index.ts'
import { startNow } from '../tasks/products/baton/index.ts'
import type { WorkerContext } from './context.ts'

/** Longer content is put into the object store; the database has only its key. */
const MAX_ROW_BYTES = 16 * 2 ** 10

/** The output of a call as one file. */
interface DeliveredFile {
  type: string
  sizeBytes: number | undefined
  read(): Promise<AsyncIterable<Uint8Array>>
}

interface Output {
  fields: object
  warnings: readonly Warning[]
  objects: readonly StoredObject[]
}

/** Stores a copy of the output for the baton that it is delivered to. What prevents that is a warning, not a failure. */
export async function prepareDelivery(
  context: WorkerContext,
  operation: NamedOperation,
  payload: JobPayload,
  output: Output,
): Promise<PreparedDelivery | Warning> {
  try {
    const file = chooseFile(context, operation, output)
    const { content, ...written } = await storeFile(context, payload.accountId, file)
    return { terms: describeDelivery(payload.delivery!, written), content, warnings: output.warnings }
  } catch (error) {
    context.log.warn({ jobId: payload.id, err: error }, 'the output was not copied for its delivery')
    const message =
      'The output could not be stored for its delivery. It is complete in this answer, and the baton was not charged.'
    return { code: 'DELIVER_FAILED', message }
  }
}

/** One file is delivered as it is, several as an archive, and a result without files as JSON. */
function chooseFile(
  { store }: WorkerContext,
  { output }: NamedOperation,
  { fields, warnings, objects }: Output,
): DeliveredFile {
  const isList = fieldEntries(output).some(([, field]) => OUTPUT_RULE in field && field.type === 'array')
  const [first, ...others] = objects
  if (!first && !isList) {
    const bytes = Buffer.from(JSON.stringify(warnings.length > 0 ? { ...fields, warnings } : fields))
    return { type: 'application/json', sizeBytes: bytes.length, read: async () => iterate(bytes) }
  }
  if (first && others.length === 0 && !isList) {
    return { type: first.type, sizeBytes: first.size, read: () => store.read(first.key) }
  }
  const names = new TakenNames()
  const members = objects.map(({ key, size, name }) => {
    const free = names.findFreeName(cleanName(name).replaceAll(/[/\\]/g, '_'))
    names.reserve(free)
    return { name: free, sizeBytes: size, read: () => store.read(key) }
  })
  return { type: 'application/zip', sizeBytes: undefined, read: async () => writeStoredZip(members) }
}

async function* iterate(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function storeFile({ db, store }: WorkerContext, accountId: string, { type, sizeBytes, read }: DeliveredFile) {
  const meter = new TextMeter()
  const bytes = meter.watch(await read())
  if (sizeBytes !== undefined && sizeBytes <= MAX_ROW_BYTES) {
    const parts: Uint8Array[] = []
    for await (const part of bytes) parts.push(part)
    const content = Buffer.concat(parts)
    const sha256 = createHash('sha256').update(content).digest('hex')
    return { content, size: content.length, type, sha256, text: meter.isText }
  }
  const key = `baton/${newId()}`
  await reserveObject(db, { accountId, key, size: sizeBytes ?? null, type, until: null })
  const stored = await store.put(key, bytes, { contentType: type, isHashed: true })
  return { key, size: stored.sizeBytes, type, sha256: stored.sha256!, text: meter.isText }
}

/** Notices whether what passes is UTF-8, which is all that a log takes. */
class TextMeter {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  isText = true

  async *watch(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const part of bytes) {
      this.#check(part)
      yield part
    }
    this.#check(undefined)
  }

  #check(part: Uint8Array | undefined): void {
    if (!this.isText) return
    try {
      this.#decoder.decode(part, { stream: part !== undefined })
    } catch {
      this.isText = false
    }
  }
}

type Written = { key?: string; size: number; type: string; sha256: string; text: boolean }

/** In the form that the database takes. */
function describeDelivery({ batonId, isLog, by, create, chargeMicros }: Delivery, written: Written): object {
  const terms = { isLog, charge: chargeMicros }
  if (!create) return { ...terms, by, written, shown: { batonId } }
  const spec = { ...create.spec, ...startNow(BigInt(create.durationSeconds)), written }
  return { ...terms, spec, shown: { batonId, ...(isLog && { entryRef: 1 }) } }
}
