import { type FoundRisk, RISKS, type Risk } from './results.ts'

export type Thresholds = Partial<Record<Risk, number>>

/** At which confidence a category makes an image unsafe; categories that are not named do not. */
export const POLICIES: Readonly<Record<'default' | 'strict', Thresholds>> = {
  default: { explicit: 60, suggestive: 90, violence: 75, gore: 60, hate: 60, drugs: 80, 'self-harm': 60 },
  strict: Object.fromEntries(RISKS.map(risk => [risk, 50])),
}

/** The highest confidence of each category; 0 where nothing was found. */
export function rateCategories(risks: readonly FoundRisk[]): Record<Risk, number> {
  const highest = (risk: Risk) =>
    risks.reduce((most, { category, confidence }) => (category === risk ? Math.max(most, confidence) : most), 0)
  return Object.fromEntries(RISKS.map(risk => [risk, highest(risk)])) as Record<Risk, number>
}

export function isSafe(rates: Readonly<Record<Risk, number>>, thresholds: Thresholds): boolean {
  return RISKS.every(risk => {
    const threshold = thresholds[risk]
    return threshold === undefined || rates[risk] < threshold || rates[risk] === 0
  })
}
