import { buildPdf } from './document.ts'

export type TypesetLine = [
  x: number,
  top: number,
  text: string,
  style?: { size?: number; font?: 'R' | 'B' | 'I' | 'M' },
]

const FONTS = { R: 'Helvetica', B: 'Helvetica-Bold', I: 'Helvetica-Oblique', M: 'Courier' }

/** Pages of 400 by 600 points with lines at given positions from the top left corner. */
export function typesetPages(pages: readonly (readonly TypesetLine[])[]): Buffer {
  const names = Object.keys(FONTS) as (keyof typeof FONTS)[]
  const first = 3 + names.length
  const kids = pages.map((_, index) => `${first + index * 2} 0 R`).join(' ')
  const fonts = names.map((name, index) => `/${name} ${3 + index} 0 R`).join(' ')
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] /MediaBox [0 0 400 600] /Resources << /Font << ${fonts} >> >> >>`,
    ...names.map(name => `<< /Type /Font /Subtype /Type1 /BaseFont /${FONTS[name]} /Encoding /WinAnsiEncoding >>`),
    ...pages.flatMap((lines, index) => {
      const content = lines.map(renderLine).join('\n')
      return [
        `<< /Type /Page /Parent 2 0 R /Contents ${first + index * 2 + 1} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ]
    }),
  ])
}

function renderLine([x, top, text, { size = 10, font = 'R' } = {}]: TypesetLine): string {
  const escaped = text
    .replaceAll(/[\\()]/g, '\\$&')
    .replaceAll('•', '\\225')
    .replaceAll('€', '\\200')
  return `BT /${font} ${size} Tf ${x} ${600 - top} Td (${escaped}) Tj ET`
}
