import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Without it, every start draws tests of graphics, which takes three quarters of its time. */
const SETTINGS =
  '<?xml version="1.0"?><oor:items xmlns:oor="http://openoffice.org/2001/registry"><item ' +
  'oor:path="/org.openoffice.Setup/Product"><prop oor:name="ooSetupLastVersion" oor:op="fuse"><value>99.9</value>' +
  '</prop></item></oor:items>'

/** The option of LibreOffice that names a profile of its own in this folder. */
export function createOfficeProfile(folder: string): string {
  const user = join(folder, 'profile', 'user')
  mkdirSync(user, { recursive: true })
  writeFileSync(join(user, 'registrymodifications.xcu'), SETTINGS)
  return `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`
}

/** Converts files of this folder with LibreOffice itself, which writes them beside. */
export async function convertWithOffice(
  folder: string,
  to: string,
  files: readonly string[],
  options: readonly string[] = [],
): Promise<void> {
  const args = [createOfficeProfile(folder), '--headless', ...options, '--convert-to', to, ...files]
  await run('soffice', args, { cwd: folder, timeout: 120_000 })
}
