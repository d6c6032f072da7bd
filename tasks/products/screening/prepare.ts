import type { ListedEntity, NameType } from './entity.ts'
import { listIndexWords } from './matching/candidates.ts'
import { listIdentifierKeys } from './matching/identifiers.ts'
import { listKeys } from './names/sound.ts'
import { splitName } from './names/words.ts'
import { hashEntity } from './request.ts'

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

/** The rules when hashes were first kept. Of content alone, a hash stays what was dismissed and watched by it. */
const FIRST_INDEX_VERSION = 2

/** What tells whether an entry must be stored again: its content, and after a point the rules by which it is indexed. */
export function hashEntry(entity: ListedEntity, indexVersion: number): string {
  const parts = [FIRST_INDEX_VERSION, entity, ...(entity.names.length > FORMER_MAX_NAMES ? [MAX_NAMES] : [])]
  const content = hashEntity(parts).slice(0, 32)
  return indexVersion === FIRST_INDEX_VERSION ? content : `${content}.${indexVersion}`
}

/** The keys of every word of some entries. */
export function collectKeys(entities: readonly PreparedEntity[]): Record<string, readonly number[]> {
  const keys: Record<string, readonly number[]> = {}
  for (const { words } of entities) for (const word of words) keys[word] ??= listKeys(word)
  return keys
}
