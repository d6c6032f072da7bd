import { open, rename, rm, stat } from 'node:fs/promises'
import {
  listDataSpaces,
  measureEncrypted,
  measureInfo,
  PackageEncryption,
} from '../../../../tasks/formats/office/agile-encryption.ts'
import { planCompoundFile } from '../../../../tasks/formats/office/compound-file.ts'

/** A multiple of the segments that are encrypted one by one. */
const PIECE = 1 << 20

/** Encrypts a workbook in its place, so that only the password opens it. */
export async function protectWorkbook(path: string, password: string): Promise<void> {
  const { size } = await stat(path)
  const spaces = listDataSpaces()
  const layout = planCompoundFile([
    { path: ['EncryptedPackage'], sizeBytes: measureEncrypted(size) },
    { path: ['EncryptionInfo'], sizeBytes: measureInfo() },
    ...spaces,
  ])
  const [packageOffset, infoOffset, ...spaceOffsets] = layout.offsets as [number, number, ...number[]]
  const protectedPath = `${path}.protected`
  try {
    await using file = await open(protectedPath, 'w')
    await using plain = await open(path, 'r')
    const encryption = new PackageEncryption()
    let offset = packageOffset
    const write = async (bytes: Buffer) => {
      await file.write(bytes, 0, bytes.length, offset)
      offset += bytes.length
    }
    await write(encryption.begin(size))
    const piece = Buffer.alloc(PIECE)
    for (let read = 0; read < size; ) {
      const { bytesRead } = await plain.read(piece, 0, PIECE, read)
      await write(encryption.update(piece.subarray(0, bytesRead)))
      read += bytesRead
    }
    const info = encryption.finish(password)
    await file.write(info, 0, info.length, infoOffset)
    for (const [index, { bytes }] of spaces.entries()) await file.write(bytes, 0, bytes.length, spaceOffsets[index]!)
    for (const { offset: start, bytes } of layout.parts) await file.write(bytes, 0, bytes.length, start)
    await file.truncate(layout.sizeBytes)
    await rename(protectedPath, path)
  } finally {
    await rm(protectedPath, { force: true })
  }
}
