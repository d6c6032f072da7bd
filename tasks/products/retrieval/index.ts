export type { IngestCall } from './ingest/fields.ts'
export { countIngestUnits } from './ingest/price.ts'
export { checkRead, type ReadDocument } from './ingest/read.ts'
