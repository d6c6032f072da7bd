import { randomUUID } from 'node:crypto'
import { type Delivery, Problem } from '#kit'
import { listOwn } from '../../../sql/screening/own-lists.ts'
import { OWN_PREFIX } from '../../../tasks/products/screening/sources.ts'
import type { ApiContext } from '../../context.ts'
import type { NamingCall } from '../../intake/parts.ts'

/** Which list an upload is for, refused before it is paid for if it cannot be. */
export async function planLoad(
  { db, settings }: ApiContext,
  { caller }: NamingCall,
  { source }: Record<string, unknown>,
): Promise<Delivery> {
  const known = caller ? await listOwn(db, caller.accountId) : []
  const isNew = source === undefined
  // A call that is only told its price has no caller yet.
  if (!isNew && caller && !known.includes(String(source))) throw new Problem('NOT_FOUND', { field: 'source' })
  const max = settings.get('screening.max_own_lists')
  if (isNew && known.length >= max) throw new Problem('TOO_MANY_LISTS', { max })
  const key = isNew ? `${OWN_PREFIX}${randomUUID()}` : source
  return { to: 'screening.load-list', chargeMicros: '0', plan: { key, isNew } }
}
