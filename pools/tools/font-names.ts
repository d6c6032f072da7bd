import { existsSync } from 'node:fs'
import { Problem } from '#kit'
import type { HostRoom } from '../job-room.ts'

/** What fontconfig finds on every machine, whatever is installed. */
const GENERIC = new Set(['sans', 'sans-serif', 'serif', 'monospace', 'dejavu sans'])
const FONT_FILES = ['/etc/fonts', '/var/cache/fontconfig']
const MOST_NAMED = 50

/** Refuses a font that is not here: fontconfig itself would take another one without a word. */
export async function checkFont(room: HostRoom, font: string, hints: object): Promise<void> {
  if (GENERIC.has(font.toLowerCase()) || !existsSync('/usr/bin/fc-list')) return
  const visible = FONT_FILES.filter(path => existsSync(path))
  const { stdout } = await room.programs.run(room, 'fc-list', [':', 'family'], { visible, stdoutLimitBytes: 2 ** 20 })
  const names = stdout.split('\n').flatMap(line => line.split(',').map(name => name.trim().replaceAll('\\', '')))
  const families = [...new Set(names)].filter(Boolean).sort()
  // A name may end with the words of a style, as in "Noto Sans Bold".
  const isHere = families.some(name => `${font.toLowerCase()} `.startsWith(`${name.toLowerCase()} `))
  if (!isHere) throw new Problem('FONT_UNAVAILABLE', { font, available: families.slice(0, MOST_NAMED), ...hints })
}
