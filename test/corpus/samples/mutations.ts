import { createRandom } from '../random.ts'
import { createSample, type Sample } from './kinds.ts'

const CUTS = [0.02, 0.2, 0.5, 0.8, 0.97, 0.999]
const MAX_FLIPS = 24
const MUTANTS_PER_SAMPLE = 3

/** Valid files that are truncated, have bits flipped, or have pieces duplicated or removed. */
export function buildMutants(good: readonly Sample[], seed: number): Sample[] {
  return good.flatMap(sample => [
    ...CUTS.map(fraction => truncateSample(sample, fraction)),
    ...Array.from({ length: MUTANTS_PER_SAMPLE }, (_, index) => flipBits(sample, seed, index)),
    ...Array.from({ length: MUTANTS_PER_SAMPLE - 1 }, (_, index) => movePiece(sample, seed, index)),
  ])
}

function createMutant(sample: Sample, label: string, change: (bytes: Uint8Array) => Uint8Array): Sample {
  const name = `${sample.name.slice(sample.family.length + 1)}~${label}`
  return createSample(sample.family, name, async () => change(await sample.bytes()))
}

function truncateSample(sample: Sample, fraction: number): Sample {
  return createMutant(sample, `cut-${fraction * 100}%`, bytes =>
    bytes.subarray(0, Math.max(1, Math.floor(bytes.length * fraction))),
  )
}

function flipBits(sample: Sample, seed: number, index: number): Sample {
  return createMutant(sample, `flipped-${seed}-${index}`, bytes => {
    const random = createRandom(seed, `${sample.name} flipped ${index}`)
    const changed = Uint8Array.from(bytes)
    for (let flips = 1 + random.nextInt(MAX_FLIPS); flips > 0; flips--) {
      const offset = random.nextInt(changed.length)
      changed[offset] = changed[offset]! ^ (1 << random.nextInt(8))
    }
    return changed
  })
}

/** Inserts a copy of a piece at another place, or removes as many bytes there. */
function movePiece(sample: Sample, seed: number, index: number): Sample {
  return createMutant(sample, `shuffled-${seed}-${index}`, bytes => {
    const random = createRandom(seed, `${sample.name} shuffled ${index}`)
    const from = random.nextInt(bytes.length)
    const piece = bytes.subarray(from, from + 1 + random.nextInt(Math.max(1, bytes.length >> 2)))
    const offset = random.nextInt(bytes.length)
    const isDoubled = random.nextInt(2) === 0
    const after = bytes.subarray(isDoubled ? offset : Math.min(bytes.length, offset + piece.length))
    return Buffer.concat([bytes.subarray(0, offset), isDoubled ? piece : new Uint8Array(), after])
  })
}
