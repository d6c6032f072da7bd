import type { InputFile } from '#kit'

interface Cleaner {
  clean(path: string, options: { to: string; password?: string }): Promise<{ path: string }>
}

/** The path of a file that every reader opens: an encrypted or damaged one is rewritten first. */
export async function opened(
  file: InputFile,
  { qpdf, password, to }: { qpdf: Cleaner; password: string | undefined; to: string },
): Promise<string> {
  return opensPlainly(file) ? file.path : (await qpdf.clean(file.path, { to, password })).path
}

/** Neither encrypted nor damaged, and read by every reader as it is. */
export function opensPlainly({ facts }: InputFile): boolean {
  return !facts.encrypted && !facts.marks?.some(mark => mark === 'odd' || mark === 'repaired')
}
