import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createOfficeProfile } from '../../../ops/bench/figures/files/warm-engines.ts'

const run = promisify(execFile)

/** Converts files of this folder with LibreOffice itself, which writes them beside. */
export async function convertWithOffice(
  folder: string,
  to: string,
  files: readonly string[],
  options: readonly string[] = [],
): Promise<void> {
  const args = [await createOfficeProfile(folder), '--headless', ...options, '--convert-to', to, ...files]
  await run('soffice', args, { cwd: folder, timeout: 120_000 })
}
