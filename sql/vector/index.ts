export { finishQuery } from './search.ts'
