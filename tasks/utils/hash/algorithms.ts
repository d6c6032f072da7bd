import type { InputFile, OutputFile } from '#kit'
import { isSmall, requireBytes } from '../schema.ts'
import { type Algorithm, computeDigest, type DigestEncoding, formatDigest, startDigest } from './digest.ts'

export type Hashes = Partial<Record<Algorithm, string>>

export interface HashOptions {
  algorithms: Algorithm[]
  encoding: DigestEncoding
  manifest: boolean
  expect?: string
  names?: string[]
}

interface Hashed {
  hashes: Hashes
  sizeBytes: number
  matches?: boolean
}

export function hashText(text: string, options: HashOptions): Hashed {
  requireBytes(text)
  const digests = options.algorithms.map(algorithm => computeDigest(algorithm, text))
  return describeDigests(digests, Buffer.byteLength(text), options)
}

export async function hashFile(file: InputFile, options: HashOptions): Promise<Hashed> {
  const digests = await computeDigests(file, options.algorithms)
  return describeDigests(digests, file.sizeBytes, options)
}

async function computeDigests(file: InputFile, algorithms: Algorithm[]): Promise<Buffer[]> {
  if (isSmall(file)) {
    const bytes = await file.bytes()
    return algorithms.map(algorithm => computeDigest(algorithm, bytes))
  }
  const digests = algorithms.map(startDigest)
  for await (const chunk of file.chunks()) for (const digest of digests) digest.update(chunk)
  return digests.map(digest => digest.digest())
}

function describeDigests(digests: Buffer[], sizeBytes: number, { algorithms, encoding, expect }: HashOptions): Hashed {
  const hashes: Hashes = {}
  for (const [index, algorithm] of algorithms.entries()) {
    hashes[algorithm] = formatDigest(algorithm, digests[index]!, encoding)
  }
  if (expect === undefined) return { hashes, sizeBytes }
  const expected = expect.trim()
  const inHex = expected.toLowerCase()
  const matches = digests.some(digest => digest.toString('hex') === inHex) || Object.values(hashes).includes(expected)
  return { hashes, sizeBytes, matches }
}

interface HashedFiles {
  files: { index: number; name?: string; hashes: Hashes; sizeBytes: number }[]
  output?: OutputFile
}

/** Hashes files one after the other, so that only one is in memory at a time. */
export async function hashFiles(files: InputFile[], options: HashOptions): Promise<HashedFiles> {
  const hashed: HashedFiles['files'] = []
  for (const [index, file] of files.entries()) {
    const name = options.names?.[index] ?? file.name ?? (options.manifest ? `file-${index + 1}` : undefined)
    const { hashes, sizeBytes } = await hashFile(file, options)
    hashed.push({ index, ...(name !== undefined && { name }), hashes, sizeBytes })
  }
  if (!options.manifest) return { files: hashed }
  const algorithm = options.algorithms[0]!
  const lines = hashed.map(({ name, hashes }) => manifestLine(hashes[algorithm]!, name!))
  return {
    files: hashed,
    output: { bytes: Buffer.from(lines.join('')), contentType: 'text/plain', name: `${algorithm}sums.txt` },
  }
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' }

/** A line as sha256sum writes it; a leading backslash means that the name is escaped. */
function manifestLine(digest: string, name: string): string {
  const escaped = name.replace(/[\\\n\r]/g, character => ESCAPES[character]!)
  return `${escaped === name ? '' : '\\'}${digest}  ${escaped}\n`
}
