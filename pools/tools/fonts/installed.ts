import { existsSync } from 'node:fs'
import { Problem } from '#kit'
import type { HostContext } from '../../host-context.ts'
import { listFontFiles } from '../../programs/sandbox.ts'

/** Families that fontconfig resolves on every machine. */
const GENERIC_FAMILIES = new Set(['sans', 'sans-serif', 'serif', 'monospace', 'dejavu sans'])
const MAX_LISTED = 50

/** Rejects a font that is not installed; fontconfig would silently substitute another. */
export async function checkFont(context: HostContext, font: string, hints: object): Promise<void> {
  if (GENERIC_FAMILIES.has(font.toLowerCase()) || !existsSync('/usr/bin/fc-list')) return
  const { stdout } = await context.programs.run(context, 'fc-list', [':', 'family'], {
    visible: listFontFiles(),
    stdoutLimitBytes: 2 ** 20,
  })
  const names = stdout.split('\n').flatMap(line => line.split(',').map(name => name.trim().replaceAll('\\', '')))
  const families = [...new Set(names)].filter(Boolean).sort()
  // The name may end with a style, as in "Noto Sans Bold".
  const isInstalled = families.some(name => `${font.toLowerCase()} `.startsWith(`${name.toLowerCase()} `))
  if (!isInstalled) throw new Problem('FONT_UNAVAILABLE', { font, available: families.slice(0, MAX_LISTED), ...hints })
}
