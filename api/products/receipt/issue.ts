import { createHash } from 'node:crypto'
import { ID_PREFIX } from '#kit'
import { keySetUrl, openSigningKey } from '../../../ops/products/witness/index.ts'
import type { ReceiptFacts } from '../../../sql/receipt/facts.ts'
import { buildReceipt } from '../../../tasks/products/receipt/statement.ts'
import { canonicalize, signJws } from '../../../tasks/products/witness/index.ts'
import type { ApiContext } from '../../context.ts'
import { hashOutputs } from './outputs.ts'

/** Signs what is known of a job that has ended. */
export async function issueReceipt(context: ApiContext, facts: ReceiptFacts) {
  const { config, db, store, catalog } = context
  const { result, serviceKey } = facts
  const key = await openSigningKey(db, config.secret)
  const outputs = await hashOutputs(store, catalog.operation(serviceKey)?.output, result)
  const payload = buildReceipt(facts, {
    issuer: config.publicUrl,
    at: new Date(),
    call: catalog.entries.find(({ name }) => name === serviceKey),
    resultSha256: outputs.length > 0 || result === null ? null : hashJson(result),
    outputs,
  })
  const verifyWith = keySetUrl(config)
  const header = { kid: key.kid, typ: `${ID_PREFIX}-receipt+jws`, jku: verifyWith }
  return { receipt: signJws(header, payload, key.privateKey), payload, kid: key.kid, verifyWith }
}

function hashJson(value: unknown): string {
  return createHash('sha256').update(canonicalize(value)).digest('hex')
}
