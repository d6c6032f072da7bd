import { basename, extname } from 'node:path'

const MAX_LENGTH = 255

/** A name without invisible characters and halves of surrogate pairs, which neither Postgres nor a header can hold. */
export function cleanName(name: string, maxLength = MAX_LENGTH): string {
  return name
    .replaceAll(INVISIBLE, '')
    .trim()
    .slice(0, maxLength)
    .replaceAll(/\p{Cs}/gu, '')
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}]/gu

/** The caller's name for an output, without a path or invisible characters, and with the output's real extension. */
export function chooseOutputName(requested: string | undefined, fallback: string): string {
  const clean = cleanName(basename((requested ?? '').replaceAll('\\', '/')), Infinity)
  if (clean === '' || clean === '.' || clean === '..') return cleanName(fallback)
  const ending = extname(fallback)
  if (extname(clean).toLowerCase() === ending.toLowerCase()) return cleanName(clean)
  return `${cleanName(clean, MAX_LENGTH - ending.length)}${ending}`
}
