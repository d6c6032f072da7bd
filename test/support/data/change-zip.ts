import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A package in which one part is what `change` makes of it; one that it lacks is added. */
export function changeZip(file: Uint8Array, part: string, change: (xml: string) => string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'change-zip-'))
  try {
    const path = join(folder, 'changed.zip')
    writeFileSync(path, file)
    const hasPart = execFileSync('unzip', ['-Z1', path]).toString().split('\n').includes(part)
    const old = hasPart ? execFileSync('unzip', ['-p', path, part]).toString() : ''
    mkdirSync(join(folder, dirname(part)), { recursive: true })
    writeFileSync(join(folder, part), change(old))
    execFileSync('zip', ['-q', path, part], { cwd: folder })
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
