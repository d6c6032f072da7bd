import { createHash } from 'node:crypto'
import type { Delivery } from '#kit'
import { newBatonKey, useAfterUpload } from '../../../ops/products/baton/uploads.ts'
import { finishDelivery, reserveObject } from '../../../sql/baton/index.ts'
import { type BatonPlan, startNow } from '../../../tasks/products/baton/index.ts'
import type { DeliveredFile, DeliveryParts, WorkerContext } from '../../context.ts'

/** Longer content is put into the object store; the database has only its key. */
const MAX_ROW_BYTES = 16 * 2 ** 10

/** Puts the outputs of calls into batons. */
export const batonDelivery: DeliveryParts = {
  async store(context, { accountId, delivery }, file) {
    const { content, ...written } = await storeFile(context, accountId, file)
    return { terms: describeDelivery(delivery!, written), content }
  },
  finish: (context, ending, success, delivery) =>
    useAfterUpload(context, delivery.terms, terms =>
      finishDelivery(context.db, ending, success, { ...delivery, terms }),
    ),
}

/** Stores content for a baton that is created or written to with the end of a job. */
export async function storeFile(
  { db, store }: WorkerContext,
  accountId: string,
  { type, sizeBytes, read }: DeliveredFile,
): Promise<Written & { content?: Buffer }> {
  const meter = new TextMeter()
  const bytes = meter.watch(await read())
  if (sizeBytes !== undefined && sizeBytes <= MAX_ROW_BYTES) {
    const parts: Uint8Array[] = []
    for await (const part of bytes) parts.push(part)
    const content = Buffer.concat(parts)
    const sha256 = createHash('sha256').update(content).digest('hex')
    return { content, size: content.length, type, sha256, text: meter.isText }
  }
  const key = newBatonKey()
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
function describeDelivery({ plan, chargeMicros }: Delivery, written: Written): object {
  const { batonId, isLog, by, create } = plan as BatonPlan
  const terms = { isLog, charge: chargeMicros }
  if (!create) return { ...terms, by, written, shown: { batonId } }
  const spec = { ...create.spec, ...startNow(BigInt(create.durationSeconds)), written }
  return { ...terms, spec, shown: { batonId, ...(isLog && { entryRef: 1 }) } }
}
