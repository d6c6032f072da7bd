export { startNow } from './tiers.ts'
