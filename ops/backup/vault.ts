import { createHash, randomBytes } from 'node:crypto'
import { Problem } from '#kit'
import type { BackupPlace } from '../providers/backup/contract.ts'
import { decrypt, encrypt } from './encryption.ts'
import { BackupError } from './errors.ts'

/** Something that is stored in a backup, encrypted. The hash and the size are those of the stored bytes. */
export interface Part {
  name: string
  sizeBytes: number
  sha256: string
}

/** Files of others may be beside the parts, and are not removed with them. */
export function isPartName(name: string): boolean {
  return /^parts\/[0-9a-f]{2}\/[0-9a-f]{48}$/.test(name)
}

/** The parts of the backups in a place. */
export class Vault {
  readonly place: BackupPlace
  readonly master: Buffer

  constructor(place: BackupPlace, master: Buffer) {
    this.place = place
    this.master = master
  }

  async write(bytes: AsyncIterable<Uint8Array>): Promise<Part> {
    const id = randomBytes(24).toString('hex')
    const name = `parts/${id.slice(0, 2)}/${id}`
    const measured = measure(encrypt(this.master, bytes))
    await this.place.put(name, measured.bytes)
    return { name, ...measured.result() }
  }

  /** Yields what was written; throws a BackupError at the end if the stored bytes are others, or before. */
  async *read(part: Part): AsyncGenerator<Buffer, undefined> {
    const measured = measure(await this.#open(part))
    yield* decrypt(this.master, measured.bytes)
    const { sizeBytes, sha256 } = measured.result()
    if (sizeBytes !== part.sizeBytes || sha256 !== part.sha256)
      throw new BackupError(`The part ${part.name} of the backup is not as it was written.`)
  }

  async #open({ name }: Part): Promise<AsyncIterable<Uint8Array>> {
    try {
      return await this.place.read(name)
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'NOT_FOUND')) throw error
      throw new BackupError(`The part ${name} of the backup is missing.`)
    }
  }
}

/** Hashes and counts bytes that pass. */
export function measure(bytes: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256')
  let sizeBytes = 0
  async function* pass(): AsyncGenerator<Uint8Array, undefined> {
    for await (const chunk of bytes) {
      hash.update(chunk)
      sizeBytes += chunk.length
      yield chunk
    }
  }
  return { bytes: pass(), result: () => ({ sizeBytes, sha256: hash.digest('hex') }) }
}
