import { openSigningKey } from '../../../ops/products/witness/keys.ts'
import { openLanguageModels } from '../../../ops/providers/llm/open.ts'
import { type Ruling, signRuling } from '../../../tasks/products/contract/index.ts'
import type { WorkerProduct } from '../../context.ts'

/** Disputes are ruled upon by a step. */
const contracts: WorkerProduct = {
  bindDeps: ({ config, db }) => ({
    models: openLanguageModels(config.llm),
    sign: async (ruling: Ruling) => signRuling(ruling, await openSigningKey(db, config.secret)),
  }),
}

export default contracts
