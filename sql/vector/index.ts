export { checkVectors, findVectorModel, type VectorBatch } from './change.ts'
export { finishQuery } from './search.ts'
