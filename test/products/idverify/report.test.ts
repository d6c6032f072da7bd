import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { writeReport } from '../../../tasks/products/idverify/report.ts'
import { printReport } from '../../../workers/products/idverify/reading.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { sharedPools } from '../../support/pools/open.ts'

const RECORD = {
  ...{ id: 'idv_1', type: 'document', status: 'completed', decision: 'declined', reasonCodes: ['DOC_EXPIRED'] },
  checks: [{ name: 'expiry', result: 'fail', detail: '2020-01-01' }],
  document: { type: 'passport', number: '***1', names: { first: 'Зоя 東京', last: '<script>alert(1)</script>' } },
  ...{ age: 40, similarity: null, aml: null, referenceId: 'ref & 7', attemptsUsed: 1, provider: null },
  ...{ reviewedBy: null, createdAt: '2026-01-02', updatedAt: '2026-01-03', purgedAt: null },
}

test('a report is printed with names in every script, and what is written in it stays text', async () => {
  const pools = await sharedPools()
  const log = { info: () => undefined } as never
  const pdf = await printReport(
    { pools, log, store: undefined as never },
    writeReport(RECORD),
    AbortSignal.timeout(170_000),
  )
  await using folder = await freshFolder()
  const path = join(folder.path, 'report.pdf')
  await writeFile(path, pdf)
  const { stdout } = await promisify(execFile)('pdftotext', ['-layout', path, '-'])
  for (const text of [
    'declined',
    'check digits and dates, by machine',
    'Зоя 東京',
    '<script>alert(1)</script>',
    'ref & 7',
    'expiry',
  ])
    expect(stdout.replaceAll(/ +/g, ' ')).toContain(text)
})
