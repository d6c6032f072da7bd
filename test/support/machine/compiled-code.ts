import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../house/files.ts'

const SHARED_FOLDER = join(ROOT, 'node_modules/.cache/test-compiled-code')

/** Gives a data folder the compiled code of engines and operations that earlier runs have left, as after a restart. */
export function shareCompiledCode(dataDir: string): void {
  const folder = join(dataDir, 'compile-cache')
  if (existsSync(folder)) return
  mkdirSync(SHARED_FOLDER, { recursive: true })
  symlinkSync(SHARED_FOLDER, folder)
}
