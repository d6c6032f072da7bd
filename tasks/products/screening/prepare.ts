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

const MAX_NAMES = 60

export function prepareEntity(entity: ListedEntity): PreparedEntity {
  const names = entity.names.slice(0, MAX_NAMES).flatMap(({ type, name }): PreparedEntity['names'] => {
    const words = splitName(name)
    return words.length === 0 ? [] : [[type, name, words.join(' ')]]
  })
  const words = listIndexWords(names.map(([, , text]) => text.split(' ')))
  const identifiers = listIdentifierKeys(entity.identifiers)
  const { sourceId, type, families } = entity
  return { sourceId, type, families, body: entity, names, words, identifiers }
}

/** The keys of every word of some entries. */
export function collectKeys(entities: readonly PreparedEntity[]): Record<string, readonly number[]> {
  const keys: Record<string, readonly number[]> = {}
  for (const { words } of entities) for (const word of words) keys[word] ??= listKeys(word)
  return keys
}
