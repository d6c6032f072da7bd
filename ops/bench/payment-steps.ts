/** One thing that happens to the money of a history. What it happens to is chosen by number, among what is there then. */
export type Step =
  | { kind: 'pay' | 'prepay'; who: number; price: number; way: 'instant' | 'intake'; nonce: number; hasKey: boolean }
  | { kind: 'settle' | 'fail' | 'doubt'; at: number }
  | { kind: 'finish' | 'break' | 'cancel' | 'raise'; at: number; micros: number }
  | { kind: 'call' | 'credit' | 'card'; who: number; micros: number }
  | { kind: 'return'; at: number; micros: number; isClosed: boolean }
  | { kind: 'link'; who: number }

export type StepKind = Step['kind']
export type StepOf<Kind extends StepKind> = Extract<Step, { kind: Kind }>

/** Wallets of one history: two that have paid before, and one that has not and never pays first. */
export const WALLETS = 3
export const STRANGER = 2

/** Around the cent from which a payment is settled by itself. */
const PRICES = [1_000, 3_000, 9_999, 10_000, 12_000]
/** Few enough that some come twice. */
const NONCES = 150
const MOST_MICROS = 14_000

/** How often each thing happens, by parts. */
const PARTS: readonly (readonly [StepKind, number])[] = [
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
const ALL_PARTS = PARTS.reduce((sum, [, parts]) => sum + parts, 0)

/** Gives a whole number below its argument. */
export type Dice = (below: number) => number

export function randomStep(dice: Dice): Step {
  return stepOf(kindAt(dice(ALL_PARTS)), dice)
}

function kindAt(part: number): StepKind {
  let left = part
  for (const [kind, parts] of PARTS) {
    if (left < parts) return kind
    left -= parts
  }
  return 'pay'
}

function stepOf(kind: StepKind, dice: Dice): Step {
  const who = dice(WALLETS)
  const at = dice(20)
  const micros = 1 + dice(MOST_MICROS)
  switch (kind) {
    case 'pay':
    case 'prepay':
      return {
        kind,
        who,
        price: PRICES[dice(PRICES.length)]!,
        way: way(dice),
        nonce: dice(NONCES),
        hasKey: dice(2) > 0,
      }
    case 'settle':
    case 'fail':
    case 'doubt':
      return { kind, at }
    case 'call':
    case 'credit':
    case 'card':
      return { kind, who, micros }
    case 'return':
      return { kind, at, micros, isClosed: dice(3) === 0 }
    case 'link':
      return { kind, who }
    default:
      return { kind, at, micros }
  }
}

function way(dice: Dice): 'instant' | 'intake' {
  return dice(2) > 0 ? 'instant' : 'intake'
}

/** The same numbers for the same seed, so that a history that went wrong can be told again (xorshift, 32 bits). */
export function diceOf(seed: number): Dice {
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
