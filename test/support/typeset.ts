import { pdfOf } from './pdf.ts'

export type Line = [x: number, top: number, text: string, look?: { size?: number; font?: 'R' | 'B' | 'I' | 'M' }]

const FONTS = { R: 'Helvetica', B: 'Helvetica-Bold', I: 'Helvetica-Oblique', M: 'Courier' }

/** Pages of 400 by 600 with lines at given places from the top left corner. */
export function typeset(pages: readonly (readonly Line[])[]): Buffer {
  const names = Object.keys(FONTS) as (keyof typeof FONTS)[]
  const first = 3 + names.length
  const kids = pages.map((_, index) => `${first + index * 2} 0 R`).join(' ')
  const fonts = names.map((name, index) => `/${name} ${3 + index} 0 R`).join(' ')
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] /MediaBox [0 0 400 600] /Resources << /Font << ${fonts} >> >> >>`,
    ...names.map(name => `<< /Type /Font /Subtype /Type1 /BaseFont /${FONTS[name]} /Encoding /WinAnsiEncoding >>`),
    ...pages.flatMap((lines, index) => {
      const content = lines.map(lineOf).join('\n')
      return [
        `<< /Type /Page /Parent 2 0 R /Contents ${first + index * 2 + 1} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ]
    }),
  ])
}

function lineOf([x, top, text, { size = 10, font = 'R' } = {}]: Line): string {
  const safe = text.replaceAll(/[\\()]/g, '\\$&').replaceAll('•', '\\225')
  return `BT /${font} ${size} Tf ${x} ${600 - top} Td (${safe}) Tj ET`
}
