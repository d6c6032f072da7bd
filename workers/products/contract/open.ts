import { openSigningKey } from '../../../ops/products/witness/index.ts'
import type { Ruling } from '../../../tasks/products/contract/index.ts'
import type { WorkerProduct } from '../../context.ts'

/** Disputes are ruled upon by a step. */
const contracts: WorkerProduct = {
  bindDeps: ({ config, db }) => ({
    async openModels() {
      const { openLanguageModels } = await import('../../../ops/providers/llm/open.ts')
      return openLanguageModels(config.llm)
    },
    async sign(ruling: Ruling) {
      const { signRuling } = await import('../../../tasks/products/contract/index.ts')
      return signRuling(ruling, await openSigningKey(db, config.secret))
    },
  }),
}

export default contracts
