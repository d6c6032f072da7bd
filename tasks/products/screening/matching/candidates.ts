import { compareWords } from '../names/likeness.ts'
import { listKeys } from '../names/sound.ts'
import { joinWords, kindOf, splitName } from '../names/words.ts'
import type { Subject } from '../subject.ts'

/** A word that names of the lists have: its number, and how many entries have it. */
export interface IndexedWord {
  id: number
  word: string
  entries: number
}

/** Words of the lists that a word of the query may stand for, by their numbers, with how alike they are. */
type WordGroup = ReadonlyMap<number, number>

/** What entries are looked for: those with words of both groups of a pair, or with one of the rare words. */
export interface CandidateQuery {
  pairs: [number[], number[]][]
  rare: number[]
  groups: WordGroup[]
}

/** Words are looked up that are at least so much alike. */
const LEAST_LIKENESS = 0.74
/** A word of so few entries finds them by itself. */
const RARE_ENTRIES = 60
const RARE_LIKENESS = 0.86
const MAX_GROUPS = 5
/** Longer words are not written as one with others; of three, only syllables are. */
const MAX_JOINED = 18
const MAX_SYLLABLE = 6
/** Two words as one are a little less likely than the word itself. */
const JOINED_SHARE = 0.95
const MAX_WORDS_OF_GROUP = 120

/** Marks the letter with which a word begins: `v*`. */
function markInitial(letter: string): string {
  return `${letter}*`
}

function firstLetter(word: string): string {
  return word.replace('~', '')[0] ?? ''
}

/** The words by which an entry is found: those of its names, neighbours as one, and the letters that they begin with. */
export function listIndexWords(names: readonly (readonly string[])[]): string[] {
  const found = new Set<string>()
  for (const words of names) {
    const plain = words.filter(word => kindOf(word) !== 'form')
    plain.forEach((word, at) => {
      found.add(word)
      if (kindOf(word) === 'plain') found.add(markInitial(firstLetter(word)))
      for (const joined of listJoined(plain, at)) found.add(joined)
    })
  }
  return [...found]
}

/** A word with the one or the two after it as one word, as far as names have such. */
function listJoined(words: readonly string[], at: number): string[] {
  const [one, next, last] = words.slice(at, at + 3)
  const joined = next === undefined ? [] : [joinWords(one!, next)]
  const isShort = last !== undefined && [one!, next!, last].every(word => word.length <= MAX_SYLLABLE)
  return [...joined, ...(isShort ? [joinWords(joined[0]!, last)] : [])].filter(text => text.length <= MAX_JOINED)
}

/** The words to look up for a word of the query: itself, it with its neighbour, its initial. */
export function listQueryWords(names: readonly (readonly string[])[]): string[] {
  return [...new Set(names.flatMap(words => selectWords(words).flatMap(({ spellings }) => spellings)))]
}

interface QueryWord {
  word: string
  spellings: string[]
}

/** The words of a name that entries are looked for by. Particles are, only if there is nothing else. */
function selectWords(words: readonly string[]): QueryWord[] {
  const kinds = words.map(kindOf)
  const hasPlain = kinds.some(kind => kind === 'plain' || kind === 'number')
  return words.flatMap((word, at) => {
    const kind = kinds[at]!
    if (kind === 'form') return []
    if (hasPlain && kind === 'particle') return []
    if (kind === 'initial') return [{ word, spellings: [markInitial(word)] }]
    const joined = [at - 2, at - 1, at]
      .flatMap(start => (start < 0 ? [] : listJoined(words, start)))
      .filter(text => !text.includes('+'))
    return [{ word, spellings: [word, ...joined, ...(kind === 'plain' ? [firstLetter(word)] : [])] }]
  })
}

/** Those of the words with some of the keys of a word that are like it. */
export function selectLike(word: string, found: readonly IndexedWord[]): IndexedWord[] {
  return found
    .map(one => ({ one, like: word === one.word ? 1 : compareWords(word, one.word) }))
    .filter(({ like }) => like >= LEAST_LIKENESS)
    .sort((first, second) => second.like - first.like)
    .slice(0, MAX_WORDS_OF_GROUP)
    .map(({ one }) => one)
}

/** How entries are looked for that may have one of the names (Decision 0241). `likeWords` are the indexed words for each spelling. */
export function planCandidates(
  names: readonly (readonly string[])[],
  likeWords: ReadonlyMap<string, readonly IndexedWord[]>,
): CandidateQuery {
  const query: CandidateQuery = { pairs: [], rare: [], groups: [] }
  for (const words of names) addName(query, selectWords(words), likeWords)
  return { ...query, rare: [...new Set(query.rare)] }
}

function addName(
  query: CandidateQuery,
  words: readonly QueryWord[],
  likeWords: ReadonlyMap<string, readonly IndexedWord[]>,
): void {
  const groups = words.map(word => ({ ...buildGroup(word, likeWords), kind: kindOf(word.word) }))
  const found = groups.filter(({ group }) => group.size > 0)
  query.groups.push(...found.map(({ group }) => group))
  query.rare.push(...found.flatMap(({ rare, kind }) => (kind === 'initial' ? [] : rare)))
  const chosen = found.sort((one, other) => one.entries - other.entries).slice(0, MAX_GROUPS)
  const [only] = chosen
  if (words.length === 1 && only) query.pairs.push([[...only.group.keys()], []])
  chosen.forEach(({ group }, at) => {
    for (const other of chosen.slice(at + 1)) query.pairs.push([[...group.keys()], [...other.group.keys()]])
  })
}

function buildGroup({ word, spellings }: QueryWord, likeWords: ReadonlyMap<string, readonly IndexedWord[]>) {
  const group = new Map<number, number>()
  const rare: number[] = []
  let entries = 0
  for (const [spelling, found] of spellings.flatMap(one =>
    (likeWords.get(one) ?? []).map(like => [one, like] as const),
  )) {
    if (group.has(found.id)) continue
    const like = compareWords(spelling, found.word)
    group.set(found.id, spelling === word ? like : like * JOINED_SHARE)
    if (!found.word.endsWith('*')) entries += found.entries
    if (isRare(found, like)) rare.push(found.id)
  }
  return { group, rare, entries }
}

function isRare({ word, entries }: IndexedWord, like: number): boolean {
  return entries <= RARE_ENTRIES && like >= RARE_LIKENESS && word.length > 2
}

/** The numbers of those entries that have most of the words, the best first. */
export function rankCandidates(
  found: readonly { id: string; words: readonly number[] }[],
  groups: readonly WordGroup[],
  limit: number,
): string[] {
  if (found.length <= limit) return found.map(({ id }) => id)
  const scored = found.map(({ id, words }) => ({
    id,
    score: groups.reduce((sum, group) => sum + bestOf(words, group), 0),
  }))
  return scored
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ id }) => id)
}

function bestOf(words: readonly number[], group: WordGroup): number {
  let best = 0
  for (const word of words) best = Math.max(best, group.get(word) ?? 0)
  return best
}

/** The keys by which words of the lists are looked up. */
export function listLookupKeys(words: readonly string[]): number[] {
  return [...new Set(words.flatMap(word => listKeys(word)))]
}

/** The names of a subject as words. */
export function splitNames({ name, aliases }: Pick<Subject, 'name' | 'aliases'>): string[][] {
  return [name, ...aliases].map(splitName).filter(words => words.length > 0)
}
