import { forgetExpiredConnections } from '../../../sql/connector/index.ts'
import type { WorkerProduct } from '../../context.ts'

const connectors: WorkerProduct = {
  bindDeps: ({ db }) => ({ connectors: { forgetExpired: () => forgetExpiredConnections(db, 1_000) } }),
}

export default connectors
