import { Type } from 'typebox'
import { FileInput, type InputFile, type Price, Problem, perCall, resolvePageRange, Secret, type Warning } from '#kit'

export const PDF = 'application/pdf'

export function PdfInput(description?: string) {
  return FileInput({ accept: [PDF], refuse: 'PDF_PARSE_FAILED', probe: 'pdf', description })
}

export const password = Type.Optional(
  Secret({ maxLength: 127, description: 'Password that opens an encrypted document.' }),
)

export const allowBreakSignatures = Type.Boolean({
  default: false,
  description: 'Continue even if this invalidates a digital signature; the signature is then removed.',
})

/** Problems of every operation that reads a PDF. */
export const PDF_ERRORS = [
  'PDF_PARSE_FAILED',
  'PDF_PASSWORD_REQUIRED',
  'PDF_PASSWORD_INCORRECT',
  'TOO_MANY_PAGES',
  'TIME_LIMIT_EXCEEDED',
  'MEMORY_LIMIT_EXCEEDED',
  'SANDBOX_UNAVAILABLE',
] as const

export function pageCountOf({ facts }: InputFile): number {
  return facts.pages ?? 0
}

/** The selected pages, each once, in the order they were named. */
export function selectPages(file: InputFile, pages: string): number[] {
  return [...new Set(resolvePageRange(pages, pageCountOf(file)))]
}

/** One price to read a document, and twice that for the actions that change it or take something out. */
export function perChange(readingAction: string): Price<{ action: string }> {
  const when = `\`action\` is not \`${readingAction}\``
  return perCall('0.001', [{ when, factor: 2, applies: ({ action }) => action !== readingAction }])
}

export function isSigned({ facts }: InputFile): boolean {
  return facts.marks?.includes('signature') ?? false
}

export function rejectIfSigned(file: InputFile, isAllowed: boolean): void {
  if (isSigned(file) && !isAllowed) throw new Problem('PDF_SIGNED')
}

export const SIGNATURES_REMOVED: Warning = {
  code: 'SIGNATURES_REMOVED',
  message: 'This operation invalidates digital signatures: their values were removed, their appearance was kept.',
}

export const ENCRYPTION_REMOVED: Warning = {
  code: 'ENCRYPTION_REMOVED',
  message: 'The input was encrypted; the output is not.',
}

/** Warnings about the input files that matter for every output made from them. */
export function collectInputWarnings(files: readonly InputFile[]): Warning[] {
  const hasMark = (mark: 'repaired' | 'restricted') => files.some(({ facts }) => facts.marks?.includes(mark))
  const warnings: Warning[] = []
  if (hasMark('repaired'))
    warnings.push({ code: 'PDF_REPAIRED', message: 'The input was damaged and has been repaired.' })
  if (hasMark('restricted')) {
    warnings.push({
      code: 'OWNER_RESTRICTED',
      message: 'The input opens without a password, but its owner password restricts its use.',
    })
  }
  if (files.some(({ facts }) => facts.encrypted)) {
    warnings.push(ENCRYPTION_REMOVED)
  }
  return warnings
}

/** Without the warning that the output is not encrypted: for operations that write no PDF, or encrypt it again. */
export function collectReadWarnings(file: InputFile): Warning[] {
  return collectInputWarnings([file]).filter(({ code }) => code !== 'ENCRYPTION_REMOVED')
}

/** The document for an output that cannot keep signatures valid. */
export async function removeSignatures(
  file: InputFile,
  path: string,
  { libpdf, to }: { libpdf: { dropSignatures(path: string, options: { to: string }): Promise<string> }; to: string },
): Promise<string> {
  return isSigned(file) ? libpdf.dropSignatures(path, { to }) : path
}

/** Warnings of an operation whose output is a new document without signatures. */
export function collectRewriteWarnings(file: InputFile): Warning[] {
  return [...collectInputWarnings([file]), ...(isSigned(file) ? [SIGNATURES_REMOVED] : [])]
}

export const COLOR_PATTERN = '^(#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|[a-zA-Z]{3,30})$'

const IMAGE_TYPES = [
  ...['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff', 'svg+xml', 'heic', 'heif', 'bmp', 'x-icon', 'jp2', 'jxl'],
  'vnd.adobe.photoshop',
].map(subtype => `image/${subtype}`)

export function ImageInput(description: string) {
  return FileInput({ accept: IMAGE_TYPES, refuse: 'IMAGE_DECODE_FAILED', probe: 'image', description })
}
