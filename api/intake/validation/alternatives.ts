import type { ErrorObject } from 'ajv/dist/2020.js'

/**
 * What is wrong with a value that may have one of several forms: of those alternatives whose type it has, what they say;
 * of a value of no such type, all types; of a value that is none of some, all of these.
 */
export function joinAlternatives(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const paths = [...new Set(errors.map(({ instancePath }) => instancePath))]
  return paths.flatMap(path => {
    const given = errors.filter(({ instancePath }) => instancePath === path)
    const own = given.length > 1 ? given.map(toTypeError) : given
    const others = own.filter(({ keyword }) => keyword !== 'type')
    const hasInner = errors.some(({ instancePath }) => instancePath.startsWith(`${path}/`))
    if (others.length > 0) return joinValues(others)
    return hasInner ? [] : joinTypes(own)
  })
}

/** A value is none of some words because it is no word at all. */
function toTypeError(error: ErrorObject): ErrorObject {
  const { keyword, params, data } = error
  if (keyword !== 'enum' && keyword !== 'const') return error
  const types = new Set(listAllowed(params).map(value => typeof value))
  if (types.has(typeof data) || types.has('object')) return error
  return { ...error, keyword: 'type', params: { type: [...types] } }
}

function listAllowed({ allowedValues, allowedValue }: Record<string, unknown>): unknown[] {
  return (allowedValues as unknown[] | undefined) ?? [allowedValue]
}

function joinTypes(errors: readonly ErrorObject[]): ErrorObject[] {
  const types = [...new Set(errors.flatMap(({ params }) => params.type as string | string[]))]
  const [first] = errors
  if (types.length < 2) return [first!]
  return [{ ...first!, params: { type: types.join(' or ') }, message: `must be ${types.join(' or ')}` }]
}

function joinValues(errors: readonly ErrorObject[]): ErrorObject[] {
  const listing = errors.filter(({ keyword }) => keyword === 'enum' || keyword === 'const')
  if (listing.length < 2) return [...errors]
  const allowedValues = [...new Set(listing.flatMap(({ params }) => listAllowed(params)))]
  const joined = { ...listing[0]!, keyword: 'enum', params: { allowedValues } }
  return [joined, ...errors.filter(error => !listing.includes(error))]
}
