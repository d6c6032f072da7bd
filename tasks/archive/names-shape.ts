import { type InputFile, Problem } from '#kit'

const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?$/i
const LONGEST = 1024

/** Why a name could leave the folder it is unpacked into, or be no file at all there. */
export function faultOf(name: string): string | undefined {
  if (name === '' || Buffer.byteLength(name) > LONGEST) return 'length'
  if (/\p{Cc}/u.test(name)) return 'control character'
  if (name.startsWith('/') || /^[a-z]:/i.test(name)) return 'absolute'
  if (name.includes('\\')) return 'backslash'
  const parts = name.split('/')
  if (parts.some(part => part === '..' || part === '.')) return 'path'
  if (parts.some(part => part === '' || /[. ]$/.test(part))) return 'path'
  return parts.some(part => RESERVED.test(part)) ? 'reserved' : undefined
}

const ENDINGS: Record<string, string> = {
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
  return `file-${index + 1}.${ENDINGS[type] ?? (/^[a-z0-9]{2,5}$/.test(plain) ? plain : 'bin')}`
}

/** A name for each file, in their order. */
export function namesFor(
  files: readonly InputFile[],
  { flatten, dedupe }: { flatten: boolean; dedupe: boolean },
): string[] {
  const taken = new Taken()
  return files.map((file, index) => {
    const given = file.name ?? defaultName(file, index)
    const name = flatten ? given.split('/').at(-1)! : given
    const reason = faultOf(name)
    if (reason) throw new Problem('INVALID_NAME', { index, name: name.slice(0, 200), reason })
    const free = dedupe ? taken.freeName(name) : name
    if (!taken.take(free)) throw new Problem('DUPLICATE_NAME', { index, name })
    return free
  })
}

/** Names that some machine would take for the same, or for a file and a folder at once. */
class Taken {
  private readonly files = new Set<string>()
  private readonly folders = new Set<string>()

  take(name: string): boolean {
    const key = keyOf(name)
    const above = foldersOf(key)
    if (this.files.has(key) || this.folders.has(key) || above.some(folder => this.files.has(folder))) return false
    this.files.add(key)
    for (const folder of above) this.folders.add(folder)
    return true
  }

  freeName(name: string): string {
    const [, stem = name, ending = ''] = /^(.*[^/])(\.[^./]+)$/s.exec(name) ?? []
    let free = name
    for (let number = 2; this.files.has(keyOf(free)) || this.folders.has(keyOf(free)); number++) {
      free = `${stem} (${number})${ending}`
    }
    return free
  }
}

function keyOf(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

function foldersOf(name: string): string[] {
  const parts = name.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** What gains nothing from being compressed once more. */
export function isCompressed(type: string): boolean {
  if (/^(?:video|audio)\//.test(type)) return !/wav|midi|basic/.test(type)
  if (/^image\//.test(type)) return !/svg|bmp|tiff|icon/.test(type)
  return /zip|gzip|x-7z|x-rar|x-xz|bzip2|zstd|openxmlformats|opendocument|epub/.test(type)
}
