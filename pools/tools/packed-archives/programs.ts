import { existsSync } from 'node:fs'
import { Problem } from '#kit'

// Decision 0146: read 7z with 7-Zip and RAR with bsdtar.

const PROGRAMS = { '7z': ['7zz', '7zip'], rar: ['bsdtar', 'libarchive-tools'] } as const

export function requireProgram(format: '7z' | 'rar'): string {
  const [program, debianPackage] = PROGRAMS[format]
  if (!existsSync(`/usr/bin/${program}`)) {
    const install = `apt-get install -y ${debianPackage}`
    throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: `read ${format}`, install })
  }
  return program
}

/** Which programs are there. Archives of other formats need none of them. */
export function listInstalled(): string {
  const found = Object.values(PROGRAMS).filter(([program]) => existsSync(`/usr/bin/${program}`))
  return found.length === 0 ? 'none' : found.map(([program]) => program).join(' and ')
}
