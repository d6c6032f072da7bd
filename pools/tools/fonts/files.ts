import { existsSync, readFileSync } from 'node:fs'
import { Blob, Face, Font } from 'harfbuzzjs'
import type { TextStyle } from '../../../tasks/formats/pdf/fonts.ts'
import { EAST_ASIAN, type HanVariant, SCRIPT_TESTS } from '../../../tasks/formats/words/scripts.ts'

/** One face of an installed font file, opened for shaping. */
export interface OpenFont {
  key: string
  file: string
  /** Index of the face in a font collection. */
  index: number
  face: Face
  font: Font
  unitsPerEm: number
  /** Has PostScript outlines instead of TrueType's. */
  isCff: boolean
  covers(codePoint: number): boolean
}

export interface FontRequest extends TextStyle {
  /** The region whose forms of Chinese characters to use. */
  hanVariant: HanVariant
}

const NOTO_FOLDER = '/usr/share/fonts/truetype/noto'
const CJK_FOLDER = '/usr/share/fonts/opentype/noto'
const DEJAVU_FOLDER = '/usr/share/fonts/truetype/dejavu'
const HAN_FACES: Record<HanVariant, number> = { JP: 0, KR: 1, SC: 2, TC: 3 }

const FILE_NAMES: Record<string, string> = {
  Nko: 'NKo',
  Meroitic_Hieroglyphs: 'Meroitic',
  Meroitic_Cursive: 'Meroitic',
}

/** Fonts that may cover this text, most likely first. */
export function* candidateFonts(text: string, request: FontRequest): Generator<OpenFont> {
  for (const { file, index } of listCandidates(text, request)) {
    const font = openFont(file, index)
    if (font) yield font
  }
}

interface Candidate {
  file: string
  index?: number
}

function listCandidates(text: string, { family, bold, hanVariant }: FontRequest): Candidate[] {
  const styles = family === 'serif' ? ['Serif', 'Sans'] : ['Sans', 'Serif']
  const names = SCRIPT_TESTS.filter(({ test }) => test.test(text)).map(({ name }) => name)
  // Noto's file names are the Unicode names without the underscore.
  const scripts = ['', ...names.map(name => FILE_NAMES[name] ?? name.replaceAll('_', ''))]
  const eastAsian = styles.map(style => cjkFile(style, bold ? 'Bold' : 'Regular', hanVariant))
  const byScript = scripts.flatMap(script =>
    styles.flatMap(style => weightFiles(`${NOTO_FOLDER}/Noto${style}${script}`, bold)),
  )
  const symbols = ['NotoSansSymbols', 'NotoSansSymbols2', 'NotoSansMath'].flatMap(name =>
    weightFiles(`${NOTO_FOLDER}/${name}`, bold),
  )
  const fallbacks = [`DejaVu${styles[0]}${bold ? '-Bold' : ''}`, 'DejaVuSans'].map(name => ({
    file: `${DEJAVU_FOLDER}/${name}.ttf`,
  }))
  return EAST_ASIAN.test(text)
    ? [...eastAsian, ...byScript, ...symbols, ...fallbacks]
    : [...byScript, ...eastAsian, ...symbols, ...fallbacks]
}

function cjkFile(style: string, weight: string, hanVariant: HanVariant): Candidate {
  return { file: `${CJK_FOLDER}/Noto${style}CJK-${weight}.ttc`, index: HAN_FACES[hanVariant] }
}

function weightFiles(stem: string, bold: boolean): Candidate[] {
  return (bold ? ['Bold', 'Regular'] : ['Regular']).map(weight => ({ file: `${stem}-${weight}.ttf` }))
}

const openFonts = new Map<string, OpenFont | undefined>()

function openFont(file: string, index = 0): OpenFont | undefined {
  const key = `${file}#${index}`
  if (!openFonts.has(key)) openFonts.set(key, existsSync(file) ? loadFont(key, file, index) : undefined)
  return openFonts.get(key)
}

function loadFont(key: string, file: string, index: number): OpenFont {
  const face = new Face(new Blob(readFileSync(file)), index)
  const codePoints = new Set(face.collectUnicodes())
  const isCff = face.referenceTable('CFF ') !== undefined
  const covers = (codePoint: number) => codePoints.has(codePoint)
  return { key, file, index, face, font: new Font(face), unitsPerEm: face.upem, isCff, covers }
}
