import type { WorkerProduct } from '../../context.ts'
import { openDocuments } from './documents.ts'

/** Steps inspect, render and seal documents. */
const signing: WorkerProduct = {
  bindDeps: context => ({ documents: openDocuments(context) }),
}

export default signing
