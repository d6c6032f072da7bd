import { Type } from 'typebox'
import { define, FileOutput, Problem, perCall } from '#kit'
// What it throws is known once the products are, also in a thread that runs nothing else.
import '../../../index.ts'
import { renderReport } from '../../report/html.ts'
import type { ScreeningRecord } from '../../report/record.ts'
import { SAMPLE_SCREENING, screenSample } from '../../sample/screening.ts'

const PDF = 'application/pdf'
const A4 = { width: 8.2677, height: 11.6929, margin: { top: 0.6, right: 0.6, bottom: 0.8, left: 0.6 } }
/** Of pages that we wrote ourselves: nothing runs and nothing is loaded. */
const PRINT = {
  ...({ landscape: false, scale: 1, preferCssPageSize: false, single: false, background: true } as const),
  ...({ media: 'print', outline: false, tagged: true, javascript: false, network: 'none', timezone: 'UTC' } as const),
  ...{ wait: { delayMs: 0, networkIdle: false, timeoutMs: 15_000 }, maxPages: 200 },
}

const Words = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000\\ud800-\\udfff]*$', description }))

export default define({
  summary: 'Make a PDF of a screening for the file: who was searched for, in which lists, and what was found.',
  keywords:
    'screening report, aml report pdf, compliance evidence, due diligence file, print a sanctions check, audit trail of a screening',
  description:
    'Written from the screening as it was kept, with the versions of the lists, the lists that were missing, how each match was ' +
    'scored, and what you have dismissed of it since. Nothing is searched again.',
  price: perCall('0.005'),
  uses: ['chromium'],
  input: Type.Object({
    screeningId: Type.String({
      pattern: `^(scr_[0-9a-f-]{36}|${SAMPLE_SCREENING})$`,
      description: 'As an answer has it; `sample` is the screening of an invented person, for a try.',
    }),
    title: Words(120, '`Screening report` if left out.'),
    preparedFor: Words(200, 'Who or what it is for, such as a case number.'),
    note: Words(4_000, 'Printed as it is, such as who decided what.'),
  }),
  output: Type.Object({
    output: FileOutput(PDF),
    screeningId: Type.String(),
    status: Type.String(),
    matches: Type.Integer(),
  }),
  errors: ['NOT_FOUND', 'HTML_RENDER_FAILED', 'TOO_MANY_PAGES', 'TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED'],
  examples: [
    { title: 'A try without a screening of your own', input: { screeningId: SAMPLE_SCREENING, preparedFor: 'Case 7' } },
  ],

  async run(input, { chromium, out }) {
    const { screeningId, title = 'Screening report', preparedFor, note } = input
    // Added by the api for the owner of the screening; one who only asked for the price has none.
    const { record = screeningId === SAMPLE_SCREENING ? screenSample(new Date()) : undefined } = input as unknown as {
      record?: ScreeningRecord
    }
    if (!record) throw new Problem('NOT_FOUND', { field: 'screeningId' })
    const cover = {
      title,
      writtenAt: new Date().toISOString(),
      ...(preparedFor && { preparedFor }),
      ...(note && { note }),
    }
    const footer = `<div style="width:100%;text-align:center;font-size:8pt;color:#666">${screeningId} · <span class="pageNumber"></span> of <span class="totalPages"></span></div>`
    const path = out('report.pdf')
    await chromium.print({ html: renderReport(record, cover), assets: [] }, { ...PRINT, ...A4, footer }, path)
    const output = { path, contentType: PDF, name: `${screeningId}.pdf` }
    return { result: { output, screeningId, status: record.status, matches: record.matches.length } }
  },
})
