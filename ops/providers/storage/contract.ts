import type { Readable } from 'node:stream'
import type { Config } from '../../config.ts'

export type Bytes = AsyncIterable<Uint8Array> | Uint8Array

export interface PutOptions {
  contentType: string
  maxBytes?: number
  /** Fails if the object exists already. */
  isWriteOnce?: boolean
  /** Also computes the SHA-256, which costs as much as writing. */
  isHashed?: boolean
  /** Nothing else reads the chunks of the stream, so the store may give their memory back as soon as they are written. */
  takesChunks?: boolean
}

export interface StoredObject {
  sizeBytes: number
  sha256?: string
}

export interface ObjectFacts {
  sizeBytes: number
  contentType: string
}

/** Both ends are included, as in HTTP's `Range`. */
export interface ByteRange {
  start: number
  end: number
}

export interface PresignGetOptions {
  expiresInSeconds: number
  filename?: string
  contentType?: string
}

export interface PresignPostOptions {
  maxBytes: number
  contentType?: string
  expiresInSeconds: number
}

/** Stores objects by key. There are two adapters: local disk and S3. */
export interface ObjectStore {
  readonly kind: 'local' | 's3'
  /** Stores a stream; a failure leaves no partial object. */
  put(key: string, body: Bytes, options: PutOptions): Promise<StoredObject>
  /** Stores a copy of a file of this machine. */
  putFile(key: string, path: string, options: Pick<PutOptions, 'contentType'>): Promise<StoredObject>
  read(key: string, range?: ByteRange): Promise<Readable>
  stat(key: string): Promise<ObjectFacts | undefined>
  remove(key: string): Promise<void>
  /** Makes the object available at `path`, which must not exist. The file may be shared, so never write to it. */
  fetchTo(key: string, path: string): Promise<void>
  /** Only the local store has it. */
  localPath?(key: string): string
  presignGet(key: string, options: PresignGetOptions): Promise<string>
  presignPost(key: string, options: PresignPostOptions): Promise<{ url: string; fields: Record<string, string> }>
  list(prefix: string): AsyncIterable<{ key: string; modifiedAt: Date }>
  /** Removes what writers that died have left half-written and not touched for so long; returns how many. Local only. */
  removeDrafts?(minAgeMs: number): Promise<number>
  /** Throws if the store cannot be used. */
  check(): Promise<void>
}

/** The store cannot be reached or does not answer. What was asked may or may not have been done. */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super('the object store is not reachable', { cause })
    this.name = 'StoreUnavailable'
  }
}

export type StoreConfig = Pick<Config, 'dataDir' | 'publicUrl' | 'secret' | 's3'>
