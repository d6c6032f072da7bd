import { readFileSync } from 'node:fs'
import { buildKeySet, openSigningKey } from '../../../ops/products/witness/index.ts'
import type { readBundle } from '../../../sql/contract/contracts.ts'
import { DOMAIN, signState, TYPES } from '../../../tasks/products/contract/index.ts'
import type { ApiContext } from '../../context.ts'
import { NOTICE } from './schema.ts'

type Stored = Awaited<ReturnType<typeof readBundle>>

/** A contract that was made and signed for this, kept as its log was then. */
const SAMPLE = JSON.parse(readFileSync(new URL('./assets/sample.json', import.meta.url), 'utf8')) as Stored

/** All that is needed to check a contract without this service, with a statement that is signed now. */
export async function buildBundle(
  { config: { secret }, db }: Pick<ApiContext, 'config' | 'db'>,
  { contract, document, log }: Stored,
) {
  const { id, termsHash, status, chainId } = contract
  const stated = { id, termsHash, state: status, entries: log.length, head: log.at(-1)!.hash }
  const { statement, jws } = signState(stated, new Date(), await openSigningKey(db, secret))
  const { keys } = await buildKeySet(db, secret)
  const eip712 = { domain: { ...DOMAIN, chainId }, types: TYPES, primaryType: 'AgreementSignature' }
  return { format: 'svc.contract-bundle/2', contract, document, eip712, log, statement, jws, keys, notice: NOTICE }
}

export function buildSampleBundle(context: Pick<ApiContext, 'config' | 'db'>) {
  return buildBundle(context, SAMPLE)
}
