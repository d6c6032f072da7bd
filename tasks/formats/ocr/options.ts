import { Type } from 'typebox'
import { ALIASES_RULE, FileInput } from '#kit'

const TYPES = ['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff', 'heic', 'heif', 'bmp', 'jp2', 'jxl']

/** A document with pages to read: a PDF, or an image of one page, or of several in a TIFF. */
export function ScanInput() {
  return FileInput({
    accept: ['application/pdf', ...TYPES.map(subtype => `image/${subtype}`)],
    refuse: 'PDF_PARSE_FAILED',
    probe: 'document',
    description: 'A PDF or an image.',
  })
}

/** Tesseract's page segmentation modes that read text. */
const LAYOUTS = [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]
const DEFAULT_LAYOUT = 3

export const ocrFields = {
  languages: Type.Array(Type.String({ pattern: '^[A-Za-z]{2,4}([-_][A-Za-z0-9]{2,8}){0,2}$' }), {
    default: ['eng'],
    minItems: 1,
    maxItems: 5,
    description: 'Such as de, de-AT or deu; the most likely first. `language` takes a single one.',
    [ALIASES_RULE]: ['language'],
  }),
  dpi: Type.Integer({ default: 300, minimum: 150, maximum: 600, description: 'Resolution in which pages are read.' }),
  autoRotate: Type.Boolean({ default: true, description: 'Turn sideways and upside-down pages to read them.' }),
  deskew: Type.Boolean({ default: true, description: 'Level pages that were scanned at an angle to read them.' }),
  psm: Type.Optional(
    Type.Unsafe<number>({ type: 'integer', enum: LAYOUTS, description: "Tesseract's page segmentation mode." }),
  ),
}

export function toReadOptions(
  { dpi, autoRotate, deskew, psm }: { dpi: number; autoRotate: boolean; deskew: boolean; psm?: number },
  languages: readonly string[],
) {
  return { dpi, autoRotate, deskew, layout: psm ?? DEFAULT_LAYOUT, languages }
}
