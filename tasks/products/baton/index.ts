export type { BatonPlan } from './plan.ts'
export { startNow, TIER_SHAPES, TIERS } from './tiers.ts'
