import { stat } from 'node:fs/promises'
import { readCurrentRoads } from '../../../../sql/location/index.ts'
import type { GraphManifest } from '../../../../tasks/engines/roads/graph.ts'
import { OsmParseError } from '../../../../tasks/formats/osm/element.ts'
import { type Runs, UsageError } from '../../../cli/verb.ts'
import { loadRoads } from '../load-roads.ts'

export const runs: Runs = {
  async load({ db }, [path], { date }) {
    const found = await stat(path!).catch(() => undefined)
    if (!found?.isFile()) throw new UsageError(`There is no file ${path}.`)
    const dataDate = date ?? found.mtime.toISOString().slice(0, 10)
    if (!/^\d{4}-\d\d-\d\d$/.test(dataDate)) throw new UsageError('--date is a day such as 2026-11-22.')
    const report = (line: string) => void process.stderr.write(`${line}\n`)
    const loaded = await loadRoads(db, path!, { date: dataDate, report }).catch((error: Error) => {
      throw error instanceof OsmParseError ? new UsageError(`${path} cannot be read: ${error.message}.`) : error
    })
    const text = `${loaded.edges} stretches of road between ${loaded.nodes} crossings of ${dataDate} are loaded`
    return { data: { ...loaded, dataDate }, text }
  },
  async show({ db }) {
    const current = await readCurrentRoads(db)
    if (!current) return { data: null, text: 'no roads are loaded; load an extract of OpenStreetMap with `roads load`' }
    const { bounds, lengths } = current.manifest as GraphManifest
    const data = { attribution: current.attribution, dataDate: current.date, edges: lengths.from, bounds }
    return { data, text: `${lengths.from} stretches of road of ${current.date}, within ${bounds.join(', ')}` }
  },
}
