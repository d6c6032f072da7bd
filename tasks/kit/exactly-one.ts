import { Problem } from './problem.ts'

/** Returns which of several fields is given. None of them, or more than one, is a mistake of the caller. */
export function exactlyOne<Name extends string>(
  input: { readonly [Field in Name]?: unknown },
  names: readonly Name[],
): Name {
  const given = names.filter(name => input[name] !== undefined)
  if (given.length === 0) throw new Problem('MISSING_FIELD', { field: names[0], oneOf: names })
  if (given.length > 1) throw new Problem('CONFLICTING_OPTIONS', { fields: given })
  return given[0]!
}
