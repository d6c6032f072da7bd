import { STATUS_CODES } from 'node:http'
import type { Plain } from './plain-schema.ts'

type Paths = Record<string, Record<string, Plain>>

/**
 * Most operations share their error responses. Responses that occur more than once move to the components, which cuts
 * the document to a third of its size. Returns them by name and replaces them by references.
 */
export function shareResponses(paths: Paths): Record<string, Plain> {
  const all = Object.values(paths).flatMap(methods => Object.values(methods).map(({ responses }) => responses as Plain))
  const counts = Map.groupBy(all.flatMap(Object.entries).map(keyOf), key => key)
  const names = nameResponses([...counts].filter(([, occurrences]) => occurrences.length > 1).map(([key]) => key))
  for (const responses of all) {
    for (const entry of Object.entries(responses)) {
      const name = names.get(keyOf(entry))
      if (name) responses[entry[0]] = { $ref: `#/components/responses/${name}` }
    }
  }
  return Object.fromEntries([...names].map(([key, name]) => [name, JSON.parse(key.slice(4)) as Plain]))
}

/** Only errors are shared; a success response belongs to its operation. */
function keyOf([status, response]: [string, unknown]): string {
  return `${status} ${JSON.stringify(response)}`
}

function nameResponses(keys: readonly string[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const key of keys.filter(text => Number(text.slice(0, 3)) >= 400).sort()) {
    const title = (STATUS_CODES[Number(key.slice(0, 3))] ?? 'Refused').replace(/[^A-Za-z]/g, '')
    const takenCount = [...names.values()].filter(name => name.replace(/\d+$/, '') === title).length
    names.set(key, takenCount === 0 ? title : `${title}${takenCount + 1}`)
  }
  return names
}
