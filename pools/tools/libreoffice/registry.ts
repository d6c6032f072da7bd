import { access, readFile } from 'node:fs/promises'

const ROOT = '/usr/lib/libreoffice'
const UNO = '/usr/lib/python3/dist-packages/uno.py'

/** Throws if the program, its Writer or its bridge for Python is not installed. */
export async function readVersion(): Promise<string> {
  for (const path of [`${ROOT}/program/soffice.bin`, `${ROOT}/share/registry/writer.xcd`, UNO]) await access(path)
  const main = await readFile(`${ROOT}/share/registry/main.xcd`, 'utf8')
  return /ooSetupVersionAboutBox"[^>]*>\s*<value>([\d.]+)</.exec(main)?.[1] ?? 'unknown'
}
