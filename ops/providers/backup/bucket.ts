import type { Readable } from 'node:stream'
import { StoreUnavailable } from '../storage/contract.ts'
import { S3Store } from '../storage/s3.ts'
import type { S3Config } from '../storage/settings.ts'
import { type BackupPlace, BackupPlaceError } from './contract.ts'

/** Keeps backups in a bucket, under keys that begin with a prefix. */
export class Bucket implements BackupPlace {
  readonly address: string
  readonly #store: S3Store
  readonly #prefix: string

  constructor(address: string, config: S3Config, prefix: string) {
    this.address = address
    this.#store = new S3Store(config)
    this.#prefix = prefix
  }

  async put(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const source = watchErrors(bytes)
    const options = { contentType: 'application/octet-stream' }
    await this.#store.put(this.#prefix + name, source.bytes, options).catch(error => {
      if (source.hasThrown(error)) throw error
      this.#fail(error)
    })
  }

  read(name: string): Promise<Readable> {
    return this.#store.read(this.#prefix + name).catch(error => this.#fail(error))
  }

  async sizeOf(name: string): Promise<number | undefined> {
    return (await this.#store.stat(this.#prefix + name))?.sizeBytes
  }

  async *list(prefix: 'backups/' | 'parts/'): AsyncIterable<string> {
    try {
      for await (const { key } of this.#store.list(this.#prefix + prefix)) yield key.slice(this.#prefix.length)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Errors of the server are about the bucket. */
  #fail(error: unknown): never {
    const reason = error instanceof StoreUnavailable ? error.cause : error
    const { name, message, $metadata } = reason as Error & { $metadata?: object }
    throw $metadata || reason !== error || name === 'CredentialsProviderError'
      ? new BackupPlaceError(`${this.address} cannot be used for backups: ${message || name}.`)
      : error
  }

  remove(name: string): Promise<void> {
    return this.#store.remove(this.#prefix + name)
  }
}

/** What is backed up may be in a store that fails too, which says nothing of the bucket. */
function watchErrors(bytes: AsyncIterable<Uint8Array>) {
  let thrown: unknown
  async function* readWatched() {
    try {
      yield* bytes
    } catch (error) {
      thrown = error
      throw error
    }
  }
  return { bytes: readWatched(), hasThrown: (error: unknown) => thrown !== undefined && thrown === error }
}
