import { measureText, type PdfDict, PdfName, PdfRef, type Standard14FontName } from '@libpdf/core'
import { type LetterWish, setLine } from './font-shaping.ts'
import { figure, type Lettering } from './pdf-lettering.ts'
import type { Resolve } from './pdf-view.ts'

/** A way to set text: how wide it gets, in sizes, and the operators that show it. */
export interface Letters {
  /** Share of the size above and below the line. */
  ascent: number
  descent: number
  width(text: string): number
  show(text: string, size: number, fonts: PdfDict): string
  /** Whether a reader begins at the right. */
  isFromRight(text: string): boolean
}

const STANDARD = new Set(
  ['Helvetica', 'Times', 'Courier'].flatMap(family =>
    (family === 'Times'
      ? ['-Roman', '-Bold', '-Italic', '-BoldItalic']
      : ['', '-Bold', '-Oblique', '-BoldOblique']
    ).map(style => `${family}${style}`),
  ),
)
const LATIN = /^[\u0020-\u007e\u00a0-\u00ff]*$/
const ASCII = /^[\u0020-\u007e]*$/

/** The form's own font, where it is one that every reader has and the text is in it; nothing otherwise. */
export function plainLetters(
  name: string,
  fonts: PdfDict | undefined,
  text: string,
  resolve: Resolve,
): Letters | undefined {
  const font = fonts?.getDict(name, resolve)
  const ref = fonts?.get(name)
  const base = font?.getName('BaseFont', resolve)?.value ?? ''
  if (!font || !ref || !STANDARD.has(base) || font.has('FontDescriptor')) return undefined
  const encoding = font.get('Encoding', resolve)
  const isLatin = encoding instanceof PdfName && encoding.value === 'WinAnsiEncoding'
  if (!(isLatin ? LATIN : ASCII).test(text.replaceAll('\n', ''))) return undefined
  return {
    ascent: 0.75,
    descent: 0.22,
    width: line => measureText(line, base as Standard14FontName, 1),
    show(line, size, resources) {
      resources.set(name, ref instanceof PdfRef ? ref : font)
      return `/${name} ${figure(size)} Tf\n<${Buffer.from(line, 'latin1').toString('hex')}> Tj`
    },
    isFromRight: () => false,
  }
}

/** Embedded letters for everything else. */
export function embeddedLetters(lettering: Lettering, wish: LetterWish): Letters {
  const known = new Map<string, ReturnType<typeof setLine>>()
  const set = (line: string) => {
    const found = known.get(line) ?? setLine(line, wish)
    known.set(line, found)
    return found
  }
  return {
    ascent: 0.88,
    descent: 0.28,
    width: line => set(line).width,
    show: (line, size, fonts) => lettering.show(set(line), size, fonts),
    isFromRight: text => FIRST_STRONG.exec(text)?.[1] !== undefined,
  }
}

/** The first letter with a direction of its own: the group is there when it runs from the right. */
const FIRST_STRONG =
  /^[^\p{L}]*(?:([\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}])|\p{L})/u
