import { openVectorIndex } from '../../../ops/providers/vector-index/open.ts'
import { connectTo } from '../../../sql/hosts/primary.ts'
import type { WorkerProduct } from '../../context.ts'

/** The index of large namespaces is brought up to date by a step. */
const vectors: WorkerProduct = {
  bindDeps: ({ config, db }) => ({ openIndex: () => openVectorIndex(config.vectorIndex, connectTo(db.url)) }),
}

export default vectors
