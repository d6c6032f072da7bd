import { Type } from 'typebox'
import { FileInput, type InputFile, Problem, Secret, type Warning } from '#kit'

export const PDF = 'application/pdf'

export function PdfInput(description?: string) {
  return FileInput({ accept: [PDF], refuse: 'PDF_PARSE_FAILED', probe: 'pdf', description })
}

export const password = Type.Optional(
  Secret({ maxLength: 127, description: 'Opens the document where it is encrypted.' }),
)

export const allowBreakSignatures = Type.Boolean({
  default: false,
  description: 'Go on where this invalidates a digital signature; the signature is then removed.',
})

/** What every operation on a PDF may answer. */
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

export function isSigned({ facts }: InputFile): boolean {
  return facts.marks?.includes('signature') ?? false
}

export function refuseSigned(file: InputFile, isAllowed: boolean): void {
  if (isSigned(file) && !isAllowed) throw new Problem('PDF_SIGNED')
}

export const SIGNATURES_REMOVED: Warning = {
  code: 'SIGNATURES_REMOVED',
  message: 'Digital signatures do not survive this; their values were removed, their looks kept.',
}

/** What a careful user would not expect of an output made from these files. */
export function warningsOf(files: readonly InputFile[]): Warning[] {
  const has = (mark: 'repaired' | 'restricted') => files.some(({ facts }) => facts.marks?.includes(mark))
  const warnings: Warning[] = []
  if (has('repaired')) warnings.push({ code: 'PDF_REPAIRED', message: 'The input was damaged and has been repaired.' })
  if (has('restricted')) {
    warnings.push({
      code: 'OWNER_RESTRICTED',
      message: "The input opens freely but its owner's password restricts its use.",
    })
  }
  if (files.some(({ facts }) => facts.encrypted)) {
    warnings.push({ code: 'ENCRYPTION_REMOVED', message: 'The input was encrypted; the output is not.' })
  }
  return warnings
}
