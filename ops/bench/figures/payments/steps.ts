/** One event of a random history. An index chooses its subject among the jobs, chunks or intents that exist then. */
export type Step =
  | {
      kind: 'pay' | 'prepay'
      walletIndex: number
      price: number
      path: 'instant' | 'intake'
      nonce: number
      hasKey: boolean
    }
  | { kind: 'settle' | 'fail' | 'doubt'; index: number }
  | { kind: 'finish' | 'break' | 'cancel' | 'raise'; index: number; micros: number }
  | { kind: 'call' | 'credit' | 'card'; walletIndex: number; micros: number }
  | { kind: 'return'; index: number; micros: number; isClosed: boolean }
  | { kind: 'link'; walletIndex: number }

export type StepKind = Step['kind']
export type StepOf<Kind extends StepKind> = Extract<Step, { kind: Kind }>

/** Each history has three wallets: two have paid before, and the last one never settles a payment first. */
export const WALLET_COUNT = 3
export const UNPAID_WALLET = 2

/** Prices around one cent, from which a payment is settled individually. */
const PRICES = [1_000, 3_000, 9_999, 10_000, 12_000]
/** Few enough that some nonces are used twice. */
const NONCE_COUNT = 150
const MAX_MICROS = 14_000

/** The relative frequency of each kind of step. */
const WEIGHTS: readonly (readonly [StepKind, number])[] = [
  ['pay', 14],
  ['prepay', 10],
  ['settle', 4],
  ['fail', 4],
  ['doubt', 2],
  ['finish', 4],
  ['break', 2],
  ['cancel', 2],
  ['raise', 3],
  ['call', 3],
  ['credit', 3],
  ['card', 2],
  ['return', 3],
  ['link', 1],
]
const TOTAL_WEIGHT = WEIGHTS.reduce((sum, [, weight]) => sum + weight, 0)

/** Gives a random integer from 0 to below its argument. */
type RandomInt = (below: number) => number

export function randomStep(random: RandomInt): Step {
  return buildStep(pickKind(random(TOTAL_WEIGHT)), random)
}

function pickKind(position: number): StepKind {
  let left = position
  for (const [kind, weight] of WEIGHTS) {
    if (left < weight) return kind
    left -= weight
  }
  return 'pay'
}

function buildStep(kind: StepKind, random: RandomInt): Step {
  const walletIndex = random(WALLET_COUNT)
  const index = random(20)
  const micros = 1 + random(MAX_MICROS)
  switch (kind) {
    case 'pay':
    case 'prepay':
      return {
        kind,
        walletIndex,
        price: PRICES[random(PRICES.length)]!,
        path: pickPath(random),
        nonce: random(NONCE_COUNT),
        hasKey: random(2) > 0,
      }
    case 'settle':
    case 'fail':
    case 'doubt':
      return { kind, index }
    case 'call':
    case 'credit':
    case 'card':
      return { kind, walletIndex, micros }
    case 'return':
      return { kind, index, micros, isClosed: random(3) === 0 }
    case 'link':
      return { kind, walletIndex }
    default:
      return { kind, index, micros }
  }
}

function pickPath(random: RandomInt): 'instant' | 'intake' {
  return random(2) > 0 ? 'instant' : 'intake'
}

/** Gives the same numbers for the same seed, so that a failed history can be repeated (xorshift, 32 bits). */
export function createRandom(seed: number): RandomInt {
  let state = (seed * 2_654_435_769 + 1) >>> 0 || 1
  return below => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % below
  }
}
