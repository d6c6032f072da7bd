import { listVersions, queueRefresh } from '../../../../sql/screening/index.ts'
import { openSettings } from '../../../../sql/setting.ts'
import { SOURCES } from '../../../../tasks/products/screening/index.ts'
import { formatTable } from '../../../cli/print.ts'
import { type Runs, UsageError } from '../../../cli/verb.ts'

export const runs: Runs = {
  async lists({ db }) {
    const versions = (await listVersions(db, null)).filter(({ isOwn }) => !isOwn)
    const known = [...new Set([...SOURCES.map(({ key }) => key), ...versions.map(({ key }) => key)])]
    const data = known.map(key => {
      const listed = versions.find(version => version.key === key)
      const { version = null, entries = null, publishedAt = null, loadedAt = null, checkedAt = null } = listed ?? {}
      return { list: key, version, entries, publishedAt, loadedAt, checkedAt, failure: listed?.failure ?? null }
    })
    const columns = ['list', 'version', 'entries', 'publishedAt', 'loadedAt', 'checkedAt', 'failure'] as const
    const lines = data.map(row => columns.map(column => String(row[column] ?? '')))
    return { data, text: formatTable([...columns], lines) }
  },
  async refresh({ db }, [list]) {
    const available = SOURCES.map(({ key }) => key)
    if (!list || !available.includes(list)) throw new UsageError(`Name one of the lists: ${available.join(', ')}.`)
    const chosen = (await openSettings(db)).get('screening.lists')
    if (!chosen.includes(list))
      throw new UsageError(
        `The setting screening.lists does not name ${list}, so it is not loaded. Set it first: npm run -s cli -- setting set screening.lists ${[...chosen, list].join(',')}`,
      )
    await queueRefresh(db, list, 0)
    return { data: { list }, text: `The next free worker looks for a new version of ${list}.` }
  },
}
