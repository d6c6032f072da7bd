import { deflateSync } from 'node:zlib'
import { pdfOf, plainPdf, streamOf } from './pdf.ts'

const packed = (bytes: Uint8Array, head = '') =>
  streamOf(deflateSync(bytes).toString('latin1'), `/Filter /FlateDecode ${head}`)
const PAGES = '<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 100 100] >>'
const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>'

/** Documents made to harm whoever reads them. Each is small, and none of them may cost more than a refusal. */
export const PDF_BOMBS: Record<string, () => Buffer> = {
  'object streams that swell': () =>
    pdfOf([
      CATALOG,
      PAGES,
      '<< /Type /Page /Parent 2 0 R >>',
      packed(Buffer.alloc(400 * 2 ** 20, 32), '/Type /ObjStm /N 1 /First 4'),
    ]),
  'a drawing that swells': () =>
    pdfOf([CATALOG, PAGES, '<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>', packed(Buffer.alloc(400 * 2 ** 20, 32))]),
  'forms that draw each other many times': () =>
    pdfOf([
      CATALOG,
      PAGES,
      '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >> >>',
      streamOf('/F Do'),
      ...Array.from({ length: 12 }, (_, at) =>
        streamOf(
          at === 11 ? '0 0 1 1 re f' : '/F Do '.repeat(12),
          `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F ${at + 6} 0 R >> >>`,
        ),
      ),
      '<< >>',
    ]),
  'a form that draws itself': () =>
    pdfOf([
      CATALOG,
      PAGES,
      '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >> >>',
      streamOf('/F Do'),
      streamOf('/F Do /F Do', '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 5 0 R >> >>'),
    ]),
  'a page tree without bottom': () => {
    const deep = 20_000
    return pdfOf([
      CATALOG,
      ...Array.from(
        { length: deep },
        (_, at) => `<< /Type /Pages /Count 1 /Kids [${at + 3} 0 R] ${at > 0 ? `/Parent ${at + 1} 0 R` : ''} >>`,
      ),
      `<< /Type /Page /Parent ${deep + 1} 0 R /MediaBox [0 0 100 100] >>`,
    ])
  },
  'a page tree in circles': () =>
    pdfOf([
      CATALOG,
      '<< /Type /Pages /Count 2 /Kids [3 0 R 2 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>',
    ]),
  'a page tree that lies': () =>
    pdfOf([
      CATALOG,
      '<< /Type /Pages /Count 2000000000 /Kids [3 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>',
    ]),
  'an outline in circles': () =>
    pdfOf([
      '<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>',
      PAGES,
      '<< /Type /Page /Parent 2 0 R >>',
      '<< /Type /Outlines /First 5 0 R /Last 5 0 R /Count 2 >>',
      '<< /Title (a) /Parent 4 0 R /Next 6 0 R /First 4 0 R /Dest [3 0 R /Fit] >>',
      '<< /Title (b) /Parent 4 0 R /Next 5 0 R /First 5 0 R /Dest [3 0 R /Fit] >>',
    ]),
  'an outline without bottom': () => {
    const deep = 20_000
    return pdfOf([
      '<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>',
      PAGES,
      '<< /Type /Page /Parent 2 0 R >>',
      ...Array.from(
        { length: deep },
        (_, at) => `<< /Title (t) /Parent ${at + 3} 0 R /First ${at + 5} 0 R /Last ${at + 5} 0 R /Dest [3 0 R /Fit] >>`,
      ),
      '<< /Title (end) >>',
    ])
  },
  'tags, names and fields in circles': () =>
    pdfOf([
      '<< /Type /Catalog /Pages 2 0 R /StructTreeRoot 4 0 R /Names << /Dests 5 0 R /EmbeddedFiles 5 0 R /JavaScript 5 0 R >> /AcroForm << /Fields [6 0 R] >> /OCProperties << /OCGs [] /D << /Order 7 0 R >> >> /PageLabels 8 0 R >>',
      PAGES,
      '<< /Type /Page /Parent 2 0 R /Annots [6 0 R] /StructParents 0 >>',
      '<< /Type /StructTreeRoot /K 4 0 R /ParentTree 5 0 R >>',
      '<< /Kids [5 0 R 5 0 R] /Names [(a) 5 0 R] >>',
      '<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /Rect [0 0 9 9] /Kids [6 0 R] /Parent 6 0 R /P 3 0 R /Popup 6 0 R >>',
      '[7 0 R 7 0 R]',
      '<< /Kids [8 0 R] /Nums [0 8 0 R] >>',
    ]),
  'lists in lists': () =>
    pdfOf([
      `<< /Type /Catalog /Pages 2 0 R /Own ${'['.repeat(50_000)}${']'.repeat(50_000)} >>`,
      PAGES,
      '<< /Type /Page /Parent 2 0 R >>',
    ]),
  'a bookmark that is no dictionary': () => {
    const [title, rest] = ['<< /Title (a) /Parent 4 0 R /First 6 0 R ', '/Dest [3 0 R /Fit] >>']
    return pdfOf([
      '<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>',
      PAGES,
      '<< /Type /Page /Parent 2 0 R >>',
      '<< /Type /Outlines /First 5 0 R /Last 5 0 R >>',
      `${title} Table 1) ${rest}`,
      `${title}${rest}`,
    ])
  },
  'references in circles': () =>
    pdfOf([
      '<< /Type /Catalog /Pages 2 0 R /Own 4 0 R >>',
      PAGES,
      '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources 5 0 R /MediaBox 4 0 R >>',
      '5 0 R',
      '4 0 R',
    ]),
  'a page without end': () =>
    pdfOf([CATALOG, PAGES, '<< /Type /Page /Parent 2 0 R /MediaBox [-1e9 -1e9 1e9 1e9] /UserUnit 1e9 >>']),
  'a picture without end': () =>
    pdfOf([
      CATALOG,
      PAGES,
      '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>',
      streamOf('q 100 0 0 100 0 0 cm /I Do Q'),
      packed(
        Buffer.alloc(1000),
        '/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /ColorSpace /DeviceRGB /BitsPerComponent 8',
      ),
    ]),
  'one page too many': () => plainPdf(2001),
}
