import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { loadOperation } from '../../../tasks/index.ts'
import { PDF_BOMBS } from '../../support/pdf/bombs.ts'
import { plainPdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

/** The options of each operation besides the file; a word behind a name tells two ways of one operation apart. */
const OPTIONS_BY_OPERATION: Record<string, Record<string, unknown>> = {
  'pdf.attachments': { action: 'extract' },
  'pdf.bookmarks': { action: 'clear' },
  'pdf.encrypt': { userPassword: 'open sesame' },
  'pdf.extract-text': {},
  'pdf.form': {},
  'pdf.images': {},
  'pdf.layout': { action: 'n-up' },
  'pdf.merge': {},
  'pdf.metadata': {},
  'pdf.pages': { action: 'reorder', order: [1, 1] },
  'pdf.pages delete-blank': { action: 'delete-blank' },
  'pdf.render': { width: 50 },
  'pdf.rotate': { degrees: '90' },
  'pdf.sanitize': { links: true, metadata: true },
  'pdf.split': {},
  'pdf.to-pdfa': {},
  'pdf.watermark': { text: 'draft' },
}

/** These run until a limit ends them, so only the operations that are affected are tested. */
const SLOW_BOMBS: Record<string, string[]> = {
  'a content stream that inflates to 400 MB': ['pdf.render', 'pdf.pages delete-blank'],
  'forms that draw each other many times': ['pdf.extract-text', 'pdf.pages delete-blank'],
  'an image of enormous size': ['pdf.images', 'pdf.rotate', 'pdf.pages delete-blank'],
  'a page tree 20,000 levels deep': ['pdf.rotate', 'pdf.merge', 'pdf.sanitize'],
  'an outline 20,000 levels deep': ['pdf.bookmarks', 'pdf.extract-text'],
  // The parser loops here until it reaches the time or memory limit.
  'a bookmark that is not a dictionary': ['pdf.metadata'],
  'arrays nested 50,000 levels deep': ['pdf.attachments', 'pdf.metadata', 'pdf.pages', 'pdf.sanitize'],
}
const LIMIT_CODES = /^(?:TIME|MEMORY)_LIMIT_EXCEEDED$/

describe.each(Object.entries(PDF_BOMBS))('%s', (title, make) => {
  const file = make()

  test.each(SLOW_BOMBS[title] ?? Object.keys(OPTIONS_BY_OPERATION))('does not harm %s', async way => {
    const [name = ''] = way.split(' ')
    const { errors } = await loadOperation(name)
    const body = name === 'pdf.merge' ? { files: [file, plainPdf(1)] } : { file, ...OPTIONS_BY_OPERATION[way] }
    const outcome = await runJob(pools, name, body, {
      limitSeconds: BOMBS_THAT_MAY_HIT_LIMITS.has(title) ? 3 : 20,
    }).then(
      () => undefined,
      (error: { code?: string }) => error.code ?? `${error}`,
    )
    if (outcome) expect(errors).toContain(outcome)
    if (outcome && !BOMBS_THAT_MAY_HIT_LIMITS.has(title)) expect(outcome).not.toMatch(LIMIT_CODES)
  })
})

const BOMBS_THAT_MAY_HIT_LIMITS = new Set([
  'a content stream that inflates to 400 MB',
  'forms that draw each other many times',
  'an image of enormous size',
  'a bookmark that is not a dictionary',
])

test('processes two thousand pages', async () => {
  const file = plainPdf(2000)
  const { units } = await runJob(pools, 'pdf.rotate', { file, degrees: '90' })
  expect(units).toBe(2000)
  expect((await runJob(pools, 'pdf.extract-text', { file })).units).toBe(2000)
  expect((await runJob(pools, 'pdf.metadata', { file })).result).toMatchObject({ pageCount: 2000 })
  expect((await runJob(pools, 'pdf.render', { file, pages: 'last', dpi: 36 })).files).toMatchObject([{ page: 2000 }])
})
