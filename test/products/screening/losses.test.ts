import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { writeSetting } from '../../../sql/setting.ts'
import type { OutsideFiles } from '../../../tasks/products/step-deps.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'
import { OFAC_FILES } from './list-files.ts'
import { openOwner } from './owner.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi({ OUTBOUND: 'public' })
  await writeSetting(api.context.db, 'screening.lists', ['us_ofac_sdn'])
  await api.context.settings.refresh()
})
afterAll(() => api[Symbol.asyncDispose]())

/** What the list is once a refresh has found these files. */
async function publish(changed: Record<string, string>) {
  const files: Record<string, string> = { ...OFAC_FILES, ...changed }
  const outside: OutsideFiles = {
    open: async ({ name }) => ({ chunks: [Buffer.from(files[name]!)] as never, etag: undefined }),
  }
  await rows(api.context.db, "select screening.queue_refresh('us_ofac_sdn', 0)")
  await runDueSteps({ ...api.context, outside })
  const { lists } = (await api.app.inject('/v1/screening/lists')).json()
  return lists.find(({ source }: { source: string }) => source === 'us_ofac_sdn')
}

const NUMBERS = /Passport XQ000001 \(Russia\); |Tax ID No. 000000000001 \(Russia\); /g

test('a file without the aliases or the identifiers of its entries leaves the last version', async () => {
  const owner = await openOwner(api)
  const asked = { name: 'Kwexington Zorblat', sources: ['us_ofac_sdn'], lists: ['sanctions'] }
  const before = await publish({})
  expect(before).toMatchObject({ entries: 3, failure: null })
  for (const [files, failure] of [
    [{ 'alt.csv': '' }, 'The new file has 1 aliases, the last one had 3.'],
    [
      { 'sdn.csv': OFAC_FILES['sdn.csv']!.replaceAll(NUMBERS, '') },
      'The new file has 4 identifiers, the last one had 6.',
    ],
  ] as const) {
    const after = await publish(files)
    expect([after.version, after.failure]).toEqual([before.version, failure])
    expect((await owner.screen(asked)).body.matches).toMatchObject([{ entityId: 'us_ofac_sdn:1001', score: 1 }])
  }
  const shorter = await publish({ 'add.csv': '' })
  expect(shorter).toMatchObject({ entries: 3, failure: null })
  expect(shorter.version).toBeGreaterThan(before.version)
})
