import type { WorkerProduct } from '../../context.ts'
import { ingestDocument } from './document.ts'
import { ragIngest } from './ingest.ts'

/** Bundles, which end with what they write. */
const retrieval: WorkerProduct = {
  endings: { 'bundles.rag-ingest': ragIngest, 'bundles.ingest-document': ingestDocument },
}

export default retrieval
