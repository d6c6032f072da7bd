import { diceFor } from './dice.ts'
import { type Sample, sampleOf } from './sample.ts'

const CUTS = [0.02, 0.2, 0.5, 0.8, 0.97, 0.999]
const MOST_FLIPS = 24
const MUTANTS_EACH = 3

/** Good files cut off at many places, with bits turned over, pieces doubled and pieces taken out. */
export function mutantsOf(good: readonly Sample[], seed: number): Sample[] {
  return good.flatMap(sample => [
    ...CUTS.map(share => cut(sample, share)),
    ...Array.from({ length: MUTANTS_EACH }, (_, turn) => flipped(sample, seed, turn)),
    ...Array.from({ length: MUTANTS_EACH - 1 }, (_, turn) => shuffled(sample, seed, turn)),
  ])
}

function mutant(sample: Sample, what: string, change: (bytes: Uint8Array) => Uint8Array): Sample {
  const name = `${sample.name.slice(sample.family.length + 1)}~${what}`
  return sampleOf(sample.family, name, async () => change(await sample.bytes()))
}

function cut(sample: Sample, share: number): Sample {
  return mutant(sample, `cut-${share * 100}%`, bytes =>
    bytes.subarray(0, Math.max(1, Math.floor(bytes.length * share))),
  )
}

function flipped(sample: Sample, seed: number, turn: number): Sample {
  return mutant(sample, `flipped-${seed}-${turn}`, bytes => {
    const dice = diceFor(seed, `${sample.name} flipped ${turn}`)
    const changed = Uint8Array.from(bytes)
    for (let flips = 1 + dice.roll(MOST_FLIPS); flips > 0; flips--) {
      const at = dice.roll(changed.length)
      changed[at] = changed[at]! ^ (1 << dice.roll(8))
    }
    return changed
  })
}

/** A piece of the file stands a second time somewhere else, or is gone. */
function shuffled(sample: Sample, seed: number, turn: number): Sample {
  return mutant(sample, `shuffled-${seed}-${turn}`, bytes => {
    const dice = diceFor(seed, `${sample.name} shuffled ${turn}`)
    const from = dice.roll(bytes.length)
    const piece = bytes.subarray(from, from + 1 + dice.roll(Math.max(1, bytes.length >> 2)))
    const at = dice.roll(bytes.length)
    const isDoubled = dice.roll(2) === 0
    const after = bytes.subarray(isDoubled ? at : Math.min(bytes.length, at + piece.length))
    return Buffer.concat([bytes.subarray(0, at), isDoubled ? piece : new Uint8Array(), after])
  })
}
