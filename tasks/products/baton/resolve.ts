import { PRICE_CEILING, Problem } from '#kit'
import { type Behaviour, behaviourOf, hasWitnessAlways, isPresetName, PRESET_NAMES } from './presets.ts'
import { type BatonQuote, type BatonRates, quoteShape } from './price.ts'
import {
  type BatonShape,
  type CustomShape,
  MAX_COUNT,
  MAX_DURATION_SECONDS,
  MAX_EGRESS_BYTES,
  MAX_SIZE_BYTES,
  readCustomShape,
  TIER_SHAPES,
  type Tier,
} from './tiers.ts'

interface BatonChoice {
  preset: string
  tier?: Tier | 'custom'
  customShape?: CustomShape
  flags?: { hashChaining?: boolean; witness?: boolean }
}

interface ResolvedBaton {
  behaviour: Behaviour
  /** Its witness is paid for when it is created. */
  hasWitness: boolean
  tier: Tier | 'custom'
  shape: BatonShape
  quote: BatonQuote
}

/** What a caller's choice comes to, and its price. Throws what is wrong with it. */
export function resolveBaton(choice: BatonChoice, rates: BatonRates): ResolvedBaton {
  const behaviour = resolveBehaviour(choice)
  const hasWitness = behaviour === 'chained' || hasWitnessAlways(choice.preset) || (choice.flags?.witness ?? false)
  const shape = resolveShape(choice)
  const quote = quoteShape(shape, rates, hasWitness)
  requireAffordable(quote)
  return { behaviour, hasWitness, tier: choice.tier ?? 'custom', shape, quote }
}

function resolveBehaviour({ preset, flags = {} }: BatonChoice): Behaviour {
  if (!isPresetName(preset)) throw new Problem('PRECONFIG_NOT_FOUND', { preset, allowed: PRESET_NAMES })
  const behaviour = behaviourOf(preset, flags.hashChaining ?? false)
  if (!behaviour) throw unmet('hashChaining', `A ${preset} is not a log, so it cannot be chained.`)
  if (behaviour === 'chained' && flags.hashChaining === false)
    throw unmet('hashChaining', 'A ledger is always chained.')
  if (behaviour === 'chained' && flags.witness === false) throw unmet('witness', 'A chained baton has a witness.')
  if (behaviour === 'vectors' && flags.witness) throw unmet('witness', 'Vectors cannot be signed.')
  if (hasWitnessAlways(preset) && flags.witness === false) throw unmet('witness', 'This preset is for a witness.')
  return behaviour
}

function unmet(flag: string, reason: string): Problem {
  return new Problem('FLAG_DEPENDENCY_UNMET', { flag, reason })
}

function resolveShape({ tier = 'custom', customShape }: BatonChoice): BatonShape {
  if (tier !== 'custom') {
    if (customShape) throw invalid('customShape', 'A bundled tier has a shape of its own.')
    return TIER_SHAPES[tier]
  }
  if (!customShape) throw missingShape()
  const shape = readCustomShape(customShape)
  requireBetween('sizeBytes', shape.sizeBytes, 1n, MAX_SIZE_BYTES)
  requireBetween('durationSeconds', shape.durationSeconds, 1n, MAX_DURATION_SECONDS)
  requireBetween('maxEgressBytes', shape.egressBytes, 0n, MAX_EGRESS_BYTES)
  requireBetween('writesAllowed', shape.writes, 0n, MAX_COUNT)
  requireBetween('readsAllowed', shape.reads, 0n, MAX_COUNT)
  return shape
}

export function requireBetween(field: string, value: bigint, min: bigint, max: bigint): void {
  if (value < min || value > max) throw new Problem('INVALID_SHAPE', { field, min: String(min), max: String(max) })
}

function missingShape(): Problem {
  const reason = 'Give a bundled tier, or a customShape.'
  return new Problem('INVALID_SHAPE', { field: 'customShape', reason, tiers: Object.keys(TIER_SHAPES) })
}

function invalid(field: string, reason: string): Problem {
  return new Problem('INVALID_SHAPE', { field, reason })
}

/** A call costs at most the ceiling, so what costs more is refused instead of sold below its price. */
export function requireAffordable({ amountMicros }: BatonQuote): void {
  if (amountMicros <= PRICE_CEILING) return
  const hints = { amountMicros: String(amountMicros), ceilingMicros: String(PRICE_CEILING) }
  throw new Problem('INVALID_SHAPE', { reason: 'It costs more than one call may cost.', ...hints })
}
