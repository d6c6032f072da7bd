import { createHash } from 'node:crypto'
import { writeStoredZip } from '../../../tasks/formats/archive/stored-zip.ts'
import type { PackageFile } from './tar.ts'

/** A wheel (PEP 427): the files and their list, with which an installer checks them. */
export async function writeWheel(files: readonly PackageFile[], folder: string): Promise<Buffer> {
  const lines = files.map(({ name, content }) => {
    const bytes = Buffer.from(content as string)
    return `${name},sha256=${createHash('sha256').update(bytes).digest('base64url')},${bytes.length}`
  })
  const record = `${folder}/RECORD`
  const all = [...files, { name: record, content: `${lines.join('\n')}\n${record},,\n` }]
  return packZip(all)
}

export async function packZip(files: readonly PackageFile[]): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of writeStoredZip(files.map(toMember))) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function toMember({ name, content }: PackageFile) {
  const bytes = Buffer.from(content as string)
  return { name, sizeBytes: bytes.length, read: async () => chunksOf(bytes) }
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}
