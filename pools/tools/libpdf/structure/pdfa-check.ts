import { readFile } from 'node:fs/promises'
import { PDF, PdfArray, PdfBool, PdfDict, PdfName, type PdfRef, PdfStream } from '@libpdf/core'
import { type Resolve, walkDicts } from '../objects.ts'
import { readXmpPacket } from './pdfa-claim.ts'
import { readClaims } from './xmp.ts'

type Check = (dict: PdfDict, resolve: Resolve) => boolean

/** What PDF/A forbids in any dictionary, by the words in which it is reported. */
const FORBIDDEN: Record<string, Check> = {
  'a font that is not embedded': isFontOutside,
  'an image in CMYK': (dict, resolve) => nameOf(dict, 'ColorSpace', resolve) === 'DeviceCMYK',
  'an image that viewers smooth': (dict, resolve) => isTrue(dict, 'Interpolate', resolve),
  'LZW compression': (dict, resolve) => dict instanceof PdfStream && usesFilter(dict, 'LZWDecode', resolve),
  'a stream in another file': dict => dict instanceof PdfStream && (dict.has('F') || dict.has('FFilter')),
  'a transfer function': (dict, resolve) =>
    nameOf(dict, 'Type', resolve) === 'ExtGState' && (dict.has('TR') || dict.has('HTP')),
  'an action that only some viewers perform': hasForbiddenAction,
  'an annotation of sound, video or 3D': (dict, resolve) =>
    FORBIDDEN_ANNOTATIONS.has(nameOf(dict, 'Subtype', resolve) ?? '') && dict.has('Rect'),
  'an annotation that is hidden or not printed': isHidden,
  PostScript: (dict, resolve) => dict instanceof PdfStream && nameOf(dict, 'Subtype', resolve) === 'PS',
}

/** What the first part of PDF/A forbids beside that. */
const FORBIDDEN_IN_PART_1: Record<string, Check> = {
  transparency: isTransparent,
  'optional content': dict => dict.has('OCProperties'),
}

const FONT_FILES = ['FontFile', 'FontFile2', 'FontFile3']
const EMBEDDED_FONTS = new Set(['Type1', 'MMType1', 'TrueType', 'CIDFontType0', 'CIDFontType2'])
const FORBIDDEN_ANNOTATIONS = new Set(['3D', 'Sound', 'Screen', 'Movie', 'RichMedia'])
const FORBIDDEN_ACTIONS = new Set([
  ...['Launch', 'Sound', 'Movie', 'ResetForm', 'ImportData', 'Hide', 'SetOCGState', 'Rendition', 'Trans'],
  ...['GoTo3DView', 'JavaScript'],
])
/** Invisible, hidden, not viewed, and toggled. */
const HIDDEN_FLAGS = 1 | 2 | 32 | 256
const PRINTED = 4

/** Looks for faults that can be seen in the structure of a document. Finding none does not prove that it is PDF/A. */
export async function checkPdfa([file]: string[], { level }: { level: string }): Promise<string[]> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const catalog = pdf.getCatalog()
  const names = catalog.getDict('Names', resolve)
  const form = catalog.getDict('AcroForm', resolve)
  const documentFaults = {
    'no claim in the metadata': readClaims(readXmpPacket(pdf)).pdfa?.[0] !== level[0],
    'no colour profile': !hasOutputIntent(catalog, resolve),
    'no file identifier': !pdf.context.info.trailer.has('ID'),
    encryption: pdf.isEncrypted,
    'an object stream': level[0] === '1' && pdf.context.info.trailer.getName('Type')?.value === 'XRef',
    'scripts of the document': names?.has('JavaScript') === true || catalog.has('AA'),
    'embedded files': level !== '3b' && names?.has('EmbeddedFiles') === true,
    'a form in XML or without appearances':
      form?.has('XFA') === true || (form !== undefined && isTrue(form, 'NeedAppearances', resolve)),
  }
  const found = new Set(listTrue(documentFaults))
  const forbidden = Object.entries({ ...FORBIDDEN, ...(level[0] === '1' && FORBIDDEN_IN_PART_1) })
  for (const dict of walkDicts(catalog, resolve))
    for (const [fault, isFound] of forbidden) if (isFound(dict, resolve)) found.add(fault)
  return [...found]
}

function listTrue(faults: Record<string, boolean>): string[] {
  return Object.keys(faults).filter(fault => faults[fault])
}

function nameOf(dict: PdfDict, key: string, resolve: Resolve): string | undefined {
  const value = dict.get(key, resolve)
  return value instanceof PdfName ? value.value : undefined
}

function isTrue(dict: PdfDict, key: string, resolve: Resolve): boolean {
  const value = dict.get(key, resolve)
  return value instanceof PdfBool && value.value
}

function isFontOutside(dict: PdfDict, resolve: Resolve): boolean {
  const isFont = nameOf(dict, 'Type', resolve) === 'Font' && EMBEDDED_FONTS.has(nameOf(dict, 'Subtype', resolve) ?? '')
  const descriptor = dict.getDict('FontDescriptor', resolve)
  return isFont && !FONT_FILES.some(key => descriptor?.has(key))
}

const OPAQUE_MODES = ['Normal', 'Compatible']

function isTransparent(dict: PdfDict, resolve: Resolve): boolean {
  const group = dict.getDict('Group', resolve)
  const isLessThanOne = (key: string) => (dict.getNumber(key, resolve)?.value ?? 1) < 1
  const hasMask = dict.has('SMask') && nameOf(dict, 'SMask', resolve) !== 'None'
  const mode = nameOf(dict, 'BM', resolve)
  return (
    (group && nameOf(group, 'S', resolve) === 'Transparency') ||
    hasMask ||
    ['ca', 'CA'].some(isLessThanOne) ||
    (mode !== undefined && !OPAQUE_MODES.includes(mode))
  )
}

function usesFilter(dict: PdfDict, filter: string, resolve: Resolve): boolean {
  const value = dict.get('Filter', resolve)
  const filters = value instanceof PdfArray ? value.toArray() : [value]
  return filters.some(item => item instanceof PdfName && item.value === filter)
}

function hasForbiddenAction(dict: PdfDict, resolve: Resolve): boolean {
  return dict.has('JS') || ((dict.has('S') || false) && FORBIDDEN_ACTIONS.has(nameOf(dict, 'S', resolve) ?? ''))
}

function isHidden(dict: PdfDict, resolve: Resolve): boolean {
  const subtype = nameOf(dict, 'Subtype', resolve)
  const isAnnotation = subtype !== undefined && dict.has('Rect') && !(dict instanceof PdfStream)
  if (!isAnnotation || subtype === 'Popup') return false
  const flags = dict.getNumber('F', resolve)?.value ?? 0
  return (flags & HIDDEN_FLAGS) !== 0 || (flags & PRINTED) === 0
}

function hasOutputIntent(catalog: PdfDict, resolve: Resolve): boolean {
  const intents = catalog.getArray('OutputIntents', resolve)
  return [...(intents ?? new PdfArray())].some((_, index) => {
    const intent = intents!.at(index, resolve)
    return (
      intent instanceof PdfDict &&
      nameOf(intent, 'S', resolve) === 'GTS_PDFA1' &&
      intent.get('DestOutputProfile', resolve) instanceof PdfStream
    )
  })
}
