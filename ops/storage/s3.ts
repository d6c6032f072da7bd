import { createWriteStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { S3Client } from '@aws-sdk/client-s3'
import { Problem } from '#kit'
import type { S3Config } from '../config.ts'
import { contentDisposition } from './disposition.ts'
import type { ByteRange, Bytes, GetTicket, ObjectFacts, ObjectStore, PostTicket, PutOptions, Stored } from './index.ts'
import { checkKey, checkPrefix } from './key.ts'
import { metered } from './metered.ts'
import { inParts, putParts } from './s3-parts.ts'

type Sdk = typeof import('@aws-sdk/client-s3')

interface Loaded {
  sdk: Sdk
  client: S3Client
}

/** Objects in a bucket of any S3. The SDK is loaded at the first use, so that those who do without it do not pay for it. */
export class S3Store implements ObjectStore {
  readonly kind = 's3'
  readonly #config: S3Config
  #loading: Promise<Loaded> | undefined

  constructor(config: S3Config) {
    this.#config = config
  }

  async put(key: string, body: Bytes, options: PutOptions): Promise<Stored> {
    const { sdk, client } = await this.#load()
    const target = { Bucket: this.#config.bucket, Key: checkKey(key), ContentType: options.contentType }
    const condition = options.once ? { IfNoneMatch: '*' } : {}
    const meter = metered(options)
    const parts = inParts(body, meter.take)
    const first = await parts.next()
    const second = first.done ? first : await parts.next()
    if (second.done) {
      const whole = first.done ? new Uint8Array() : first.value
      await client.send(new sdk.PutObjectCommand({ ...target, ...condition, Body: whole })).catch(refusal)
    } else {
      await putParts({ sdk, client, target, condition }, first.value as Buffer, second.value, parts).catch(refusal)
    }
    return meter.stored()
  }

  /** A file that is not there is an error of the call; a stream that finds it out by itself would end the process. */
  async putFile(key: string, path: string, options: Pick<PutOptions, 'contentType'>): Promise<Stored> {
    return this.put(key, (await open(path)).createReadStream(), options)
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    const { sdk, client } = await this.#load()
    const Range = range && `bytes=${range.start}-${range.end}`
    const command = new sdk.GetObjectCommand({ Bucket: this.#config.bucket, Key: checkKey(key), Range })
    const { Body } = await client.send(command).catch(absentAsProblem)
    return Body as Readable
  }

  async stat(key: string): Promise<ObjectFacts | undefined> {
    const { sdk, client } = await this.#load()
    try {
      const head = await client.send(new sdk.HeadObjectCommand({ Bucket: this.#config.bucket, Key: checkKey(key) }))
      return { sizeBytes: head.ContentLength ?? 0, contentType: head.ContentType ?? 'application/octet-stream' }
    } catch (error) {
      if (isAbsent(error)) return undefined
      throw error
    }
  }

  async remove(key: string): Promise<void> {
    const { sdk, client } = await this.#load()
    await client.send(new sdk.DeleteObjectCommand({ Bucket: this.#config.bucket, Key: checkKey(key) }))
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

  async presignGet(key: string, { expiresInSeconds, filename, contentType }: GetTicket): Promise<string> {
    const { sdk, client } = await this.#load()
    const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner')
    const command = new sdk.GetObjectCommand({
      Bucket: this.#config.bucket,
      Key: checkKey(key),
      ResponseContentDisposition: contentDisposition(filename),
      ResponseContentType: contentType,
    })
    return getSignedUrl(client, command, { expiresIn: expiresInSeconds })
  }

  /** S3 itself takes such a form more than once while it lasts; the key is new and its owner's, so nobody is harmed. */
  async presignPost(key: string, { maxBytes, contentType, expiresInSeconds }: PostTicket) {
    const { client } = await this.#load()
    const { createPresignedPost } = await import('@aws-sdk/s3-presigned-post')
    return createPresignedPost(client, {
      Bucket: this.#config.bucket,
      Key: checkKey(key),
      Conditions: [['content-length-range', 0, maxBytes]],
      Fields: contentType === undefined ? {} : { 'Content-Type': contentType },
      Expires: expiresInSeconds,
    })
  }

  async *list(prefix: string): AsyncIterable<{ key: string; modifiedAt: Date }> {
    const { sdk, client } = await this.#load()
    const input = { Bucket: this.#config.bucket, Prefix: checkPrefix(prefix) }
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

  #load(): Promise<Loaded> {
    this.#loading ??= load(this.#config)
    return this.#loading
  }
}

async function load(config: S3Config): Promise<Loaded> {
  const sdk = await import('@aws-sdk/client-s3')
  const { accessKeyId, secretAccessKey } = config
  const credentials = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined
  const client = new sdk.S3Client({
    region: config.region,
    endpoint: config.endpoint,
    forcePathStyle: config.forcePathStyle,
    credentials,
    // Many servers that speak S3 know none of the newer checksums, and signatures cover the bodies anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  return { sdk, client }
}

const ABSENT = new Set(['NoSuchKey', 'NotFound'])

function isAbsent(error: unknown): boolean {
  return error instanceof Error && ABSENT.has(error.name)
}

function absentAsProblem(error: unknown): never {
  throw isAbsent(error) ? new Problem('NOT_FOUND') : error
}

function refusal(error: unknown): never {
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } }
  if (name === 'PreconditionFailed')
    throw new Problem('FORBIDDEN', { reason: 'There is an object under this key already.' })
  throw $metadata?.httpStatusCode === 507 ? new Problem('STORAGE_FULL') : error
}
