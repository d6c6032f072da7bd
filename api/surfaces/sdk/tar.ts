/** A file of a package. */
export interface PackageFile {
  name: string
  content: string | Buffer
  isProgram?: boolean
}

const BLOCK = 512

/** An archive in the format ustar. The same files give the same bytes. */
export function writeTar(files: readonly PackageFile[]): Buffer {
  const members = files.flatMap(({ name, content, isProgram }) => {
    const bytes = Buffer.from(content as string)
    const padding = Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)
    return [writeHeader(name, bytes.length, isProgram ? 0o755 : 0o644), bytes, padding]
  })
  return Buffer.concat([...members, Buffer.alloc(2 * BLOCK)])
}

/** Where the fields of a header are, with their lengths. */
const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
} as const

function writeHeader(name: string, sizeBytes: number, mode: number): Buffer {
  if (Buffer.byteLength(name) > FIELDS.name[1]) throw new RangeError(`${name} is too long a name for an archive`)
  const header = Buffer.alloc(BLOCK)
  const write = (field: keyof typeof FIELDS, text: string) => {
    const [start, length] = FIELDS[field]
    header.write(text, start, length)
  }
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  write('name', name)
  write('mode', octal(mode, 7))
  write('uid', octal(0, 7))
  write('gid', octal(0, 7))
  write('size', octal(sizeBytes, 11))
  write('mtime', octal(0, 11))
  write('checksum', ' '.repeat(8))
  write('type', '0')
  write('magic', 'ustar\x0000')
  const sum = header.reduce((total, byte) => total + byte, 0)
  write('checksum', `${octal(sum, 6)} `)
  return header
}
