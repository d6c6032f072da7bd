import anyAscii from 'any-ascii'
import { compareNames, splitName, weighWords } from '../../../../tasks/products/screening/index.ts'
import { type MadePerson, makeNamesake, makePerson, pick, type Random, writeName } from './made-names.ts'
import { KINDS, writeVariant } from './variants.ts'

/** A name that is asked for, a name of the list, and whether both are of one person. */
export interface LabelledPair {
  query: string
  person: MadePerson
  listed: string
  isSame: boolean
  kind: string
}

/** Half are the listed person in another spelling, half someone else who shares a name with that person. */
export function makePairs(count: number, random: Random): LabelledPair[] {
  const pairs: LabelledPair[] = []
  while (pairs.length < count) {
    const person = makePerson(random)
    const isSame = pairs.length % 2 === 0
    const kind = pick(KINDS, random)
    const query = writeVariant(
      isSame ? person : makeNamesake(person, random),
      isSame || kind !== 'initial' ? kind : 'latin',
      random,
    )
    if (query !== undefined) pairs.push({ query, person, listed: writeName(person), isSame, kind })
  }
  return pairs
}

export type Comparison = (query: string, listed: string) => number

export const OURS: Comparison = (query, listed) => {
  const weigh = (name: string) => weighWords(splitName(name), () => 0, 0)
  return compareNames(weigh(query), weigh(listed)).score
}

/** As pg_trgm counts it, of both names in ASCII. */
export const TRIGRAMS: Comparison = (query, listed) => {
  const [one, other] = [listTrigrams(query), listTrigrams(listed)]
  const shared = [...one].filter(part => other.has(part)).length
  return shared / (one.size + other.size - shared || 1)
}

function toAscii(name: string): string {
  return anyAscii(name).toLowerCase()
}

function listTrigrams(name: string): Set<string> {
  const words = toAscii(name).match(/[a-z0-9]+/g) ?? []
  return new Set(
    words.flatMap(word => Array.from({ length: word.length + 1 }, (_, at) => `  ${word} `.slice(at, at + 3))),
  )
}

export const JARO_WINKLER: Comparison = (query, listed) => jaroWinkler(toAscii(query), toAscii(listed))

function jaroWinkler(one: string, other: string): number {
  const reach = Math.max(0, Math.floor(Math.max(one.length, other.length) / 2) - 1)
  const taken = new Set<number>()
  const matched: number[] = []
  for (let at = 0; at < one.length; at++) {
    for (let to = Math.max(0, at - reach); to <= Math.min(other.length - 1, at + reach); to++) {
      if (taken.has(to) || one[at] !== other[to]) continue
      taken.add(to)
      matched.push(at)
      break
    }
  }
  if (matched.length === 0) return 0
  const inOther = [...taken].sort((first, second) => first - second)
  const swapped = matched.filter((at, index) => one[at] !== other[inOther[index]!]).length / 2
  const jaro =
    (matched.length / one.length + matched.length / other.length + (matched.length - swapped) / matched.length) / 3
  let prefix = 0
  while (prefix < 4 && one[prefix] !== undefined && one[prefix] === other[prefix]) prefix++
  return jaro + prefix * 0.1 * (1 - jaro)
}

export interface Quality {
  threshold: number
  precision: number
  recall: number
}

export function measureAt(pairs: readonly LabelledPair[], scores: readonly number[], threshold: number): Quality {
  const found = pairs.filter((_, at) => scores[at]! >= threshold)
  const right = found.filter(({ isSame }) => isSame).length
  const same = pairs.filter(({ isSame }) => isSame).length
  return { threshold, precision: right / (found.length || 1), recall: right / same }
}

/** At the threshold that is best for it: where precision and recall together are the most. */
export function measureBest(pairs: readonly LabelledPair[], scores: readonly number[]): Quality {
  const thresholds = Array.from({ length: 100 }, (_, at) => at / 100)
  const measured = thresholds.map(threshold => measureAt(pairs, scores, threshold))
  const rate = ({ precision, recall }: Quality) => (2 * precision * recall) / (precision + recall || 1)
  return measured.reduce((one, other) => (rate(other) > rate(one) ? other : one))
}
