import { existsSync, readFileSync } from 'node:fs'
import { Blob, Face, Font } from 'harfbuzzjs'

/** One face of a font file of this machine, open for shaping. */
export interface OpenFont {
  key: string
  file: string
  /** Which face of a collection. */
  index: number
  face: Face
  font: Font
  upem: number
  /** With curves of the PostScript kind instead of TrueType's. */
  isCff: boolean
  covers(codePoint: number): boolean
}

export interface FontWish {
  family: 'sans' | 'serif'
  bold: boolean
  /** The language whose forms of Chinese characters are wanted. */
  han: HanForms
}

export type HanForms = 'JP' | 'KR' | 'SC' | 'TC'

const NOTO = '/usr/share/fonts/truetype/noto'
const CJK = '/usr/share/fonts/opentype/noto'
const DEJAVU = '/usr/share/fonts/truetype/dejavu'
const HAN_FACES: Record<HanForms, number> = { JP: 0, KR: 1, SC: 2, TC: 3 }

/** Scripts in use today, by their names in Unicode; Noto's files are called the same without the low line. */
const SCRIPTS = (
  'Arabic Armenian Balinese Bengali Buginese Canadian_Aboriginal Cham Cherokee Coptic Devanagari Ethiopic Georgian ' +
  'Gujarati Gurmukhi Hebrew Javanese Kannada Khmer Lao Lisu Malayalam Meetei_Mayek Mongolian Myanmar Nko New_Tai_Lue ' +
  'Ol_Chiki Oriya Runic Sinhala Sundanese Syriac Tagalog Tai_Le Tai_Tham Tai_Viet Tamil Telugu Thaana Thai Tibetan ' +
  'Tifinagh Vai Yi'
).split(' ')
const FILE_NAMES: Record<string, string> = { Nko: 'NKo' }
const TESTS = SCRIPTS.map(script => ({
  name: FILE_NAMES[script] ?? script.replaceAll('_', ''),
  test: new RegExp(`\\p{Script_Extensions=${script}}`, 'u'),
}))
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}　-〿＀-￯]/u

/** Fonts that may have this text, the likeliest first. */
export function* fontsFor(text: string, wish: FontWish): Generator<OpenFont> {
  for (const { file, index } of candidates(text, wish)) {
    const font = open(file, index)
    if (font) yield font
  }
}

interface Candidate {
  file: string
  index?: number
}

function candidates(text: string, { family, bold, han }: FontWish): Candidate[] {
  const styles = family === 'serif' ? ['Serif', 'Sans'] : ['Sans', 'Serif']
  const scripts = ['', ...TESTS.filter(({ test }) => test.test(text)).map(({ name }) => name)]
  const east = styles.map(style => cjk(style, bold ? 'Bold' : 'Regular', han))
  const others = scripts.flatMap(script => styles.flatMap(style => weights(`${NOTO}/Noto${style}${script}`, bold)))
  const signs = ['NotoSansSymbols', 'NotoSansSymbols2', 'NotoSansMath'].flatMap(name =>
    weights(`${NOTO}/${name}`, bold),
  )
  const last = [`DejaVu${styles[0]}${bold ? '-Bold' : ''}`, 'DejaVuSans'].map(name => ({
    file: `${DEJAVU}/${name}.ttf`,
  }))
  return EAST_ASIAN.test(text) ? [...east, ...others, ...signs, ...last] : [...others, ...east, ...signs, ...last]
}

function cjk(style: string, weight: string, han: HanForms): Candidate {
  return { file: `${CJK}/Noto${style}CJK-${weight}.ttc`, index: HAN_FACES[han] }
}

function weights(stem: string, bold: boolean): Candidate[] {
  return (bold ? ['Bold', 'Regular'] : ['Regular']).map(weight => ({ file: `${stem}-${weight}.ttf` }))
}

const opened = new Map<string, OpenFont | undefined>()

function open(file: string, index = 0): OpenFont | undefined {
  const key = `${file}#${index}`
  if (!opened.has(key)) opened.set(key, existsSync(file) ? read(key, file, index) : undefined)
  return opened.get(key)
}

function read(key: string, file: string, index: number): OpenFont {
  const face = new Face(new Blob(readFileSync(file)), index)
  const known = new Set(face.collectUnicodes())
  const isCff = face.referenceTable('CFF ') !== undefined
  const covers = (codePoint: number) => known.has(codePoint)
  return { key, file, index, face, font: new Font(face), upem: face.upem, isCff, covers }
}
