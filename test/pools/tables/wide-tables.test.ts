import { expect, test, vi } from 'vitest'
import { Database } from '../../../pools/tools/duckdb/database.ts'
import { profile } from '../../../pools/tools/duckdb/steps/describe/profile.ts'
import { schemaInfer } from '../../../pools/tools/duckdb/steps/describe/schema-infer.ts'
import { Work } from '../../../pools/tools/duckdb/work.ts'
import { freshFolder } from '../../support/machine/folder.ts'

const PROFILE = { topK: 10, histogramBins: 10, correlations: false, sampleRows: 0, detectPii: true }
const INFER = { dialect: 'json-schema' as const, sampleRows: 0, enumMax: 20, requiredThreshold: 1 }

test.each([
  ['a profile', (work: Work, input: Parameters<typeof profile>[1]['input']) => profile(work, { input }, PROFILE)],
  ['a schema', (work: Work, input: Parameters<typeof profile>[1]['input']) => schemaInfer(work, { input }, INFER)],
])('makes %s of two thousand columns with few queries', async (_, describe) => {
  await using folder = await freshFolder()
  const database = await Database.open({ folder: folder.path, memoryMb: 512, spillMb: 512 })
  try {
    const work = new Work(database, 512)
    const columns = Array.from({ length: 2000 }, (_column, at) => `${at % 2 ? 'range' : "'a' || range"} AS c${at}`)
    const input = await work.define(`SELECT ${columns.join()} FROM range(20)`, { isStored: true })
    const query = vi.spyOn(database, 'rows')
    await describe(work, input)
    expect(query.mock.calls.length).toBeGreaterThan(0)
    expect(query.mock.calls.length).toBeLessThan(100)
  } finally {
    database.close()
  }
})
