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
import type { OpenFont } from './font-files.ts'
import type { SetGlyph, SetLine } from './font-shaping.ts'
import { subsetOf } from './font-subset.ts'

interface Code {
  code: number
  glyph: number
  text: string
}

interface UsedFont {
  name: string
  ref: PdfRef
  dict: PdfDict
  font: OpenFont
  codes: Map<string, Code>
}

/** The fonts that text set into one document needs; each is embedded once, with only the glyphs in use. */
export class Lettering {
  private readonly used = new Map<string, UsedFont>()
  private readonly pdf: PDF

  constructor(pdf: PDF) {
    this.pdf = pdf
  }

  /** What stands between BT and ET to show a line from where the text matrix is. */
  show(line: SetLine, size: number, resources: PdfDict): string {
    const operators: string[] = []
    let current: UsedFont | undefined
    let rise = 0
    let shown = ''
    const flush = () => {
      if (shown !== '') operators.push(`[${shown}] TJ`)
      shown = ''
    }
    for (const glyph of line.glyphs) {
      const used = this.use(glyph.font)
      if (used !== current) {
        flush()
        operators.push(`/${used.name} ${size} Tf`)
        resources.set(used.name, used.ref)
        current = used
      }
      if (glyph.y !== rise) {
        flush()
        operators.push(`${figure(glyph.y * size)} Ts`)
        rise = glyph.y
      }
      shown += shownGlyph(glyph, this.codeFor(used, glyph))
    }
    flush()
    if (rise !== 0) operators.push('0 Ts')
    return operators.join('\n')
  }

  /** Writes the fonts; to be called once, when everything is set. */
  embed(): void {
    for (const used of this.used.values()) this.write(used)
  }

  private use(font: OpenFont): UsedFont {
    let used = this.used.get(font.key)
    if (!used) {
      const dict = new PdfDict()
      const name = `Letters${this.used.size + 1}`
      used = { name, ref: this.pdf.register(dict), dict, font, codes: new Map() }
      this.used.set(font.key, used)
    }
    return used
  }

  /** TrueType glyphs get a code for each meaning, so that all text can be read back; others have their own number. */
  private codeFor({ font, codes }: UsedFont, { glyph, text }: SetGlyph): Code {
    const key = font.isCff ? `${glyph}` : `${glyph} ${text}`
    let code = codes.get(key)
    if (!code) {
      code = { code: font.isCff ? glyph : codes.size + 1, glyph, text }
      codes.set(key, code)
    }
    if (code.text === '') code.text = text
    return code
  }

  private write({ dict, font, codes }: UsedFont): void {
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
      FontDescriptor: this.pdf.register(this.descriptor(name, font, all)),
      DW: PdfNumber.of(1000),
      W: PdfArray.of(...all.flatMap(({ code, glyph }) => [PdfNumber.of(code), PdfArray.of(widthOf(font, glyph))])),
    })
    if (!font.isCff) descendant.set('CIDToGIDMap', this.pdf.register(glyphMap(all)))
    const entries: Record<string, PdfObject> = {
      Type: PdfName.of('Font'),
      Subtype: PdfName.of('Type0'),
      BaseFont: PdfName.of(name),
      Encoding: PdfName.of('Identity-H'),
      DescendantFonts: PdfArray.of(this.pdf.register(descendant)),
      ToUnicode: this.pdf.register(new PdfStream([], Buffer.from(unicodeMap(all), 'latin1'))),
    }
    for (const [key, value] of Object.entries(entries)) dict.set(key, value)
  }

  private descriptor(name: string, font: OpenFont, codes: readonly Code[]): PdfDict {
    const program = subsetOf(font, new Set(codes.map(({ glyph }) => glyph)))
    const { ascender, descender } = font.font.hExtents()
    const head = Buffer.from(font.face.referenceTable('head')!)
    const scaled = (units: number) => PdfNumber.of(Math.round((units * 1000) / font.upem))
    const box = [36, 38, 40, 42].map(at => scaled(head.readInt16BE(at)))
    const entries: [string, PdfObject][] = font.isCff ? [['Subtype', PdfName.of('OpenType')]] : []
    const file = this.pdf.register(new PdfStream(entries, program))
    return PdfDict.of({
      Type: PdfName.of('FontDescriptor'),
      FontName: PdfName.of(name),
      Flags: PdfNumber.of(4),
      FontBBox: PdfArray.of(...box),
      ItalicAngle: PdfNumber.of(0),
      Ascent: scaled(ascender),
      Descent: scaled(descender),
      CapHeight: scaled(ascender * 0.7),
      StemV: PdfNumber.of(80),
      [font.isCff ? 'FontFile3' : 'FontFile2']: file,
    })
  }
}

function widthOf({ font, upem }: OpenFont, glyph: number): PdfNumber {
  return PdfNumber.of(Math.round((font.glyphHAdvance(glyph) * 1000) / upem))
}

/** A number in a TJ array moves back by thousandths of the size. */
function shownGlyph({ font, glyph, advance, x }: SetGlyph, { code }: Code): string {
  const natural = Math.round((font.font.glyphHAdvance(glyph) * 1000) / font.upem)
  const before = x === 0 ? '' : figure(-x * 1000)
  const after = natural - (advance - x) * 1000
  return `${before}<${hex(code)}>${Math.abs(after) < 0.5 ? '' : figure(after)}`
}

export function figure(value: number): string {
  return String(Math.round(value * 1000) / 1000 || 0)
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0')
}

function glyphMap(codes: readonly Code[]): PdfStream {
  const map = Buffer.alloc(((codes.at(-1)?.code ?? 0) + 1) * 2)
  for (const { code, glyph } of codes) map.writeUInt16BE(glyph, code * 2)
  return new PdfStream([], map)
}

function unicodeMap(codes: readonly Code[]): string {
  const told = codes.filter(({ text }) => text !== '')
  const rows = told.map(({ code, text }) => `<${hex(code)}> <${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`)
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
