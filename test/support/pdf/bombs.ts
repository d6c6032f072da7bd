import { deflateSync } from 'node:zlib'
import { buildPdf, pdfStream, plainPdf } from './document.ts'

const deflatedStream = (bytes: Uint8Array, entries = '') =>
  pdfStream(deflateSync(bytes, { level: 1 }).toString('latin1'), `/Filter /FlateDecode ${entries}`)
const PAGES = '<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 100 100] >>'
const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>'

/** Small documents that would exhaust the memory or time of a careless reader. Each must cost no more than an error. */
export const PDF_BOMBS: Record<string, () => Buffer> = {
  'an object stream that inflates to 400 MB': () =>
    buildPdf([
      CATALOG,
      PAGES,
      '<< /Type /Page /Parent 2 0 R >>',
      deflatedStream(Buffer.alloc(400 * 2 ** 20, 32), '/Type /ObjStm /N 1 /First 4'),
    ]),
  'a content stream that inflates to 400 MB': () =>
    buildPdf([
      CATALOG,
      PAGES,
      '<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>',
      deflatedStream(Buffer.alloc(400 * 2 ** 20, 32)),
    ]),
  'forms that draw each other many times': () =>
    buildPdf([
      CATALOG,
      PAGES,
      '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >> >>',
      pdfStream('/F Do'),
      ...Array.from({ length: 12 }, (_, index) =>
        pdfStream(
          index === 11 ? '0 0 1 1 re f' : '/F Do '.repeat(12),
          `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F ${index + 6} 0 R >> >>`,
        ),
      ),
      '<< >>',
    ]),
  'a form that draws itself': () =>
    buildPdf([
      CATALOG,
      PAGES,
      '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >> >>',
      pdfStream('/F Do'),
      pdfStream(
        '/F Do /F Do',
        '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 5 0 R >> >>',
      ),
    ]),
  'a page tree 20,000 levels deep': () => {
    const depth = 20_000
    return buildPdf([
      CATALOG,
      ...Array.from(
        { length: depth },
        (_, index) =>
          `<< /Type /Pages /Count 1 /Kids [${index + 3} 0 R] ${index > 0 ? `/Parent ${index + 1} 0 R` : ''} >>`,
      ),
      `<< /Type /Page /Parent ${depth + 1} 0 R /MediaBox [0 0 100 100] >>`,
    ])
  },
  'a cyclic page tree': () =>
    buildPdf([
      CATALOG,
      '<< /Type /Pages /Count 2 /Kids [3 0 R 2 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>',
    ]),
  'a page tree with a false count': () =>
    buildPdf([
      CATALOG,
      '<< /Type /Pages /Count 2000000000 /Kids [3 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>',
    ]),
  'a cyclic outline': () =>
    buildPdf([
      '<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>',
      PAGES,
      '<< /Type /Page /Parent 2 0 R >>',
      '<< /Type /Outlines /First 5 0 R /Last 5 0 R /Count 2 >>',
      '<< /Title (a) /Parent 4 0 R /Next 6 0 R /First 4 0 R /Dest [3 0 R /Fit] >>',
      '<< /Title (b) /Parent 4 0 R /Next 5 0 R /First 5 0 R /Dest [3 0 R /Fit] >>',
    ]),
  'an outline 20,000 levels deep': () => {
    const depth = 20_000
    return buildPdf([
      '<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>',
      PAGES,
      '<< /Type /Page /Parent 2 0 R >>',
      ...Array.from(
        { length: depth },
        (_, index) =>
          `<< /Title (t) /Parent ${index + 3} 0 R /First ${index + 5} 0 R /Last ${index + 5} 0 R /Dest [3 0 R /Fit] >>`,
      ),
      '<< /Title (end) >>',
    ])
  },
  'cyclic tags, names and fields': () =>
    buildPdf([
      '<< /Type /Catalog /Pages 2 0 R /StructTreeRoot 4 0 R /Names << /Dests 5 0 R /EmbeddedFiles 5 0 R /JavaScript 5 0 R >> /AcroForm << /Fields [6 0 R] >> /OCProperties << /OCGs [] /D << /Order 7 0 R >> >> /PageLabels 8 0 R >>',
      PAGES,
      '<< /Type /Page /Parent 2 0 R /Annots [6 0 R] /StructParents 0 >>',
      '<< /Type /StructTreeRoot /K 4 0 R /ParentTree 5 0 R >>',
      '<< /Kids [5 0 R 5 0 R] /Names [(a) 5 0 R] >>',
      '<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /Rect [0 0 9 9] /Kids [6 0 R] /Parent 6 0 R /P 3 0 R /Popup 6 0 R >>',
      '[7 0 R 7 0 R]',
      '<< /Kids [8 0 R] /Nums [0 8 0 R] >>',
    ]),
  'arrays nested 50,000 levels deep': () =>
    buildPdf([
      `<< /Type /Catalog /Pages 2 0 R /Own ${'['.repeat(50_000)}${']'.repeat(50_000)} >>`,
      PAGES,
      '<< /Type /Page /Parent 2 0 R >>',
    ]),
  'a bookmark that is not a dictionary': () => {
    const [title, rest] = ['<< /Title (a) /Parent 4 0 R /First 6 0 R ', '/Dest [3 0 R /Fit] >>']
    return buildPdf([
      '<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>',
      PAGES,
      '<< /Type /Page /Parent 2 0 R >>',
      '<< /Type /Outlines /First 5 0 R /Last 5 0 R >>',
      `${title} Table 1) ${rest}`,
      `${title}${rest}`,
    ])
  },
  'cyclic references': () =>
    buildPdf([
      '<< /Type /Catalog /Pages 2 0 R /Own 4 0 R >>',
      PAGES,
      '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources 5 0 R /MediaBox 4 0 R >>',
      '5 0 R',
      '4 0 R',
    ]),
  'a page of enormous size': () =>
    buildPdf([CATALOG, PAGES, '<< /Type /Page /Parent 2 0 R /MediaBox [-1e9 -1e9 1e9 1e9] /UserUnit 1e9 >>']),
  'an image of enormous size': () =>
    buildPdf([
      CATALOG,
      PAGES,
      '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>',
      pdfStream('q 100 0 0 100 0 0 cm /I Do Q'),
      deflatedStream(
        Buffer.alloc(1000),
        '/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /ColorSpace /DeviceRGB /BitsPerComponent 8',
      ),
    ]),
  'one page too many': () => plainPdf(2001),
}
