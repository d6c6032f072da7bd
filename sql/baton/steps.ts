export { purgeBatons } from './lifecycle.ts'
