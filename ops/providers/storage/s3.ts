import { createWriteStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { S3Client } from '@aws-sdk/client-s3'
import { Problem } from '#kit'
import type {
  ByteRange,
  Bytes,
  ObjectFacts,
  ObjectStore,
  PresignGetOptions,
  PresignPostOptions,
  PutOptions,
  StoredObject,
} from './contract.ts'
import { contentDisposition } from './disposition.ts'
import { requireKeyPrefix, requireObjectKey } from './key.ts'
import { createMeter } from './meter.ts'
import { putParts, splitIntoParts } from './s3-parts.ts'
import {
  ANSWER_MS,
  CONNECT_MS,
  readAnswer,
  SILENCE_MS,
  throwIfSilent,
  throwIfUnavailable,
  timeToSend,
} from './s3-time-limits.ts'
import type { S3Config } from './settings.ts'

type Sdk = typeof import('@aws-sdk/client-s3')

interface LoadedSdk {
  sdk: Sdk
  client: S3Client
  /** Sends bodies, and gives a server up that takes nothing of them. */
  uploader: S3Client
}

/** Stores objects in an S3 bucket. The SDK is loaded at the first use, so that other installations do not pay for it. */
export class S3Store implements ObjectStore {
  readonly kind = 's3'
  readonly #config: S3Config
  readonly #silenceMs: number
  #loading: Promise<LoadedSdk> | undefined

  constructor(config: S3Config, silenceMs = SILENCE_MS) {
    this.#config = config
    this.#silenceMs = silenceMs
  }

  async put(key: string, body: Bytes, options: PutOptions): Promise<StoredObject> {
    const { sdk, client, uploader } = await this.#load()
    const target = { Bucket: this.#config.bucket, Key: requireObjectKey(key), ContentType: options.contentType }
    const condition = options.isWriteOnce ? { IfNoneMatch: '*' } : {}
    const meter = createMeter(options)
    const parts = splitIntoParts(body, meter.add)
    const first = await parts.next()
    const second = first.done ? first : await parts.next()
    if (second.done) {
      const whole = first.done ? new Uint8Array() : first.value
      const command = new sdk.PutObjectCommand({ ...target, ...condition, Body: whole })
      await uploader.send(command, timeToSend(whole)).catch(throwWriteProblem)
    } else {
      const upload = { sdk, client, uploader, target, condition }
      await putParts(upload, first.value as Buffer, second.value, parts).catch(throwWriteProblem)
    }
    return meter.summarise()
  }

  /** Opens the file first: a missing file rejects the call, while an unhandled stream error would end the process. */
  async putFile(key: string, path: string, options: Pick<PutOptions, 'contentType'>): Promise<StoredObject> {
    return this.put(key, (await open(path)).createReadStream(), options)
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    const { sdk, client } = await this.#load()
    const Range = range && `bytes=${range.start}-${range.end}`
    const command = new sdk.GetObjectCommand({ Bucket: this.#config.bucket, Key: requireObjectKey(key), Range })
    const { Body } = await client.send(command).catch(throwReadProblem)
    return readAnswer(Body as Readable)
  }

  async stat(key: string): Promise<ObjectFacts | undefined> {
    const { sdk, client } = await this.#load()
    try {
      const head = await client.send(
        new sdk.HeadObjectCommand({ Bucket: this.#config.bucket, Key: requireObjectKey(key) }),
      )
      return { sizeBytes: head.ContentLength ?? 0, contentType: head.ContentType ?? 'application/octet-stream' }
    } catch (error) {
      if (isAbsent(error)) return undefined
      throw error
    }
  }

  async remove(key: string): Promise<void> {
    const { sdk, client } = await this.#load()
    await client.send(new sdk.DeleteObjectCommand({ Bucket: this.#config.bucket, Key: requireObjectKey(key) }))
  }

  async fetchTo(key: string, path: string): Promise<void> {
    const body = await this.read(key)
    try {
      await pipeline(body, createWriteStream(path, { flags: 'wx' }))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(path, { force: true })
      throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? new Problem('STORAGE_FULL') : error
    }
  }

  async presignGet(key: string, { expiresInSeconds, filename, contentType }: PresignGetOptions): Promise<string> {
    const { sdk, client } = await this.#load()
    const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner')
    const command = new sdk.GetObjectCommand({
      Bucket: this.#config.bucket,
      Key: requireObjectKey(key),
      ResponseContentDisposition: contentDisposition(filename),
      ResponseContentType: contentType,
    })
    return getSignedUrl(client, command, { expiresIn: expiresInSeconds })
  }

  /** S3 accepts such a form repeatedly until it expires. That is harmless, because the key belongs to its owner only. */
  async presignPost(key: string, { maxBytes, contentType, expiresInSeconds }: PresignPostOptions) {
    const { client } = await this.#load()
    const { createPresignedPost } = await import('@aws-sdk/s3-presigned-post')
    return createPresignedPost(client, {
      Bucket: this.#config.bucket,
      Key: requireObjectKey(key),
      Conditions: [['content-length-range', 0, maxBytes]],
      Fields: contentType === undefined ? {} : { 'Content-Type': contentType },
      Expires: expiresInSeconds,
    })
  }

  async *list(prefix: string): AsyncIterable<{ key: string; modifiedAt: Date }> {
    const { sdk, client } = await this.#load()
    const input = { Bucket: this.#config.bucket, Prefix: requireKeyPrefix(prefix) }
    for await (const page of sdk.paginateListObjectsV2({ client }, input)) {
      for (const { Key, LastModified } of page.Contents ?? []) {
        if (Key && LastModified) yield { key: Key, modifiedAt: LastModified }
      }
    }
  }

  async check(): Promise<void> {
    const { sdk, client } = await this.#load()
    await client.send(new sdk.HeadBucketCommand({ Bucket: this.#config.bucket }))
  }

  #load(): Promise<LoadedSdk> {
    this.#loading ??= loadSdk(this.#config, this.#silenceMs)
    return this.#loading
  }
}

async function loadSdk(config: S3Config, silenceMs: number): Promise<LoadedSdk> {
  const sdk = await import('@aws-sdk/client-s3')
  const { accessKeyId, secretAccessKey } = config
  const credentials = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined
  const options = {
    region: config.region,
    endpoint: config.endpoint,
    forcePathStyle: config.forcePathStyle,
    credentials,
    // Many S3 servers do not support the newer checksums, and the signatures cover the bodies anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } as const
  const requestHandler = { connectionTimeout: CONNECT_MS, requestTimeout: ANSWER_MS, throwOnRequestTimeout: true }
  const client = new sdk.S3Client({ ...options, requestHandler })
  const uploader = new sdk.S3Client({ ...options, requestHandler: { ...requestHandler, socketTimeout: silenceMs } })
  // Within the retries of the SDK, and around them.
  uploader.middlewareStack.add(next => args => next(args).catch(throwIfSilent), { step: 'deserialize' })
  for (const { middlewareStack } of [client, uploader])
    middlewareStack.add(next => args => next(args).catch(throwIfUnavailable), { step: 'initialize' })
  return { sdk, client, uploader }
}

const ABSENT_ERRORS = new Set(['NoSuchKey', 'NotFound'])

function isAbsent(error: unknown): boolean {
  return error instanceof Error && ABSENT_ERRORS.has(error.name)
}

function throwReadProblem(error: unknown): never {
  throw isAbsent(error) ? new Problem('NOT_FOUND') : error
}

function throwWriteProblem(error: unknown): never {
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } }
  if (name === 'PreconditionFailed')
    throw new Problem('FORBIDDEN', { reason: 'An object with this key exists already.' })
  throw $metadata?.httpStatusCode === 507 ? new Problem('STORAGE_FULL') : error
}
