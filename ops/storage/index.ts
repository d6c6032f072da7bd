import type { Readable } from 'node:stream'
import type { Config } from '../config.ts'
import { LocalStore } from './local.ts'
import { S3Store } from './s3.ts'

export type Bytes = AsyncIterable<Uint8Array> | Uint8Array

export interface PutOptions {
  contentType: string
  maxBytes?: number
  /** Refuses to replace an object that is there already. */
  once?: boolean
  /** Hashing costs as much as writing, so it is done where it is asked for. */
  isHashed?: boolean
}

export interface Stored {
  sizeBytes: number
  sha256?: string
}

export interface ObjectFacts {
  sizeBytes: number
  contentType: string
}

/** Both ends are counted, as in HTTP's `Range`. */
export interface ByteRange {
  start: number
  end: number
}

export interface GetTicket {
  expiresInSeconds: number
  filename?: string
  contentType?: string
}

export interface PostTicket {
  maxBytes: number
  contentType?: string
  expiresInSeconds: number
}

/** Where bytes live. Two drivers keep this contract: local disk, and any S3. */
export interface ObjectStore {
  readonly kind: 'local' | 's3'
  /** Streams in; the object is there whole or not at all. */
  put(key: string, body: Bytes, options: PutOptions): Promise<Stored>
  /** The same for a file of this machine, which stays as it is; what is done to it later does not reach the object. */
  putFile(key: string, path: string, options: Pick<PutOptions, 'contentType'>): Promise<Stored>
  read(key: string, range?: ByteRange): Promise<Readable>
  stat(key: string): Promise<ObjectFacts | undefined>
  remove(key: string): Promise<void>
  /** Brings the object to `path`, which must not exist. The file may be read-only and shared: never write to it. */
  fetchTo(key: string, path: string): Promise<void>
  /** Local driver only. */
  localPath?(key: string): string
  presignGet(key: string, ticket: GetTicket): Promise<string>
  presignPost(key: string, ticket: PostTicket): Promise<{ url: string; fields: Record<string, string> }>
  list(prefix: string): AsyncIterable<{ key: string; modifiedAt: Date }>
  /** Whether objects can be written and read; throws what is wrong. */
  check(): Promise<void>
}

export type StoreConfig = Pick<Config, 'dataDir' | 'publicUrl' | 'secret' | 's3'>

export function openStore(config: StoreConfig, now: () => number = Date.now): ObjectStore {
  return config.s3 ? new S3Store(config.s3) : new LocalStore(config, now)
}

export { contentDisposition } from './disposition.ts'
export { isKey } from './key.ts'
export { LocalStore }
