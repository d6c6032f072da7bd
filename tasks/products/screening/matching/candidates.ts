import { compareWords, type SpeltWord, spellWord } from '../names/likeness.ts'
import { listKeys } from '../names/sound.ts'
import { joinWords, kindOf, splitName } from '../names/words.ts'
import type { Subject } from '../subject.ts'

/** A word that names of the lists have: its number, and how many entries have it. */
export interface ListedWord {
  id: number
  word: string
  entries: number
}

export interface IndexedWord extends ListedWord {
  spelt: SpeltWord
}

/** Words of the lists that a word of the query may stand for, by their numbers, with how alike they are. */
interface WordGroup {
  words: ReadonlyMap<number, number>
  /** The name that the word is of. */
  name: number
  /** Of so many words of the name an entry must have one each to be compared; undefined for a word that only ranks entries. */
  least?: number
}

/** What entries are looked for: those with words of enough groups of a name, or with one of the rare words. */
interface CandidateQuery {
  groups: WordGroup[]
  rare: Set<number>
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
  const spelt = spellWord(word)
  return found
    .map(one => ({ one, like: compareWords(spelt, one.spelt, LEAST_LIKENESS) }))
    .filter(({ like }) => like > 0)
    .sort((first, second) => second.like - first.like)
    .slice(0, MAX_WORDS_OF_GROUP)
    .map(({ one }) => one)
}

/** How entries are looked for that may have one of the names (Decision 0241). `likeWords` are the indexed words for each spelling. */
export function planCandidates(
  names: readonly (readonly string[])[],
  likeWords: ReadonlyMap<string, readonly IndexedWord[]>,
): CandidateQuery {
  const query: CandidateQuery = { groups: [], rare: new Set() }
  for (const [name, words] of names.entries()) addName(query, selectWords(words), name, likeWords)
  return query
}

function addName(
  query: CandidateQuery,
  words: readonly QueryWord[],
  name: number,
  likeWords: ReadonlyMap<string, readonly IndexedWord[]>,
): void {
  const found = words
    .map(word => ({ ...buildGroup(word, likeWords), kind: kindOf(word.word) }))
    .filter(({ group }) => group.size > 0)
    .sort((one, other) => one.entries - other.entries)
  const least = Math.min(words.length, 2)
  found.forEach(({ group, rare, kind }, at) => {
    query.groups.push({ words: group, name, ...(at < MAX_GROUPS && { least }) })
    if (kind !== 'initial') for (const word of rare) query.rare.add(word)
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
    const like = compareWords(spellWord(spelling), found.spelt, LEAST_LIKENESS)
    group.set(found.id, spelling === word ? like : like * JOINED_SHARE)
    if (!found.word.endsWith('*')) entries += found.entries
    if (isRare(found, like)) rare.push(found.id)
  }
  return { group, rare, entries }
}

function isRare({ word, entries }: IndexedWord, like: number): boolean {
  return entries <= RARE_ENTRIES && like >= RARE_LIKENESS && word.length > 2
}

/** What is counted of an entry while the groups are gone through, one after another. */
interface Tally {
  likeness: number
  /** The last group that it has a word of, and the name of that group. */
  group: number
  name: number
  /** Of so many groups of that name it has a word. */
  groups: number
  isWanted: boolean
}

/** The numbers of the entries to compare, the most alike first (Decision 0800). `postings` are the entries that have each word. */
export function rankEntries(
  { groups, rare }: CandidateQuery,
  postings: ReadonlyMap<number, readonly number[]>,
): number[] {
  const tallies = new Map<number, Tally>()
  const rareEntries = new Set([...rare].flatMap(word => postings.get(word) ?? []))
  const lastOpen = findLastOpen(groups)
  for (const [at, group] of groups.entries()) {
    const find = (entry: number) =>
      tallies.get(entry) ?? (at <= lastOpen || rareEntries.has(entry) ? addTally(tallies, entry) : undefined)
    // The most alike first, so that the first word that an entry has of a group is its best one.
    const words = [...group.words].sort(([, one], [, other]) => other - one)
    for (const [word, likeness] of words)
      countEntries(postings.get(word) ?? [], find, { group, at, likeness, isRare: rare.has(word) })
  }
  return [...tallies]
    .filter(([, { isWanted }]) => isWanted)
    .sort(([one, first], [other, second]) => second.likeness - first.likeness || one - other)
    .map(([entry]) => entry)
}

/** The last group of which a new entry can still have words of enough groups. Later ones are the most common words. */
function findLastOpen(groups: readonly WordGroup[]): number {
  return groups.findLastIndex(({ name, least }, at) => {
    const left = groups.slice(at).filter(one => one.name === name && one.least !== undefined)
    return least !== undefined && left.length >= least
  })
}

function addTally(tallies: Map<number, Tally>, entry: number): Tally {
  const tally = { likeness: 0, group: -1, name: -1, groups: 0, isWanted: false }
  tallies.set(entry, tally)
  return tally
}

/** Counts a word for the entries that have it. */
function countEntries(
  entries: readonly number[],
  find: (entry: number) => Tally | undefined,
  word: { group: WordGroup; at: number; likeness: number; isRare: boolean },
): void {
  for (const entry of entries) {
    const tally = find(entry)
    if (tally) countWord(tally, word)
  }
}

function countWord(
  tally: Tally,
  { group, at, likeness, isRare }: { group: WordGroup; at: number; likeness: number; isRare: boolean },
): void {
  if (isRare) tally.isWanted = true
  if (tally.group === at) return
  tally.group = at
  tally.likeness += likeness
  if (group.least === undefined) return
  tally.groups = tally.name === group.name ? tally.groups + 1 : 1
  tally.name = group.name
  if (tally.groups >= group.least) tally.isWanted = true
}

/** The keys by which words of the lists are looked up. */
export function listLookupKeys(words: readonly string[]): number[] {
  return [...new Set(words.flatMap(word => listKeys(word)))]
}

/** The names of a subject as words. */
export function splitNames({ name, aliases }: Pick<Subject, 'name' | 'aliases'>): string[][] {
  return [name, ...aliases].map(splitName).filter(words => words.length > 0)
}
