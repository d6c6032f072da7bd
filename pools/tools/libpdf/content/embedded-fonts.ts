import {
  type PDF,
  PdfArray,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  type PdfRef,
  PdfStream,
  PdfString,
} from '@libpdf/core'
import type { OpenFont } from '../../fonts/files.ts'
import type { ShapedGlyph, ShapedLine } from '../../fonts/shaping.ts'
import { subsetFont } from '../../fonts/subset.ts'

interface GlyphCode {
  code: number
  glyph: number
  text: string
}

interface UsedFont {
  name: string
  ref: PdfRef
  dict: PdfDict
  font: OpenFont
  codes: Map<string, GlyphCode>
}

/** Embeds the fonts that new text in one document needs: each font once, with only the glyphs in use. */
export class FontEmbedder {
  readonly #usedFonts = new Map<string, UsedFont>()
  readonly #pdf: PDF

  constructor(pdf: PDF) {
    this.#pdf = pdf
  }

  /** Returns the operators, to be placed between BT and ET, that show a line at the current text matrix. */
  renderLine(line: ShapedLine, size: number, resources: PdfDict): string {
    const operators: string[] = []
    let current: UsedFont | undefined
    let rise = 0
    let pending = ''
    const flush = () => {
      if (pending !== '') operators.push(`[${pending}] TJ`)
      pending = ''
    }
    for (const glyph of line.glyphs) {
      const used = this.#useFont(glyph.font)
      if (used !== current) {
        flush()
        operators.push(`/${used.name} ${size} Tf`)
        resources.set(used.name, used.ref)
        current = used
      }
      if (glyph.y !== rise) {
        flush()
        operators.push(`${formatNumber(glyph.y * size)} Ts`)
        rise = glyph.y
      }
      pending += renderGlyph(glyph, this.#assignCode(used, glyph))
    }
    flush()
    if (rise !== 0) operators.push('0 Ts')
    return operators.join('\n')
  }

  /** Writes the fonts. Call it once, after the last `renderLine`. */
  embed(): void {
    for (const used of this.#usedFonts.values()) this.#writeFont(used)
  }

  #useFont(font: OpenFont): UsedFont {
    let used = this.#usedFonts.get(font.key)
    if (!used) {
      const dict = new PdfDict()
      const name = `Embedded${this.#usedFonts.size + 1}`
      used = { name, ref: this.#pdf.register(dict), dict, font, codes: new Map() }
      this.#usedFonts.set(font.key, used)
    }
    return used
  }

  /** A TrueType glyph gets one code per text it stands for, so that text can be extracted; CFF codes are glyph numbers. */
  #assignCode({ font, codes }: UsedFont, { glyph, text }: ShapedGlyph): GlyphCode {
    const key = font.isCff ? `${glyph}` : `${glyph} ${text}`
    let code = codes.get(key)
    if (!code) {
      code = { code: font.isCff ? glyph : codes.size + 1, glyph, text }
      codes.set(key, code)
    }
    if (code.text === '') code.text = text
    return code
  }

  #writeFont({ dict, font, codes }: UsedFont): void {
    const all = [...codes.values()].sort((a, b) => a.code - b.code)
    const name = `COINOP+${font.file
      .split('/')
      .at(-1)!
      .replace(/\.\w+$/, '')}`
    const descendant = PdfDict.of({
      Type: PdfName.of('Font'),
      Subtype: PdfName.of(font.isCff ? 'CIDFontType0' : 'CIDFontType2'),
      BaseFont: PdfName.of(name),
      CIDSystemInfo: PdfDict.of({
        Registry: PdfString.fromString('Adobe'),
        Ordering: PdfString.fromString('Identity'),
        Supplement: PdfNumber.of(0),
      }),
      FontDescriptor: this.#pdf.register(this.#buildDescriptor(name, font, all)),
      DW: PdfNumber.of(1000),
      W: PdfArray.of(...all.flatMap(({ code, glyph }) => [PdfNumber.of(code), PdfArray.of(glyphWidth(font, glyph))])),
    })
    if (!font.isCff) descendant.set('CIDToGIDMap', this.#pdf.register(buildGlyphMap(all)))
    const entries: Record<string, PdfObject> = {
      Type: PdfName.of('Font'),
      Subtype: PdfName.of('Type0'),
      BaseFont: PdfName.of(name),
      Encoding: PdfName.of('Identity-H'),
      DescendantFonts: PdfArray.of(this.#pdf.register(descendant)),
      ToUnicode: this.#pdf.register(new PdfStream([], Buffer.from(buildUnicodeMap(all), 'latin1'))),
    }
    for (const [key, value] of Object.entries(entries)) dict.set(key, value)
  }

  #buildDescriptor(name: string, font: OpenFont, codes: readonly GlyphCode[]): PdfDict {
    const program = subsetFont(font, new Set(codes.map(({ glyph }) => glyph)))
    const { ascender, descender } = font.font.hExtents()
    const head = Buffer.from(font.face.referenceTable('head')!)
    const toThousandths = (units: number) => PdfNumber.of(Math.round((units * 1000) / font.unitsPerEm))
    const box = [36, 38, 40, 42].map(offset => toThousandths(head.readInt16BE(offset)))
    const entries: [string, PdfObject][] = font.isCff ? [['Subtype', PdfName.of('OpenType')]] : []
    const file = this.#pdf.register(new PdfStream(entries, program))
    return PdfDict.of({
      Type: PdfName.of('FontDescriptor'),
      FontName: PdfName.of(name),
      Flags: PdfNumber.of(4),
      FontBBox: PdfArray.of(...box),
      ItalicAngle: PdfNumber.of(0),
      Ascent: toThousandths(ascender),
      Descent: toThousandths(descender),
      CapHeight: toThousandths(ascender * 0.7),
      StemV: PdfNumber.of(80),
      [font.isCff ? 'FontFile3' : 'FontFile2']: file,
    })
  }
}

function glyphWidth({ font, unitsPerEm }: OpenFont, glyph: number): PdfNumber {
  return PdfNumber.of(Math.round((font.glyphHAdvance(glyph) * 1000) / unitsPerEm))
}

/** A number in a TJ array moves the position back, in thousandths of the font size. */
function renderGlyph({ font, glyph, advance, x }: ShapedGlyph, { code }: GlyphCode): string {
  const natural = Math.round((font.font.glyphHAdvance(glyph) * 1000) / font.unitsPerEm)
  const before = x === 0 ? '' : formatNumber(-x * 1000)
  const after = natural - (advance - x) * 1000
  return `${before}<${hex(code)}>${Math.abs(after) < 0.5 ? '' : formatNumber(after)}`
}

export function formatNumber(value: number): string {
  return String(Math.round(value * 1000) / 1000 || 0)
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0')
}

function buildGlyphMap(codes: readonly GlyphCode[]): PdfStream {
  const map = Buffer.alloc(((codes.at(-1)?.code ?? 0) + 1) * 2)
  for (const { code, glyph } of codes) map.writeUInt16BE(glyph, code * 2)
  return new PdfStream([], map)
}

function buildUnicodeMap(codes: readonly GlyphCode[]): string {
  const mapped = codes.filter(({ text }) => text !== '')
  const rows = mapped.map(
    ({ code, text }) => `<${hex(code)}> <${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`,
  )
  const blocks = Array.from({ length: Math.ceil(rows.length / 100) }, (_, index) => {
    const block = rows.slice(index * 100, index * 100 + 100)
    return `${block.length} beginbfchar\n${block.join('\n')}\nendbfchar\n`
  })
  return `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def /CMapType 2 def
1 begincodespacerange <0000> <ffff> endcodespacerange
${blocks.join('')}endcmap CMapName currentdict /CMap defineresource pop end end`
}
