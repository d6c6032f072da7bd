import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import {
  activatePlaces,
  askGazetteer,
  beginPlaceLoad,
  type LoadedPlace,
  storePlaces,
} from '../../../../sql/location/index.ts'
import { type AdminNames, parseAdminLine, parseGeoNamesLine } from '../../../../tasks/engines/gazetteer/geonames.ts'
import { type CliContext, type Runs, UsageError } from '../../../cli/verb.ts'

const BATCH_LINES = 5_000
const ATTRIBUTION = 'Data: GeoNames (geonames.org), CC BY 4.0'

export const runs: Runs = {
  async load(context, [file], { regions, districts, postcodes, date }) {
    const files = [file!, ...(postcodes ? [postcodes] : [])]
    for (const path of [...files, regions, districts]) if (path) await requireFile(path)
    const dataDate = date ?? (await stat(file!)).mtime.toISOString().slice(0, 10)
    if (!/^\d{4}-\d\d-\d\d$/.test(dataDate)) throw new UsageError('--date is a day such as 2026-11-22.')
    const admin = { regions: await readAdminNames(regions), districts: await readAdminNames(districts) }
    const load = await beginPlaceLoad(context.db, { source: 'geonames', attribution: ATTRIBUTION, date: dataDate })
    for (const path of files)
      await loadFile(context, { id: load.id, path, admin, done: load.progress[basename(path)] ?? 0 })
    const places = await activatePlaces(context.db, load.id)
    return { data: { places, dataDate }, text: `${places} places of ${dataDate} are loaded` }
  },
  async show({ db }) {
    const { data } = await askGazetteer(db, [])
    const note = data.isSample ? '; load a dump of GeoNames with `places load`' : ''
    return { data, text: `${data.source} of ${data.date}${note}` }
  },
}

async function requireFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) throw new UsageError(`There is no file ${path}.`)
}

async function readAdminNames(path: string | undefined): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  if (!path) return names
  for await (const line of readLines(path)) {
    const entry = parseAdminLine(line)
    if (entry) names.set(...entry)
  }
  return names
}

/** Stores a file by batches. What an earlier run has stored is skipped. */
async function loadFile(
  { db }: CliContext,
  { id, path, admin, done }: { id: number; path: string; admin: AdminNames; done: number },
): Promise<void> {
  const file = basename(path)
  let [lines, batch] = [0, [] as LoadedPlace[]]
  const store = async () => {
    await storePlaces(db, id, batch, { file, lines })
    batch = []
    process.stderr.write(`\r${file}: ${lines} lines`)
  }
  for await (const line of readLines(path)) {
    lines += 1
    if (lines <= done) continue
    const place = parseGeoNamesLine(line, admin)
    if (place) batch.push(place)
    if (lines % BATCH_LINES === 0) await store()
  }
  if (lines > done) await store()
  process.stderr.write('\n')
}

function readLines(path: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })
}
