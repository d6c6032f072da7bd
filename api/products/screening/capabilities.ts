import { listVersions } from '../../../sql/screening/lists.ts'
import { describeFamilies } from '../../../tasks/products/screening/coverage.ts'
import type { ApiContext } from '../../context.ts'
import { coverageRules } from './screen.ts'

/** Whether names can be screened here, by families of lists, and what the operator sets for those that are missing. */
export async function describeLists(context: ApiContext) {
  const { config, db } = context
  const canLoad = config.lists.folder !== undefined || config.outbound === 'public'
  const set = canLoad
    ? 'screening.lists, and LISTS_URLS for those that need an address'
    : 'OUTBOUND=public, or LISTS_DIR'
  const families = describeFamilies(await listVersions(db, null), coverageRules(context))
  return Object.fromEntries(
    families.map(({ family, state, ...lists }) => [
      family,
      { available: state !== 'none', state, ...lists, ...(state !== 'full' && { set }) },
    ]),
  )
}
