import { runProgram } from '../machine/programs.ts'
import { buildPdf, pdfStream, runQpdf } from './document.ts'

/** All that is in a document, with its streams unpacked. */
export const unpack = (bytes: Uint8Array) =>
  runQpdf(bytes, ['--qdf', '--object-streams=disable', '--decode-level=all', 'IN', 'OUT']).toString('latin1')
export const drawPages = (bytes: Uint8Array) => runProgram('sh', ['-c', 'pdftoppm -r 40 - | base64 -w0'], bytes)
export const script = (mark: string, more = '') => `<< /S /JavaScript /JS (app.alert\\("${mark}"\\)) ${more} >>`

export interface ActiveParts {
  catalog?: string
  page?: string
  annotation?: string
  form?: string
  more?: readonly string[]
}

const TEXT = 'BT /F 12 Tf 20 150 Td (Harbour report) Tj ET'

const DRAWING = '/Contents 4 0 R /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>'

/** A page with a text and one annotation; more objects are numbered from 7. */
export function buildActive({ catalog = '', page = '', annotation = '', form = '', more = [] }: ActiveParts): Buffer {
  return buildPdf([
    `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [5 0 R] ${form} >> ${catalog} >>`,
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Annots [5 0 R 6 0 R] ${/Contents/.test(page) ? '' : DRAWING} ${page} >>`,
    pdfStream(TEXT),
    '<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Oduya) /Rect [20 20 120 40] /P 3 0 R >>',
    `<< /Type /Annot /Rect [20 60 120 90] /P 3 0 R ${annotation || '/Subtype /Link'} >>`,
    ...more,
  ])
}

export const linkTo = (action: string) => ({ annotation: `/Subtype /Link /A ${action}` })
