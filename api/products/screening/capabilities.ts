import { Type } from 'typebox'
import { Choice } from '#kit'
import { listVersions } from '../../../sql/screening/lists.ts'
import { describeFamilies } from '../../../tasks/products/screening/coverage.ts'
import type { ApiContext } from '../../context.ts'
import { defineCapability } from '../../product-capabilities.ts'
import { coverageRules } from './screen.ts'

const Lists = Type.Object({
  available: Type.Boolean(),
  state: Choice(['full', 'partial', 'none']),
  loaded: Type.Array(Type.String()),
  missing: Type.Array(Type.String()),
  set: Type.Optional(Type.String({ description: 'What the operator sets for the missing lists.' })),
})

export default [
  defineCapability({
    name: 'screening',
    schema: Type.Record(Type.String(), Lists, { description: 'By the families of lists: `sanctions` and `pep`.' }),
    describe: describeLists,
    stillTaken: 'No public list is loaded here: it searches lists of your own, or with `allowSample` invented entries.',
    async listRefused(context) {
      const families = await readFamilies(context)
      return families.every(({ state }) => state === 'none') ? ['screening.match', 'screening.create-monitor'] : []
    },
  }),
]

async function readFamilies(context: ApiContext) {
  return describeFamilies(await listVersions(context.db, null), coverageRules(context))
}

/** Whether names can be screened here, by families of lists, and what the operator sets for those that are missing. */
async function describeLists(context: ApiContext) {
  const { config } = context
  const canLoad = config.lists.folder !== undefined || config.outbound === 'public'
  const set = canLoad
    ? 'screening.lists, and LISTS_URLS for those that need an address'
    : 'OUTBOUND=public, or LISTS_DIR'
  const families = await readFamilies(context)
  return Object.fromEntries(
    families.map(({ family, state, ...lists }) => [
      family,
      { available: state !== 'none', state, ...lists, ...(state !== 'full' && { set }) },
    ]),
  )
}
