import { keySetUrl } from '../../../ops/products/witness/signing.ts'
import type { Visitor } from '../../../sql/baton/index.ts'
import { type Asker, listHeaders, readProof } from '../../../sql/witness/chain.ts'
import type { Statement, WitnessRecord } from '../../../tasks/products/witness/statement.ts'
import type { ApiContext } from '../../context.ts'

/** The signed record of a baton, for anyone. */
export async function findProof(context: ApiContext, by: Asker) {
  return showRecord(context, await readProof<Statement>(context.db, by))
}

export function showRecord({ config }: Pick<ApiContext, 'config'>, { statement, jws }: WitnessRecord) {
  return { statement, jws, jwks_url: keySetUrl(config) }
}

/** The same with what was hashed of each entry, for those who may read the baton. */
export async function exportChain(context: ApiContext, by: Visitor) {
  const proof = await findProof(context, by)
  const headers = await listHeaders(context.db, by, context.settings.get('baton.trust.proof_max_entries'))
  return { ...proof, ...headers }
}
