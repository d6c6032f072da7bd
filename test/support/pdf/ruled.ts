import { buildPdf, pdfStream } from './document.ts'

type Text = [x: number, top: number, text: string, size?: number]
type Line = [x1: number, y1: number, x2: number, y2: number]

interface Drawing {
  texts?: readonly Text[]
  lines?: readonly Line[]
  /** Grey areas, from the top left corner. */
  fills?: readonly [left: number, top: number, width: number, height: number, grey: number][]
  /** Of the page. */
  rotate?: number
  /** Put before the rest of the content. */
  matrix?: string
  size?: readonly [width: number, height: number]
}

/** One page, of 400 by 300 points if nothing is said, with texts and lines, measured from the top left corner. */
export function drawPage(drawing: Drawing): Buffer {
  const { texts = [], lines = [], fills = [], rotate = 0, matrix = '', size: [width, height] = [400, 300] } = drawing
  const escapeText = (text: string) =>
    text
      .replaceAll(/[\\()]/g, '\\$&')
      .replaceAll('€', '\\200')
      .replaceAll('−', '\\055')
  const content = [
    matrix,
    ...fills.map(([x, top, w, h, grey]) => `${grey} g ${x} ${height - top - h} ${w} ${h} re f 0 g`),
    ...lines.map(([x1, y1, x2, y2]) => `0.5 w ${x1} ${height - y1} m ${x2} ${height - y2} l S`),
    ...texts.map(([x, top, text, size = 10]) => `BT /F ${size} Tf ${x} ${height - top} Td (${escapeText(text)}) Tj ET`),
  ].join('\n')
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Rotate ${rotate} /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>`,
    pdfStream(content),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ])
}

/** The lines of a grid. */
export function gridLines(xs: readonly number[], ys: readonly number[]): Line[] {
  const across = ys.map((y): Line => [xs[0]!, y, xs.at(-1)!, y])
  const down = xs.map((x): Line => [x, ys[0]!, x, ys.at(-1)!])
  return [...across, ...down]
}
