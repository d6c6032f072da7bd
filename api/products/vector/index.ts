export { VectorWorkers } from './work.ts'
export type { VectorWork, VectorWorkAnswer } from './work-thread.ts'
