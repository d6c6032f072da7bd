export type { BatonPlan } from './plan.ts'
export { startNow } from './tiers.ts'
