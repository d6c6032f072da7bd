import { measureText, type PdfDict, PdfName, PdfRef, type Standard14FontName } from '@libpdf/core'
import type { TextStyle } from '../../../../tasks/formats/pdf/fonts.ts'
import { shapeLine } from '../../fonts/shaping.ts'
import { type FontEmbedder, formatNumber } from '../content/embedded-fonts.ts'
import type { Resolve } from '../objects.ts'

/** A font for form values. Measures are relative to the font size. */
export interface TextFont {
  ascent: number
  descent: number
  width(text: string): number
  /** Returns the operators that show the text, and adds the fonts they use to `fonts`. */
  render(text: string, size: number, fonts: PdfDict): string
  isRightToLeft(text: string): boolean
}

const STANDARD_FONTS = new Set(
  ['Helvetica', 'Times', 'Courier'].flatMap(family =>
    (family === 'Times'
      ? ['-Roman', '-Bold', '-Italic', '-BoldItalic']
      : ['', '-Bold', '-Oblique', '-BoldOblique']
    ).map(style => `${family}${style}`),
  ),
)
const LATIN = /^[\u0020-\u007e\u00a0-\u00ff]*$/
const ASCII = /^[\u0020-\u007e]*$/

/** The form's own font, if it is a standard font that every viewer has and that covers the text. */
export function findStandardFont(
  name: string,
  fonts: PdfDict | undefined,
  text: string,
  resolve: Resolve,
): TextFont | undefined {
  const font = fonts?.getDict(name, resolve)
  const ref = fonts?.get(name)
  const base = font?.getName('BaseFont', resolve)?.value ?? ''
  if (!font || !ref || !STANDARD_FONTS.has(base) || font.has('FontDescriptor')) return undefined
  const encoding = font.get('Encoding', resolve)
  const isLatin = encoding instanceof PdfName && encoding.value === 'WinAnsiEncoding'
  if (!(isLatin ? LATIN : ASCII).test(text.replaceAll('\n', ''))) return undefined
  return {
    ascent: 0.75,
    descent: 0.22,
    width: line => measureText(line, base as Standard14FontName, 1),
    render(line, size, resources) {
      resources.set(name, ref instanceof PdfRef ? ref : font)
      return `/${name} ${formatNumber(size)} Tf\n<${Buffer.from(line, 'latin1').toString('hex')}> Tj`
    },
    isRightToLeft: () => false,
  }
}

/** Fonts of this machine, which cover the scripts that standard fonts lack. */
export function createEmbeddedFont(embedder: FontEmbedder, style: TextStyle): TextFont {
  const shapedLines = new Map<string, ReturnType<typeof shapeLine>>()
  const shape = (line: string) => {
    const shaped = shapedLines.get(line) ?? shapeLine(line, style)
    shapedLines.set(line, shaped)
    return shaped
  }
  return {
    ascent: 0.88,
    descent: 0.28,
    width: line => shape(line).width,
    render: (line, size, fonts) => embedder.renderLine(shape(line), size, fonts),
    isRightToLeft: text => FIRST_STRONG.exec(text)?.[1] !== undefined,
  }
}

/** Captures the first letter if it belongs to a right-to-left script. */
const FIRST_STRONG =
  /^[^\p{L}]*(?:([\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}])|\p{L})/u
