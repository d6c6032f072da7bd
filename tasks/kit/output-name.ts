import { basename, extname } from 'node:path'

const LONGEST = 255

/** The caller's name for an output: no path, nothing invisible, and the ending the output really has. */
export function outputName(asked: string | undefined, made: string): string {
  const clean = basename((asked ?? '').replaceAll('\\', '/'))
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
  if (clean === '' || clean === '.' || clean === '..') return made
  const ending = extname(made)
  if (extname(clean).toLowerCase() === ending.toLowerCase()) return clean.slice(0, LONGEST)
  return `${clean.slice(0, LONGEST - ending.length)}${ending}`
}
