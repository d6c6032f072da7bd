import type { ListedEntity } from '../entity.ts'
import { splitName } from '../names/words.ts'
import type { Subject } from '../subject.ts'
import { isSameIdentifier } from './identifiers.ts'
import { compareNames, weighWords } from './names.ts'

/** What else than the name was compared, and how it changes the score. */
interface Finding {
  feature: 'identifier' | 'dob' | 'country' | 'gender' | 'placeOfBirth' | 'address'
  query: string
  candidate: string
  /** 1 if they agree, 0 if they contradict each other. */
  score: number
  /** What is added to the score of the name. */
  weight: number
}

/** What a subject may tell beside its names. */
export type Fact = 'dob' | 'gender' | 'nationalities' | 'countries' | 'birthPlaces' | 'identifiers' | 'addresses'

/** What of an entry is compared beside its names. */
export type ComparedEntity = Pick<ListedEntity, 'type' | 'families' | 'topics' | Fact>

/** What is compared of entries because the subject tells it too. */
export function listFacts(subject: Subject): Fact[] {
  const { dob, gender, nationality, country, placeOfBirth, identifiers, address } = subject
  const isPlaced = nationality.length + country.length > 0
  const compared: Record<Fact, boolean> = {
    ...{ dob: dob !== undefined, gender: gender !== undefined, nationalities: isPlaced, countries: isPlaced },
    ...{ birthPlaces: Boolean(placeOfBirth), identifiers: identifiers.length > 0, addresses: Boolean(address) },
  }
  return (Object.keys(compared) as Fact[]).filter(fact => compared[fact])
}

/** What the facts of a subject say beside its name; nothing where one side does not tell. */
export function compareFacts(subject: Subject, entity: ComparedEntity): Finding[] {
  return [
    compareIdentifiers(subject, entity),
    compareBirth(subject, entity),
    compareCountries(subject, entity),
    compareGender(subject, entity),
    compareTexts('placeOfBirth', subject.placeOfBirth, entity.birthPlaces),
    compareTexts('address', subject.address, entity.addresses),
  ].filter(finding => finding !== undefined)
}

function compareIdentifiers({ identifiers }: Subject, entity: ComparedEntity): Finding | undefined {
  for (const one of identifiers) {
    const other = entity.identifiers.find(listed => isSameIdentifier(one, listed))
    if (other) return { feature: 'identifier', query: one.value, candidate: other.value, score: 1, weight: 1 }
  }
  return undefined
}

const SAME_DAY = 0.03
const SAME_YEAR = 0.02
const NEAR_YEAR = -0.06
const OTHER_YEAR = -0.18
const SWAPPED_DAY = 0

/** The listed date that fits best. */
function compareBirth({ dob }: Subject, entity: ComparedEntity): Finding | undefined {
  if (!dob || entity.dob.length === 0) return undefined
  const rated = entity.dob.map(listed => ({ listed, weight: rateBirth(dob, listed) }))
  const best = rated.reduce((one, other) => (other.weight > one.weight ? other : one))
  return { feature: 'dob', query: dob, candidate: best.listed, score: best.weight > 0 ? 1 : 0, weight: best.weight }
}

function rateBirth(one: string, other: string): number {
  const [first, second] = [one.split('-'), other.split('-')]
  const parts = Math.min(first.length, second.length)
  if (first.slice(0, parts).join() === second.slice(0, parts).join()) return parts > 1 ? SAME_DAY : SAME_YEAR
  if (first[0] !== second[0]) return Math.abs(Number(first[0]) - Number(second[0])) <= 1 ? NEAR_YEAR : OTHER_YEAR
  return first[1] === second[2] && first[2] === second[1] ? SWAPPED_DAY : NEAR_YEAR
}

function compareCountries({ nationality, country }: Subject, entity: ComparedEntity): Finding | undefined {
  const asked = [...nationality, ...country]
  const listed = [...new Set([...entity.nationalities, ...entity.countries])]
  if (asked.length === 0 || listed.length === 0) return undefined
  const isShared = asked.some(code => listed.includes(code))
  const texts = { query: asked.join(' '), candidate: listed.join(' ') }
  return { feature: 'country', ...texts, score: isShared ? 1 : 0, weight: isShared ? 0.01 : -0.04 }
}

function compareGender({ gender }: Subject, entity: ComparedEntity): Finding | undefined {
  if (!gender || !entity.gender) return undefined
  const isSame = gender === entity.gender
  return {
    feature: 'gender',
    query: gender,
    candidate: entity.gender,
    score: isSame ? 1 : 0,
    weight: isSame ? 0 : -0.1,
  }
}

/** A place or an address that is written alike supports a match; another one says little. */
function compareTexts(
  feature: 'placeOfBirth' | 'address',
  asked: string | undefined,
  listed: readonly string[],
): Finding | undefined {
  if (!asked || listed.length === 0) return undefined
  const query = weigh(asked)
  const scores = listed.slice(0, 20).map(text => ({ text, score: compareNames(query, weigh(text)).score }))
  const best = scores.reduce((one, other) => (other.score > one.score ? other : one))
  const isLike = best.score >= 0.85
  return { feature, query: asked, candidate: best.text, score: isLike ? 1 : 0, weight: isLike ? 0.01 : 0 }
}

function weigh(text: string) {
  return weighWords(splitName(text), () => 0, 0)
}
