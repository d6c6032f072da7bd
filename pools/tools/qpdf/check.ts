import { basename } from 'node:path'
import { Problem } from '#kit'
import type { HostContext } from '../../host-context.ts'
import { addInputFile } from '../../programs/run.ts'
import { runReader } from '../poppler/run-reader.ts'
import { passwordArgs, passwordInput } from './password.ts'

/** qpdf exits with 0 on success, 3 after a repair or warning, and 2 on failure. */
export const EXIT_REPAIRED = 3

/** Returns whether the file is encrypted. Throws if the password is missing or wrong. */
export async function checkPassword(
  context: HostContext,
  name: string,
  password: string | undefined,
): Promise<boolean> {
  const args = [...passwordArgs(password), '--requires-password', name]
  const { code } = await runReader(context, 'qpdf', args, { readOnly: [name], ...passwordInput(password) })
  if (code === 0) throw new Problem(password ? 'PDF_PASSWORD_INCORRECT' : 'PDF_PASSWORD_REQUIRED')
  return code === EXIT_REPAIRED
}

/** Reads the whole document, all streams included, and writes nothing. A sound document has no complaints. */
export async function checkDocument(
  context: HostContext,
  path: string,
  password: string | undefined,
): Promise<{ complaints: string[]; isEncrypted: boolean }> {
  const name = await addInputFile(context, path)
  const isEncrypted = await checkPassword(context, name, password)
  const args = [...passwordArgs(password), '--check', name]
  const { code, stderr } = await runReader(context, 'qpdf', args, {
    readOnly: [basename(name)],
    ...passwordInput(password),
  })
  return { complaints: code === 0 ? [] : stderr.trim().split('\n'), isEncrypted }
}
