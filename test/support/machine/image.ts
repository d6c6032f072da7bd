import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'
import { ROOT } from '../house/files.ts'

/** The files of the repository that `COPY . .` brings into the container image. */
export function listImageFiles(): string[] {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean)
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n').filter(Boolean)
  const isIgnored = (path: string) => ignored.some(glob => matchesGlob(path, glob) || matchesGlob(path, `${glob}/**`))
  return files.filter(path => !isIgnored(path) && existsSync(join(ROOT, path)))
}

/** Lays out `folder` as the image does: its files, and the packages of `npm ci --omit=dev` without those for tests. */
export function copyImage(folder: string): void {
  for (const path of listImageFiles()) cpSync(join(ROOT, path), join(folder, path))
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true }>
  }
  for (const [path, { dev }] of Object.entries(packages)) {
    const isOnTop = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)
    if (!isOnTop || dev || !existsSync(join(ROOT, path))) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(join(ROOT, path), join(folder, path))
  }
}
