import { Type } from 'typebox'
import { isUuid, Problem } from '#kit'
import { readTerms, type Visitor } from '../../../sql/baton/index.ts'
import { checkVectors } from '../../../sql/vector/change.ts'
import type { ApiContext } from '../../context.ts'
import type { IncomingCall } from '../../incoming-call.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import { identifyVisitor, isToken } from '../baton/index.ts'

/** Not `id`, because tools give the parameters of the path and the fields of the body in one object. */
export const VectorBaton = Type.Object({
  baton: Type.String({ minLength: 1, maxLength: 64, description: 'The id of a vector baton, or one of its tokens.' }),
})

interface VectorVisit {
  caller: Caller | undefined
  params: { baton: string }
  request: IncomingCall
}

export function identifyVectorUser(context: ApiContext, { caller, params, request }: VectorVisit): Visitor {
  return identifyVisitor(context, { caller, params: { id: params.baton }, request })
}

/**
 * Refuses before anything is paid for what the baton does not allow. Who pays for a call is known only by its payment, so
 * without credentials anyone who knows an id may ask for the price.
 */
export async function checkBeforePaying(
  context: ApiContext,
  visit: VectorVisit,
  action: 'read' | 'write',
): Promise<void> {
  const { baton: id } = visit.params
  if (visit.caller || isToken(id)) return checkVectors(context.db, identifyVectorUser(context, visit), action)
  const terms = isUuid(id) ? await readTerms(context.db, id) : null
  if (!terms) throw new Problem('NOT_FOUND')
  if (!terms.isActive) throw new Problem('GONE')
  if (terms.behaviour !== 'vectors') throw new Problem('PRESET_MISMATCH', { expected: 'vector' })
}

/** Refuses a body that has none or several of the fields of which it takes one. */
export function requireOneOf(body: object, fields: readonly string[]): void {
  const given = fields.filter(name => (body as Record<string, unknown>)[name] !== undefined)
  if (given.length === 0) throw new Problem('MISSING_FIELD', { field: fields[0], oneOf: fields })
  if (given.length > 1) throw new Problem('CONFLICTING_OPTIONS', { fields: given })
}
