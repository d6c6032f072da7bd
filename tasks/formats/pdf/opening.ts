import type { InputFile } from '#kit'

interface Normalizer {
  normalize(path: string, options: { to: string; password?: string }): Promise<{ path: string }>
}

/** Returns the path of a file that all our readers can open; an encrypted or damaged one is rewritten first. */
export async function openPdf(
  file: InputFile,
  { qpdf, password, to }: { qpdf: Normalizer; password: string | undefined; to: string },
): Promise<string> {
  return isReadableAsIs(file) ? file.path : (await qpdf.normalize(file.path, { to, password })).path
}

/** Whether a file is neither encrypted nor damaged, and all our readers can open it as it is. */
export function isReadableAsIs(file: InputFile): boolean {
  return !file.facts.encrypted && !isDamaged(file)
}

/** Whether some of our readers cannot open a file, or find less in it than qpdf does. */
export function isDamaged({ facts }: InputFile): boolean {
  return facts.marks?.some(mark => mark === 'odd' || mark === 'repaired') ?? false
}

const MAX_PLAIN_BYTES = 16 * 2 ** 20

/** Whether documents may have no structure besides their pages, such as scans, and are small enough to be held at once. */
export function mayHoldOnlyPages(files: readonly InputFile[]): boolean {
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0)
  return sizeBytes <= MAX_PLAIN_BYTES && files.every(file => !file.facts.encrypted && !file.facts.marks?.length)
}
