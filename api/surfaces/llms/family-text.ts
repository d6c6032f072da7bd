import type { Entry } from '#kit'
import { describeFamily, type SurfaceOptions } from '../entries.ts'
import { listTaken, priceOf, renderCallLine, type SharedParts, sentence } from './call-text.ts'
import { FIELD_NOTATION } from './compact-fields.ts'

/** A longer page tells the fields by their names only. */
const MAX_TYPED_LENGTH = 5_500

/** In a smaller family, what its calls share is told with each of them. */
const LEAST_MEMBERS = 3

/** One family: a line for each of its calls, with fields and price. What they share is told once, above. */
export function renderFamilyText(family: string, members: readonly Entry[], options: SurfaceOptions): string {
  const typed = renderWith(family, members, { ...options, isNamesOnly: false })
  return typed.length <= MAX_TYPED_LENGTH ? typed : renderWith(family, members, { ...options, isNamesOnly: true })
}

function renderWith(
  family: string,
  members: readonly Entry[],
  { isNamesOnly, ...options }: SurfaceOptions & { isNamesOnly: boolean },
): string {
  const shared = findShared(members, options, isNamesOnly)
  const notes = [
    `In the lists of fields: ${FIELD_NOTATION}. A Source is a file: {"inline": base64}, {"text": ...}, {"inputKey": ...} or {"batonId": ...}. The rules for all calls are in [llms.txt](${options.publicUrl}/llms.txt).`,
    shared.fields.size > 0 && `All of them take ${[...shared.fields].join(', ')}.`,
    isNamesOnly && 'The page of a call has the types and defaults of its fields.',
    shared.price !== undefined && `The price, where none is told: ${sentence(shared.price)}`,
  ]
  const lines = members.map(entry => renderCallLine(entry, options, { shared, isNamesOnly })).join('\n')
  return `${[`# ${family}`, `> ${describeFamily(family)}`, ...notes.filter(Boolean), lines].join('\n\n')}\n`
}

/** The fields of every member, and the price of at least half of them. */
function findShared(members: readonly Entry[], options: SurfaceOptions, isNamesOnly: boolean): SharedParts {
  if (members.length < LEAST_MEMBERS) return { fields: new Set(), price: undefined }
  const [first, ...others] = members.map(entry => new Set(listTaken(entry, isNamesOnly)))
  const fields = others.reduce((common, taken) => common.intersection(taken), first!)
  const byPrice = Map.groupBy(members, entry => priceOf(entry, options))
  const [price, same] = [...byPrice].sort(([, one], [, other]) => other.length - one.length)[0]!
  return { fields, price: same.length * 2 >= members.length ? price : undefined }
}
