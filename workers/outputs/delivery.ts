import { cleanName, fieldEntries, type JobPayload, OUTPUT_RULE, type Warning } from '#kit'
import type { PreparedDelivery, StoredObject } from '../../sql/job.ts'
import { TakenNames } from '../../tasks/formats/archive/names.ts'
import { writeStoredZip } from '../../tasks/formats/archive/stored-zip.ts'
import type { NamedOperation } from '../../tasks/index.ts'
import type { DeliveredFile, DeliveryParts, WorkerContext } from '../context.ts'

interface Output {
  fields: object
  warnings: readonly Warning[]
  objects: readonly StoredObject[]
}

/** The part of a product that takes outputs. */
export function findDelivery({ products }: WorkerContext, to: string): DeliveryParts {
  const { delivery } = products.get(to) ?? {}
  if (!delivery) throw new Error(`no product takes outputs under the name ${to}`)
  return delivery
}

/** Stores a copy of the output for what it is delivered to. What prevents that is a warning, not a failure. */
export async function prepareDelivery(
  context: WorkerContext,
  operation: NamedOperation,
  payload: JobPayload,
  output: Output,
): Promise<PreparedDelivery | Warning> {
  try {
    const file = chooseFile(context, operation, output)
    const { to } = payload.delivery!
    return { to, ...(await findDelivery(context, to).store(context, payload, file)), warnings: output.warnings }
  } catch (error) {
    context.log.warn({ jobId: payload.id, err: error }, 'the output was not copied for its delivery')
    const message =
      'The output could not be stored for its delivery. It is complete in this answer, and the baton was not charged.'
    return { code: 'DELIVER_FAILED', message }
  }
}

/** One file is delivered as it is, several or a list as an archive, and a result without files as JSON. */
function chooseFile(
  { store }: WorkerContext,
  { output }: NamedOperation,
  { fields, warnings, objects }: Output,
): DeliveredFile {
  const values = fields as Record<string, unknown>
  const filled = fieldEntries(output).filter(([name, field]) => OUTPUT_RULE in field && values[name] !== undefined)
  const isList = filled.length > 0 && filled.every(([, field]) => field.type === 'array')
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
