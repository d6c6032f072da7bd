import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { loadOperation } from '../../../tasks/index.ts'
import { plainPdf } from '../../support/pdf.ts'
import { PDF_BOMBS } from '../../support/pdf-bombs.ts'
import { runJob, testPools } from '../../support/pools.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

/** What each operation does with a document, besides being given it. */
const CALLS: Record<string, Record<string, unknown>> = {
  'pdf.attachments': { action: 'extract' },
  'pdf.bookmarks': { action: 'clear' },
  'pdf.encrypt': { userPassword: 'open sesame' },
  'pdf.extract-text': {},
  'pdf.form': {},
  'pdf.images': {},
  'pdf.merge': {},
  'pdf.metadata': {},
  'pdf.pages': { action: 'reorder', order: [1, 1] },
  'pdf.render': { width: 50 },
  'pdf.rotate': { degrees: '90' },
  'pdf.split': {},
  'pdf.watermark': { text: 'draft' },
}

/** These cost time until the limit ends them, so that only those operations are asked that go into them. */
const SLOW: Record<string, string[]> = {
  'a drawing that swells': ['pdf.render'],
  'forms that draw each other many times': ['pdf.extract-text'],
  'a picture without end': ['pdf.images', 'pdf.rotate'],
  'a page tree without bottom': ['pdf.rotate', 'pdf.merge'],
  'an outline without bottom': ['pdf.bookmarks', 'pdf.extract-text'],
  // The reader goes round in it until its time or its memory is used up.
  'a bookmark that is no dictionary': ['pdf.metadata'],
  'lists in lists': ['pdf.attachments', 'pdf.metadata', 'pdf.pages'],
}
const LIMITS = /^(?:TIME|MEMORY)_LIMIT_EXCEEDED$/

describe.each(Object.entries(PDF_BOMBS))('%s', (title, make) => {
  const file = make()

  test.each(SLOW[title] ?? Object.keys(CALLS))('does not harm %s', async name => {
    const { errors } = await loadOperation(name)
    const body = name === 'pdf.merge' ? { files: [file, plainPdf(1)] } : { file, ...CALLS[name] }
    const outcome = await runJob(pools, name, body, { limitSeconds: LIMITED.has(title) ? 3 : 20 }).then(
      () => undefined,
      (error: { code?: string }) => error.code ?? `${error}`,
    )
    if (outcome) expect(errors).toContain(outcome)
    if (outcome && !LIMITED.has(title)) expect(outcome).not.toMatch(LIMITS)
  })
})

const LIMITED = new Set([
  'a drawing that swells',
  'forms that draw each other many times',
  'a picture without end',
  'a bookmark that is no dictionary',
])

test('two thousand pages are not too many', async () => {
  const file = plainPdf(2000)
  const { units } = await runJob(pools, 'pdf.rotate', { file, degrees: '90' })
  expect(units).toBe(2000)
  expect((await runJob(pools, 'pdf.extract-text', { file })).units).toBe(2000)
  expect((await runJob(pools, 'pdf.metadata', { file })).result).toMatchObject({ pageCount: 2000 })
  expect((await runJob(pools, 'pdf.render', { file, pages: 'last', dpi: 36 })).files).toMatchObject([{ page: 2000 }])
})
