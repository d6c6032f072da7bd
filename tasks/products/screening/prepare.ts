import type { ListedEntity, NameType } from './entity.ts'
import { listIndexWords } from './matching/candidates.ts'
import { listIdentifierKeys } from './matching/identifiers.ts'
import { listKeys } from './names/sound.ts'
import { splitName } from './names/words.ts'

/** Changes with the rules by which names are split and indexed, so that lists are loaded anew. */
export const INDEX_VERSION = 2

/** An entry with what it is found by, as it is stored. */
export interface PreparedEntity {
  sourceId: string
  type: string
  families: readonly string[]
  body: ListedEntity
  names: [type: NameType, name: string, words: string][]
  words: string[]
  identifiers: string[]
}

const MAX_NAMES = 300
/** So many had a place before that. */
const FORMER_MAX_NAMES = 60

export function prepareEntity(entity: ListedEntity): PreparedEntity {
  const names = listNames(entity).slice(0, MAX_NAMES)
  const words = listIndexWords(names.map(([, , text]) => text.split(' ')))
  const identifiers = listIdentifierKeys(entity.identifiers)
  const { sourceId, type, families } = entity
  return { sourceId, type, families, body: entity, names, words, identifiers }
}

/** Names of the same words are compared once, as the kind that they are first said to be. */
function listNames({ names }: ListedEntity): PreparedEntity['names'] {
  const byWords = new Map<string, PreparedEntity['names'][number]>()
  for (const { type, name } of names) {
    const words = splitName(name).join(' ')
    const known = byWords.get(words)
    if (words !== '' && (!known || (known[0] === 'weak-aka' && type !== 'weak-aka')))
      byWords.set(words, [type, name, words])
  }
  return [...byWords.values()]
}

/** What tells whether an entry must be stored again. Most keep theirs, so that what was dismissed stays dismissed. */
export function listHashed(entity: ListedEntity): unknown[] {
  return [INDEX_VERSION, entity, ...(entity.names.length > FORMER_MAX_NAMES ? [MAX_NAMES] : [])]
}

/** The keys of every word of some entries. */
export function collectKeys(entities: readonly PreparedEntity[]): Record<string, readonly number[]> {
  const keys: Record<string, readonly number[]> = {}
  for (const { words } of entities) for (const word of words) keys[word] ??= listKeys(word)
  return keys
}
