import { matchesType } from './matches.ts'

const OFFICE = [
  'application/vnd.openxmlformats-officedocument.*',
  'application/vnd.oasis.opendocument.*',
  'application/rtf',
]
const WORKBOOKS = [
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.oasis.opendocument.spreadsheet',
]
const TEXTS = ['text/plain', 'text/markdown']

/** Which calls make files of other types of a file. Where several do, the one that keeps most stands first. */
const CONVERTERS: readonly { by: string; from: readonly string[]; to: readonly string[] }[] = [
  { by: 'data.from-xlsx', from: WORKBOOKS, to: ['text/csv', 'application/json'] },
  { by: 'pdf.from-office', from: OFFICE, to: ['application/pdf'] },
  { by: 'doc.to-markdown', from: OFFICE, to: TEXTS },
  { by: 'pdf.extract-text', from: ['application/pdf'], to: TEXTS },
  { by: 'pdf.render', from: ['application/pdf'], to: ['image/png', 'image/jpeg'] },
  { by: 'pdf.from-images', from: ['image/*'], to: ['application/pdf'] },
  { by: 'image.convert', from: ['image/*'], to: ['image/png', 'image/jpeg'] },
  { by: 'image.ocr', from: ['image/*'], to: TEXTS },
  { by: 'pdf.from-html', from: ['text/html'], to: ['application/pdf'] },
  { by: 'image.from-html', from: ['text/html'], to: ['image/png', 'image/jpeg'] },
  { by: 'text.html-to-text', from: ['text/html'], to: TEXTS },
  { by: 'data.to-xlsx', from: ['text/csv', 'application/json'], to: WORKBOOKS },
  { by: 'pdf.from-markdown', from: TEXTS, to: ['application/pdf'] },
  { by: 'text.markdown-to-html', from: TEXTS, to: ['text/html'] },
  { by: 'media.audio-extract', from: ['video/*'], to: ['audio/mpeg', 'audio/wav'] },
  { by: 'media.thumbnail', from: ['video/*'], to: ['image/png', 'image/jpeg'] },
]

/** The call that makes a file which is accepted of one that is not. */
export function findConverter(type: string, accept: readonly string[]): string | undefined {
  return CONVERTERS.find(
    ({ from, to }) =>
      from.some(pattern => matchesType(type, pattern)) && to.some(made => accept.some(one => matchesType(made, one))),
  )?.by
}
