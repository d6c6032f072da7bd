import { buildPdf, pdfStream } from './document.ts'

const appearance = (content: string) => pdfStream(content, '/Type /XObject /Subtype /Form /BBox [0 0 14 14]')

/** An order form of two pages with every kind of field, a field on both pages, and a link annotation. */
export function orderForm({ form = '', catalog = '', name = '' } = {}): Buffer {
  const widget = '/Type /Annot /Subtype /Widget /F 4'
  const label = (text: string, y: number) => `BT /Helv 10 Tf 20 ${y} Td (${text}) Tj ET`
  const labels = ['Name', 'Notes', 'Zip', 'Express', 'Payment', 'Size', 'Extras', 'Total']
  const page = labels.map((text, index) => label(text, 372 - index * 44)).join('\n')
  return buildPdf([
    `<< /Type /Catalog /Pages 2 0 R /AcroForm 5 0 R ${catalog} >>`,
    '<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] /Resources << /Font << /Helv 6 0 R >> >> /Contents 7 0 R ' +
      '/Annots [9 0 R 11 0 R 12 0 R 13 0 R 16 0 R 17 0 R 18 0 R 19 0 R 20 0 R 23 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] /Rotate 90 /Annots [10 0 R] >>',
    '<< /Fields [8 0 R 11 0 R 12 0 R 13 0 R 15 0 R 18 0 R 19 0 R 20 0 R] /DA (/Helv 0 Tf 0 g) ' +
      `/DR << /Font << /Helv 6 0 R >> >> ${form} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    pdfStream(page),
    `<< /FT /Tx /T (name) /TU (Who orders) /Ff 2 /DA (/Helv 12 Tf 0 0 1 rg) /Kids [9 0 R 10 0 R] ${name} >>`,
    `<< ${widget} /Parent 8 0 R /P 3 0 R /Rect [80 364 280 386] /MK << /BC [0.5] /BG [0.95] >> >>`,
    `<< ${widget} /Parent 8 0 R /P 4 0 R /Rect [80 364 280 386] /MK << /R 90 >> >>`,
    `<< ${widget} /FT /Tx /T (notes) /Ff 4096 /Rect [80 306 280 352] /MK << /BC [0.5] >> >>`,
    `<< ${widget} /FT /Tx /T (zip) /Ff 16777216 /MaxLen 5 /Rect [80 276 180 296] /MK << /BC [0.5] >> >>`,
    `<< ${widget} /FT /Btn /T (express) /Rect [80 234 94 248] /AS /Off /V /Off /AP << /N << /Ja 14 0 R /Off 21 0 R >> >> >>`,
    appearance('0 0 14 14 re f'),
    '<< /FT /Btn /T (payment) /Ff 49152 /V /Off /Kids [16 0 R 17 0 R] >>',
    `<< ${widget} /Parent 15 0 R /Rect [80 190 94 204] /AS /Off /AP << /N << /Card 14 0 R /Off 21 0 R >> >> >>`,
    `<< ${widget} /Parent 15 0 R /Rect [110 190 124 204] /AS /Off /AP << /N << /Cash 14 0 R /Off 21 0 R >> >> >>`,
    `<< ${widget} /FT /Ch /T (size) /Ff 131072 /Opt [[(S) (Small)] [(M) (Medium)]] /Rect [80 144 180 164] >>`,
    `<< ${widget} /FT /Ch /T (extras) /Ff 2097152 /Opt [(box) (card) (bow)] /Rect [80 90 180 130] >>`,
    `<< ${widget} /FT /Tx /T (total) /Ff 1 /V (12) /Rect [80 56 180 76] /AP << /N 22 0 R >> >>`,
    appearance(''),
    pdfStream(
      '/Tx BMC BT /Helv 12 Tf 2 5 Td (12) Tj ET EMC',
      '/Subtype /Form /BBox [0 0 100 20] /Resources << /Font << /Helv 6 0 R >> >>',
    ),
    '<< /Type /Annot /Subtype /Link /Rect [20 10 120 30] /A << /S /URI /URI (https://example.com/) >> >>',
  ])
}
