import { type InputFile, Problem } from '#kit'

const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?$/i
const MAX_NAME_BYTES = 1024

/** Returns why a name could escape the folder it is unpacked into, or is no valid file name on some system. */
export function findNameFault(name: string): string | undefined {
  if (name === '' || Buffer.byteLength(name) > MAX_NAME_BYTES) return 'length'
  if (/\p{Cc}/u.test(name)) return 'control character'
  if (name.startsWith('/') || /^[a-z]:/i.test(name)) return 'absolute'
  if (name.includes('\\')) return 'backslash'
  const parts = name.split('/')
  if (parts.some(part => part === '..' || part === '.')) return 'path'
  if (parts.some(part => part === '' || /[. ]$/.test(part))) return 'path'
  return parts.some(part => RESERVED.test(part)) ? 'reserved' : undefined
}

/** Returns why a name leads out of the folder it is unpacked into, on some system; `./` and double slashes do not. */
export function findEscape(name: string): string | undefined {
  if (name === '' || Buffer.byteLength(name) > MAX_NAME_BYTES) return 'length'
  if (/\p{Cc}/u.test(name)) return 'control character'
  if (name.startsWith('/') || /^[a-z]:/i.test(name)) return 'absolute'
  if (name.includes('\\')) return 'backslash'
  // Windows drops dots and spaces at the end of a name.
  return name.split('/').some(part => /^\.\.[. ]*$/.test(part)) ? 'path' : undefined
}

const EXTENSIONS: Record<string, string> = {
  'text/plain': 'txt',
  'text/csv': 'csv',
  'text/html': 'html',
  'application/json': 'json',
  'application/xml': 'xml',
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'image/tiff': 'tif',
  'audio/mpeg': 'mp3',
  'application/gzip': 'gz',
  'application/octet-stream': 'bin',
}

function defaultName({ type }: InputFile, index: number): string {
  const plain = type.split('/')[1] ?? ''
  return `file-${index + 1}.${EXTENSIONS[type] ?? (/^[a-z0-9]{2,5}$/.test(plain) ? plain : 'bin')}`
}

/** Assigns a name to each file, in order. */
export function assignNames(
  files: readonly InputFile[],
  { flatten, dedupe }: { flatten: boolean; dedupe: boolean },
): string[] {
  const taken = new TakenNames()
  return files.map((file, index) => {
    const given = file.name ?? defaultName(file, index)
    const name = flatten ? given.split('/').at(-1)! : given
    const reason = findNameFault(name)
    if (reason) throw new Problem('INVALID_NAME', { index, name: name.slice(0, 200), reason })
    const free = dedupe ? taken.findFreeName(name) : name
    if (!taken.reserve(free)) throw new Problem('DUPLICATE_NAME', { index, name })
    return free
  })
}

/** Names in use. Detects names that are equal on some systems, or would be both a file and a folder. */
export class TakenNames {
  readonly #files = new Set<string>()
  readonly #folders = new Set<string>()

  reserve(name: string): boolean {
    const key = comparisonKey(name)
    const parents = parentFolders(key)
    if (this.#files.has(key) || this.#folders.has(key) || parents.some(folder => this.#files.has(folder))) return false
    this.#files.add(key)
    for (const folder of parents) this.#folders.add(folder)
    return true
  }

  findFreeName(name: string): string {
    const [, stem = name, ending = ''] = /^(.*[^/])(\.[^./]+)$/s.exec(name) ?? []
    let free = name
    for (let number = 2; this.#files.has(comparisonKey(free)) || this.#folders.has(comparisonKey(free)); number++) {
      free = `${stem} (${number})${ending}`
    }
    return free
  }
}

function comparisonKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

function parentFolders(name: string): string[] {
  const parts = name.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** Whether files of a type are compressed already, so that compressing them again gains nothing. */
export function isCompressed(type: string): boolean {
  if (/^(?:video|audio)\//.test(type)) return !/wav|midi|basic/.test(type)
  if (/^image\//.test(type)) return !/svg|bmp|tiff|icon/.test(type)
  return /zip|gzip|x-7z|x-rar|x-xz|bzip2|zstd|openxmlformats|opendocument|epub/.test(type)
}
